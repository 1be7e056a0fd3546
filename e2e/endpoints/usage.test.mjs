// Usage of personal endpoints: what is counted, who may read it, and that counting changes nothing else.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gzipSync } from "node:zlib";
import { open } from "../lib/client.mjs";
import { keyOf } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { checkAnswer, operationOf } from "../lib/openapi.mjs";
import { TARGET } from "../lib/target.mjs";
import { EVERY } from "../lib/turns.mjs";
import { ADMIN_KEY, counted, midnight, plain, requestsOf, says, streamed, streams, suite, through, whole } from "../lib/usage.mjs";
import { unreachable } from "../lib/upstream.mjs";
import { TooSlow, longEnough, until } from "../lib/waiting.mjs";

// costs returns the usage of one model, for an upstream's protocol. Anthropic does not count reasoning.
const costs = (protocol, requests) => ({
  requests,
  errors: 0,
  input: requests * counted.input,
  output: requests * counted.output,
  cached: requests * counted.cached,
  reasoning: protocol === "anthropic" ? 0 : requests * counted.reasoning,
});

const withUsage = { stream: true, stream_options: { include_usage: true } };

// counts returns what a row of a day has counted of requests and tokens.
const counts = ({ day, model, requests, errors, input, output, cached, reasoning }) => ({ day, model, requests, errors, input, output, cached, reasoning });

