// The page's view of this protocol: a question for "Try it", and what the events of its answers say. worker/page/views.mjs says what
// each export is. It imports nothing, since the page has it at another path.

// model is the one that clients most likely ask this vendor for.
export const model = "gpt-5.5";

export function question(model, text, { name, description, schema }) {
  const tools = [{ type: "function", name, description, parameters: schema }];
  return { model, stream: true, tools, input: [{ role: "user", content: text }] };
}

export function eventOf({ type = "", delta, output_index: at, item, response, message }, event) {
  if (typeof delta === "string") {
    const kind = /arguments|custom_tool_call_input/.test(type) ? "args" : /reasoning/.test(type) ? "reasoning" : "text";
    return { type, kind, key: `${type} ${at}`, text: delta };
  }
  if (type === "error") return { type, kind: "bad", text: message ?? "" };
  if (type === "response.failed") return { type, kind: "bad", text: response?.error?.message ?? "" };
  if (type === "response.output_item.added") return { type, kind: item.type.endsWith("_call") ? "call" : "", text: [item.type, item.name].filter(Boolean).join(" ") };
  return { type: type || event, kind: "", text: "", tokens: type === "response.completed" ? response?.usage?.output_tokens : undefined };
}
