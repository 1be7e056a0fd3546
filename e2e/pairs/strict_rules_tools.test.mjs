// The rules of the strict upstreams of lib/strict for the tools and messages of Codex and Claude Code are tested themselves.
import * as chat from "../lib/strict/chat.mjs";
import * as messages from "../lib/strict/messages.mjs";
import * as responses from "../lib/strict/responses.mjs";
import { rules } from "../lib/strict/rules.mjs";
import { Issued } from "../lib/strict/vendor.mjs";

const schema = { type: "object", properties: {} };
const ephemeral = { type: "ephemeral" };
const betas = [
  "context-management-2025-06-27", "dangerous-tool-use-2026-09-03", "thinking-display-updates-2026-08-18", "per-turn-control-2026-07-01", "advanced-tool-use-2025-11-20",
];
const headers = { "anthropic-beta": betas.join(",") };

const claudeCode = () => ({
  model: "claude-opus-5-5",
  max_tokens: 4096,
  thinking: { type: "adaptive", display: "updates" },
  output_config: { effort: "medium" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  safeguards: [{ type: "dangerous_tool_use" }],
  messages: [
    { role: "user", content: "hi" },
    { role: "system", content: "# Environment", output_config: { effort: "medium" } },
    { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "ToolSearch", input: {} }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "tool_reference", tool_name: "WebFetch" }] }, { type: "text", text: "Tool loaded." }] },
    { role: "system", content: [{ type: "text", text: "A tool came.", cache_control: ephemeral }] },
  ],
  tools: [
    { name: "ToolSearch", input_schema: schema },
    { name: "WebFetch", input_schema: schema, defer_loading: true },
    { type: "web_search_20250305", name: "web_search", max_uses: 8 },
  ],
});

