// A client that does what Claude Code does: its prompts, its tools, some of which are deferred, its messages of the system, and
// its second try with a plain request. lib/sse.mjs, which forgives nothing, stands for its parser.
import assert from "node:assert/strict";
import { CLIENT_KEY, ask } from "../client.mjs";
import { checkError, checkMessage, fold, parse } from "../sse.mjs";

const ephemeral = { type: "ephemeral" };
const text = (text, more) => ({ type: "text", text, ...more });
const tool = (name, ...names) => ({
  name,
  description: `It can ${name}.`,
  input_schema: {
    $schema: "https://json-schema.org/draft/2020-12/schema", type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names, additionalProperties: false,
  },
});
const tools = [tool("Bash", "command"), tool("Read", "file_path"), tool("Task", "prompt"), tool("WebSearch", "query"), tool("StructuredOutput", "title")];
const deferred = [tool("WebFetch", "url"), tool("NotebookEdit", "path")];
const placeholder = { name: "DeferredToolPlaceholder", description: "Reserved placeholder; never call this tool.", input_schema: { type: "object", properties: {} }, defer_loading: true };

const always = ["claude-code-20250219", "interleaved-thinking-2025-05-14"];
const betas = [
  ...always, "context-management-2025-06-27", "mid-conversation-tool-changes-2026-07-01", "thinking-token-count-2026-05-13", "advanced-tool-use-2025-11-20",
  "effort-2025-11-24", "thinking-display-updates-2026-08-18",
];
const updates = { type: "adaptive", display: "updates" };

// versions are the requests of Claude Code for kinds of models and settings. system is the form of its messages of the system:
// null (it uses the user's), "blocks" or "string". perTurn is whether these have an effort of their own, search whether tools
// wait to be found.
const usual = { model: "claude-opus-5-5", max_tokens: 128000, thinking: updates, effort: "medium", system: "blocks", perTurn: true, search: true, betas: [...betas, "per-turn-control-2026-07-01"] };
export const versions = {
  "as it comes": usual,
  "of an unknown model": { ...usual, model: "gpt-5.1", max_tokens: 32000, effort: "high", perTurn: false, betas },
  "of a model with a budget": {
    ...usual, model: "claude-sonnet-4-5", max_tokens: 32000, thinking: { type: "enabled", budget_tokens: 31999, display: "updates" }, effort: undefined, system: null,
    betas: betas.filter((beta) => !/^(?:effort|mid-conversation)/.test(beta)),
  },
  "without experimental betas": { ...usual, thinking: { type: "adaptive" }, system: "string", perTurn: false, search: false, betas: [...always, "effort-2025-11-24"] },
  "without a search for tools": { ...usual, search: false, betas: usual.betas.filter((beta) => !/^advanced/.test(beta)) },
  "with little effort": { ...usual, effort: "low" },
  "with all effort": { ...usual, effort: "max" },
  "in a terminal": { ...usual, safeguards: [{ type: "dangerous_tool_use", classifier_context: { mode: "auto" } }], betas: [...usual.betas, "dangerous-tool-use-2026-09-03", "afk-mode-2026-01-31"] },
  "2.1.197": { ...usual, max_tokens: 64000, effort: "high", system: "string", perTurn: false, search: false, betas: [...betas.filter((beta) => !/^advanced/.test(beta)), "mid-conversation-system-2026-04-07", "prompt-caching-scope-2026-01-05"] },
};

// ClaudeCode is one session at an endpoint, whose url may be changed between turns. run(name, input) runs a tool and returns the
// content of its result. steer may be set to texts of the system that come in with results, one for each turn.
export class ClaudeCode {
  constructor(url, version, run, { prompt = "You are a Claude agent.", key = CLIENT_KEY } = {}) {
    Object.assign(this, { url, key, version: versions[version], run, prompt, messages: [], loaded: [] });
  }

