// What the user of a personal endpoint could try against its operator and against other users.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, beforeEach, describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { open, params } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { parse } from "../lib/sse.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { says, suite, through, whole } from "../lib/usage.mjs";

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

describe("Stored responses", () => {
  const f = suite();
  const endpoint = async (options) => {
    f.up.serve(says("chat"));
    return f.endpoint({ options: { store: "on", ...options }, upstreams: [through("chat", f.up)] });
  };
  const of = ({ name }, ...sql) => f.state.batch(`endpoint:${name}`, ...sql);
  const counted = async (e) => (await of(e, ["SELECT bytes FROM responses_total"], ["SELECT count(*) FROM responses"])).map(([[n]]) => n);

  // store sends a request whose answer is to be stored, and resolves with its id, or with the error that the client gets.
  const store = async (e, body) => {
    const { status, text } = await f.ask("responses", e, { body: { model: "m", input: "q", ...body } });
    const answer = body?.stream ? parse(text).at(-1).response : JSON.parse(text);
    if (answer.status === "completed") return { id: answer.id };
    return { status, why: answer.error.message };
  };
  const asked = async ({ name, key }, method, id) => {
    const reply = await open(f.url, { method, path: `/u/${name}/v1/responses/${id}`, headers: { "x-api-key": key } }).reply;
    await whole(reply.body);
    return reply.status;
  };

  test("what one endpoint stores, thirteen MB at a time, leaves the others' alone", async () => {
    // On workerd what an endpoint may store has to end it; the local host's memory ends before the default does.
    const [greedy, other] = [await endpoint(TARGET === "workerd" && { store_bytes: 40_000_000 }), await endpoint()];
    const kept = await store(other);
    const input = "x".repeat(13_000_000);
    const ids = [];
    let refused;
    for (let i = 0; i < 20 && !refused?.why; i++) {
      refused = await store(greedy, { input });
      if (refused.id) ids.push(refused.id);
    }
    assert.match(refused.why, TARGET === "workerd" ? /"store_bytes"/ : /the store in memory is full.*--data FOLDER/);
    assert.match(refused.why, /Delete responses.*"store":false/);
    assert.equal(await asked(other, "GET", kept.id), 200);
    const more = await store(other, { stream: true, input: "x".repeat(500_000) });
    assert.ok(more.id, more.why);
    for (const { id } of [kept, more]) assert.equal(await asked(other, "DELETE", id), 200);
    assert.equal(await asked(greedy, "GET", ids[0]), 200);
    for (const id of ids) assert.equal(await asked(greedy, "DELETE", id), 200);
    const again = await store(greedy, { input });
    assert.ok(again.id, again.why);
  });

  for (const stream of [false, true]) {
    test(`store_bytes holds to the byte, ${stream ? "streamed" : "plain"}`, async () => {
      const [free, other] = [await endpoint(), await endpoint()];
      assert.ok((await store(free, { stream })).id);
      const [size] = await counted(free);
      const full = (refused) => {
        assert.equal(refused.status, stream ? 200 : 413);
        assert.match(refused.why, /The response was not stored: .*"store_bytes".*Delete responses.*"store":false.*"store_ttl"/);
      };
      const tight = await endpoint({ store_bytes: size - 1 });
      full(await store(tight, { stream }));
      assert.deepEqual(await counted(tight).catch(() => "no tables"), "no tables");

      const e = await endpoint({ store_bytes: 2 * size });
      const { id } = await store(e, { stream });
      assert.ok((await store(e, { stream })).id);
      for (const input of ["q", "x".repeat(3_000_000)]) full(await store(e, { stream, input }));
      assert.deepEqual(await counted(e), [2 * size, 2]);
      assert.ok((await store(other, { stream })).id, "another endpoint has its own");
      assert.equal(await asked(e, "DELETE", id), 200);
      assert.deepEqual(await counted(e), [size, 1]);
      full(await store(e, { stream, input: "qq" }));
      assert.ok((await store(e, { stream })).id, "what was deleted is room");
      await of(e, ["UPDATE responses SET expires = 1"]);
      assert.ok((await store(e, { stream, input: "x".repeat(size) })).id, "what has expired is room");
      assert.deepEqual(await counted(e), [2 * size - 1, 1]);
    });
  }

  test("of many at once as many are stored as there is room for", async () => {
    const free = await endpoint();
    await store(free);
    const [size] = await counted(free);
    const e = await endpoint({ store_bytes: 3 * size });
    const all = await Promise.all(Array.from({ length: 8 }, () => store(e)));
    assert.equal(all.filter(({ id }) => id).length, 3);
    assert.deepEqual(await counted(e), [3 * size, 3]);
  });
});
