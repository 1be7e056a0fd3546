// The Admin API and the owner API on a runtime: the store, sealed keys, and the errors without a
// store or a SEAL_KEY. The other tests of both APIs are in worker/serve/admin_test.go.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, beforeEach, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { answer } from "../lib/chat.mjs";
import { open, params } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, modulesOf, start, startWorkerd } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const ADMIN_KEY = "admin-key-of-the-tests";
const config = { ADMIN_KEY, SEAL_KEY: Buffer.alloc(32, 7).toString("base64"), ALLOW_HTTP_UPSTREAM: "true" };
const ENDPOINTS = "/admin/api/endpoints";

// call sends a request to the Admin API or the owner API.
async function call(url, method, path, { body, key = ADMIN_KEY, headers = {} } = {}) {
  const reply = await open(url, {
    method,
    path,
    body,
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
  }).reply;
  let text = "";
  for await (const part of reply.body) text += part;
  return { ...reply, text, json: text === "" ? undefined : JSON.parse(text) };
}

const expect = async (status, ...args) => {
  const got = await call(...args);
  assert.equal(got.status, status, got.text);
  return got.json;
};

// ask sends a Messages request through an endpoint.
async function ask(url, name, key) {
  const { status, text } = await call(url, "POST", `/u/${name}/v1/messages`, {
    key: "",
    headers: { "x-api-key": key },
    body: params(),
  });
  return { status, text };
}

describe("Admin API", () => {
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    target = await start(config, { faults: true, state: true });
    f.url = target.url;
  });
  beforeEach(() => {
    f.up.renew();
    f.up.serve((x) => answer(x, "hello"));
  });
  after(async () => {
    await target?.close();
    await f.up?.close();
  });

  test("the life of an endpoint", async () => {
    const one = `${ENDPOINTS}/anna`;
    const body = {
      name: "anna",
      upstreams: [{ name: "a", protocol: "chat", url: f.up.url, key: "sk-secret-of-anna" }],
      options: { strict: "off" },
      key: { label: "laptop" },
    };
    const made = await expect(201, f.url, "POST", ENDPOINTS, { body });
    assert.equal(made.rev, 1);
    assert.deepEqual(made.sealed_keys, ["a"]);
    assert.deepEqual(
      made.keys.map(({ label, expires }) => ({ label, expires })),
      [{ label: "laptop", expires: undefined }],
    );
    const { key, ...view } = made;
    assert.deepEqual(await expect(200, f.url, "GET", one), view);
    await expect(409, f.url, "POST", ENDPOINTS, { body });
    assert.deepEqual(
      (await expect(200, f.url, "GET", ENDPOINTS)).endpoints.map(({ name }) => name),
      ["anna"],
    );

    assert.equal((await ask(f.url, "anna", key)).status, 200);
    assert.equal(f.up.requests[0].headers.authorization, "Bearer sk-secret-of-anna");

    assert.equal((await expect(200, f.url, "PATCH", one, { body: { disabled: true } })).rev, 2);
    assert.equal((await ask(f.url, "anna", key)).status, 403);
    await expect(200, f.url, "PATCH", one, { body: { disabled: null }, headers: { "if-match": '"2"' } });
    assert.equal((await ask(f.url, "anna", key)).status, 200);

    const second = await expect(201, f.url, "POST", `${one}/keys`, {
      body: { label: "phone", expires: Math.floor(Date.now() / 1000) + 3600 },
    });
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
});

test(
  "without its bindings",
  { skip: TARGET === "wazero" && "the local host always has a store" },
  async (t) => {
    const target = await start(config);
    t.after(() => target.close());
    const body = { name: "a", upstreams: [{ name: "a", protocol: "chat", url: "http://127.0.0.1:1" }] };
    assert.match(
      (await expect(500, target.url, "GET", ENDPOINTS)).error.message,
      /no binding ENDPOINT(S|_STATE)\. Add to wrangler\.toml/,
    );
    assert.match(
      (await expect(500, target.url, "POST", ENDPOINTS, { body })).error.message,
      /no binding ENDPOINT(S|_STATE)\. Add to wrangler\.toml/,
    );
    const page = { headers: { "x-edgelingua-page": target.url, origin: target.url } };
    assert.match(
      (await expect(500, target.url, "POST", "/admin/api/session", page)).error.message,
      /no binding ENDPOINT_STATE/,
    );
  },
);

test(
  "a change whose copy KV refuses says so, and is copied later",
  { skip: TARGET === "wazero" && "wasmtest/store/change_test.go" },
  async (t) => {
    const modules = await modulesOf(join(fileURLToPath(new URL("../..", import.meta.url)), "build/faults"));
    modules["program.mjs"] = modules["worker.mjs"];
    modules["worker.mjs"] = { type: "esm", contents: failingCopies };
    const target = await startWorkerd({ modules, env: config, state: true });
    t.after(() => target.close());
    const state = stateAt(target.url);
    const one = `${ENDPOINTS}/copied`;
    const copy = async () => (await state.get("endpoint:copied"))?.value.toString();
    const made = await expect(201, target.url, "POST", ENDPOINTS, {
      body: { name: "copied", upstreams: [{ name: "a", protocol: "chat", url: "http://127.0.0.1:1" }] },
    });
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
  },
);

// failingCopies is a worker with objects that can't write to KV while KV has a key "fail". If the
// value is "once", the first failed write removes the key.
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
