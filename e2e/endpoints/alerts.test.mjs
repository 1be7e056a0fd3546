// Alerts are sent to a webhook by the object of an endpoint. A double replaces every server. Retries,
// times and all kinds of alerts are in worker/serve/alerts_test.go and worker/alert.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, beforeEach, describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { checkAnswer, operationOf } from "../lib/openapi.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { until } from "../lib/waiting.mjs";

const ADMIN_KEY = "admin-key-of-the-tests";
const SECRET = "the-secret-of-the-deployment";
const ENDPOINTS = "/admin/api/endpoints";
const HOOK = "hooks.example";

describe("alerts", () => {
  let up, target, hook;
  before(async () => {
    up = await upstream();
    target = await start(
      {
        ADMIN_KEY,
        SEAL_KEY: Buffer.alloc(32, 7).toString("base64"),
        ALERT_URL: `https://${HOOK}/all`,
        ALERT_FORMAT: "discord",
        ALERT_SECRET: SECRET,
      },
      { state: true, connect: up },
    );
  });
  beforeEach(() => {
    up.renew();
    hook = (exchange) => exchange.answer(200, {});
    up.serve((exchange) => (exchange.headers.host === HOOK ? hook(exchange) : answer(exchange)));
  });
  after(() => Promise.all([target?.close(), up?.close()]));

  async function call(status, method, path, body) {
    const headers = { authorization: `Bearer ${ADMIN_KEY}` };
    const reply = await open(target.url, { method, path: ENDPOINTS + path, body, headers }).reply;
    let text = "";
    for await (const part of reply.body) text += part;
    assert.equal(reply.status, status, text);
    const json = text === "" ? undefined : JSON.parse(text);
    checkAnswer(operationOf(method, ENDPOINTS + path), { ...reply, json });
    return json;
  }
  const hooked = (name, more) =>
    call(201, "POST", "", {
      name,
      upstreams: [{ name: "up", protocol: "chat", url: "https://model.example/v1" }],
      prices: { "*": { input: 1e6, output: 1e6 } },
      alerts: { url: `https://${HOOK}/own?token=s3cret` },
      ...more,
    });
  // sent resolves with the requests to the webhooks, once there are n of them.
  const sent = (n) =>
    until(() => {
      const got = up.requests.filter(({ headers }) => headers.host === HOOK);
      return got.length >= n && got;
    });
  const stateOf = async (name) =>
    (await call(200, "GET", `/${name}/alerts`)).alerts.map(({ state, status }) => `${state} ${status}`);

  test("a spent budget is told to both webhooks, signed, with no key and no content", async () => {
    const { key, alert_secret } = await hooked("anna", { limits: { usd_per_day: 1 } });
    const { reply } = open(target.url, {
      path: "/u/anna/v1/messages",
      headers: { "x-api-key": key },
      body: { model: "m", max_tokens: 9, messages: [{ role: "user", content: "a private question" }] },
    });
    for await (const part of (await reply).body) assert.ok(part);
    const got = await sent(2);
    const text = "100 % of the budget usd_per_day of the endpoint anna, 1 US dollars, is spent.";
    for (const { path, method, headers, body } of got) {
      const own = path === "/own?token=s3cret";
      assert.ok(own || path === "/all", path);
      const [, time, mac] = /^t=(\d+),v1=(\w+)$/.exec(headers["x-edgelingua-signature"]);
      const hash = createHmac("sha256", own ? alert_secret : SECRET).update(`${time}.${body}`);
      assert.equal(mac, hash.digest("hex"));
      assert.deepEqual(
        [method, headers["content-type"], headers["user-agent"]],
        ["POST", "application/json", "edgelingua"],
      );
      for (const name of ["authorization", "x-api-key", "cookie"]) assert.equal(headers[name], undefined);
      assert.ok(!body.toString().includes("private") && !body.toString().includes("el_anna"));
      const json = JSON.parse(body);
      assert.equal(own ? json.text : json.content, text);
      if (own)
        assert.deepEqual([json.type, json.endpoint, json.subject], ["budget", "anna", "usd_per_day 1 100"]);
    }
    await until(async () => (await stateOf("anna")).every((state) => state === "sent 200"));
  });

  for (const [status, headers] of [
    [500, {}],
    [302, { location: "https://model.example/elsewhere" }],
  ])
    test(`a webhook that answers ${status} is asked again later, and nowhere else`, async () => {
      const name = `w${status}`;
      await hooked(name);
      hook = (exchange) => exchange.answer(status, "x".repeat(1 << 20), headers);
      await call(204, "POST", `/${name}/alerts`);
      await sent(2);
      await until(async () => (await stateOf(name)).every((state) => state === `waiting ${status}`));
      assert.deepEqual(
        up.requests.filter(({ headers }) => headers.host !== HOOK),
        [],
      );
    });

  test("this deployment is no webhook, and a private name is none", async () => {
    await hooked("self");
    for (const url of ["https://127.0.0.1/", "https://a.local/", "http://hooks.example/", "https://[::1]/"])
      await call(400, "PATCH", "/self", { alerts: { url } });
    const reply = await fetch(target.url, { method: "POST", headers: { "user-agent": "edgelingua" } });
    assert.equal(reply.status, 403);
  });
});
