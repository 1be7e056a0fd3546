// The page's view of this protocol: a question for "Try it", and what the events of its answers say. worker/page/views.mjs says what
// each export is. It imports nothing, since the page has it at another path.

// model is the one that clients most likely ask for. anyModel: a server of this API may be any vendor's, and not serve that model.
export const model = "gpt-5.5";
export const anyModel = true;

export function question(model, text, { name, description, schema }) {
  const tools = [{ type: "function", function: { name, description, parameters: schema } }];
  return { model, stream: true, stream_options: { include_usage: true }, tools, messages: [{ role: "user", content: text }] };
}

export function eventOf({ choices = [], usage, object }) {
  const { delta = {}, finish_reason: reason } = choices[0] ?? {};
  const call = delta.tool_calls?.[0];
  if (call?.function?.name) return { type: "tool_calls", kind: "call", text: call.function.name + (call.function.arguments ?? "") };
  if (call) return { type: "tool_calls[].arguments", kind: "args", key: `args ${call.index}`, text: call.function?.arguments ?? "" };
  if (delta.content) return { type: "content", kind: "text", key: "content", text: delta.content };
  const thought = delta.reasoning_content ?? delta.reasoning;
  if (thought) return { type: "reasoning", kind: "reasoning", key: "reasoning", text: thought };
  if (reason) return { type: "finish_reason", kind: "", text: reason, tokens: usage?.completion_tokens };
  if (usage) return { type: "usage", kind: "", text: "", tokens: usage.completion_tokens };
  return delta.role ? { type: "role", kind: "", text: delta.role } : { type: object ?? "chunk", kind: "", key: "chunk", text: "" };
}
