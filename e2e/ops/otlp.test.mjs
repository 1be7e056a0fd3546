// Each request for a model is one span for the collector at OTLP_URL, with the same members on both
// hosts. A failing collector causes one line in the log.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { answer, done, finish, role, text, usage } from "../lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, ask, open, params, textOf } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { reader } from "../lib/sse.mjs";
import { TARGET, build, start } from "../lib/target.mjs";
import { unreachable, upstream } from "../lib/upstream.mjs";
import { until } from "../lib/waiting.mjs";

const ADMIN_KEY = "admin-key-of-the-tests";
const COLLECTOR_KEY = "key-of-the-collector";
const HEADERS = `x-collector-key=${COLLECTOR_KEY},authorization=Basic%20YTpi`;
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
// ms between the first span of a batch and the sending of the batch on the local host
// (wasmtest/otlp)
const EVERY = 5000;

// Spans has the spans that a collector has received.
class Spans {
  bodies = [];
  #spans = [];
  #takers = [];

  take(exchange) {
    assert.equal(exchange.path, "/v1/traces");
    assert.equal(exchange.method, "POST");
    assert.equal(exchange.headers["content-type"], "application/json");
    assert.equal(exchange.headers["x-collector-key"], COLLECTOR_KEY);
    assert.equal(exchange.headers.authorization, "Basic YTpi");
    this.bodies.push(String(exchange.body));
    const { resourceSpans } = exchange.json;
    assert.deepEqual(resourceSpans[0].resource, {
      attributes: [{ key: "service.name", value: { stringValue: "edgelingua" } }],
    });
    assert.equal(resourceSpans[0].scopeSpans[0].scope.name, "edgelingua");
    for (const span of resourceSpans[0].scopeSpans[0].spans) {
      this.#spans.push(span);
      this.#takers.shift()?.();
    }
  }

  // next resolves with the next span, with its attributes in a separate object, by name.
  async next() {
    if (this.#spans.length === 0) await new Promise((resolve) => this.#takers.push(resolve));
    const { attributes, ...span } = this.#spans.shift();
    return {
      span,
      attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    };
  }
}

describe("the span of a request", () => {
  const spans = new Spans();
  let up, collector, target;
  before(async () => {
    [up, collector] = [await upstream(), await upstream()];
    collector.serve((x) => {
      spans.take(x);
      return x.answer(200, { partialSuccess: {} });
    });
    const config = {
      ...defaults(up.url),
      ADMIN_KEY,
      ALLOW_HTTP_UPSTREAM: "true",
      MODELS: '{"claude-*":"small"}',
    };
    target = await start(
      { ...config, OTLP_URL: new URL(collector.url).origin + "/", OTLP_HEADERS: HEADERS },
      { faults: true, state: true },
    );
  });
  after(async () => {
    await target?.close();
    await up?.close();
    await collector?.close();
    const all = spans.bodies.join("");
    for (const secret of ["private", CLIENT_KEY, UPSTREAM_KEY, ADMIN_KEY, COLLECTOR_KEY, "el_"])
      assert.ok(!all.includes(secret), secret);
  });

  const asking = (more) => ({ body: params({ messages: [{ role: "user", content: "private" }], ...more }) });
  const send = (path, options) =>
    open(target.url, { path, ...options, headers: { "x-api-key": CLIENT_KEY, ...options.headers } });
  const common = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "claude-test",
    "edgelingua.pair": "anthropic/chat",
  };
  const answered = { ...common, "gen_ai.response.model": "small", "http.response.status_code": "200" };
  const tokens = { "gen_ai.usage.input_tokens": "11", "gen_ai.usage.output_tokens": "7" };

  // The local host sends batches, the last batch at its end. Its spans are therefore checked after
  // its end, and workerd's spans after each request.
  const later = [];
  const spanIs = async (...expected) => (TARGET === "wazero" ? later.push(expected) : checked(...expected));

  // checked asserts the next span, except for the values that differ between runs. check gets these
  // values.
  async function checked(want, status = {}, check = () => {}) {
    const { span, attributes } = await spans.next();
    const { "edgelingua.request.id": id, "edgelingua.first_byte_ms": first, ...rest } = attributes;
    assert.ok(id);
    assert.ok(first === undefined || first >= 0);
    assert.deepEqual(rest, want);
    const { traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano, ...others } = span;
    assert.match(traceId, /^[0-9a-f]{32}$/);
    assert.match(spanId, /^[0-9a-f]{16}$/);
    assert.ok(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano));
    assert.ok(BigInt(startTimeUnixNano) > 1_700_000_000_000_000_000n);
    assert.deepEqual(others, { name: "chat claude-test", kind: 3, status });
    check({ traceId, parentSpanId, id });
  }

