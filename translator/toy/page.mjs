// How the page shows this protocol. wasmtest/apis describes each export.

export const model = "toy";

export const pathOf = (model) => `/toy/${model}:stream`;

export function question(model, text, { name, schema }) {
  return { turns: [{ who: "user", say: text }], tools: [{ name, takes: schema }] };
}

export const options = [];

export function eventOf({ id, say, call, tool, end, out, wrong }) {
  if (say) return { type: "say", kind: "text", key: "say", text: say };
  if (call) return { type: "call", kind: "call", text: tool };
  if (wrong) return { type: "wrong", kind: "bad", text: wrong };
  return end ? { type: "end", kind: "", text: end, tokens: out } : { type: "id", kind: "", text: id ?? "" };
}
