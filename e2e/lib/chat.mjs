// Answers of a Chat Completions upstream, and readers of the requests to the upstream.
import { spoken } from "./calls.mjs";
import { halves } from "./messages.mjs";

const id = "chatcmpl-e2e";
const model = "upstream-model";

export const data = (value) => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
export const done = data("[DONE]");

// delta returns a streamed chunk of the first choice.
export const delta = (value, finish = null) =>
  data({
    id,
    object: "chat.completion.chunk",
    created: 1,
    model,
    choices: [{ index: 0, delta: value, finish_reason: finish }],
  });
export const role = delta({ role: "assistant", content: "" });
export const text = (content) => delta({ content });
export const call = (index, value) => delta({ tool_calls: [{ index, ...value }] });
export const finish = (reason) => delta({}, reason);

// usage returns the chunk with the usage, sent after the last choice.
export const usage = (value = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }) =>
  data({ id, object: "chat.completion.chunk", created: 1, model, choices: [], usage: value });

// textStream returns a complete streamed answer as a list of chunks.
export const textStream = (...parts) => [role, ...parts.map(text), finish("stop"), usage(), done];

// plain returns a whole plain answer.
export const plain = (
  message,
  finish = "stop",
  usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
) => ({
  id,
  object: "chat.completion",
  created: 1,
  model,
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: null, refusal: null, ...message },
      logprobs: null,
      finish_reason: finish,
    },
  ],
  usage,
});

// answer answers a request with a text, streamed if the request asks for a stream.
export const answer = (exchange, content = "ok") =>
  exchange.json.stream ? exchange.stream(textStream(content)) : exchange.answer(200, plain({ content }));

// play answers a request with a turn (lib/turns.mjs).
export function play(x, { reasoning = [], text: words, calls, usage: count }) {
  const counts = {
    prompt_tokens: count.input + count.cached,
    completion_tokens: count.output,
    total_tokens: count.input + count.cached + count.output,
    prompt_tokens_details: { cached_tokens: count.cached },
  };
  const tools = offered(x.json);
  const made = calls.map((call) => callOf(spoken(call, tools)));
  const reason = calls.length > 0 ? "tool_calls" : "stop";
  const thoughts = reasoning.map(thoughtOf);
  const own = `${id}-${x.json.messages.length}`; // an id that differs in each turn of a conversation
  if (!x.json.stream) {
    const details = thoughts.flatMap(({ whole }) => whole.reasoning_details ?? []);
    const thought = Object.assign(
      {},
      ...thoughts.map(({ whole }) => whole),
      details.length > 0 && { reasoning_details: details },
    );
    const message = { content: words || null, ...thought, ...(made.length > 0 && { tool_calls: made }) };
    return x.answer(200, { ...plain(message, reason, counts), id: own });
  }
  const fragments = made.flatMap(({ id, type, [type]: { name, ...said } }, i) => {
    const [[member, words]] = Object.entries(said);
    const begin = call(i, { id, type, [type]: { name, [member]: "" } });
    return [begin, ...halves(words).map((part) => call(i, { [type]: { [member]: part } }))];
  });
  const counted = x.json.stream_options?.include_usage ? [usage(counts)] : [];
  const thinking = thoughts.flatMap(({ pieces }) => pieces.map((piece) => delta(piece)));
  const said = words === "" ? [] : halves(words).map(text);
  const chunks = [role, ...thinking, ...said, ...fragments, finish(reason), ...counted, done];
  return x.stream(chunks.map((chunk) => chunk.replace(`"id":"${id}"`, `"id":"${own}"`)));
}

const callOf = ({ id, kind, name, input }) =>
  kind === "custom"
    ? { id, type: kind, custom: { name, input } }
    : { id, type: kind, function: { name, arguments: JSON.stringify(input) } };

// offered returns the tools visible to the model, name -> kind.
export const offered = ({ tools = [] }) => new Map(tools.map(({ type, [type]: { name } }) => [name, type]));

// thoughtOf returns a block of reasoning as a delta: in DeepSeek's form if the block has only a
// text, and in OpenRouter's form if the vendor signed or encrypted the block.
function thoughtOf({ text, blob, redacted }, index) {
  const format = "anthropic-claude-v1";
  if (redacted) {
    const whole = { reasoning_details: [{ type: "reasoning.encrypted", data: blob, format, index }] };
    return { whole, pieces: [whole] };
  }
  if (!blob)
    return {
      whole: { reasoning_content: text },
      pieces: halves(text).map((reasoning_content) => ({ reasoning_content })),
    };
  const detail = (more) => ({ reasoning_details: [{ type: "reasoning.text", ...more, format, index }] });
  const pieces = halves(text).map((text) => ({ reasoning: text, ...detail({ text }) }));
  return {
    whole: { reasoning: text, ...detail({ text, signature: blob }) },
    pieces: [...pieces, detail({ signature: blob })],
  };
}

// read returns the content of a request in the terms of lib/turns.mjs.
export function read({ model, tools = [], tool_choice, messages }) {
  const plainOf = (content) =>
    typeof content === "string" ? content : content.map(({ text }) => text).join("");
  return {
    model,
    tools: tools.map(({ type, [type]: { name, parameters } }) => ({ name, schema: parameters })),
    forced: tool_choice?.type === "function" ? tool_choice.function.name : undefined,
    calls: messages
      .flatMap(({ tool_calls }) => tool_calls ?? [])
      .map(({ id, function: { name, arguments: json } }) => ({ id, name, input: JSON.parse(json) })),
    results: messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id, content }) => ({ id: tool_call_id, text: plainOf(content) })),
  };
}
