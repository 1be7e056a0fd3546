import { copyButton } from "./copy.mjs";
import { h } from "./dom.mjs";

// whyLost returns the command that prints the reasons for the loss of fields: the fields' rows of the
// loss ledger. A name as "block:image" is no field. Names can come from a request or an answer: a name
// with a character that a shell could run is left out.
export function whyLost(fields) {
  const names = fields
    .filter((field) => /^\w[\w.[\]-]*$/.test(field))
    .map((field) => field.replace(/\[\d*\]/g, ""))
    .map((name) => (name.includes("[") ? `'${name}'` : name));
  if (names.length === 0) return undefined;
  const command = `edgelingua explain ${[...new Set(names)].join(" ")}`;
  return h(
    "span",
    { class: "line quiet" },
    "Why? ",
    h("code", null, command),
    copyButton(() => command, "the command"),
  );
}
