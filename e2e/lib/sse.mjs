// Reads a client's stream strictly: a mistake that a lenient parser forgives is an error here.
import assert from "node:assert/strict";

// parse returns the events of a text. The text must be complete SSE events, with only comments
// between the events.
export function parse(text) {
  const events = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\n\n");
    assert.notEqual(end, -1, `stream ends inside an event: ${JSON.stringify(rest.slice(0, 200))}`);
    const event = parseEvent(rest.slice(0, end));
    if (event) events.push(event);
    rest = rest.slice(end + 2);
  }
  return events;
}

function parseEvent(block) {
  const lines = block.split("\n").filter((line) => !line.startsWith(":"));
  if (lines.length === 0) return null;
  assert.equal(lines.length, 2, `an event is one event: line and one data: line: ${JSON.stringify(block)}`);
  const name = /^event: ([\w.]+)$/.exec(lines[0]);
  const data = /^data: (.*)$/s.exec(lines[1]);
  assert.ok(name && data, `an event is one event: line and one data: line: ${JSON.stringify(block)}`);
  const value = JSON.parse(data[1]);
  assert.equal(value.type, name[1], "event: line and data.type differ");
  return value;
}

// reader reads a stream's events one by one. At the end next() resolves with null.
export function reader(body) {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const chunks = body[Symbol.asyncIterator]();
  let rest = "";
  return {
    async next() {
      for (;;) {
        const end = rest.indexOf("\n\n");
        if (end >= 0) {
          const event = parseEvent(rest.slice(0, end));
          rest = rest.slice(end + 2);
          if (event) return event;
          continue;
        }
        const { done, value } = await chunks.next();
        if (done) {
          assert.equal(rest, "", "stream ends inside an event");
          return null;
        }
        rest += decoder.decode(value, { stream: true });
      }
    },
    // find skips to the next event of a type, and resolves with the event.
    async find(type) {
      for (;;) {
        const event = await this.next();
        assert.ok(event, `stream ended before ${type}`);
        if (event.type === type) return event;
        assert.notEqual(event.type, "error", JSON.stringify(event));
      }
    },
    // rest resolves with all events up to the end.
    async rest() {
      const events = [];
      for (let event; (event = await this.next());) events.push(event);
      return events;
    },
  };
}

const stopReasons = [
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "model_context_window_exceeded",
  "compaction",
];

// errorTypes are the types of the Messages API's ErrorResponse, and request_too_large and
// overloaded_error, which appear in HTTP errors.
const errorTypes = [
  "invalid_request_error",
  "authentication_error",
  "billing_error",
  "permission_error",
  "not_found_error",
  "request_too_large",
  "rate_limit_error",
  "timeout_error",
  "overloaded_error",
  "api_error",
];

// keys asserts that value has the required keys, and no undocumented key: clients store blocks and
// send them back.
function keys(what, value, required, optional = []) {
  assert.equal(typeof value, "object", what);
  assert.ok(value !== null && !Array.isArray(value), what);
  for (const key of required) assert.ok(key in value, `${what}: ${key} is missing`);
  for (const key of Object.keys(value))
    assert.ok(required.includes(key) || optional.includes(key), `${what}: ${key} is not in the API`);
}

const string = (what, value) => assert.equal(typeof value, "string", what);
const count = (what, value) => assert.ok(Number.isInteger(value) && value >= 0, `${what}: ${value}`);

function checkUsage(what, usage, required) {
  const counts = ["input_tokens", "output_tokens", "cache_creation_input_tokens", "cache_read_input_tokens"];
  keys(what, usage, required, [
    ...counts,
    "cache_creation",
    "inference_geo",
    "output_tokens_details",
    "server_tool_use",
    "service_tier",
    "speed",
    "iterations",
  ]);
  for (const one of usage.iterations ?? []) {
    assert.ok(["compaction", "message"].includes(one.type), `iteration of the type ${one.type}`);
    keys(`${what}.iterations`, one, ["type", ...counts, "cache_creation"], ["model"]);
    for (const key of counts) count(`${what}.iterations.${key}`, one[key]);
  }
  for (const key of counts)
    if (usage[key] != null || required.includes(key)) count(`${what}.${key}`, usage[key]);
}

const messageKeys = ["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"];
const messageExtras = ["container", "context_management", "diagnostics", "stop_details"];

// checkEdits asserts the shape of an answer's report of edits of the history, if the answer has a
// report.
function checkEdits(value) {
  if (value == null) return;
  keys("context_management", value, ["applied_edits"]);
  for (const edit of value.applied_edits) {
    keys("applied edit", edit, ["type", "cleared_tool_uses", "cleared_input_tokens"]);
    assert.equal(edit.type, "clear_tool_uses_20250919");
    assert.ok(edit.cleared_tool_uses > 0);
    count("cleared_input_tokens", edit.cleared_input_tokens);
  }
}

