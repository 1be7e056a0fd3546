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
  ["max_output_tokens", "Most tokens of the answer", "number"],
  [
    "reasoning.effort",
    "Effort",
    ["none", "minimal", "low", "medium", "high", "xhigh"],
    "How much it reasons.",
  ],
  ["reasoning.summary", "Reasoning is shown", ["auto", "concise", "detailed"]],
  ["text.verbosity", "Length of the answer", ["low", "medium", "high"]],
  [
    "tool_choice",
    "Tools",
    [
      ["as it likes", "auto"],
      ["it has to call one", "required"],
      ["no call", "none"],
    ],
  ],
  ["parallel_tool_calls", "Several calls at a time", "flag"],
  ["max_tool_calls", "Most calls of hosted tools", "number"],
  ["store", "Store the response", "flag", "Here, where the endpoint stores responses; else at OpenAI."],
  ["previous_response_id", "The response that it goes on from", "line", "A stored one, by its id."],
  ["conversation", "Conversation", "line", "A stored one, by its id."],
  ["background", "In the background", "flag"],
  ["temperature", "Temperature", "number", "From 0, always the likeliest word, to 2."],
  ["top_p", "Likeliest words, by share", "number", "From 0 to 1."],
  ["top_logprobs", "Show how likely so many words were", "number"],
  [
    "truncation",
    "A conversation that is too long",
    [
      ["is cut in the middle", "auto"],
      ["is an error", "disabled"],
    ],
  ],
  ["service_tier", "Service tier", ["auto", "default", "flex", "priority"]],
  ["safety_identifier", "User", "line", "An id of yours, which says nothing of the person."],
  ["user", "User, by its older name", "line"],
  ["prompt_cache_key", "Key of the prompt cache", "line"],
  ["prompt_cache_retention", "Prompt cache is kept", ["in_memory", "24h"]],
  [
    "include",
    "What else the answer has",
    "list",
    "With commas between: reasoning.encrypted_content, message.output_text.logprobs, …",
  ],
  ["instructions", "System prompt", "text"],
  ["text.format", "Format of the answer", "json", 'As JSON: {"type":"json_object"}'],
  [
    "context_management",
    "When a long conversation is summarized",
    "json",
    'As JSON: [{"type":"compaction","compact_threshold":200000}]',
  ],
  ["prompt", "A prompt that OpenAI has stored", "json", 'As JSON: {"id":"pmpt_…"}'],
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
