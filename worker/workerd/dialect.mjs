// Answers for requests that the program can't answer, in the form of the client's protocol.
// clientOf is the counterpart of endpoint.Client in Go.
import { apis, keyForms } from "./apis.mjs";

// failure returns the answer to a request that can't be read ("invalid") or that made the program
// trap ("broken").
export function failure(request, status, kind, message) {
  const id = requestID(request);
  const headers = { "content-type": "application/json", "x-request-id": id, "request-id": id };
  return new Response(failureBody(clientOf(request), kind, message), { status, headers });
}

// failureBody returns the body of failure's answer for a client, an entry of apis.
export function failureBody(client, kind, message) {
  const [before, behind] = client[kind];
  return before + JSON.stringify(message).slice(1, -1) + behind;
}

// pathname returns the path of a request's URL, even if the client sent an invalid host: workerd
// passes such a URL on.
export const pathname = (url) =>
  URL.canParse(url) ? new URL(url).pathname : (/^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? "");

// clientOf returns the protocol of a request's client, as an entry of apis. It reads the headers
// and the path without the address of a personal endpoint.
export function clientOf({ url, headers }) {
  const path = decoded(pathname(url)).replace(/^\/[uk]\/[^/]*\/?/, "/");
  const spoken = apis.filter(({ invalid }) => invalid !== undefined); // by clients
  const having = spoken.filter(({ routes }) => routes.some((route) => matches(route, path)));
  const among = having.length > 0 ? having : spoken;
  return (
    among.find(({ marks }) => marks.some((mark) => headers.get(mark))) ??
    among.find(({ marks }) => marks.length === 0) ??
    among[0]
  );
}

// decoded returns a path without escapes, as in Go. If a path can't be decoded, it is returned
// unchanged, and the program refuses the request.
export function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

// matches returns whether a path matches a route, in the form of ir.Route's Path.
export function matches(route, path) {
  const [lead, end] = route.split(/\*(.*)/s, 2);
  if (end === undefined) return path === route;
  if (!path.startsWith(lead)) return false;
  const open = end.startsWith("*");
  const tail = open ? end.slice(1) : end;
  const rest = path.slice(lead.length);
  return rest.endsWith(tail) && (open || !rest.slice(0, rest.length - tail.length).includes("/"));
}

// requestID returns the id for a request that the program does not answer: the client's own, unless
// it contains a key, or a random id.
function requestID(request) {
  const id = request.headers.get("x-request-id") ?? "";
  const own = /^[\w.-]{1,128}$/.test(id) && id.search(keyForms) < 0;
  return own ? id : "req_" + crypto.randomUUID().replaceAll("-", "");
}