describe("what is counted", () => {
  const f = suite();

  for (const client of EVERY) {
    for (const protocol of EVERY) {
      test(`${client} to ${protocol}, streamed and plain`, async () => {
        f.up.serve(says(protocol));
        const e = await f.endpoint({ usage: true, upstreams: [through(protocol, f.up)] });
        const bodies = [{}, { stream: true }, ...(client === "chat" ? [withUsage] : [])];
        for (const body of bodies) assert.equal((await f.ask(client, e, { at: midnight, body: { ...body, model: "some-model" } })).status, 200);
        const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === bodies.length);
        assert.deepEqual({ ...kept, days: kept.days.map(counts) }, { usage: true, days: [{ day: "2026-11-21", model: "some-model", ...costs(protocol, bodies.length) }], errors: [], requests: [], lost: [], limits: {} });
        const { upstream, key, written, unpriced, total_ms } = kept.days[0];
        assert.deepEqual([upstream, key.length, written, unpriced], ["up", 8, protocol === "anthropic" ? 3 * bodies.length : 0, bodies.length]);
        assert.equal(Object.values(total_ms).reduce((a, b) => a + b), bodies.length);
      });
    }

    test(`a Chat stream of ${client}, which does not ask for usage, is not given any`, async () => {
      f.up.serve(says("chat"));
      const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up)] });
      const { text } = await f.ask(client, e, { body: { stream: true } });
      assert.equal(f.up.requests[0].json.stream_options.include_usage, true);
      if (client === "chat") assert.doesNotMatch(text, /usage":\{/);
    });
  }

  test("an upstream that can't be asked for usage", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up, { options: { stream_usage: "omit" } })] });
    await f.ask("chat", e, { body: { stream: true } });
    assert.equal(f.up.requests[0].json.stream_options, undefined);
  });

  test("a stream that the client leaves costs what the upstream has said by then", async () => {
    const e = await f.endpoint({ usage: true, upstreams: [through("anthropic", f.up)] });
    for (const client of ["anthropic", "chat"]) {
      const call = f.send(client, e, { at: midnight, body: { stream: true, model: "some" } });
      const x = await f.up.next();
      x.head();
      await x.send(streamed.anthropic().slice(0, 3).join(""));
      const { body } = await call.reply;
      await body[Symbol.asyncIterator]().next();
      call.abort();
      await x.gone;
    }
    const { days, errors } = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2);
    assert.deepEqual(days.map(({ input, output, errors }) => [input, output, errors]), [[246, 2, 0]]);
    assert.deepEqual(errors, []);
  });

  test("days and models", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up)] });
    const ask = async (model, day) => {
      const before = requestsOf(await f.usage(e, { at: midnight, days: 90 }));
      await f.ask("anthropic", e, { at: midnight - 86400 * day, body: { model } });
      await f.until(e, { at: midnight, days: 90 }, (kept) => requestsOf(kept) > before);
    };
    for (const [model, day] of [["b", 40], ["b", 1], ["a", 0], ["b", 0], ["a", 0]]) await ask(model, day);
    const days = async (days) => (await f.usage(e, { at: midnight, days })).days.map(({ day, model, requests }) => [day, model, requests]);
    const today = [["2026-11-21", "a", 2], ["2026-11-21", "b", 1]];
    assert.deepEqual(await days(1), today);
    assert.deepEqual(await days(undefined), [["2026-11-20", "b", 1], ...today]);
    assert.deepEqual(await days(90), [["2026-10-12", "b", 1], ["2026-11-20", "b", 1], ...today]);
  });

  test("errors, with what the client can tell them by", async () => {
    const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up)] });
    const other = await f.endpoint({ usage: true, upstreams: [{ name: "gone", protocol: "chat", url: await unreachable() }] });
    const error = { error: { message: "secret words", type: "x", param: null, code: null } };
    const ask = async (client, status) => {
      const asked = f.ask(client, e, { at: midnight, body: { model: "some" } });
      await (await f.up.next()).answer(status, error, { "content-type": "application/json", "x-request-id": `req-${client}-${status}` });
      const answer = await asked;
      await f.until(e, { at: midnight }, ({ errors }) => errors[0]?.request_id === answer.headers["x-request-id"]);
    };
    for (const client of EVERY) for (const status of [401, 404, 500]) await ask(client, status);
    const { days, errors } = await f.usage(e, { at: midnight });
    assert.deepEqual(days.map(({ requests, errors }) => [requests, errors]), [[12, 12]]);
    assert.equal(errors.length, 12);
    assert.deepEqual(errors[11], { time: midnight, status: 401, type: "authentication", request_id: "req-anthropic-401" });
    assert.deepEqual(errors[0], { time: midnight, status: 500, type: "internal", request_id: "req-gemini-500" });
    assert.ok(!JSON.stringify(errors).includes("secret words"));
    for (let i = 0; i < 20; i++) await ask("chat", 500);
    assert.equal((await f.usage(e, { at: midnight })).errors.length, 20);

    assert.equal((await f.ask("anthropic", other)).status, 502);
    const kept = await f.until(other, {}, (kept) => requestsOf(kept) === 1);
    assert.deepEqual(kept.errors.map(({ status, type }) => [status, type]), [[502, "unavailable"]]);
  });

  for (const client of EVERY) {
    for (const protocol of EVERY) {
      test(`${client} to ${protocol}: a stream that fails is an error`, async () => {
        const e = await f.endpoint({ usage: true, upstreams: [through(protocol, f.up)] });
        const failure = {
          anthropic: 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n',
          chat: 'data: {"error":{"message":"no","type":"server_error","code":"overloaded"}}\n\n',
          gemini: 'data: {"error":{"code":503,"message":"no","status":"UNAVAILABLE"}}\n\n',
          responses:
            'event: response.failed\ndata: {"type":"response.failed","sequence_number":2,"response":{"id":"resp_1","object":"response","created_at":1,"status":"failed","model":"m","output":[],"error":{"code":"server_error","message":"no"}}}\n\n',
        }[protocol];
        f.up.serve((x) => x.stream([streamed[protocol]().slice(0, 2).join(""), failure]));
        await f.ask(client, e, { at: midnight, body: client === "chat" ? withUsage : { stream: true } });
        const { errors } = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 1);
        assert.equal(errors.length, 1);
        assert.ok(errors[0].status >= 500, JSON.stringify(errors));
      });
    }
  }

  test("what is no stream though it was asked for, and the reverse", async () => {
    for (const protocol of EVERY) {
      const e = await f.endpoint({ usage: true, upstreams: [through(protocol, f.up)] });
      f.up.serve((x) => (streams(protocol, x) ? x.answer(200, plain[protocol]()) : x.stream(streamed[protocol]())));
      const body = protocol === "chat" ? withUsage : { stream: true };
      for (const asked of [body, {}]) await f.ask(protocol, e, { at: midnight, body: { ...asked, model: "some" } });
      const { days } = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2);
      assert.deepEqual(days.map(counts), [{ day: "2026-11-21", model: "some", ...costs(protocol, 2) }]);
    }
  });

  test("another upstream's answer counts where the first one fails", async () => {
    const e = await f.endpoint({ usage: true, upstreams: [{ name: "gone", protocol: "chat", url: await unreachable() }, through("responses", f.up)] });
    f.up.serve(says("responses"));
    for (const stream of [true, false]) assert.equal((await f.ask("anthropic", e, { at: midnight, body: { stream, model: "some" } })).status, 200);
    const { days } = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2);
    assert.deepEqual(days.map(counts), [{ day: "2026-11-21", model: "some", ...costs("responses", 2) }]);
  });
});

