// Answers of a Gemini upstream, and readers of the requests to the upstream.
import { spoken } from "./calls.mjs";
import { halves } from "./messages.mjs";

export const data = (value) => `data: ${JSON.stringify(value)}\n\n`;

// streams reports whether a request asks for a stream. The path decides.
export const streams = ({ path }) => path.includes(":streamGenerateContent");

// modelOf returns the model in a path.
const modelOf = (path) => decodeURIComponent(/models\/([^:?]+):/.exec(path)[1]);

// signs reports whether the model in the path signs its answers.
const signs = ({ path }) => !/gemini-[12]\b|gemma/.test(modelOf(path));

export const chunk = (id, parts, more) => ({
  candidates: [{ content: { role: "model", parts }, index: 0, ...more?.candidate }],
  modelVersion: "upstream-model",
  responseId: id,
  ...more?.answer,
});

// play answers a request with a turn (lib/turns.mjs). Since Gemini 3, Google signs each answer: the
// first call, or else the text. The text's signature is on the text of a plain answer, and in a
// stream on an empty text in the last chunk (recorded from gemini-3-pro-preview).
export function play(x, { reasoning = [], text = "", calls, usage }) {
  const id = `gem-${x.json.contents.length}`;
  const thoughts = reasoning
    .filter(({ text }) => text)
    .flatMap(({ text }) => halves(text))
    .map((text) => ({ text, thought: true }));
  const blob = reasoning.at(-1)?.blob ?? "c2lnbmF0dXJl";
  const tools = offered(x.json);
  const made = calls.map((call, i) => {
    const { id, name, input } = spoken(call, tools);
    return { functionCall: { id, name, args: input }, ...(i === 0 && { thoughtSignature: blob }) };
  });
  const said = [text]
    .filter(Boolean)
    .flatMap(halves)
    .map((text) => ({ text }));
  const signed = made.length === 0 && (reasoning.length > 0 || signs(x)) && { thoughtSignature: blob };
  const parts = [...thoughts, ...said, ...made];
  const end = {
    candidate: { finishReason: "STOP" },
    answer: {
      usageMetadata: {
        promptTokenCount: usage.input + usage.cached,
        ...(usage.cached > 0 && { cachedContentTokenCount: usage.cached }),
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.cached + usage.output,
      },
    },
  };
  if (!streams(x)) {
    const rest = [...thoughts, ...(text || signed ? [{ text, ...signed }] : []), ...made];
    return x.answer(200, chunk(id, rest, end));
  }
  const last = data(chunk(id, [{ text: "", ...signed }], end));
  return x.stream([...parts.map((part) => data(chunk(id, [part]))), last]);
}

// failure returns the body of an error.
export const failure = (code, status, message) => ({ error: { code, message, status } });

// offered returns the tools visible to the model, name -> kind.
export const offered = ({ tools = [] }) =>
  new Map(tools.flatMap(({ functionDeclarations: list = [] }) => list).map(({ name }) => [name, "function"]));

// read returns the content of a request in the terms of lib/turns.mjs.
export function read({ tools = [], toolConfig, contents }, path) {
  const parts = contents.flatMap(({ parts }) => parts);
  const { mode, allowedFunctionNames: names } = toolConfig?.functionCallingConfig ?? {};
  return {
    model: modelOf(path),
    tools: tools
      .flatMap(({ functionDeclarations: list = [] }) => list)
      .map(({ name, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema })),
    forced: mode === "ANY" ? names?.[0] : undefined,
    calls: parts
      .filter(({ functionCall }) => functionCall)
      .map(({ functionCall: { id, name, args } }) => ({ id, name, input: args })),
    results: parts
      .filter(({ functionResponse }) => functionResponse)
      .map(({ functionResponse: { id, response } }) => ({
        id,
        // the AI SDK has a member of its own
        text: response.output ?? response.result ?? response.error ?? JSON.stringify(response),
      })),
  };
}
