// One conversation in the form of each protocol, for running a test over every pair.
//
// A turn is an upstream's answer: { text, calls: [{ id, name, input }], usage: { input, cached,
// output } }. It may also have reasoning: [{ text, blob, redacted, id }], with a blob that only the
// vendor can read. A call may have a namespace and a kind: "custom" has a text as its input,
// "search" is Codex's tool_search, and "shell" is its local_shell, with a list as its input. An
// upstream sends a call in the form in which the request offered the tool.
//
// play(exchange, turn) sends a turn in an upstream's protocol. read(body) returns the content of a
// request to an upstream: { model, tools, forced, calls, results: [{ id, text }] }. A talker is the
// official SDK of a client's protocol. say(question) and then answer(results) resolve with the turn
// in the client's view, with the stop reason "tool" or "end".
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import * as chat from "./chat.mjs";
import { CLIENT_KEY, params, sdk, streamed } from "./client.mjs";
import * as gemini from "./gemini.mjs";
import * as interactions from "./interactions.mjs";
import { assembled } from "./steps.mjs";
import * as messages from "./messages.mjs";
import * as responses from "./responses.mjs";

// PROTOCOLS has the protocols with everything of a request in the body. EVERY also has Gemini, with
// the model and the choice of streaming in the path. UPSTREAMS also has the protocol that no client
// speaks.
export const PROTOCOLS = ["anthropic", "chat", "responses"];
export const EVERY = [...PROTOCOLS, "gemini"];
export const UPSTREAMS = [...EVERY, "interactions"];
export const PATHS = { anthropic: "/v1/messages", chat: "/v1/chat/completions", responses: "/v1/responses" };
export const upstreams = { anthropic: messages, chat, responses, gemini, interactions };

// smallest returns the smallest request of each protocol.
export const smallest = {
  anthropic: (more) => params(more),
  chat: (more) => ({ model: "m", messages: [{ role: "user", content: "hi" }], ...more }),
  responses: (more) => ({ model: "m", input: "hi", ...more }),
  gemini: ({ model, stream, ...more } = {}) => ({
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
    ...more,
  }),
};

// pathOf returns the path of a client's request for a body's model and stream.
export const pathOf = (client, { model = "m", stream } = {}) =>
  PATHS[client] ?? `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`;

export const openai = (url, options) =>
  new OpenAI({ apiKey: CLIENT_KEY, baseURL: `${url}/v1`, maxRetries: 0, ...options });

// talker starts a conversation. tools are { name, schema }. forced is the name of the tool that
// must be called first. more has additional members of each request. The assistant's message goes
// back as the SDK returns it. url may be changed between turns.
export function talker(protocol, url, { stream, tools = [], forced, more = {} }) {
  return new talkers[protocol](url, { stream, tools, forced, more });
}

// some returns an object with a list, or {} if the list is empty.
const some = (name, list) => (list.length > 0 ? { [name]: list } : {});

class Talker {
  constructor(url, options) {
    Object.assign(this, { url, ...options, history: [] });
  }

  say(question) {
    this.history.push({ role: "user", content: question });
    return this.run(this.forced);
  }

  answer(results) {
    this.history.push(...this.resultsOf(results));
    return this.run();
  }
}

class AnthropicTalker extends Talker {
  resultsOf(results) {
    return [
      {
        role: "user",
        content: results.map(({ id, text }) => ({ type: "tool_result", tool_use_id: id, content: text })),
      },
    ];
  }

  async run(forced) {
    const client = sdk(this.url);
    const request = params({
      messages: this.history,
      ...some(
        "tools",
        this.tools.map(({ name, schema }) => ({ name, input_schema: schema })),
      ),
      ...(forced && { tool_choice: { type: "tool", name: forced } }),
      ...this.more,
    });
    const message = await (this.stream ? streamed(client, request) : client.messages.create(request));
    this.history.push({ role: "assistant", content: message.content });
    const { input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
    return {
      text: message.content.map(({ text }) => text ?? "").join(""),
      calls: message.content
        .filter(({ type }) => type === "tool_use")
        .map(({ id, name, input }) => ({ id, name, input })),
      usage: { input: input_tokens, cached: cache_read_input_tokens, output: output_tokens },
      stop: { tool_use: "tool", end_turn: "end" }[message.stop_reason],
    };
  }
}

class ChatTalker extends Talker {
  resultsOf(results) {
    return results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  }

  async run(forced) {
    const client = openai(this.url);
    const request = {
      model: "claude-test",
      messages: this.history,
      ...some(
        "tools",
        this.tools.map(({ name, schema }) => ({ type: "function", function: { name, parameters: schema } })),
      ),
      ...(forced && { tool_choice: { type: "function", function: { name: forced } } }),
      ...this.more,
    };
    const { choices, usage } = this.stream
      ? await client.chat.completions
          .stream({ ...request, stream_options: { include_usage: true } })
          .finalChatCompletion()
      : await client.chat.completions.create(request);
    const [{ message, finish_reason }] = choices;
    this.history.push(message);
    const cached = usage.prompt_tokens_details?.cached_tokens ?? 0;
    return {
      text: message.content ?? "",
      calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: json } }) => ({
        id,
        name,
        input: JSON.parse(json),
      })),
      usage: { input: usage.prompt_tokens - cached, cached, output: usage.completion_tokens },
      stop: { tool_calls: "tool", stop: "end" }[finish_reason],
    };
  }
}

class ResponsesTalker extends Talker {
  resultsOf(results) {
    return results.map(({ id, text }) => ({ type: "function_call_output", call_id: id, output: text }));
  }

