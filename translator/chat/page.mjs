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
  ["max_completion_tokens", "Maximum output tokens", "number"],
  ["max_tokens", "Maximum output tokens (older name)", "number"],
  [
    "reasoning_effort",
    "Effort",
    ["none", "minimal", "low", "medium", "high", "xhigh"],
    "How much the model reasons.",
  ],
  ["verbosity", "Verbosity", ["low", "medium", "high"]],
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
  ["store", "Store the answer", "flag", "At OpenAI."],
  ["temperature", "Temperature", "number", "From 0, the most predictable, to 2."],
  ["top_p", "Top P", "number", "Nucleus sampling, from 0 to 1."],
  ["top_k", "Top K", "number", "For local servers; OpenAI does not support it."],
  ["frequency_penalty", "Frequency penalty", "number", "From -2 to 2."],
  ["presence_penalty", "Presence penalty", "number", "From -2 to 2."],
  ["seed", "Seed", "number"],
  ["stop", "Stop sequences", "list", "Separated by commas."],
  ["n", "Number of answers", "number"],
  ["logprobs", "Log probabilities", "flag"],
  ["top_logprobs", "Top log probabilities", "number", "Alternatives for each token."],
  ["service_tier", "Service tier", ["auto", "default", "flex", "priority"]],
  ["safety_identifier", "User", "line", "Your id for the user, without personal data."],
  ["user", "User (older name)", "line"],
  ["prompt_cache_key", "Prompt cache key", "line"],
  ["prompt_cache_retention", "Prompt cache retention", ["in_memory", "24h"]],
  ["response_format", "Response format", "json", 'As JSON: {"type":"json_object"}'],
  ["web_search_options", "Web search", "json", "As JSON: {}"],
  ["logit_bias", "Logit bias", "json", 'As JSON: {"50256":-100}'],
  ["prediction", "Predicted output", "json", 'As JSON: {"type":"content","content":"…"}'],
  ["modalities", "Output modalities", "list", "Separated by commas."],
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
