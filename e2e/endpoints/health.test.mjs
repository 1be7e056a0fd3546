// Upstreams that fail rest, and are asked behind the others: by the time of the test's clock.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { ADMIN_KEY, midnight, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { upstream } from "../lib/upstream.mjs";

const error = { error: { message: "no", type: "server_error", param: null, code: null } };

describe("health of upstreams", () => {
  const f = suite();
  let second;
  before(async () => (second = await upstream()));
  beforeEach(() => second.renew());
  after(() => second?.close());

  // pair makes an endpoint whose first upstream fails as status says, which a test may change.
  const pair = async (record) => {
    const state = { status: 503, headers: {}, asked: 0 };
    f.up.serve((x) => {
      state.asked++;
      return state.status === 200 ? says("chat")(x) : x.answer(state.status, error, { "content-type": "application/json", ...state.headers });
    });
    second.serve(says("chat"));
    const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up, { name: "first" }), through("chat", second, { name: "second" })], ...record });
    let n = 0;
    // ask asks at a time, and resolves with whether the first upstream was asked.
    state.ask = async (at, body) => {
      const before = state.asked;
      const answer = await f.ask("anthropic", e, { at: midnight + at, body });
      await f.until(e, { at: midnight + at }, (kept) => requestsOf(kept) > n);
      n++;
      assert.ok(answer.status === 200 || state.status < 500, answer.text);
      return state.asked > before;
    };
    return state;
  };

  for (const record of [{}, { limits: { requests_per_minute: 1000 } }, { limits: { concurrent_requests: 9 } }, { limits: { concurrent_requests: 9, tokens_per_day: 1e9 } }]) {
    test(`it rests after three failures, and one request tries it again: ${JSON.stringify(record)}`, async () => {
      const s = await pair(record);
      const asked = [];
      for (const at of [0, 1, 2, 3, 11]) asked.push(await s.ask(at));
      assert.deepEqual(asked, [true, true, true, false, false]);
      s.status = 200;
      assert.equal(await s.ask(13), true);
      assert.equal(await s.ask(13), true);
    });
  }

  test("streams fall too", async () => {
    const s = await pair();
    const asked = [];
    for (const at of [0, 1, 2, 3]) asked.push(await s.ask(at, { stream: true }));
    assert.deepEqual(asked, [true, true, true, false]);
  });

  test("a 429 rests it as long as it says", async () => {
    const s = await pair();
    Object.assign(s, { status: 429, headers: { "retry-after": "100" } });
    const asked = [];
    for (const at of [0, 1, 99]) asked.push(await s.ask(at));
    s.status = 200;
    asked.push(await s.ask(102));
    assert.deepEqual(asked, [true, false, false, true]);
  });

  test("other errors of the client's own are none of its failures", async () => {
    const s = await pair();
    s.status = 400;
    for (let i = 0; i < 5; i++) assert.equal(await s.ask(i), true);
  });

  test("where all others fail it is asked all the same", async () => {
    const s = await pair();
    for (const at of [0, 1, 2]) await s.ask(at);
    s.status = 200;
    second.serve((x) => x.answer(500, error));
    assert.equal(await s.ask(3), true);
  });

  test("a failure at one endpoint changes nothing at another with the same upstreams", async () => {
    const a = await pair();
    for (const at of [0, 1, 2]) await a.ask(at);
    assert.equal(await a.ask(3), false);
    const b = await pair();
    assert.equal(await b.ask(3), true);
  });

  test("an upstream whose stream breaks off fails", async () => {
    const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up, { name: "first" }), through("chat", second, { name: "second" })] });
    second.serve(says("chat"));
    let asked = 0;
    f.up.serve(async (x) => {
      asked++;
      x.head();
      await x.send(streamed.chat().slice(0, 2).join(""));
      x.cut();
    });
    for (let i = 0; i < 4; i++) {
      await f.ask("anthropic", e, { at: midnight + i, body: { stream: true } });
      await f.until(e, { at: midnight + i }, (kept) => requestsOf(kept) === i + 1);
    }
    assert.equal(asked, 3);
  });

  test("an upstream whose plain answer breaks off fails", async () => {
    const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up, { name: "first" }), through("chat", second, { name: "second" })] });
    second.serve(says("chat"));
    f.up.serve(async (x) => {
      x.head(200, { "content-type": "application/json" });
      await x.send('{"id":');
      x.cut();
    });
    for (let i = 0; i < 4; i++) {
      assert.equal((await f.ask("anthropic", e, { at: midnight + i })).status, i < 3 ? 502 : 200);
      await f.until(e, { at: midnight + i }, (kept) => requestsOf(kept) === i + 1);
    }
    assert.equal(f.up.requests.length, 3);
  });

  const health = async (e, at) => {
    const { body } = await open(f.url, { path: `/admin/api/health?name=${e.name}`, method: "GET", headers: { authorization: `Bearer ${ADMIN_KEY}`, "x-test-clock": String(at) } }).reply;
    return JSON.parse(await whole(body)).endpoints[0].upstreams.map(({ state }) => state);
  };

  test("a request that can't be translated for the next upstream is none of its failures", async () => {
    const upstreams = [through("responses", f.up, { name: "first" }), through("anthropic", second, { name: "second" })];
    const e = await f.endpoint({ usage: true, options: { lossy: "refuse" }, head_wait: 0.05, upstreams });
    const content = [{ type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }];
    for (let i = 0; i < 3; i++) {
      const call = f.send("chat", e, { at: midnight + i, body: { stream: true, messages: [{ role: "user", content }] } });
      const x = await f.up.next();
      const { body } = await call.reply; // its head has gone out
      x.answer(503, error);
      assert.match(String(await whole(body)), /the upstream can't be given/);
      await f.until(e, { at: midnight + i }, (kept) => requestsOf(kept) === i + 1);
    }
    assert.equal(second.requests.length, 0);
    assert.deepEqual(await health(e, midnight + 3), ["resting", "ok"]);
  });

  test("an answer that can't be stored is none of its failures", async () => {
    const upstreams = [through("chat", f.up, { name: "first" }), through("chat", second, { name: "second" })];
    const e = await f.endpoint({ usage: true, options: { store: "on" }, upstreams });
    f.up.serve(says("chat"));
    for (let i = 0; i < 4; i++) {
      const { text } = await f.ask("responses", e, { at: midnight + i, body: { stream: true, store: true } });
      assert.match(text, i === 0 ? /response\.completed/ : /response\.failed/);
      await f.until(e, { at: midnight + i }, (kept) => requestsOf(kept) === i + 1);
      if (i === 0) await f.state.batch(`endpoint:${e.name}`, ["CREATE TRIGGER full BEFORE INSERT ON responses BEGIN SELECT RAISE(ABORT, 'no'); END"]);
    }
    assert.equal(second.requests.length, 0);
    assert.deepEqual(await health(e, midnight + 4), ["ok", "ok"]);
  });

  for (const limits of [undefined, { concurrent_requests: 9 }, { requests_per_minute: 1000 }]) {
    test(`requests that do not ask an upstream leave it to others to try it: ${JSON.stringify(limits)}`, async () => {
      const state = { status: 503 };
      f.up.serve((x) => (state.status === 200 ? says("chat")(x) : x.answer(503, error)));
      second.serve(says("chat"));
      const upstreams = [through("chat", f.up, { name: "first", models: ["a"] }), through("chat", second, { name: "second" })];
      const e = await f.endpoint({ usage: true, limits: { models: ["a", "b"], ...limits }, upstreams });
      let n = 0;
      const ask = async (at, body) => {
        const reply = await f.ask("anthropic", e, { at: midnight + at, body });
        if (reply.status === 200) await f.until(e, { at: midnight + at }, (kept) => requestsOf(kept) === n + 1);
        n += reply.status === 200;
        return reply.status;
      };
      for (const at of [0, 1, 2]) await ask(at, { model: "a" });
      state.status = 200;
      assert.equal(await ask(20, { model: "b" }), 200);
      assert.equal(await ask(20, { model: "c" }), 403);
      assert.equal(await ask(20, Buffer.from("{")), 400);
      assert.equal(f.up.requests.length, 3);
      assert.equal(await ask(20, { model: "a" }), 200);
      assert.equal(f.up.requests.length, 4);
    });
  }
});
