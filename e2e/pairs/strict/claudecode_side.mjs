// What Claude Code asks beside its session, and what it does when answers break off.
import assert from "node:assert/strict";
import { test } from "../../lib/fixture.mjs";
import * as gemini from "../../lib/gemini.mjs";
import * as interactions from "../../lib/interactions.mjs";
import { event, failure } from "../../lib/messages.mjs";
import { ClaudeCode, ErrorAnswer } from "../../lib/strict/claudecode.mjs";
import { upstreams as players } from "../../lib/turns.mjs";

const usage = { input: 11, cached: 0, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const call = (n, name, input) => ({ id: `call_${n}`, name, input });
const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false };
const user = (text) => ({ role: "user", content: [{ type: "text", text }] });

// beginnings are the chunks behind which a stream breaks off: none, or half of the first block.
const beginnings = {
  anthropic: [
    event("message_start", { message: { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } } }),
    event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Half" } }),
    event("error", failure("overloaded_error", "Broke.")),
  ],
  chat: [
    `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Half"},"finish_reason":null}]}\n\n`,
    `data: {"error":{"message":"Broke.","type":"server_error","param":null,"code":null}}\n\n`,
  ],
  gemini: [gemini.data(gemini.chunk("gem-1", [{ text: "Half" }])), gemini.data(gemini.failure(503, "UNAVAILABLE", "Broke."))],
  interactions: [...interactions.begun, ...interactions.texts(0, "Half"), interactions.event("error", interactions.failure("service_unavailable", "Broke."))],
  responses: [
    event("response.created", { sequence_number: 0, response: { id: "resp_1", object: "response", created_at: 1, model: "m", status: "in_progress", output: [], tools: [] } }),
    event("error", { sequence_number: 1, code: "server_error", message: "Broke.", param: null }),
  ],
};

