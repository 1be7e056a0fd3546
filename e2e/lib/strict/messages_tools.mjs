// The tools that Anthropic's Messages API takes.
import { anyObject, boolean, closed, draft, integer, list, notAnthropic, nullable, object, oneOf, refuse, rootObject, text, told, unique } from "./shape.mjs";

export const cacheControl = object({ type: oneOf("ephemeral"), "ttl?": oneOf("5m", "1h") });
export const cached = { "cache_control?": nullable(cacheControl) };
export const toolName = text({ pattern: /^[a-zA-Z0-9_-]{1,128}$/ });

const loosely = (schema, path) => (rootObject(schema, path), draft(schema, path));
const strictly = (schema, path) => (loosely(schema, path), closed(schema, path, { all: false }), told(schema, path, notAnthropic));
const custom = (value, path) =>
  object({
    "type?": oneOf("custom"), name: toolName, "description?": text(), input_schema: value?.strict ? strictly : loosely, "strict?": boolean,
    "eager_input_streaming?": boolean, "defer_loading?": boolean, ...cached,
  })(value, path);

const domains = list(text({ filled: true }));
const search = (value, path) => {
  object({
    type: oneOf("web_search_20250305"), name: oneOf("web_search"), "max_uses?": integer(1), "allowed_domains?": domains, "blocked_domains?": domains,
    "user_location?": object({ type: oneOf("approximate"), "city?": text(), "region?": text(), "country?": text(), "timezone?": text() }), ...cached,
  })(value, path);
  if (value.allowed_domains && value.blocked_domains) refuse(path, "only one of `allowed_domains` and `blocked_domains` can be specified");
};

const searchTools = object({ type: oneOf("tool_search_tool_bm25_20251119", "tool_search_tool_regex_20251119"), name: oneOf("tool_search_tool_bm25", "tool_search_tool_regex"), ...cached });
const enabled = object({ "enabled?": boolean, "defer_loading?": boolean });
const toolset = object({ type: oneOf("mcp_toolset"), mcp_server_name: text({ filled: true }), "default_config?": enabled, "configs?": anyObject, ...cached });
const shapeOf = (type) => (/^web_search/.test(type) ? search : /^tool_search_tool/.test(type) ? searchTools : type === "mcp_toolset" ? toolset : custom);

export const tool = (value, path) => shapeOf(value?.type)(value, path);
export const server = object({ type: oneOf("url"), name: text({ filled: true }), url: text({ pattern: /^https:\/\// }), "authorization_token?": text({ filled: true }) });

// servers demands that each MCP server is named by one toolset, and each toolset names a server.
export function servers({ tools = [], mcp_servers = [] }) {
  const named = tools.filter(({ type }) => type === "mcp_toolset").map(({ mcp_server_name }) => mcp_server_name);
  for (const { name } of mcp_servers) if (named.filter((one) => one === name).length !== 1) refuse("mcp_servers", `'${name}' must be referenced by exactly one MCPToolset`);
  for (const name of named) if (!mcp_servers.some((one) => one.name === name)) refuse("tools", `MCP server '${name}' not found in mcp_servers`);
}

// tools checks the tools of a request, and references in results to those that are deferred.
export function tools({ tools = [], tool_choice, messages }) {
  const isNew = unique("tool names");
  tools.forEach(({ name, mcp_server_name }, i) => isNew(name ?? `mcp:${mcp_server_name}`, `tools[${i}].name`));
  if (tool_choice && tools.length === 0) refuse("tool_choice", "may only be specified while providing tools");
  if (tool_choice?.type === "tool" && !tools.some(({ name }) => name === tool_choice.name)) refuse("tool_choice.name", `tool '${tool_choice.name}' not found in provided tools`);
  const both = tools.find(({ defer_loading, cache_control }) => defer_loading && cache_control);
  if (both) refuse("", `Tool '${both.name}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.`);
  if (tools.length > 0 && tools.every(({ defer_loading }) => defer_loading)) refuse("", "At least one tool must have defer_loading=false. All tools cannot be deferred.");
  for (const [, name] of JSON.stringify(messages).matchAll(/"type":"tool_reference","tool_name":"([^"]*)"/g)) {
    if (!tools.some((tool) => tool.name === name)) refuse("", `Tool reference '${name}' not found in available tools`);
  }
}