const blockKinds = {
  text: {
    start: (block) => {
      keys("text block", block, ["type", "text"], ["citations"]);
      assert.equal(block.text, "");
    },
    deltas: {
      text_delta: (block, delta) => (block.text += textOf(delta, "text")),
      citations_delta: (block, delta) => {
        keys(delta.type, delta, ["type", "citation"]);
        (block.citations ??= []).push(delta.citation);
      },
    },
    stop: (block) => assert.notEqual(block.text, "", "empty text block"),
  },
  thinking: {
    start: (block) => {
      keys("thinking block", block, ["type", "thinking", "signature"]);
      assert.equal(block.thinking, "");
      assert.equal(block.signature, "");
    },
    deltas: {
      thinking_delta: (block, delta) => (block.thinking += textOf(delta, "thinking")),
      signature_delta: (block, delta) => (block.signature += textOf(delta, "signature")),
    },
    stop: () => {},
  },
  redacted_thinking: {
    start: (block) => {
      keys("redacted_thinking block", block, ["type", "data"]);
      assert.notEqual(block.data, "");
    },
    deltas: {},
    stop: () => {},
  },
  compaction: {
    start: (block) => {
      keys("compaction block", block, ["type", "content", "encrypted_content"]);
      assert.deepEqual([block.content, block.encrypted_content], [null, null]);
    },
    deltas: {
      compaction_delta: (block, delta) => {
        keys(delta.type, delta, ["type", "content", "encrypted_content"]);
        assert.equal(block.content, null, "one delta has all of a summary");
        Object.assign(block, { content: delta.content, encrypted_content: delta.encrypted_content });
      },
    },
    stop: (block) => string("compaction content", block.content),
  },
  tool_use: called("tool_use"),
  server_tool_use: called("server_tool_use"),
  web_search_tool_result: {
    start: (block) => {
      keys("web_search_tool_result block", block, ["type", "tool_use_id", "content"], ["caller"]);
      for (const hit of block.content)
        keys("web_search_result", hit, ["type", "url", "title", "encrypted_content"], ["page_age"]);
    },
    deltas: {},
    stop: () => {},
  },
  tool_search_tool_result: {
    start: ({ content, ...block }) => {
      keys("tool_search_tool_result block", block, ["type", "tool_use_id"]);
      if (content.type === "tool_search_tool_result_error")
        return keys("tool search error", content, ["type", "error_code", "error_message"]);
      assert.equal(content.type, "tool_search_tool_search_result");
      keys("tool search result", content, ["type", "tool_references"]);
      for (const found of content.tool_references) {
        keys("tool_reference", found, ["type", "tool_name"]);
        assert.equal(found.type, "tool_reference");
      }
    },
    deltas: {},
    stop: () => {},
  },
};

// called returns the shape of a call, of a tool that the client or the API runs.
function called(type) {
  return {
    start: (block) => {
      keys(`${type} block`, block, ["type", "id", "name", "input"], ["caller"]);
      assert.match(block.id, /^[a-zA-Z0-9_-]+$/);
      string(`${type} name`, block.name);
      assert.deepEqual(block.input, {});
    },
    deltas: { input_json_delta: (block, delta, state) => (state.json += textOf(delta, "partial_json")) },
    stop: (block, state) => {
      block.input = state.json === "" ? {} : JSON.parse(state.json);
      assert.ok(
        typeof block.input === "object" && block.input !== null && !Array.isArray(block.input),
        "tool input is no object",
      );
    },
  };
}

function textOf(delta, key) {
  keys(delta.type, delta, ["type", key]);
  string(delta.type, delta[key]);
  return delta[key];
}

// checkError asserts the shape of an error, in an answer or a stream.
export function checkError(value) {
  keys("error event", value, ["type", "error"], ["request_id"]);
  assert.equal(value.type, "error");
  keys("error", value.error, ["type", "message"], ["details"]);
  assert.ok(errorTypes.includes(value.error.type), `error type ${value.error.type}`);
  assert.ok(
    typeof value.error.message === "string" && value.error.message.trim() !== "",
    "error without a message",
  );
  return value.error;
}

