// Controls for the options of endpoints and upstreams. docs/settings.md and docs/upstreams.md
// describe the options.
import { field, h, select } from "../lib/dom.mjs";

const word = (name, label, values, hint, unset = values[0]) => ({ name, label, hint, values, unset });
const text = (name, label, hint, read, write, rows) => ({ name, label, hint, read, write, rows });

const same = (value) => value;
const listOf = (value) =>
  value
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
const joined = (value) => (Array.isArray(value) ? value.join(", ") : String(value));
const object = (value) => JSON.parse(value);
const pretty = (value) => JSON.stringify(value, null, 1);
const wordOrObject = (value) => (value.trim().startsWith("{") ? JSON.parse(value) : value.trim());
const asTyped = (value) => (typeof value === "string" ? value : pretty(value));
const numberOf = (value) => Number(value.replaceAll(",", ""));

// endpointOptions are the options of OPTIONS, except web_search, which has fields in websearch.mjs.
export const endpointOptions = [
  word(
    "store",
    "Store responses",
    ["off", "on"],
    "on: clients of the Responses API can continue from an earlier response.",
  ),
  text(
    "store_ttl",
    "Seconds until a stored response expires",
    "From 60 to 31536000. Default 2592000 (30 days).",
    numberOf,
    String,
  ),
  text(
    "store_bytes",
    "Maximum bytes of all stored responses",
    "Up to 10737418240. Default 104857600 (100 MB).",
    numberOf,
    String,
  ),
  word(
    "required_action",
    "Responses wait for tool outputs",
    ["off", "on"],
    "on: clients submit the outputs to the response that called the tools. Needs store.",
  ),
  word(
    "lossy",
    "Fields the upstream does not support",
    ["report", "refuse"],
    "A response header names them, or the request is refused.",
    "report, but refuse a request that loses all its tools",
  ),
  word(
    "thinking",
    "Show thinking",
    ["asked", "always"],
    "always: Messages clients get the model's thinking even without requesting it.",
  ),
  word(
    "tool_ids",
    "Tool call ids",
    ["verbatim", "prefixed"],
    "prefixed: in the form of the client's vendor.",
  ),
  word(
    "required",
    "Required tool parameters",
    ["keep", "shrink"],
    "shrink: parameters that seem optional are no longer required.",
  ),
  word("strict", "Strict tools and formats", ["keep", "off"], "off: nothing is strict."),
  word(
    "formats",
    "String formats in schemas",
    ["keep", "strip"],
    "strip: only the formats of strict modes stay.",
  ),
  word(
    "loop_guard",
    "The same tool call three times in a row",
    ["off", "report"],
    "report: a response header names the tool.",
  ),
  word(
    "cache_control",
    "Anthropic prompt cache breakpoints",
    ["auto", "keep", "off"],
    "auto: added if the client sets none; keep: only the client's.",
  ),
  word(
    "legacy_functions",
    "Functions instead of tools",
    ["off", "on"],
    "on: one call at a time, for old servers.",
  ),
  text("drop_tools", "Tools hidden from the model", "Names, separated by commas.", listOf, joined),
  text(
    "tool_descriptions",
    "Tool descriptions",
    'first_sentence, or as JSON: {"max":200,"tools":{"Bash":"keep"}}',
    wordOrObject,
    asTyped,
    3,
  ),
  text("guidance", "Text appended to every system prompt", "", same, same, 3),
  text(
    "web_fetch",
    "Fetch webpages here",
    'For Messages clients whose upstream can\'t fetch. As JSON: {"max_uses":5}',
    object,
    pretty,
  ),
  text(
    "advisor",
    "Advisor",
    'Second model for Messages clients whose upstream has no advisor. As JSON: {"model":"NAME/MODEL"}',
    object,
    pretty,
  ),
  text("tool_map", "Tool aliases", 'As JSON: {"Bash":{"name":"shell"}}', object, pretty, 3),
];

// upstreamOptions are the options of UPSTREAM_OPTIONS, except headers, for which the form has a
// separate field.
export const upstreamOptions = [
  text(
    "max_output_tokens",
    "Maximum output tokens",
    "A larger limit from the client is reduced to this.",
    numberOf,
    String,
  ),
  word("token_param", "Name of the token limit", ["max_tokens", "max_completion_tokens"]),
  text(
    "effort",
    "Accepted reasoning efforts",
    "Separated by commas; none: no effort is ever sent.",
    (v) => (v.trim() === "none" ? "none" : listOf(v)),
    joined,
  ),
  word("thinking_off", "How thinking is turned off", [
    "effort",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs",
  ]),
  word("reasoning_echo", "Field for earlier reasoning", [
    "none",
    "reasoning_content",
    "reasoning",
    "both",
    "reasoning_details",
    "extra_content",
  ]),
  word("think_tags", "Text begins with reasoning in tags", ["off", "on"]),
  word(
    "text_calls",
    "Tool calls in the text",
    ["off", "on"],
    "on: tool calls that the server leaves in the text become calls.",
  ),
  word(
    "tool_result_images",
    "Images in tool results",
    ["user_turn", "native", "refuse"],
    "user_turn: after the results, in a user message.",
  ),
  word(
    "schema",
    "Tool schemas",
    ["verbatim", "strict-subset"],
    "strict-subset: reduced to what strict modes accept.",
  ),
  word(
    "structured",
    "Output formats the upstream does not support",
    ["tool", "instruct", "off"],
    "Produced by a forced tool, by an instruction, or not at all.",
  ),
  word("parallel_flag", "Flag for parallel tool calls", ["omit", "send"]),
  word("top_k", "Top-k sampling", ["omit", "send"]),
  word("stream_usage", "Usage in streams", ["ask", "omit"]),
  word("auth", "Header of the key", ["bearer", "x-api-key", "api-key"]),
];

// optionFields returns { elements, read } of the controls for a table's options. set has the
// current options, and path is their path in the API. read() returns the options in the controls.
// An option not in the table stays unchanged. usual is the text for an unset option; without usual
// the text describes the default.
export function optionFields(table, set, path, usual) {
  const { ...rest } = set ?? {};
  const controls = table.map((option) => {
    const now = rest[option.name];
    delete rest[option.name];
    const control = option.values
      ? select([["", usual ?? `default: ${option.unset}`], ...option.values.map((v) => [v, v])], now ?? "")
      : h(option.rows ? "textarea" : "input", {
          rows: option.rows,
          spellcheck: "false",
          autocomplete: "off",
          value: now === undefined ? "" : option.write(now),
        });
    return { option, control };
  });
  const read = () => {
    const options = { ...rest };
    for (const { option, control } of controls) {
      if (control.value.trim() === "") continue;
      options[option.name] = option.read ? readText(option, control) : control.value;
    }
    return options;
  };
  const elements = controls.map(({ option, control }) =>
    field([option.label, " ", h("code", { class: "quiet" }, option.name)], control, {
      hint: option.hint,
      path: `${path}.${option.name}`,
      wide: Boolean(option.rows),
    }),
  );
  return { elements, read };
}

// readText parses a control's text. Invalid text stays as it is, and the API explains what is
// valid.
function readText({ read }, { value }) {
  try {
    return read(value);
  } catch {
    return value;
  }
}