  // say asks the questions, runs what the model calls until it calls nothing more, and returns its last text.
  async say(...questions) {
    this.messages.push({ role: "user", content: [text("<system-reminder>Mind."), ...questions.map((question) => (typeof question === "string" ? text(question) : question))] });
    if (this.messages.length === 1) this.addSystem("# Environment");
    for (;;) {
      const message = await this.ask();
      this.messages.push({ role: "assistant", content: message.content });
      const calls = message.content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) {
        this.stop = message.stop_reason;
        return message.content.map(({ text = "" }) => text).join("");
      }
      const results = await Promise.all(calls.map((call) => this.result(call)));
      this.messages.push({ role: "user", content: results.flat().sort((a, b) => (a.type === "text") - (b.type === "text")) });
      const later = this.steer?.shift();
      if (later) this.addSystem(later);
    }
  }

  // addSystem adds a text of the system behind the user's last message.
  addSystem(words) {
    const { system, perTurn, effort } = this.version;
    const blocks = [text(words)];
    if (!system) return this.messages.at(-1).content.push(text(`<system-reminder>${words}`));
    for (const message of this.messages) if (message.role === "system") message.content = message.content[0].text ?? message.content; // Claude Code sends earlier ones again as strings
    this.messages.push({ role: "system", ...(perTurn && { output_config: { effort } }), content: system === "string" ? words : blocks });
  }

  // tools are the tools that a request has.
  get tools() {
    if (!this.version.search) return [...tools, ...deferred];
    const found = deferred.filter(({ name }) => this.loaded.includes(name)).map((tool) => ({ ...tool, defer_loading: true }));
    return [...tools, tool("ToolSearch", "query"), ...found, placeholder];
  }

  // result runs a call and returns the blocks of its result. A search for tools gives references to the tools that it found.
  async result({ id, name, input }) {
    assert.ok(this.tools.some((tool) => tool.name === name && tool !== placeholder), `no such tool: ${name}`);
    const content = await this.run(name, input);
    if (name === "ToolSearch") this.loaded.push(...content);
    const references = name === "ToolSearch" ? content.map((tool_name) => ({ type: "tool_reference", tool_name })) : content;
    const result = { tool_use_id: id, type: "tool_result", content: references, ...(typeof content === "string" && { is_error: /^failed/.test(content) }) };
    return name === "ToolSearch" ? [result, text("Tool loaded.")] : [result];
  }

  // ask sends the session and returns the message that comes. Where a stream breaks off before its first block is complete, or
  // the streamed request gets a 404, it asks again with a plain request.
  async ask() {
    const { model, max_tokens, thinking, effort, betas, safeguards } = this.version;
    const body = {
      model, max_tokens, stream: true,
      metadata: { user_id: JSON.stringify({ device_id: "0".repeat(64), account_uuid: "", session_id: "0199" }) },
      thinking,
      ...(betas.includes("context-management-2025-06-27") && { context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] } }),
      ...(effort && { output_config: { effort } }),
      ...(safeguards && { safeguards }),
      system: [text("x-anthropic-billing-header: cc_version=2.1.329;"), text(this.prompt, { cache_control: ephemeral })],
      messages: cachedEnd(this.messages),
      tools: this.tools,
    };
    const answer = await this.send(body, betas);
    if (answer.status === 200) {
      const { message, error } = fold(parse(answer.text));
      if (!error) return message;
      if (message?.content.length > 1) throw new ErrorAnswer(200, error);
    } else if (answer.status !== 404) {
      throw new ErrorAnswer(answer.status, checkError(JSON.parse(answer.text)));
    }
    return this.plain(body, betas);
  }

  async plain(body, betas) {
    const { status, text } = await this.send({ ...body, stream: false, max_tokens: Math.min(body.max_tokens, 64000) }, betas);
    if (status !== 200) throw new ErrorAnswer(status, checkError(JSON.parse(text)));
    return checkMessage(JSON.parse(text));
  }

  send(body, betas) {
    const headers = {
      "x-api-key": this.key, "anthropic-version": "2023-06-01", "anthropic-beta": betas.join(","), "anthropic-dangerous-direct-browser-access": "true",
      "x-app": "cli", "x-claude-code-session-id": "0199", "user-agent": "claude-cli/2.1.329 (external, sdk-cli)",
    };
    return ask(this.url, { path: "/v1/messages?beta=true", headers, body });
  }

  // side sends one of the small requests beside the session, and returns its message.
  async side(more, betas = always) {
    const { metadata, model } = { model: this.version.model, metadata: { user_id: "0199" } };
    const body = { model, max_tokens: 32000, metadata, system: [text("You are a Claude agent.", { cache_control: ephemeral })], stream: true, ...more };
    const { status, text: answer } = await this.send(body, betas);
    assert.equal(status, 200, answer);
    if (!body.stream) return checkMessage(JSON.parse(answer));
    const { message, error } = fold(parse(answer));
    assert.equal(error, null);
    return message;
  }
}

// cachedEnd returns messages with breakpoints at the ends of the last two that can have one.
function cachedEnd(messages) {
  const ends = messages.filter(({ role, content }) => role !== "assistant" && Array.isArray(content)).slice(-2);
  return messages.map((message) =>
    ends.includes(message) ? { ...message, content: [...message.content.slice(0, -1), { ...message.content.at(-1), cache_control: ephemeral }] } : message,
  );
}

// ErrorAnswer is an error answer, which Claude Code shows to its user or answers with a new try.
export class ErrorAnswer extends Error {
  constructor(status, { type, message }) {
    super(`${status} ${type}: ${message}`);
    Object.assign(this, { status, type });
  }
}
