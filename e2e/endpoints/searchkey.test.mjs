// The provider of web searches in a record: its key is sealed and goes to it alone, and the Admin API's test asks it.
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

  // call resolves with the JSON of an answer with this status.
  async function call(url, status, method, path, body) {
    const reply = await open(url, { method, path, body, headers: { authorization: `Bearer ${ADMIN_KEY}` } }).reply;
    let text = "";
    for await (const part of reply.body) text += part;
    assert.equal(reply.status, status, text);
    assert.ok(!text.includes(KEY), text);
    const got = { ...reply, text, json: text === "" ? undefined : JSON.parse(text) };
    const operation = operationOf(method, path);
    if (operation) checkAnswer(operation, got);
    return got.json;
  }
  const body = (name, web_search) => ({ name, upstreams: [{ name: "a", protocol: "chat", url: f.up.url }], options: { web_search } });
  const tested = { upstream: "web_search" };

  test("its key is sealed, and not shown", async () => {
    const made = await call(f.url, 201, "POST", ENDPOINTS, body("anna", { provider: "brave", key: KEY, max_uses: 3 }));
    assert.deepEqual([made.sealed_keys, made.options], [["web_search"], { web_search: { provider: "brave", max_uses: 3 } }]);
    const record = () => stateAt(f.url).get("endpoint:anna").then(({ value }) => value.toString());
    const sealed = async () => JSON.parse(await record()).options.web_search.key;
    assert.match(await sealed(), /^v1\./);
    assert.ok(!(await record()).includes(KEY));
    await call(f.url, 200, "PATCH", `${ENDPOINTS}/anna`, { options: { loop_guard: "off" } });
    assert.match(await sealed(), /^v1\./);
    const { error } = await call(f.url, 400, "PATCH", `${ENDPOINTS}/anna`, { options: { web_search: { provider: "exa" } } });
    assert.equal(error.path, "options.web_search.key");
    const gone = await call(f.url, 200, "PATCH", `${ENDPOINTS}/anna`, { options: { web_search: null } });
    assert.deepEqual([gone.sealed_keys, gone.options], [[], { loop_guard: "off" }]);
  });

  // The local host connects to the upstream that stands for every server by TLS, which that does not speak.
  if (TARGET === "workerd") test("a test asks it, with its key", async () => {
    for (const [provider, path, header, ok, status, wrong, says] of [
      ["brave", "/res/v1/web/search", "x-subscription-token", { web: { results: [] } }, 422, { error: { code: "SUBSCRIPTION_TOKEN_INVALID", detail: KEY } }, /brave answered 422: it does not take the key/],
      ["tavily", "/search", "authorization", { results: [] }, 432, { detail: { error: KEY } }, /tavily answered 432: the plan's quota is used up/],
      ["exa", "/search", "x-api-key", { results: [] }, 429, { error: KEY }, /exa answered 429: too many requests/],
    ]) {
      await call(f.connected, 201, "POST", ENDPOINTS, body(provider, { provider, key: KEY }));
      f.up.serve((x) => x.answer(200, ok));
      const good = await call(f.connected, 200, "POST", `${ENDPOINTS}/${provider}/test`, tested);
      assert.deepEqual([good.upstream, good.ok, good.status], ["web_search", true, 200]);
      const [{ headers, path: asked }] = f.up.requests;
      assert.equal(asked.split("?")[0], path);
      assert.equal(headers[header], header === "authorization" ? `Bearer ${KEY}` : KEY);
      for (const name of ["cookie", "x-request-id", header === "authorization" ? "x-api-key" : "authorization"]) assert.equal(headers[name], undefined);
      f.up.serve((x) => x.answer(status, wrong));
      const bad = await call(f.connected, 200, "POST", `${ENDPOINTS}/${provider}/test`, tested);
      assert.deepEqual([bad.ok, bad.status], [false, status]);
      assert.match(bad.problem, says);
      f.up.renew();
    }
  });

  test("a SearXNG on a private address is asked without a key", async () => {
    const url = f.up.url.replace("/v1", "/searx/");
    await call(f.url, 201, "POST", ENDPOINTS, body("searx", { provider: "searxng", url }));
    f.up.serve((x) => x.answer(200, { results: [{ url: "https://a.example/", title: "a" }] }));
    assert.equal((await call(f.url, 200, "POST", `${ENDPOINTS}/searx/test`, tested)).ok, true);
    assert.equal(f.up.requests[0].path, "/searx/search?format=json&q=edgelingua");
    assert.equal(f.up.requests[0].headers.authorization, undefined);
    for (const [answer, status, says] of [
      [(x) => x.answer(403, "<html>"), 403, /Add json to search\.formats/],
      [(x) => x.answer(302, "", { location: "http://127.0.0.1:1/" }), 302, /a redirect, which is not followed/],
      [(x) => x.answer(200, "x".repeat(3 << 20)), 200, /too large/],
      [(x) => x.reset(), 0, /searxng can't be reached/],
    ]) {
      f.up.serve(answer);
      const { ok, status: got, problem } = await call(f.url, 200, "POST", `${ENDPOINTS}/searx/test`, tested);
      assert.deepEqual([ok, got], [false, status], problem);
      assert.match(problem, says);
    }
    const { error } = await call(f.url, 400, "POST", `${ENDPOINTS}/searx/models`, tested);
    assert.equal(error.path, "upstream");
    await call(f.url, 201, "POST", ENDPOINTS, body("none", undefined));
    assert.match((await call(f.url, 400, "POST", `${ENDPOINTS}/none/test`, tested)).error.message, /no option web_search/);
  });
});