// failures are statuses of an upstream, each with the error type and the status that Claude Code gets.
const failures = [
  [401, "authentication_error"],
  [403, "permission_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [503, "overloaded_error", 529],
];

export function side(upstreams) {
  for (const upstream of Object.values(upstreams)) {
    const { name, protocol } = upstream;
    const start = (turns, run) => ({ ...upstream.serve(turns), code: new ClaudeCode(upstream.url, "as it comes", run) });
    const failed = (type, message) => (protocol === "anthropic" ? failure(type, message) : { error: { message, type, param: null, code: null } });

    for (const stream of [true, false]) {
      const how = stream ? "streamed" : "plain";

      test(`${name}: a title, ${how}`, async () => {
        const { asked, code } = start([said('{"title":"Fix"}')]);
        const format = { type: "json_schema", schema };
        const message = await code.side({ stream, messages: [user("<session>Fix the build")], tools: [], thinking: { type: "disabled" }, output_config: { effort: "medium", format } });
        assert.deepEqual(JSON.parse(message.content[0].text), { title: "Fix" });
        assert.ok(JSON.stringify(asked[0]).includes('"title":{"type":"string"}'));
      });

      test(`${name}: a search of the web, ${how}`, async () => {
        const request = { stream, tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 8 }], tool_choice: { type: "auto" } };
        if (protocol === "chat") { // which has no search: no answer is better than one that is made up, and the session goes on
          const { code, asked } = start([said("On.")]);
          await assert.rejects(code.side({ ...request, messages: [user("The tide?")] }), /"error_code":"tool_unsupported"/);
          assert.deepEqual([await code.say("Go on."), asked.length], ["On.", 1]);
          return;
        }
        const search = { query: "tides", title: "Tides", url: "https://example.com/" };
        const { code, left } = start([{ search, ...said("High.") }, said("Low.")]);
        const first = await code.side({ ...request, messages: [user("The tide?")] });
        const blocks = Object.fromEntries(first.content.map((block) => [block.type, block]));
        const searched = ["server_tool_use", "web_search_tool_result"];
        assert.deepEqual(Object.keys(blocks), ["gemini", "interactions"].includes(protocol) ? ["text", ...searched] : [...searched, "text"]); // Google says behind its text what it has searched for
        assert.deepEqual([blocks.server_tool_use.input, blocks.web_search_tool_result.content[0].url], [{ query: "tides" }, search.url]);
        const next = await code.side({ ...request, messages: [user("The tide?"), { role: "assistant", content: first.content }, user("And now?")] });
        assert.equal(next.content.find(({ type }) => type === "text").text, "Low.");
        assert.equal(left.length, 0);
      });
    }

    test(`${name}: two agents at once, and what they report later`, async () => {
      const agent = (x) => players[protocol].play(x, said(`Done by ${/agent \w/.exec(x.body)[0]}.`));
      const tasks = [call(1, "Task", { prompt: "agent A" }), call(2, "Task", { prompt: "agent B" })];
      const run = (_, { prompt }) => new ClaudeCode(upstream.url, "as it comes", null, { prompt }).say("Go on.");
      const { asked, code } = start([{ text: "", calls: tasks, usage }, agent, agent, said("Both."), said("Three.")], run);
      assert.equal(await code.say("Go on."), "Both.");
      for (const words of ["Done by agent A.", "Done by agent B."]) assert.ok(JSON.stringify(asked[3]).includes(words), words);
      assert.equal(await code.say("<system-reminder>A background agent is done."), "Three.");
    });

    test(`${name}: output that follows a schema, behind text that does not`, async () => {
      const ran = [];
      const { code } = start([said("Here."), { text: "", calls: [call(1, "StructuredOutput", { title: "Fix" })], usage }, said("Done.")], (_, input) => (ran.push(input), "ok"));
      assert.equal(await code.say("Go on."), "Here.");
      assert.equal(await code.say("[structured-output-enforce] Call StructuredOutput."), "Done.");
      assert.deepEqual(ran, [{ title: "Fix" }]);
    });

    test(`${name}: a stream that breaks is asked for again, plain`, async () => {
      const { streamed, code } = start([(x) => x.stream(beginnings[protocol]), said("Whole."), said("Again.")]);
      assert.equal(await code.say("Go on."), "Whole.");
      assert.deepEqual(streamed, [true, false]);
      assert.equal(await code.say("Go on."), "Again.");
    });

    test(`${name}: a model that is not found`, async () => {
      const missing = (x) => x.answer(404, failed("not_found_error", "No such model."));
      const { code } = start([missing, missing]);
      await assert.rejects(code.say("Go on."), (err) => err instanceof ErrorAnswer && err.status === 404 && /No such model/.test(err.message));
    });

    test(`${name}: a prompt that is too long`, async () => {
      const words = protocol === "anthropic" ? "prompt is too long: 9 tokens > 8 maximum" : "This model's maximum context length is 8 tokens.";
      const { code } = start([(x) => x.answer(400, failed("invalid_request_error", words))]);
      await assert.rejects(code.say("Go on."), (err) => err.status === 400 && /prompt is too long|maximum context length/.test(err.message));
    });

    test(`${name}: errors in front of an answer`, async () => {
      for (const [status, type, shown = status] of failures) {
        const said = protocol === "anthropic" ? shown : status;
        const { code } = start([(x) => x.answer(said, failed(type, `Said with ${status}.`))]);
        await assert.rejects(code.say("Go on."), (err) => {
          assert.deepEqual([err.status, err.type], [shown, type], err.stack);
          assert.match(err.message, /Said with/);
          return true;
        });
      }
    });

    test(`${name}: the limit, and a refusal`, async () => {
      const { code } = start([{ ...said("Half of"), stop: "length" }, said("it."), { ...said(""), refusal: "I can't." }]);
      assert.equal(await code.say("Go on."), "Half of");
      assert.equal(code.stop, "max_tokens");
      assert.equal(await code.say("Output token limit hit. Resume directly."), "it.");
      assert.equal(await code.say("And?"), "I can't.");
      assert.equal(code.stop, protocol === "interactions" ? "end_turn" : "refusal"); // where it is a text like any other
    });
  }
}
