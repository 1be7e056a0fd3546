// Answers that the program can't give, in the dialect of the client. endpoint.Client and translator.APIOf say in Go what clientOf does here.
import { apis } from "./apis.mjs";

// failure is the answer to a request that can't be read ("invalid") or on which the program has died ("broken").
export function failure(request, status, kind, message) {
  const [before, behind] = clientOf(request)[kind];
  const id = requestID(request);
  const headers = { "content-type": "application/json", "x-request-id": id, "request-id": id };
  return new Response(before + JSON.stringify(message).slice(1, -1) + behind, { status, headers });
}

// clientOf is the protocol of a client by its path, without what names a personal endpoint there, and its headers.
export function clientOf({ url, headers }) {
  const path = decoded(new URL(url).pathname).replace(/^\/[uk]\/[^/]*\/?/, "/");
  const having = apis.filter(({ routes }) => routes.some((route) => matches(route, path)));
  const among = having.length > 0 ? having : apis;
  return among.find(({ marks }) => marks.some((mark) => headers.get(mark))) ?? among.find(({ marks }) => marks.length === 0) ?? among[0];
}

// decoded is a path without escapes, as Go has it. One that can't be decoded is no request's: the program refuses it.
function decoded(path) {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

// matches says whether a path is one of a route, as ir.Route has it.
function matches(route, path) {
  const [lead, end] = route.split(/\*(.*)/s, 2);
  if (end === undefined) return path === route;
  if (!path.startsWith(lead)) return false;
  const rest = path.slice(lead.length);
  return end === "*" || (rest.endsWith(end) && !rest.slice(0, rest.length - end.length).includes("/"));
}

// requestID is the id of a request that the program does not answer: the client's own, or a random one.
function requestID(request) {
  const id = request.headers.get("x-request-id") ?? "";
  return /^[\w.-]{1,128}$/.test(id) ? id : "req_" + crypto.randomUUID().replaceAll("-", "");
}