  async run(forced) {
    const client = openai(this.url);
    const request = {
      model: "claude-test",
      store: false,
      input: this.history,
      ...some(
        "tools",
        this.tools.map(({ name, schema }) => ({ type: "function", name, parameters: schema, strict: false })),
      ),
      ...(forced && { tool_choice: { type: "function", name: forced } }),
      ...this.more,
    };
    const response = this.stream
      ? await client.responses.stream(request).finalResponse()
      : await client.responses.create(request);
    this.history.push(...response.output);
    const { input_tokens, input_tokens_details, output_tokens } = response.usage;
    const cached = input_tokens_details.cached_tokens;
    const calls = response.output.filter(({ type }) => type === "function_call");
    return {
      text: response.output_text,
      calls: calls.map(({ call_id, name, arguments: json }) => ({
        id: call_id,
        name,
        input: JSON.parse(json),
      })),
      usage: { input: input_tokens - cached, cached, output: output_tokens },
      stop: response.status === "completed" ? (calls.length > 0 ? "tool" : "end") : response.status,
    };
  }
}

// genai returns Google's SDK for a server.
export const genai = (url, httpOptions) =>
  new GoogleGenAI({ apiKey: CLIENT_KEY, httpOptions: { baseUrl: url, ...httpOptions } });

class GeminiTalker extends Talker {
  say(question) {
    this.history.push({ role: "user", parts: [{ text: question }] });
    return this.run(this.forced);
  }

  resultsOf(results) {
    const names = new Map(this.calls.map(({ id, name }) => [id, name]));
    return [
      {
        role: "user",
        parts: results.map(({ id, text }) => ({
          functionResponse: { id, name: names.get(id), response: { output: text } },
        })),
      },
    ];
  }

  async run(forced) {
    const { models } = genai(this.url);
    const request = {
      model: "claude-test",
      contents: this.history,
      config: {
        ...(this.tools.length > 0 && {
          tools: [
            {
              functionDeclarations: this.tools.map(({ name, schema }) => ({
                name,
                parametersJsonSchema: schema,
              })),
            },
          ],
        }),
        ...(forced && {
          toolConfig: { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [forced] } },
        }),
        ...this.more,
      },
    };
    const answers = [];
    if (this.stream)
      for await (const chunk of await models.generateContentStream(request)) answers.push(chunk);
    else answers.push(await models.generateContent(request));
    this.history.push(...answers.map(({ candidates }) => candidates[0].content)); // as the SDK's own chats do
    const parts = answers.flatMap(({ candidates }) => candidates[0].content.parts);
    this.calls = parts
      .filter(({ functionCall }) => functionCall)
      .map(({ functionCall: { id, name, args } }) => ({ id, name, input: args }));
    const { usageMetadata: usage, candidates } = answers.at(-1);
    const cached = usage.cachedContentTokenCount ?? 0;
    return {
      text: parts.map(({ text, thought }) => (thought ? "" : (text ?? ""))).join(""),
      calls: this.calls,
      usage: {
        input: usage.promptTokenCount - cached,
        cached,
        output: usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0),
      },
      stop:
        candidates[0].finishReason === "STOP"
          ? this.calls.length > 0
            ? "tool"
            : "end"
          : candidates[0].finishReason,
    };
  }
}

// InteractionsTalker sends the whole conversation with each request, unless previous is set: then the
// worker stores interactions, and each request has only what is new.
class InteractionsTalker extends Talker {
  say(question) {
    this.history.push({ type: "user_input", content: [{ type: "text", text: question }] });
    return this.run(this.forced);
  }

  resultsOf(results) {
    const names = new Map(this.calls.map(({ id, name }) => [id, name]));
    return results.map(({ id, text }) => ({
      type: "function_result",
      call_id: id,
      name: names.get(id),
      result: text,
    }));
  }

  async run(forced) {
    const { previous, generation_config, ...more } = this.more;
    const request = {
      model: "claude-test",
      input: previous ? this.history.slice(this.told) : this.history,
      stream: Boolean(this.stream),
      ...(previous ? this.id && { previous_interaction_id: this.id } : { store: false }),
      ...(this.tools.length > 0 && {
        tools: this.tools.map(({ name, schema }) => ({ type: "function", name, parameters: schema })),
      }),
      generation_config: {
        ...(forced && { tool_choice: { allowed_tools: { mode: "any", tools: [forced] } } }),
        ...generation_config,
      },
      ...more,
    };
    const answer = await genai(this.url).interactions.create(request);
    const { steps, ...interaction } = this.stream ? await assembled(answer) : answer;
    this.history.push(...steps);
    this.told = this.history.length;
    this.id = interaction.id;
    this.calls = steps
      .filter(({ type }) => type === "function_call")
      .map(({ id, name, arguments: input }) => ({ id, name, input }));
    const { usage, status } = interaction;
    return {
      text: steps.flatMap(({ content = [] }) => content.map(({ text }) => text)).join(""),
      calls: this.calls,
      usage: {
        input: usage.total_input_tokens - usage.total_cached_tokens,
        cached: usage.total_cached_tokens,
        output: usage.total_output_tokens + usage.total_thought_tokens,
      },
      stop: { requires_action: "tool", completed: "end" }[status] ?? status,
    };
  }
}

const talkers = {
  anthropic: AnthropicTalker,
  chat: ChatTalker,
  responses: ResponsesTalker,
  gemini: GeminiTalker,
  interactions: InteractionsTalker,
};