  test("answers, streams, errors, streams that the client leaves, and a personal endpoint", async () => {
    const began = Date.now();
    up.serve((x) =>
      x.json.stream ? x.stream([role, text("private"), finish("stop"), usage(), done]) : answer(x, "private"),
    );
    // A stranger's request, and the greeting, are no spans.
    for (const [path, options] of [
      ["/v1/messages", { headers: { "x-api-key": "private" }, ...asking() }],
      ["/", { method: "GET" }],
    ]) {
      await textOf((await send(path, options).reply).body);
    }
    const reply = await send("/v1/messages?key=private", {
      headers: { traceparent: `00-${TRACE}-${PARENT}-00` },
      ...asking({ top_k: 5 }),
    }).reply;
    await textOf(reply.body);
    await spanIs(
      { ...answered, ...tokens, "edgelingua.lost": "top_k" },
      {},
      ({ traceId, parentSpanId, id }) => {
        assert.deepEqual([traceId, parentSpanId, id], [TRACE, PARENT, reply.headers["x-request-id"]]);
      },
    );

    await textOf(
      (
        await send("/v1/messages", {
          headers: { traceparent: `00-${TRACE}-${PARENT}-private` },
          ...asking({ stream: true }),
        }).reply
      ).body,
    );
    await spanIs({ ...answered, ...tokens }, {}, ({ traceId, parentSpanId }) => {
      assert.notEqual(traceId, TRACE);
      assert.equal(parentSpanId, undefined);
    });

    up.serve((x) => x.answer(429, { error: { message: "private" } }));
    await textOf((await send("/v1/messages", asking()).reply).body);
    await spanIs({ ...common, "http.response.status_code": "429", "error.type": "rate_limit" }, { code: 2 });

    up.serve((x) => x.stream([role, text("private")]));
    await textOf((await send("/v1/messages", asking({ stream: true })).reply).body);
    await spanIs({ ...common, "http.response.status_code": "200", "error.type": "unavailable" }, { code: 2 });

    up.serve(null);
    const call = send("/v1/messages", asking({ stream: true }));
    const x = await up.next();
    x.head();
    await x.send(role);
    await x.send(text("private"));
    const events = reader((await call.reply).body);
    await events.next();
    call.abort();
    await x.gone;
    await spanIs({ ...answered, "edgelingua.aborted": true });

    up.serve((x) => answer(x, "private"));
    const key = await enroll(target.url, "anna", {
      upstreams: [{ name: "fast", protocol: "chat", url: up.url }],
    });
    await textOf(
      (await send(`/k/${key}/v1/messages`, { headers: { "x-api-key": "" }, ...asking() }).reply).body,
    );
    const model = {
      "gen_ai.response.model": "claude-test",
      "edgelingua.endpoint": "anna",
      "edgelingua.upstream": "fast",
    };
    await spanIs({ ...answered, ...tokens, ...model });

    if (TARGET === "wazero") {
      await target.close();
      for (const expected of later) await checked(...expected);
      const most = 1 + Math.floor((Date.now() - began) / EVERY); // 1, unless the machine is slow
      assert.ok(spans.bodies.length <= most, `${spans.bodies.length} batches`);
    }
  });
});

