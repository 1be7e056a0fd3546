// Endpoints with usage and limits: upstreams that count tokens, and stored data about requests.
import assert from "node:assert/strict";
import { after, before, beforeEach } from "node:test";
import { open } from "./client.mjs";
import { enroll } from "./endpoints.mjs";
import { stateAt } from "./state.mjs";
import { start } from "./target.mjs";
import * as gemini from "./gemini.mjs";
import { message } from "./messages.mjs";
import { pathOf, smallest } from "./turns.mjs";
import { upstream } from "./upstream.mjs";
import { until } from "./waiting.mjs";

export const ADMIN_KEY = "admin-key-of-the-tests";

// midnight is the beginning of a day, 2026-11-21, in seconds since 1970.
export const midnight = 1795219200;

// counted is the usage in each upstream's answer.
export const counted = { input: 123, output: 40, cached: 20, reasoning: 7 };

const usages = {
  anthropic: {
    input_tokens: 100,
    cache_read_input_tokens: 20,
    cache_creation_input_tokens: 3,
    output_tokens: 40,
  },
  chat: {
    prompt_tokens: 123,
    completion_tokens: 40,
    total_tokens: 163,
    prompt_tokens_details: { cached_tokens: 20 },
    completion_tokens_details: { reasoning_tokens: 7 },
  },
  responses: {
    input_tokens: 123,
    input_tokens_details: { cached_tokens: 20 },
    output_tokens: 40,
    output_tokens_details: { reasoning_tokens: 7 },
    total_tokens: 163,
  },
  gemini: {
    promptTokenCount: 123,
    cachedContentTokenCount: 20,
    candidatesTokenCount: 33,
    thoughtsTokenCount: 7,
    totalTokenCount: 163,
  },
};

// plain returns a whole plain answer of an upstream.
export const plain = {
  anthropic: (usage = usages.anthropic) =>
    message({ content: [{ type: "text", text: "ok" }], stop_reason: "end_turn", usage }),
  chat: (usage = usages.chat) => ({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
    usage,
  }),
  responses: (usage = usages.responses) => ({
    id: "resp_1",
    object: "response",
    created_at: 1,
    status: "completed",
    model: "m",
    output: [item("completed", [{ type: "output_text", text: "ok", annotations: [] }])],
    usage,
  }),
  gemini: (usageMetadata = usages.gemini) =>
    gemini.chunk("gem-1", [{ text: "ok" }], {
      candidate: { finishReason: "STOP" },
      answer: { usageMetadata },
    }),
};

const item = (status, content) => ({ id: "msg_1", type: "message", role: "assistant", status, content });
const named = (events) => events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);

// streamed returns the chunks of a streamed answer. The first two chunks are the answer's
// beginning.
export const streamed = {
  anthropic: () =>
    named([
      {
        type: "message_start",
        message: message({ usage: { ...usages.anthropic, output_tokens: 1 } }),
      },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "ok" } },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: "end_turn", stop_sequence: null },
        usage: { output_tokens: 40 },
      },
      { type: "message_stop" },
    ]),
  chat: () => {
    const common = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m" };
    const chunk = (choices, more) => `data: ${JSON.stringify({ ...common, choices, ...more })}\n\n`;
    const delta = (delta, finish_reason = null) => chunk([{ index: 0, delta, finish_reason }]);
    return [
      delta({ role: "assistant", content: "" }),
      delta({ content: "ok" }),
      delta({}, "stop"),
      chunk([], { usage: usages.chat }),
      "data: [DONE]\n\n",
    ];
  },
  responses: () => {
    const response = { ...plain.responses(null), status: "in_progress", output: [] };
    const part = { item_id: "msg_1", output_index: 0, content_index: 0 };
    return named(
      [
        { type: "response.created", response },
        { type: "response.output_item.added", output_index: 0, item: item("in_progress", []) },
        {
          type: "response.content_part.added",
          ...part,
          part: { type: "output_text", text: "", annotations: [] },
        },
        { type: "response.output_text.delta", ...part, delta: "ok" },
        { type: "response.output_text.done", ...part, text: "ok" },
        {
          type: "response.content_part.done",
          ...part,
          part: { type: "output_text", text: "ok", annotations: [] },
        },
        {
          type: "response.output_item.done",
          output_index: 0,
          item: item("completed", [{ type: "output_text", text: "ok", annotations: [] }]),
        },
        { type: "response.completed", response: plain.responses() },
      ].map((event, sequence_number) => ({ ...event, sequence_number })),
    );
  },
  gemini: () =>
    [gemini.chunk("gem-1", [{ text: "o" }]), gemini.chunk("gem-1", [{ text: "k" }]), plain.gemini()].map(
      gemini.data,
    ),
};

