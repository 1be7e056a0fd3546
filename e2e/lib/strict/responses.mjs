// The requests that OpenAI's Responses API refuses: with store false or, where stores is set, also those that are stored.
import { phased } from "../responses.mjs";
import { item } from "./responses_items.mjs";
import { name, strictly, tool, tools } from "./responses_tools.mjs";
import { anyObject, arrays, boolean, either, integer, list, nullable, number, object, oneOf, refuse, tagged, text, unique } from "./shape.mjs";

export { refusal } from "./chat.mjs";

const requestWith = (store) => object({
  model: text({ filled: true }),
  input: either(text({ filled: true }), list(item, { min: 1 })),
  "instructions?": nullable(text()),
  "max_output_tokens?": integer(16),
  "tools?": list(tool),
  "tool_choice?": either(oneOf("none", "auto", "required"), tagged("type", {
    function: object({ type: oneOf("function"), name }), custom: object({ type: oneOf("custom"), name }),
    web_search: object({ type: oneOf("web_search") }), mcp: object({ type: oneOf("mcp"), server_label: text({ filled: true }) }),
  })),
  "parallel_tool_calls?": boolean,
  "reasoning?": nullable(
    object({
      "effort?": oneOf("none", "minimal", "low", "medium", "high", "xhigh"),
      "summary?": oneOf("auto", "concise", "detailed"),
      "context?": oneOf("all_turns"),
    }),
  ),
  "include?": list(oneOf("reasoning.encrypted_content")),
  "store?": store,
  "stream?": boolean,
  "temperature?": number(0, 2),
  "top_p?": number(0, 1),
  "text?": object({
    "verbosity?": oneOf("low", "medium", "high"),
    "format?": tagged("type", {
      text: object({ type: oneOf("text") }),
      json_schema: (value, path) =>
        object({ type: oneOf("json_schema"), name, "description?": text(), schema: value.strict ? strictly : arrays, "strict?": nullable(boolean) })(value, path),
    }),
  }),
  "truncation?": oneOf("auto", "disabled"),
  "user?": text(),
  "prompt_cache_key?": text({ max: 64 }),
  "safety_identifier?": text({ max: 64 }),
  "client_metadata?": anyObject,
  "service_tier?": oneOf("auto", "default", "flex", "priority"),
});

const unstored = requestWith(oneOf(false));
const stored = requestWith(nullable(boolean));

// check refuses a request by throwing. issued is what this upstream has encrypted and stored (lib/strict/vendor.mjs).
export function check({ ...body }, issued, { stores } = {}) {
  if (stores && Array.isArray(body.input)) body.input = body.input.map((item, i) => referred(item, `input[${i}]`, issued));
  (stores ? stored : unstored)(body, "");
  tools(body);
  if (typeof body.input === "string") return;
  calls(body.input);
  ids(body.input);
  phases(body);
  reasoning(body.input, issued);
}

// referred returns the stored item that an item_reference stands for.
function referred(item, path, { items }) {
  if (item.type !== "item_reference") return item;
  return items.get(item.id) ?? refuse(path, `Item with id '${item.id}' not found.`);
}

// outputs has for each type of output what the API calls its call, and the types of calls that it answers. Codex answers a
// local_shell_call with a function_call_output.
const outputs = {
  function_call_output: ["function call", "function_call", "local_shell_call"],
  custom_tool_call_output: ["custom tool call", "custom_tool_call"],
  tool_search_output: ["tool search call", "tool_search_call"],
};
const calling = new Set(Object.values(outputs).flatMap(([, ...types]) => types));

// calls demands that each call has an output of its kind, and that each output has a call.
function calls(input) {
  const isNew = unique("call_id");
  const made = new Set();
  const open = new Map();
  input.forEach(({ type, call_id }, i) => {
    if (calling.has(type)) {
      isNew(call_id, `input[${i}].call_id`);
      made.add(call_id);
      open.set(call_id, type);
    } else if (type in outputs) {
      const [what, ...types] = outputs[type];
      if (!types.includes(open.get(call_id))) refuse(`input[${i}]`, `${made.has(call_id) ? "a second output" : "no tool call found"} for ${what} output with call_id ${call_id}`);
      open.delete(call_id);
    }
  });
  for (const [id, type] of open) refuse("input", `No tool output found for ${Object.values(outputs).find((row) => row.includes(type))[0]} ${id}`);
}

// phases demands the phase of each message of the assistant's, unless the client knows none, and no phase anywhere else. What stands
// in front of a call in its turn is no final answer.
function phases({ model, input }) {
  const said = input.filter(({ role }) => role === "assistant");
  const some = said.some(({ phase }) => phase);
  input.forEach(({ role, phase }, i) => {
    const path = `input[${i}].phase`;
    if (phase && (role !== "assistant" || !phased(model))) refuse(path, "Unknown parameter");
    if (role === "assistant" && some && !phase) refuse(path, "dropped");
    const ends = input.slice(i + 1).find(({ type, role }) => type in outputs || calling.has(type) || (role && role !== "assistant"));
    if (phase === "final_answer" && calling.has(ends?.type)) refuse(path, "a final answer in front of a call");
  });
}

function ids(input) {
  const isNew = unique("item ids");
  input.forEach(({ id }, i) => id !== undefined && isNew(id, `input[${i}].id`));
}

// reasoning demands that reasoning items are what was issued, and that each is followed by the message or the call that came with
// it. A call must have its reasoning in front of it.
function reasoning(input, issued) {
  input.forEach((item, i) => {
    const path = `input[${i}]`;
    for (const { id, blob } of issued.before.get(item.call_id) ?? []) {
      const back = input.slice(0, i).some(({ encrypted_content }) => encrypted_content === blob);
      if (!back) refuse(path, `Item of type '${item.type}' was provided without its required 'reasoning' item: '${id}'`);
    }
    if (item.type === "compaction" && !issued.blobs.has(item.encrypted_content)) refuse(path, "The encrypted content of the compaction could not be verified");
    if (item.type === "compaction_trigger" && i < input.length - 1) refuse(path, "a compaction_trigger must be the last item");
    if (item.type !== "reasoning") return;
    if (issued.blobs.get(item.encrypted_content) !== item.id) refuse(path, `The encrypted content for item ${item.id} could not be verified`);
    const next = input.slice(i + 1).find(({ type }) => type !== "reasoning");
    if (!calling.has(next?.type) && next?.role !== "assistant") refuse(path, `Item '${item.id}' of type 'reasoning' was provided without its required following item`);
  });
}
