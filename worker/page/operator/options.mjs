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
    "Responses are stored",
    ["off", "on"],
    "on: clients of Responses may go on from an earlier response.",
  ),
  text(
    "store_ttl",
    "For how many seconds",
    "From 60 to 31536000; 2592000, which is 30 days.",
    numberOf,
    String,
  ),
  text(
    "store_bytes",
    "At most so many bytes together",
    "Up to 10737418240; 104857600, which is 100 MB.",
    numberOf,
    String,
  ),
  word(
    "required_action",
    "Responses wait for the outputs of tools",
    ["off", "on"],
    "on: they are submitted to the response that asked. Needs that responses are stored.",
  ),
  word(
    "lossy",
    "What the upstream can't be told",
    ["report", "refuse"],
    "It is named in a header, or the request is refused.",
    "report, but refuse a request that loses all its tools",
  ),
  word(
    "thinking",
    "Thinking is shown",
    ["asked", "always"],
    "always: Messages clients read how the model thinks also where they have not asked.",
  ),
  word("tool_ids", "Ids of calls", ["verbatim", "prefixed"], "prefixed: as the client's vendor makes them."),
  word(
    "required",
    "Parameters of tools that are required",
    ["keep", "shrink"],
    "shrink: optional ones leave the lists.",
  ),
  word("strict", "Strict tools and formats", ["keep", "off"], "off: they are not strict."),
  word("formats", "Formats of strings in schemas", ["keep", "strip"], "strip: there are none."),
  word(
    "loop_guard",
    "The same call three times in a row",
    ["off", "report"],
    "report: a header names the tool.",
  ),
  word(
    "cache_control",
    "Breakpoints of Anthropic's prompt cache",
    ["auto", "keep", "off"],
    "auto: some are set where the client sets none; keep: the client's alone.",
  ),
  word(
    "legacy_functions",
    "Functions in place of tools",
    ["off", "on"],
    "on: one call at a time, for old servers.",
  ),
  text(
    "drop_tools",
    "Tools that the model does not get",
    "Their names, with commas between.",
    listOf,
    joined,
  ),
  text(
    "tool_descriptions",
    "How much is told of tools",
    'first_sentence, or as JSON: {"max":200,"tools":{"Bash":"keep"}}',
    wordOrObject,
    asTyped,
    3,
  ),
  text("guidance", "A text behind every system prompt", "", same, same, 3),
  text(
    "web_fetch",
    "Pages that are fetched here",
    'For clients of Messages whose upstream fetches none. As JSON: {"max_uses":5}',
    object,
    pretty,
  ),
  text("tool_map", "Other names of tools", 'As JSON: {"Bash":{"name":"shell"}}', object, pretty, 3),
];

// upstreamOptions are the options of UPSTREAM_OPTIONS, except headers, for which the form has a
// separate field.
export const upstreamOptions = [
  text(
    "max_output_tokens",
    "Most tokens of an answer",
    "A larger limit of the client's is cut down to it.",
    numberOf,
    String,
  ),
  word("token_param", "What that limit is called", ["max_tokens", "max_completion_tokens"]),
  text(
    "effort",
    "Reasoning efforts that it takes",
    "With commas between; none: it is never told one.",
    (v) => (v.trim() === "none" ? "none" : listOf(v)),
    joined,
  ),
  word("thinking_off", "How it is told not to think", [
    "effort",
    "thinking",
    "enable_thinking",
    "chat_template_kwargs",
  ]),
  word("reasoning_echo", "Where it wants earlier reasoning", [
    "none",
    "reasoning_content",
    "reasoning",
    "both",
    "reasoning_details",
    "extra_content",
  ]),
  word("think_tags", "Its text begins with reasoning in tags", ["off", "on"]),
  word(
    "text_calls",
    "Calls in its text",
    ["off", "on"],
    "on: tool calls that the server leaves in its text become calls.",
  ),
  word(
    "tool_result_images",
    "Images in results of tools",
    ["user_turn", "native", "refuse"],
    "user_turn: they go behind the results.",
  ),
  word(
    "schema",
    "Schemas of tools",
    ["verbatim", "strict-subset"],
    "strict-subset: cut down to what strict modes take.",
  ),
  word(
    "structured",
    "An answer in a format it can't be asked for",
    ["tool", "instruct", "off"],
    "By a tool that it has to call, by an instruction, or not at all.",
  ),
  word("parallel_flag", "Whether it is told of calls at a time", ["omit", "send"]),
  word("top_k", "Whether it is told top_k", ["omit", "send"]),
  word("stream_usage", "Usage in streams", ["ask", "omit"]),
  word("auth", "The header that its key goes into", ["bearer", "x-api-key", "api-key"]),
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
      ? select([["", usual ?? `as usual: ${option.unset}`], ...option.values.map((v) => [v, v])], now ?? "")
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
