// The page's view of this protocol: a question for "Try it", and what the events of its answers say. worker/page/views.mjs says what
// each export is. It imports nothing, since the page has it at another path.

// model is the one that clients most likely ask this vendor for.
export const model = "claude-opus-5-5";

export function question(model, text, { name, description, schema }) {
  const tools = [{ name, description, input_schema: schema }];
  return { model, max_tokens: 1024, stream: true, tools, messages: [{ role: "user", content: text }] };
}

const KINDS = { text_delta: "text", thinking_delta: "reasoning", input_json_delta: "args" };

export function eventOf(json, event) {
  const type = json.type ?? event;
  const { content_block: block, delta = {}, index } = json;
  switch (type) {
    case "content_block_start":
      return { type, kind: block.type === "tool_use" ? "call" : "", text: [block.type, block.name].filter(Boolean).join(" ") };
    case "content_block_delta":
      return { type: delta.type, kind: KINDS[delta.type] ?? "", key: `${delta.type} ${index}`, text: delta.text ?? delta.partial_json ?? delta.thinking ?? "" };
    case "message_delta":
      return { type, kind: "", text: `stop_reason ${delta.stop_reason}`, tokens: json.usage?.output_tokens };
  }
  return { type, kind: "", text: json.message?.model ?? "" };
}
