// The checks of lib/sse.mjs must refuse everything that a strict client refuses.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { message } from "./messages.mjs";
import { checkError, fold, parse } from "./sse.mjs";

// good returns a stream with a text and a tool call, as events for a test to change.
const good = () => [
  { type: "message_start", message: message({ usage: { input_tokens: 1, output_tokens: 0 } }) },
  { type: "ping" },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "a" } },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "tool_use", id: "call_1", name: "n", input: {} },
  },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"a":' } },
  { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "1}" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { input_tokens: 3, output_tokens: 5 },
  },
  { type: "message_stop" },
];
const failure = { type: "error", error: { type: "api_error", message: "m" } };
const write = (events) =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

test("a good stream", () => {
  const { message, error } = fold(parse(`: comment\n\n${write(good())}`));
  assert.equal(error, null);
  assert.deepEqual(message.content, [
    { type: "text", text: "a" },
    { type: "tool_use", id: "call_1", name: "n", input: { a: 1 } },
  ]);
  assert.deepEqual(message.usage, { input_tokens: 3, output_tokens: 5 });
});

test("an error may come at any point, and ends the stream", () => {
  for (let at = 0; at < good().length; at++) assert.ok(fold([...good().slice(0, at), failure]).error);
  assert.throws(() => fold([...good(), failure]));
  assert.throws(() => fold([failure, { type: "ping" }]));
});

describe("each event but the ping is needed", () => {
  for (const [at, { type }] of good().entries()) {
    if (type === "ping" || (type === "content_block_delta" && at === 7)) continue;
    test(`${at}: ${type}`, () => assert.throws(() => fold(good().toSpliced(at, 1))));
  }
});

describe("spoilt streams", () => {
  for (const [name, spoil] of [
    ["unknown event", (events) => events.splice(1, 0, { type: "noise" })],
    ["two message_start", (events) => events.splice(1, 0, events[0])],
    ["message_start without usage", (events) => delete events[0].message.usage],
    ["message_start with content", (events) => events[0].message.content.push({ type: "text", text: "" })],
    ["private field in a block", (events) => (events[2].content_block.extra = 1)],
    ["gap in the indexes", (events) => events.slice(5, 9).forEach((event) => (event.index = 2))],
    ["delta of another block", (events) => (events[3].index = 1)],
    ["delta of another kind", (events) => (events[3].delta = { type: "thinking_delta", thinking: "a" })],
    ["tool input that is no JSON", (events) => (events[7].delta.partial_json = "")],
    ["block inside a block", (events) => events.splice(4, 1)],
    ["unknown stop_reason", (events) => (events[9].delta.stop_reason = "stop")],
    ["end_turn behind a call", (events) => (events[9].delta.stop_reason = "end_turn")],
    ["no output_tokens at the end", (events) => delete events[9].usage.output_tokens],
    [
      "same id twice",
      (events) => {
        const again = structuredClone(events.slice(5, 9)).map((event) => ({ ...event, index: 2 }));
        events.splice(9, 0, ...again);
      },
    ],
  ]) {
    test(name, () => {
      const events = good();
      spoil(events);
      assert.throws(() => fold(events));
    });
  }
});

describe("spoilt framing", () => {
  for (const [name, text] of [
    ["no event: line", 'data: {"type":"ping"}\n\n'],
    ["no data: line", "event: ping\n\n"],
    ["another type in the data", 'event: ping\ndata: {"type":"message_stop"}\n\n'],
    ["data that is no JSON", "event: ping\ndata: {\n\n"],
    ["an end inside an event", 'event: ping\ndata: {"type":"ping"}\n'],
    ["two events in one", 'event: ping\ndata: {"type":"ping"}\ndata: {"type":"ping"}\n\n'],
  ]) {
    test(name, () => assert.throws(() => parse(text)));
  }
});

test("errors", () => {
  checkError(failure);
  for (const value of [
    { error: failure.error },
    { ...failure, error: { type: "api_error" } },
    { ...failure, error: { type: "api_error", message: "" } },
    { ...failure, error: { type: "server_error", message: "m" } },
    { ...failure, error: { ...failure.error, code: null } },
  ]) {
    assert.throws(() => checkError(value));
  }
});
