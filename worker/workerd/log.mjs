// The log line of a request, with the same fields as the wazero host's lines (wasmtest/access):
// names and numbers, but no contents, no key and no query.

import { keyForms } from "./apis.mjs";
import { pathname } from "./dialect.mjs";

const MAX_PATH = 256; // characters
// characters that a terminal does not show as such: U+202E can make a line read as another
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const MAX_SEARCHED = 1024; // characters of a path; the program refuses longer paths
const GONE = 499; // nginx logs this status for a client that left before the response

// lineOf returns the log line of a request and its response. report is the program's report. came,
// first and over are times in ms; first is undefined if no byte was sent. gone: the client left
// before the head. aborted: the client left before the end. socket: the request is a frame of a
// WebSocket. setup is the description of the settings, or undefined to omit it.
export function lineOf(request, response, report, { came, first, over, gone, aborted, socket, setup }) {
  const {
    client,
    upstream,
    to,
    endpoint = "",
    model,
    upstream_model,
    searches,
    fetches,
    cost,
    lost,
    unknown_model,
    gateway_cache,
    loop,
    unpriced,
    tool_descriptions_cut,
    error,
    ...tokens
  } = report;
  const line = JSON.stringify({
    id: response.headers.get("x-request-id"),
    method: request.method,
    path: pathOf(request.url),
    socket: socket || undefined,
    endpoint,
    pair: upstream && `${client}/${upstream}`,
    upstream: to,
    model,
    upstream_model,
    status: gone ? GONE : response.status,
    tokens: Object.keys(tokens).length > 0 ? tokens : undefined,
    searches,
    fetches,
    cost_usd: cost,
    first_byte_ms: first && first - came,
    total_ms: over - came,
    lost: lost?.split(","),
    unknown_model,
    gateway_cache,
    loop,
    unpriced: unpriced?.split(","),
    tool_descriptions_cut,
    error: aborted ? undefined : error, // errors sent after the client left are not logged
    aborted: aborted || undefined,
    setup,
  });
  return line.replace(UNSHOWN, escape);
}

// escape returns a character of a JSON string as escapes.
function escape(character) {
  return Array.from(
    { length: character.length },
    (_, i) => "\\u" + character.charCodeAt(i).toString(16).padStart(4, "0"),
  ).join("");
}

// pathOf returns the path of a URL for the log, with keys replaced by KEY: after /k/, or anywhere
// else by mistake.
function pathOf(url) {
  let path = pathname(url);
  if (unescaped(path).startsWith("/k/")) {
    const rest = path.startsWith("/k/") ? path.slice(3) : "";
    const at = rest.indexOf("/");
    path = "/k/KEY/" + (at < 0 ? "" : rest.slice(at + 1));
  }
  const plain = unescaped(path).slice(0, MAX_SEARCHED);
  const without = plain.replace(keyForms, "KEY");
  return (without === plain ? path : encodeURI(without)).slice(0, MAX_PATH);
}

// unescaped decodes a path like the program.
function unescaped(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
