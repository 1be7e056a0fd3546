// The protocols, as the page shows them: { name, title, path } of each, and the exports of
// translator/NAME/page.mjs (wasmtest/apis describes them).
import { parse } from "./api.mjs";
import { apis } from "./apis.mjs";

export { apis };

// api returns the protocol with a name, or undefined.
export const api = (name) => apis.find((a) => a.name === name);

// choices are all protocols, for a select element.
export const choices = apis.map(({ name, title }) => [name, title]);

const tool = {
  name: "get_weather",
  description: "The weather in a city now.",
  schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

// question returns the body of a question with a tool, in a protocol.
export const question = (protocol, model, text) => api(protocol).question(model, text, tool);

// pathOf returns the path of a streamed request for a model, in a protocol.
export const pathOf = (protocol, model) => api(protocol).pathOf?.(model) ?? api(protocol).path;

// streaming adds model and stream to a body, unless the protocol has them in the path.
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

// readEvent calls the protocol's eventOf for data from any upstream, however malformed.
function readEvent(protocol, json, event) {
  try {
    const said = api(protocol).eventOf(json, event);
    return { ...said, type: String(said.type), text: String(said.text ?? "") };
  } catch {
    return { type: event || "an event in an unknown form", kind: "", text: "" };
  }
}
