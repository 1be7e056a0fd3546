// Heads and settings as single strings for the program, in the forms of worker/bridge/doc.go.
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

// isData reports whether a member of env is not a binding but a variable, written in wrangler.toml
// as a number, a flag or a table.
const isData = (value) =>
  typeof value === "number" ||
  typeof value === "boolean" ||
  Array.isArray(value) ||
  (value !== null && Object.getPrototypeOf(value) === Object.prototype);
