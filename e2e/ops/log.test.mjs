// Each request is a line of the log, with the same fields on both hosts.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { answer, data, done, finish, role, text, usage } from "../lib/chat.mjs";
import { CLIENT_KEY, ask, open, params, textOf } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { reader } from "../lib/sse.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { until } from "../lib/waiting.mjs";

const ADMIN_KEY = "admin-key-of-the-tests";

describe("the line of a request", () => {
  const f = {};
  let target;
  let asked = 0;
  before(async () => {
    f.up = await upstream();
    const config = {
      ...defaults(f.up.url),
      ADMIN_KEY,
      ALLOW_HTTP_UPSTREAM: "true",
      MODELS: '{"claude-*":"small"}',
      OPTIONS: '{"loop_guard":"report"}',
      HEAD_WAIT: "5",
    };
    target = await start(config, { faults: true, state: true });
    f.url = target.url;
  });
  beforeEach(() => f.up.renew());
  after(async () => {
    await target?.close();
    await f.up?.close();
    assert.equal(target.lines.all.length, asked);
    assert.ok(!target.lines.all.join("").includes("private"));
  });

  const send = (path, options) => {
    asked++;
    return open(f.url, { path, headers: { "x-api-key": CLIENT_KEY }, ...options });
  };

  // line resolves with the next line of the log, without the figures that differ between runs.
  async function line(call) {
    const { time, first_byte_ms, total_ms, bytes_in, bytes_out, setup, ...got } = await target.lines.next();
    assert.ok(total_ms >= 0);
    assert.ok(first_byte_ms === undefined || (first_byte_ms >= 0 && first_byte_ms <= total_ms));
    if (TARGET === "workerd")
      assert.deepEqual([time, bytes_in, bytes_out], [undefined, undefined, undefined]);
    if (call) assert.equal(got.id, (await call.reply).headers["x-request-id"]);
    delete got.id;
    return got;
  }

  // logs runs a request, reads the whole answer, and asserts the request's line.
  async function logs(status, path, options, members) {
    const call = send(path, options);
    const reply = await call.reply;
    const body = await textOf(reply.body);
    assert.equal(reply.status, status, body);
    const { pathname } = new URL(path, f.url);
    assert.deepEqual(await line(call), {
      method: options.method ?? "POST",
      path: pathname,
      endpoint: "",
      status,
      ...members,
    });
  }

  const pair = { pair: "anthropic/chat", model: "claude-test", upstream_model: "small" };
  const same = { pair: "chat/chat", model: "m" };
  const chat = (more) => ({ model: "m", messages: [{ role: "user", content: "private" }], ...more });
  const tokens = { input: 11, output: 7 };

  test("translated", async () => {
    f.up.serve((x) =>
      x.json.stream ? x.stream([role, text("private"), finish("stop"), usage(), done]) : answer(x, "private"),
    );
    const body = (more) => ({
      body: params({ messages: [{ role: "user", content: "private" }], top_k: 5, ...more }),
    });
    await logs(200, "/v1/messages?key=private", body(), { ...pair, tokens, lost: ["top_k"] });
    await logs(200, "/v1/messages", body({ stream: true }), { ...pair, tokens, lost: ["top_k"] });
    await logs(
      200,
      "/v1/responses",
      { body: { model: "m", input: "private" } },
      { pair: "responses/chat", model: "m", tokens },
    );
  });

  test("no control or format character stands in it as such", async () => {
    const model = "m\u202e\u200f\u2028\u0085\u{e0041}\u001b[2J";
    f.up.serve((x) => answer(x));
    await logs(200, "/v1/messages", { body: params({ model }) }, { pair: "anthropic/chat", model, tokens });
    assert.match(target.lines.all.at(-1), /^[\P{C}]*$/u);
    assert.ok(!target.lines.all.at(-1).includes("\u2028"));
  });

  test("passed", async () => {
    f.up.serve((x) => (x.json.stream ? x.stream([role, done]) : answer(x)));
    await logs(200, "/v1/chat/completions", { body: chat() }, same);
    await logs(
      200,
      "/v1/chat/completions",
      { body: chat({ stream: true, model: "claude-x" }) },
      { ...same, model: "claude-x", upstream_model: "small" },
    );
  });

  test("a loop", async () => {
    f.up.serve((x) => answer(x));
    const call = {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "c", type: "function", function: { name: "look", arguments: "{}" } }],
    };
    const turns = Array(3)
      .fill([call, { role: "tool", tool_call_id: "c", content: "private" }])
      .flat();
    await logs(
      200,
      "/v1/chat/completions",
      { body: chat({ messages: [{ role: "user", content: "Hi" }, ...turns] }) },
      { ...same, loop: "look" },
    );
  });

  test("models and counts", async () => {
    await logs(200, "/v1/messages/count_tokens", { body: params() }, pair);
    f.up.serve((x) => x.answer(200, { data: [] }));
    await logs(200, "/v1/models", { method: "GET", headers: { authorization: `Bearer ${CLIENT_KEY}` } }, {});
    await logs(200, "/", { method: "GET" }, {});
  });

  test("refused", async () => {
    await logs(
      401,
      "/v1/messages",
      { headers: { "x-api-key": "private" }, body: params() },
      { error: "authentication" },
    );
    await logs(404, "/nothing", { method: "GET" }, { error: "not_found" });
    await logs(405, "/v1/messages", { method: "GET" }, { error: "method_not_allowed" });
    await logs(
      400,
      "/v1/messages",
      { body: "private" },
      { pair: "anthropic/chat", error: "invalid_request" },
    );
    assert.equal(f.up.requests.length, 0);
  });

  test("failed", async () => {
    f.up.serve((x) => x.answer(429, { error: { message: "private" } }));
    await logs(429, "/v1/messages", { body: params() }, { ...pair, error: "rate_limit" });
    await logs(429, "/v1/chat/completions", { body: chat() }, { ...same, error: "rate_limit" });
    f.up.serve((x) => x.reset());
    await logs(502, "/v1/messages", { body: params() }, { ...pair, error: "unavailable" });
    f.up.serve((x) => x.stream([role, text("some"), data({ error: { message: "private" } })]));
    await logs(200, "/v1/messages", { body: params({ stream: true }) }, { ...pair, error: "internal" });
  });

  test("trapped", async () => {
    const options = (at) => ({
      body: params({ stream: true }),
      headers: { "x-api-key": CLIENT_KEY, "x-test-panic": at },
    });
    for (const at of ["before", "after"]) await logs(500, "/v1/messages", options(at), { error: "internal" });
    const call = send("/v1/messages", options("export")); // the program traps at the stream's second chunk
    const x = await f.up.next();
    x.head();
    await x.send(role);
    const events = reader((await call.reply).body);
    await events.find("message_start");
    await x.send(text("some"));
    await events.find("error");
    assert.deepEqual(await line(call), {
      method: "POST",
      path: "/v1/messages",
      endpoint: "",
      status: 200,
      error: "internal",
    });
  });

  test("a personal endpoint", async () => {
    f.up.serve((x) => answer(x));
    const key = await enroll(f.url, "anna", { upstreams: [{ name: "a", protocol: "chat", url: f.up.url }] });
    asked += 2; // enroll has made two requests
    for (let i = 0; i < 2; i++) await target.lines.next();
    const anna = { pair: "anthropic/chat", model: "claude-test", endpoint: "anna", upstream: "a", tokens };
    await logs(200, "/u/anna/v1/messages", { body: params(), headers: { "x-api-key": key } }, anna);
    await logs(
      200,
      `/k/${key}/v1/messages?x=${key}`,
      { body: params(), headers: {} },
      { ...anna, path: "/k/KEY/v1/messages" },
    );
    await logs(401, "/u/anna/v1/messages", { body: params() }, { error: "authentication" });
    await logs(
      401,
      "/k/private/v1/messages",
      { body: params(), headers: {} },
      { path: "/k/KEY/v1/messages", error: "authentication" },
    );
    await logs(
      401,
      "/%6b/private/v1/messages",
      { body: params(), headers: {} },
      { path: "/k/KEY/", error: "authentication" },
    );
    for (const [path, logged] of [
      [`/x//k/${key}/v1/messages`, "/x//k/KEY/v1/messages"],
      [`/v1/k/${key.slice(0, -1)}`, "/v1/k/KEY"],
      [`/K/%65l${key.slice(2)}/a%20b`, "/K/KEY/a%20b"],
    ]) {
      await logs(404, path, { body: params(), headers: {} }, { path: logged, error: "not_found" });
    }
    await logs(200, "/admin/api/endpoints", { method: "GET", headers: { "x-api-key": ADMIN_KEY } }, {});
    await logs(401, "/admin/api/endpoints", { method: "GET" }, { error: "authentication" });
    await logs(200, "/u/anna/api", { method: "GET", headers: { "x-api-key": key } }, {});
    assert.ok(!target.lines.all.join("").includes(key.slice(9, -1)));
  });

  test("an upstream left out because the model has no price there", async () => {
    f.up.serve((x) => answer(x));
    const up = { protocol: "chat", url: f.up.url };
    const key = await enroll(f.url, "bert", {
      upstreams: [
        { name: "a", ...up },
        { name: "b", ...up, models: { "*": "m" } },
      ],
      limits: { usd_per_day: 5 },
      prices: { m: { input: 1, output: 1 } },
    });
    asked += 2; // enroll has made two requests
    for (let i = 0; i < 2; i++) await target.lines.next();
    const bert = { ...pair, upstream_model: "m", endpoint: "bert", upstream: "b", tokens };
    await logs(
      200,
      "/u/bert/v1/messages",
      { body: params(), headers: { "x-api-key": key } },
      { ...bert, cost_usd: 0.000018, unpriced: ["a"] },
    );
  });

  for (const stream of [false, true]) {
    const head = { method: "POST", path: "/v1/messages", endpoint: "" };

    test(`a client that leaves before the answer, ${stream ? "streamed" : "plain"}`, async () => {
      const call = send("/v1/messages", { body: params({ stream }) });
      await f.up.next();
      call.abort();
      assert.deepEqual(await line(), { ...head, ...pair, status: 499, aborted: true });
    });
  }

  test("a client that leaves in the middle of a stream", async () => {
    const call = send("/v1/messages", { body: params({ stream: true }) });
    const x = await f.up.next();
    x.head();
    await x.send(role);
    await x.send(text("some"));
    await reader((await call.reply).body).find("content_block_delta");
    call.abort();
    await x.gone;
    assert.deepEqual(await line(), {
      method: "POST",
      path: "/v1/messages",
      endpoint: "",
      ...pair,
      status: 200,
      aborted: true,
    });
  });
});

