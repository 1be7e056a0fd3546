// The requests that a Chat Completions API refuses: OpenAI's own where openAI is set, else a server that renders a model's chat
// template. reasoning names the member in which the upstream demands the reasoning of earlier turns: "reasoning_content", in each
// message of the assistant, as DeepSeek does, or "reasoning_details", as OpenRouter does. Each of these two ignores the other's
// member.
import {
  anyObject, anything, arrays, boolean, closed, dataURL, either, integer, list, notOpenAI, nullable, number, object, objectAt, oneOf, refuse, rootObject, tagged, told,
  text, unique, webURL,
} from "./shape.mjs";

const name = text({ pattern: /^[a-zA-Z0-9_-]{1,64}$/ });
const callID = text({ filled: true, max: 40 });
const named = { "name?": name };

// breakpoint is where OpenRouter takes a breakpoint of Claude's prompt cache: on parts, tools, and messages of the assistant and of tools.
const breakpoint = { "cache_control?": object({ type: oneOf("ephemeral"), "ttl?": oneOf("5m", "1h") }) };
const textPart = (marks) => object({ type: oneOf("text"), text: text(), ...marks });
const userPart = (marks) => tagged("type", {
  text: textPart(marks),
  image_url: object({
    type: oneOf("image_url"),
    image_url: object({ url: (url, path) => (/^data:/.test(url) ? dataURL("image/(?:png|jpeg|gif|webp)") : webURL)(url, path), "detail?": oneOf("auto", "low", "high") }),
    ...marks,
  }),
  file: object({
    type: oneOf("file"),
    ...marks,
    file: (file, path) =>
      object(file.file_id ? { file_id: text({ filled: true }) } : { filename: text({ filled: true }), file_data: dataURL("application/pdf") })(file, path),
  }),
  input_audio: object({ type: oneOf("input_audio"), input_audio: object({ data: text({ filled: true }), format: oneOf("wav", "mp3") }) }),
});
const prompt = (role, marks) => object({ role: oneOf(role), content: either(text(), list(textPart(marks), { min: 1 })), ...named });

const json = (value, path) => {
  text()(value, path);
  try {
    anyObject(JSON.parse(value), path);
  } catch {
    refuse(path, "must be a JSON object, in a string");
  }
};

// helperFields are members that OpenAI's own SDK adds to the messages that it hands out.
const helperFields = { "parsed?": anything, "annotations?": nullable(list(anyObject)) };

const call = tagged("type", {
  function: object({ id: callID, type: oneOf("function"), function: object({ name, arguments: json, "parsed_arguments?": anything }) }),
  custom: object({ id: callID, type: oneOf("custom"), custom: object({ name, input: text() }) }),
});

const assistant = (reasoning, marks) =>
  object({
    role: oneOf("assistant"),
    ...marks,
    "content?": nullable(either(text(), list(tagged("type", { text: textPart(marks), refusal: object({ type: oneOf("refusal"), refusal: text() }) }), { min: 1 }))),
    "refusal?": nullable(text()),
    "tool_calls?": list(call, { min: 1 }),
    ...named,
    ...helperFields,
    ...(reasoning && {
      [reasoning === "reasoning_content" ? "reasoning_content" : "reasoning_content?"]: text({ pattern: /./ }), // a space will do
      "reasoning_details?": list(anyObject, { min: 1 }),
      "reasoning?": text(),
    }),
  });

const loosely = (schema, path) => (objectAt(schema, path), arrays(schema, path));
const strictly = (schema, path) => (loosely(schema, path), closed(schema, path, { all: true }), told(schema, path, notOpenAI));
const grammar = object({ syntax: oneOf("lark", "regex"), definition: text({ filled: true }) });
const tool = (marks) => tagged("type", {
  function: object({
    type: oneOf("function"),
    ...marks,
    function: (value, path) =>
      object({ name, "description?": text(), "parameters?": value?.strict ? strictly : loosely, "strict?": nullable(boolean) })(value, path),
  }),
  custom: object({
    type: oneOf("custom"),
    custom: object({
      name, "description?": text(), "format?": tagged("type", { text: object({ type: oneOf("text") }), grammar: object({ type: oneOf("grammar"), grammar }) }),
    }),
  }),
});
const nameOf = ({ type, [type]: { name } }) => name;

