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
  ["generationConfig.maxOutputTokens", "Maximum output tokens", "number"],
  [
    "generationConfig.thinkingConfig.thinkingLevel",
    "Thinking",
    ["MINIMAL", "LOW", "MEDIUM", "HIGH"],
    "Since Gemini 3.",
  ],
  [
    "generationConfig.thinkingConfig.thinkingBudget",
    "Maximum thinking tokens",
    "number",
    "Before Gemini 3: 0 turns thinking off, -1 lets the model decide.",
  ],
  ["generationConfig.thinkingConfig.includeThoughts", "Show thoughts", "flag"],
  [
    "toolConfig.functionCallingConfig.mode",
    "Tools",
    modes,
    "AUTO lets the model decide, ANY requires a call.",
  ],
  ["generationConfig.temperature", "Temperature", "number", "From 0, the most predictable, to 2."],
  ["generationConfig.topP", "Top P", "number", "Nucleus sampling, from 0 to 1."],
  ["generationConfig.topK", "Top K", "number"],
  ["generationConfig.frequencyPenalty", "Frequency penalty", "number", "From -2 to 2."],
  ["generationConfig.presencePenalty", "Presence penalty", "number", "From -2 to 2."],
  ["generationConfig.seed", "Seed", "number"],
  ["generationConfig.stopSequences", "Stop sequences", "list", "Separated by commas."],
  ["generationConfig.candidateCount", "Number of answers", "number"],
  ["generationConfig.responseMimeType", "Response format", ["text/plain", "application/json"]],
  ["generationConfig.responseJsonSchema", "Response schema", "json", 'As JSON: {"type":"object"}'],
  ["generationConfig.responseLogprobs", "Log probabilities", "flag"],
  ["generationConfig.logprobs", "Top log probabilities", "number", "Alternatives for each token."],
  ["serviceTier", "Service tier", ["flex", "priority"]],
  ["systemInstruction", "System prompt", "json", 'As JSON: {"parts":[{"text":"…"}]}'],
  [
    "safetySettings",
    "Safety filters",
    "json",
    'As JSON: [{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}]',
  ],
];

export function eventOf({ candidates = [], usageMetadata: usage, promptFeedback: blocked }) {
  const { content, finishReason: reason } = candidates[0] ?? {};
  const { text, thought, functionCall: call, thoughtSignature: signature } = content?.parts?.[0] ?? {};
  const tokens = usage?.candidatesTokenCount;
  if (call) {
    const calls = content.parts.filter(({ functionCall }) => functionCall).map((part) => part.functionCall);
    const args = calls.map((each) => JSON.stringify(each.args ?? {}));
    return {
      type: "functionCall",
      kind: "call",
      text: calls.map(({ name }, i) => `${name} ${args[i]}`).join(", "),
      args: args.join("").length,
    };
  }
  if (text && thought) return { type: "thought", kind: "reasoning", key: "thought", text };
  if (text) return { type: "text", kind: "text", key: "text", text };
  if (reason) return { type: "finishReason", kind: "", text: reason, tokens };
  if (blocked) return { type: "promptFeedback", kind: "bad", text: blocked.blockReason ?? "" };
  return { type: signature ? "thoughtSignature" : "chunk", kind: "", key: "chunk", text: "" };
}
