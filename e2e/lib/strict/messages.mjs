// The requests that Anthropic's Messages API refuses (platform.claude.com/docs, "Create a Message", and errors that the API has
// answered with).
import { betas, isNewest, system } from "./messages_betas.mjs";
import { cacheControl, cached, server, servers, tool, toolName, tools } from "./messages_tools.mjs";
import {
  anyObject, anything, base64, boolean, closed, either, integer, list, notAnthropic, nullable, number, object, oneOf, refuse, rootObject, tagged, told,
  text, unique, webURL,
} from "./shape.mjs";

const toolID = text({ pattern: /^[a-zA-Z0-9_-]+$/ });
const filled = text({ filled: true });

const citation = tagged("type", {
  web_search_result_location: object({ type: oneOf("web_search_result_location"), cited_text: text(), encrypted_index: filled, title: nullable(text()), url: webURL }),
});
const textBlock = object({ type: oneOf("text"), text: filled, "citations?": nullable(list(citation)), ...cached });
const image = object({
  type: oneOf("image"),
  source: tagged("type", {
    base64: object({ type: oneOf("base64"), media_type: oneOf("image/jpeg", "image/png", "image/gif", "image/webp"), data: base64 }),
    url: object({ type: oneOf("url"), url: webURL }),
    file: object({ type: oneOf("file"), file_id: filled }),
  }),
  ...cached,
});
const pdf = object({
  type: oneOf("document"),
  source: tagged("type", {
    base64: object({ type: oneOf("base64"), media_type: oneOf("application/pdf"), data: base64 }),
    text: object({ type: oneOf("text"), media_type: oneOf("text/plain"), data: filled }),
    url: object({ type: oneOf("url"), url: webURL }),
    file: object({ type: oneOf("file"), file_id: filled }),
  }),
  "title?": nullable(text()),
  "context?": nullable(text()),
  "citations?": nullable(object({ enabled: boolean })),
  ...cached,
});
const reference = object({ type: oneOf("tool_reference"), tool_name: toolName });
const toolResult = object({
  type: oneOf("tool_result"),
  tool_use_id: toolID,
  "content?": either(text(), list(tagged("type", { text: textBlock, image, document: pdf, tool_reference: reference }))),
  "is_error?": boolean,
  ...cached,
});
const toolUse = object({ type: oneOf("tool_use"), id: toolID, name: toolName, input: anyObject, "caller?": anyObject, ...cached });
const thinking = object({ type: oneOf("thinking"), thinking: text(), signature: filled });
const redacted = object({ type: oneOf("redacted_thinking"), data: filled });

const effort = oneOf("low", "medium", "high", "xhigh", "max");

// searched are the shapes of the blocks of a search that the API has run. Only the API can read what it found.
const hit = object({ type: oneOf("web_search_result"), title: text(), url: webURL, encrypted_content: filled, "page_age?": nullable(text()) });
const searched = {
  server_tool_use: object({ type: oneOf("server_tool_use"), id: text({ pattern: /^srvtoolu_[a-zA-Z0-9_]+$/ }), name: oneOf("web_search", "tool_search_tool_bm25", "tool_search_tool_regex"), input: anyObject, ...cached }),
  tool_search_tool_result: object({
    type: oneOf("tool_search_tool_result"), tool_use_id: text({ pattern: /^srvtoolu_/ }), ...cached,
    content: tagged("type", { tool_search_tool_search_result: object({ type: oneOf("tool_search_tool_search_result"), tool_references: list(reference) }) }),
  }),
  mcp_tool_use: object({ type: oneOf("mcp_tool_use"), id: text({ pattern: /^mcptoolu_[a-zA-Z0-9_]+$/ }), name: filled, server_name: filled, input: anyObject, ...cached }),
  mcp_tool_result: object({ type: oneOf("mcp_tool_result"), tool_use_id: text({ pattern: /^mcptoolu_/ }), is_error: boolean, content: list(textBlock), ...cached }),
  web_search_tool_result: object({ type: oneOf("web_search_tool_result"), tool_use_id: text({ pattern: /^srvtoolu_/ }), content: list(hit), ...cached }),
};
const message = tagged("role", {
  user: object({ role: oneOf("user"), content: either(filled, list(tagged("type", { text: textBlock, image, document: pdf, tool_result: toolResult }), { min: 1 })) }),
  assistant: object({
    role: oneOf("assistant"),
    content: either(filled, list(tagged("type", { text: textBlock, tool_use: toolUse, thinking, redacted_thinking: redacted, ...searched }), { min: 1 })),
  }),
  system: object({
    role: oneOf("system"), content: either(filled, list(tagged("type", { text: textBlock }), { min: 1 })), "output_config?": object({ "effort?": effort }), "clear_at?": oneOf("never", "next_user_message"),
  }),
});

