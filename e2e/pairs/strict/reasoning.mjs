// Reasoning goes back unchanged to the upstream that it came from, and to no other: a session may change its model at any turn.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { test } from "../../lib/fixture.mjs";
import { PROTOCOLS, talker } from "../../lib/turns.mjs";

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ name: "get_weather", schema }];
const usage = { input: 11, cached: 0, output: 7 };

// asking is how each client asks for reasoning.
const asking = {
  anthropic: { max_tokens: 4096, thinking: { type: "enabled", budget_tokens: 2048, display: "summarized" } },
  chat: { max_completion_tokens: 4096, reasoning_effort: "medium" },
  responses: { max_output_tokens: 4096, reasoning: { effort: "medium", summary: "auto" }, include: ["reasoning.encrypted_content"] },
};

// likes is how each client asks a model that decides itself how much it thinks.
const likes = { ...asking, anthropic: { max_tokens: 4096, thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "medium" } } };

// thoughts return the reasoning of each kind of upstream in front of the n-th call.
const signed = (n) => [{ text: `Thinking "hard" \\ ${n} 漢😀.`, blob: `sig+/${n}==` }, { blob: `redacted+/${n}=`, redacted: true }];
const thoughts = {
  anthropic: signed,
  openRouter: signed,
  deepSeek: (n) => [{ text: `Thinking ${n}.\nMore.` }],
  chat: () => [],
  responses: (n) => [{ text: `Thinking ${n}.`, blob: `gAAAA+/${n}==`, id: `rs_${n}` }],
};

const called = (kind, n) => ({ reasoning: thoughts[kind](n), text: `Step ${n}.`, calls: [{ id: `call_${n}`, name: "get_weather", input: { city: `${n}` } }], usage });
const said = { text: "Done.", calls: [], usage };

export function reasoning(upstreams) {
  const kinds = Object.keys(thoughts);
  describe("reasoning", () => {
    for (const client of PROTOCOLS) {
      for (const one of kinds) {
        for (const other of kinds) {
          for (const stream of [true, false]) {
            const name = `${client}, ${upstreams[one].name} ${one === other ? "throughout" : `to ${upstreams[other].name} and back`}, ${stream ? "streamed" : "plain"}`;
            const skip = skipped(client, [one, other], stream);
            test(name, { skip }, () => session(client, one, other, stream, upstreams, asking[client]));
            if ([one, other].includes("anthropic")) {
              test(`${name}, with adaptive thinking`, { skip }, () => session(client, one, other, stream, upstreams, { ...likes[client], model: "adaptive" }));
            }
          }
        }
      }
    }
  });
}

// skipped returns why a session can't be run, false where it can. OpenAI's helper for streams keeps only the last piece of a
// member that it does not know, and where bytes pass, the pieces are the upstream's. Where bytes pass between two upstreams of
// one protocol, nothing in them is corrected.
const skipped = (client, kinds, stream) => {
  const foreign = (one, other) => kinds.includes(one) && kinds.includes(other);
  if (client === "anthropic") return foreign("anthropic", "chat") && "bytes pass, in the middle of a turn without thinking";
  if (client !== "chat") return false;
  if (stream && kinds.some((kind) => ["openRouter", "deepSeek"].includes(kind))) return "the SDK loses an upstream's own reasoning";
  const differ = foreign("deepSeek", "openRouter") || foreign("deepSeek", "chat") || foreign("openRouter", "chat");
  return differ && "bytes pass, and what one of them wants or refuses is the client's to know";
};

// session makes two calls with one upstream, two with the other, and then asks the first one again.
async function session(client, one, other, stream, upstreams, more) {
  const turns = { [one]: [], [other]: [] };
  turns[one].push(called(one, 1), called(one, 2));
  turns[other].push(called(other, 3), called(other, 4));
  turns[one].push(said);
  const served = Object.entries(turns).map(([kind, list]) => upstreams[kind].serve(list));
  const talk = talker(client, upstreams[one].url, { stream, tools, more });
  await talk.say("Go on.");
  await talk.answer([{ id: "call_1", text: "one" }]);
  talk.url = upstreams[other].url;
  await talk.answer([{ id: "call_2", text: "two" }]);
  await talk.answer([{ id: "call_3", text: "three" }]);
  talk.url = upstreams[one].url;
  assert.deepEqual(await talk.answer([{ id: "call_4", text: "four" }]), { ...said, stop: "end" });
  for (const { left } of served) assert.equal(left.length, 0);
  if (one === "anthropic") assert.match(served[0].asked[0].thinking.type, /^(enabled|adaptive)$/);
}
