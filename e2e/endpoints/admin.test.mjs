// The Admin API and the owner API: the life of an endpoint, who may do what, and what stays secret.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, beforeEach, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { answer } from "../lib/chat.mjs";
import { open, params } from "../lib/client.mjs";
import { plant } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { checkAnswer, operationOf, operations } from "../lib/openapi.mjs";
import { idOf, seal } from "../lib/seal.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, modulesOf, start, startWorkerd } from "../lib/target.mjs";
import { unreachable, upstream } from "../lib/upstream.mjs";
import { until } from "../lib/waiting.mjs";

const ADMIN_KEY = "admin-key-of-the-tests";
const SEAL_KEY = Buffer.alloc(32, 7).toString("base64");
const PREVIOUS = Buffer.alloc(32, 8);
const config = { ADMIN_KEY, SEAL_KEY, SEAL_KEY_PREVIOUS: PREVIOUS.toString("base64"), ALLOW_HTTP_UPSTREAM: "true" };
const ENDPOINTS = "/admin/api/endpoints";
const seconds = () => Math.floor(Date.now() / 1000);
const DRAFTS = ["/admin/api/test", "/admin/api/models"]; // of endpoints that are not stored

const seen = new Set(); // "METHOD path status" of every answer so far
const secrets = new Set([ADMIN_KEY, SEAL_KEY]);

// secret returns an upstream's key that no answer, log line or stored text may repeat.
function secret(name) {
  const key = `sk-secret-of-${name}`;
  secrets.add(key);
  return key;
}

// call sends one request to the Admin or the owner API and checks the answer against the API's description.
async function call(url, method, path, { body, key = ADMIN_KEY, headers = {} } = {}) {
  const reply = await open(url, { method, path, body, headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers } }).reply;
  let text = "";
  for await (const part of reply.body) text += part;
  const got = { ...reply, text, json: text === "" ? undefined : JSON.parse(text) };
  assert.equal(got.headers["cache-control"], "no-store");
  assert.equal(got.headers["access-control-allow-origin"], undefined);
  for (const secret of secrets) assert.ok(!text.includes(secret), `${method} ${path}: ${text}`);
  if (got.json?.key) secrets.add(got.json.key);
  const operation = operationOf(method, path);
  if (operation) {
    checkAnswer(operation, got);
    seen.add(`${method} ${operation.path} ${got.status}`);
  }
  return got;
}

const expect = async (status, ...args) => {
  const got = await call(...args);
  assert.equal(got.status, status, got.text);
  return got.json;
};

// refused asserts an error whose path names a field.
const refused = async (status, path, message, ...args) => {
  const { error } = await expect(status, ...args);
  assert.equal(error.path, path, error.message);
  assert.match(error.message, message);
};

// ask sends a Messages request through an endpoint.
async function ask(url, name, key) {
  const reply = await open(url, { path: `/u/${name}/v1/messages`, headers: { "x-api-key": key }, body: params() }).reply;
  let text = "";
  for await (const part of reply.body) text += part;
  return { status: reply.status, text };
}

const chat = (name, up, more) => ({ name, protocol: "chat", url: up.url, ...more });

