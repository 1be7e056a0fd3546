// The official SDKs with upstreams that refuse requests like the vendors (lib/strict.mjs): a few
// sessions on each runtime. wasmtest/sessions has many more, natively.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { thoughts, upstream } from "../lib/strict.mjs";
import { EVERY, talker } from "../lib/turns.mjs";
import { ends } from "./strict/ends.mjs";
import { helpers } from "./strict/helpers.mjs";
import { sdkTools } from "./strict/sdk_tools.mjs";

const google = { host: "generativelanguage.googleapis.com" };
const upstreams = {
  anthropic: upstream("Anthropic", "anthropic", { "*": "claude-sonnet-4-5" }, { host: "api.anthropic.com" }),
  chat: upstream("a Chat server", "chat", {}),
  deepSeek: upstream(
    "Chat with reasoning_content",
    "chat",
    {},
    { host: "api.deepseek.com", check: { reasoning: "reasoning_content" } },
  ),
  openRouter: upstream(
    "Chat with reasoning_details",
    "chat",
    {},
    { host: "openrouter.ai", check: { reasoning: "reasoning_details" } },
  ),
  responses: upstream("OpenAI's Responses", "responses", { "*": "gpt-5.5" }, { host: "api.openai.com" }),
  gemini: upstream("Google's Gemini", "gemini", { "*": "gemini-3.1-pro-preview" }, google),
  interactions: upstream("Google's Interactions", "interactions", { "*": "gemini-3.1-pro-preview" }, google),
};

// asking has each client's options for requesting reasoning.
const asking = {
  anthropic: { max_tokens: 4096, thinking: { type: "enabled", budget_tokens: 2048, display: "summarized" } },
  chat: { max_completion_tokens: 4096, reasoning_effort: "medium" },
  responses: {
    max_output_tokens: 4096,
    reasoning: { effort: "medium", summary: "auto" },
    include: ["reasoning.encrypted_content"],
  },
  gemini: { maxOutputTokens: 4096, thinkingConfig: { includeThoughts: true } },
};

// before has a function per upstream, for the reasoning before the n-th turn.
const before = {
  ...thoughts,
  chat: () => [],
  deepSeek: (n) => [{ text: `Thinking ${n}.\nMore.` }],
  openRouter: (n) => [...thoughts.anthropic(n), { blob: `redacted+/${n}=`, redacted: true }],
};

const usage = { input: 11, cached: 3, output: 7 };
const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const call = (id, name, city) => ({ id, name, input: { city } });

// session has three turns: two parallel calls, with results in another order and an empty result;
// one more call; and the end.
async function session(client, kind, stream) {
  const turn = (n, text, calls) => ({ reasoning: before[kind](n), text, calls, usage });
  const turns = [
    turn(1, "Let me look.", [call("call_a", "get_weather", "Paris 漢😀"), call("call_b", "get_time", "")]),
    turn(2, "", [call("call_c", "get_time", "Oslo")]),
    { text: "It is noon.", calls: [], usage },
  ];
  const { left, refused, asked } = upstreams[kind].serve(turns);
  const talk = talker(client, upstreams[kind].url, {
    stream,
    tools: ["get_weather", "get_time"].map((name) => ({ name, schema })),
    more: asking[client],
  });
  const got = [
    await talk.say("What is it like?"),
    await talk.answer([
      { id: "call_b", text: "" },
      { id: "call_a", text: "Rain." },
    ]),
    await talk.answer([{ id: "call_c", text: "Noon." }]),
  ];
  assert.deepEqual(refused, []);
  assert.deepEqual(
    got,
    turns.map(({ text, calls }) => ({ text, calls, usage, stop: calls.length > 0 ? "tool" : "end" })),
  );
  assert.equal(left.length, 0);
  const last = JSON.stringify(asked.at(-1));
  for (const { text, blob } of turns.slice(0, 2).flatMap(({ reasoning }) => reasoning)) {
    assert.ok(
      last.includes(JSON.stringify(blob ?? text).slice(1, -1)),
      `the reasoning ${blob ?? text} goes back`,
    );
  }
}

describe("strict upstreams", () => {
  for (const kind of Object.keys(upstreams)) {
    for (const client of EVERY) {
      // OpenAI's helper for streams retains only the last piece of an unknown member. Here the
      // upstream decides about the pieces.
      const stream = client !== "chat" || !["deepSeek", "openRouter"].includes(kind);
      test(`${client} to ${upstreams[kind].name}, ${stream ? "streamed" : "plain"}: calls with reasoning`, () =>
        session(client, kind, stream));
    }
  }
  helpers(upstreams);
  ends(upstreams);
  sdkTools("responses", "anthropic", upstreams.anthropic);
  sdkTools("chat", "responses", upstreams.responses);
});
