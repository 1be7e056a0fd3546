// What the user of a personal endpoint could try against its operator and against other users.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, beforeEach, describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { open, params } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { stateAt } from "../lib/state.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const ADMIN_KEY = "admin-key-of-the-tests";
const SEAL_KEY = Buffer.alloc(32, 7).toString("base64");
const config = { ADMIN_KEY, SEAL_KEY, ALLOW_HTTP_UPSTREAM: "true" };
const ENDPOINTS = "/admin/api/endpoints";

// attacked gives the surrounding suite an upstream that answers "hello", and a worker with personal endpoints.
function attacked() {
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    target = await start(config, { faults: true, state: true });
    f.url = target.url;
    f.state = stateAt(f.url);
    f.log = () => target.log;
  });
  beforeEach(() => {
    f.up.renew();
    f.up.serve((x) => answer(x, "hello"));
  });
  after(async () => {
    await target?.close();
    await f.up?.close();
  });

  // call resolves with the status and the JSON of an answer.
  f.call = async (method, path, { key = ADMIN_KEY, body, headers } = {}) => {
    const reply = await open(f.url, { method, path, body, headers: { "x-api-key": key, ...headers } }).reply;
    let text = "";
    for await (const part of reply.body) text += part;
    return { status: reply.status, headers: reply.headers, text, json: text && JSON.parse(text) };
  };
  f.admin = async (method, path, body, headers) => {
    const got = await f.call(method, ENDPOINTS + path, { body, headers });
    assert.ok(got.status < 300, got.text);
    return got.json;
  };
  f.make = (name, more) => f.admin("POST", "", { name, upstreams: [{ name: "a", protocol: "chat", url: f.up.url, key: "sk-of-the-upstream" }], ...more });
  f.ask = (name, key) => f.call("POST", `/u/${name}/v1/messages`, { key, body: params() });
  return f;
}

// hold sends a request without the last byte of its body. The function that it returns sends that byte, and resolves with the answer.
function hold(url, method, path, key, body) {
  const text = JSON.stringify(body);
  const request = http.request(new URL(path, url), { method, agent: false, headers: { "x-api-key": key, "content-length": text.length } });
  const reply = new Promise((resolve, reject) => request.on("response", resolve).on("error", reject));
  const sent = new Promise((resolve) => request.write(text.slice(0, -1), resolve));
  return async () => {
    await sent;
    request.end(text.slice(-1));
    const response = await reply;
    let got = "";
    for await (const part of response) got += part;
    return { status: response.statusCode, json: got && JSON.parse(got) };
  };
}

