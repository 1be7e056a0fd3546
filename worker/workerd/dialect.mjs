// Answers that the program can't give, in the form of the client's protocol. clientOf does here
// what endpoint.Client does in Go.
import { apis } from "./apis.mjs";

// failure is the answer to a request that can't be read ("invalid") or on which the program has
// died ("broken").
export function failure(request, status, kind, message) {
  const [before, behind] = clientOf(request)[kind];
  const id = requestID(request);
  const headers = { "content-type": "application/json", "x-request-id": id, "request-id": id };
  return new Response(before + JSON.stringify(message).slice(1, -1) + behind, { status, headers });
}

// pathname returns the path of a request's URL, also where the client named a host that is none:
// workerd hands such a URL on.
export const pathname = (url) =>
  URL.canParse(url) ? new URL(url).pathname : (/^[^:]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? "");

// clientOf returns the protocol of a request's client, as an entry of apis. It goes by the headers
// and by the path, without the address of a personal endpoint.
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

// decoded is a path without escapes, as Go has it. One that can't be decoded is no request's: the
// program refuses it.
function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

// matches returns whether a route, in the form of ir.Route's Path, has a path.
function matches(route, path) {
  const [lead, end] = route.split(/\*(.*)/s, 2);
  if (end === undefined) return path === route;
  if (!path.startsWith(lead)) return false;
  const open = end.startsWith("*");
  const tail = open ? end.slice(1) : end;
  const rest = path.slice(lead.length);
  return rest.endsWith(tail) && (open || !rest.slice(0, rest.length - tail.length).includes("/"));
}

// requestID returns the id of a request that the program does not answer: the client's own, or a
// random one.
function requestID(request) {
  const id = request.headers.get("x-request-id") ?? "";
  return /^[\w.-]{1,128}$/.test(id) ? id : "req_" + crypto.randomUUID().replaceAll("-", "");
}
