// How the page shows this protocol. wasmtest/apis describes each export.

// model is the model most likely requested from this vendor.
export const model = "gpt-5.5";

export function question(model, text, { name, description, schema }) {
  const tools = [{ type: "function", name, description, parameters: schema }];
  return { model, stream: true, tools, input: [{ role: "user", content: text }] };
}

// Optional members of a request, in addition to question's, in the form of
// worker/page/tryit/asked.mjs:
// https://developers.openai.com/api/reference/resources/responses/methods/create
export const options = [
  ["max_output_tokens", "Maximum output tokens", "number"],
  [
    "reasoning.effort",
    "Effort",
    ["none", "minimal", "low", "medium", "high", "xhigh"],
    "How much the model reasons.",
  ],
  ["reasoning.summary", "Reasoning summary", ["auto", "concise", "detailed"]],
  ["text.verbosity", "Verbosity", ["low", "medium", "high"]],
  [
    "tool_choice",
    "Tools",
    [
      ["automatic", "auto"],
      ["a call is required", "required"],
      ["no calls", "none"],
    ],
  ],
  ["parallel_tool_calls", "Parallel tool calls", "flag"],
  ["max_tool_calls", "Maximum calls of hosted tools", "number"],
  ["store", "Store the response", "flag", "Here if the endpoint stores responses, otherwise at OpenAI."],
  ["previous_response_id", "Previous response", "line", "The id of a stored response."],
  ["conversation", "Conversation", "line", "The id of a stored conversation."],
  ["background", "Background", "flag"],
  ["temperature", "Temperature", "number", "From 0, the most predictable, to 2."],
  ["top_p", "Top P", "number", "Nucleus sampling, from 0 to 1."],
  ["top_logprobs", "Top log probabilities", "number", "Alternatives for each token."],
  [
    "truncation",
    "If the conversation is too long",
    [
      ["cut it in the middle", "auto"],
      ["return an error", "disabled"],
    ],
  ],
  ["service_tier", "Service tier", ["auto", "default", "flex", "priority"]],
  ["safety_identifier", "User", "line", "Your id for the user, without personal data."],
  ["user", "User (older name)", "line"],
  ["prompt_cache_key", "Prompt cache key", "line"],
  ["prompt_cache_retention", "Prompt cache retention", ["in_memory", "24h"]],
  [
    "include",
    "Additional output",
    "list",
    "Separated by commas: reasoning.encrypted_content, message.output_text.logprobs, …",
  ],
  ["instructions", "System prompt", "text"],
  ["text.format", "Response format", "json", 'As JSON: {"type":"json_object"}'],
  ["context_management", "Compaction", "json", 'As JSON: [{"type":"compaction","compact_threshold":200000}]'],
  ["prompt", "Prompt stored at OpenAI", "json", 'As JSON: {"id":"pmpt_…"}'],
  ["metadata", "Labels", "json", 'As JSON: {"for":"a test"}'],
];

export function eventOf({ type = "", delta, output_index: at, item, response, message }, event) {
  if (typeof delta === "string") {
    const kind = /arguments|custom_tool_call_input/.test(type)
      ? "args"
      : /reasoning/.test(type)
        ? "reasoning"
        : "text";
    return { type, kind, key: `${type} ${at}`, text: delta };
  }
  if (type === "error") return { type, kind: "bad", text: message ?? "" };
  if (type === "response.failed") return { type, kind: "bad", text: response?.error?.message ?? "" };
  if (type === "response.output_item.added")
    return {
      type,
      kind: item.type.endsWith("_call") ? "call" : "",
      text: [item.type, item.name].filter(Boolean).join(" "),
    };
  return {
    type: type || event,
    kind: "",
    text: "",
    tokens: type === "response.completed" ? response?.usage?.output_tokens : undefined,
  };
}