const format = tagged("type", {
  text: object({ type: oneOf("text") }),
  json_object: object({ type: oneOf("json_object") }),
  json_schema: object({
    type: oneOf("json_schema"),
    json_schema: (value, path) =>
      object({ name, "description?": text(), schema: value?.strict ? strictly : arrays, "strict?": nullable(boolean) })(value, path),
  }),
});

const request = (reasoning, marks) =>
  object({
    model: text({ filled: true }),
    messages: list(
      tagged("role", {
        system: prompt("system", marks),
        developer: prompt("developer", marks),
        user: object({ role: oneOf("user"), content: either(text(), list(userPart(marks), { min: 1 })), ...named }),
        assistant: assistant(reasoning, marks),
        tool: object({ role: oneOf("tool"), tool_call_id: callID, content: either(text(), list(textPart(marks), { min: 1 })), ...marks }),
      }),
      { min: 1 },
    ),
    "max_tokens?": integer(1),
    "max_completion_tokens?": integer(1),
    "tools?": list(tool(marks), { min: 1, max: 128 }),
    "tool_choice?": either(oneOf("none", "auto", "required"), tagged("type", {
      function: object({ type: oneOf("function"), function: object({ name }) }),
      custom: object({ type: oneOf("custom"), custom: object({ name }) }),
    })),
    "parallel_tool_calls?": boolean,
    "response_format?": format,
    "reasoning_effort?": oneOf("none", "minimal", "low", "medium", "high", "xhigh"),
    "stream?": nullable(boolean),
    "stream_options?": object({ "include_usage?": boolean }),
    "stop?": either(text(), list(text(), { min: 1, max: 4 })),
    "temperature?": number(0, 2),
    "top_p?": number(0, 1),
    "n?": integer(1, 128),
    "seed?": integer(Number.MIN_SAFE_INTEGER),
    "store?": boolean,
    "user?": text(),
    "verbosity?": oneOf("low", "medium", "high"),
    "prompt_cache_key?": text({ max: 64 }),
    "safety_identifier?": text({ max: 64 }),
    "service_tier?": oneOf("auto", "default", "flex", "priority"),
  });

const shapes = new Map([undefined, "reasoning_content", "reasoning_details"].map((reasoning) => [reasoning, request(reasoning, reasoning === "reasoning_details" ? breakpoint : {})]));

// check refuses a request by throwing. issued is what this upstream has signed or encrypted (lib/strict/vendor.mjs). With unions it takes
// a tool's schema with a union at its root, as servers other than OpenAI's do.
export function check(body, issued, { reasoning, openAI = false, unions = false } = {}) {
  shapes.get(reasoning)(body, "");
  if (openAI) generation(body);
  else elsewhere(body);
  const { messages, tools = [], tool_choice } = body;
  if (body.max_tokens !== undefined && body.max_completion_tokens !== undefined) refuse("max_tokens", "is not to be set together with 'max_completion_tokens'");
  if (body.stream_options && !body.stream) refuse("stream_options", "is only allowed when 'stream' is enabled");
  for (const field of ["tool_choice", "parallel_tool_calls"]) if (field in body && tools.length === 0) refuse(field, "is only allowed when 'tools' are specified");
  const isNew = unique("tool names");
  tools.forEach((tool, i) => isNew(nameOf(tool), `tools[${i}].function.name`));
  if (!unions) tools.forEach(({ function: { parameters } = {} }, i) => parameters && rootObject(parameters, `tools[${i}].function.parameters`));
  const forced = tool_choice?.type && nameOf(tool_choice);
  if (forced && !tools.some((tool) => nameOf(tool) === forced)) refuse("tool_choice", `the tool '${forced}' is not in 'tools'`);
  calls(messages);
  const marked = JSON.stringify(body).split('"cache_control":').length - 1;
  if (marked > 4) refuse("cache_control", `A maximum of 4 blocks with cache_control may be provided. Found ${marked}.`);
  if (reasoning) messages.forEach((message, i) => thoughts(message, `messages[${i}]`, issued, reasoning));
}

