// Limits of personal endpoints: how many requests, streams and tokens, and which models.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { EVERY } from "../lib/turns.mjs";
import { midnight, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

// refusals check an error in the dialect of each client, and return its message.
const refusals = {
  anthropic: ({ type, error }, kind) => {
    assert.equal(type, "error");
    assert.equal(error.type, kind === 429 ? "rate_limit_error" : "permission_error");
    return error.message;
  },
  chat: ({ error }) => error.message,
  responses: ({ error }) => error.message,
  gemini: ({ error }, code) => {
    assert.deepEqual([error.code, error.status], [code, code === 429 ? "RESOURCE_EXHAUSTED" : "PERMISSION_DENIED"]);
    return error.message;
  },
};

describe("requests_per_minute", () => {
  const f = suite();

  for (const protocol of EVERY) {
    test(`200 requests at once: 50 reach an upstream of ${protocol}`, async () => {
      f.up.serve(says(protocol));
      const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits: { requests_per_minute: 50 } });
      const at = midnight + 600;
      const answers = await Promise.all(Array.from({ length: 200 }, (_, i) => f.ask(EVERY[i % 4], e, { at, body: { stream: i % 2 === 0 } })));
      assert.equal(answers.filter(({ status }) => status === 200).length, 50);
      assert.equal(answers.filter(({ status, headers }) => status === 429 && headers["retry-after"] === "61").length, 150);
      assert.equal(f.up.requests.length, 50);
      const kept = await f.until(e, { at }, (kept) => requestsOf(kept) === 200);
      assert.equal(kept.days.reduce((n, { errors }) => n + errors, 0), 150);
      assert.deepEqual(kept.limits, { requests_per_minute: { limit: 50, used: 50 } });

      assert.equal((await f.ask("chat", e, { at: at + 60 })).status, 429);
      assert.equal((await f.ask("chat", e, { at: at + 61 })).status, 200);
    });
  }

  for (const client of EVERY) {
    test(`a refusal in the dialect of ${client}`, async () => {
      f.up.serve(says("chat"));
      const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { requests_per_minute: 2 } });
      for (const at of [0, 20]) assert.equal((await f.ask(client, e, { at: midnight + at })).status, 200);
      const { status, headers, text } = await f.ask(client, e, { at: midnight + 30 });
      assert.equal(status, 429, text);
      assert.equal(headers["retry-after"], "31");
      assert.equal(headers["x-should-retry"], undefined);
      assert.match(refusals[client](JSON.parse(text), 429), /limit requests_per_minute of this endpoint, 2, .* in 31 seconds/);
      assert.equal(f.up.requests.length, 2);
      const { errors } = await f.until(e, { at: midnight + 30 }, (kept) => requestsOf(kept) === 3);
      assert.deepEqual(errors, [{ time: midnight + 30, status: 429, type: "rate_limit", request_id: headers["x-request-id"] }]);
    });
  }

  test("models and counts of tokens are no requests", async () => {
    f.up.serve((x) => x.answer(200, { object: "list", data: [], input_tokens: 5 }));
    const e = await f.endpoint({ upstreams: [through("anthropic", f.up)], limits: { requests_per_minute: 1 } });
    for (const [method, path, body] of [
      ["GET", "/v1/models"],
      ["POST", "/v1/messages/count_tokens", { model: "m", messages: [{ role: "user", content: "hi" }] }],
    ]) {
      for (let i = 0; i < 2; i++) {
        const reply = await open(f.url, { method, path: `/u/${e.name}${path}`, headers: { "x-api-key": e.key }, body }).reply;
        await whole(reply.body);
        assert.equal(reply.status, 200);
      }
    }
    assert.deepEqual(await f.tables(e), []);
  });
});

