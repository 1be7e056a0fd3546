// A strict reader of the streams of Google's Interactions, from the types of @google/genai 3.3.0
// (InteractionSSEEvent, Step and StepDeltaData). An event, a member or an order that the types do not
// have throws.
import assert from "node:assert/strict";

const TEXT = { type: "text", text: "string" };
const CITATION = {
  type: "url_citation",
  url: "string?",
  title: "string?",
  start_index: "number?",
  end_index: "number?",
};
const RESULT = { search_suggestions: "string?" };
const USAGE = {
  total_tokens: "number?",
  total_input_tokens: "number?",
  total_cached_tokens: "number?",
  total_output_tokens: "number?",
  total_tool_use_tokens: "number?",
  total_thought_tokens: "number?",
};
const STATUS = /^(in_progress|requires_action|completed|failed|cancelled|incomplete|budget_exceeded)$/;
const RESOURCE = {
  id: "string",
  status: STATUS,
  object: "string?",
  model: "string?",
  created: "string?",
  updated: "string?",
  service_tier: /^(flex|standard|priority)$/,
  usage: USAGE,
};

// events has the members of each event, in addition to event_type.
const events = {
  "interaction.created": { interaction: RESOURCE },
  "interaction.status_update": { interaction_id: "string", status: STATUS },
  "interaction.completed": { interaction: RESOURCE },
  "step.start": { index: "number", step: "object" },
  "step.delta": { index: "number", delta: "object" },
  "step.stop": { index: "number" },
  error: { error: { code: "string?", message: "string?" } },
};

// steps has the members of each step at its start; the others come in deltas. Google's streams have an
// empty signature there, as recorded.
const steps = {
  model_output: { type: "string" },
  thought: { type: "string" },
  function_call: { type: "string", id: "string", name: "string", arguments: "object", signature: "string?" },
  google_search_call: { type: "string", id: "string" },
  google_search_result: { type: "string", call_id: "string" },
};

// deltas has the members of each delta, and the step that can have it.
const deltas = {
  text: ["model_output", TEXT],
  text_annotation_delta: ["model_output", { type: "string", annotations: [CITATION] }],
  thought_summary: ["thought", { type: "string", content: TEXT }],
  thought_signature: ["thought", { type: "string", signature: "string" }],
  arguments_delta: ["function_call", { type: "string", arguments: "string" }],
  google_search_call: ["google_search_call", { type: "string", arguments: { queries: ["string"] } }],
  google_search_result: ["google_search_result", { type: "string", result: [RESULT], is_error: "boolean?" }],
};

// fits asserts that a value has a shape: a type, a RegExp, another text as it is, a list, or an object
// with members. A member is optional if its type ends with "?", or if its shape is no type.
function fits(value, shape, at) {
  if (shape instanceof RegExp) return assert.match(value, shape, at);
  if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value), at);
    return value.forEach((element, i) => fits(element, shape[0], `${at}[${i}]`));
  }
  if (typeof shape === "string") {
    const type = shape.replace("?", "");
    if (/^(string|number|boolean|object)$/.test(type)) return assert.equal(typeof value, type, at);
    return assert.equal(value, shape, at);
  }
  assert.equal(typeof value, "object", at);
  for (const name of Object.keys(value)) assert.ok(Object.hasOwn(shape, name), `${at}.${name} is unknown`);
  for (const [name, of] of Object.entries(shape))
    if (value[name] !== undefined) fits(value[name], of, `${at}.${name}`);
    else assert.ok(typeof of !== "string" || of.endsWith("?"), `${at}.${name} is missing`);
}

// assembled reads the events of a stream, and resolves with the interaction and its steps.
export async function assembled(stream) {
  const list = [];
  let open,
    signed,
    interaction,
    n = 0;
  for await (const event of stream) {
    const { event_type: type, ...members } = event;
    assert.ok(Object.hasOwn(events, type), `an unknown event: ${JSON.stringify(event)}`);
    fits(members, events[type], type);
    assert.ok(!interaction, "an event after interaction.completed");
    assert.equal(n === 0, type === "interaction.created");
    n++;
    switch (type) {
      case "error":
        throw Object.assign(new Error(event.error.message), { code: event.error.code });
      case "interaction.completed":
        assert.equal(open, undefined, "a step without an end");
        interaction = event.interaction;
        break;
      case "step.start":
        assert.equal(open, undefined, "a step in a step");
        assert.equal(event.index, list.length);
        fits(event.step, steps[event.step.type] ?? {}, `step ${event.step.type}`);
        open = { ...event.step };
        if (open.signature === "") delete open.signature; // Google does not accept it back
        signed = false;
        list.push(open);
        break;
      case "step.delta":
        assert.equal(event.index, list.length - 1);
        assert.ok(open && !signed, "a delta outside of a step, or after its signature");
        signed = add(open, event.delta);
        break;
      case "step.stop":
        assert.equal(event.index, list.length - 1);
        if (typeof open.arguments === "string") open.arguments = JSON.parse(open.arguments);
        open = undefined;
    }
  }
  assert.ok(interaction, "the stream has no interaction.completed");
  const called = list.some(({ type }) => type === "function_call");
  if (/requires_action|completed/.test(interaction.status))
    assert.equal(interaction.status, called ? "requires_action" : "completed");
  return { ...interaction, steps: list };
}

// add adds a delta to a step, and returns whether the delta was the signature.
function add(step, delta) {
  const [of, shape] = deltas[delta.type] ?? [];
  assert.equal(step.type, of, JSON.stringify(delta));
  fits(delta, shape, `delta ${delta.type}`);
  const text = (list, { text }) =>
    list ? [{ ...list[0], text: list[0].text + text }] : [{ type: "text", text }];
  switch (delta.type) {
    case "text":
      step.content = text(step.content, delta);
      break;
    case "text_annotation_delta":
      step.content[0].annotations = [...(step.content[0].annotations ?? []), ...delta.annotations];
      break;
    case "thought_summary":
      step.summary = text(step.summary, delta.content);
      break;
    case "arguments_delta":
      step.arguments = (typeof step.arguments === "string" ? step.arguments : "") + delta.arguments;
      break;
    default: {
      const { type, ...members } = delta;
      Object.assign(step, members);
    }
  }
  return delta.type === "thought_signature";
}
