// Answers of an upstream of Google's Interactions API, and readers of the requests to the upstream
// (the types Interactions of @google/genai; streams as recorded).
import { spoken } from "./calls.mjs";
import { halves } from "./messages.mjs";

export const event = (type, value) =>
  `event: ${type}\ndata: ${JSON.stringify({ ...value, event_type: type })}\n\n`;

const resource = { object: "interaction", model: "upstream-model" };

// begun has the first events of a stream. An interaction without storage has no id.
export const begun = [
  event("interaction.created", { interaction: { id: "", status: "in_progress", ...resource } }),
  event("interaction.status_update", { interaction_id: "", status: "in_progress" }),
];

const start = (index, step) => event("step.start", { index, step });
const stop = (index) => event("step.stop", { index });

export const delta = (index, delta) => event("step.delta", { index, delta });

// ended returns the end of a stream.
export const ended = (status, more) =>
  event("interaction.completed", { interaction: { id: "", status, ...more, ...resource } }) +
  "event: done\ndata: [DONE]\n\n";

// texts returns the events of a text's step in a stream, without the end of the step.
export const texts = (index, ...list) => [
  start(index, { type: "model_output" }),
  ...list.map((text) => delta(index, { type: "text", text })),
];

// call returns the events of a call's step in a stream, without the end of the step. The arguments
// come in parts.
export const call = (index, { id, name }, ...parts) => [
  start(index, { type: "function_call", id, name, signature: "", arguments: {} }),
  ...parts.map((text) => delta(index, { type: "arguments_delta", arguments: text })),
];

// play answers a request with a turn (lib/turns.mjs). A thought comes before calls, and before the
// output after reasoning.
export function play(x, { reasoning = [], text = "", calls, usage }) {
  const tools = offered(x.json);
  const blob = reasoning.at(-1)?.blob ?? "c2lnbmF0dXJl";
  const shown = reasoning.filter(({ text }) => text).map(({ text }) => text);
  const steps = [];
  if (reasoning.length > 0 || calls.length > 0)
    steps.push({
      type: "thought",
      signature: blob,
      ...(shown.length > 0 && { summary: shown.map((text) => ({ type: "text", text })) }),
    });
  if (text) steps.push({ type: "model_output", content: [{ type: "text", text }] });
  for (const one of calls) {
    const { id, name, input } = spoken(one, tools);
    steps.push({ type: "function_call", id, name, arguments: input });
  }
  const status = calls.length > 0 ? "requires_action" : "completed";
  const counts = {
    usage: {
      total_tokens: usage.input + usage.cached + usage.output,
      total_input_tokens: usage.input + usage.cached,
      total_cached_tokens: usage.cached,
      total_output_tokens: usage.output,
      total_tool_use_tokens: 0,
      total_thought_tokens: 0,
    },
    service_tier: "standard",
  };
  if (!x.json.stream) return x.answer(200, { status, ...counts, steps, ...resource });
  return x.stream([...begun, ...steps.flatMap(streamed), ended(status, counts)]);
}

// streamed returns the events of a step.
function streamed({ content, signature, summary = [], arguments: input, ...rest }, index) {
  if (rest.type === "thought") {
    const parts = summary
      .flatMap(({ text }) => halves(text))
      .map((text) => delta(index, { type: "thought_summary", content: { type: "text", text } }));
    return [
      start(index, rest),
      ...parts,
      delta(index, { type: "thought_signature", signature }),
      stop(index),
    ];
  }
  if (rest.type === "model_output") return [...texts(index, ...halves(content[0].text)), stop(index)];
  return [...call(index, rest, ...halves(JSON.stringify(input))), stop(index)];
}

// failure returns the body of an error.
export const failure = (code, message) => ({ error: { message, code } });

// offered returns the tools visible to the model, name -> kind.
export const offered = ({ tools = [] }) =>
  new Map(tools.filter(({ type }) => type === "function").map(({ name }) => [name, "function"]));

// read returns the content of a request in the terms of lib/turns.mjs.
export function read({ model, tools = [], generation_config: config, input }) {
  const of = (kind) => input.filter(({ type }) => type === kind);
  const { mode, tools: names } = config?.tool_choice?.allowed_tools ?? {};
  return {
    model,
    tools: tools
      .filter(({ type }) => type === "function")
      .map(({ name, parameters }) => ({ name, schema: parameters })),
    forced: mode === "any" ? names[0] : undefined,
    calls: of("function_call").map(({ id, name, arguments: input }) => ({ id, name, input })),
    results: of("function_result").map(({ call_id, result }) => ({
      id: call_id,
      text: typeof result === "string" ? result : result.map(({ text }) => text ?? "").join(""),
    })),
  };
}
