// What the program gets as one string: heads, and settings. worker/bridge/doc.go has the forms.
import { withoutPrivateKey } from "./google.mjs";

export function parseHead(lines) {
  const head = lines.split("\n");
  head.pop();
  return head.map((line) => {
    const at = line.indexOf(": ");
    return [line.slice(0, at), line.slice(at + 2)];
  });
}

export function linesOf(headers) {
  let lines = "";
  for (const [name, value] of headers) lines += `${name}: ${value}\n`;
  return lines;
}

export function settingsOf(env) {
  let settings = "";
  for (const [name, value] of Object.entries(env)) {
    if (name.startsWith("SEAL_KEY")) continue;
    if (typeof value === "string")
      settings += `${name}\0${name === "UPSTREAM_KEY" ? withoutPrivateKey(value) : value}\0`;
    else if (isData(value)) settings += `${name}\0${JSON.stringify(value)}\0`;
  }
  return settings;
}

// isData reports whether a member of env is a variable that wrangler.toml has as a number, a flag
// or a table, not a binding.
const isData = (value) =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  Array.isArray(value) ||
  (value !== null && Object.getPrototypeOf(value) === Object.prototype);
