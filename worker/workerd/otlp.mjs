// The span of a request for the collector at OTLP_URL, made from the request's log line: what that
// does not say, no span says. The wazero host's spans (wasmtest/otlp) have the same members.
//
// The form is OTLP/HTTP in JSON (opentelemetry.io, "OTLP Specification", "JSON Protobuf Encoding"):
// ids in hex, integers of 64 bits as strings, enumerations as numbers. The names are those of the
// semantic conventions for generative AI ("gen-ai-spans"), and "edgelingua." begins those that they
// lack.

import { apis } from "./apis.mjs";

const PATIENCE = 5000; // ms that the collector may take to answer
const [CLIENT, ERROR] = [3, 2]; // SpanKind and StatusCode
const COUNTS = /\/(count_tokens|input_tokens)$/; // the paths of requests that ask for a count
const PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

// exported sends the span of a request that is over, in one try. done is what the request's over
// has resolved with. It never rejects.
export async function exported(env, request, { line, came, over }) {
  const span = spanOf(JSON.parse(line), request.headers.get("traceparent"), came, over);
  if (!span) return;
  const reason = await post(env, {
    resourceSpans: [{ resource: resource(), scopeSpans: [{ scope: { name: "edgelingua" }, spans: [span] }] }],
  });
  if (reason) console.error(`edgelingua: the collector at OTLP_URL has not taken a span: ${reason}`);
}

// post returns why the collector has not taken a body, undefined where it has. It reads nothing of
// the answer but its status.
async function post(env, body) {
  const headers = headersOf(env.OTLP_HEADERS ?? "");
  if (!headers) return "OTLP_HEADERS is not of the form name=value,name=value";
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    const url = env.OTLP_URL.replace(/\/+$/, "") + "/v1/traces";
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
      redirect: "manual",
      signal,
    });
    response.body?.cancel().catch(() => {});
    if (response.status >= 300 && response.status < 400)
      return `it redirects (${response.status}), which is not followed: OTLP_URL is to be where it leads`;
    return response.ok ? undefined : `it answers ${response.status}`;
  } catch {
    return signal.aborted ? "it does not answer" : "it can't be reached";
  }
}

// headersOf returns the headers that OTLP_HEADERS lists, undefined where it is malformed. The
// program checks it in more detail at the start (worker/endpoint/traces.go).
function headersOf(list) {
  const headers = { "content-type": "application/json" };
  try {
    for (const pair of list === "" ? [] : list.split(",")) {
      const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/.exec(pair);
      headers[name.toLowerCase()] = decodeURIComponent(value.trim());
    }
    return new Headers(headers);
  } catch {
    return undefined; // the error would show the header
  }
}

const resource = () => ({ attributes: [{ key: "service.name", value: { stringValue: "edgelingua" } }] });

// spanOf returns the span of a log line, undefined for a request that no upstream was tried for,
// unless edgelingua itself has failed: whoever has no key must not fill the collector.
function spanOf(line, traceparent, came, over) {
  if (line.pair === undefined && line.error !== "internal") return undefined;
  const operation = COUNTS.test(line.path) ? "count_tokens" : "chat";
  const asked = line.model;
  const [, traceId = hex(16), parentSpanId] = PARENT.exec(followed(traceparent)) ?? [];
  const tokens = line.tokens ?? {};
  const attributes = [
    ["gen_ai.operation.name", "stringValue", operation],
    ["gen_ai.provider.name", "stringValue", line.pair && providerOf(line.pair)],
    ["gen_ai.request.model", "stringValue", asked],
    [
      "gen_ai.response.model",
      "stringValue",
      line.error === undefined ? (line.upstream_model ?? asked) : undefined,
    ],
    ["gen_ai.usage.input_tokens", "intValue", tokens.input],
    ["gen_ai.usage.output_tokens", "intValue", tokens.output],
    ["gen_ai.usage.cache_read.input_tokens", "intValue", tokens.cached],
    ["gen_ai.usage.reasoning.output_tokens", "intValue", tokens.reasoning],
    ["http.response.status_code", "intValue", line.status],
    ["error.type", "stringValue", line.error],
    ["edgelingua.request.id", "stringValue", line.id],
    ["edgelingua.endpoint", "stringValue", line.endpoint || undefined],
    ["edgelingua.upstream", "stringValue", line.upstream],
    ["edgelingua.pair", "stringValue", line.pair],
    ["edgelingua.cost_usd", "doubleValue", line.cost_usd],
    ["edgelingua.first_byte_ms", "doubleValue", line.first_byte_ms],
    ["edgelingua.lost", "stringValue", line.lost?.join(",")],
    ["edgelingua.aborted", "boolValue", line.aborted],
  ];
  return {
    traceId,
    spanId: hex(8),
    parentSpanId,
    name: asked === undefined ? operation : `${operation} ${asked}`,
    kind: CLIENT,
    startTimeUnixNano: `${came}000000`,
    endTimeUnixNano: `${over}000000`,
    attributes: attributes
      .filter(([, , value]) => value !== undefined && value !== null)
      .map(([key, kind, value]) => ({ key, value: { [kind]: kind === "intValue" ? String(value) : value } })),
    status: line.error === undefined ? {} : { code: ERROR },
  };
}

// providerOf returns the provider by whose API the upstream is asked: the attribute says which
// flavor the span has, whoever has the model ("gen-ai-spans", note on gen_ai.provider.name).
const providerOf = (pair) =>
  apis
    .find(({ name }) => pair.endsWith(`/${name}`))
    ?.title.split(" ")[0]
    .toLowerCase();

// followed returns a traceparent as W3C Trace Context, 3.2, has it: version 00 ends with its flags.
// "" stands for none.
const followed = (traceparent) =>
  traceparent === null || (traceparent.startsWith("00") && traceparent.length !== 55) ? "" : traceparent;

const hex = (length) =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
