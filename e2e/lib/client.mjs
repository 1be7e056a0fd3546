// Two clients: the official SDK, and bare HTTP for tests that need more than the SDK shows or
// allows.
import Anthropic from "@anthropic-ai/sdk";
import assert from "node:assert/strict";
import http from "node:http";
import { checkError, fold, parse } from "./sse.mjs";

export const CLIENT_KEY = "client-key-e2e";
export const UPSTREAM_KEY = "upstream-key-e2e";

// params returns the smallest Messages request.
export const params = (more) => ({
  model: "claude-test",
  max_tokens: 64,
  messages: [{ role: "user", content: "hi" }],
  ...more,
});

// sdk returns the official client. Its member streams has the unparsed body of each streamed
// answer.
export function sdk(url, options) {
  const streams = [];
  const client = new Anthropic({
    apiKey: CLIENT_KEY,
    baseURL: url,
    maxRetries: 0,
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!/^text\/event-stream\b/.test(response.headers.get("content-type"))) return response;
      const seen = { text: "" };
      streams.push(seen);
      const decoder = new TextDecoder("utf-8", { fatal: true });
      const body = response.body.pipeThrough(
        new TransformStream({
          transform(chunk, controller) {
            seen.text += decoder.decode(chunk, { stream: true });
            controller.enqueue(chunk);
          },
        }),
      );
      return new Response(body, { status: response.status, headers: response.headers });
    },
    ...options,
  });
  return Object.assign(client, { streams });
}

// streamed runs a streamed request. It asserts the grammar of the events, and compares the SDK's
// message with the message of fold.
export async function streamed(client, request) {
  const message = await client.messages.stream(request).finalMessage();
  const seen = fold(parse(client.streams.at(-1).text));
  assert.equal(seen.error, null);
  assert.deepEqual(plainOf(message), plainOf(seen.message));
  return message;
}

// plainOf returns the members of a message that both fold and the SDK have; the SDK adds nulls.
function plainOf({ id, model, content, stop_reason, stop_sequence, usage }) {
  const blocks = content.map(({ type, text, thinking, signature, data, id, name, input }) => ({
    type,
    text,
    thinking,
    signature,
    data,
    id,
    name,
    input,
  }));
  const { input_tokens, output_tokens, cache_read_input_tokens } = usage;
  return {
    id,
    model,
    content: blocks,
    stop_reason,
    stop_sequence,
    usage: { input_tokens, output_tokens, cache_read_input_tokens },
  };
}

// open sends a request. reply resolves with the answer's head and body. abort resets the
// connection. close closes the connection. Until the server writes, a closed connection looks like
// a client that has nothing more to send.
export function open(
  url,
  { path = "/v1/messages", method = "POST", headers = { "x-api-key": CLIENT_KEY }, body } = {},
) {
  const req = http.request(new URL(path, url), {
    method,
    agent: false,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
  });
  const reply = new Promise((resolve, reject) => {
    req.on("error", reject);
    req.on("response", (res) => {
      res.on("error", () => {}); // the reader of the body gets the error too
      resolve({ status: res.statusCode, headers: res.headers, body: res });
    });
  });
  reply.catch(() => {}); // no caller may be waiting for the reply of an aborted request
  if (body === undefined) req.end();
  else if (body !== null)
    req.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  return {
    reply,
    abort: () => req.socket.resetAndDestroy(),
    close: () => req.destroy(),
    write: (part) => new Promise((resolve) => req.write(part, resolve)),
  };
}

// textOf reads a whole body. If the body breaks off, textOf throws.
export async function textOf(body) {
  const parts = [];
  for await (const part of body) parts.push(part);
  return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
}

// ask sends a request and reads the whole answer.
export async function ask(url, options) {
  const { status, headers, body } = await open(url, options).reply;
  return { status, headers, text: await textOf(body) };
}

// errorOf asserts an error answer in the format of Messages, and returns the error.
export function errorOf(answer, status, type) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"], /^application\/json\b/);
  const error = checkError(JSON.parse(answer.text));
  if (type) assert.equal(error.type, type);
  return error;
}