// Fields of the program's report that are missing in the reports of the other tests' requests.
test("a report is in the line, its upstream and cost also in the span, on workerd", async () => {
  const { lineOf } = await import(join(build, "log.mjs"));
  const { exported } = await import(join(build, "otlp.mjs"));
  const spans = new Spans();
  const collector = await upstream();
  collector.serve((x) => {
    spans.take(x);
    return x.answer(200, {});
  });
  try {
    const request = new Request("http://edgelingua.example/u/anna/v1/messages", { method: "POST" });
    const report = {
      client: "anthropic",
      upstream: "chat",
      to: "fast",
      endpoint: "anna",
      model: "m",
      cost: 0,
      input: 3,
      unknown_model: true,
    };
    const line = lineOf(request, new Response("", { headers: { "x-request-id": "req_1" } }), report, {
      came: 1,
      over: 3,
    });
    const { upstream: to, cost_usd, tokens, pair, unknown_model: unknown } = JSON.parse(line);
    assert.deepEqual([to, cost_usd, tokens, pair], ["fast", 0, { input: 3 }, "anthropic/chat"]);
    assert.equal(unknown, true);
    await exported({ OTLP_URL: new URL(collector.url).origin, OTLP_HEADERS: HEADERS }, request, {
      line,
      came: 1,
      over: 3,
    });
    const { span, attributes } = await spans.next();
    assert.deepEqual([span.startTimeUnixNano, span.endTimeUnixNano], ["1000000", "3000000"]);
    assert.deepEqual([attributes["edgelingua.upstream"], attributes["edgelingua.cost_usd"]], ["fast", 0]);
  } finally {
    await collector.close();
  }
});

describe("a collector that fails", { concurrency: true }, () => {
  let up;
  before(async () => {
    up = await upstream();
    up.serve((x) => answer(x, "private"));
  });
  after(() => up?.close());

  // fails asserts that a request is answered while the collector fails, and that the log then has
  // one line with the reason.
  async function fails(OTLP_URL, why) {
    const target = await start({ ...defaults(up.url), OTLP_URL, OTLP_HEADERS: HEADERS });
    try {
      const reply = await ask(target.url, { body: params() });
      assert.equal(reply.status, 200);
      const said = () =>
        target.log.map((line) => line.message ?? line).filter((line) => line.includes("OTLP_URL"));
      if (TARGET === "wazero")
        await target.close(); // sends the batch
      else await until(() => said().length > 0);
      assert.equal(said().length, 1);
      assert.match(said()[0], why);
      assert.ok(!JSON.stringify(target.log).includes(COLLECTOR_KEY));
    } finally {
      await target.close();
    }
  }

  // collector starts a collector that answers with serve, and calls play with its URL.
  async function collector(serve, play) {
    const c = await upstream();
    c.serve(serve);
    try {
      await play(new URL(c.url).origin);
      assert.equal(c.requests.length, 1, "one try");
    } finally {
      await c.close();
    }
  }

  test("is down", async () =>
    fails(new URL(await unreachable()).origin, /has not taken a span: it can't be reached/));
  test("answers 500", () =>
    collector(
      (x) => x.answer(500, "private"),
      (url) => fails(url, /has not taken a span: it answers 500$/),
    ));
  test("answers with a body without an end", () =>
    collector(
      (x) => x.head(500),
      (url) => fails(url, /has not taken a span: it answers 500$/),
    ));
  test("redirects", () => {
    const elsewhere = { location: "/v1/elsewhere" };
    return collector(
      (x) => x.answer(307, "", elsewhere),
      (url) => fails(url, /has not taken a span: it redirects \(307\), which is not followed/),
    );
  });
  test("hangs", () =>
    collector(
      () => {},
      (url) => fails(url, /has not taken a span: it does not answer$/),
    ));
});
