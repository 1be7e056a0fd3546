// The span of a request for the collector at OTLP_URL. It is made from the request's log line, and
// has no other information. The wazero host's spans (wasmtest/otlp) have the same members.
//
// The form is OTLP/HTTP in JSON (opentelemetry.io, "OTLP Specification", "JSON Protobuf Encoding"):
// ids in hex, integers of 64 bits as strings, enumerations as numbers. The names are from the
// semantic conventions for generative AI ("gen-ai-spans"). Names missing there begin with
// "edgelingua.".

import { apis } from "./apis.mjs";

const PATIENCE = 5000; // ms for the collector to answer
const [CLIENT, ERROR] = [3, 2]; // SpanKind and StatusCode
const COUNTS = /(\/count_tokens|\/input_tokens|:countTokens)$/; // paths of token counts
const EMBEDS = /(\/embeddings|:embedContent|:batchEmbedContents)$/; // paths of embeddings
const PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

// exported sends the span of a finished request, without a retry. The last argument is the result
// of the exchange's over. exported never rejects.
export async function exported(env, request, { line, came, over }) {
  const span = spanOf(JSON.parse(line), request.headers.get("traceparent"), came, over);
  if (!span) return;
  const reason = await post(env, {
    resourceSpans: [{ resource: resource(), scopeSpans: [{ scope: { name: "edgelingua" }, spans: [span] }] }],
  });
  if (reason) console.error(`edgelingua: the collector at OTLP_URL has not taken a span: ${reason}`);
}

// post sends a body to the collector, and returns the reason for a failure or undefined. Of the
// answer it reads only the status.
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

// headersOf returns the headers in OTLP_HEADERS, or undefined if the list is malformed. The program
// checks the list in more detail at the start (worker/endpoint/traces.go).
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

// spanOf returns the span of a log line. If no upstream was called, the result is undefined, unless
// edgelingua itself has failed: clients without a key must not fill the collector.
function spanOf(line, traceparent, came, over) {
  if (line.pair === undefined && line.error !== "internal") return undefined;
  const embeds = EMBEDS.test(line.path) && "embeddings";
  const operation = COUNTS.test(line.path) ? "count_tokens" : embeds || "chat";
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

// providerOf returns the provider of the upstream's API. The attribute names the flavor of the
// span, not the vendor of the model ("gen-ai-spans", note on gen_ai.provider.name).
const providerOf = (pair) =>
  apis
    .find(({ name }) => pair.endsWith(`/${name}`))
    ?.title.split(" ")[0]
    .toLowerCase();

// followed returns a traceparent if its length is valid by W3C Trace Context, 3.2: version 00 ends
// with its flags. Otherwise it returns "".
const followed = (traceparent) =>
  traceparent === null || (traceparent.startsWith("00") && traceparent.length !== 55) ? "" : traceparent;

const hex = (length) =>
  Array.from(crypto.getRandomValues(new Uint8Array(length)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
