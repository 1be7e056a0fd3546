// The options of endpoints and upstreams, as controls of a form. docs/settings.md and docs/upstreams.md say what each option does.
import { field, h, select } from "./dom.mjs";

const word = (name, values, hint, unset = values[0]) => ({ name, hint, values, unset });
const text = (name, hint, read, write, rows) => ({ name, hint, read, write, rows });

const same = (value) => value;
const listOf = (value) => value.split(",").map((part) => part.trim()).filter(Boolean);
const joined = (value) => (Array.isArray(value) ? value.join(", ") : String(value));
const object = (value) => JSON.parse(value);
const pretty = (value) => JSON.stringify(value, null, 1);

// endpointOptions are those of OPTIONS.
export const endpointOptions = [
  word("lossy", ["report", "refuse"], "What the upstream can't be told: reported in a header, or the request is refused.", "report, but refuse a request that loses all its tools"),
  word("tool_ids", ["verbatim", "prefixed"], "prefixed: ids of calls as the client's vendor makes them."),
  word("required", ["keep", "shrink"], "shrink: optional parameters leave the lists required."),
  word("strict", ["keep", "off"], "off: tools and formats are not strict."),
  word("thinking", ["asked", "always"], "always: Messages clients read how the model thinks also where they have not asked."),
  word("formats", ["keep", "strip"], "strip: no format of strings in schemas."),
  word("loop_guard", ["off", "report"], "report: the third same call in a row is named in a header."),
  word("cache_control", ["auto", "keep", "off"], "Which breakpoints Anthropic is sent."),
  word("legacy_functions", ["off", "on"], "on: functions in place of tools, one call at a time."),
  text("drop_tools", "Tools that the model does not get, with commas between.", listOf, joined),
  text("guidance", "A text behind every system prompt.", same, same, 3),
  text("tool_map", 'Other names, as JSON: {"Bash":{"name":"shell"}}', object, pretty, 3),
];

// upstreamOptions are those of UPSTREAM_OPTIONS.
export const upstreamOptions = [
  text("max_output_tokens", "The most tokens that may be asked for.", Number, String),
  word("token_param", ["max_tokens", "max_completion_tokens"]),
  text("effort", "The reasoning efforts that it takes, with commas between; none: it is never told one.", (v) => (v.trim() === "none" ? "none" : listOf(v)), joined),
  word("thinking_off", ["effort", "thinking", "enable_thinking", "chat_template_kwargs"]),
  word("reasoning_echo", ["none", "reasoning_content", "reasoning", "both", "reasoning_details", "extra_content"]),
  word("think_tags", ["off", "on"]),
  word("text_calls", ["off", "on"], "on: tool calls that the server leaves in its text become calls."),
  word("tool_result_images", ["user_turn", "native", "refuse"]),
  word("schema", ["verbatim", "strict-subset"]),
  word("parallel_flag", ["omit", "send"]),
  word("top_k", ["omit", "send"]),
  word("stream_usage", ["ask", "omit"]),
];

// optionFields returns { elements, read } of the controls for a table's options. set has the options that are set now, and path is theirs
// in the API. read() returns the options as the controls have them; an option that the table does not know stays as it is. usual is the
// text for an option that is not set; without it the text says what such an option does.
export function optionFields(table, set, path, usual) {
  const { ...rest } = set ?? {};
  const controls = table.map((option) => {
    const now = rest[option.name];
    delete rest[option.name];
    const control = option.values
      ? select([["", usual ?? `as usual: ${option.unset}`], ...option.values.map((v) => [v, v])], now ?? "")
      : h(option.rows ? "textarea" : "input", { rows: option.rows, spellcheck: "false", autocomplete: "off", value: now === undefined ? "" : option.write(now) });
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
  const elements = controls.map(({ option, control }) => field(option.name, control, { hint: option.hint, path: `${path}.${option.name}`, wide: Boolean(option.rows) }));
  return { elements, read };
}

// readText returns what a control's text stands for, or the text itself where it can't be read: the API then says what it should be.
function readText({ read }, { value }) {
  try {
    return read(value);
  } catch {
    return value;
  }
}