describe("Admin API", () => {
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    target = await start(config, { faults: true, state: true });
    f.url = target.url;
    f.state = stateAt(f.url);
  });
  beforeEach(() => {
    f.up.renew();
    f.up.serve((x) => answer(x, "hello"));
  });
  after(async () => {
    await target?.close();
    await f.up?.close();
  });

  const stored = async (name) => (await f.state.get(`endpoint:${name}`))?.value.toString();

  test("the life of an endpoint", async () => {
    const one = `${ENDPOINTS}/anna`;
    const body = { name: "anna", upstreams: [chat("a", f.up, { key: secret("anna") })], options: { strict: "off" }, key: { label: "laptop" } };
    const made = await expect(201, f.url, "POST", ENDPOINTS, { body });
    assert.equal(made.rev, 1);
    assert.deepEqual(made.sealed_keys, ["a"]);
    assert.deepEqual(made.keys.map(({ label, expires }) => ({ label, expires })), [{ label: "laptop", expires: undefined }]);
    const { key, ...view } = made;
    assert.deepEqual(await expect(200, f.url, "GET", one), view);
    await refused(409, "name", /already/, f.url, "POST", ENDPOINTS, { body });

    assert.equal((await ask(f.url, "anna", key)).status, 200);
    assert.equal(f.up.requests[0].headers.authorization, "Bearer sk-secret-of-anna");

    assert.equal((await expect(200, f.url, "PATCH", one, { body: { disabled: true } })).rev, 2);
    assert.equal((await ask(f.url, "anna", key)).status, 403);
    await expect(200, f.url, "PATCH", one, { body: { disabled: null }, headers: { "if-match": '"2"' } });
    assert.equal((await ask(f.url, "anna", key)).status, 200);

    const second = await expect(201, f.url, "POST", `${one}/keys`, { body: { label: "phone", expires: Math.floor(Date.now() / 1000) + 3600 } });
    assert.equal((await ask(f.url, "anna", second.key)).status, 200);
    await expect(200, f.url, "DELETE", `${one}/keys/${second.keys[1].id}`);
    assert.match((await ask(f.url, "anna", second.key)).text, /Wrong key/);
    await expect(404, f.url, "DELETE", `${one}/keys/${second.keys[1].id}`);

    const later = await expect(200, f.url, "POST", `${one}/rotate`, { body: { grace: 3600 } });
    for (const good of [key, later.key]) assert.equal((await ask(f.url, "anna", good)).status, 200);
    const now = await expect(200, f.url, "POST", `${one}/rotate`);
    for (const old of [key, later.key]) {
      const { status, text } = await ask(f.url, "anna", old);
      assert.equal(status, 401);
      assert.match(text, /expired/);
    }
    assert.equal((await ask(f.url, "anna", now.key)).status, 200);

    await expect(204, f.url, "DELETE", one);
    assert.match((await ask(f.url, "anna", now.key)).text, /Wrong key/);
    await expect(404, f.url, "DELETE", one);
    await expect(404, f.url, "GET", one);
    const again = await expect(201, f.url, "POST", ENDPOINTS, { body });
    assert.match((await ask(f.url, "anna", now.key)).text, /Wrong key/);
    assert.equal((await ask(f.url, "anna", again.key)).status, 200);
    assert.ok(again.rev > 7, "the revisions of an endpoint go on where those of a deleted one have ended");
    await expect(204, f.url, "DELETE", one, { headers: { "if-match": String(again.rev) } });
  });

  test("an endpoint whose clients bring their own keys", async () => {
    const made = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "open", auth: "forward", upstreams: [chat("a", f.up)] } });
    assert.equal(made.key, undefined);
    assert.equal((await ask(f.url, "open", "sk-mine")).status, 200);
    assert.equal(f.up.requests[0].headers.authorization, "Bearer sk-mine");
    await expect(401, f.url, "GET", "/u/open/api", { key: "sk-mine" });
  });

  test("an upstream's key stays with its host", async () => {
    const one = `${ENDPOINTS}/host`;
    const other = await upstream();
    other.serve((x) => answer(x));
    try {
      const { key, upstreams } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "host", upstreams: [chat("a", f.up, { key: secret("host") })] } });
      const sent = () => f.up.requests.at(-1).headers.authorization;
      upstreams[0].timeout = 60;
      await expect(200, f.url, "PATCH", one, { body: { upstreams } });
      await ask(f.url, "host", key);
      assert.equal(sent(), "Bearer sk-secret-of-host");
      const before = await stored("host");
      await refused(400, "upstreams[0].key", /must be sent again/, f.url, "PATCH", one, { body: { upstreams: [chat("a", other)] } });
      assert.equal(await stored("host"), before);
      await expect(200, f.url, "PATCH", one, { body: { upstreams: [chat("a", other, { key: secret("other") })] } });
      assert.equal((await ask(f.url, "host", key)).status, 200);
      assert.equal(other.requests.at(-1).headers.authorization, "Bearer sk-secret-of-other");
      const { sealed_keys } = await expect(200, f.url, "PATCH", one, { body: { upstreams: [chat("a", f.up, { key: null })] } });
      assert.deepEqual(sealed_keys, []);
      assert.equal((await ask(f.url, "host", key)).status, 200);
      assert.equal(sent(), undefined);
    } finally {
      await other.close();
    }
  });

  test("a sealed key opens in its own record only", async () => {
    const mine = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "mine", upstreams: [chat("a", f.up, { key: secret("mine") })] } });
    const theirs = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "theirs", upstreams: [chat("a", f.up, { key: secret("theirs") })] } });
    const record = JSON.parse(await stored("theirs"));
    const sealed = JSON.parse(await stored("mine")).upstreams[0].key;
    record.upstreams[0].key = sealed;
    await plant(f.url, "theirs", record);
    const got = await ask(f.url, "theirs", theirs.key);
    assert.equal(got.status, 500);
    assert.match(got.text, /can't be opened/);
    assert.equal(f.up.requests.length, 0);
    await expect(500, f.url, "POST", `${ENDPOINTS}/theirs/test`);
    await expect(200, f.url, "PATCH", `${ENDPOINTS}/theirs`, { body: { upstreams: [chat("a", f.up, { key: sealed })] } }); // a sealed text that is sent as a key is a key like any other
    assert.equal((await ask(f.url, "theirs", theirs.key)).status, 200);
    assert.equal(f.up.requests[0].headers.authorization, `Bearer ${sealed}`);
    assert.equal((await ask(f.url, "mine", mine.key)).status, 200);
  });

  test("a change seals keys of the previous SEAL_KEY again", async () => {
    const upstreams = [chat("a", f.up)];
    const { key } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "stale", upstreams } });
    const record = JSON.parse(await stored("stale"));
    const sealed = seal(PREVIOUS, Buffer.alloc(12, 1), `endpoint/stale/a/${new URL(f.up.url).host}`, secret("stale"));
    record.upstreams[0].key = sealed;
    await plant(f.url, "stale", record);
    for (const id of [idOf(PREVIOUS), idOf(Buffer.alloc(32, 7))]) {
      assert.equal(JSON.parse(await stored("stale")).upstreams[0].key.split(".")[1], id);
      assert.equal((await ask(f.url, "stale", key)).status, 200);
      assert.equal(f.up.requests.at(-1).headers.authorization, "Bearer sk-secret-of-stale");
      await expect(200, f.url, "PATCH", `${ENDPOINTS}/stale`, { body: {} });
    }
  });

  test("if-match", async () => {
    const one = `${ENDPOINTS}/match`;
    await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "match", upstreams: [chat("a", f.up)] } });
    const before = await stored("match");
    const { keys } = await expect(200, f.url, "GET", one);
    for (const [method, path, body] of [
      ["PATCH", one, {}],
      ["DELETE", one],
      ["POST", `${one}/keys`],
      ["DELETE", `${one}/keys/${keys[0].id}`],
      ["POST", `${one}/rotate`],
    ]) {
      await refused(412, undefined, /revision 1/, f.url, method, path, { body, headers: { "if-match": "7" } });
    }
    assert.equal(await stored("match"), before);
  });

  test("another change at the same time", async () => {
    const one = `${ENDPOINTS}/race`;
    const { keys, key } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "race", upstreams: [chat("a", f.up)] } });
    const overtaken = { "x-test-overtake": "yes" };
    let rev = 1;
    for (const [method, path] of [["PATCH", one], ["POST", `${one}/keys`], ["DELETE", `${one}/keys/${keys[0].id}`], ["POST", `${one}/rotate`]]) {
      for (const [status, headers] of [[409, {}], [412, { "if-match": String(rev + 1) }]]) {
        rev++;
        const { error, endpoint } = await expect(status, f.url, method, path, { body: {}, headers: { ...overtaken, ...headers } });
        assert.match(error.message, new RegExp(`changed at the same time, and is at revision ${rev} now`));
        assert.deepEqual([endpoint.rev, endpoint.keys], [rev, keys]);
      }
    }
    assert.equal((await expect(409, f.url, "POST", "/u/race/api/rotate", { key, headers: overtaken })).endpoint, undefined);
    await expect(204, f.url, "DELETE", one, { headers: overtaken });
  });

  test("16 keys", async () => {
    const one = `${ENDPOINTS}/many-keys`;
    await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "many-keys", upstreams: [chat("a", f.up)] } });
    for (let i = 1; i < 16; i++) await expect(201, f.url, "POST", `${one}/keys`);
    await refused(409, undefined, /Revoke one/, f.url, "POST", `${one}/keys`);
    const { key } = await expect(200, f.url, "GET", one);
    assert.equal(key, undefined);
    await refused(409, undefined, /Revoke one/, f.url, "POST", `${one}/rotate`, { body: { grace: 60 } });
    const rotated = await expect(200, f.url, "POST", `${one}/rotate`);
    assert.equal(rotated.keys.length, 16);
  });

  test("the owner's own endpoint", async () => {
    const up = chat("a", f.up, { key: secret("owner"), headers: { "x-title": secret("header") } });
    secrets.delete("sk-secret-of-header"); // the Admin API's answers may show headers
    const { key, keys } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "owner", upstreams: [up], key: { label: "mine", expires: 4000000000 } } });
    secrets.add("sk-secret-of-header");
    const other = await expect(401, f.url, "GET", "/u/owner/api", { key: "" }).then(() => f.state.get("endpoint:owner"));
    const own = await expect(200, f.url, "GET", "/u/owner/api", { key: "", headers: { "x-api-key": key } });
    assert.deepEqual(own.upstreams, [{ ...chat("a", f.up), headers: ["x-title"] }]);
    assert.deepEqual(own.own_key, { label: "mine", created: keys[0].created, expires: 4000000000 });
    assert.equal(JSON.stringify(own).includes(keys[0].id), false);
    for (const wrong of [ADMIN_KEY, "el_owner_" + "x".repeat(43)]) await expect(401, f.url, "GET", "/u/owner/api", { key: wrong });
    const unknown = await call(f.url, "GET", "/u/nobody/api", { key });
    assert.deepEqual(unknown.json, (await call(f.url, "GET", "/u/owner/api", { key: "x" })).json);
    for (const body of [{ label: "x" }, { grace: -1 }, { expires: null }, { grace: 1e9 }]) await expect(400, f.url, "POST", "/u/owner/api/rotate", { key, body });
    for (const [method, path] of [["PATCH", "/u/owner/api"], ["DELETE", "/u/owner/api"], ["GET", "/u/owner/api/rotate"]]) {
      assert.equal((await call(f.url, method, path, { key, body: method === "PATCH" ? { disabled: true } : undefined })).status, 405);
    }
    assert.equal((await open(f.url, { path: `/k/${key}/api`, method: "GET", headers: {} }).reply).status, 404);
    assert.deepEqual((await f.state.get("endpoint:owner")).value, other.value);

    const { key: fresh, own_key } = await expect(200, f.url, "POST", "/u/owner/api/rotate", { key });
    assert.deepEqual([own_key.label, own_key.expires], ["mine", 4000000000], "a new key lives no longer than the old one");
    assert.equal((await ask(f.url, "owner", key)).status, 401);
    assert.equal((await ask(f.url, "owner", fresh)).status, 200);
    await expect(401, f.url, "POST", "/u/owner/api/rotate", { key });

    const second = await expect(201, f.url, "POST", `${ENDPOINTS}/owner/keys`, {}).catch(() => null); // call rejects, since the answer shows the header
    assert.equal(second, null);
    secrets.delete("sk-secret-of-header");
    const third = await expect(201, f.url, "POST", `${ENDPOINTS}/owner/keys`, { body: { label: "other" } });
    await expect(200, f.url, "POST", "/u/owner/api/rotate", { key: third.key, body: { grace: 3600 } });
    for (const good of [fresh, third.key]) assert.equal((await ask(f.url, "owner", good)).status, 200, "only the owner's key is replaced");
    for (let n = 4; n < 16; n++) await expect(201, f.url, "POST", `${ENDPOINTS}/owner/keys`);
    await expect(409, f.url, "POST", "/u/owner/api/rotate", { key: third.key, body: { grace: 3600 } });
    let last = third.key;
    for (let n = 2; n < 4; n++) last = (await expect(200, f.url, "POST", "/u/owner/api/rotate", { key: last })).key;
    await expect(429, f.url, "POST", "/u/owner/api/rotate", { key: last });
    await expect(200, f.url, "PATCH", `${ENDPOINTS}/owner`, { body: { disabled: true } });
    await expect(403, f.url, "GET", "/u/owner/api", { key: fresh });
    await expect(403, f.url, "POST", "/u/owner/api/rotate", { key: fresh });
    await f.state.put("endpoint:owner", "{");
    await expect(401, f.url, "GET", "/u/owner/api", { key: fresh });
  });

  test("usage", async () => {
    const { key } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "usage", upstreams: [chat("a", f.up)], usage: true } });
    const own = "/u/usage/api/usage";
    const kept = await expect(200, f.url, "GET", own, { key });
    assert.deepEqual(kept, { usage: true, days: [], errors: [], requests: [], lost: [], limits: {} });
    assert.deepEqual(await expect(200, f.url, "GET", `${ENDPOINTS}/usage/usage?days=90`), kept);
    await expect(400, f.url, "GET", `${own}?days=91`, { key });
    await expect(400, f.url, "GET", `${ENDPOINTS}/usage/usage?days=0`);
    await expect(404, f.url, "GET", `${ENDPOINTS}/nobody/usage`);
    await expect(401, f.url, "GET", own, { key: ADMIN_KEY });
    await expect(200, f.url, "PATCH", `${ENDPOINTS}/usage`, { body: { disabled: true } });
    await expect(403, f.url, "GET", own, { key });
  });

  test("health", async () => {
    const health = "/admin/api/health";
    for (const [name, more] of [["counts", { usage: true }], ["counts-not", {}]]) await expect(201, f.url, "POST", ENDPOINTS, { body: { name, upstreams: [chat("a", f.up)], ...more } });
    const { endpoints } = await expect(200, f.url, "GET", `${health}?name=counts&name=counts-not&name=nobody`);
    assert.deepEqual(endpoints, [
      { name: "counts", days: [], last_used: null, upstreams: [{ name: "a", state: "ok" }] },
      { name: "counts-not", days: [], last_used: null, upstreams: [{ name: "a", state: "unknown" }] },
      { name: "nobody", days: [], last_used: null, upstreams: [] },
    ]);
    const seen = [];
    for (let cursor = ""; cursor !== undefined; ) {
      const page = await expect(200, f.url, "GET", `${health}?cursor=${encodeURIComponent(cursor)}`);
      assert.ok(page.endpoints.length <= 20);
      seen.push(...page.endpoints.map(({ name }) => name));
      cursor = page.cursor;
    }
    assert.ok(seen.includes("counts") && new Set(seen).size === seen.length);
    await expect(400, f.url, "GET", `${health}?${"name=a&".repeat(21)}`);
    await expect(400, f.url, "GET", `${health}?name=..%2F`);
    await expect(401, f.url, "GET", health, { key: "" });
  });

  test("a test of an upstream", async () => {
    const one = `${ENDPOINTS}/probe/test`;
    const key = secret("probe");
    const gone = await unreachable();
    await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "probe", upstreams: [chat("a", f.up, { key }), { name: "b", protocol: "anthropic", url: gone, key: secret("gone") }] } });
    f.up.serve((x) => x.answer(200, { object: "list", data: [] }));
    const good = await expect(200, f.url, "POST", one, { body: { upstream: "a" } });
    assert.deepEqual([good.ok, good.status, good.problem], [true, 200, undefined]);
    const [{ method, path, headers }] = f.up.requests;
    assert.deepEqual([method, path, headers.authorization], ["GET", "/v1/models", `Bearer ${key}`]);
    await expect(200, f.url, "POST", one, { body: { upstream: "a", model: "org/a?b" } });
    assert.equal(f.up.requests.at(-1).path, "/v1/models/org%2Fa%3Fb");
    for (const [status, body, problem] of [
      [401, { error: { message: `Incorrect API key provided: ${key}.` } }, /Incorrect API key provided: \[key\]/],
      [302, "", /redirect/],
      [200, "<html>", /no JSON/],
      [503, "", /no more than its status/],
    ]) {
      f.up.serve((x) => x.answer(status, body, { location: "http://127.0.0.1:1/" }));
      const bad = await expect(200, f.url, "POST", one, { body: { upstream: "a" } });
      assert.deepEqual([bad.ok, bad.status], [false, status]);
      assert.match(bad.problem, problem);
    }
    const silent = await expect(200, f.url, "POST", one, { body: { upstream: "b" } });
    assert.deepEqual([silent.ok, silent.status], [false, 0]);
    assert.match(silent.problem, /can't be reached/);
    await refused(400, "upstream", /one of the endpoint's upstreams/, f.url, "POST", one);
    await expect(404, f.url, "POST", `${ENDPOINTS}/nobody/test`);
    await expect(200, f.url, "PATCH", `${ENDPOINTS}/probe`, { body: { upstreams: [chat("a", f.up, { key: "shortkey" })] } });
    f.up.serve((x) => x.answer(401, { error: { message: "the key shortkey is wrong" } }));
    assert.doesNotMatch(JSON.stringify(await expect(200, f.url, "POST", one)), /shortkey/);
  });

  test("the models of an upstream, stored or not", async (t) => {
    const list = ["b-model", 'a"\\\u2028', "\u{1f600}"];
    const at = `${ENDPOINTS}/offer`;
    const key = secret("offer");
    const other = await upstream();
    t.after(() => other.close());
    for (const up of [f.up, other]) up.serve((x) => x.answer(200, { object: "list", data: [...list.map((id) => ({ id, object: "model" })), { id: `echo ${x.headers.authorization}` }, { id: "x".repeat(257) }] }));
    await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "offer", upstreams: [chat("a", f.up, { key })] } });
    const before = await stored("offer");
    f.up.requests.length = 0;
    assert.deepEqual((await expect(200, f.url, "POST", `${at}/models`)).models, [...list, "echo Bearer [key]"]);
    assert.deepEqual(f.up.requests.map(({ method, path, headers }) => [method, path, headers.authorization]), [["GET", "/v1/models", `Bearer ${key}`]]);
    // A draft keeps the stored key for its own host alone.
    const draft = (...upstreams) => ({ draft: { upstreams } });
    assert.equal((await expect(200, f.url, "POST", `${at}/models`, { body: draft(chat("a", f.up, { url: `${f.up.url}/deeper` })) })).models.length, 4);
    assert.deepEqual([f.up.requests.at(-1).path, f.up.requests.at(-1).headers.authorization], ["/v1/deeper/models", `Bearer ${key}`]);
    for (const what of ["models", "test"]) {
      await refused(400, "upstreams[0].key", /leads to another host/, f.url, "POST", `${at}/${what}`, { body: draft(chat("a", other)) });
      await refused(400, "auth", /must be/, f.url, "POST", `${at}/${what}`, { body: { draft: { auth: "none" } } });
      await refused(400, "rev", /no field/, f.url, "POST", `${at}/${what}`, { body: { draft: { rev: 1 } } });
      await expect(404, f.url, "POST", `${ENDPOINTS}/nobody/${what}`, { body: draft(chat("a", other)) });
    }
    assert.equal(other.requests.length, 0);
    const fresh = secret("fresh");
    for (const [path, body] of [
      [`${at}/test`, { upstream: "b", ...draft(chat("a", f.up), chat("b", other, { key: fresh })) }],
      ["/admin/api/test", { upstream: "b", draft: { name: "never", key: { label: "x" }, upstreams: [chat("a", f.up), chat("b", other, { key: fresh })] } }],
      ["/admin/api/models", draft(chat("b", other, { key: fresh }))],
    ]) {
      const { ok, models } = await expect(200, f.url, "POST", path, { body });
      assert.ok(ok);
      assert.equal(models?.length, path.endsWith("models") ? 4 : undefined, path);
      assert.equal(other.requests.at(-1).headers.authorization, `Bearer ${fresh}`);
    }
    await expect(200, f.url, "POST", "/admin/api/models", { body: draft(chat("b", other, { key: null })) });
    assert.equal(other.requests.at(-1).headers.authorization, undefined);
    await expect(200, f.url, "POST", `${at}/models`, { body: { draft: { auth: "forward" } } }); // clients bring their keys
    assert.equal(f.up.requests.at(-1).headers.authorization, undefined);
    for (const [status, body, problem] of [[302, "", /redirect/], [401, { error: { message: `no ${fresh}` } }, /no \[key\]/], [200, "<html>", /no JSON/], [200, { data: "m" }, /no list of models/]]) {
      const elsewhere = f.up.requests.length;
      other.serve((x) => x.answer(status, body, { location: `${f.up.url}/models` }));
      const bad = await expect(200, f.url, "POST", "/admin/api/models", { body: draft(chat("b", other, { key: fresh })) });
      assert.deepEqual([bad.ok, bad.status, bad.models], [false, status, undefined]);
      assert.match(bad.problem, problem);
      assert.equal(f.up.requests.length, elsewhere);
    }
    for (const what of ["models", "test"]) {
      await refused(400, "draft", /missing/, f.url, "POST", `/admin/api/${what}`);
      await refused(400, "draft", /must be an object/, f.url, "POST", `/admin/api/${what}`, { body: { draft: "x" } });
      await refused(400, "upstream", /one of the endpoint's upstreams/, f.url, "POST", `/admin/api/${what}`, { body: { upstream: "c", ...draft(chat("b", other)) } });
      await refused(400, "upstreams[0].headers", /authorization/, f.url, "POST", `/admin/api/${what}`, { body: draft(chat("b", other, { headers: { authorization: "x" } })) });
      await expect(401, f.url, "POST", `/admin/api/${what}`, { body: draft(chat("b", other)), key: "", headers: { "x-test-clock": "2100000000" } });
      await expect(413, f.url, "POST", `/admin/api/${what}`, { body: { draft: { options: { guidance: "x".repeat(256 << 10) } } } });
    }
    await refused(400, "model", /no field/, f.url, "POST", `${at}/models`, { body: { model: "m" } });
    assert.equal(await stored("offer"), before);
    assert.equal(await stored("never"), undefined);
    assert.equal(await stored("draft"), undefined);
  });

  test("who is no admin", async () => {
    const before = (await f.state.list({ prefix: "endpoint:" })).keys;
    let minute = 2_000_000_000; // wrong keys are counted by the minute
    for (const { method, path } of operations.filter(({ path }) => path.startsWith("/admin/"))) {
      const at = path.replace("{name}", "mine").replace("{id}", "abc");
      const headers = { "x-test-clock": String((minute += 3600)) };
      const wrong = (key) => call(f.url, method, at, { key, headers, body: method === "POST" || method === "PATCH" ? {} : undefined });
      for (const key of ["x", ADMIN_KEY.slice(0, -1), ADMIN_KEY + "x", SEAL_KEY]) assert.equal((await wrong(key)).status, 401);
      if (`${method} ${path}` === "GET /admin/api/session") assert.deepEqual((await wrong("")).json, { expires: null });
      else assert.equal((await wrong("")).status, 401);
      while ((await wrong("x")).status === 401);
      assert.equal((await wrong(ADMIN_KEY)).status, 429);
      const foreign = { headers: { origin: "https://evil.example" } };
      assert.equal((await call(f.url, method, at, foreign)).status, 403);
    }
    await expect(403, f.url, "GET", ENDPOINTS, { headers: { origin: "null" } });
    await expect(200, f.url, "GET", ENDPOINTS, { headers: { origin: f.url } });
    await expect(200, f.url, "GET", ENDPOINTS, { key: "", headers: { "x-api-key": ADMIN_KEY } });
    await expect(403, f.url, "GET", "/u/mine/api", { headers: { origin: "https://evil.example" } });
    await expect(403, f.url, "POST", "/u/mine/api/rotate", { headers: { origin: "https://evil.example" } });
    assert.equal((await call(f.url, "GET", "/admin/api", {})).status, 404);
    const options = await call(f.url, "OPTIONS", ENDPOINTS, {});
    assert.deepEqual([options.status, options.headers.allow], [405, "GET, POST"]);
    assert.deepEqual((await f.state.list({ prefix: "endpoint:" })).keys, before);
  });

  test("a session of the page", async () => {
    const { key } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "page", upstreams: [chat("a", f.up)] } });
    const page = { "x-edgelingua-page": f.url, origin: f.url };
    for (const [path, right, api] of [["/admin/api/session", ADMIN_KEY, ENDPOINTS], ["/u/page/api/session", key, "/u/page/api"]]) {
      await expect(403, f.url, "POST", path, { key: right });
      await expect(401, f.url, "POST", path, { key: "", headers: page });
      const [asked, { json, headers }, answered] = [seconds(), await call(f.url, "POST", path, { key: right, headers: page }), seconds()];
      const cookie = headers["set-cookie"][0].split(";")[0];
      secrets.add(cookie.split("=")[1]);
      const mine = { key: "", headers: { ...page, cookie } };
      assert.deepEqual(await expect(200, f.url, "GET", path, mine), json);
      assert.ok(json.expires >= asked + 12 * 3600 && json.expires <= answered + 12 * 3600, `${json.expires}`);
      assert.deepEqual(await expect(200, f.url, "GET", path, { key: right }), { expires: null });
      await expect(200, f.url, "GET", api, mine);
      await expect(204, f.url, "DELETE", path, { key: right });
      await expect(204, f.url, "DELETE", path, mine);
      await expect(204, f.url, "DELETE", path, mine);
      await expect(401, f.url, "GET", api, mine);
      await expect(401, f.url, "GET", path, mine);
      await expect(401, f.url, "DELETE", path, { key: "" });
      for (const method of ["GET", "DELETE"]) await expect(403, f.url, method, path, { key: right, headers: { origin: "https://evil.example" } });
      for (let i = 0; i < 99; i++) await expect(201, f.url, "POST", path, { key: right, headers: page });
      await expect(429, f.url, "POST", path, { key: right, headers: page });
    }
  });

  test("names that are none", async () => {
    for (const name of ["No", "a%20b", "a_b", "..", "x".repeat(41), ""]) {
      const { status } = await call(f.url, "GET", `${ENDPOINTS}/${name}`);
      assert.equal(status, 404, name);
    }
    for (const [method, more, body] of [["PATCH", "", {}], ["DELETE", ""], ["POST", "/keys"], ["DELETE", "/keys/abc"], ["POST", "/rotate"], ["POST", "/test"], ["POST", "/models"]]) {
      await expect(404, f.url, method, `${ENDPOINTS}/nobody${more}`, { body });
    }
  });

  test("large bodies", async () => {
    const body = JSON.stringify({ name: "large", options: { guidance: "x".repeat(256 << 10) } });
    const { key } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "sized", upstreams: [chat("a", f.up)] } });
    for (const [method, path] of [["POST", ""], ["PATCH", "/sized"], ["POST", "/sized/keys"], ["POST", "/sized/rotate"], ["POST", "/sized/test"], ["POST", "/sized/models"]]) {
      await expect(413, f.url, method, ENDPOINTS + path, { body });
    }
    await expect(413, f.url, "POST", "/u/sized/api/rotate", { key, body });
  });

  test("fuzzed bodies are refused with the path of a field, and change nothing", async () => {
    const random = generator(20261121);
    const pick = (list) => list[Math.floor(random() * list.length)];
    const junk = [null, true, -1, 1e300, 1.5, "", "x", "\u0000", "http://127.0.0.1", "https://[::1]", [], {}, [null], { a: 1 }, "a".repeat(5000), [[[[]]]]];
    const whole = {
      disabled: false,
      auth: "key",
      head_wait: 5,
      max_output_bytes: 4096,
      options: { strict: "off", tool_map: { Bash: { name: "shell", params: { command: "cmd" } } } },
      upstreams: [chat("a", f.up, { key: secret("fuzz"), headers: { "x-a": "b" }, models: { "*": "b" }, options: { effort: ["low"] }, timeout: 9 })],
    };
    const { key } = await expect(201, f.url, "POST", ENDPOINTS, { body: { name: "fuzz", ...whole } });
    const original = await stored("fuzz");
    const { metadata } = await f.state.get("endpoint:fuzz");
    const counts = {};
    for (let i = 0; i < 400; i++) {
      const value = structuredClone(whole);
      const into = [pick([value, value, value.options, value.options.tool_map, value.upstreams[0], value.upstreams[0], value.upstreams[0].options])];
      into[0][pick([...Object.keys(into[0]), "other", "name", "__proto__"])] = pick(junk);
      let body = JSON.stringify(value);
      if (random() < 0.3) body = body.slice(0, random() * body.length) + pick(['"', "{", "}", ",", "\u00ff", "\\", ""]) + body.slice(random() * body.length);
      const [method, path] = pick([["PATCH", "/fuzz"], ["PATCH", "/fuzz"], ["POST", ""], ["POST", "/fuzz/keys"], ["POST", "/fuzz/rotate"], ["POST", "/fuzz/test"]]);
      const { status, json } = await call(f.url, method, ENDPOINTS + path, { body });
      counts[status] = (counts[status] ?? 0) + 1;
      if (status === 200 && method === "PATCH") {
        await plant(f.url, "fuzz", original, { metadata }); // the junk was a valid change, so undo it
        continue;
      }
      assert.equal(status, 400, `${method} ${path} ${body}: ${JSON.stringify(json)}`);
      assert.ok(json.error.path || /^(The body|An object)/.test(json.error.message), json.error.message);
      assert.equal(await stored("fuzz"), original, body);
    }
    assert.ok(counts[400] > 200, JSON.stringify(counts));
    assert.equal((await ask(f.url, "fuzz", key)).status, 200);
  });

  test("1,000 endpoints are one page", async () => {
    const metadata = { auth: "key", disabled: false, keys: 1, created: 1, updated: 2, upstreams: { a: "chat" } };
    const names = Array.from({ length: 1000 }, (_, i) => `0-${String(i).padStart(4, "0")}`);
    for (let i = 0; i < names.length; i += 100) await Promise.all(names.slice(i, i + 100).map((name) => f.state.put(`endpoint:${name}`, "is not read", { metadata })));
    const { endpoints, cursor } = await expect(200, f.url, "GET", ENDPOINTS);
    assert.deepEqual(endpoints, names.map((name) => ({ name, ...metadata })));
    const next = await expect(200, f.url, "GET", `${ENDPOINTS}?cursor=${encodeURIComponent(cursor)}&limit=2`);
    assert.equal(next.endpoints.length, 2);
    for (const { upstreams } of next.endpoints) assert.deepEqual(upstreams, { a: "chat" });
    for (const limit of ["0", "1001", "x", "-1"]) await refused(400, "limit", /from 1 to 1000/, f.url, "GET", `${ENDPOINTS}?limit=${limit}`);
    // miniflare accepts any cursor.
    for (const cursor of TARGET === "wazero" ? ["x", "*"] : []) await refused(400, "cursor", /page before/, f.url, "GET", `${ENDPOINTS}?cursor=${cursor}`);
    await expect(500, f.url, "GET", `${ENDPOINTS}/0-0000`); // the stored text is not a record
    await expect(500, f.url, "PATCH", `${ENDPOINTS}/0-0000`, { body: {} });
    await expect(204, f.url, "DELETE", `${ENDPOINTS}/0-0000`);
  });

  test("nothing that is stored or logged gives anybody access", async () => {
    let dump = JSON.stringify(target.log);
    let cursor = "";
    do {
      const page = await f.state.list({ cursor });
      dump += JSON.stringify(page.keys);
      for (const { name } of page.keys.filter(({ name }) => !name.startsWith("endpoint:0-"))) dump += (await f.state.get(name)).value.toString();
      cursor = page.cursor;
    } while (cursor !== "");
    assert.match(dump, /"key":"v1\./);
    assert.ok(secrets.size > 30);
    secrets.delete("sk-secret-of-header"); // a header is stored as it is; headers with credentials are refused
    for (const secret of secrets) assert.ok(!dump.includes(secret), secret);
    await refused(400, "upstreams[0].headers", /only key is sealed/, f.url, "POST", ENDPOINTS, {
      body: { name: "headers", upstreams: [chat("a", f.up, { headers: { "api-key": "k" } })] },
    });
  });
});

