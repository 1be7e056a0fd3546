// A client that does what Codex does: it sends developer messages and tools of all kinds, runs what the model calls, and gives
// each item back as it came. It throws where Codex would ignore something, or end the session.
import assert from "node:assert/strict";
import { CLIENT_KEY, ask } from "../client.mjs";
import { Failed, read } from "./codex_stream.mjs";

export { Failed };

const says = (role, ...texts) => ({ type: "message", role, content: texts.map((text) => ({ type: "input_text", text })) });

const parameters = (...names) => ({
  type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string", encrypted: true }])), required: names, additionalProperties: false,
});
const func = (name, ...names) => ({ type: "function", name, description: `It can ${name}.`, strict: false, parameters: parameters(...names) });
const custom = (name) => ({ type: "custom", name, description: `It can ${name}.`, format: { type: "grammar", syntax: "lark", definition: 'start: "x" /.+/s' } });
const namespace = (name, ...tools) => ({ type: "namespace", name, description: `Tools of ${name}.`, tools });
const web = { type: "web_search", external_web_access: true };

// found is the result of a search for tools.
export const found = [namespace("mcp__weather", { ...func("now", "city"), defer_loading: true })];

// versions are the requests of Codex for kinds of models, without their input.
export const versions = {
  "gpt-5.5": {
    prompt: [says("developer", "You are Codex."), says("developer", "<permissions>", "<apps>")],
    more: { reasoning: { effort: "medium" }, include: ["reasoning.encrypted_content"], text: { verbosity: "low" }, parallel_tool_calls: true },
    tools: [
      func("exec_command", "cmd"),
      custom("apply_patch"),
      namespace("mcp__srv", func("echo", "text"), func("get__all", "text")),
      { type: "tool_search", execution: "client", description: "# Tool discovery", parameters: parameters("query") },
      web,
    ],
  },
  "gpt-6": {
    prompt: [
      { type: "additional_tools", role: "developer", tools: [namespace("functions", custom("exec"), func("wait", "id")), namespace("mcp__srv", func("echo", "text")), web] },
      says("developer", "You are Codex."),
    ],
    more: { reasoning: { effort: "low", context: "all_turns" }, include: ["reasoning.encrypted_content"], parallel_tool_calls: false },
  },
  "codex-mini-latest": {
    prompt: [says("user", "<environment_context>")],
    more: { instructions: "You are Codex.", reasoning: null, include: [], parallel_tool_calls: false },
    tools: [{ type: "local_shell" }, func("update_plan", "plan")],
  },
  "claude-sonnet-4-5": {
    prompt: [says("developer", "You are Codex.")],
    more: { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"], parallel_tool_calls: true },
    tools: [func("exec_command", "cmd"), custom("apply_patch"), namespace("mcp__srv", func("echo", "text"))],
  },
};

// kinds are the items that call a tool, each with the kind of tool, its input, and the item that answers it.
const kinds = {
  function_call: { kind: "function", input: ({ arguments: json }) => JSON.parse(json), answer: (output) => ({ type: "function_call_output", output }) },
  custom_tool_call: { kind: "custom", input: ({ input }) => input, answer: (output) => ({ type: "custom_tool_call_output", output }) },
  tool_search_call: {
    kind: "search", input: ({ arguments: object }) => object,
    answer: (tools) => ({ type: "tool_search_output", status: "completed", execution: "client", tools }),
  },
  local_shell_call: { kind: "shell", input: ({ action }) => action.command, answer: (output) => ({ type: "function_call_output", output }) },
};

// Codex is one session at an endpoint, whose url may be changed between turns. run({ kind, namespace, name, input }) runs a tool.
// steer may be set to the items that come in while tools run, a list for each turn.
export class Codex {
  constructor(url, model, run, key = CLIENT_KEY) {
    const { prompt, more, tools } = versions[model];
    Object.assign(this, { url, key, model, run, more, tools, input: [...prompt] });
    this.callable = new Set();
    this.learn(tools ?? []);
    for (const { tools } of prompt) this.learn(tools ?? []);
  }

  // learn notes which tools may be called.
  learn(tools, namespace) {
    for (const { type, name, tools: inside } of tools) {
      if (type === "namespace") this.learn(inside, name);
      else this.callable.add(callKey({ kind: type.replace("tool_", "").replace("local_", ""), namespace, name }));
    }
  }

  // say asks the question, runs what the model calls until it calls nothing more, and returns its last text.
  async say(question, more) {
    this.input.push(...[question].flat().map((part) => (typeof part === "string" ? says("user", part) : part)));
    for (;;) {
      const { items } = await this.ask(more);
      this.input.push(...items.map((item) => (item.type === "reasoning" ? { content: null, encrypted_content: null, ...item } : item)));
      const calls = items.filter(({ type }) => type in kinds);
      if (calls.length === 0) return items.flatMap(({ content = [] }) => content.map(({ text, refusal }) => text ?? refusal)).join("");
      for (const item of calls) {
        const call = this.callOf(item);
        const output = await this.run(call);
        if (call.kind === "search") this.learn(output);
        this.input.push({ call_id: item.call_id, ...kinds[item.type].answer(output) });
      }
      this.input.push(...(this.steer?.shift() ?? []));
    }
  }

  // callOf returns what an item calls: a tool that was offered, by its kind, its namespace and its name.
  callOf({ namespace, name, ...item }) {
    const { kind, input } = kinds[item.type];
    const call = { kind, ...(namespace && { namespace }), ...(name && { name }), input: input(item) };
    assert.ok(this.callable.has(callKey(call)), `unsupported call: ${callKey(call)}`);
    return call;
  }

  // ask sends the session and returns the items that come.
  async ask(more) {
    const body = {
      model: this.model, stream: true, store: false, tool_choice: "auto", prompt_cache_key: "0199-e2e",
      client_metadata: { session_id: "0199-e2e", "x-codex-turn-metadata": "{}" }, ...this.more,
      ...(this.tools && { tools: this.tools }), input: this.input, ...more,
    };
    const { status, text, headers } = await ask(this.url, { path: "/v1/responses", headers: { authorization: `Bearer ${this.key}`, accept: "text/event-stream" }, body });
    this.lost = headers["x-edgelingua-lost"];
    if (status === 200) return read(text);
    const { error } = JSON.parse(text);
    throw new Failed(error.code ?? status, `${status}: ${error.message}`);
  }
}

const callKey = ({ kind, namespace = "", name = "" }) => `${kind} ${namespace}.${name}`;
