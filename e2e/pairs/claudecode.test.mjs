// Unusual requests of Claude Code and of the tool runner of Anthropic's SDK, tested with upstreams
// of other protocols.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ask, open, params, sdk, textOf } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { checkMessage, fold, parse } from "../lib/sse.mjs";
import { upstreams } from "../lib/turns.mjs";

const path = "/v1/messages?beta=true";
const usage = { input: 11, cached: 0, output: 7 };
const said = (text) => ({ text, calls: [], usage });

// The fields of every request of Claude Code 2.1.
const common = {
  model: "claude-opus-5-5",
  max_tokens: 32000,
  metadata: { user_id: JSON.stringify({ device_id: "0".repeat(64), account_uuid: "", session_id: "s" }) },
  system: [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.329.54e; cc_entrypoint=sdk-cli;" },
    { type: "text", text: "You are a Claude agent.", cache_control: { type: "ephemeral" } },
  ],
};
const schema = {
  type: "object",
  properties: { title: { type: "string" } },
  required: ["title"],
  additionalProperties: false,
};
const title = {
  ...common,
  messages: [{ role: "user", content: [{ type: "text", text: "<session>Fix the build</session>" }] }],
  tools: [],
  thinking: { type: "disabled" },
  output_config: { effort: "medium", format: { type: "json_schema", schema } },
};
const search = {
  ...common,
  messages: [
    { role: "user", content: [{ type: "text", text: "Perform a web search for the query: tides" }] },
  ],
  tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 8 }],
  tool_choice: { type: "auto" },
};

// messageOf returns the message of an answer, streamed or plain.
function messageOf({ status, text }, stream) {
  assert.equal(status, 200, text);
  return stream ? fold(parse(text)).message : checkMessage(JSON.parse(text));
}

for (const protocol of ["chat", "responses"]) {
  describe(`Claude Code before an upstream that speaks ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol });
    const g = fixture({ UPSTREAM_PROTOCOL: protocol, OPTIONS: '{"lossy":"report"}' });
    const { play } = upstreams[protocol];

    for (const stream of [true, false]) {
      const how = stream ? "streamed" : "plain";

      test(`asks for a title, ${how}`, async () => {
        f.up.serve((x) => play(x, said('{"title":"Fix the build"}')));
        const { content, stop_reason } = messageOf(
          await ask(f.url, { path, body: { ...title, stream } }),
          stream,
        );
        assert.deepEqual(
          [content.length, JSON.parse(content[0].text), stop_reason],
          [1, { title: "Fix the build" }, "end_turn"],
        );
        const { json } = f.up.requests[0];
        const format = protocol === "chat" ? json.response_format.json_schema : json.text.format;
        assert.deepEqual(format.schema, schema);
        assert.equal(typeof format.name, "string");
        for (const absent of ["tools", "tool_choice", "parallel_tool_calls", "metadata", "user"])
          assert.ok(!(absent in json), absent);
        assert.ok(!JSON.stringify(json).includes("billing-header"));
      });

      // The upstream is not known to support web search. Claude Code 2.1.329 does not repeat a
      // refused request if the error has an error_code.
      test(`is refused a search of the web, ${how}`, async () => {
        const forced = { ...search, tool_choice: { type: "tool", name: "web_search" } };
        for (const body of [search, forced]) {
          const { status, text } = await ask(f.url, { path, body: { ...body, stream } });
          const { type, message, details } = JSON.parse(text).error;
          assert.deepEqual(
            [status, type, details],
            [400, "invalid_request_error", { error_code: "tool_unsupported", unsupported: ["tools[0]"] }],
          );
          assert.match(message, /^tools\.0: .*web_search_20250305.*"lossy":"report"/);
        }
        assert.equal(f.up.requests.length, 0);
      });

      test(`searches the web where the owner wants losses reported, ${how}`, async () => {
        g.up.serve((x) => play(x, said("The tide is high.")));
        const { content } = messageOf(await ask(g.url, { path, body: { ...search, stream } }), stream);
        assert.equal(content.at(-1).text, "The tide is high.");
        const { json } = g.up.requests[0];
        assert.ok(!("tools" in json) && !("tool_choice" in json), JSON.stringify(json));
      });
    }

    test("falls back to a plain request when a stream breaks before its first block", async () => {
      const body = { ...common, messages: [{ role: "user", content: "hi" }], stream: true };
      const call = open(f.url, { path, body });
      const x = await f.up.next();
      x.head();
      const { body: answer } = await call.reply;
      x.cut();
      assert.equal(fold(parse(await textOf(answer))).error.type, "api_error");
      f.up.serve((x) => play(x, said("hello")));
      const again = await ask(f.url, { path, body: { ...body, stream: false } });
      assert.equal(messageOf(again, false).content[0].text, "hello");
      assert.ok(!f.up.requests[1].json.stream);
    });

    for (const stream of [true, false]) {
      test(`the SDK's tool runner goes on without threads, ${stream ? "streamed" : "plain"}`, async () => {
        const call = { id: "call_1", name: "get_weather", input: { city: "Paris" } };
        f.up.serve((x) =>
          play(x, f.up.requests.length === 1 ? { text: "I look.", calls: [call], usage } : said("It rains.")),
        );
        const sent = [];
        const fetchOf = async (input, init) => {
          const response = await fetch(input, init);
          sent.push({ thread: JSON.parse(init.body).thread?.type, status: response.status });
          return response;
        };
        const client = sdk(f.url, { fetch: fetchOf });
        const ran = [];
        const runner = client.beta.messages.toolRunner({
          ...params({ messages: [{ role: "user", content: "Weather in Paris?" }] }),
          stream,
          tools: [
            {
              name: "get_weather",
              description: "Says how the weather is.",
              input_schema: { type: "object", properties: { city: { type: "string" } } },
              parse: (input) => input,
              run: (input) => {
                ran.push(input);
                return "rain";
              },
            },
          ],
        });
        const last = await runner.runUntilDone();
        assert.equal(last.content.at(-1).text, "It rains.");
        assert.deepEqual(ran, [{ city: "Paris" }]);
        assert.deepEqual(sent, [
          { thread: "create", status: 400 },
          { thread: undefined, status: 200 },
          { thread: undefined, status: 200 },
        ]);
        const { tools, calls, results } = upstreams[protocol].read(f.up.requests[1].json);
        assert.deepEqual([tools.length, calls, results], [1, [call], [{ id: "call_1", text: "rain" }]]);
      });
    }
  });
}
