// Cooldowns of failing upstreams, with the test's clock. The other tests are in
// worker/serve/health_test.go.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { midnight, requestsOf, says, streamed, suite, through } from "../lib/usage.mjs";
import { upstream } from "../lib/upstream.mjs";

const error = { error: { message: "no", type: "server_error", param: null, code: null } };

describe("health of upstreams", () => {
  const f = suite();
  let second;
  before(async () => (second = await upstream()));
  beforeEach(() => second.renew());
  after(() => second?.close());

  const pair = () => {
    second.serve(says("chat"));
    return f.endpoint({
      usage: true,
      upstreams: [through("chat", f.up, { name: "first" }), through("chat", second, { name: "second" })],
    });
  };

  test("after three failures it has a cooldown, and one request probes it", async () => {
    const e = await pair();
    const state = { status: 503, asked: 0 };
    f.up.serve((x) => {
      state.asked++;
      return state.status === 200 ? says("chat")(x) : x.answer(state.status, error);
    });
    const asked = [];
    for (const [i, at] of [0, 1, 2, 3, 11, 13, 13].entries()) {
      if (at === 13) state.status = 200;
      const before = state.asked;
      assert.equal((await f.ask("anthropic", e, { at: midnight + at })).status, 200);
      await f.until(e, { at: midnight + at }, (kept) => requestsOf(kept) > i);
      asked.push(state.asked > before);
    }
    assert.deepEqual(asked, [true, true, true, false, false, true, true]);
  });

  test("an upstream whose stream breaks off fails", async () => {
    const e = await pair();
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
    const e = await pair();
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
});
