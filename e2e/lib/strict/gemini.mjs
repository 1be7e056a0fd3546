// What Google refuses of a generateContent request (its words for each: see translator/gemini), as far as its documentation and its servers' answers say.
import { Refusal } from "./shape.mjs";

export const PARTS = ["text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData", "toolCall", "toolResponse"];
export const MEMBERS = {
  request: ["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "serviceTier", "labels", "store"],
  content: ["role", "parts"],
  tool: ["functionDeclarations", "googleSearch", "urlContext", "codeExecution"],
  function: ["name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema", "behavior"],
  config: [
    "maxOutputTokens", "temperature", "topP", "topK", "presencePenalty", "frequencyPenalty", "seed", "stopSequences", "candidateCount", "responseMimeType", "responseSchema",
    "responseJsonSchema", "responseModalities", "responseLogprobs", "logprobs", "thinkingConfig", "mediaResolution", "speechConfig",
  ],
  call: ["id", "name", "args"],
  response: ["id", "name", "response", "parts"],
  schema: [
    "type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required", "minProperties", "maxProperties", "minLength", "maxLength",
    "pattern", "example", "anyOf", "propertyOrdering", "default", "items", "minimum", "maximum",
  ],
};

// signs reports whether a model wants the signatures of calls back: all but those before Gemini 3.
const signs = (model) => !/gemini-[12]\b|gemma/.test(model);

// complaint returns why Google refuses a body for a model, "" where it takes it.
export function complaint(body, model) {
  try {
    check(body, undefined, { path: `/models/${model}:` });
    return "";
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

// refusal returns the body of the answer to a bad request.
export const refusal = ({ message }) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } });

function refuse(condition, words) {
  if (condition) throw new Refusal("", words);
}

const known = (object, kind, at) => Object.keys(object).forEach((key) => refuse(!MEMBERS[kind].includes(key), `Invalid JSON payload received. Unknown name "${key}" at '${at}': Cannot find field.`));

// check refuses a request that Google refuses. issued is what the answers before it have signed, which has to come back as it was.
export function check(body, issued, { path }) {
  const signed = signs(/models\/([^:]+):/.exec(path)[1]);
  known(body, "request", "");
  refuse(!(body.contents?.length > 0), "contents is not specified");
  known(body.generationConfig ?? {}, "config", "generation_config");
  (body.tools ?? []).forEach((tool, i) => {
    known(tool, "tool", `tools[${i}]`);
    const names = (tool.functionDeclarations ?? []).map((f, n) => {
      known(f, "function", `tools[${i}].function_declarations[${n}]`);
      refuse(!/^[a-zA-Z_][\w.:-]{0,63}$/.test(f.name), `[${n}].name: Invalid function name. Must start with a letter or an underscore.`);
      refuse(f.parameters && f.parametersJsonSchema, "parameters and parameters_json_schema are mutually exclusive");
      if (f.parameters) checkSchema(f.parameters, `tools[${i}].function_declarations[${n}].parameters`);
      return f.name;
    });
    refuse(new Set(names).size < names.length, "Duplicate function declaration found");
  });
  let called = [];
  const last = joined(body.contents).findLastIndex(({ role, parts }) => role === "user" && parts.some(({ text }) => text)); // signatures count from the user's last words on
  joined(body.contents).forEach(({ role, parts, ...rest }, i) => {
    known(rest, "content", `contents[${i}]`);
    refuse(!["user", "model"].includes(role), "Please use a valid role: user, model.");
    refuse(!(parts?.length > 0), `contents[${i}].parts must not be empty.`);
    refuse(i === 0 && role === "model", "Please ensure that function call turn comes immediately after a user turn or after a function response turn.");
    const results = parts.filter(({ functionResponse }) => functionResponse);
    refuse(results.length !== called.length, "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.");
    refuse(results.length > 0 && results.length < parts.length, "Please ensure that function response turn comes immediately after a function call turn.");
    const calls = parts.filter(({ functionCall }) => functionCall);
    refuse(calls.length > 0 && role !== "model", "function calls are the model's");
    refuse(signed && i > last && calls.length > 0 && !calls[0].thoughtSignature, "Function call is missing a thought_signature in functionCall parts.");
    parts.forEach((part, n) => checkPart(part, `contents[${i}].parts[${n}]`, signed, role === "user" || parts.length === 1));
    for (const { functionCall, thoughtSignature } of calls) {
      const [thought] = (signed && issued?.before.get(functionCall.id)) || [];
      refuse(thought && functionCall === calls[0].functionCall && thoughtSignature !== thought.blob, "Thought signature is not valid.");
    }
    called = calls;
  });
  refuse(called.length > 0, "Please ensure that function call turn comes immediately after a user turn or after a function response turn.");
}

// joined returns contents with those of the model in a row as one: a chat of @google/genai sends each chunk of a stream so, and Google takes it.
function joined(contents) {
  const all = [];
  for (const content of contents) {
    const before = all.at(-1);
    if (content.role === "model" && before?.role === "model") before.parts = [...before.parts, ...(content.parts ?? [])];
    else all.push({ ...content });
  }
  return all;
}

function checkPart(part, at, signed, alone) {
  Object.keys(part).forEach((key) => refuse(!PARTS.includes(key), `Invalid JSON payload received. Unknown name "${key}" at '${at}': Cannot find field.`));
  refuse(part.text === "" && !part.thoughtSignature && alone, "Unable to submit request because it has an empty text parameter.");
  refuse(!PARTS.some((key) => !key.startsWith("thought") && part[key] !== undefined), `${at}.data: required oneof field 'data' must have one initialized field`);
  if (part.functionCall) known(part.functionCall, "call", `${at}.function_call`);
  if (part.functionResponse) known(part.functionResponse, "response", `${at}.function_response`);
  refuse(!signed && (part.functionCall?.id || part.functionResponse?.id), `Invalid JSON payload received. Unknown name "id" at '${at}.function_call': Cannot find field.`);
  refuse(part.thoughtSignature && part.thoughtSignature.startsWith("ZWwxO"), "Base64 decoding failed for a thought signature of another vendor");
  refuse(part.functionResponse && (typeof part.functionResponse.response !== "object" || Array.isArray(part.functionResponse.response)), `Invalid value at '${at}.function_response.response'`);
}

function checkSchema(schema, at) {
  known(schema, "schema", at);
  Object.entries(schema.properties ?? {}).forEach(([name, inner]) => checkSchema(inner, `${at}.properties[${name}]`));
  if (schema.items) checkSchema(schema.items, `${at}.items`);
  (schema.anyOf ?? []).forEach((inner, i) => checkSchema(inner, `${at}.any_of[${i}]`));
}
