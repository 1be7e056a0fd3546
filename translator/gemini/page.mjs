// How the page shows this protocol. wasmtest/apis describes each export.

// model is this vendor's model that clients most likely use.
export const model = "gemini-3.1-pro-preview";

export const pathOf = (model) => `/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`;

export function question(model, text, { name, description, schema }) {
  return {
    contents: [{ role: "user", parts: [{ text }] }],
    tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }],
  };
}

// Optional members of a request beside those of question, as worker/page/tryit/asked.mjs shows
// them: https://ai.google.dev/api/generate-content
const modes = ["AUTO", "ANY", "VALIDATED", "NONE"];
export const options = [
  ["generationConfig.maxOutputTokens", "Most tokens of the answer", "number"],
  [
    "generationConfig.thinkingConfig.thinkingLevel",
    "Thinking",
    ["MINIMAL", "LOW", "MEDIUM", "HIGH"],
    "Since Gemini 3.",
  ],
  [
    "generationConfig.thinkingConfig.thinkingBudget",
    "Most tokens of thinking",
    "number",
    "Before Gemini 3: 0 is none, -1 as many as it likes.",
  ],
  ["generationConfig.thinkingConfig.includeThoughts", "Show how it thinks", "flag"],
  ["toolConfig.functionCallingConfig.mode", "Tools", modes, "AUTO calls one where it likes, ANY has to."],
  ["generationConfig.temperature", "Temperature", "number", "From 0, always the likeliest word, to 2."],
  ["generationConfig.topP", "Likeliest words, by share", "number", "From 0 to 1."],
  ["generationConfig.topK", "Likeliest words, by number", "number"],
  ["generationConfig.frequencyPenalty", "Penalty for frequent words", "number", "From -2 to 2."],
  ["generationConfig.presencePenalty", "Penalty for words that were said", "number", "From -2 to 2."],
  ["generationConfig.seed", "Seed", "number"],
  ["generationConfig.stopSequences", "Texts at which it stops", "list", "With commas between."],
  ["generationConfig.candidateCount", "Answers", "number"],
  ["generationConfig.responseMimeType", "Format of the answer", ["text/plain", "application/json"]],
  ["generationConfig.responseJsonSchema", "Schema of that format", "json", 'As JSON: {"type":"object"}'],
  ["generationConfig.responseLogprobs", "Show how likely each word was", "flag"],
  ["generationConfig.logprobs", "And so many others", "number"],
  ["serviceTier", "Service tier", ["flex", "priority"]],
  ["systemInstruction", "System prompt", "json", 'As JSON: {"parts":[{"text":"…"}]}'],
  [
    "safetySettings",
    "Filters",
    "json",
    'As JSON: [{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]',
  ],
];

export function eventOf({ candidates = [], usageMetadata: usage, promptFeedback: blocked }) {
  const { content, finishReason: reason } = candidates[0] ?? {};
  const { text, thought, functionCall: call, thoughtSignature: signature } = content?.parts?.[0] ?? {};
  const tokens = usage?.candidatesTokenCount;
  if (call)
    return { type: "functionCall", kind: "call", text: `${call.name} ${JSON.stringify(call.args ?? {})}` };
  if (text && thought) return { type: "thought", kind: "reasoning", key: "thought", text };
  if (text) return { type: "text", kind: "text", key: "text", text };
  if (reason) return { type: "finishReason", kind: "", text: reason, tokens };
  if (blocked) return { type: "promptFeedback", kind: "bad", text: blocked.blockReason ?? "" };
  return { type: signature ? "thoughtSignature" : "chunk", kind: "", key: "chunk", text: "" };
}
