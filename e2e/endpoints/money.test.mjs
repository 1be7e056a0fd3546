// What requests cost: prices of a record and of the table, budgets, the header, the log line, and the log of requests.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { PROTOCOLS } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { ADMIN_KEY, midnight, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

// Of 123 tokens of input 20 are from a cache, and at Anthropic 3 written to it; 40 are output.
const prices = { "m*": { input: 1000, output: 2000, cache_read: 100, cache_write: 3000 } };
const price = (protocol) => ((protocol === "anthropic" ? 100 * 1000 + 3 * 3000 : 103 * 1000) + 20 * 100 + 40 * 2000) / 1e6;

describe("money", () => {
  const f = suite();
  const two = (more) => [through("chat", f.up, { name: "first", ...more }), through("chat", f.up, { name: "second", models: { "*": "m-second" } })];
  const spent = async (e, n, at = midnight) => f.until(e, { at }, (kept) => requestsOf(kept) === n);

  for (const protocol of PROTOCOLS) {
    for (const client of PROTOCOLS) {
      test(`${client} to ${protocol}: what the record says that it costs`, async () => {
        f.up.serve(says(protocol));
        const e = await f.endpoint({ usage: true, prices, upstreams: [through(protocol, f.up)] });
        const answer = await f.ask(client, e, { at: midnight, body: { model: "mine" } });
        const passed = client === protocol; // its body has gone to the client while it was read
        assert.equal(answer.headers["x-edgelingua-cost"], passed ? undefined : String(price(protocol)));
        await f.ask(client, e, { at: midnight, body: { model: "mine", stream: true } });
        const { days } = await spent(e, 2);
        assert.ok(Math.abs(days[0].usd - 2 * price(protocol)) < 1e-9, days[0].usd);
        assert.equal(days[0].unpriced, 0);
        const lines = await until(() => { // a line is written after the account
          const all = f.lines.all.map((line) => JSON.parse(line)).filter(({ endpoint, pair }) => endpoint === e.name && pair);
          return all.length >= 2 && all;
        });
        assert.deepEqual(lines.map(({ upstream, cost_usd }) => [upstream, cost_usd]), [["up", price(protocol)], ["up", price(protocol)]]);
      });
    }
  }

  test("what nobody has a price for is unknown, never nothing", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up)] });
    const answer = await f.ask("anthropic", e, { at: midnight, body: { model: "gpt-5" } });
    assert.equal(answer.headers["x-edgelingua-cost"], "unknown");
    const { days } = await spent(e, 1);
    assert.deepEqual([days[0].usd, days[0].unpriced], [0, 1]);
  });

  test("a stream that its client leaves costs what it has had so far", async () => {
    const e = await f.endpoint({ usage: true, prices, upstreams: [through("anthropic", f.up)] });
    const call = f.send("chat", e, { at: midnight, body: { stream: true, model: "mine" } });
    const x = await f.up.next();
    x.head();
    await x.send(streamed.anthropic().slice(0, 3).join(""));
    const { body } = await call.reply;
    await body[Symbol.asyncIterator]().next();
    call.abort();
    await x.gone;
    const { days } = await spent(e, 1);
    assert.equal(days[0].usd, (100 * 1000 + 3 * 3000 + 20 * 100 + 1 * 2000) / 1e6);
  });

  for (const [limit, later, wait] of [["usd_per_day", midnight + 86400, 86400], ["usd_per_month", midnight + 10 * 86400, 10 * 86400]]) {
    test(`over ${limit} requests are refused until it begins anew`, async () => {
      f.up.serve(says("chat"));
      const e = await f.endpoint({ prices, limits: { [limit]: 0.3 }, upstreams: two() });
      for (let i = 0; i < 2; i++) {
        assert.equal((await f.ask("chat", e, { at: midnight, body: { model: "mine" } })).status, 200);
        await spent(e, i + 1);
      }
      const refused = await f.ask("anthropic", e, { at: midnight, body: { model: "mine" } });
      assert.equal(refused.status, 429);
      assert.equal(refused.headers["retry-after"], String(wait));
      assert.equal(refused.headers["x-should-retry"], "false");
      assert.match(JSON.parse(refused.text).error.message, new RegExp(`^The budget ${limit} of this endpoint, 0.3 US dollars, is spent`));
      assert.equal((await f.usage(e, { at: midnight })).limits[limit].limit, 0.3);
      assert.equal((await f.ask("chat", e, { at: later, body: { model: "mine" } })).status, 200);
    });
  }

  test("over_budget: next asks the next upstream, and refuses where there is none", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ prices, limits: { usd_per_day: 0.1, over_budget: "next" }, upstreams: two() });
    const models = [];
    for (let i = 0; i < 3; i++) {
      assert.equal((await f.ask("anthropic", e, { at: midnight, body: { model: "mine" } })).status, 200);
      models.push(f.up.requests.at(-1).json.model);
      await spent(e, i + 1);
    }
    assert.deepEqual(models, ["mine", "m-second", "m-second"]);
    const alone = await f.ask("anthropic", e, { at: midnight, body: { model: "first/mine" } });
    assert.equal(alone.status, 429);
    assert.match(JSON.parse(alone.text).error.message, /budget of this endpoint is spent/);
  });

  test("a request counts that its first upstream does not answer and the next one can't be sent", async (t) => {
    const silent = await upstream(); // of this test alone: a request may reach it after its timeout
    t.after(() => silent.close());
    const upstreams = [through("chat", silent, { name: "first", timeout: 0.05 }), through("anthropic", f.up, { name: "second" })];
    const e = await f.endpoint({ prices, limits: { concurrent_requests: 1, usd_per_day: 9 }, upstreams });
    for (let i = 0; i < 2; i++) {
      assert.equal((await f.ask("chat", e, { at: midnight, body: { model: "mine", messages: 5 } })).status, 400);
      const { days, errors } = await spent(e, i + 1);
      assert.deepEqual([days[0].errors, days[0].usd, errors.length], [i + 1, 0, i + 1]);
    }
  });

  test("the log of requests, which holds nothing of what was said", async () => {
    const e = await f.endpoint({ request_log: { ttl: 3600 }, prices, upstreams: two() });
    f.up.serve((x) => {
      if (x.json.model === "mine") return x.answer(500, { error: { message: "down", type: "server_error", param: null, code: null } });
      if (JSON.stringify(x.json).includes("refuse")) return x.answer(400, { error: { message: "Invalid value: 'what I said in private'", type: "invalid_request_error", param: null, code: null } });
      return says("chat")(x);
    });
    const said = [{ role: "user", content: "what I said in private" }];
    const first = await f.ask("anthropic", e, { at: midnight, body: { model: "mine", messages: said, top_k: 3, metadata: { user_id: "what I said" } } });
    assert.equal(first.status, 200);
    await spent(e, 1);
    await f.ask("anthropic", e, { at: midnight + 60, body: { model: "mine", messages: [{ role: "user", content: "refuse" }] } });
    const { requests, days, lost } = await spent(e, 2, midnight + 60);
    assert.equal(days.reduce((n, { fell }) => n + fell, 0), 2);
    assert.deepEqual(lost.filter(({ field }) => field === "top_k"), [{ day: "2026-11-21", field: "top_k", requests: 1 }]);
    const [failed, good] = requests;
    assert.deepEqual([good.time, good.request_id, good.model, good.upstream_model, good.upstream, good.status, good.usd], [midnight, first.headers["x-request-id"], "mine", "m-second", "second", 0, price("chat")]);
    assert.ok(good.lost.split(",").includes("top_k") && good.total_ms >= good.first_byte_ms && good.first_byte_ms > 0);
    assert.deepEqual([failed.status, failed.type], [400, "invalid_request"]);
    assert.match(failed.words, /Invalid value: '…'/);
    assert.ok(!JSON.stringify(requests).includes("private"));
    assert.equal((await f.usage(e, { at: midnight + 60 })).requests.length, 2);
    assert.deepEqual((await f.usage(e, { at: midnight + 3660 })).requests, []);
    await f.ask("anthropic", e, { at: midnight + 7200, body: { model: "mine" } });
    assert.equal((await spent(e, 3, midnight + 7200)).requests.length, 1);
  });

  const refused = ({ requests }) => requests.filter(({ words }) => words.startsWith("over "));

  for (const client of PROTOCOLS) {
    test(`${client}: what a limit refuses is in the log, and who goes on asking leaves the others there`, async () => {
      f.up.serve(says("chat"));
      const e = await f.endpoint({ request_log: { ttl: 86400 }, upstreams: [through("chat", f.up)], limits: { tokens_per_day: 100 } });
      const good = await f.ask(client, e, { at: midnight, body: { model: "mine" } });
      assert.equal(good.status, 200);
      await spent(e, 1);
      const first = await f.ask(client, e, { at: midnight + 60, body: { model: "again", stream: true } });
      for (let i = 0; i < 3; i++) assert.equal((await f.ask(client, e, { at: midnight + 61 + i })).status, 429);
      const { requests } = await f.usage(e, { at: midnight + 64 });
      assert.deepEqual(requests.map(({ request_id, status }) => [request_id, status]), [[first.headers["x-request-id"], 429], [good.headers["x-request-id"], 0]]);
      const { time, key, model, upstream, upstream_model, usd, type, words } = requests[0];
      assert.deepEqual([time, key, model, upstream, upstream_model, usd, type, words], [midnight + 60, requests[1].key, "again", "", "", 0, "rate_limit", "over tokens_per_day"]);
      for (let minute = 2; minute < 30; minute++) assert.equal((await f.ask(client, e, { at: midnight + 60 * minute })).status, 429);
      const kept = await f.usage(e, { at: midnight + 1800 });
      assert.deepEqual([refused(kept).length, kept.requests.length, kept.requests.at(-1).model, kept.errors.length], [20, 21, "mine", 20]);
    });
  }

  test("each limit that refuses has its name in the log, and an endpoint without a log has nothing there", async () => {
    for (const request_log of [{ ttl: 3600 }, undefined]) {
      const over = async (limits, more) => {
        const e = await f.endpoint({ usage: true, request_log, prices, upstreams: [through("chat", f.up)], limits });
        const body = { model: "mine", stream: more?.open };
        const before = f.send("chat", e, { at: midnight, body });
        const x = await f.up.next();
        if (more?.open) x.head();
        else await says("chat")(x);
        const reply = await before.reply;
        if (!more?.open) {
          await whole(reply.body);
          await spent(e, 1);
        }
        assert.equal((await f.ask("chat", e, { at: midnight + 1, body })).status, 429);
        const kept = await f.usage(e, { at: midnight + 1 });
        before.abort();
        assert.equal(kept.errors.filter(({ status }) => status === 429).length, 1);
        return refused(kept).map(({ words }) => words);
      };
      for (const limit of ["requests_per_minute", "usd_per_day", "usd_per_month"]) assert.deepEqual(await over({ [limit]: limit.startsWith("usd") ? 0.01 : 1 }), request_log ? [`over ${limit}`] : []);
      for (const limit of ["concurrent_streams", "concurrent_requests"]) assert.deepEqual(await over({ [limit]: 1 }, { open: true }), request_log ? [`over ${limit}`] : []);
    }
  });

  test("an owner sees what the own key has used, and no other key's requests", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ request_log: { ttl: 3600 }, upstreams: [through("chat", f.up)] });
    const made = await open(f.url, { path: `/admin/api/endpoints/${e.name}/keys`, headers: { authorization: `Bearer ${ADMIN_KEY}` }, body: JSON.stringify({ label: "other" }) }).reply;
    const other = JSON.parse((await whole(made.body)).toString()).key;
    await f.ask("chat", e, { body: { model: "a" } });
    await f.ask("chat", { ...e, key: other }, { body: { model: "b" } });
    const { days } = await f.until(e, {}, (kept) => requestsOf(kept) === 2);
    assert.equal(new Set(days.map(({ key }) => key)).size, 2);
    const own = await open(f.url, { path: `/u/${e.name}/api/usage`, method: "GET", headers: { "x-api-key": other } }).reply;
    const seen = JSON.parse((await whole(own.body)).toString());
    assert.deepEqual(seen.days.map(({ model, key }) => [model, key !== ""]), [["a", false], ["b", true]]);
    assert.deepEqual(seen.requests.map(({ model }) => model), ["b"]);
  });
});
