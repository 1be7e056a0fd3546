// Tool calls of kinds that exist in a single protocol.
import assert from "node:assert/strict";

// flat returns the flat name of a tool in a namespace: both names with __ between them. If a flat
// name would be ambiguous, a hash follows.
function flat({ namespace, name }, tools) {
  const plain = namespace.endsWith("__") ? namespace + name : `${namespace}__${name}`;
  return tools.has(plain) ? plain : [...tools.keys()].find((key) => key.startsWith(`${namespace}_${name}_`));
}

// spoken returns a call of a turn (lib/turns.mjs) in the form in which the request offered the
// tool. tools maps names to kinds; the name of a tool in a namespace is NAMESPACE/NAME. A call of
// an unknown tool is an error.
export function spoken({ kind = "function", namespace, ...call }, tools) {
  const own = namespace ? `${namespace}/${call.name}` : call.name;
  const form = { ...call, namespace: tools.has(own) ? namespace : undefined };
  if (namespace && !form.namespace) form.name = flat({ namespace, ...call }, tools);
  form.kind = tools.get(form.namespace ? own : form.name);
  assert.ok(form.kind, `${own} is called and not offered: ${[...tools.keys()]}`);
  if (form.kind === kind) return form;
  assert.equal(form.kind, "function", `${own} is a ${kind} of the client's`);
  if (kind === "custom") form.input = { input: call.input };
  if (kind === "shell") form.input = { command: call.input };
  return form;
}