describe("concurrent_streams", () => {
  const f = suite();
  const limits = { concurrent_streams: 2 };
  const used = (n) => (kept) => kept.limits.concurrent_streams.used === n;

  // asking returns what each client asks for: a stream, and in Chat its usage, with which the stream passes.
  const asking = (client) => ({ stream: true, ...(client === "chat" && { stream_options: { include_usage: true } }) });

  // begin opens a stream that has begun, and resolves with its client's and its upstream's end.
  async function begin(client, protocol, e, options) {
    const call = f.send(client, e, { ...options, body: asking(client) });
    const x = await f.up.next();
    x.head();
    await x.send(streamed[protocol]().slice(0, 2).join(""));
    const { status, body } = await call.reply;
    assert.equal(status, 200);
    return { call, x, body };
  }
  const finish = async ({ x, body }, protocol) => {
    await x.send(streamed[protocol]().slice(2).join(""));
    await x.end();
    return whole(body);
  };
  const refused = async (client, e, at) => {
    const { status, headers, text } = await f.ask(client, e, { at, body: { stream: true } });
    assert.equal(status, 429, text);
    assert.equal(headers["retry-after"], "5");
    assert.match(refusals[client](JSON.parse(text), 429), /limit concurrent_streams of this endpoint, 2, /);
  };

  for (const protocol of EVERY) {
    for (const client of EVERY) {
      test(`${client} to ${protocol}: a place is free when a stream ends, is left or is cut`, async () => {
        const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits });
        const first = await begin(client, protocol, e);
        const second = await begin(client, protocol, e);
        await refused(client, e);
        assert.equal(f.up.requests.length, 2);

        await finish(first, protocol);
        await f.until(e, {}, used(1));
        const third = await begin(client, protocol, e);
        await refused(client, e);

        second.call.abort();
        await second.x.gone;
        await f.until(e, {}, used(1));
        const fourth = await begin(client, protocol, e);
        await refused(client, e);

        third.x.cut();
        if (client === protocol) await assert.rejects(whole(third.body));
        else assert.match((await whole(third.body)).toString(), /connection to the upstream broke/);
        await f.until(e, {}, used(1));
        const fifth = await begin(client, protocol, e);
        await refused(client, e);
        for (const stream of [fourth, fifth]) await finish(stream, protocol);
        const { errors, days } = await f.until(e, {}, (kept) => used(0)(kept) && requestsOf(kept) === 9);
        assert.deepEqual(errors.map(({ type }) => type).sort(), ["rate_limit", "rate_limit", "rate_limit", "rate_limit", "unavailable"]);
        assert.equal(days.reduce((n, { errors }) => n + errors, 0), 5);
      });
    }
  }

  test("a request for a plain answer takes no place", async () => {
    const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { concurrent_streams: 1 } });
    const stream = await begin("anthropic", "chat", e);
    const asked = f.ask("anthropic", e);
    await says("chat")(await f.up.next());
    assert.equal((await asked).status, 200);
    await finish(stream, "chat");
  });

  for (const protocol of ["chat", "anthropic"]) {
    test(`a place is free after a refusal, an unreachable upstream and a client that leaves before the head of ${protocol}`, async () => {
      const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits });
      const asked = f.ask("anthropic", e, { body: { stream: true } });
      await (await f.up.next()).answer(400, { error: { message: "no", type: "invalid_request_error" } });
      assert.equal((await asked).status, 400);
      const left = f.send("anthropic", e, { body: { stream: true } });
      const x = await f.up.next();
      left.abort();
      await x.gone;
      const unanswered = f.ask("anthropic", e, { body: { stream: true } });
      (await f.up.next()).cut();
      assert.equal((await unanswered).status, 502);
      const { errors } = await f.until(e, {}, (kept) => used(0)(kept) && requestsOf(kept) === 3);
      assert.deepEqual(errors.map(({ status, type }) => ({ status, type })).sort((a, b) => a.status - b.status), [
        { status: 400, type: "invalid_request" },
        { status: 502, type: "unavailable" },
      ], "who leaves has made no error");
    });
  }

  for (const [name, client] of [
    ["translated", "anthropic"],
    ["passed", "chat"],
  ]) {
    test(`a ${name} stream whose instance dies holds its place for a minute`, async () => {
      const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { concurrent_streams: 1 } });
      const at = midnight;
      const call = f.send(client, e, { at, panic: "export", body: asking(client) });
      const x = await f.up.next();
      x.head();
      const [first, ...rest] = streamed.chat();
      await x.send(first);
      const { body } = await call.reply;
      const chunks = body[Symbol.asyncIterator]();
      await chunks.next(); // now the first push is over; the rest will be the second one
      const read = whole({ [Symbol.asyncIterator]: () => chunks });
      await x.send(rest.join("")).catch(() => {});
      if (client === "chat") await assert.rejects(read);
      else assert.match((await read).toString(), /event: error/);
      const refused = await f.ask(client, e, { at: at + 59, body: { stream: true } });
      assert.equal(refused.status, 429, refused.text);
      f.up.serve(says("chat"));
      assert.equal((await f.ask(client, e, { at: at + 60, body: { stream: true } })).status, 200);
    });
  }

  test("a stream that lasts holds its place", async () => {
    const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { concurrent_streams: 1 } });
    const object = `endpoint:${e.name}`;
    const stream = await begin("anthropic", "chat", e, { at: midnight, renewal: 1 });
    const expiry = async () => (await f.state.batch(object, ["SELECT expires FROM usage_stream"]))[0][0]?.[0];
    const renewed = () => until(async () => (await expiry()) === midnight + 60);
    await renewed();
    for (let i = 0; i < 2; i++) {
      await f.state.batch(object, ["UPDATE usage_stream SET expires = 1"]);
      await renewed();
    }
    const [[[lease]]] = await f.state.batch(object, ["SELECT lease FROM usage_stream"]);
    await finish(stream, "chat");
    await f.until(e, { at: midnight }, used(0));
    await f.state.batch(object, ["INSERT INTO usage_stream VALUES (?, 1)", lease]);
    for (let i = 0; i < 20; i++) assert.equal(await expiry(), 1, "it is over");
  });
});

