// What a Chat Completions upstream sends.
const id = "chatcmpl-e2e";
const model = "upstream-model";

export const data = (value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
export const done = data("[DONE]");

// delta is one streamed chunk of the first choice.
export const delta = (value, finish = null) =>
  data({ id, object: "chat.completion.chunk", created: 1, model, choices: [{ index: 0, delta: value, finish_reason: finish }] });
export const role = delta({ role: "assistant", content: "" });
export const text = (content) => delta({ content });
export const call = (index, value) => delta({ tool_calls: [{ index, ...value }] });
export const finish = (reason) => delta({}, reason);

// usage is the chunk behind the last choice.
export const usage = (value = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }) =>
  data({ id, object: "chat.completion.chunk", created: 1, model, choices: [], usage: value });

// textStream is a whole answer, one element per chunk.
export const textStream = (...parts) => [role, ...parts.map(text), finish("stop"), usage(), done];

// plain is a whole JSON answer.
export const plain = (message, finish = "stop", usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }) => ({
  id,
  object: "chat.completion",
  created: 1,
  model,
  choices: [{ index: 0, message: { role: "assistant", content: null, refusal: null, ...message }, logprobs: null, finish_reason: finish }],
  usage,
});

// answer plays text to a request, streamed if it asks for that.
export const answer = (exchange, content = "ok") =>
  exchange.json.stream ? exchange.stream(textStream(content)) : exchange.answer(200, plain({ content }));
