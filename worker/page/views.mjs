// The protocols, as the page shows them: { name, title, path } of each, and what translator/NAME/page.mjs says of it:
//
//   model                       what clients most likely ask for
//   anyModel                    true where a server of the protocol may well serve another one
//   pathOf(model)               the path of a streamed request, where the protocol has model and stream there and not in the body
//   question(model, text, tool) the body of a streamed question; tool is { name, description, schema }
//   eventOf(json, event)        what one event of a stream says, for people: { type, kind, key, text, tokens }. Events of the same key
//                               are one thing that grows. kind is text, reasoning, call, args, bad, or "" for all that only frames
//                               these. tokens counts those of the answer, in the event that has them.
import { parse } from "./api.mjs";
import { apis } from "./apis.mjs";

export { apis };

// api is the protocol of a name, undefined for no such one.
export const api = (name) => apis.find((a) => a.name === name);

// choices are the protocols for a list to choose from.
export const choices = apis.map(({ name, title }) => [name, title]);

const tool = {
  name: "get_weather",
  description: "The weather in a city now.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

// question is the same question in each protocol, with a tool.
export const question = (protocol, model, text) => api(protocol).question(model, text, tool);

// pathOf is where a client of a protocol sends a streamed request for a model.
export const pathOf = (protocol, model) => api(protocol).pathOf?.(model) ?? api(protocol).path;

// streaming is a body that asks for a stream of a model, where that is said in the body.
export const streaming = (protocol, model, body) => (api(protocol).pathOf ? body : { ...body, model, stream: true });

// eventOf is what an event { event, data } of a protocol says: { type, kind, key, text }.
export function eventOf(protocol, { event, data }) {
  const json = parse(data);
  if (json === null) return { type: data.slice(0, 80), kind: "", text: "" };
  if (json.error) return { type: event || "error", kind: "bad", text: json.error.message ?? data };
  const { tokens, ...said } = api(protocol).eventOf(json, event);
  if (!Number.isInteger(tokens)) return said;
  return { ...said, text: [said.text, `${tokens} output tokens`].filter(Boolean).join(", ") };
}
