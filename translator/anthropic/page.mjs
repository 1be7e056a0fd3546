// How the page shows this protocol. wasmtest/apis describes each export.

// model is this vendor's model that clients most likely use.
export const model = "claude-opus-5-5";

export function question(model, text, { name, description, schema }) {
  const tools = [{ name, description, input_schema: schema }];
  return { model, max_tokens: 1024, stream: true, tools, messages: [{ role: "user", content: text }] };
}

// Optional members of a request beside those of question, as worker/page/tryit/asked.mjs shows
// them: https://platform.claude.com/docs/en/api/messages/create
export const options = [
  ["max_tokens", "Maximum output tokens", "number"],
  [
    "output_config.effort",
    "Effort",
    ["low", "medium", "high", "xhigh", "max"],
    "How much the model thinks and writes.",
  ],
  [
    "thinking",
    "Thinking",
    [
      ["adaptive", { type: "adaptive" }],
      ["adaptive, with summaries", { type: "adaptive", display: "summarized" }],
      ["up to 1,024 tokens", { type: "enabled", budget_tokens: 1024 }],
      ["off", { type: "disabled" }],
    ],
    "A limit must be smaller than the maximum output tokens.",
  ],
  [
    "tool_choice",
    "Tools",
    [
      ["automatic", { type: "auto" }],
      ["automatic, one call at a time", { type: "auto", disable_parallel_tool_use: true }],
      ["a call is required", { type: "any" }],
      ["no calls", { type: "none" }],
    ],
  ],
  ["temperature", "Temperature", "number", "From 0, the most predictable, to 1."],
  ["top_p", "Top P", "number", "Nucleus sampling, from 0 to 1."],
  ["top_k", "Top K", "number"],
  ["stop_sequences", "Stop sequences", "list", "Separated by commas."],
  ["service_tier", "Service tier", ["auto", "standard_only"]],
  [
    "cache_control",
    "Prompt cache",
    [
      ["cached for 5 minutes", { type: "ephemeral" }],
      ["cached for an hour", { type: "ephemeral", ttl: "1h" }],
    ],
    "Up to the last block that can be cached.",
  ],
  ["metadata.user_id", "User", "line", "Your id for the user, without personal data."],
  ["system", "System prompt", "text"],
  ["output_config.format", "Response format", "json", 'As JSON: {"type":"json_schema","schema":{…}}'],
  ["mcp_servers", "MCP servers", "json", 'As JSON: [{"type":"url","name":"…","url":"https://…"}]'],
  [
    "context_management",
    "Context editing",
    "json",
    'As JSON: {"edits":[{"type":"clear_tool_uses_20250919"}]}',
  ],
];

const KINDS = { text_delta: "text", thinking_delta: "reasoning", input_json_delta: "args" };

export function eventOf(json, event) {
  const type = json.type ?? event;
  const { content_block: block, delta = {}, index } = json;
  switch (type) {
    case "content_block_start":
      return {
        type,
        kind: block.type === "tool_use" ? "call" : "",
        text: [block.type, block.name].filter(Boolean).join(" "),
      };
    case "content_block_delta":
      return {
        type: delta.type,
        kind: KINDS[delta.type] ?? "",
        key: `${delta.type} ${index}`,
        text: delta.text ?? delta.partial_json ?? delta.thinking ?? "",
      };
    case "message_delta":
      return { type, kind: "", text: `stop_reason ${delta.stop_reason}`, tokens: json.usage?.output_tokens };
  }
  return { type, kind: "", text: json.message?.model ?? "" };
}