describe("the line that says what the settings come to", () => {
  const hello = (url) => ask(url, { body: params() });

  test(
    "is part of the first request's on workerd, and of no other",
    { skip: TARGET === "wazero" && "there it stands in front of all, in the log of the host" },
    async (t) => {
      const up = await upstream();
      t.after(() => up.close());
      up.serve((x) => answer(x));
      const target = await start({
        ...defaults(up.url),
        UPSTREAM_UR: "https://elsewhere.example.com",
        FOREIGN: "binding",
      });
      t.after(() => target.close());
      for (let i = 0; i < 2; i++) assert.equal((await hello(target.url)).status, 200);
      assert.equal(
        (await target.lines.next()).setup,
        `upstream: chat ${up.url} (key set), clients need a key; UPSTREAM_UR is no setting: did you mean UPSTREAM_URL?`,
      );
      assert.equal((await target.lines.next()).setup, undefined);
    },
  );

  test(
    "says what is wrong on workerd, as each request is told",
    { skip: TARGET === "wazero" && "wasmtest/cli/known_test.go: there nothing is served" },
    async (t) => {
      for (const [wrong, words] of [
        [
          { CLIENT_KEY: "a-key-of-yours" },
          "This deployment is not set up: CLIENT_KEY is an example of the documents, which everybody knows.",
        ],
        [{ MODELS: '{"a":' }, "This deployment is not set up: MODELS is not JSON"],
      ]) {
        const config = { ...defaults("https://upstream.example.com"), ...wrong };
        const target = await start(config);
        t.after(() => target.close());
        const answered = await ask(target.url, {
          headers: { "x-api-key": config.CLIENT_KEY },
          body: params(),
        });
        assert.equal(answered.status, 500);
        assert.ok(JSON.parse(answered.text).error.message.startsWith(words), answered.text);
        assert.ok((await target.lines.next()).setup.startsWith(words));
      }
    },
  );

  test(
    "is what the wazero host says once it listens",
    { skip: TARGET === "workerd" && "the host of wazero" },
    async (t) => {
      const target = await start(defaults("https://upstream.example.com/v1"));
      t.after(() => target.close());
      assert.equal((await ask(target.url, { path: "/v1/nothing", body: {} })).status, 404);
      assert.equal((await target.lines.next()).setup, undefined);
      await until(() =>
        target.log.includes("upstream: chat https://upstream.example.com/v1 (key set), clients need a key"),
      );
    },
  );
});
