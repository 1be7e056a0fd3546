// Reads a stream as Codex does: an item counts when it is done, and the answer when it is completed. Where Codex ignores what it
// does not understand, this throws.
import assert from "node:assert/strict";
import { parse } from "../sse.mjs";
import { anyObject, integer, list, nullable, object, oneOf, tagged, text } from "../shape.mjs";

// Failed is the end of a turn that Codex shows to its user, or answers with a new try.
export class Failed extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const filled = text({ filled: true });
const done = { id: filled, status: oneOf("completed") };
const called = { ...done, call_id: filled, name: filled, "namespace?": filled };

const items = tagged("type", {
  message: object({
    id: filled,
    status: oneOf("completed", "incomplete"),
    type: oneOf("message"),
    role: oneOf("assistant"),
    "phase?": oneOf("commentary", "final_answer"),
    content: list(
      tagged("type", {
        output_text: object({ type: oneOf("output_text"), text: text(), annotations: list(anyObject), "logprobs?": list(anyObject) }),
        refusal: object({ type: oneOf("refusal"), refusal: filled }),
      }),
      { min: 1 },
    ),
  }),
  reasoning: object({
    id: filled, "status?": oneOf("completed"), type: oneOf("reasoning"),
    summary: list(object({ type: oneOf("summary_text"), text: filled })), "content?": list(anyObject), "encrypted_content?": nullable(filled),
  }),
  function_call: object({ ...called, type: oneOf("function_call"), arguments: filled }),
  custom_tool_call: object({ ...called, type: oneOf("custom_tool_call"), input: text() }),
  tool_search_call: object({ ...done, type: oneOf("tool_search_call"), call_id: filled, execution: oneOf("client"), arguments: anyObject }),
  local_shell_call: object({
    ...done, type: oneOf("local_shell_call"), call_id: filled,
    action: object({ type: oneOf("exec"), command: list(text(), { min: 1 }), env: anyObject, "timeout_ms?": integer(1), "working_directory?": filled, "user?": filled }),
  }),
  web_search_call: object({ ...done, type: oneOf("web_search_call"), action: anyObject }),
  compaction: object({ id: filled, type: oneOf("compaction"), encrypted_content: filled }),
});

const count = integer(0);
const usage = object({
  input_tokens: count,
  input_tokens_details: object({ cached_tokens: count, "cache_write_tokens?": count }),
  output_tokens: count,
  output_tokens_details: object({ reasoning_tokens: count }),
  total_tokens: count,
});

// wholes has, for each kind of delta, the text of the item that is done to which its deltas must add up.
const wholes = {
  "response.output_text.delta": ({ content }, { content_index }) => content[content_index].text,
  "response.refusal.delta": ({ content }, { content_index }) => content[content_index].refusal,
  "response.reasoning_summary_text.delta": ({ summary }, { summary_index }) => summary[summary_index].text,
  "response.function_call_arguments.delta": (item) => item.arguments,
  "response.custom_tool_call_input.delta": ({ input }) => input,
};

// phases demands that each message says whether it ends the turn: Codex gives the phase back, and OpenAI's models want it.
function phases(list) {
  const calls = list.some(({ call_id }) => call_id !== undefined);
  list.forEach(({ type, phase }, i) => {
    const ends = !calls && !list.slice(i + 1).some((item) => item.type === "message");
    if (type === "message") assert.equal(phase, ends ? "final_answer" : "commentary", `the phase of item ${i}`);
  });
}

// read returns the items of a stream, and its usage.
export function read(body) {
  const read = [];
  const pieces = new Map(); // place of a text that comes in deltas -> { whole, text }
  let response = null;
  let end = null;
  parse(body).forEach((event, i) => {
    assert.equal(event.sequence_number, i, event.type);
    assert.equal(end, null, `${event.type} behind the end`);
    if (event.type in wholes) {
      const { type, item_id, output_index, content_index, summary_index } = event;
      assert.equal(output_index, read.length, `${type} of another item`);
      const key = [type, item_id, content_index, summary_index].join();
      const piece = pieces.get(key) ?? pieces.set(key, { event, text: "" }).get(key);
      piece.text += event.delta;
    }
    switch (event.type) {
      case "response.created":
        response = event.response;
        assert.ok(response.id);
        break;
      case "response.output_item.done":
        assert.equal(event.output_index, read.length);
        items(event.item, event.item.type);
        for (const { event: first, text } of pieces.values()) assert.equal(text, wholes[first.type](event.item, first), "the item is not what its pieces were");
        pieces.clear();
        read.push(event.item);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        end = event;
        assert.equal(event.response.id, response.id);
        assert.equal(event.type, `response.${event.response.status}`);
    }
  });
  if (!end) throw new Failed("cut", "stream disconnected before completion");
  const { response: whole } = end;
  if (end.type !== "response.completed") {
    assert.deepEqual(whole.output.slice(0, read.length), read);
    assert.notEqual(whole.output.at(-1)?.status, "completed", "what was cut is not complete");
    for (const { type, status } of whole.output.slice(read.length)) assert.match(`${type} ${status}`, /_call (?:incomplete|in_progress)$/);
  }
  if (end.type === "response.failed") throw new Failed(whole.error.code, whole.error.message);
  if (end.type === "response.incomplete") throw new Failed("incomplete", `Incomplete response returned, reason: ${whole.incomplete_details.reason}`);
  assert.deepEqual(whole.output, read);
  assert.ok(read.every(({ status = "completed" }) => status === "completed"));
  phases(read);
  usage(whole.usage, "usage");
  assert.equal(whole.usage.total_tokens, whole.usage.input_tokens + whole.usage.output_tokens);
  return { items: read, usage: whole.usage };
}
