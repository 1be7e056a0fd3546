// Limits of personal endpoints, as far as a runtime is involved: concurrent requests, and the slots
// of streams that end, lose their client or fail. The other tests of limits are in
// worker/serve/limits_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { EVERY } from "../lib/turns.mjs";
import { midnight, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

describe("requests_per_minute", () => {
  const f = suite();

  test("200 requests at once: 50 reach an upstream", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { requests_per_minute: 50 } });
    const at = midnight + 600;
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => f.ask(EVERY[i % 4], e, { at, body: { stream: i % 2 === 0 } })),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 50);
    assert.equal(
      answers.filter(({ status, headers }) => status === 429 && headers["retry-after"] === "61").length,
      150,
    );
    assert.equal(f.up.requests.length, 50);
    const kept = await f.until(e, { at }, (kept) => requestsOf(kept) === 50);
    assert.deepEqual(
      [kept.errors, kept.refused.map(({ limit, requests }) => [limit, requests])],
      [[], [["requests_per_minute", 150]]],
    );
    assert.deepEqual(kept.limits, { requests_per_minute: { limit: 50, used: 50 } });
  });
});

describe("concurrent_streams", () => {
  const f = suite();
  const limits = { concurrent_streams: 2 };
  const used = (n) => (kept) => kept.limits.concurrent_streams.used === n;

  // asking returns each client's fields for a stream. In Chat the usage is requested too: only then
  // is the stream passed through.
  const asking = (client) => ({
    stream: true,
    ...(client === "chat" && { stream_options: { include_usage: true } }),
  });

  // begin opens a stream, waits for its beginning, and resolves with the client's and the
  // upstream's side.
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
    assert.match(JSON.parse(text).error.message, /limit concurrent_streams of this endpoint, 2, /);
  };

  for (const [client, protocol] of [
    ["anthropic", "chat"],
    ["chat", "chat"],
  ]) {
    test(`${client} to ${protocol}: a place is free when a stream ends, is left or is cut`, async () => {
      const at = midnight;
      const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits });
      const first = await begin(client, protocol, e, { at });
      const second = await begin(client, protocol, e, { at });
      await refused(client, e, at);
      assert.equal(f.up.requests.length, 2);

      await finish(first, protocol);
      await f.until(e, { at }, used(1));
      const third = await begin(client, protocol, e, { at });
      await refused(client, e, at);

      second.call.abort();
      await second.x.gone;
      await f.until(e, { at }, used(1));
      const fourth = await begin(client, protocol, e, { at });
      await refused(client, e, at);

      third.x.cut();
      if (client === protocol) await assert.rejects(whole(third.body));
      else assert.match((await whole(third.body)).toString(), /connection to the upstream broke/);
      await f.until(e, { at }, used(1));
      const fifth = await begin(client, protocol, e, { at });
      await refused(client, e, at);
      for (const stream of [fourth, fifth]) await finish(stream, protocol);
      const kept = await f.until(e, { at }, (kept) => used(0)(kept) && requestsOf(kept) === 5);
      assert.deepEqual(
        [kept.errors.map(({ type }) => type), kept.refused.map(({ limit, requests }) => [limit, requests])],
        [["unavailable"], [["concurrent_streams", 4]]],
      );
      assert.equal(
        kept.days.reduce((n, { errors }) => n + errors, 0),
        1,
      );
    });
  }

  for (const [name, client] of [
    ["translated", "anthropic"],
    ["passed", "chat"],
  ]) {
    test(`a ${name} stream whose instance dies frees its place at once`, async () => {
      const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { concurrent_streams: 1 } });
      const at = midnight;
      const call = f.send(client, e, { at, panic: "export", body: asking(client) });
      const x = await f.up.next();
      x.head();
      const [first, ...rest] = streamed.chat();
      await x.send(first);
      const { body } = await call.reply;
      const chunks = body[Symbol.asyncIterator]();
      await chunks.next(); // the first push has returned; the rest will be the second push
      const read = whole({ [Symbol.asyncIterator]: () => chunks });
      await x.send(rest.join("")).catch(() => {});
      if (client === "chat") await assert.rejects(read);
      else assert.match((await read).toString(), /event: error/);
      f.up.serve(says("chat"));
      assert.equal((await f.ask(client, e, { at, body: { stream: true } })).status, 200);
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
