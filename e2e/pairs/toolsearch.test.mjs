// Searches for deferred tools, requested by the official SDKs of Anthropic and OpenAI, on upstreams
// without such a search: edgelingua runs the searches. A client's session has 100 deferred tools.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ask } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { PATHS, UPSTREAMS, talker, upstreams } from "../lib/turns.mjs";

const usage = { input: 11, cached: 0, output: 7 };
const weather = {
  name: "get_weather",
  description: "Says the weather of a city.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};
// A schema and a pattern at the limit of depth, and beyond: a module's stack is small.
const nested = Array(40)
  .fill("p")
  .reduce((inner, name) => ({ type: "object", properties: { [name]: inner } }), { type: "string" });
const deep = "(a1|(b1|(c1|(d1|(e1|(f1|(g1|(get_.*weather|weather))))))))";
const deferred = [
  { name: "do_deep_thing", description: "Does a deep thing.", schema: nested },
  ...Array.from({ length: 98 }, (_, n) => ({
    name: `do_thing_${n}`,
    description: `Does thing ${n}. ${"It is one of many things that nobody needs today. ".repeat(8)}`,
    schema: { type: "object", properties: { path: { type: "string", description: "Where to do it." } } },
  })),
  weather,
];

// The clients: the search in the form of each API, the name and the argument of the function used
// instead, and a deferred tool.
const clients = {
  anthropic: {
    search: { type: "tool_search_tool_regex_20251119", name: "tool_search_tool_regex" },
    name: "tool_search_tool_regex",
    input: { pattern: deep },
    tool: ({ name, description, schema }) => ({
      name,
      description,
      input_schema: schema,
      defer_loading: true,
    }),
    shown: ["server_tool_use", "tool_search_tool_result", "tool_use"],
  },
  responses: {
    search: { type: "tool_search" },
    name: "tool_search",
    input: { query: "weather of a city" },
    tool: ({ name, description, schema }) => ({
      type: "function",
      name,
      description,
      parameters: schema,
      strict: false,
      defer_loading: true,
    }),
    shown: ["tool_search_call", "tool_search_output", "function_call"],
  },
};

for (const protocol of UPSTREAMS) {
  describe(`an upstream of ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol });
    const { read, play } = upstreams[protocol];

    for (const [client, { search, name, input, tool, shown }] of Object.entries(clients))
      for (const stream of [true, false])
        test(`the SDK of ${client}, ${stream ? "streamed" : "plain"}`, async () => {
          const turns = [
            { text: "I look.", calls: [{ id: "call_1", name, input }], usage },
            { text: "", calls: [{ id: "call_2", name: weather.name, input: { city: "Oslo" } }], usage },
            { text: "It rains.", calls: [], usage },
          ];
          const asked = [];
          f.up.serve((x) => {
            asked.push({ ...read(x.json, x.path), size: x.body.length });
            return play(x, turns[asked.length - 1]);
          });
          const tools = [search, ...deferred.map(tool)];
          const talk = talker(client, f.url, { stream, more: { tools, model: "m" } });
          const first = await talk.say("What is it like in Oslo?");
          assert.equal(first.text, "I look.");
          assert.equal(first.stop, "tool");
          assert.deepEqual(first.usage, { input: 22, cached: 0, output: 14 });
          assert.deepEqual(
            first.calls.map(({ name, input }) => [name, input]),
            [[weather.name, { city: "Oslo" }]],
          );
          const types = talk.history.flatMap(({ type, content }) =>
            type ? [type] : Array.isArray(content) ? content.map(({ type }) => type) : [],
          );
          for (const type of shown) assert.ok(types.includes(type), types);
          const last = await talk.answer([{ id: first.calls[0].id, text: "rain" }]);
          assert.deepEqual([last.text, last.stop], ["It rains.", "end"]);
          const names = asked.map(({ tools }) => tools.map(({ name }) => name));
          assert.deepEqual(names, [[name], [name, weather.name], [name, weather.name]]);
          assert.deepEqual(
            asked[2].results.map(({ text }) => text),
            [`Tools loaded: ${weather.name}`, "rain"],
          );
          const all = JSON.stringify(tools).length;
          for (const { size } of asked) assert.ok(size < all / 20, `${size} of ${all}`);
        });

    test("a pattern that is none", async () => {
      const { search, name, tool } = clients.anthropic;
      const turns = [
        { text: "", calls: [{ id: "call_1", name, input: { pattern: "(" } }], usage },
        { text: "I can't.", calls: [], usage },
      ];
      f.up.serve((x) => play(x, turns[f.up.requests.length - 1]));
      const { status, text } = await ask(f.url, {
        path: PATHS.anthropic,
        body: {
          model: "m",
          max_tokens: 9,
          messages: [{ role: "user", content: "q" }],
          tools: [search, ...deferred.map(tool)],
        },
      });
      assert.equal(status, 200);
      assert.deepEqual(
        JSON.parse(text).content.find(({ type }) => type === "tool_search_tool_result").content,
        {
          type: "tool_search_tool_result_error",
          error_code: "invalid_tool_input",
          error_message:
            "Invalid regular expression pattern: missing ), unterminated subpattern at position 1",
        },
      );
    });
  });
}
