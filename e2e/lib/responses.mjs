// Answers of a Responses upstream, and readers of the requests to the upstream.
import { spoken } from "./calls.mjs";
import { halves } from "./messages.mjs";

const model = "upstream-model";

const response = (id, status, output, usage) => ({
  id,
  object: "response",
  created_at: 1,
  completed_at: status === "completed" ? 2 : null,
  model,
  status,
  background: false,
  error: null,
  frequency_penalty: 0,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  output,
  parallel_tool_calls: true,
  presence_penalty: 0,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: status === "in_progress" ? "auto" : "default",
  store: false,
  temperature: 1,
  text: { format: { type: "text" } },
  tool_choice: "auto",
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: "disabled",
  usage: usage && {
    input_tokens: usage.input + usage.cached,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: usage.input + usage.cached + usage.output,
  },
});

const part = (text) => ({ type: "output_text", text, annotations: [] });
const words = (parts, status, id, phase) => ({
  type: "message",
  id,
  role: "assistant",
  status,
  content: parts,
  ...(phase && { phase }),
});

// phased reports whether a model states the phase of its messages (API reference, "phase"), and
// requires the phase back.
export const phased = (model) => /^gpt-(?:5\.3-codex|5\.[456]|6)(?![0-9])/.test(model);
const thought = ({ id, text, blob }, status) => ({
  type: "reasoning",
  id,
  summary: text ? [{ type: "summary_text", text }] : [],
  encrypted_content: blob,
  status,
});

// called returns the item of a call.
function called({ id, kind, namespace, name, input }, status) {
  const tool = { ...(namespace && { namespace }), name };
  switch (kind) {
    case "custom":
      return { type: "custom_tool_call", id: `ctc_${id}`, call_id: id, ...tool, input, status };
    case "search":
      return {
        type: "tool_search_call",
        id: `tsc_${id}`,
        call_id: id,
        execution: "client",
        arguments: input,
        status,
      };
    case "shell":
      return {
        type: "local_shell_call",
        id: `lsh_${id}`,
        call_id: id,
        action: { type: "exec", command: input, env: {} },
        status,
      };
  }
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    ...tool,
    arguments: JSON.stringify(input),
    status,
  };
}

const ownTools = { tool_search: "search", local_shell: "shell" };

// offered returns the tools visible to the model, including tools in items. A tool with
// defer_loading is visible only after a search has found the tool.
export function offered({ tools = [], input }) {
  const seen = new Map();
  const see = ({ type, name, tools, defer_loading }, found, namespace) => {
    if (type === "namespace") for (const tool of tools) see(tool, found, name);
    else if (!defer_loading || found)
      seen.set(namespace ? `${namespace}/${name}` : (name ?? type), ownTools[type] ?? type);
  };
  for (const tool of tools) see(tool, false);
  for (const item of [input].flat())
    for (const tool of item.tools ?? []) see(tool, item.type === "tool_search_output");
  return seen;
}

// play answers a request with a turn (lib/turns.mjs), and saves the items of the turn in x.items.
export function play(x, { reasoning = [], text, calls, usage }) {
  const turn = [x.json.input].flat().length; // a number that differs in each turn of a conversation
  const id = `msg_e2e_${turn}`;
  const about = (...more) => response(`resp_e2e_${turn}`, ...more);
  const items = reasoning.map((block) => thought(block, "completed"));
  const tools = offered(x.json);
  const phase = phased(x.json.model) && (calls.length > 0 ? "commentary" : "final_answer");
  if (text !== "") items.push(words([part(text)], "completed", id, phase));
  items.push(...calls.map((call) => called(spoken(call, tools), "completed")));
  x.items = items;
  const whole = about("completed", items, usage);
  if (!x.json.stream) return x.answer(200, whole);
  const events = [
    { type: "response.created", response: about("in_progress", [], null) },
    { type: "response.in_progress", response: about("in_progress", [], null) },
    ...items.flatMap(itemEvents),
    { type: "response.completed", response: whole },
  ];
  return x.stream(
    events.map(
      (event, i) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: i })}\n\n`,
    ),
  );
}

function itemEvents(item, output_index) {
  const at = { item_id: item.id, output_index };
  const done = { type: "response.output_item.done", output_index, item };
  if (item.type === "function_call") {
    return [
      {
        type: "response.output_item.added",
        output_index,
        item: { ...item, arguments: "", status: "in_progress" },
      },
      ...halves(item.arguments).map((delta) => ({
        type: "response.function_call_arguments.delta",
        ...at,
        delta,
      })),
      { type: "response.function_call_arguments.done", ...at, name: item.name, arguments: item.arguments },
      done,
    ];
  }
  if (item.type === "custom_tool_call") {
    return [
      {
        type: "response.output_item.added",
        output_index,
        item: { ...item, input: "", status: "in_progress" },
      },
      ...halves(item.input).map((delta) => ({ type: "response.custom_tool_call_input.delta", ...at, delta })),
      { type: "response.custom_tool_call_input.done", ...at, input: item.input },
      done,
    ];
  }
  if (item.action || item.execution)
    return [
      { type: "response.output_item.added", output_index, item: { ...item, status: "in_progress" } },
      done,
    ];
  if (item.type === "reasoning") {
    const inSummary = { ...at, summary_index: 0 };
    return [
      {
        type: "response.output_item.added",
        output_index,
        item: { ...item, summary: [], encrypted_content: "", status: "in_progress" },
      },
      ...item.summary.flatMap(({ text }) => [
        {
          type: "response.reasoning_summary_part.added",
          ...inSummary,
          part: { type: "summary_text", text: "" },
        },
        ...halves(text).map((delta) => ({
          type: "response.reasoning_summary_text.delta",
          ...inSummary,
          delta,
        })),
        { type: "response.reasoning_summary_text.done", ...inSummary, text },
        { type: "response.reasoning_summary_part.done", ...inSummary, part: { type: "summary_text", text } },
      ]),
      done,
    ];
  }
  const [{ text }] = item.content;
  const inPart = { ...at, content_index: 0 };
  const added = {
    type: "response.output_item.added",
    output_index,
    item: { ...item, content: [], status: "in_progress" },
  };
  return [
    added,
    { type: "response.content_part.added", ...inPart, part: part("") },
    ...halves(text).map((delta) => ({ type: "response.output_text.delta", ...inPart, delta, logprobs: [] })),
    { type: "response.output_text.done", ...inPart, text, logprobs: [] },
    { type: "response.content_part.done", ...inPart, part: part(text) },
    done,
  ];
}

// read returns the content of a request in the terms of lib/turns.mjs.
export function read({ model, tools = [], tool_choice, input }) {
  const items = typeof input === "string" ? [] : input;
  const plain = (output) => (typeof output === "string" ? output : output.map(({ text }) => text).join(""));
  return {
    model,
    tools: tools.map(({ name, parameters }) => ({ name, schema: parameters })),
    forced: tool_choice?.type === "function" ? tool_choice.name : undefined,
    calls: items
      .filter(({ type }) => type === "function_call")
      .map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) })),
    results: items
      .filter(({ type }) => type === "function_call_output")
      .map(({ call_id, output }) => ({ id: call_id, text: plain(output) })),
  };
}
