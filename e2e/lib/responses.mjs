// What a Responses upstream sends, and what it is sent.
import { halves } from "./messages.mjs";

const id = "resp_e2e";
const model = "upstream-model";

const response = (status, output, usage) => ({
  id,
  object: "response",
  created_at: 1,
  model,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  usage: usage && {
    input_tokens: usage.input + usage.cached,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.cached + usage.output,
  },
});

const part = (text) => ({ type: "output_text", text, annotations: [] });
const words = (text, status) => ({ type: "message", id: "msg_e2e", role: "assistant", status, content: text === "" ? [] : [part(text)] });
const called = ({ id, name }, json, status) => ({ type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: json, status });

// play answers a request with a turn, see lib/turns.mjs.
export function play(x, { text, calls, usage }) {
  const items = calls.map((call) => called(call, JSON.stringify(call.input), "completed"));
  if (text !== "") items.unshift(words(text, "completed"));
  const whole = response("completed", items, usage);
  if (!x.json.stream) return x.answer(200, whole);
  const events = [
    { type: "response.created", response: response("in_progress", [], null) },
    { type: "response.in_progress", response: response("in_progress", [], null) },
    ...items.flatMap(itemEvents),
    { type: "response.completed", response: whole },
  ];
  return x.stream(events.map((event, i) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: i })}\n\n`));
}

function itemEvents(item, output_index) {
  const at = { item_id: item.id, output_index };
  const done = { type: "response.output_item.done", output_index, item };
  if (item.type === "function_call") {
    return [
      { type: "response.output_item.added", output_index, item: { ...item, arguments: "", status: "in_progress" } },
      ...halves(item.arguments).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
      { type: "response.function_call_arguments.done", ...at, name: item.name, arguments: item.arguments },
      done,
    ];
  }
  const [{ text }] = item.content;
  const inPart = { ...at, content_index: 0 };
  return [
    { type: "response.output_item.added", output_index, item: words("", "in_progress") },
    { type: "response.content_part.added", ...inPart, part: part("") },
    ...halves(text).map((delta) => ({ type: "response.output_text.delta", ...inPart, delta, logprobs: [] })),
    { type: "response.output_text.done", ...inPart, text, logprobs: [] },
    { type: "response.content_part.done", ...inPart, part: part(text) },
    done,
  ];
}

// read returns what a request says, in the words of lib/turns.mjs.
export function read({ model, tools = [], tool_choice, input }) {
  const items = typeof input === "string" ? [] : input;
  const plain = (output) => (typeof output === "string" ? output : output.map(({ text }) => text).join(""));
  return {
    model,
    tools: tools.map(({ name, parameters }) => ({ name, schema: parameters })),
    forced: tool_choice?.type === "function" ? tool_choice.name : undefined,
    calls: items.filter(({ type }) => type === "function_call").map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) })),
    results: items.filter(({ type }) => type === "function_call_output").map(({ call_id, output }) => ({ id: call_id, text: plain(output) })),
  };
}
