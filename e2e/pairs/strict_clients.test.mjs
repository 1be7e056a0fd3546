// Doubles of Codex and Claude Code (lib/session.mjs) with upstreams that refuse requests like the
// vendors: one session of each client with each upstream, and one session that changes the
// upstream. wasmtest/sessions has all other sessions, with the translator only.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { session } from "../lib/session.mjs";
import { thoughts, vendors } from "../lib/strict.mjs";

const usage = { input: 11, cached: 4, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const call = (n, name, input, more) => ({ id: `call_${n}`, name, input, ...more });
const odd = '*** Begin Patch\n+quotes " \\ / \t\u0001 \u2028 é 漢 😀\n*** End Patch\n';
const png = "iVBORw0KGgoAAAAAAA==";

// clients has a session per client, with the model's calls in each turn and the results of tools.
const clients = {
  "Claude Code": {
    steps: {
      client: "claude code",
      version: "as it comes",
      steer: ["", "An MCP server came."],
      results: {
        ls: "hi \u2028 é 漢 😀",
        "a.png": [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }],
      },
    },
    calls: [
      [call(1, "Bash", { command: "ls" }), call(2, "Read", { file_path: "a.png" })],
      [call(3, "ToolSearch", { query: "WebFetch" }), call(4, "Bash", { command: "rm" })],
      [call(5, "WebFetch", { url: "x" }), call(6, "Bash", { command: "ls" })],
    ],
    reaches: ["An MCP server came.", "hi \u2028 é 漢 😀", png, "WebFetch ran"],
  },
  Codex: {
    steps: { client: "codex", version: "gpt-5.5", results: { echo: odd } },
    calls: [
      [call(1, "exec_command", { cmd: odd }), call(2, "apply_patch", odd, { kind: "custom" })],
      [
        call(3, "tool_search", { query: "rain" }, { kind: "search" }),
        call(4, "echo", { text: "a" }, { namespace: "mcp__srv" }),
      ],
      [
        call(5, "now", { city: "Oslo" }, { namespace: "mcp__weather" }),
        call(6, "apply_patch", "", { kind: "custom" }),
      ],
    ],
    reaches: [odd, "exec_command ran", "apply_patch ran", "now ran"],
  },
};

describe("strict upstreams and whole clients", () => {
  const upstreams = vendors();
  const kinds = Object.keys(upstreams);
  for (const [name, { steps, calls, reaches }] of Object.entries(clients)) {
    const turns = (kind) =>
      calls.map((calls, n) => ({ reasoning: thoughts[kind](n), text: `Step ${n}.`, calls, usage }));
    const ran = (calls) =>
      calls
        .flat()
        .map(({ name }) => name)
        .toSorted();

    for (const [kind, upstream] of Object.entries(upstreams)) {
      test(`${name} before ${upstream.name}`, async () => {
        const { asked, refused, left } = upstream.serve([...turns(kind), said("Done."), said("Bye.")]);
        const outcome = await session({ ...steps, urls: [upstream.url], say: ["Go on.", "Thank you."] });
        assert.deepEqual(outcome.said, ["Done.", "Bye."]);
        assert.deepEqual(outcome.calls.toSorted(), ran(calls));
        assert.deepEqual([refused, left.length], [[], 0]);
        const whole = JSON.stringify(asked.at(-1));
        for (const part of reaches) assert.ok(whole.includes(JSON.stringify(part).slice(1, -1)), part);
      });
    }

    test(`${name} from each upstream to the next, in the middle of its turns`, async () => {
      // Each upstream makes the calls of a turn. The next upstream gets the results and ends the
      // turn.
      const route = kinds.flatMap((kind, i) => [kind, kinds[(i + 1) % kinds.length]]);
      let asked = 0;
      const turn = (kind) => () => {
        const n = asked++;
        if (n % 2 === 1) return said("Done.");
        return {
          ...turns(kind)[0],
          reasoning: thoughts[kind](n),
          calls: calls[0].map((call) => ({ ...call, id: `${call.id}_${n}` })),
        };
      };
      const served = kinds.map((kind) => upstreams[kind].serve(turn(kind)));
      const outcome = await session({
        ...steps,
        urls: route.map((kind) => upstreams[kind].url),
        say: kinds.map(() => "Go on."),
      });
      assert.deepEqual(
        outcome.said,
        kinds.map(() => "Done."),
      );
      assert.equal(outcome.calls.length, kinds.length * calls[0].length);
      for (const { refused } of served) assert.deepEqual(refused, []);
    });
  }
});