describe("a deployment that is not set up for it", () => {
  for (const [name, more, status, message] of [
    ["without ADMIN_KEY", { ADMIN_KEY: undefined }, 403, /build\.sh secret put ADMIN_KEY/],
    ["with an empty ADMIN_KEY", { ADMIN_KEY: "" }, 403, /build\.sh secret put ADMIN_KEY/],
    ["with a short ADMIN_KEY", { ADMIN_KEY: "123456789012345" }, 403, /16 characters or more/],
    ["without SEAL_KEY", { SEAL_KEY: undefined }, 500, /SEAL_KEY/],
    ["without ALLOW_HTTP_UPSTREAM", { ALLOW_HTTP_UPSTREAM: undefined }, 400, /must begin with https/],
  ]) {
    test(name, async (t) => {
      const settings = { ...config, ...more };
      for (const name of Object.keys(settings)) if (settings[name] === undefined) delete settings[name];
      if (TARGET === "wazero" && status === 403) { // this host does not start
        await assert.rejects(start(settings, { state: true }), /ended with 2:\nedgelingua: This deployment has no (ADMIN|CLIENT)_KEY/);
        return;
      }
      const target = await start(settings, { faults: true, state: true });
      t.after(() => target.close());
      const body = { name: "a", upstreams: [{ name: "a", protocol: "chat", url: "http://127.0.0.1:1", key: "sk-1" }] };
      for (const key of status === 403 ? ["", "123456789012345", "undefined", ADMIN_KEY] : [ADMIN_KEY]) {
        const { error } = await expect(status, target.url, "POST", ENDPOINTS, { body, key });
        assert.match(error.message, message);
      }
      assert.deepEqual((await stateAt(target.url).list({})).keys, []);
    });
  }

  test("without its KV namespace", { skip: TARGET === "wazero" && "the wazero host always has it" }, async (t) => {
    const target = await start(config);
    t.after(() => target.close());
    for (const { method, path } of operations) {
      const at = path.replace("{name}", "a").replace("{id}", "b");
      if (at === "/admin/api/session" || at.startsWith("/api") || DRAFTS.includes(at)) continue; // a draft is nowhere
      const body = path === ENDPOINTS ? { name: "a", upstreams: [{ name: "a", protocol: "chat", url: "http://127.0.0.1:1" }] } : {};
      const { error } = await expect(500, target.url, method, at, { body: method === "GET" || method === "DELETE" ? undefined : body });
      assert.match(error.message, /no binding ENDPOINT(S|_STATE)\. Add to wrangler\.toml/);
    }
    const page = { headers: { "x-edgelingua-page": target.url, origin: target.url } };
    assert.match((await expect(500, target.url, "POST", "/admin/api/session", page)).error.message, /no binding ENDPOINT_STATE/);
    page.headers.cookie = `edgelingua-admin=${"x".repeat(43)}`;
    for (const method of ["GET", "DELETE"]) await expect(500, target.url, method, "/admin/api/session", { ...page, key: "" });
    const unclear = await start({ ...config, ALLOW_HTTP_UPSTREAM: "off" });
    t.after(() => unclear.close());
    const draft = { upstreams: [{ name: "a", protocol: "chat", url: "http://127.0.0.1:1" }] };
    for (const at of DRAFTS) assert.match((await expect(500, unclear.url, "POST", at, { body: { draft } })).error.message, /ALLOW_HTTP_UPSTREAM must be true or false/);
  });
});