describe("what passes stays what it is", () => {
  const f = suite();

  for (const protocol of EVERY) {
    const passing = protocol === "chat" ? withUsage : { stream: true };
    const endpoint = () => f.endpoint({ usage: true, upstreams: [through(protocol, f.up)] });

    test(`${protocol}: a plain answer, whatever it holds`, async () => {
      const e = await endpoint();
      const answers = [
        JSON.stringify({ ...plain[protocol](), unknown: [1.0e2, { deep: "\\u0041" }] }, null, 3) + "\n",
        Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"')]),
        '{"a":"' + "é".repeat(9 << 20) + '"}',
        "",
        "no JSON",
      ];
      for (const answer of answers) {
        f.up.serve((x) => x.answer(202, answer, { "content-type": "application/json; charset=utf-8" }));
        const reply = await f.send(protocol, e).reply;
        assert.equal(reply.status, 202);
        assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
        assert.equal(reply.headers["x-edgelingua-lost"], undefined);
        assert.ok((await whole(reply.body)).equals(Buffer.from(answer)));
      }
      await f.until(e, {}, (kept) => requestsOf(kept) === answers.length);
      if (TARGET === "wazero") await until(() => f.log.some((line) => /more than 16 MB has passed, and its tokens are not counted/.test(line)));
    });

    test(`${protocol}: a stream, as it comes, whatever it holds`, async () => {
      const e = await endpoint();
      const call = f.send(protocol, e, { body: passing });
      const x = await f.up.next();
      x.head(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      const { status, headers, body } = await call.reply;
      assert.equal(status, 200);
      assert.equal(headers["content-type"], "text/event-stream");
      assert.equal(headers["cache-control"], "no-store");
      const chunks = body[Symbol.asyncIterator]();
      // An event passes with its end, which tells whether it is a failure; what stands between events passes as it comes.
      const odd = ["event: odd\r\nda", "ta: {", [0xf0, 0x9f], [0x98, 0x80], "\n\n: ping\n\n"];
      for (const pieces of [[": ping\n"], ["\n"], odd, [streamed[protocol]().join("")]].map((pieces) => pieces.map((piece) => Buffer.from(piece)))) {
        for (const piece of pieces) await x.send(piece);
        assert.deepEqual((await chunks.next()).value, Buffer.concat(pieces)); // the next ones are sent only when the client has these
      }
      await x.end();
      assert.ok((await chunks.next()).done);
    });

    test(`${protocol}: a stream of 20 MB, to a client that reads late`, async () => {
      const e = await endpoint();
      const chunk = Buffer.alloc(1 << 16, "0123456789abcde\n");
      const call = f.send(protocol, e, { body: passing });
      const x = await f.up.next();
      const sent = x.stream(Array.from({ length: 320 }, () => chunk));
      const { body } = await call.reply;
      await Promise.all([sent, whole(body).then((all) => assert.equal(all.length, 320 * chunk.length))]);
    });

    test(`${protocol}: what comes compressed reaches the client readable, and is counted`, async () => {
      const e = await endpoint();
      const answer = JSON.stringify(plain[protocol]());
      f.up.serve((x) => x.answer(200, gzipSync(answer), { "content-type": "application/json", "content-encoding": "gzip" }));
      const { headers, text } = await f.ask(protocol, e);
      assert.equal(headers["content-encoding"], undefined);
      assert.equal(text, answer);
      const { days } = await f.until(e, {}, (kept) => requestsOf(kept) === 1);
      assert.equal(days[0].input, counted.input);
    });

    test(`${protocol}: what nobody here can decompress passes as it is, and is not counted`, async () => {
      const e = await endpoint();
      const answer = Buffer.from([0xff, 0, 1, 2]);
      f.up.serve((x) => x.answer(200, answer, { "content-type": "application/json", "content-encoding": "x-odd" }));
      const { headers, body } = await f.send(protocol, e).reply;
      assert.equal(headers["content-encoding"], "x-odd");
      assert.ok((await whole(body)).equals(answer));
      const kept = await f.until(e, {}, (kept) => requestsOf(kept) === 1);
      assert.deepEqual([kept.days[0].input, kept.errors], [0, []]);
    });

    test(`${protocol}: a request`, async () => {
      const e = await endpoint();
      f.up.serve(says(protocol));
      const odd = Buffer.from(`\n{ "zeta" : [1.0e2], "model":"m" ,\t"unknown":{"a":{}},"stream": false}  \n`);
      await f.ask(protocol, e, { body: odd });
      assert.deepEqual(f.up.requests[0].body, odd);
    });

    test(`${protocol}: a body that is cut has no end`, async () => {
      const e = await endpoint();
      for (const [body, head, part] of [
        [passing, undefined, streamed[protocol]()[0]],
        [{}, { "content-type": "application/json" }, '{"a":'],
      ]) {
        const call = f.send(protocol, e, { body });
        const x = await f.up.next();
        x.head(200, head);
        await x.send(part);
        const reply = await call.reply;
        x.cut();
        await assert.rejects(whole(reply.body));
      }
      const { errors } = await f.until(e, {}, (kept) => requestsOf(kept) === 2);
      assert.deepEqual(errors.map(({ type }) => type), ["unavailable", "unavailable"]);
    });

    test(`${protocol}: a quiet stream gets no keep-alive, and a silent one no end`, async () => {
      const e = await f.endpoint({ usage: true, head_wait: 0.002, upstreams: [through(protocol, f.up)] });
      const call = f.send(protocol, e, { body: passing });
      const x = await f.up.next();
      x.head();
      const { body } = await call.reply;
      for (let i = 0; i < 50; i++) await f.usage(e); // long enough for a translated stream to get some keep-alives
      const answer = streamed[protocol]().join("");
      await x.send(answer);
      await x.end();
      assert.equal((await whole(body)).toString(), answer);

      await longEnough(200, async (timeout) => {
        const impatient = await f.endpoint({ usage: true, upstreams: [through(protocol, f.up, { timeout: timeout / 1000 })] });
        const silent = f.send(protocol, impatient, { body: passing });
        const y = await f.up.next();
        y.head();
        await y.send(streamed[protocol]()[0]).catch(() => {}); // it may be too late
        const reply = await silent.reply;
        if (reply.status === 504) throw new TooSlow();
        await assert.rejects(whole(reply.body));
        await y.gone;
        const { errors } = await f.until(impatient, {}, (kept) => requestsOf(kept) === 1);
        assert.deepEqual(errors.map(({ status, type }) => [status, type]), [[504, "timeout"]]);
      });
    });

    test(`${protocol}: without usage no program sees it, and no state is called`, async () => {
      const e = await f.endpoint({ usage: false, upstreams: [through(protocol, f.up)] });
      f.up.serve(says(protocol));
      // With this panic an instance that saw the stream would trap at its second push.
      const { text } = await f.ask(protocol, e, { panic: "export", body: { stream: true } });
      assert.equal(text, streamed[protocol]().join(""));
      for (const client of EVERY) assert.equal((await f.ask(client, e)).status, 200);
      assert.deepEqual(await f.usage(e), { usage: false, days: [], errors: [], requests: [], lost: [], limits: {} });
      assert.deepEqual(await f.tables(e), []);
    });
  }
});

describe("the APIs", () => {
  const f = suite();

  // call sends a request to the Admin or the owner API and checks the answer against the API's description.
  async function call(method, path, { key = ADMIN_KEY, body } = {}) {
    const reply = await open(f.url, { method, path, body, headers: { authorization: `Bearer ${key}` } }).reply;
    const text = (await whole(reply.body)).toString();
    const got = { ...reply, text, json: text === "" ? undefined : JSON.parse(text) };
    checkAnswer(operationOf(method, path), got);
    return got;
  }
  const record = (name, more) => ({ name, upstreams: [through("chat", f.up)], ...more });
  const one = (name) => `/admin/api/endpoints/${name}`;
  const ask = async (name, key) => {
    f.up.serve(says("chat"));
    assert.equal((await f.ask("chat", { name, key })).status, 200);
    await f.until({ name }, {}, (kept) => requestsOf(kept) === 1);
  };

  test("settings, and who may read usage", async () => {
    const limits = { requests_per_minute: 50, concurrent_streams: 4, tokens_per_day: 1000000, models: ["m", "claude-*"] };
    const made = await call("POST", "/admin/api/endpoints", { body: record("anna", { usage: true, limits }) });
    assert.equal(made.status, 201, made.text);
    assert.deepEqual([made.json.usage, made.json.limits], [true, limits]);
    const { key } = made.json;
    const bert = (await call("POST", "/admin/api/endpoints", { body: record("bert", { limits: { tokens_per_day: 5 } }) })).json.key;
    await ask("anna", key);

    const own = await call("GET", "/u/anna/api/usage?days=1", { key });
    assert.equal(own.status, 200, own.text);
    assert.deepEqual(own.json, (await call("GET", `${one("anna")}/usage`)).json);
    assert.deepEqual(own.json.limits, {
      requests_per_minute: { limit: 50, used: 1 },
      concurrent_streams: { limit: 4, used: 0 },
      tokens_per_day: { limit: 1000000, used: 163 },
    });
    assert.deepEqual((await call("GET", "/u/anna/api", { key })).json.limits, limits);
    for (const other of [bert, keyOf("anna")]) assert.equal((await call("GET", "/u/anna/api/usage", { key: other })).status, 401);
    assert.equal((await call("GET", `${one("anna")}/usage`, { key })).status, 401);
    assert.deepEqual((await call("GET", "/u/bert/api/usage", { key: bert })).json.days, []);
    assert.equal((await call("GET", `${one("nobody")}/usage`)).status, 404);
    for (const days of ["0", "91", "x", "-1", "1.5"]) {
      const { status, json } = await call("GET", `${one("anna")}/usage?days=${days}`);
      assert.equal(status, 400);
      assert.equal(json.error.path, "days");
      assert.equal((await call("GET", `/u/anna/api/usage?days=${days}`, { key })).status, 400);
    }
  });

  test("bad settings", async () => {
    for (const [path, more] of [
      ["usage", { usage: "on" }],
      ["limits", { limits: [] }],
      ["limits.streams", { limits: { streams: 1 } }],
      ["limits.requests_per_minute", { limits: { requests_per_minute: 0 } }],
      ["limits.models[0]", { limits: { models: [1] } }],
    ]) {
      const { status, json } = await call("POST", "/admin/api/endpoints", { body: record("bad", more) });
      assert.equal(status, 400);
      assert.equal(json.error.path, path);
    }
  });

  test("usage ends with its endpoint, and with the wish for it", async () => {
    let made = await call("POST", "/admin/api/endpoints", { body: record("dora", { usage: true }) });
    await ask("dora", made.json.key);
    assert.equal((await call("DELETE", one("dora"))).status, 204);
    assert.deepEqual(await f.tables({ name: "dora" }), []);

    made = await call("POST", "/admin/api/endpoints", { body: record("dora", { limits: { tokens_per_day: 1000 } }) });
    assert.deepEqual((await f.usage({ name: "dora" })).days, []);
    await ask("dora", made.json.key);
    await call("PATCH", one("dora"), { body: { limits: { requests_per_minute: 5 } } });
    assert.deepEqual((await f.usage({ name: "dora" })).limits, { requests_per_minute: { limit: 5, used: 0 }, tokens_per_day: { limit: 1000, used: 163 } });
    await call("PATCH", one("dora"), { body: { limits: null } });
    assert.deepEqual(await f.tables({ name: "dora" }), []);
    assert.equal((await f.usage({ name: "dora" })).usage, false);

    await f.state.batch("endpoint:dora", ["CREATE TABLE usage_day (other)"]); // as it may be left of an endpoint whose record KV has lost
    await call("PATCH", one("dora"), { body: { usage: true } });
    assert.deepEqual((await f.usage({ name: "dora" })).days, []);
  });

  test("the model of a limit is not listed where it is not allowed", async () => {
    const upstreams = [through("chat", f.up, { models: ["one", "two"] })];
    const { json } = await call("POST", "/admin/api/endpoints", { body: { name: "emma", upstreams, limits: { models: ["o*"] } } });
    const reply = await open(f.url, { method: "GET", path: "/u/emma/v1/models", headers: { authorization: `Bearer ${json.key}` } }).reply;
    assert.deepEqual(JSON.parse(await whole(reply.body)).data.map(({ id }) => id), ["one"]);
  });
});

describe("without ENDPOINT_STATE", { skip: TARGET === "wazero" && "the wazero host always has it" }, () => {
  const f = suite({ state: "kv" });
  const call = async (method, path, body) => {
    const reply = await open(f.url, { method, path, body, headers: { authorization: `Bearer ${ADMIN_KEY}` } }).reply;
    return { status: reply.status, text: (await whole(reply.body)).toString() };
  };

  test("no record is written", async () => {
    const { status, text } = await call("POST", "/admin/api/endpoints", { name: "anna", upstreams: [through("chat", f.up)] });
    assert.equal(status, 500, text);
    assert.match(text, /There is no binding ENDPOINT_STATE\. Add to wrangler\.toml/);
  });

  test("requests whose limits and keys can't be looked up are refused", async () => {
    f.up.serve(says("chat"));
    for (const more of [{ limits: { requests_per_minute: 1 } }, { usage: true }]) {
      const { status, text } = await f.ask("anthropic", await f.endpoint({ upstreams: [through("chat", f.up)], ...more }));
      assert.equal(status, 500);
      assert.match(text, /limits and keys can't be looked up\. There is no binding ENDPOINT_STATE/);
    }
    assert.equal(f.up.requests.length, 0);
    assert.equal((await f.ask("anthropic", await f.endpoint({ upstreams: [through("chat", f.up)] }))).status, 200);
  });
});
