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

  // Each text is some 100 tokens.
  const words = "some words ".repeat(50);
  const asking = (client, more) => smallest[client]({ model: "m", stream: true, ...more });
  const spoken = (protocol) => streamed[protocol]().slice(0, -2).map((part) => part.replace('"ok"', JSON.stringify(words)));
  const cost = ({ limits }) => limits.tokens_per_day.used;
  const endings = {
    "is left by its client": async ({ x, call, body }) => {
      for (let text = ""; !text.includes("words"); text += (await body.next()).value) assert.notEqual(text, undefined);
      call.abort();
      await x.gone;
    },
    "is broken off by its upstream": async ({ x, body }) => {
      x.cut();
      await (async () => { while (!(await body.next()).done); })().catch(() => {});
    },
  };

  for (const protocol of PROTOCOLS) {
    // What comes before the count of tokens: Anthropic says the input at the beginning, others say nothing.
    const parts = spoken(protocol).slice(0, { anthropic: 3, chat: 3, responses: 4 }[protocol]);
    for (const [client, more] of [...PROTOCOLS.map((client) => [client]), ["chat", { stream_options: { include_usage: true } }]]) {
      for (const [ending, end] of Object.entries(endings)) {
        test(`a stream of ${client}${more ? " with usage" : ""} from ${protocol} that ${ending} counts`, async () => {
          const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits: { tokens_per_day: 150 } });
          for (const times of [1, 2]) {
            const call = f.send(client, e, { at: midnight, body: asking(client, more) });
            const x = await f.up.next();
            x.head();
            await x.send(parts.join(""));
            const { status, body } = await call.reply;
            assert.equal(status, 200);
            await end({ x, call, body: body[Symbol.asyncIterator]() });
            const told = protocol === "anthropic" ? 123 : 0;
            const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === times);
            assert.ok(cost(kept) > times * (told + 80) && cost(kept) < times * (told + 130), JSON.stringify(kept));
            if (cost(kept) >= 150) break;
          }
          const { status, text } = await f.ask(client, e, { at: midnight, body: asking(client, more) });
          assert.equal(status, 429, text);
          assert.match(text, /tokens_per_day/);
        });
      }
    }
  }

  for (const [what, client, body, least] of [
    ["a plain answer", "chat", (text) => ({ messages: [{ role: "user", content: text }] }), 80],
    ["a plain answer that is translated", "anthropic", (text) => ({ messages: [{ role: "user", content: text }] }), 80],
    ["30 MB that pass", "chat", (text) => ({ messages: [{ role: "user", content: text.repeat(60 << 10).slice(0, 30_000_000) }] }), 5_000_000],
  ]) {
    test(`${what} whose client leaves before it counts what was asked`, async () => {
      const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { tokens_per_day: 50 } });
      const call = f.send(client, e, { at: midnight, body: { model: "m", ...body(words) } });
      const x = await f.up.next();
      call.abort();
      await x.gone;
      const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 1);
      assert.ok(cost(kept) > least, JSON.stringify(kept));
      assert.deepEqual(kept.errors, []);
      assert.equal((await f.ask(client, e, { at: midnight })).status, 429);
    });
  }

  test("what an upstream refuses costs nothing, and one that never counts is estimated", async () => {
    const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { tokens_per_day: 1000 } });
    const body = { model: "m", stream: true, messages: [{ role: "user", content: words }] };
    f.up.serve((x) => x.answer(400, { error: { message: "no" } }));
    for (const client of ["chat", "anthropic"]) assert.equal((await f.ask(client, e, { at: midnight, body })).status, 400);
    assert.equal(cost(await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2)), 0);
    f.up.serve((x) => x.stream(spoken("chat").concat("data: [DONE]\n\n")));
    assert.equal((await f.ask("anthropic", e, { at: midnight, body })).status, 200);
    const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 3);
    assert.ok(cost(kept) > 160 && cost(kept) < 260, JSON.stringify(kept));
  });
});
