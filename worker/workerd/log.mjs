// The log line of a request, with the fields that the wazero host's lines have (wasmtest/access):
// names and figures, but nothing of what was said, no key and no query.

import { pathname } from "./dialect.mjs";

const MAX_PATH = 256; // characters
// what a terminal does not show as a character of its own: with U+202E a line reads as another one
const UNSHOWN = /[\p{C}\p{Zl}\p{Zp}]/gu;
const ENDPOINT_KEY = /el_[a-z0-9_-]{1,40}_[\w-]{40,}/g; // a key of a personal endpoint, or most of one
const GONE = 499; // nginx logs this for a client that left before it got a status

// lineOf returns the log line of a request and its response. report is the program's report. came,
// first and over are times in ms; first is undefined if no byte was seen going out. gone is whether
// the client left before the head, aborted whether it left before the end, socket whether the
// request is a frame of a WebSocket. setup is what the settings come to; undefined: it is not said.
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
    gateway_cache,
    loop,
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
    gateway_cache,
    loop,
    tool_descriptions_cut,
    error: aborted ? undefined : error, // an error that was still sent to a client that left is not logged
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

// pathOf returns the path of a URL for the log. A key in it, behind /k/ or by mistake anywhere
// else, is left out.
function pathOf(url) {
  let path = pathname(url);
  if (unescaped(path).startsWith("/k/")) {
    const rest = path.startsWith("/k/") ? path.slice(3) : "";
    const at = rest.indexOf("/");
    path = "/k/KEY/" + (at < 0 ? "" : rest.slice(at + 1));
  }
  const plain = unescaped(path);
  const without = plain.replace(ENDPOINT_KEY, "KEY");
  return (without === plain ? path : encodeURI(without)).slice(0, MAX_PATH);
}

// unescaped returns a path as the program reads it.
function unescaped(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
