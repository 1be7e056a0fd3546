// What OpenAI's Responses API refuses, where nothing is stored.
import {
  anyObject, anything, boolean, closed, dataURL, either, integer, list, nullable, number, object, oneOf, refuse, rootObject, tagged,
  text, unique, webURL,
} from "./shape.mjs";

export { refusal } from "./chat.mjs";

const name = text({ pattern: /^[a-zA-Z0-9_-]{1,64}$/ });
const callID = text({ filled: true, max: 64 });
const itemID = (prefix) => text({ max: 64, pattern: new RegExp(`^${prefix}_[a-zA-Z0-9_-]+$`) });
const status = { "status?": nullable(oneOf("in_progress", "completed", "incomplete")) };

const input = {
  input_text: object({ type: oneOf("input_text"), text: text() }),
  input_image: object({
    type: oneOf("input_image"),
    image_url: (url, path) => (/^data:/.test(url) ? dataURL("image/(?:png|jpeg|gif|webp)") : webURL)(url, path),
    "detail?": nullable(oneOf("auto", "low", "high")),
  }),
  input_file: (value, path) =>
    object({ type: oneOf("input_file"), ...(value.file_url ? { file_url: webURL } : { filename: text({ filled: true }), file_data: dataURL("application/pdf") }) })(value, path),
};
const inputParts = either(text(), list(tagged("type", input)));

const message = (value, path) => {
  const said = value.role === "assistant";
  const output = tagged("type", {
    output_text: object({ type: oneOf("output_text"), text: text(), "annotations?": list(anyObject), "logprobs?": list(anyObject), "parsed?": anything }),
    refusal: object({ type: oneOf("refusal"), refusal: text() }),
  });
  object({
    "type?": oneOf("message"),
    role: oneOf("user", "system", "developer", "assistant"),
    content: said ? either(text(), list(output)) : inputParts,
    "id?": itemID("msg"),
    "phase?": nullable(oneOf("commentary", "final_answer")),
    ...status,
  })(value, path);
};

const items = {
  message,
  function_call: object({
    type: oneOf("function_call"), call_id: callID, name, arguments: text({ filled: true }), "id?": itemID("fc"), "parsed_arguments?": anything, ...status,
  }),
  function_call_output: object({ type: oneOf("function_call_output"), call_id: callID, output: inputParts, "id?": itemID("fco"), ...status }),
  reasoning: object({
    type: oneOf("reasoning"),
    id: itemID("rs"),
    summary: list(object({ type: oneOf("summary_text"), text: text() })),
    encrypted_content: text({ filled: true }),
    "content?": list(anyObject, { max: 0 }),
    ...status,
  }),
};

const item = (value, path) => (value?.type === undefined ? message : tagged("type", items))(value, path);
const strictly = (schema, path) => (rootObject(schema, path), closed(schema, path, { all: true }));

const request = object({
  model: text({ filled: true }),
  input: either(text({ filled: true }), list(item, { min: 1 })),
  "instructions?": nullable(text()),
  "max_output_tokens?": integer(16),
  "tools?": list((value, path) =>
    object({
      type: oneOf("function"), name, "description?": nullable(text()), parameters: value?.strict ? strictly : rootObject,
      strict: nullable(boolean), // where it is absent the API takes it for true
    })(value, path),
  ),
  "tool_choice?": either(oneOf("none", "auto", "required"), object({ type: oneOf("function"), name })),
  "parallel_tool_calls?": boolean,
  "reasoning?": object({ "effort?": oneOf("none", "minimal", "low", "medium", "high", "xhigh"), "summary?": oneOf("auto", "concise", "detailed") }),
  "include?": list(oneOf("reasoning.encrypted_content")),
  "store?": oneOf(false),
  "stream?": boolean,
  "temperature?": number(0, 2),
  "top_p?": number(0, 1),
  "text?": object({
    "verbosity?": oneOf("low", "medium", "high"),
    "format?": tagged("type", {
      text: object({ type: oneOf("text") }),
      json_schema: (value, path) =>
        object({ type: oneOf("json_schema"), name, "description?": text(), schema: value.strict ? strictly : anyObject, "strict?": nullable(boolean) })(value, path),
    }),
  }),
  "truncation?": oneOf("auto", "disabled"),
  "user?": text(),
  "prompt_cache_key?": text({ max: 64 }),
});

// check refuses a request. issued is the reasoning that this upstream has encrypted (lib/strict/vendor.mjs).
export function check(body, issued) {
  request(body, "");
  const { tools = [], tool_choice } = body;
  const isNew = unique("tool names");
  tools.forEach(({ name }, i) => isNew(name, `tools[${i}].name`));
  if (tool_choice?.name && !tools.some(({ name }) => name === tool_choice.name)) refuse("tool_choice", `'${tool_choice.name}' not found in 'tools' parameter`);
  if (typeof body.input === "string") return;
  calls(body.input);
  ids(body.input);
  reasoning(body.input, issued);
}

function calls(input) {
  const isNew = unique("call_id");
  const made = new Set();
  const open = new Set();
  input.forEach(({ type, call_id }, i) => {
    if (type === "function_call") {
      isNew(call_id, `input[${i}].call_id`);
      made.add(call_id);
      open.add(call_id);
    } else if (type === "function_call_output" && !open.delete(call_id)) {
      refuse(`input[${i}]`, `${made.has(call_id) ? "a second output" : "no tool call found"} for function call output with call_id ${call_id}`);
    }
  });
  if (open.size > 0) refuse("input", `No tool output found for function call ${[...open][0]}`);
}

function ids(input) {
  const isNew = unique("item ids");
  input.forEach(({ id }, i) => id !== undefined && isNew(id, `input[${i}].id`));
}

// reasoning holds items to what was issued, and to what follows them: the message or the call that was thought about. A call must
// have its reasoning in front.
function reasoning(input, issued) {
  input.forEach((item, i) => {
    const path = `input[${i}]`;
    for (const { id, blob } of issued.before.get(item.call_id) ?? []) {
      const back = input.slice(0, i).some(({ encrypted_content }) => encrypted_content === blob);
      if (!back) refuse(path, `Item of type '${item.type}' was provided without its required 'reasoning' item: '${id}'`);
    }
    if (item.type !== "reasoning") return;
    if (issued.blobs.get(item.encrypted_content) !== item.id) refuse(path, `The encrypted content for item ${item.id} could not be verified`);
    const next = input.slice(i + 1).find(({ type }) => type !== "reasoning");
    if (next?.type !== "function_call" && next?.role !== "assistant") refuse(path, `Item '${item.id}' of type 'reasoning' was provided without its required following item`);
  });
}