// wholes has the members of blocks in a plain answer.
const wholes = {
  text: ["text"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
  compaction: ["content", "encrypted_content"],
  tool_use: ["id", "name", "input"],
  server_tool_use: ["id", "name", "input"],
  web_search_tool_result: ["tool_use_id", "content"],
  tool_search_tool_result: ["tool_use_id", "content"],
};

// checkMessage asserts the shape of a plain answer, and returns the answer.
export function checkMessage(message) {
  keys("message", message, messageKeys, messageExtras);
  assert.equal(message.type, "message");
  assert.equal(message.role, "assistant");
  string("message.model", message.model);
  assert.ok(typeof message.id === "string" && message.id !== "", "message.id");
  assert.ok(stopReasons.includes(message.stop_reason), `stop_reason ${message.stop_reason}`);
  checkUsage("usage", message.usage, ["input_tokens", "output_tokens"]);
  checkEdits(message.context_management);
  for (const block of message.content) {
    assert.ok(block.type in wholes, `block type ${block.type}`);
    keys(`${block.type} block`, block, ["type", ...wholes[block.type]], ["citations", "caller"]);
  }
  return message;
}

// fold asserts the grammar of RawMessageStreamEvent and returns the message that the events build,
// and the error, if the stream ended with an error:
//
//	message_start (content_block_start content_block_delta* content_block_stop)* message_delta message_stop
//
// ping may appear anywhere, and error may end the stream at any position.
export function fold(events) {
  const blocks = [];
  let message = null;
  let open = null;
  let state = null;
  let phase = "start";
  let error = null;
  for (const event of events) {
    const at = `${event.type} after ${phase}`;
    assert.ok(phase !== "end", at);
    switch (event.type) {
      case "ping":
        keys("ping", event, ["type"]);
        break;
      case "error":
        error = checkError(event);
        phase = "end";
        break;
      case "message_start":
        assert.equal(phase, "start", at);
        keys(at, event, ["type", "message"]);
        message = structuredClone(event.message);
        keys("message", message, messageKeys, messageExtras);
        assert.equal(message.type, "message");
        assert.equal(message.role, "assistant");
        assert.ok(typeof message.id === "string" && message.id !== "", "message.id");
        string("message.model", message.model);
        assert.deepEqual(message.content, []);
        assert.equal(message.stop_reason, null);
        assert.equal(message.stop_sequence, null);
        checkUsage("message_start usage", message.usage, ["input_tokens", "output_tokens"]);
        message.content = blocks;
        phase = "blocks";
        break;
      case "content_block_start": {
        assert.ok(phase === "blocks" && open === null, at);
        keys(at, event, ["type", "index", "content_block"]);
        assert.equal(event.index, blocks.length, "index has a gap");
        const kind = blockKinds[event.content_block.type];
        assert.ok(kind, `block type ${event.content_block.type}`);
        kind.start(event.content_block);
        open = structuredClone(event.content_block);
        state = { json: "" };
        blocks.push(open);
        break;
      }
      case "content_block_delta": {
        assert.ok(open, at);
        keys(at, event, ["type", "index", "delta"]);
        assert.equal(event.index, blocks.length - 1, "delta of another block");
        const add = blockKinds[open.type].deltas[event.delta.type];
        assert.ok(add, `${event.delta.type} in a ${open.type} block`);
        add(open, event.delta, state);
        break;
      }
      case "content_block_stop":
        assert.ok(open, at);
        keys(at, event, ["type", "index"]);
        assert.equal(event.index, blocks.length - 1, "stop of another block");
        blockKinds[open.type].stop(open, state);
        open = null;
        break;
      case "message_delta":
        assert.ok(phase === "blocks" && open === null, at);
        keys(at, event, ["type", "delta", "usage"], ["context_management"]);
        checkEdits(event.context_management);
        if (event.context_management) message.context_management = event.context_management;
        keys(
          "message_delta.delta",
          event.delta,
          ["stop_reason", "stop_sequence"],
          ["container", "stop_details"],
        );
        assert.ok(stopReasons.includes(event.delta.stop_reason), `stop_reason ${event.delta.stop_reason}`);
        checkUsage("message_delta usage", event.usage, ["output_tokens"]);
        Object.assign(message, event.delta);
        for (const [key, value] of Object.entries(event.usage))
          if (value !== null) message.usage[key] = value;
        phase = "delta";
        break;
      case "message_stop":
        assert.equal(phase, "delta", at);
        keys(at, event, ["type"]);
        phase = "end";
        break;
      default:
        assert.fail(`unknown event ${event.type}`);
    }
  }
  assert.equal(phase, "end", `stream ends after ${phase} without message_stop or error`);
  const calls = blocks.filter((block) => block.type === "tool_use");
  assert.equal(
    new Set(calls.map((block) => block.id)).size,
    calls.length,
    "two tool_use blocks with the same id",
  );
  if (!error && message.stop_reason === "end_turn")
    assert.equal(calls.length, 0, "end_turn behind a tool_use block");
  if (!error && message.stop_reason === "tool_use")
    assert.notEqual(calls.length, 0, "tool_use without a tool_use block");
  return { message, error };
}
