// How the page shows this protocol. wasmtest/apis describes each export.

// model is this vendor's model that clients most likely use.
export const model = "gemini-3.1-pro-preview";

export function question(model, text, { name, description, schema }) {
  return {
    model,
    stream: true,
    input: text,
    tools: [{ type: "function", name, description, parameters: schema }],
  };
}

// Optional members of a request beside those of question, as worker/page/tryit/asked.mjs shows
// them: CreateModelInteraction of @google/genai
const modes = ["auto", "any", "validated", "none"];
export const options = [
  ["generation_config.max_output_tokens", "Maximum output tokens", "number"],
  ["generation_config.thinking_level", "Thinking", ["minimal", "low", "medium", "high"], "Since Gemini 3."],
  ["generation_config.thinking_summaries", "Show thoughts", ["auto", "none"]],
  ["generation_config.tool_choice", "Tools", modes, "auto lets the model decide, any requires a call."],
  ["generation_config.temperature", "Temperature", "number", "From 0, the most predictable, to 2."],
  ["generation_config.top_p", "Top P", "number", "Nucleus sampling, from 0 to 1."],
  ["generation_config.seed", "Seed", "number"],
  ["generation_config.stop_sequences", "Stop sequences", "list", "Separated by commas."],
  ["system_instruction", "System prompt", "text"],
  ["response_format", "Response format", "json", 'As JSON: {"type":"text","mime_type":"application/json"}'],
  ["service_tier", "Service tier", ["standard", "flex", "priority"]],
  ["store", "Store", "flag"],
  ["previous_interaction_id", "Previous interaction", "line"],
];

export function eventOf({ event_type: type = "", index, step, delta, interaction }, event) {
  const { text, content, arguments: args } = delta ?? {};
  const key = `${delta?.type} ${index}`;
  if (typeof text === "string") return { type: delta.type, kind: "text", key, text };
  if (typeof args === "string") return { type: delta.type, kind: "args", key, text: args };
  if (typeof content?.text === "string")
    return { type: delta.type, kind: "reasoning", key, text: content.text };
  if (step)
    return {
      type: type || event,
      kind: step.type.endsWith("_call") ? "call" : "",
      text: [step.type, step.name].filter(Boolean).join(" "),
    };
  return {
    type: delta?.type ?? (type || event),
    kind: interaction?.status === "failed" ? "bad" : "",
    text: type === "interaction.completed" ? interaction?.status : "",
    tokens: interaction?.usage?.total_output_tokens,
  };
}