const choice = tagged("type", {
  auto: object({ type: oneOf("auto"), "disable_parallel_tool_use?": boolean }),
  any: object({ type: oneOf("any"), "disable_parallel_tool_use?": boolean }),
  tool: object({ type: oneOf("tool"), name: toolName, "disable_parallel_tool_use?": boolean }),
  none: object({ type: oneOf("none") }),
});

const request = object({
  model: filled,
  max_tokens: integer(1, 128_000),
  messages: list(message, { min: 1 }),
  "system?": either(text(), list(textBlock)),
  "tools?": list(tool),
  "mcp_servers?": list(server),
  "tool_choice?": choice,
  "thinking?": tagged("type", {
    enabled: object({ type: oneOf("enabled"), budget_tokens: integer(1024), "display?": text() }),
    adaptive: object({ type: oneOf("adaptive"), "display?": text(), "block_binding?": object({ prefix_mismatch_behavior: oneOf("error", "drop_block", "allow") }) }),
    disabled: object({ type: oneOf("disabled") }),
  }),
  "output_config?": object({
    "effort?": effort,
    "format?": object({ type: oneOf("json_schema"), schema: (schema, path) => (rootObject(schema, path), closed(schema, path, { all: false }), told(schema, path, notAnthropic)) }),
  }),
  "stop_sequences?": list(filled),
  "stream?": boolean,
  "temperature?": number(0, 1),
  "top_p?": number(0, 1),
  "top_k?": integer(0),
  "metadata?": object({ "user_id?": nullable(text({ max: 256 })) }),
  "service_tier?": oneOf("auto", "standard_only"),
  "cache_control?": cacheControl,
  "context_management?": object({ edits: list(anyObject) }),
  "safeguards?": list(anything),
});

const blocksOf = ({ content }) => (typeof content === "string" ? [{ type: "text", text: content }] : content);

// check refuses a request by throwing. issued is what this upstream has signed (lib/strict/vendor.mjs).
export function check(body, issued, { headers } = {}) {
  if ("thread" in body) refuse("thread", "threads are not supported");
  request(body, "");
  betas(body, headers);
  const { messages } = body;
  if (messages[0].role !== "user") refuse("messages[0].role", "the first message must be the user's");
  if ((JSON.stringify(body).match(/"cache_control":\{/g) ?? []).length > 4) refuse("", "a maximum of 4 blocks with cache_control may be provided");
  system(body);
  tools(body);
  servers(body);
  calls(messages.filter(({ role }) => role !== "system"), body.tools ?? []);
  signatures(messages, issued);
  generation(body, headers);
  if (["enabled", "adaptive"].includes(body.thinking?.type)) thoughtful(body, issued);
  else if (JSON.stringify(body.context_management ?? null).includes("clear_thinking_20251015")) {
    refuse("context_management", "`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive");
  }
  const last = messages.at(-1);
  if (last.role === "assistant" && /\s$/.test(blocksOf(last).at(-1).text ?? "")) refuse("messages", "final assistant content cannot end with trailing whitespace");
}

// generation refuses what the request's model does not know: models up to 4.5 think within a budget, those from 4.7 on decide
// themselves. To these the version 2023-06-01 of the API takes a temperature of 1, the default, which Copilot CLI 1.0.102 and Grok Build
// 1.0.41 send ("non-default" values are refused: "What's new in Claude Opus 4.7").
function generation({ model, thinking, output_config, ...body }, { "anthropic-version": version } = {}) {
  const usual = (name) => version === "2023-06-01" && name === "temperature" && body.temperature === 1;
  if (/-4-5$/.test(model)) {
    if (thinking?.type === "adaptive") refuse("thinking.type", "adaptive thinking is not supported on this model");
    if (output_config?.effort) refuse("output_config.effort", "This model does not support the effort parameter");
  }
  if (/-4-7$/.test(model) || isNewest(model)) {
    if (thinking?.type === "enabled") refuse("thinking.type", "enabled is not supported on this model");
    for (const name of ["temperature", "top_p", "top_k"]) if (name in body && !usual(name)) refuse(name, "is deprecated for this model");
  }
}

// calls demands that each tool_use has its result at the beginning of the next message, and that each result has a tool_use in
// the message before.
function calls(messages, tools) {
  const isNew = unique("`tool_use` ids");
  let open = [];
  messages.forEach((message, i) => {
    const path = `messages[${i}]`;
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => tool_use_id);
    const orphan = results.find((id) => !open.includes(id));
    if (orphan) refuse(path, `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}`);
    results.forEach((id, k) => results.indexOf(id) === k || refuse(path, `each tool_use must have a single result: ${id}`));
    const unanswered = open.find((id) => !results.includes(id));
    if (unanswered) refuse(path, `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered}`);
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result")) refuse(path, "`tool_result` blocks must come first");
    const made = blocks.filter(({ type }) => type === "tool_use");
    made.forEach(({ id }) => isNew(id, path));
    if (made.length > 0 && tools.length === 0) refuse("tools", "requests which include `tool_use` blocks must define tools");
    open = made.map(({ id }) => id);
  });
  if (open.length > 0) refuse(`messages[${messages.length - 1}]`, `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open[0]}`);
}

