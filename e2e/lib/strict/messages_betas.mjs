// What the Messages API only takes with a beta header, and where messages of the system may stand.
import { refuse } from "./shape.mjs";

const inMessages = (has) => ({ messages }) => messages.some(has);
const inBlocks = (type) => inMessages(({ content }) => JSON.stringify(content).includes(`"type":"${type}"`));

const compacts = ({ context_management: { edits = [] } = {} }) => edits.some(({ type }) => type === "compact_20260112");

// gated has the members of a request that need a beta, with the beta's name.
const gated = [
  ["context_management", "context-management-2025-06-27", (r) => "context_management" in r && !compacts(r)],
  ["context_management", "compact-2026-01-12", (r) => compacts(r)],
  ["safeguards", "dangerous-tool-use-2026-09-03", (r) => "safeguards" in r],
  ["thinking.display", "thinking-display-updates-2026-08-18", (r) => r.thinking?.display === "updates"],
  ["thinking.block_binding", "thinking-binding-controls-2026-08-01", (r) => "block_binding" in (r.thinking ?? {})],
  ["messages.output_config", "per-turn-control-2026-07-01", inMessages((message) => "output_config" in message)],
  ["tools.defer_loading", "advanced-tool-use-2025-11-20", ({ tools = [] }) => tools.some((tool) => "defer_loading" in tool)],
  ["mcp_servers", "mcp-client-2025-11-20", (r) => "mcp_servers" in r],
  ["messages.content.tool_reference", "advanced-tool-use-2025-11-20", inBlocks("tool_reference")],
];

// betas refuses members whose beta the header does not name.
export function betas(body, { "anthropic-beta": names = "" } = {}) {
  const named = new Set(names.split(",").map((name) => name.trim()));
  for (const [path, beta, has] of gated) if (has(body) && !named.has(beta)) refuse(path, "Extra inputs are not permitted");
}

// isNewest reports whether a model decides itself how much it thinks, and takes messages of the system in a conversation.
export const isNewest = (model) => /^claude-(?:opus-4-8|[a-z]+-[5-9])/.test(model);

// system refuses messages of the system where the model does not take them (platform.claude.com/docs, "Mid-conversation system
// messages", "Limitations").
export function system({ model, messages }) {
  messages.forEach(({ role }, i) => {
    if (role !== "system") return;
    const path = `messages[${i}].role`;
    if (!isNewest(model)) refuse(path, "Input should be 'user' or 'assistant'");
    if (messages[i - 1]?.role !== "user") refuse(path, "a system message must immediately follow a user message");
    if (i < messages.length - 1 && messages[i + 1].role !== "assistant") refuse(path, "a system message must be the last one or be followed by the assistant's");
  });
}