// streams reports whether a request to an upstream asks for a stream.
const streams = (protocol, x) => (protocol === "gemini" ? gemini.streams(x) : x.json.stream);

// says returns a function that answers a request to an upstream of a protocol.
export const says = (protocol) => (x) =>
  streams(protocol, x) ? x.stream(streamed[protocol]()) : x.answer(200, plain[protocol]());

// through returns an upstream for an endpoint's record.
export const through = (protocol, up, more) => ({
  name: "up",
  protocol,
  url: ["anthropic", "gemini"].includes(protocol) ? up.url.replace(/\/v1$/, "") : up.url,
  ...more,
});

// suite gives the surrounding suite a worker with state, an upstream, f.up, and functions for
// endpoints.
export function suite({ state = true, ...options } = {}) {
  const f = {};
  let target;
  let made = 0;
  before(async () => {
    f.up = await upstream();
    target = await start(
      { ALLOW_HTTP_UPSTREAM: "true", ADMIN_KEY, SEAL_KEY: Buffer.alloc(32, 7).toString("base64") },
      { faults: true, state, ...options },
    );
    f.url = target.url;
    f.log = target.log;
    f.lines = target.lines;
    f.state = stateAt(f.url);
  });
  beforeEach(() => f.up.renew());
  after(async () => {
    await target?.close();
    await f.up?.close();
  });

  // endpoint makes a new endpoint with the given record.
  f.endpoint = async (record) => {
    const name = `e${++made}`;
    return { name, key: await enroll(f.url, name, record) };
  };

  // send sends a request of a client's protocol to an endpoint. at is the worker's time during the
  // request; panic and renewal are for the tests' hooks.
  f.send = (client, { name, key }, { body = {}, at, panic, renewal, headers = {} } = {}) =>
    open(f.url, {
      path: `/u/${name}${pathOf(client, body)}`,
      headers: {
        "x-api-key": key,
        ...(at && { "x-test-clock": String(at) }),
        ...(panic && { "x-test-panic": panic }),
        ...(renewal && { "x-test-renewal": String(renewal) }),
        ...headers,
      },
      body: Buffer.isBuffer(body) ? body : smallest[client](body),
    });

  // ask is send, and reads the whole answer.
  f.ask = async (...args) => {
    const reply = await f.send(...args).reply;
    return { ...reply, text: (await whole(reply.body)).toString() };
  };

  // usage reads an endpoint's usage, as the admin.
  f.usage = async ({ name }, { at, days } = {}) => {
    const reply = await open(f.url, {
      path: `/admin/api/endpoints/${name}/usage${days ? `?days=${days}` : ""}`,
      method: "GET",
      headers: { authorization: `Bearer ${ADMIN_KEY}`, ...(at && { "x-test-clock": String(at) }) },
    }).reply;
    const text = (await whole(reply.body)).toString();
    assert.equal(reply.status, 200, text);
    return JSON.parse(text);
  };

  // until reads the usage until fits accepts the usage, because a request's cost is counted after
  // the answer.
  f.until = (endpoint, options, fits) =>
    until(async () => {
      const usage = await f.usage(endpoint, options);
      return fits(usage) && usage;
    });

  // tables returns the tables for usage in an endpoint's object.
  f.tables = async ({ name }) =>
    (
      await f.state.batch(`endpoint:${name}`, ["SELECT name FROM sqlite_master WHERE name LIKE 'usage%'"])
    )[0].flat();
  return f;
}

// whole reads a body. If the body breaks off, whole throws.
export async function whole(body) {
  const parts = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

// requestsOf returns how many requests are counted.
export const requestsOf = ({ days }) => days.reduce((n, { requests }) => n + requests, 0);