const system = { role: "system", content: "x" };
rules("anthropic, the newest models", messages, new Issued(), claudeCode, [
  ["the system first", (r) => r.messages.unshift(system), /first message must be the user's/],
  ["the system behind the system", (r) => r.messages.push(system), /last one or be followed by the assistant's/],
  ["the system behind the assistant", (r) => r.messages.splice(3, 2, system), /must immediately follow a user message/],
  ["the system in front of the user", (r) => r.messages.push({ role: "user", content: "x" }), /last one or be followed by the assistant's/],
  ["an image of the system's", (r) => (r.messages[1].content = [{ type: "image", source: {} }]), /unknown value "image"/],
  ["an empty message of the system's", (r) => (r.messages[1].content = ""), /must not be empty/],
  ["the system to an older model", (r) => (r.model = "claude-opus-4-7"), /Input should be 'user' or 'assistant'/],
  ["the system to a model that thinks within a budget", (r) => ((r.model = "claude-sonnet-4-5"), delete r.thinking, delete r.output_config), /Input should be 'user' or 'assistant'/],
  ["a budget", (r) => (r.thinking = { type: "enabled", budget_tokens: 1024 }), /enabled is not supported/],
  ["a temperature", (r) => (r.temperature = 1), /temperature: is deprecated/],
  ["a tool that was not offered", (r) => (r.messages[3].content[0].content[0].tool_name = "Other"), /Tool reference 'Other' not found/],
  ["tools that all wait", (r) => (r.tools = r.tools.slice(1, 2)), /All tools cannot be deferred/],
  ["a breakpoint on a tool that waits", (r) => (r.tools[1].cache_control = ephemeral), /cannot have both defer_loading=true and cache_control/],
  ["a strict tool with an open schema", (r) => (r.tools[0].strict = true), /additionalProperties/],
  ["a reference outside a result", (r) => (r.messages[0].content = [{ type: "tool_reference", tool_name: "WebFetch" }]), /unknown value "tool_reference"/],
  ["a search by another name", (r) => (r.tools[2].name = "WebSearch"), /must be one of web_search/],
  ["a search with a schema", (r) => (r.tools[2].input_schema = schema), /input_schema: unknown field/],
  ["both lists of domains", (r) => (r.tools[2].allowed_domains = r.tools[2].blocked_domains = ["a.com"]), /only one of/],
  ["a search of another vendor", (r) => (r.messages[2].content.unshift({ type: "server_tool_use", id: "ws_1", name: "web_search", input: {} })), /must match \/\^srvtoolu_/],
  ["a citation that nobody can read", (r) => (r.messages[0].content = [{ type: "text", text: "x", citations: [{ type: "web_search_result_location", cited_text: "", encrypted_index: "", title: "", url: "https://a.com/" }] }]), /encrypted_index: must not be empty/],
  ["edits of thinking without thinking", (r) => (r.thinking = { type: "disabled" }), /clear_thinking_20251015` strategy requires/],
  ["compaction without its beta", (r) => r.context_management.edits.push({ type: "compact_20260112" }), /context_management: Extra inputs/],
  ["hits that nobody can read", (r) => (r.messages[2].content.unshift({ type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ type: "web_search_result", title: "", url: "https://a.com/" }] })), /encrypted_content: required/],
], { headers });

// Without its beta each of these fields is unknown to the API.
for (const [field, path] of [
  ["context-management-2025-06-27", /context_management: Extra inputs/],
  ["dangerous-tool-use-2026-09-03", /safeguards: Extra inputs/],
  ["thinking-display-updates-2026-08-18", /thinking\.display: Extra inputs/],
  ["per-turn-control-2026-07-01", /messages\.output_config: Extra inputs/],
  ["advanced-tool-use-2025-11-20", /tools\.defer_loading: Extra inputs/],
]) {
  const others = { "anthropic-beta": betas.filter((beta) => beta !== field).join(", ") };
  const good = () => {
    const { context_management, safeguards, thinking, ...body } = claudeCode();
    return { ...body, messages: [body.messages[0]], tools: [body.tools[0]] };
  };
  rules(`anthropic without ${field}`, messages, new Issued(), good, [["what it allows", (r) => Object.assign(r, claudeCode()), path]], { headers: others });
}

const func = (name, more) => ({ type: "function", name, strict: false, parameters: schema, ...more });
const custom = (name) => ({ type: "custom", name, format: { type: "grammar", syntax: "lark", definition: "start: /.+/" } });
const issued = new Issued();
issued.note({ reasoning: [{ id: "rs_1", text: "", blob: "gAAA" }], calls: [{ id: "call_1" }] });
issued.note({ compaction: "gAAAcmp" });

rules(
  "responses, the tools of Codex",
  responses,
  issued,
  () => ({
    model: "gpt-5.5",
    store: false,
    reasoning: { effort: "low", context: "all_turns" },
    client_metadata: { session_id: "1" },
    tools: [func("exec"), custom("apply_patch"), { type: "namespace", name: "mcp__srv", description: "", tools: [func("echo")] }, { type: "tool_search", execution: "client", parameters: schema }, { type: "local_shell" }, { type: "web_search", external_web_access: true }],
    input: [
      { type: "compaction", encrypted_content: "gAAAcmp" },
      { type: "additional_tools", role: "developer", tools: [{ type: "namespace", name: "functions", description: "", tools: [custom("run")] }] },
      { type: "message", role: "developer", content: [{ type: "input_text", text: "x" }] },
      { type: "reasoning", id: "rs_1", summary: [], content: null, encrypted_content: "gAAA" },
      { type: "custom_tool_call", id: "ctc_1", call_id: "call_1", name: "apply_patch", input: "x", status: "completed" },
      { type: "tool_search_call", id: "tsc_1", call_id: "call_2", execution: "client", arguments: {}, status: "completed" },
      { type: "local_shell_call", id: "lsh_1", call_id: "call_3", status: "completed", action: { type: "exec", command: ["ls"], env: {} } },
      { type: "function_call", id: "fc_1", call_id: "call_4", namespace: "mcp__srv", name: "echo", arguments: "{}" },
      { type: "custom_tool_call_output", call_id: "call_1", output: "one" },
      { type: "tool_search_output", call_id: "call_2", execution: "client", status: "completed", tools: [{ type: "namespace", name: "mcp__w", description: "", tools: [func("now", { defer_loading: true })] }] },
      { type: "function_call_output", call_id: "call_3", output: "three" },
      { type: "function_call_output", call_id: "call_4", output: "four" },
    ],
  }),
  [
    ["a custom call answered as a function", (r) => (r.input[8].type = "function_call_output"), /no tool call found|second output/],
    ["a function answered as a custom call", (r) => (r.input[11].type = "custom_tool_call_output"), /second output for custom tool call output/],
    ["a custom call without an output", (r) => r.input.splice(8, 1), /No tool output found for custom tool call call_1/],
    ["a search for tools without an output", (r) => r.input.splice(9, 1), /No tool output found for tool search call call_2/],
    ["a shell without an output", (r) => r.input.splice(10, 1), /No tool output found for function call call_3/],
    ["a custom call's id", (r) => (r.input[4].id = "fc_2"), /must match \/\^ctc_/],
    ["a search's id", (r) => (r.input[5].id = "fc_2"), /must match \/\^tsc_/],
    ["a shell without an id", (r) => delete r.input[6].id, /id: required/],
    ["an input that is an object", (r) => (r.input[4].input = {}), /input: must be string/],
    ["a custom call without its reasoning", (r) => r.input.splice(3, 1), /required 'reasoning' item: 'rs_1'/],
    ["a namespace with a dot", (r) => (r.input[7].namespace = "mcp.srv"), /must match/],
    ["an empty namespace", (r) => (r.tools[2].tools = []), /at least 1/],
    ["a namespace without a description", (r) => delete r.tools[2].description, /description: required/],
    ["a function of a namespace twice", (r) => r.tools[2].tools.push(func("echo")), /tool names must be unique/],
    ["a grammar in Chat's form", (r) => (r.tools[1].format = { type: "grammar", grammar: { syntax: "lark", definition: "x" } }), /grammar: unknown field/],
    ["tools that wait without a search", (r) => (r.tools.splice(3, 1), (r.tools[0].defer_loading = true)), /Deferred tools require tools.tool_search/],
    ["a search by the server for nothing", (r) => delete r.tools[3].execution, /requires at least one deferred tool/],
    ["tools that a user brings", (r) => (r.input[1].role = "user"), /role: must be one of developer/],
    ["a foreign compaction", (r) => (r.input[0].encrypted_content = "x"), /compaction could not be verified/],
    ["a trigger in the middle", (r) => r.input.unshift({ type: "compaction_trigger" }), /must be the last item/],
    ["an unknown tool", (r) => r.tools.push({ type: "web_search_20250305", name: "web_search" }), /unknown value "web_search_20250305"/],
    ["a choice of an unknown custom tool", (r) => (r.tool_choice = { type: "custom", name: "run2" }), /'run2' not found/],
  ],
);

const chatCodex = (type, more) => () => ({
  model: "gpt-5.5",
  reasoning_effort: "none",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "hi" },
    { role: "assistant", content: null, tool_calls: [{ id: "call_1", type, [type]: { name: "patch", ...(type === "custom" ? { input: "x" } : { arguments: "{}" }) } }] },
    { role: "tool", tool_call_id: "call_1", content: "one" },
    { role: "user", content: "And?" },
  ],
  tools: [{ type, [type]: { name: "patch" } }],
  ...more,
});

rules("chat, OpenAI's own", chat, new Issued(), chatCodex("custom", { verbosity: "low", prompt_cache_key: "1", service_tier: "priority", safety_identifier: "u" }), [
  ["max_tokens", (r) => (r.max_tokens = 64), /max_tokens: Unsupported/],
  ["a temperature", (r) => (r.temperature = 0.5), /temperature: Unsupported/],
  ["stop", (r) => (r.stop = ["x"]), /stop: Unsupported/],
  ["tools and an effort", (r) => (r.reasoning_effort = "low"), /not supported in/],
  ["tools and no effort", (r) => delete r.reasoning_effort, /not supported in/],
  ["a grammar in Responses' form", (r) => (r.tools[0].custom.format = { type: "grammar", syntax: "lark", definition: "x" }), /syntax: unknown field/],
  ["an input that is an object", (r) => (r.messages[2].tool_calls[0].custom.input = {}), /must be string/],
  ["a flat custom tool", (r) => (r.tools[0] = { type: "custom", name: "patch" }), /name: unknown field/],
  ["a choice of an unknown custom tool", (r) => (r.tool_choice = { type: "custom", custom: { name: "other" } }), /'other' is not in/],
], { openAI: true });

rules("chat, of others", chat, new Issued(), chatCodex("function"), [
  ["a custom tool", (r) => (r.tools[0] = { type: "custom", custom: { name: "patch" } }), /must be function/],
  ["a custom call", (r) => (r.messages[2].tool_calls[0] = { id: "call_1", type: "custom", custom: { name: "patch", input: "x" } }), /must be one of a function/],
  ["verbosity", (r) => (r.verbosity = "low"), /verbosity: unknown/],
  ["a service tier", (r) => (r.service_tier = "auto"), /service_tier: unknown/],
  ["a safety identifier", (r) => (r.safety_identifier = "u"), /safety_identifier: unknown/],
  ["a key of the cache", (r) => (r.prompt_cache_key = "1"), /prompt_cache_key: unknown/],
  ["the system in the middle", (r) => (r.messages[4].role = "system"), /must be at the beginning/],
  ["the system twice", (r) => r.messages.unshift(r.messages[0]), /must be at the beginning/],
  ["a developer", (r) => (r.messages[0].role = "developer"), /must be at the beginning/],
  ["the user twice", (r) => r.messages.push({ role: "user", content: "Well?" }), /must alternate/],
  ["the assistant twice", (r) => r.messages.splice(2, 0, { role: "assistant", content: "So." }), /must alternate/],
]);