function signatures(messages, issued) {
  messages.forEach((message, i) =>
    blocksOf(message).forEach((block, k) => {
      const path = `messages[${i}].content[${k}]`;
      if (block.type === "thinking" && issued.blobs.get(block.signature) !== block.thinking) refuse(path, "Invalid `signature` in `thinking` block");
      if (block.type === "redacted_thinking" && !issued.blobs.has(block.data)) refuse(path, "Invalid `data` in `redacted_thinking` block");
    }),
  );
}

// thoughtful refuses what thinking excludes, and a turn without the thinking blocks that stood in front of its calls. With a
// budget, a turn with calls must begin with a thinking block.
function thoughtful({ messages, tool_choice, thinking, temperature, top_k, top_p, max_tokens }, issued) {
  if (["any", "tool"].includes(tool_choice?.type)) refuse("tool_choice", "Thinking may not be enabled when tool_choice forces tool use");
  if (temperature !== undefined && temperature !== 1) refuse("temperature", "may only be set to 1 when thinking is enabled");
  if (top_k !== undefined) refuse("top_k", "must be unset when thinking is enabled");
  if (top_p !== undefined && top_p < 0.95) refuse("top_p", "must be at least 0.95 when thinking is enabled");
  if (messages.at(-1).role === "assistant") refuse("messages", "the beginning of the answer can't be given when thinking is enabled");
  messages.forEach((message, i) => {
    const blocks = blocksOf(message);
    for (const { blob } of blocks.flatMap(({ type, id }) => (type === "tool_use" ? issued.before.get(id) ?? [] : []))) {
      const back = blocks.some(({ signature, data }) => blob === (signature ?? data));
      if (!back) refuse(`messages[${i}].content`, "`thinking` or `redacted_thinking` blocks must remain as they were in the original response");
    }
  });
  if (thinking.type !== "enabled") return;
  if (thinking.budget_tokens >= max_tokens) refuse("max_tokens", "must be greater than `thinking.budget_tokens`");
  const turn = messages.findLast(({ role }) => role === "assistant");
  const blocks = turn ? blocksOf(turn) : [];
  if (blocksOf(messages.at(-1)).some(({ type }) => type === "tool_result") && !/thinking$/.test(blocks[0].type)) {
    refuse(`messages[${messages.indexOf(turn)}].content[0].type`, `Expected \`thinking\` or \`redacted_thinking\`, but found \`${blocks[0].type}\``);
  }
}

// refusal returns the body of the 400. With these details the SDK's tool runner sends whole conversations instead of a thread.
export const refusal = ({ message, path }) => ({
  type: "error",
  error: {
    type: "invalid_request_error",
    message,
    ...(path === "thread" && { details: { error_code: "thread_unsupported_request", unsupported: ["thread"] } }),
  },
});
