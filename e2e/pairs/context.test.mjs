// context_management of the Messages API before upstreams of other APIs: results of tools that are cleared, and what the answer and the count
// say of it. The official SDK and lib/sse.mjs read the answers.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { ask, params, sdk } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { checkMessage, fold, parse } from "../lib/sse.mjs";
import { upstreams } from "../lib/turns.mjs";

const betas = ["context-management-2025-06-27"];
const said = { text: "Both are read.", calls: [], usage: { input: 30, cached: 0, output: 4 } };
const long = "A line of a file that was read long ago and is of no use any more.\n".repeat(40);
const tools = ["Read", "Edit"].map((name) => ({ name, input_schema: { type: "object", properties: { path: { type: "string" } } } }));

// history returns a conversation in which the tools were called one after the other.
const history = (...names) => [
  { role: "user", content: "Look." },
  ...names.flatMap((name, n) => [
    { role: "assistant", content: [{ type: "tool_use", id: `toolu_${n}`, name, input: { path: `${n}.txt` } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: `${n}: ${long}` }] },
  ]),
];

// Claude Code with USE_API_CLEAR_TOOL_RESULTS, and with smaller thresholds than its own 180,000 and 140,000.
const claudeCode = {
  edits: [
    { type: "clear_thinking_20251015", keep: "all" },
    { type: "clear_tool_uses_20250919", trigger: { type: "input_tokens", value: 1500 }, clear_at_least: { type: "input_tokens", value: 1500 }, clear_tool_inputs: ["Read"] },
  ],
};
const atOnce = { edits: [{ type: "clear_tool_uses_20250919", trigger: { type: "tool_uses", value: 1 }, keep: { type: "tool_uses", value: 1 }, exclude_tools: ["Edit"] }] };