test("a change whose copy KV refuses says so, and is copied later", { skip: TARGET === "wazero" && "wasmtest/store/change_test.go" }, async (t) => {
  const modules = await modulesOf(join(fileURLToPath(new URL("../..", import.meta.url)), "build/faults"));
  modules["program.mjs"] = modules["worker.mjs"];
  modules["worker.mjs"] = { type: "esm", contents: failingCopies };
  const target = await startWorkerd({ modules, env: config, state: true });
  t.after(() => target.close());
  const state = stateAt(target.url);
  const one = `${ENDPOINTS}/copied`;
  const copy = async () => (await state.get("endpoint:copied"))?.value.toString();
  const made = await expect(201, target.url, "POST", ENDPOINTS, { body: { name: "copied", upstreams: [{ name: "a", protocol: "chat", url: "http://127.0.0.1:1" }] } });
  const before = await copy();
  await state.put("fail", "once");
  await expect(200, target.url, "PATCH", one, { body: {} });
  assert.notEqual(await copy(), before, "what KV refuses once is tried again");

  await state.put("fail", "always");
  const added = await call(target.url, "POST", `${one}/keys`);
  assert.equal(added.status, 201, "no later answer could show the key");
  assert.match(added.headers["x-edgelingua-note"], /^stored, but KV has refused the copy/);
  let old = await copy();
  for (const [method, path, then] of [
    ["DELETE", `${one}/keys/${made.keys[0].id}`, 200],
    ["DELETE", one, 404],
  ]) {
    const { error } = await expect(500, target.url, method, path);
    assert.match(error.message, /stored, but requests do not see it yet: not copied: KV PUT failed: 429/);
    for (let i = 0; i < 4; i++) await call(target.url, "GET", "/u/copied/api", { key: made.key });
    assert.equal(await copy(), old);
    await state.remove("fail");
    for (let i = 0; i < 4; i++) await call(target.url, "GET", "/u/copied/api", { key: made.key });
    assert.equal(await copy(), old, "an owner causes no write");
    await expect(then, target.url, "GET", one);
    if (then === 404) assert.equal(await copy(), undefined);
    else assert.equal(JSON.parse(await copy()).rev, 4);
    old = await copy();
    await state.put("fail", "always");
    if (then === 200) Object.assign(made, { key: added.json.key });
  }
});

