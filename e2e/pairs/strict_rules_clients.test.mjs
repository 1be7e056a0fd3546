// The clients of lib/strict are tested themselves: a good stream is read; with one thing changed it is refused.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Codex, found } from "../lib/strict/codex.mjs";
import { Failed, read } from "../lib/strict/codex_stream.mjs";
import { play } from "../lib/responses.mjs";

const func = (name) => ({ type: "function", name });
const tools = [{ type: "namespace", name: "ns", tools: [func("echo")] }, { type: "custom", name: "patch" }, { type: "tool_search" }, { type: "local_shell" }];
const turn = {
  reasoning: [{ id: "rs_1", text: "Hm.", blob: "gAAA" }],
  text: "Let me see.",
  calls: [
    { id: "call_1", name: "echo", namespace: "ns", input: { a: 1 } },
    { id: "call_2", name: "patch", kind: "custom", input: "x y" },
    { id: "call_3", name: "tool_search", kind: "search", input: { query: "x" } },
    { id: "call_4", name: "local_shell", kind: "shell", input: ["ls"] },
  ],
  usage: { input: 1, cached: 2, output: 3 },
};

// streamOf returns the events of a turn.
function streamOf(turn) {
  let events;
  play({ json: { model: "gpt-5.5", stream: true, input: [], tools }, stream: (chunks) => (events = chunks.map((chunk) => JSON.parse(chunk.split("data: ")[1]))) }, turn);
  return events;
}

const framed = (events) => events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");

describe("a stream for Codex", () => {
  test("a good one", () => assert.equal(read(framed(streamOf(turn))).items.length, 6));

  const done = (events) => events.filter(({ type }) => type === "response.output_item.done").map(({ item }) => item);
  const end = (events) => events.at(-1);
  for (const [wrong, change] of [
    ["no end", (e) => e.pop()],
    ["an end without an id", (e) => delete end(e).response.id],
    ["an end with another id", (e) => (end(e).response.id = "resp_2")],
    ["an end without usage", (e) => delete end(e).response.usage],
    ["usage without a total", (e) => delete end(e).response.usage.total_tokens],
    ["a wrong total", (e) => (end(e).response.usage.total_tokens = 1)],
    ["empty details of the input", (e) => (end(e).response.usage.input_tokens_details = {})],
    ["empty details of the output", (e) => (end(e).response.usage.output_tokens_details = {})],
    ["an end without the output", (e) => (end(e).response.output = [])],
    ["an end that says it is incomplete", (e) => (end(e).response.status = "incomplete")],
    ["something behind the end", (e) => e.push({ type: "response.output_text.delta", sequence_number: e.length })],
    ["a number twice", (e) => (e[3].sequence_number = 2)],
    ["an item that is not done", (e) => e.splice(e.findIndex(({ type }) => type === "response.output_item.done"), 1)],
    ["an item at another place", (e) => e.forEach((event) => (event.output_index &&= event.output_index + 1))],
    ["a reasoning item without a summary", (e) => delete done(e)[0].summary],
    ["a message without a role", (e) => delete done(e)[1].role],
    ["a message without its phase", (e) => delete done(e)[1].phase],
    ["a final answer in front of calls", (e) => (done(e)[1].phase = "final_answer")],
    ["a message without annotations", (e) => delete done(e)[1].content[0].annotations],
    ["a text that its pieces are not", (e) => (done(e)[1].content[0].text = "Let me.")],
    ["a call without call_id", (e) => delete done(e)[2].call_id],
    ["a call without a name", (e) => delete done(e)[2].name],
    ["a call that is in progress", (e) => (done(e)[2].status = "in_progress")],
    ["arguments that are an object", (e) => (done(e)[2].arguments = { a: 1 })],
    ["arguments that their pieces are not", (e) => (done(e)[2].arguments = '{"a":2}')],
    ["an undocumented member", (e) => (done(e)[2].kind = "function")],
    ["free text that its pieces are not", (e) => (done(e)[3].input = "x")],
    ["free text as arguments", (e) => ((done(e)[3].arguments = done(e)[3].input), delete done(e)[3].input)],
    ["a search with arguments in a string", (e) => (done(e)[4].arguments = "{}")],
    ["a search by nobody", (e) => delete done(e)[4].execution],
    ["a shell without a command", (e) => (done(e)[5].action.command = [])],
    ["a shell with a command in a string", (e) => (done(e)[5].action.command = "ls")],
    ["a shell without env", (e) => delete done(e)[5].action.env],
    ["an unknown item", (e) => (done(e)[5].type = "shell")],
  ]) {
    test(wrong, () => {
      const events = streamOf(turn);
      change(events);
      assert.throws(() => read(framed(events)));
    });
  }

  for (const [ending, code] of [["failed", "server_error"], ["incomplete", "incomplete"]]) {
    test(`response.${ending}`, () => {
      const events = streamOf({ ...turn, calls: [] });
      const { response } = Object.assign(end(events), { type: `response.${ending}` });
      for (const item of [done(events)[1], response.output[1]]) item.status = "incomplete";
      Object.assign(response, { status: ending, error: { code: "server_error", message: "x" }, incomplete_details: { reason: "x" } });
      assert.throws(() => read(framed(events)), (err) => err instanceof Failed && err.code === code);
      response.output[1].status = "completed";
      assert.throws(() => read(framed(events)), assert.AssertionError, "what was cut is not complete");
    });
  }
});

describe("a call for Codex", () => {
  const json = '{"text":"x"}';
  const echo = { type: "function_call", namespace: "mcp__srv", name: "echo", arguments: json };
  const patch = { type: "custom_tool_call", name: "apply_patch", input: "x" };
  const now = { type: "function_call", namespace: "mcp__weather", name: "now", arguments: json };
  const codex = () => new Codex("", "gpt-5.5");

  test("good ones", () => {
    const learned = codex();
    learned.learn(found);
    for (const item of [echo, patch, now]) assert.equal(learned.callOf(item).name, item.name);
  });

  for (const [wrong, item] of [
    ["without its namespace", { ...echo, namespace: undefined }],
    ["with its namespace in its name", { ...echo, namespace: undefined, name: "mcp__srv__echo" }],
    ["with both", { ...echo, name: "mcp__srv__echo" }],
    ["of free text as a function", { ...patch, type: "function_call", arguments: json }],
    ["of a function with free text", { ...echo, type: "custom_tool_call", input: "x" }],
    ["of a tool that was not found yet", now],
    ["of a tool that was not offered", { type: "local_shell_call", action: { command: ["ls"] } }],
    ["with arguments that are no JSON", { ...echo, arguments: "{" }],
  ]) {
    test(wrong, () => assert.throws(() => codex().callOf(item)));
  }
});
