// What somebody with a key of one endpoint could try.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { midnight, plain, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { PROTOCOLS, smallest } from "../lib/turns.mjs";

describe("Limits", () => {
  const f = suite();
  const limits = { concurrent_requests: 2 };
  const used = (n) => (kept) => kept.limits.concurrent_requests.used === n;
  const endpoint = (more) => f.endpoint({ options: { store: "on" }, upstreams: [through("anthropic", f.up)], limits, ...more });
  const send = ({ name, key }, path, { headers, ...options } = {}) =>
    open(f.url, { path: `/u/${name}${path}`, headers: { "anthropic-version": "2023-06-01", "x-api-key": key, ...headers }, ...options });
  const ask = async (e, path, options) => {
    const call = send(e, path, options);
    if (options.body === null) await call.write("{"); // the beginning of a body that does not end
    const reply = await call.reply;
    return { ...reply, text: (await whole(reply.body)).toString() };
  };
  const get = { method: "GET" };
  const refused = async (e) => {
    const before = f.up.requests.length;
    for (const [path, options] of [
      ["/v1/models", get],
      ["/v1/models/m", { method: "HEAD" }],
      ["/v1/responses/resp_1", get],
      ["/v1/responses/resp_1", { method: "DELETE" }],
      ["/v1/messages/count_tokens", { body: smallest.anthropic({}) }],
      ["/v1/messages", { body: null }],
    ]) {
      const { status, headers, text } = await ask(e, path, options);
      assert.equal(status, 429, text);
      assert.equal(headers["retry-after"], "5");
      if (options.method === "HEAD") continue;
      const { type, error } = JSON.parse(text);
      assert.match(error.message, /^The limit concurrent_requests of this endpoint, 2, is reached/);
      if (path.startsWith("/v1/messages")) assert.deepEqual([type, error.type], ["error", "rate_limit_error"]);
    }
    assert.equal(f.up.requests.length, before);
  };

  // Each kind opens a request, and returns it with a function that ends it well.
  const answered = (body) => (x) => x.answer(200, body);
  const slow = (path, options, answer) => async (e) => {
    const call = send(e, path, options);
    const x = await f.up.next();
    return { call, gone: x.gone, finish: () => answer(x) };
  };
  const begun = (path, options, parts) => async (e) => {
    const call = send(e, path, options);
    const x = await f.up.next();
    x.head(200, { "content-type": parts.length > 1 ? "text/event-stream" : "application/json" });
    await x.send(parts[0]);
    assert.equal((await call.reply).status, 200);
    return { call, gone: x.gone, finish: async () => (await x.send(parts.slice(1).join("") || " "), x.end()) };
  };
  const body = smallest.anthropic({ stream: true });
  const kinds = {
    "a body that does not end": async (e) => {
      const call = send(e, "/v1/chat/completions", { body: null, headers: { "content-length": 2 } });
      await call.write("{");
      return { call, finish: () => call.write("x") }; // that is no JSON, and gets 400
    },
    "a count of tokens": slow("/v1/messages/count_tokens", { body: smallest.anthropic({}) }, answered({ input_tokens: 1 })),
    "a list of models": slow("/v1/models", get, answered({ data: [] })),
    "a list of models whose body lasts": begun("/v1/models", get, ['{"data":[]}']),
    "a plain answer": slow("/v1/messages", { body: smallest.anthropic({}) }, answered(plain.anthropic())),
    "a stream": begun("/v1/messages", { body }, streamed.anthropic()),
    "a translated stream": async (e) => {
      const { call, finish, gone } = await begun("/v1/chat/completions", { body: smallest.chat({ stream: true }) }, streamed.anthropic())(e);
      return { call, finish, gone };
    },
  };

  for (const [kind, begin] of Object.entries(kinds)) {
    test(`${kind} takes a place until it is over or its client leaves`, async () => {
      const e = await endpoint();
      const first = await begin(e);
      const second = await begin(e);
      await f.until(e, {}, used(2));
      await refused(e);
      await first.finish();
      await whole((await first.call.reply).body);
      await f.until(e, {}, used(1));
      const third = await begin(e);
      await f.until(e, {}, used(2));
      await refused(e);
      second.call.abort();
      await second.gone;
      await f.until(e, {}, used(1));
      await third.finish();
      await whole((await third.call.reply).body);
      await f.until(e, {}, used(0));
    });
  }

  test("whatever comes of a request, its place is free then", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 1, tokens_per_day: 1 } });
    f.up.serve((x) => {
      if (x.path.endsWith("/models/odd")) return x.answer(200, "odd", { "content-type": "application/json", "content-encoding": "x-odd" });
      return x.path.endsWith("/models") ? x.answer(200, { data: [] }) : says("anthropic")(x);
    });
    for (const [path, options, status] of [
      ["/v1/models", get, 200],
      ["/v1/models", { method: "HEAD" }, 200],
      ["/v1/models/odd", get, 200],
      ["/v1/responses/resp_1", get, 404],
      ["/v1/chat/completions", { body: "no JSON" }, 400],
      ["/v1/messages", { body: smallest.anthropic({}) }, 200], // more than the tokens of the day
      ["/v1/messages", { body: smallest.anthropic({}) }, 429],
    ]) {
      const answer = await ask(e, path, options);
      assert.equal(answer.status, status, answer.text);
      if (status === 429) assert.match(answer.text, /tokens_per_day/);
      await f.until(e, {}, used(0));
    }
    assert.equal(requestsOf(await f.usage(e)), 3, "requests to models");
  });

  test("an instance that dies holds its place for a minute", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 1 } });
    f.up.serve((x) => x.answer(200, { data: [] }));
    const at = (seconds) => ({ "x-test-clock": String(midnight + seconds) });
    const died = await ask(e, "/v1/messages", { body: smallest.anthropic({}), headers: { ...at(0), "x-test-panic": "after" } });
    assert.equal(died.status, 500, died.text);
    assert.equal((await ask(e, "/v1/models", { ...get, headers: at(59) })).status, 429);
    assert.equal((await ask(e, "/v1/models", { ...get, headers: at(60) })).status, 200);
  });

  test("of 40 requests at once as many as the limit go on", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 3 } });
    const calls = Array.from({ length: 40 }, () => send(e, "/v1/models", get));
    const held = [await f.up.next(), await f.up.next(), await f.up.next()];
    let refusals = 0;
    const all = calls.map(async ({ reply }) => {
      const { status, body } = await reply;
      if (status === 429 && ++refusals === 37) for (const x of held) await x.answer(200, { data: [] });
      await whole(body);
      return status;
    });
    assert.equal((await Promise.all(all)).filter((status) => status === 200).length, 3);
    assert.equal(f.up.requests.length, 3);
  });
});
