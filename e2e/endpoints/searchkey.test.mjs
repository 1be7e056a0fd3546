// The web search provider of a record: its key is sealed and sent only to the provider, and the
// Admin API's test calls the provider. More tests are in worker/serve/searchkey_test.go.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { checkAnswer, operationOf } from "../lib/openapi.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const ADMIN_KEY = "admin-key-of-the-tests";
const KEY = "key-of-the-provider-0123456789";
const config = { ADMIN_KEY, SEAL_KEY: Buffer.alloc(32, 7).toString("base64"), ALLOW_HTTP_UPSTREAM: "true" };
const ENDPOINTS = "/admin/api/endpoints";

describe("the provider of web searches", () => {
  const f = {};
  before(async () => {
    f.up = await upstream();
    f.targets = [await start(config, { faults: true, state: true })];
    if (TARGET === "workerd") f.targets.push(await start(config, { state: true, connect: f.up }));
    [f.url, f.connected] = f.targets.map((target) => target.url);
  });
  beforeEach(() => f.up.renew());
  after(async () => {
    for (const target of f.targets ?? []) await target.close();
    await f.up?.close();
  });

  // call resolves with the JSON of an answer, and asserts the answer's status.
  async function call(url, status, method, path, body) {
    const reply = await open(url, { method, path, body, headers: { authorization: `Bearer ${ADMIN_KEY}` } })
      .reply;
    let text = "";
    for await (const part of reply.body) text += part;
    assert.equal(reply.status, status, text);
    assert.ok(!text.includes(KEY), text);
    const got = { ...reply, text, json: text === "" ? undefined : JSON.parse(text) };
    const operation = operationOf(method, path);
    if (operation) checkAnswer(operation, got);
    return got.json;
  }
  const body = (name, web_search) => ({
    name,
    upstreams: [{ name: "a", protocol: "chat", url: f.up.url }],
    options: { web_search },
  });
  const tested = { upstream: "web_search" };

  test("its key is sealed, and not shown", async () => {
    const made = await call(
      f.url,
      201,
      "POST",
      ENDPOINTS,
      body("anna", { provider: "brave", key: KEY, max_uses: 3 }),
    );
    assert.deepEqual(
      [made.sealed_keys, made.options],
      [["web_search"], { web_search: { provider: "brave", max_uses: 3 } }],
    );
    const record = (await stateAt(f.url).get("endpoint:anna")).value.toString();
    assert.match(JSON.parse(record).options.web_search.key, /^v1\./);
    assert.ok(!record.includes(KEY));
  });

  // The local host connects by TLS, and the upstream that replaces every server does not speak TLS.
  if (TARGET === "workerd")
    test("a test asks it, with its key", async () => {
      await call(f.connected, 201, "POST", ENDPOINTS, body("brave", { provider: "brave", key: KEY }));
      f.up.serve((x) => x.answer(200, { web: { results: [] } }));
      const good = await call(f.connected, 200, "POST", `${ENDPOINTS}/brave/test`, tested);
      assert.deepEqual([good.upstream, good.ok, good.status], ["web_search", true, 200]);
      assert.equal(f.up.requests[0].headers["x-subscription-token"], KEY);
      f.up.serve((x) => x.answer(422, { error: { code: "SUBSCRIPTION_TOKEN_INVALID", detail: KEY } }));
      const bad = await call(f.connected, 200, "POST", `${ENDPOINTS}/brave/test`, tested);
      assert.deepEqual([bad.ok, bad.status], [false, 422]);
    });

  test("a SearXNG on a private address is asked without a key", async () => {
    const url = f.up.url.replace("/v1", "/searx/");
    await call(f.url, 201, "POST", ENDPOINTS, body("searx", { provider: "searxng", url }));
    for (const [answer, ok, status] of [
      [(x) => x.answer(200, { results: [{ url: "https://a.example/", title: "a" }] }), true, 200],
      [(x) => x.answer(302, "", { location: "http://127.0.0.1:1/" }), false, 302],
      [(x) => void x.answer(200, "x".repeat(3 << 20)).catch(() => {}), false, 200],
      [(x) => x.reset(), false, 0],
    ]) {
      f.up.serve(answer);
      const got = await call(f.url, 200, "POST", `${ENDPOINTS}/searx/test`, tested);
      assert.deepEqual([got.ok, got.status], [ok, status], got.problem);
    }
    assert.equal(f.up.requests[0].path, "/searx/search?format=json&q=edgelingua");
    assert.equal(f.up.requests[0].headers.authorization, undefined);
  });
});