// whole reports, for each result that reached the upstream, whether it is whole.
const whole = (protocol, json) => upstreams[protocol].read(json).results.map(({ text }) => text.includes("read long ago") || (assert.match(text, /^\[cleared/), false));

for (const protocol of ["chat", "responses"]) {
  describe(`edits of the history before an upstream that speaks ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol });
    const { play } = upstreams[protocol];

    for (const stream of [true, false]) {
      test(`results are cleared, and the answer says so, ${stream ? "streamed" : "plain"}`, async () => {
        f.up.serve((x) => play(x, said));
        const request = { ...params({ tools, messages: history("Read", "Edit", "Read", "Read") }), betas, context_management: atOnce };
        const { messages } = sdk(f.url).beta;
        const message = await (stream ? messages.stream(request).finalMessage() : messages.create(request));
        assert.equal(message.content[0].text, said.text);
        const [{ type, cleared_tool_uses, cleared_input_tokens }, ...more] = message.context_management.applied_edits;
        assert.deepEqual([type, cleared_tool_uses, more.length], ["clear_tool_uses_20250919", 2, 0]);
        assert.ok(cleared_input_tokens > 1500 && cleared_input_tokens < 3000, `${cleared_input_tokens}`);
        assert.deepEqual(whole(protocol, f.up.requests[0].json), [false, true, false, true]);
      });

      test(`as Claude Code asks for it, turn by turn, ${stream ? "streamed" : "plain"}`, async () => {
        f.up.serve((x) => play(x, said));
        const cleared = [];
        for (let turns = 2; turns <= 9; turns++) {
          const body = { ...params({ stream, tools, messages: history(...Array(turns).fill("Read")) }), thinking: { type: "adaptive" }, context_management: claudeCode };
          const { text, headers } = await ask(f.url, { path: "/v1/messages?beta=true", body });
          const message = stream ? fold(parse(text)).message : checkMessage(JSON.parse(text));
          assert.match(headers["x-edgelingua-lost"], /^context_management\.edits\[0\](,|$)/);
          const sent = whole(protocol, f.up.requests.at(-1).json);
          assert.equal(message.context_management.applied_edits[0]?.cleared_tool_uses ?? 0, sent.filter((is) => !is).length);
          cleared.push(sent.indexOf(true));
        }
        assert.deepEqual(cleared, [0, 0, 0, 2, 2, 4, 4, 6], "two at a time: each is worth some 1,000 tokens");
      });
    }

    test("a count says how many tokens are left, and how many there were", async () => {
      const request = { model: "m", tools, messages: history("Read", "Read", "Read"), betas };
      const counts = sdk(f.url).beta.messages;
      const { input_tokens: all } = await counts.countTokens(request);
      const { input_tokens, context_management } = await counts.countTokens({ ...request, context_management: atOnce });
      assert.equal(context_management.original_input_tokens, all);
      assert.ok(input_tokens < all / 2, `${input_tokens} of ${all}`);
    });

    test("edits that make no sense are refused by their path", async () => {
      const edit = { type: "clear_tool_uses_20250919", keep: { type: "tool_uses", value: "3" } };
      const { status, text } = await ask(f.url, { body: params({ context_management: { edits: [edit] } }) });
      assert.deepEqual([status, JSON.parse(text).error.message], [400, "context_management.edits.0.keep.value: Input should be a valid integer"]);
      assert.equal(f.up.requests.length, 0);
    });
  });
}

const compacting = (more) => ({ edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 2000 }, ...more }] });
const summary = "The user wants the files read. Two are read.";
const SEAL_KEY = Buffer.alloc(32, 7).toString("base64url");

// texts returns all that a request to an upstream says.
const texts = (json) => JSON.stringify(json.messages ?? [json.instructions, json.input]);

for (const [protocol, sealed] of [["chat", true], ["responses", false]]) {
  describe(`compaction before an upstream that speaks ${protocol}, ${sealed ? "sealed" : "readable"}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol, ...(sealed && { SEAL_KEY }) });
    const { play } = upstreams[protocol];
    // The upstream summarizes what has the calls told as texts, and answers the rest.
    const serve = () =>
      f.up.serve((x) => play(x, { ...said, ...(texts(x.json).includes("Keep the names.") && { text: summary, usage: { input: 3000, cached: 0, output: 9 } }) }));

    for (const stream of [true, false]) {
      const how = stream ? "streamed" : "plain";
      const run = (messages, context_management) => {
        const request = { ...params({ tools, messages }), betas: ["compact-2026-01-12"], context_management };
        const beta = sdk(f.url).beta.messages;
        return stream ? beta.stream(request).finalMessage() : beta.create(request);
      };

      test(`a conversation over the threshold goes on from its summary, ${how}`, async () => {
        serve();
        const messages = history("Read", "Read", "Read");
        const first = await run(messages, compacting({ instructions: "Keep the names." }));
        const [{ type, content, encrypted_content }, answer] = first.content;
        assert.deepEqual([type, content, answer.text, first.stop_reason], ["compaction", summary, said.text, "end_turn"]);
        assert.equal(encrypted_content?.startsWith("el1::s::") ?? false, sealed);
        assert.deepEqual(first.usage.iterations.map(({ type, input_tokens, output_tokens }) => [type, input_tokens, output_tokens]), [["compaction", 3000, 9], ["message", 30, 4]]);
        assert.deepEqual([first.usage.input_tokens, first.context_management], [30, { applied_edits: [] }]);
        assert.ok(!texts(f.up.requests[1].json).includes("read long ago"), "the answer goes on from the summary alone");

        messages.push({ role: "assistant", content: first.content }, { role: "user", content: "And now?" });
        const second = await run(messages, compacting());
        assert.deepEqual(second.content.map(({ text }) => text), [said.text]);
        assert.deepEqual(second.usage.iterations.map(({ type }) => type), ["message"]);
        const sent = f.up.requests[2].json;
        assert.ok(!texts(sent).includes("read long ago"));
        const users = (sent.messages ?? sent.input).filter((message) => JSON.stringify(message).includes(summary));
        assert.deepEqual(users.map(({ role }) => role), ["user"]);
        assert.equal(f.up.requests.length, 3);
      });

      test(`a pause ends with the summary, ${how}`, async () => {
        serve();
        const paused = await run(history("Read", "Read", "Read"), compacting({ instructions: "Keep the names.", pause_after_compaction: true }));
        assert.deepEqual([paused.stop_reason, paused.content.length, paused.content[0].content], ["compaction", 1, summary]);
        assert.deepEqual([paused.usage.input_tokens, paused.usage.output_tokens], [0, 0]);
        assert.deepEqual(paused.usage.iterations.map(({ type, input_tokens }) => [type, input_tokens]), [["compaction", 3000]]);
        assert.equal(f.up.requests.length, 1);
        const next = await run([{ role: "assistant", content: paused.content }, { role: "user", content: "Read on." }], compacting());
        assert.equal(next.content[0].text, said.text);
        assert.ok(texts(f.up.requests[1].json).includes(summary));
      });
    }

    if (sealed) {
      test("a summary that was changed is refused", async () => {
        serve();
        const body = params({ tools, messages: history("Read", "Read", "Read"), context_management: compacting({ instructions: "Keep the names.", pause_after_compaction: true }) });
        const [block] = JSON.parse((await ask(f.url, { body })).text).content;
        const letter = block.encrypted_content.at(-9);
        const changed = { ...block, encrypted_content: block.encrypted_content.slice(0, -9) + (letter === "A" ? "B" : "A") + block.encrypted_content.slice(-8) };
        const { status, text } = await ask(f.url, { body: params({ messages: [{ role: "assistant", content: [changed] }, { role: "user", content: "x" }] }) });
        assert.equal(status, 400, text);
        assert.match(JSON.parse(text).error.message, /^messages\.0\.content\.0: .*can't be opened/);
        assert.equal(f.up.requests.length, 1);
      });
    }
  });
}
