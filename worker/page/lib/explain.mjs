import { copyButton } from "./copy.mjs";
import { h } from "./dom.mjs";

// whyLost returns the command that prints the reasons for the loss of a field: the field's rows of the
// loss ledger. A name as "block:image" is no field.
export function whyLost(fields) {
  const field = fields.find((field) => !field.includes(":"));
  if (!field) return undefined;
  const command = `edgelingua explain ${field.replace(/\[\d*\]/g, "")}`;
  return h(
    "span",
    { class: "line quiet" },
    "Why? ",
    h("code", null, command),
    copyButton(() => command, "the command"),
  );
}
