// Sessions that go from one upstream to the next, in the middle of a turn or between two, and come back: each upstream takes what
// any other has thought and called.
import assert from "node:assert/strict";
import { test } from "../../lib/fixture.mjs";
import { ClaudeCode } from "../../lib/strict/claudecode.mjs";
import { Codex, found } from "../../lib/strict/codex.mjs";
import { thoughts } from "../../lib/strict.mjs";
import { talker } from "../../lib/turns.mjs";

const usage = { input: 11, cached: 0, output: 7 };
const schema = { type: "object", properties: { city: { type: "string" } } };

// sdk returns a session of the official SDK of a client's protocol.
function sdk(result, protocol, more) {
  const talk = talker(protocol, "", { stream: true, tools: [{ name: "look", schema }], more });
  const say = async (question) => {
    let turn = await talk.say(question);
    while (turn.calls.length > 0) turn = await talk.answer(turn.calls.map(({ id }) => ({ id, text: result() })));
    return turn.text;
  };
  return Object.assign(Object.create(talk), { say, talk });
}

// For each client, start makes a session in which every call gets the text that result returns, and calls are what an upstream
// calls in the n-th turn. A session's say asks and goes on until nothing is called.
const clients = {
  Codex: {
    start: (result) => new Codex("", "gpt-5.5", (call) => (call.kind === "search" ? found : result())),
    calls: (n) => [
      { name: "exec_command", input: { cmd: "ls" } },
      { name: "apply_patch", kind: "custom", input: "x\n" },
      n === 1 ? { name: "tool_search", kind: "search", input: { query: "x" } } : { namespace: "mcp__weather", name: "now", input: { city: "Oslo" } },
      { namespace: "mcp__srv", name: "echo", input: { text: "a" } },
    ],
  },
  "Claude Code": {
    start: (result) => new ClaudeCode("", "as it comes", (name, { query }) => (name === "ToolSearch" ? [query] : result())),
    calls: (n) => [{ name: "Bash", input: { command: "ls" } }, n === 1 ? { name: "ToolSearch", input: { query: "WebFetch" } } : { name: "WebFetch", input: { url: "x" } }],
  },
  "Claude Code with a budget": {
    start: (result) => new ClaudeCode("", "of a model with a budget", () => result()),
    calls: () => [{ name: "Bash", input: { command: "ls" } }],
  },
  "OpenAI's SDK for Chat": {
    start: (result) => sdk(result, "chat", { model: "gpt-4.1" }),
    calls: () => [{ name: "look", input: { city: "Oslo" } }, { name: "look", input: {} }],
  },
  "Google's SDK": {
    start: (result) => sdk(result, "gemini", { thinkingConfig: { includeThoughts: true } }),
    calls: () => [{ name: "look", input: { city: "Oslo" } }, { name: "look", input: {} }],
  },
};
// Where bytes pass nothing is corrected. OpenAI's SDK sends the reasoning of one Chat server to any other one; and with a budget
// Claude must have thought in front of the calls of a turn.
clients["OpenAI's SDK for Chat"].without = "chat";
clients["Claude Code with a budget"].within = false;

// routes returns the ways through all upstreams that begin with two of them, which may be the same, and end where they began.
const routes = (kinds) => kinds.flatMap((a) => kinds.map((b) => [a, b, ...kinds.filter((kind) => kind !== a && kind !== b), a]));

export function tour(upstreams) {
  for (const [client, { start, calls, without, within = true }] of Object.entries(clients)) {
    for (const route of routes(Object.keys(upstreams).filter((kind) => kind !== without))) {
      for (const between of within ? [false, true] : [true]) {
        test(`${client}, ${route.join(" to ")}${between ? ", between turns" : ""}`, async () => {
          // Each upstream makes two calls, and the next upstream gets the result of the second one. "Between turns" the upstream
          // first ends its turn.
          const requests = route.flatMap((kind) => Array(between ? 3 : 2).fill(kind));
          const ends = (n) => (between ? n % 3 === 2 : n === requests.length - 1);
          let asked = 0;
          const turn = (kind) => () => {
            const n = asked++;
            if (ends(n)) return { reasoning: thoughts[kind](n), text: `Done ${n}.`, calls: [], usage };
            const ids = kind === "anthropic" ? "toolu" : "call";
            return { reasoning: thoughts[kind](n), text: n % 2 ? "" : `Step ${n}.`, calls: calls(n + 1).map((call, i) => ({ id: `${ids}_${n}_${i}`, ...call })), usage };
          };
          const served = Object.keys(upstreams).map((kind) => upstreams[kind].serve(turn(kind)));
          const results = [];
          const session = start(() => results[results.push(`result ${results.length}.`) - 1]);
          Object.defineProperty(session.talk ?? session, "url", { get: () => upstreams[requests[asked]].url });
          while (asked < requests.length) assert.match(await session.say("Go on."), /^Done/);
          for (const { refused } of served) assert.deepEqual(refused, []);
          const last = JSON.stringify(served[Object.keys(upstreams).indexOf(route[0])].asked.at(-1));
          for (const result of results) assert.ok(last.includes(result), result);
        });
      }
    }
  }
}
