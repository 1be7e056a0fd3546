// The result of a request in the client's view, read strictly: a whole answer, or an error in the
// client's format. All other results throw, above all a good end of an incomplete answer.
import assert from "node:assert/strict";
import { checkError, checkMessage, fold, parse } from "./sse.mjs";

// verdict reads the answer to a request and returns { text, calls: [{ name, input }] }, or { error:
// { type, message }, status, some }. some says that a part of the answer came before the error.
// call is a result of open of lib/client.mjs.
export async function verdict(protocol, stream, call) {
  const { status, headers, body } = await call.reply;
  const parts = [];
  for await (const part of body) parts.push(part); // throws if the connection breaks
  const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(parts));
  return verdictOf(protocol, stream, { status, headers, text });
}

// verdictOf returns the verdict on a complete answer.
export function verdictOf(protocol, stream, { status, headers, text }) {
  if (status !== 200) {
    assert.ok(status >= 400, `status ${status}`);
    assert.match(headers["content-type"], /^application\/json\b/);
    return { error: errors[protocol](JSON.parse(text)), status };
  }
  assert.match(headers["content-type"], stream ? /^text\/event-stream\b/ : /^application\/json\b/);
  return stream ? streams[protocol](text) : plains[protocol](JSON.parse(text));
}

// openAIError asserts the shape of an error of OpenAI's APIs.
function openAIError(value) {
  assert.deepEqual(Object.keys(value), ["error"]);
  assert.deepEqual(Object.keys(value.error).sort(), ["code", "message", "param", "type"]);
  assert.ok(typeof value.error.type === "string" && value.error.message.trim() !== "");
  return value.error;
}

const errors = { anthropic: checkError, chat: openAIError, responses: openAIError };

const ofMessage = ({ content }) => ({
  text: content.map(({ text }) => text ?? "").join(""),
  calls: content.filter(({ type }) => type === "tool_use").map(({ name, input }) => ({ name, input })),
});

function ofResponse({ status, output }) {
  assert.equal(status, "completed");
  for (const item of output) assert.equal(item.status, "completed");
  return {
    text: output.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(""),
    calls: output
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ name: item.name, input: JSON.parse(item.arguments) })),
  };
}

function ofChoice({ message, finish_reason }) {
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: json } }) => ({
    name,
    input: JSON.parse(json),
  }));
  assert.equal(finish_reason, calls.length > 0 ? "tool_calls" : "stop");
  return { text: message.content ?? "", calls };
}

const plains = {
  anthropic: (value) => ofMessage(checkMessage(value)),
  chat: ({ choices: [choice] }) => ofChoice(choice),
  responses: ofResponse,
};

const streams = {
  anthropic(text) {
    const { message, error } = fold(parse(text));
    return error ? { error, status: 200, some: message?.content.length > 0 } : ofMessage(message);
  },

  chat(text) {
    const message = { content: "", tool_calls: [] };
    let finish_reason = null;
    let error, done;
    assert.match(text, /(^|\n\n)$/, "the stream ends inside an event");
    for (const line of text.split("\n")) {
      if (line === "" || line.startsWith(":")) continue;
      assert.ok(!done && !error, `behind the end: ${line}`);
      assert.ok(line.startsWith("data: "), line);
      if (line === "data: [DONE]") {
        done = true;
        continue;
      }
      const value = JSON.parse(line.slice("data: ".length));
      if (value.error) {
        error = openAIError(value);
        continue;
      }
      for (const { delta, finish_reason: reason } of value.choices) {
        assert.equal(finish_reason, null, "a choice goes on behind its finish_reason");
        finish_reason = reason;
        message.content += delta.content ?? "";
        for (const { index, function: said } of delta.tool_calls ?? []) {
          const call = (message.tool_calls[index] ??= { function: { name: said.name, arguments: "" } });
          call.function.arguments += said.arguments ?? "";
        }
      }
    }
    if (error) {
      assert.equal(finish_reason, null, "an answer that failed has a finish_reason");
      return { error, status: 200, some: message.content !== "" };
    }
    assert.ok(done, "the stream ends without [DONE] or an error");
    return ofChoice({ message, finish_reason });
  },

  responses(text) {
    const events = parse(text);
    const last = events.at(-1);
    assert.deepEqual(
      events.map(({ sequence_number }) => sequence_number),
      [...events.keys()],
    );
    if (last?.type === "response.completed") return ofResponse(last.response);
    assert.equal(last?.type, "response.failed", "the stream ends without a terminal event");
    const { code, message } = last.response.error;
    assert.ok(message.trim() !== "");
    return {
      error: { type: code, message },
      status: 200,
      some: events.some(({ type }) => type.endsWith(".delta")),
    };
  },
};
