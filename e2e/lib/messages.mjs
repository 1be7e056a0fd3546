// Answers of a Messages upstream, and readers of the requests to the upstream.
import { spoken } from "./calls.mjs";

export const event = (type, value) => `event: ${type}\ndata: ${JSON.stringify({ type, ...value })}\n\n`;

// message returns the object of an answer: by default the empty one of message_start.
export const message = ({ id = "msg_1", model = "m", content = [], stop_reason = null, usage }) => ({
  id,
  type: "message",
  role: "assistant",
  model,
  content,
  stop_reason,
  stop_sequence: null,
  usage,
});

// play answers a request with a turn (lib/turns.mjs).
export function play(x, { reasoning = [], text, calls, usage }) {
  const blocks = reasoning.map(({ text, blob, redacted }) =>
    redacted
      ? { type: "redacted_thinking", data: blob }
      : { type: "thinking", thinking: text, signature: blob },
  );
  if (text !== "") blocks.push({ type: "text", text });
  const tools = offered(x.json);
  for (const call of calls) {
    const { id, name, input } = spoken(call, tools);
    blocks.push({ type: "tool_use", id, name, input });
  }
  const stop_reason = calls.length > 0 ? "tool_use" : "end_turn";
  const id = `msg_e2e_${x.json.messages.length}`; // an id that differs in each turn of a conversation
  const model = "upstream-model";
  const counted = (output_tokens) => ({
    input_tokens: usage.input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: usage.cached,
    output_tokens,
  });
  if (!x.json.stream)
    return x.answer(200, message({ id, model, content: blocks, stop_reason, usage: counted(usage.output) }));
  const begin = event("message_start", { message: message({ id, model, usage: counted(1) }) });
  const deltas = event("message_delta", {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output },
  });
  return x.stream([begin, ...blocks.flatMap(blockEvents), deltas, event("message_stop", {})]);
}

// offered returns the tools visible to the model. A tool with defer_loading is visible only if a
// tool_reference names the tool.
export function offered({ tools = [], messages }) {
  const found = new Set(JSON.stringify(messages).match(/(?<="tool_name":")[^"]*/g));
  const seen = tools.filter(
    ({ type = "custom", name, defer_loading }) => type === "custom" && (!defer_loading || found.has(name)),
  );
  return new Map(seen.map(({ name }) => [name, "function"]));
}

function blockEvents(block, index) {
  const delta = (delta) => event("content_block_delta", { index, delta });
  const start = (content_block) => event("content_block_start", { index, content_block });
  const stop = event("content_block_stop", { index });
  if (block.type === "text")
    return [
      start({ type: "text", text: "" }),
      ...halves(block.text).map((text) => delta({ type: "text_delta", text })),
      stop,
    ];
  if (block.type === "redacted_thinking") return [start(block), stop];
  if (block.type === "thinking") {
    const pieces = halves(block.thinking).map((thinking) => delta({ type: "thinking_delta", thinking }));
    return [
      start({ type: "thinking", thinking: "", signature: "" }),
      ...pieces,
      delta({ type: "signature_delta", signature: block.signature }),
      stop,
    ];
  }
  const pieces = halves(JSON.stringify(block.input)).map((partial_json) =>
    delta({ type: "input_json_delta", partial_json }),
  );
  return [start({ ...block, input: {} }), ...pieces, stop];
}

// halves cuts a text in two.
export const halves = (text) => [text.slice(0, text.length >> 1), text.slice(text.length >> 1)];

// read returns the content of a request in the terms of lib/turns.mjs.
export function read({ model, tools = [], tool_choice, messages }) {
  const blocks = messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
  return {
    model,
    tools: tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
    forced: tool_choice?.type === "tool" ? tool_choice.name : undefined,
    calls: blocks
      .filter(({ type }) => type === "tool_use")
      .map(({ id, name, input }) => ({ id, name, input })),
    results: blocks
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id: id, content }) => ({
        id,
        text: typeof content === "string" ? content : content.map(({ text }) => text).join(""),
      })),
  };
}

// failure returns the body of an error.
export const failure = (type, message) => ({ type: "error", error: { type, message } });
