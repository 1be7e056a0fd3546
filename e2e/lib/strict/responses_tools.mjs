// The tools that OpenAI's Responses API takes.
import {
  anyObject, anything, arrays, boolean, closed, list, notOpenAI, nullable, object, oneOf, refuse, rootObject, tagged, text, told, unique,
} from "./shape.mjs";

export const name = text({ pattern: /^[a-zA-Z0-9_-]{1,64}$/ });
const loosely = (schema, path) => (rootObject(schema, path), arrays(schema, path));
export const strictly = (schema, path) => (loosely(schema, path), closed(schema, path, { all: true }), told(schema, path, notOpenAI));

const func = (value, path) =>
  object({
    type: oneOf("function"), name, "description?": nullable(text()), parameters: value?.strict ? strictly : loosely,
    strict: nullable(boolean), // absent counts as true
    "defer_loading?": boolean,
  })(value, path);

const custom = object({
  type: oneOf("custom"),
  name,
  "description?": text(),
  "format?": tagged("type", {
    text: object({ type: oneOf("text") }),
    grammar: object({ type: oneOf("grammar"), syntax: oneOf("lark", "regex"), definition: text({ filled: true }) }),
  }),
});

export const tool = tagged("type", {
  function: func,
  custom,
  namespace: object({ type: oneOf("namespace"), name, description: text(), tools: list(tagged("type", { function: func, custom }), { min: 1 }) }),
  tool_search: object({ type: oneOf("tool_search"), "execution?": oneOf("client", "server"), "description?": nullable(text()), "parameters?": nullable(anyObject) }),
  local_shell: object({ type: oneOf("local_shell") }),
  mcp: object({
    type: oneOf("mcp"), server_label: text({ pattern: /^[a-zA-Z][a-zA-Z0-9_-]*$/ }), server_url: text({ pattern: /^https:\/\// }), "authorization?": text({ filled: true }),
    "allowed_tools?": list(text({ filled: true })), "require_approval?": oneOf("always", "never"), "defer_loading?": boolean,
  }),
  web_search: object({
    type: oneOf("web_search"),
    "external_web_access?": boolean,
    "search_content_types?": list(oneOf("text", "image")),
    "filters?": nullable(object({ "allowed_domains?": nullable(list(text({ filled: true }))) })),
    "search_context_size?": oneOf("low", "medium", "high"),
    "user_location?": nullable(anything),
  }),
});

const nameOf = ({ type, name, server_label }) => name ?? server_label ?? type;

// tools checks the tools of a request and of its items. Tools that a search has found may also be in the list.
export function tools({ tools = [], tool_choice, input }) {
  const brought = [input].flat().filter(({ type }) => type === "additional_tools").flatMap(({ tools }) => tools);
  const all = [...tools, ...brought];
  const isNew = unique("tool names");
  all.forEach((tool, i) => {
    isNew(nameOf(tool), `tools[${i}].name`);
    const isNewInside = unique("tool names");
    tool.tools?.forEach(({ name }, k) => isNewInside(name, `tools[${i}].tools[${k}].name`));
  });
  const deferred = all.flatMap((tool) => tool.tools ?? [tool]).some(({ defer_loading }) => defer_loading);
  const searches = all.find(({ type }) => type === "tool_search");
  if (deferred && !searches) refuse("", "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.");
  if (searches && searches.execution !== "client" && !deferred) refuse("", "Invalid Value: 'tools.tool_search'. tools.tool_search requires at least one deferred tool.");
  if (tool_choice?.type && !all.some((tool) => nameOf(tool) === nameOf(tool_choice))) refuse("tool_choice", `'${nameOf(tool_choice)}' not found in 'tools' parameter`);
}
