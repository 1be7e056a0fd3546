// What Google refuses of a request to the Interactions API: members that its types do not have (CreateModelInteraction of @google/genai 3.1.0), and what its
// servers' answers say otherwise (see translator/interactions).
import { Refusal, anyObject, anything, boolean, either, integer, list, number, object, oneOf, tagged, text } from "./shape.mjs";

const media = { "data?": text({ filled: true }), "uri?": text({ filled: true }), "mime_type?": text({ filled: true }) };
const content = tagged("type", {
  text: object({ type: anything, text: text({ filled: true }) }),
  image: object({ type: anything, ...media, "resolution?": oneOf("low", "medium", "high", "ultra_high") }),
  audio: object({ type: anything, ...media }),
  video: object({ type: anything, ...media }),
  document: object({ type: anything, ...media }),
});
const contents = list(content, { min: 1 });
const step = tagged("type", {
  user_input: object({ type: anything, content: contents }),
  model_output: object({ type: anything, content: contents }),
  thought: object({ type: anything, signature: text({ filled: true }), "summary?": contents }),
  function_call: object({ type: anything, id: text({ filled: true }), name: text({ filled: true }), arguments: anyObject }),
  function_result: object({ type: anything, call_id: text({ filled: true }), name: text({ filled: true }), "is_error?": boolean, result: either(text(), contents) }),
});
const tool = tagged("type", {
  function: object({ type: anything, name: text({ pattern: /^[a-zA-Z_][\w-]{0,63}$/ }), "description?": text(), parameters: anyObject }),
  google_search: object({ type: anything }),
  url_context: object({ type: anything }),
});
const mode = oneOf("auto", "any", "none", "validated");
const config = object({
  "max_output_tokens?": integer(1),
  "temperature?": number(0, 2),
  "top_p?": number(0, 1),
  "seed?": integer(-(2 ** 31)),
  "stop_sequences?": list(text({ filled: true }), { min: 1, max: 5 }),
  "thinking_level?": oneOf("minimal", "low", "medium", "high"),
  "thinking_summaries?": oneOf("auto", "none"),
  "tool_choice?": either(mode, object({ allowed_tools: object({ mode: oneOf("any", "validated"), tools: list(text({ filled: true }), { min: 1 }) }) })),
});
const request = object({
  model: text({ filled: true }),
  store: boolean,
  "stream?": boolean,
  "system_instruction?": text({ filled: true }),
  input: list(step, { min: 1 }),
  "tools?": list(tool, { min: 1 }),
  "generation_config?": config,
  "response_format?": object({ type: oneOf("text"), mime_type: oneOf("application/json"), "schema?": anyObject }),
  "service_tier?": oneOf("flex", "standard", "priority"),
});

// refusal returns the body of the answer to a bad request.
export const refusal = ({ message }) => ({ error: { message, code: "invalid_request" } });

function refuse(condition, words) {
  if (condition) throw new Refusal("", words);
}

// check refuses a request that Google refuses. issued is what the answers before it have signed, which has to come back as it was.
export function check(body, issued, { headers, path }) {
  refuse(path !== "/v1beta/interactions", `there is no ${path}`);
  refuse(headers["api-revision"] !== "2026-05-20", "another revision of the API");
  request(body, "");
  refuse(body.store, "the conversation would be kept");
  const functions = (body.tools ?? []).filter(({ type }) => type === "function");
  const names = functions.map(({ name }) => name);
  refuse(new Set(names).size < names.length, "Duplicate function declaration found");
  functions.forEach(({ parameters }) => checkSchema(parameters));
  const choice = body.generation_config?.tool_choice;
  refuse(choice && functions.length === 0, "Function calling config is set without function_declarations.");
  refuse(choice?.allowed_tools?.tools.some((name) => !names.includes(name)), "allowed_tools names no function");
  checkSteps(body.input, issued);
}

function checkSteps(input, issued) {
  refuse(input[0].type !== "user_input", "the first step is not the user's");
  refuse(["model_output", "thought"].includes(input.at(-1).type), "Requests ending with a model turn are not supported.");
  const seen = new Set();
  let open = [];
  let signed = []; // the signatures in the model's turn
  for (const { type, id, name, call_id, signature } of input) {
    if (type === "function_result") {
      const [first, ...others] = open;
      refuse(first?.id !== call_id || first?.name !== name, `a result of ${call_id} where ${first?.id} has none`);
      open = others;
      signed = [];
      continue;
    }
    refuse(open.length > 0 && type === "user_input", `${open[0]?.id} has no result`);
    if (type === "user_input") signed = [];
    if (type === "thought") signed.push(signature);
    if (type !== "function_call") continue;
    refuse(seen.has(id), `the id ${id} is not unique`);
    refuse(signed.length === 0, "Request contains an invalid argument."); // a call without a signed thought in front
    const [thought] = issued?.before.get(id) ?? [];
    refuse(thought?.blob && !signed.includes(thought.blob), "Thought signature is not valid.");
    seen.add(id);
    open.push({ id, name });
  }
  refuse(open.length > 0, "a call has no result");
}

// checkSchema refuses a list of required names that is empty, wherever it stands.
function checkSchema(schema) {
  refuse(Array.isArray(schema.required) && schema.required.length === 0, "required must not be empty");
  for (const value of Object.values(schema)) if (typeof value === "object" && value !== null) checkSchema(value);
}
