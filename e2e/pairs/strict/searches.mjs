// Searches that one upstream has run, in requests to another one: what only the vendor can read of them goes to nobody else.
import assert from "node:assert/strict";
import { test } from "../../lib/fixture.mjs";
import { ClaudeCode } from "../../lib/strict/claudecode.mjs";
import { Codex } from "../../lib/strict/codex.mjs";

const search = { query: "tides", title: "Tides", url: "https://example.com/" };
const usage = { input: 11, cached: 0, output: 7 };
const said = (text, more) => ({ ...more, text, calls: [], usage });
const note = { name: "note", input_schema: { type: "object", properties: {} } }; // a request with nothing but the search is refused where the upstream has none
const user = (text) => ({ role: "user", content: [{ type: "text", text }] });

export function searches({ anthropic, responses, ...others }) {
  for (const [one, other] of [[anthropic, responses], [responses, anthropic], ...Object.values(others).flatMap((chat) => [[anthropic, chat], [responses, chat]])]) {
    const serve = () => {
      const first = one.serve([said("High.", { search }), said("Thank you.")]);
      return [first, other.serve([said("Low.", other.protocol === "chat" ? {} : { search })])];
    };

    test(`Claude's SDK from ${one.name} to ${other.name} and back`, async () => {
      const served = serve();
      const code = new ClaudeCode(one.url, "as it comes");
      const messages = [];
      const says = [];
      for (const { url } of [one, other, one]) {
        code.url = url;
        messages.push(user("The tide?"));
        const { content } = await code.side({ tools: [{ type: "web_search_20250305", name: "web_search" }, note], messages });
        messages.push({ role: "assistant", content });
        says.push(content.find(({ type }) => type === "text").text);
      }
      assert.deepEqual(says, ["High.", "Low.", "Thank you."]);
      for (const { refused } of served) assert.deepEqual(refused, []);
    });

    test(`Codex from ${one.name} to ${other.name} and back`, async () => {
      const served = serve();
      const codex = new Codex(one.url, "gpt-5.5");
      const says = [];
      for (const { url } of [one, other, one]) {
        codex.url = url;
        says.push(await codex.say("The tide?"));
      }
      assert.deepEqual(says, ["High.", "Low.", "Thank you."]);
      for (const { refused } of served) assert.deepEqual(refused, []);
    });
  }

  test(`Codex searches for tools at ${responses.name}, as it did before elsewhere`, async () => {
    const { refused } = responses.serve([said("Done.")]);
    const codex = new Codex(responses.url, "gpt-5.5");
    codex.input.push({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "el1:anthropic:t::sig" }, { role: "assistant", content: "Let me see." });
    const waits = { type: "function", name: "later", strict: false, parameters: { type: "object", properties: {} }, defer_loading: true };
    assert.equal(await codex.say("Go on.", { tools: [{ type: "tool_search" }, waits] }), "Done.", refused[0]);
  });
}
