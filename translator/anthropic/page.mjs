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
  ["max_tokens", "Most tokens of the answer", "number"],
  [
    "output_config.effort",
    "Effort",
    ["low", "medium", "high", "xhigh", "max"],
    "How much it thinks and says.",
  ],
  [
    "thinking",
    "Thinking",
    [
      ["as much as it needs", { type: "adaptive" }],
      ["as much as it needs, shown in short", { type: "adaptive", display: "summarized" }],
      ["up to 1,024 tokens", { type: "enabled", budget_tokens: 1024 }],
      ["off", { type: "disabled" }],
    ],
    "A limit has to be smaller than the most tokens.",
  ],
  [
    "tool_choice",
    "Tools",
    [
      ["as it likes", { type: "auto" }],
      ["as it likes, one call at a time", { type: "auto", disable_parallel_tool_use: true }],
      ["it has to call one", { type: "any" }],
      ["no call", { type: "none" }],
    ],
  ],
  ["temperature", "Temperature", "number", "From 0, always the likeliest word, to 1."],
  ["top_p", "Likeliest words, by share", "number", "From 0 to 1."],
  ["top_k", "Likeliest words, by number", "number"],
  ["stop_sequences", "Texts at which it stops", "list", "With commas between."],
  ["service_tier", "Service tier", ["auto", "standard_only"]],
  [
    "cache_control",
    "Prompt cache",
    [
      ["kept for 5 minutes", { type: "ephemeral" }],
      ["kept for an hour", { type: "ephemeral", ttl: "1h" }],
    ],
    "Up to the last block that can be kept.",
  ],
  ["metadata.user_id", "User", "line", "An id of yours, which says nothing of the person."],
  ["system", "System prompt", "text"],
  ["output_config.format", "Format of the answer", "json", 'As JSON: {"type":"json_schema","schema":{…}}'],
  ["mcp_servers", "MCP servers", "json", 'As JSON: [{"type":"url","name":"…","url":"https://…"}]'],
  [
    "context_management",
    "What is cleared of a long conversation",
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
