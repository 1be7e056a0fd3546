// The protocols, as the page shows them: { name, title, path } of each, and the exports of
// translator/NAME/page.mjs, of which one that no client speaks has model alone:
//
//   model                       the model that clients most likely ask for
//   anyModel                    true where a server of the protocol may be any vendor's, and not serve that model
//   pathOf(model)               the path of a streamed request, where the protocol has model and stream there and not in the body
//   options                     the further members that a request may have, as askedFields takes them: [path, label, kind, hint]. kind is
//                               number, line, text, list, flag, json, or a list of values, of which each may be [its words, value]
//   question(model, text, tool) the body of a streamed question; tool is { name, description, schema }
//   eventOf(json, event)        one event of a stream, for people: { type, kind, key, text, tokens }. json is its data, and event its
//                               name. Events in a row with the same key are shown as one entry that grows. kind is text, reasoning,
//                               call, args, bad, or "" for events that only frame these. tokens is how many the answer has, in the
//                               event that says it.
import { parse } from "./api.mjs";
import { apis } from "./apis.mjs";

export { apis };

// api returns the protocol with a name, undefined where there is none.
export const api = (name) => apis.find((a) => a.name === name);

// choices are the protocols for a list to choose from, and clients those that clients speak: others
// have no path.
export const choices = apis.map(({ name, title }) => [name, title]);
export const clients = choices.filter(([name]) => api(name).path !== "");

const tool = {
  name: "get_weather",
  description: "The weather in a city now.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

// question returns the body of a question with a tool, in a protocol.
export const question = (protocol, model, text) => api(protocol).question(model, text, tool);

// pathOf returns where a client of a protocol sends a streamed request for a model.
export const pathOf = (protocol, model) => api(protocol).pathOf?.(model) ?? api(protocol).path;

// streaming returns a body that asks for a stream of a model, where a protocol says that in the body.
export const streaming = (protocol, model, body) =>
  api(protocol).pathOf ? body : { ...body, model, stream: true };

// eventOf returns an event { event, data } of a protocol as { type, kind, key, text, raw }, for
// Timeline. raw is the data of an error.
export function eventOf(protocol, { event, data }) {
  const json = parse(data);
  if (json === null) return { type: data.slice(0, 80), kind: "", text: "" };
  if (json.error) return { type: event || "error", kind: "bad", text: json.error.message ?? data, raw: data };
  const { tokens, ...said } = readEvent(protocol, json, event);
  if (said.kind === "bad") return { ...said, raw: data };
  if (!Number.isInteger(tokens)) return said;
  return { ...said, text: [said.text, `${tokens} output tokens`].filter(Boolean).join(", ") };
}

// readEvent is the eventOf of a protocol, for what an upstream of any kind has sent.
function readEvent(protocol, json, event) {
  try {
    const said = api(protocol).eventOf(json, event);
    return { ...said, type: String(said.type), text: String(said.text ?? "") };
  } catch {
    return { type: event || "an event of another form", kind: "", text: "" };
  }
}
