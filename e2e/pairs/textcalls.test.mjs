// Tool calls in an upstream's text: with the option text_calls the official SDKs of all clients get
// calls, and answer the calls. A document that the model quotes stays a text.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { fixture, test } from "../lib/fixture.mjs";
import { PROTOCOLS, talker, upstreams } from "../lib/turns.mjs";

const tools = [
  {
    name: "get_weather",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];
const mark = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Zürich"}}\n</tool_call>';
const page = `How a model calls a tool:\n${mark}\n`;
const usage = { input: 11, cached: 0, output: 7 };

// The model's text about the page quotes the page in a fence, in a quote, and unquoted.
const quoting = `It reads:\n\n\`\`\`\n${page}\`\`\`\n\n> ${mark.replaceAll("\n", "\n> ")}\n\n${page}`;

for (const upstream of ["anthropic", "chat"]) {
  describe(`calls in the text of ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream, UPSTREAM_OPTIONS: '{"text_calls":"on"}' });
    const { play, read } = upstreams[upstream];

    for (const client of PROTOCOLS) {
      for (const stream of [true, false]) {
        test(`a call, then a quoted page: ${client}, ${stream ? "streamed" : "plain"}`, async () => {
          const talk = talker(client, f.url, { stream, tools });
          const next = async (due) =>
            Promise.race([
              f.up.next(),
              due.then((turn) => assert.fail(`an answer without the upstream: ${JSON.stringify(turn)}`)),
            ]);

          const first = talk.say("What is it like in Zürich?");
          await play(await next(first), { text: `I look.\n\n${mark}`, calls: [], usage });
          const { calls, ...turn } = await first;
          assert.deepEqual(turn, { text: "I look.\n\n", usage, stop: "tool" });
          const [{ id }] = calls;
          assert.deepEqual(calls, [{ id, name: "get_weather", input: { city: "Zürich" } }]);

          const second = talk.answer([{ id, text: JSON.stringify({ page }) }]);
          const y = await next(second);
          const told = read(y.json);
          assert.deepEqual(
            told.calls.map(({ name, input }) => ({ name, input })),
            [{ name: "get_weather", input: { city: "Zürich" } }],
          );
          assert.deepEqual(
            told.results.map(({ text }) => text),
            [JSON.stringify({ page })],
          );
          await play(y, { text: quoting, calls: [], usage });
          assert.deepEqual(await second, { text: quoting, calls: [], usage, stop: "end" });
        });
      }
    }
  });
}
