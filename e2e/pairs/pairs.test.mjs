// Every client's protocol with every upstream's, streamed and plain: two turns with tool calls,
// through the official SDKs.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY, ask } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { EVERY, PATHS, UPSTREAMS, smallest, talker, upstreams } from "../lib/turns.mjs";

const odd = 'quotes " \\ / \b\f\n\r\t \u0001 \u2028 é 漢 😀 </script> data: x';

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [
  { name: "get_weather", schema },
  { name: "get_time", schema },
];

const called = (prefix) => ({
  text: "Let me look.",
  calls: [
    { id: `${prefix}_Ab-1`, name: "get_weather", input: { city: odd } },
    { id: `${prefix}_2_xyz`, name: "get_time", input: { city: "Paris" } },
  ],
  usage: { input: 11, cached: 4, output: 7 },
});
const said = { text: `It is ${odd}.`, calls: [], usage: { input: 21, cached: 0, output: 5 } };
const prefixes = { anthropic: "toolu", chat: "call", responses: "call", gemini: "gem", interactions: "int" };

const keyHeaders = {
  anthropic: (headers) => assert.equal(headers["x-api-key"], UPSTREAM_KEY),
  chat: (headers) => assert.equal(headers.authorization, `Bearer ${UPSTREAM_KEY}`),
  responses: (headers) => assert.equal(headers.authorization, `Bearer ${UPSTREAM_KEY}`),
  gemini: (headers) => assert.equal(headers["x-goog-api-key"], UPSTREAM_KEY),
  interactions: (headers) => assert.equal(headers["x-goog-api-key"], UPSTREAM_KEY),
};
const paths = {
  anthropic: () => "/v1/messages",
  chat: () => "/v1/chat/completions",
  responses: () => "/v1/responses",
  gemini: (stream) =>
    `/v1beta/models/mapped-model:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
  interactions: () => "/v1beta/interactions",
};

for (const upstream of UPSTREAMS) {
  describe(`to ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream, MODELS: '{"claude-test":"mapped-model"}' });
    const { play, read } = upstreams[upstream];

    for (const client of EVERY) {
      for (const stream of [true, false]) {
        for (const forced of [undefined, "get_weather"]) {
          const name = `${client} to ${upstream}, ${stream ? "streamed" : "plain"}, a tool that is ${forced ? "forced" : "offered"}`;
          test(name, async () => {
            const talk = talker(client, f.url, { stream, tools, forced });
            const turn = called(prefixes[upstream]);

            const first = talk.say("What is it like in Paris?");
            const x = await nextOf(f, first);
            assert.equal(x.path, paths[upstream](stream));
            keyHeaders[upstream](x.headers);
            assert.ok(
              !JSON.stringify(x.headers).includes(CLIENT_KEY),
              "the client's key reached the upstream",
            );
            assert.equal(x.json.stream ?? (upstream === "gemini" && stream), stream);
            assert.deepEqual(read(x.json, x.path), {
              model: "mapped-model",
              tools,
              forced,
              calls: [],
              results: [],
            });
            await play(x, turn);
            assert.deepEqual(await first, { ...turn, stop: "tool" });

            const results = turn.calls.map(({ id }, i) => ({ id, text: i === 0 ? odd : "noon" }));
            const second = talk.answer(results);
            const y = await nextOf(f, second);
            assert.deepEqual(read(y.json, y.path), {
              model: "mapped-model",
              tools,
              forced: undefined,
              calls: turn.calls,
              results,
            });
            await play(y, said);
            assert.deepEqual(await second, { ...said, stop: "end" });
          });
        }
      }
    }
  });
}

// The Messages API does not say when an answer was made; OpenAI's APIs must.
describe("the time of an answer", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "anthropic" });
  for (const [client, field] of [
    ["chat", "created"],
    ["responses", "created_at"],
  ]) {
    test(`to ${client}`, async () => {
      const before = Math.floor(Date.now() / 1000);
      const due = ask(f.url, { path: PATHS[client], body: smallest[client]() });
      await upstreams.anthropic.play(await nextOf(f, due), said);
      const seconds = JSON.parse((await due).text)[field];
      assert.ok(before <= seconds && seconds <= Math.ceil(Date.now() / 1000), `${seconds}`);
    });
  }
});

// Buffers for an answer are bounded. A plain answer is buffered as a whole, and so is a Responses
// client's stream, because its last event repeats the answer.
describe("an answer over MAX_OUTPUT_BYTES", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "chat", MAX_OUTPUT_BYTES: "65536" });
  const long = { ...said, text: "x".repeat(65537) };
  for (const [client, stream, limited] of [
    ["anthropic", false, true],
    ["responses", false, true],
    ["responses", true, true],
    ["anthropic", true, false],
  ]) {
    test(`${client}, ${stream ? "streamed" : "plain"}`, async () => {
      const due = ask(f.url, { path: PATHS[client], body: smallest[client]({ stream }) });
      const played = upstreams.chat.play(await nextOf(f, due), long);
      // a stream over the limit is cut, maybe while the upstream writes
      await (limited && stream ? played.catch(() => {}) : played);
      const { status, text } = await due;
      assert.equal(status, limited && !stream ? 502 : 200);
      assert.equal(/max_output_bytes/.test(text), limited, text);
    });
  }
});

// nextOf resolves with the upstream's request for an answer. If the answer comes without a request
// to the upstream, nextOf fails.
const nextOf = (f, due) =>
  Promise.race([
    f.up.next(),
    due.then((turn) => assert.fail(`an answer without the upstream: ${JSON.stringify(turn)}`)),
  ]);