describe("Records", () => {
  const f = attacked();
  const acts = {
    deletion: (name) => f.admin("DELETE", `/${name}`),
    disabling: (name) => f.admin("PATCH", `/${name}`, { disabled: true }),
    revocation: (name, made) => f.admin("DELETE", `/${name}/keys/${made.keys[0].id}`),
    "a change of limits": (name) => f.admin("PATCH", `/${name}`, { limits: { requests_per_minute: 1 } }),
  };
  const storedAt = async (name) => (await f.state.get(`endpoint:${name}`))?.value.toString();

  for (const [i, [act, run]] of Object.entries(acts).entries()) {
    for (const how of ["a body that is held back", "a location that sees an older copy"]) {
      test(`${act} is not undone by ${how}`, async () => {
        const name = `e${i}${how.length}`;
        const made = await f.make(name, { limits: { requests_per_minute: 1000 } });
        const copy = await f.state.get(`endpoint:${name}`);
        let rotate = () => f.call("POST", `/u/${name}/api/rotate`, { key: made.key, body: {} });
        if (how === "a body that is held back") rotate = hold(f.url, "POST", `/u/${name}/api/rotate`, made.key, {});
        await run(name, made);
        const truth = await storedAt(name);
        if (how !== "a body that is held back") await f.state.put(`endpoint:${name}`, copy.value, { metadata: copy.metadata });
        const got = await rotate();
        if (act === "a change of limits") {
          assert.equal(got.status, 200);
          assert.deepEqual(got.json.limits, { requests_per_minute: 1 });
          assert.match(await storedAt(name), /"requests_per_minute":1\}/);
          return;
        }
        assert.ok([401, 403].includes(got.status), JSON.stringify(got));
        assert.equal(got.json.key, undefined);
        if (how === "a body that is held back") assert.equal(await storedAt(name), truth);
        assert.notEqual((await f.ask(name, made.key)).status, 200); // with limits the object is asked, so that an older copy is no way in
        assert.equal(f.up.requests.length, 0);
      });
    }
  }

  test("of two changes at once one is made, and the other is told of it", async () => {
    const made = await f.make("two");
    const changes = Array.from({ length: 8 }, (_, i) => f.call("PATCH", `${ENDPOINTS}/two`, { body: { head_wait: i + 1 }, headers: { "if-match": "1" } }));
    const all = await Promise.all(changes);
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)]);
    const won = all.find(({ status }) => status === 200).json;
    for (const { json } of all.filter(({ status }) => status === 412)) assert.deepEqual(json.endpoint, won);
    assert.equal(won.rev, made.rev + 1);
    assert.deepEqual((await f.call("GET", `${ENDPOINTS}/two`)).json, won);
    assert.equal(JSON.parse(await storedAt("two")).head_wait, won.head_wait);
  });

  test("changes at once without if-match: each is made whole, or refused with the current state", async () => {
    await f.make("many");
    const all = await Promise.all(Array.from({ length: 8 }, (_, i) => f.call("POST", `${ENDPOINTS}/many/keys`, { body: { label: `k${i}` } })));
    const done = all.filter(({ status }) => status === 201);
    for (const { status, json } of all) if (status !== 201) assert.deepEqual([status, json.endpoint.name], [409, "many"]);
    const { keys, rev } = await f.admin("GET", "/many");
    assert.equal(keys.length, 1 + done.length);
    assert.equal(rev, 1 + done.length);
    assert.equal(JSON.parse(await storedAt("many")).rev, rev); // the copy is that of the last change
  });

  test("an endpoint that was deleted and made anew takes nothing of the first one", async () => {
    const first = await f.make("again", { usage: true });
    const rotate = hold(f.url, "POST", "/u/again/api/rotate", first.key, {});
    const patch = hold(f.url, "PATCH", `${ENDPOINTS}/again`, ADMIN_KEY, { disabled: true });
    const copy = await f.state.get("endpoint:again");
    await f.admin("DELETE", "/again");
    const second = await f.make("again", { usage: true });
    assert.ok(second.rev > first.rev);
    assert.equal((await rotate()).status, 401);
    await patch(); // of the operator: a change of whatever endpoint has the name when it arrives
    await f.admin("PATCH", "/again", { disabled: false });
    await f.state.put("endpoint:again", copy.value, { metadata: copy.metadata });
    assert.equal((await f.ask("again", first.key)).status, 401);
  });

  for (const [what, more, way] of [
    ["limits", { limits: { tokens_per_day: 1e6 } }],
    ["usage", { usage: true }],
    ["stored responses", { options: { store: "on" } }, { path: "/v1/responses", body: { model: "m", input: "hi" } }],
    ["stored responses to be read", { options: { store: "on" } }, { path: `/v1/responses/resp_${"a".repeat(43)}`, method: "GET" }],
  ]) {
    test(`with ${what}, revocation is exact at once`, async () => {
      const name = `exact-${what.length}`;
      const made = await f.make(name, more);
      const { key: other } = await f.admin("POST", `/${name}/keys`, {});
      const copy = await f.state.get(`endpoint:${name}`);
      const ask = (key) => f.call(way?.method ?? "POST", `/u/${name}${way?.path ?? "/v1/messages"}`, { key, body: way?.method ? undefined : (way?.body ?? params()) });
      await f.admin("DELETE", `/${name}/keys/${made.keys[0].id}`);
      await f.state.put(`endpoint:${name}`, copy.value, { metadata: copy.metadata });
      assert.equal((await ask(made.key)).status, 401);
      assert.equal(f.up.requests.length, 0);
      assert.notEqual((await ask(other)).status, 401);
      await f.admin("PATCH", `/${name}`, { disabled: true });
      await f.state.put(`endpoint:${name}`, copy.value, { metadata: copy.metadata });
      assert.equal((await ask(other)).status, 403);
      await f.admin("DELETE", `/${name}`);
      await f.state.put(`endpoint:${name}`, copy.value, { metadata: copy.metadata });
      assert.equal((await ask(other)).status, 401);
    });
  }

  test("an owner replaces the own key now and then, not all the time", async () => {
    let { key } = await f.make("often");
    const rotate = () => f.call("POST", "/u/often/api/rotate", { key, body: {} });
    for (let i = 0; i < 4; i++) ({ key } = (await rotate()).json);
    const { rev } = await f.admin("GET", "/often");
    const before = await storedAt("often");
    const refused = await Promise.all(Array.from({ length: 20 }, rotate));
    for (const { status, headers, json } of refused) {
      assert.equal(status, 429);
      assert.ok(Number(headers["retry-after"]) > 3600);
      assert.match(json.error.message, /operator/);
    }
    assert.equal(await storedAt("often"), before);
    assert.equal((await f.admin("GET", "/often")).rev, rev);
    assert.equal((await f.ask("often", key)).status, 200);
    await f.admin("POST", "/often/rotate", {}); // the operator may, at any time
    assert.equal((await f.ask("often", key)).status, 401);
  });
});
