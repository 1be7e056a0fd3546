// How the page shows this protocol. wasmtest/apis describes each export.

// model is the model that clients most likely ask for. anyModel: a server of this API may belong to
// any vendor, and not serve the default model.
export const model = "gpt-5.5";
export const anyModel = true;

export function question(model, text, { name, description, schema }) {
  const tools = [{ type: "function", function: { name, description, parameters: schema } }];
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    tools,
    messages: [{ role: "user", content: text }],
  };
}

// Further members of a request, beside those of question, as worker/page/tryit/asked.mjs shows
// them:
// https://developers.openai.com/api/reference/resources/chat/subresources/completions/methods/create
export const options = [
  ["max_completion_tokens", "Most tokens of the answer", "number"],
  ["max_tokens", "Most tokens, by its older name", "number"],
  [
    "reasoning_effort",
    "Effort",
    ["none", "minimal", "low", "medium", "high", "xhigh"],
    "How much it reasons.",
  ],
  ["verbosity", "Length of the answer", ["low", "medium", "high"]],
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
  ["store", "Store the answer", "flag", "At OpenAI."],
  ["temperature", "Temperature", "number", "From 0, always the likeliest word, to 2."],
  ["top_p", "Likeliest words, by share", "number", "From 0 to 1."],
  ["top_k", "Likeliest words, by number", "number", "Local servers take it, OpenAI does not."],
  ["frequency_penalty", "Penalty for frequent words", "number", "From -2 to 2."],
  ["presence_penalty", "Penalty for words that were said", "number", "From -2 to 2."],
  ["seed", "Seed", "number"],
  ["stop", "Texts at which it stops", "list", "With commas between."],
  ["n", "Answers", "number"],
  ["logprobs", "Show how likely each word was", "flag"],
  ["top_logprobs", "And so many others", "number"],
  ["service_tier", "Service tier", ["auto", "default", "flex", "priority"]],
  ["safety_identifier", "User", "line", "An id of yours, which says nothing of the person."],
  ["user", "User, by its older name", "line"],
  ["prompt_cache_key", "Key of the prompt cache", "line"],
  ["prompt_cache_retention", "Prompt cache is kept", ["in_memory", "24h"]],
  ["response_format", "Format of the answer", "json", 'As JSON: {"type":"json_object"}'],
  ["web_search_options", "Web search", "json", "As JSON: {}"],
  ["logit_bias", "Words that it prefers or avoids", "json", 'As JSON: {"50256":-100}'],
  [
    "prediction",
    "A text that the answer will be close to",
    "json",
    'As JSON: {"type":"content","content":"…"}',
  ],
  ["modalities", "Kinds of answers", "list", "With commas between."],
  ["audio", "Voice", "json", 'As JSON: {"voice":"alloy","format":"wav"}'],
  ["metadata", "Labels", "json", 'As JSON: {"for":"a test"}'],
];

export function eventOf({ choices = [], usage, object }) {
  const { delta = {}, finish_reason: reason } = choices[0] ?? {};
  const call = delta.tool_calls?.[0];
  if (call?.function?.name)
    return { type: "tool_calls", kind: "call", text: call.function.name + (call.function.arguments ?? "") };
  if (call)
    return {
      type: "tool_calls[].arguments",
      kind: "args",
      key: `args ${call.index}`,
      text: call.function?.arguments ?? "",
    };
  if (delta.content) return { type: "content", kind: "text", key: "content", text: delta.content };
  const thought = delta.reasoning_content ?? delta.reasoning;
  if (thought) return { type: "reasoning", kind: "reasoning", key: "reasoning", text: thought };
  if (reason) return { type: "finish_reason", kind: "", text: reason, tokens: usage?.completion_tokens };
  if (usage) return { type: "usage", kind: "", text: "", tokens: usage.completion_tokens };
  return delta.role
    ? { type: "role", kind: "", text: delta.role }
    : { type: object ?? "chunk", kind: "", key: "chunk", text: "" };
}