describe("tokens_per_day", () => {
  const f = suite();

  for (const client of EVERY) {
    for (const protocol of EVERY) {
      test(`${client} to ${protocol}: what is charged refuses the next request`, async () => {
        f.up.serve(says(protocol));
        const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits: { tokens_per_day: 300 } });
        const at = midnight + 86400 - 100;
        for (const charged of [163, 326]) {
          assert.equal((await f.ask(client, e, { at, body: { stream: charged === 163 } })).status, 200);
          await f.until(e, { at }, ({ limits }) => limits.tokens_per_day.used === charged);
        }
        const { status, headers, text } = await f.ask(client, e, { at });
        assert.equal(status, 429, text);
        assert.equal(headers["retry-after"], "100");
        assert.equal(headers["x-should-retry"], "false");
        assert.match(refusals[client](JSON.parse(text), 429), /limit tokens_per_day of this endpoint, 300, /);
        assert.equal(f.up.requests.length, 2);
        assert.equal((await f.ask(client, e, { at: at + 100 })).status, 200, "another day");
      });
    }
  }
});

describe("models", () => {
  const f = suite();

  for (const client of EVERY) {
    test(`others are refused in the dialect of ${client}`, async () => {
      f.up.serve(says("chat"));
      const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { models: ["claude-*", "gpt-5.5"] } });
      for (const model of ["claude-opus", "gpt-5.5", "up/gpt-5.5"]) assert.equal((await f.ask(client, e, { body: { model } })).status, 200);
      for (const model of ["gpt-4", "up/gpt-4", "gpt-5.5-pro"]) {
        const { status, text } = await f.ask(client, e, { body: { model } });
        assert.equal(status, 403, text);
        assert.ok(refusals[client](JSON.parse(text), 403).includes(model));
      }
      assert.equal(f.up.requests.length, 3);
      assert.deepEqual(await f.tables(e), [], "that takes no state");
    });
  }
});