// failingCopies is a worker whose objects can't write to KV while that has a key "fail"; "once" goes with the first write.
const failingCopies = `
import program, { EndpointState as State } from "./program.mjs";
const failing = (kv) => {
  const unless = (call) => async (...args) => {
    const fail = await kv.get("fail");
    if (fail === "once") await kv.delete("fail");
    if (fail !== null) throw new Error("KV PUT failed: 429 Too Many Requests");
    return call(...args);
  };
  return { put: unless((...args) => kv.put(...args)), delete: unless((key) => kv.delete(key)) };
};
export class EndpointState extends State {
  constructor(ctx, env) {
    super(ctx, { ...env, ENDPOINTS: failing(env.ENDPOINTS) });
  }
}
export default program;
`;

test("the list is one list of KV and reads nothing", { skip: TARGET === "workerd" && "the wazero host shows the calls" }, async (t) => {
  const target = await start(config, { faults: true, flags: ["--trace"] });
  t.after(() => target.close());
  for (let i = 0; i < 3; i++) {
    await expect(201, target.url, "POST", ENDPOINTS, { body: { name: `e${i}`, upstreams: [{ name: "a", protocol: "chat", url: "http://127.0.0.1:1" }] } });
  }
  const logged = async (line) => {
    await until(() => target.log.some((text) => line.test(text)));
  };
  assert.equal((await expect(200, target.url, "GET", ENDPOINTS)).endpoints.length, 3);
  await logged(/trace 4: .*report/);
  const calls = target.log.filter((line) => /^trace 4:.*key="kv/.test(line.replace(/^.*?trace/, "trace")));
  assert.equal(calls.length, 1, calls.join("\n"));
  assert.match(calls[0], /kvList/);
});

test("the deployment's own endpoint is shown to whoever has CLIENT_KEY", async (t) => {
  const key = "a-client's-key-of-24-letters";
  const vars = { UPSTREAM_PROTOCOL: "chat", UPSTREAM_URL: "http://127.0.0.1:1/v1", UPSTREAM_KEY: secret("deployment") };
  const at = async (settings) => {
    const target = await start(settings, { state: true });
    t.after(() => target.close());
    return target.url;
  };
  const own = await at({ ...vars, CLIENT_KEY: key, USAGE: "false" });
  assert.deepEqual(await expect(200, own, "GET", "/api", { key }), {
    setup: "upstream: chat http://127.0.0.1:1/v1 (key set), clients need a key",
    upstreams: [{ protocol: "chat", url: "http://127.0.0.1:1/v1" }],
  });
  for (const wrong of ["", "wrong", vars.UPSTREAM_KEY]) await expect(401, own, "GET", "/api", { key: wrong });
  assert.match((await expect(403, own, "GET", "/api", { key, headers: { origin: "https://evil.example" } })).error.message, /other sites/);
  assert.equal((await call(own, "POST", "/api", { key })).headers.allow, "GET");
  const forward = await expect(403, await at({ ...vars, AUTH: "forward" }), "GET", "/api", { key });
  assert.doesNotMatch(JSON.stringify(forward), /127\.0\.0\.1/);
  await expect(403, await at({ ...vars, AUTH: "forward" }), "GET", "/api/usage", { key });
  if (TARGET === "workerd") await expect(500, await at({ ...vars, CLIENT_KEY: "choose-a-long-random-key" }), "GET", "/api", { key });
});

test("the usage of the deployment's own endpoint is shown to whoever has CLIENT_KEY", async (t) => {
  const key = "a-client's-key-of-24-letters";
  const up = await upstream();
  t.after(() => up.close());
  const at = async (settings) => {
    const target = await start({ UPSTREAM_PROTOCOL: "chat", UPSTREAM_URL: up.url, UPSTREAM_KEY: secret("deployment"), CLIENT_KEY: key, ...settings }, { state: true });
    t.after(() => target.close());
    return target.url;
  };
  const url = await at({ USAGE: "true", REQUEST_LOG: "3600" });
  assert.equal((await expect(200, url, "GET", "/api", { key })).usage, true);
  assert.deepEqual((await expect(200, url, "GET", "/api/usage", { key })).days, []);
  up.serve((x) => x.answer(200, { id: "c", object: "chat.completion", created: 1, model: "gpt-5.5", choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }], usage: { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 } }));
  const asked = await fetch(`${url}/v1/messages`, { method: "POST", headers: { "x-api-key": key }, body: JSON.stringify({ model: "gpt-5.5", max_tokens: 9, messages: [{ role: "user", content: "a-text-of-the-prompt" }] }) });
  assert.equal(asked.status, 200);
  assert.ok(asked.headers.get("x-edgelingua-cost"));
  await asked.text();
  let kept;
  do kept = await expect(200, url, "GET", "/api/usage?days=1", { key });
  while (kept.days.length === 0); // the account of a request is closed behind its answer
  const [day] = kept.days;
  assert.deepEqual([day.model, day.key, day.upstream, day.requests, day.errors, day.input, day.output], ["gpt-5.5", "", "", 1, 0, 1000, 10]);
  assert.deepEqual(kept.requests.map(({ model, status }) => [model, status]), [["gpt-5.5", 0]]);
  assert.doesNotMatch(JSON.stringify(kept), /a-text-of-the-prompt|of-24-letters/);
  for (const wrong of ["", "wrong", secret("deployment")]) await expect(401, url, "GET", "/api/usage", { key: wrong });
  await expect(403, url, "GET", "/api/usage", { key, headers: { origin: "https://evil.example" } });
  await expect(400, url, "GET", "/api/usage?days=0", { key });
  const uncounted = await at({});
  assert.deepEqual(await expect(200, uncounted, "GET", "/api/usage", { key }), { usage: false, days: [], errors: [], requests: [], lost: [], limits: {} });
  if (TARGET === "workerd") await expect(500, await at({ CLIENT_KEY: "choose-a-long-random-key" }), "GET", "/api/usage", { key });
});

test("each described answer was seen", () => {
  const described = operations.flatMap(({ method, path, responses }) => Object.keys(responses).map((status) => `${method} ${path} ${status}`));
  const missing = described.filter((answer) => !seen.has(answer) && !(TARGET === "wazero" && answer.endsWith(" 500")));
  assert.deepEqual(missing, []);
});

// generator returns a function that returns random numbers from 0 to 1, always the same ones for a seed (mulberry32).
function generator(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