// generation refuses what OpenAI's reasoning models refuse.
function generation({ model, tools, reasoning_effort, ...body }) {
  if (!/^gpt-5/.test(model)) return;
  for (const field of ["max_tokens", "stop", "temperature", "top_p"]) if (field in body) refuse(field, "Unsupported parameter: is not supported with this model");
  if (/^gpt-5\.[456]/.test(model) && tools && reasoning_effort !== "none") refuse("reasoning_effort", "Function tools with reasoning_effort are not supported in /v1/chat/completions");
}

// elsewhere refuses what servers refuse that render a model's chat template and know functions only. vLLM and llama.cpp with
// Qwen3.5 and 3.6 refuse a system message behind another one (vllm-project/vllm#41114, SillyTavern/SillyTavern#5276), vLLM with
// Mistral's models two messages of a role (vllm-project/vllm#6862). The server of voideditor/void#128 refused an unknown field.
function elsewhere({ messages, tools = [], ...body }) {
  for (const field of ["verbosity", "service_tier", "safety_identifier", "prompt_cache_key", "store"]) if (field in body) refuse(field, "unknown field");
  tools.forEach(({ type }, i) => type === "function" || refuse(`tools[${i}].type`, "must be function"));
  messages.forEach(({ role, tool_calls = [] }, i) => {
    const path = `messages[${i}]`;
    if (role === "developer" || (role === "system" && i > 0)) refuse(path, "System message must be at the beginning");
    if (["user", "assistant"].includes(role) && messages[i - 1]?.role === role) refuse(path, "Conversation roles must alternate");
    for (const { type } of tool_calls) if (type !== "function") refuse(path, "a call must be one of a function");
  });
}

// calls demands that each call has its result before the next message of another role, and that each result has a call.
function calls(messages) {
  const isNew = unique("tool_calls[].id");
  let open = [];
  const answered = (path) => open.length > 0 && refuse(path, `an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id': ${open}`);
  messages.forEach(({ role, content, refusal, tool_calls, tool_call_id }, i) => {
    const path = `messages[${i}]`;
    if (role === "tool") {
      if (!open.includes(tool_call_id)) refuse(path, `messages with role 'tool' must be a response to a preceding message with 'tool_calls': ${tool_call_id}`);
      open = open.filter((id) => id !== tool_call_id);
      return;
    }
    answered(path);
    if (role === "assistant" && (content ?? null) === null && !tool_calls && !refusal) refuse(`${path}.content`, "must be set, unless there are 'tool_calls'");
    open = (tool_calls ?? []).map(({ id }) => id);
    open.forEach((id) => isNew(id, path));
  });
  answered("messages");
}

// thoughts demands that reasoning_details are what was issued (signed text, or data that only the vendor can read), and that the
// reasoning in front of calls comes back.
function thoughts({ reasoning_content, reasoning_details = [], tool_calls = [] }, path, issued, reasoning) {
  const known = reasoning === "reasoning_details" ? reasoning_details : [];
  known.forEach(({ type, text, signature, data }, i) => {
    const good = type === "reasoning.text" ? issued.blobs.get(signature) === text : type === "reasoning.encrypted" && issued.blobs.has(data);
    if (!good) refuse(`${path}.reasoning_details[${i}]`, "is none of this upstream's");
  });
  for (const { text, blob } of tool_calls.flatMap(({ id }) => issued.before.get(id) ?? [])) {
    const back = blob ? reasoning_details.some(({ signature, data }) => blob === (signature ?? data)) : reasoning_content === text;
    if (!back) refuse(path, "the reasoning of a turn with tool calls must be passed back");
  }
}

// refusal returns the body of the 400.
export const refusal = ({ message, path }) => ({ error: { message, type: "invalid_request_error", param: path || null, code: null } });
