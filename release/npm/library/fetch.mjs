// A function like fetch that translates: a client's request goes in, the client's answer comes out.
// index.d.ts documents createFetch.
import { apis } from "../worker/apis.mjs";
import { clientOf, decoded, failureBody, matches } from "../worker/dialect.mjs";
import { TranslationError } from "./error.mjs";

const MOST_REQUEST = 32 << 20; // bytes of a client's body: the module's own limit
const MOST_ANSWER = 16 << 20; // bytes of an upstream's plain answer: the module's own limit
const LOST = "x-edgelingua-lost";
const WAIT = ["retry-after", "retry-after-ms"]; // headers of an upstream's error for the client

// fetcher returns the function createFetch of an entry. load is the function of the same entry.
export const fetcher = (load) => (settings) => async (input, init) => {
  const request = init === undefined && input instanceof Request ? input : new Request(input, init);
  const { pathname, search } = new URL(request.url);
  const client = clientOf(request);
  const refuse = (status, kind, message, headers, cause) => {
    const error = new TranslationError({ status, body: failureBody(client, kind, message) }, { cause });
    settings.onError?.(error);
    return answerTo(error, headers);
  };
  if (!client.converse.some((route) => matches(route, decoded(pathname)))) {
    return refuse(404, "invalid", `There is nothing at ${pathname}. Send POST requests to ${paths()}.`);
  }
  if (request.method !== "POST")
    return refuse(405, "invalid", "Only POST requests are served here.", { allow: "POST" });
  const translate = await load();
  // Firefox has no Request.body.
  const asked = await read(request.body ?? (await request.blob()).stream(), MOST_REQUEST);
  // A client that leaves is no error.
  const onError = settings.onError && ((error) => request.signal.aborted || settings.onError(error));
  let wait;
  try {
    const call = await translate.request(
      { ...settings, onError, client: client.name },
      pathname + search,
      asked,
    );
    let upstream;
    try {
      upstream = await fetch(call.url, {
        method: "POST",
        headers: headersOf(request, client, settings, call),
        body: call.body,
        redirect: "manual",
        signal: request.signal,
      });
    } catch (cause) {
      if (request.signal.aborted) throw cause;
      return refuse(502, "broken", "The upstream can't be reached.", undefined, cause);
    }
    if (!upstream.ok) {
      wait = pick(upstream.headers, WAIT);
      // a browser hides the status of a redirect
      const status = upstream.type === "opaqueredirect" ? 302 : upstream.status;
      throw call.exchange.error(status, await answerOf(upstream));
    }
    return await translated(call, upstream);
  } catch (error) {
    if (error instanceof BrokenOff) {
      if (request.signal.aborted) throw error.cause;
      return refuse(502, "broken", "The upstream's answer broke off.", undefined, error.cause);
    }
    if (!(error instanceof TranslationError)) throw error;
    return answerTo(error, wait);
  }
};

// translated returns the client's answer for an upstream's answer with a good status.
async function translated({ exchange, lost }, upstream) {
  const type = exchange.streams ? "text/event-stream" : "application/json";
  const headers = {
    "content-type": (exchange.passes && upstream.headers.get("content-type")) || type,
  };
  let body;
  if (exchange.streams) body = (upstream.body ?? new Blob([]).stream()).pipeThrough(exchange.stream());
  else {
    body = exchange.body(await answerOf(upstream));
    lost = exchange.lost; // with the losses of the answer
  }
  if (lost.length > 0) headers[LOST] = lost.join();
  return new Response(body, { headers });
}

// headersOf returns the headers of the upstream's request. If both sides speak one protocol, they
// include the client's headers that the protocol defines. Headers in the settings come first.
function headersOf(request, client, settings, call) {
  const headers = new Headers(call.headers);
  if (settings.upstream !== client.name) return headers;
  const own = new Headers(settings.headers);
  for (const [name, value] of request.headers)
    if (!own.has(name) && client.headers.some((known) => matches(known, name))) headers.set(name, value);
  return headers;
}

const pick = (headers, names) =>
  Object.fromEntries(names.filter((name) => headers.has(name)).map((name) => [name, headers.get(name)]));

const answerTo = ({ status, body }, headers) =>
  new Response(body, { status, headers: { "content-type": "application/json", ...headers } });

// paths returns the paths that createFetch serves, for people.
function paths() {
  const list = apis.filter(({ converse }) => converse).map(({ path }) => path);
  return `${list.slice(0, -1).join(", ")} or ${list.at(-1)}`;
}

// BrokenOff says that the upstream's answer broke off. The cause is the reader's error.
class BrokenOff extends Error {}

const answerOf = ({ body }) =>
  read(body, MOST_ANSWER).catch((cause) => {
    throw new BrokenOff("the upstream's answer broke off", { cause });
  });

// read returns the bytes of a body. It stops after most bytes: the module refuses a body that long.
async function read(body, most) {
  const parts = [];
  let size = 0;
  const reader = body?.getReader();
  for (let part = await reader?.read(); part && !part.done && size <= most; part = await reader.read()) {
    parts.push(part.value);
    size += part.value.length;
  }
  if (size > most) await reader.cancel();
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
