// What one event of a stream says, for people: { type, kind, key, text }. Events of the same key are one thing that grows. kind
// is text, reasoning, call, args, bad, or "" for all that only frames these.
import { parse } from "./api.mjs";

export function eventOf(protocol, { event, data }) {
  const json = parse(data);
  if (json === null) return { type: data.slice(0, 80), kind: "", text: "" };
  if (json.error) return { type: event || "error", kind: "bad", text: json.error.message ?? data };
  return readers[protocol](json, event);
}

const readers = {
  anthropic(json, event) {
    const type = json.type ?? event;
    const { delta = {}, index } = json;
    switch (type) {
      case "content_block_start":
        return { type, kind: json.content_block.type === "tool_use" ? "call" : "", text: [json.content_block.type, json.content_block.name].filter(Boolean).join(" ") };
      case "content_block_delta":
        return { type: delta.type, kind: { text_delta: "text", thinking_delta: "reasoning", input_json_delta: "args" }[delta.type] ?? "", key: `${delta.type} ${index}`, text: delta.text ?? delta.partial_json ?? delta.thinking ?? "" };
      case "message_delta":
        return { type, kind: "", text: [`stop_reason ${delta.stop_reason}`, ...counted(json.usage?.output_tokens)].join(", ") };
    }
    return { type, kind: "", text: json.message?.model ?? "" };
  },

  chat({ choices = [], usage, object }) {
    const { delta = {}, finish_reason: reason } = choices[0] ?? {};
    const call = delta.tool_calls?.[0];
    if (call?.function?.name) return { type: "tool_calls", kind: "call", text: call.function.name + (call.function.arguments ?? "") };
    if (call) return { type: "tool_calls[].arguments", kind: "args", key: `args ${call.index}`, text: call.function?.arguments ?? "" };
    if (delta.content) return { type: "content", kind: "text", key: "content", text: delta.content };
    const thought = delta.reasoning_content ?? delta.reasoning;
    if (thought) return { type: "reasoning", kind: "reasoning", key: "reasoning", text: thought };
    if (reason) return { type: "finish_reason", kind: "", text: [reason, ...counted(usage?.completion_tokens)].join(", ") };
    if (usage) return { type: "usage", kind: "", text: counted(usage.completion_tokens).join() };
    return delta.role ? { type: "role", kind: "", text: delta.role } : { type: object ?? "chunk", kind: "", key: "chunk", text: "" };
  },

  responses({ type = "", delta, output_index: at, item, response, message }, event) {
    if (typeof delta === "string") {
      const kind = /arguments|custom_tool_call_input/.test(type) ? "args" : /reasoning/.test(type) ? "reasoning" : "text";
      return { type, kind, key: `${type} ${at}`, text: delta };
    }
    if (type === "error") return { type, kind: "bad", text: message ?? "" };
    if (type === "response.failed") return { type, kind: "bad", text: response?.error?.message ?? "" };
    if (type === "response.output_item.added") return { type, kind: item.type.endsWith("_call") ? "call" : "", text: [item.type, item.name].filter(Boolean).join(" ") };
    return { type: type || event, kind: "", text: type === "response.completed" ? counted(response?.usage?.output_tokens).join() : "" };
  },
};

const counted = (tokens) => (Number.isInteger(tokens) ? [`${tokens} output tokens`] : []);
