// What a Gemini upstream sends, and what it is sent.
import assert from "node:assert/strict";
import { spoken } from "./calls.mjs";
import { halves } from "./messages.mjs";

export const data = (value) => `data: ${JSON.stringify(value)}\n\n`;

// streams reports whether a request asks for a stream: its path says so.
export const streams = ({ path }) => path.includes(":streamGenerateContent");

// modelOf returns the model that a path names.
const modelOf = (path) => decodeURIComponent(/models\/([^:?]+):/.exec(path)[1]);

export const chunk = (id, parts, more) => ({ candidates: [{ content: { role: "model", parts }, index: 0, ...more?.candidate }], modelVersion: "upstream-model", responseId: id, ...more?.answer });

// play answers a request with a turn (lib/turns.mjs). Google's signatures stand at the first call of an answer, and behind a text without one.
// What a refusal says comes before Google stops the answer.
export function play(x, { reasoning = [], search, text = "", refusal = "", calls, stop, usage }) {
  const id = `gem-${x.json.contents.length}`;
  const thoughts = reasoning.filter(({ text }) => text).flatMap(({ text }) => halves(text)).map((text) => ({ text, thought: true }));
  const blob = reasoning.at(-1)?.blob ?? "c2lnbmF0dXJl";
  const tools = offered(x.json);
  const made = calls.map((call, i) => {
    const { id, name, input } = spoken(call, tools);
    return { functionCall: { id, name, args: input }, ...(i === 0 && { thoughtSignature: blob }) };
  });
  const said = [text, refusal].filter(Boolean).flatMap(halves).map((text) => ({ text }));
  const tail = made.length === 0 && reasoning.length > 0 ? [{ text: "", thoughtSignature: blob }] : [];
  const parts = [...thoughts, ...said, ...made, ...tail];
  const end = {
    candidate: { finishReason: stop === "length" ? "MAX_TOKENS" : refusal ? "SAFETY" : "STOP", ...(search && { groundingMetadata: found(x.json, search, text) }) },
    answer: {
      usageMetadata: {
        promptTokenCount: usage.input + usage.cached,
        ...(usage.cached > 0 && { cachedContentTokenCount: usage.cached }),
        candidatesTokenCount: usage.output,
        totalTokenCount: usage.input + usage.cached + usage.output,
      },
    },
  };
  if (!streams(x)) return x.answer(200, chunk(id, parts, end));
  return x.stream([...parts.map((part) => data(chunk(id, [part]))), data(chunk(id, [{ text: "" }], end))]);
}

// found returns what a search that Google has run says of a text.
function found({ tools = [] }, { query, title, url }, text) {
  assert.ok(tools.some(({ googleSearch }) => googleSearch), "there is a search to run");
  return {
    webSearchQueries: [query],
    groundingChunks: [{ web: { uri: url, title } }],
    groundingSupports: [{ segment: { endIndex: Buffer.byteLength(text), text }, groundingChunkIndices: [0] }],
  };
}

// failure returns the body of an error.
export const failure = (code, status, message) => ({ error: { code, message, status } });

// offered returns the tools that the model can see, name -> kind.
export const offered = ({ tools = [] }) => new Map(tools.flatMap(({ functionDeclarations: list = [] }) => list).map(({ name }) => [name, "function"]));

// read returns what a request says, in the words of lib/turns.mjs.
export function read({ tools = [], toolConfig, contents }, path) {
  const parts = contents.flatMap(({ parts }) => parts);
  const { mode, allowedFunctionNames: names } = toolConfig?.functionCallingConfig ?? {};
  return {
    model: modelOf(path),
    tools: tools.flatMap(({ functionDeclarations: list = [] }) => list).map(({ name, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema })),
    forced: mode === "ANY" ? names?.[0] : undefined,
    calls: parts.filter(({ functionCall }) => functionCall).map(({ functionCall: { id, name, args } }) => ({ id, name, input: args })),
    results: parts.filter(({ functionResponse }) => functionResponse).map(({ functionResponse: { id, response } }) => ({ id, text: response.output ?? response.result ?? response.error })),
  };
}
