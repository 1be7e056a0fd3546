// The line of a request in the log, with the fields that the wazero host's have (wasmtest/access): names and figures, and nothing
// of what was said, no key and no query.

const MAX_PATH = 256; // characters
const ENDPOINT_KEY = /el_[a-z0-9-]{1,40}_[\w-]{40,}/g; // of a personal endpoint, or most of one
const GONE = 499; // what nginx logs for a client that left before it had a status

// lineOf returns the line of a request with its response. report is what the program says of it, came, first and over are times
// in milliseconds, first undefined if no byte went out that was seen. gone: the client left before the head, aborted: before the
// end.
export function lineOf(request, response, report, { came, first, over, gone, aborted }) {
  const { client, upstream, endpoint = "", model, upstream_model, lost, loop, error, ...tokens } = report;
  return JSON.stringify({
    id: response.headers.get("x-request-id"),
    method: request.method,
    path: pathOf(request.url),
    endpoint,
    pair: upstream && `${client}/${upstream}`,
    model,
    upstream_model,
    status: gone ? GONE : response.status,
    tokens: Object.keys(tokens).length > 0 ? tokens : undefined,
    first_byte_ms: first && first - came,
    total_ms: over - came,
    lost: lost?.split(","),
    loop,
    error: aborted ? undefined : error, // what a client that left was still told is no error of anybody's
    aborted: aborted || undefined,
  });
}

// pathOf returns the path of a URL without the key that may stand in it, behind /k/ or, by mistake, anywhere else.
function pathOf(url) {
  let path = new URL(url).pathname;
  if (unescaped(path).startsWith("/k/")) {
    const rest = path.startsWith("/k/") ? path.slice(3) : "";
    const at = rest.indexOf("/");
    path = "/k/KEY/" + (at < 0 ? "" : rest.slice(at + 1));
  }
  const plain = unescaped(path);
  const without = plain.replace(ENDPOINT_KEY, "KEY");
  return (without === plain ? path : encodeURI(without)).slice(0, MAX_PATH);
}

// unescaped is what the program takes a path for.
function unescaped(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
