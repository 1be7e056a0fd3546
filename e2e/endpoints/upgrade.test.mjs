// Data of an earlier version opens. On workerd the data are KV and objects with the content of the
// data folder of TestUpgrade (worker/serve), copied by the program's own operations. The local host
// opens the folder itself.
import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe } from "node:test";
import { gunzipSync } from "node:zlib";
import * as client from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const fixture = (name) => readFile(new URL(`../../worker/serve/testdata/upgrade/${name}`, import.meta.url));

const objects = ["sessions", ...["anna", "pool", "off", "gone"].map((name) => `endpoint:${name}`)];

// copy copies all keys of KV, and all tables of the objects. Triggers follow the rows.
async function copy(from, to) {
  for (const { name } of (await from.list({ prefix: "" })).keys) {
    const { value, metadata } = await from.get(name);
    await to.put(name, value, { metadata });
  }
  for (const object of objects) {
    const [schema] = await from.batch(object, [
      "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY type = 'trigger'",
    ]);
    const made = [];
    const rows = [];
    for (const [type, name, sql] of schema) {
      (type === "trigger" ? rows : made).push([sql]);
      if (type === "table")
        for (const row of (await from.batch(object, [`SELECT * FROM ${name}`]))[0])
          rows.unshift([`INSERT INTO ${name} VALUES (${row.map(() => "?")})`, ...row]);
    }
    await to.batch(object, ...made, ...rows);
  }
}

// present moves the data's times from the time of the earlier version to the present, since sessions
// and stored responses expire.
async function present({ batch }, then) {
  const now = Math.floor(Date.now() / 1000);
  const later = now - then;
  await batch("sessions", ["UPDATE session SET opened = opened + ?", later]);
  await batch(
    "endpoint:anna",
    ["UPDATE responses SET expires = expires + ?", later],
    ["UPDATE usage_request SET time = time + ?", later],
    ["UPDATE usage_sum SET day = ?, last = last + ?", Math.floor(now / 86400), later],
  );
}

// secrets of make.mjs
const secrets = {
  ADMIN_KEY: "admin-key-of-43-characters-aaaaaaaaaaaaaaaa",
  CLIENT_KEY: "client-key-of-43-characters-bbbbbbbbbbbbbbb",
  SEAL_KEY: "A".repeat(43),
};

const completion = {
  id: "chatcmpl-2",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
};

describe("data of an earlier version", () => {
  let folder, target, up, past;
  before(async () => {
    past = JSON.parse(await fixture("past.json"));
    folder = await mkdtemp(join(tmpdir(), "upgrade-"));
    await writeFile(join(folder, "edgelingua.sqlite"), gunzipSync(await fixture("data.sqlite.gz")));
    up = await upstream();
    const config = {
      ...secrets,
      ALLOW_HTTP_UPSTREAM: "true",
      UPSTREAM_PROTOCOL: "chat",
      UPSTREAM_URL: "http://up.test/v1",
      UPSTREAM_KEY: "sk-up",
    };
    target = await start(config, { faults: true, state: true, data: folder, connect: up });
    if (TARGET === "workerd") {
      const old = await start(config, { faults: true, data: folder, on: "wazero" });
      await copy(stateAt(old.url), stateAt(target.url));
      await old.close();
    }
    await present(stateAt(target.url), past.time);
  });
  beforeEach(() => {
    up.renew();
    up.serve((exchange) => exchange.answer(200, completion));
  });
  after(async () => {
    await target?.close();
    await up?.close();
    await rm(folder, { recursive: true });
  });

  const ask = async (method, path, key, body, headers) => {
    const authorization = key && { authorization: `Bearer ${key}` };
    const options = { method, path, headers: { ...authorization, ...headers }, body };
    const { status, text } = await client.ask(target.url, options);
    return { status, json: text && JSON.parse(text), text };
  };
  const admin = (method, path, body, headers) =>
    ask(method, `/admin/api/endpoints/${path}`, secrets.ADMIN_KEY, body, headers);
  const respond = async (status, name, body) => {
    const answer = await ask("POST", `/u/${name}/v1/responses`, past.keys[name], { model: "m", ...body });
    assert.equal(answer.status, status, answer.text);
    return answer.json;
  };
  const sent = () => up.requests.at(-1);
  const user = (content) => ({ type: "message", role: "user", content });
  const summarized = (name, text) => ({ store: false, input: [...past.summaries[name], user(text)] });
  // signedIn resolves with the status of a request in a session of that time.
  const signedIn = async (path, holder) => {
    const headers = {
      host: new URL(past.origin).host,
      cookie: past.cookies[holder],
      "x-edgelingua-page": past.page,
    };
    return (await ask("GET", path, null, undefined, headers)).status;
  };

  test("keys, sealed keys of upstreams, pools", async () => {
    await respond(200, "anna", { input: "hi" });
    assert.equal(sent().headers.authorization, "Bearer sk-of-anna-0123456789");
    await respond(200, "pool", { input: "hi" });
    assert.match(sent().headers.authorization, /^Bearer sk-pool-[12]-0123456$/);
    await respond(403, "off", { input: "hi" });
    await respond(401, "gone", { input: "hi" });
  });

  test("stored responses and summaries", async () => {
    const stored = await ask("GET", `/u/anna/v1/responses/${past.response}`, past.keys.anna);
    assert.equal(stored.status, 200, stored.text);
    await respond(200, "anna", { input: "Which word?", previous_response_id: past.response });
    assert.match(sent().body.toString(), /Zwetschge/);
    await respond(200, "anna", summarized("anna", "Go on."));
    assert.match(sent().body.toString(), /A sealed summary\./);
  });

  test("usage, the request log, limits and options", async () => {
    const { json: usage } = await admin("GET", "anna/usage");
    const total = (member) => usage.days.reduce((sum, day) => sum + day[member], 0); // midnight may pass
    assert.deepEqual(["requests", "input", "output"].map(total), [2 + 3, 80 + 9, 14 + 12]);
    assert.equal(usage.requests.length, 2 + 3);
    const { json: view } = await admin("GET", "anna");
    assert.equal(view.limits.tokens_per_day, 100000);
    assert.equal(view.options.web_search.provider, "brave");
    assert.deepEqual(view.sealed_keys, ["a", "web_search"]);
  });

  test("sessions, and changes by the revision of that time", async () => {
    assert.equal(await signedIn("/admin/api/endpoints", "admin"), 200);
    assert.equal(await signedIn("/u/anna/api", "anna"), 200);
    const changed = await admin("PATCH", "anna", { batch: 7, disabled: true }, { "if-match": '"1"' });
    assert.equal(changed.status, 200, changed.text);
    await respond(403, "anna", { input: "hi" });
    assert.equal((await admin("PATCH", "anna", { disabled: false })).status, 200);
    assert.equal(await signedIn("/u/anna/api", "anna"), 401);
    await respond(200, "anna", summarized("anna", "Go on."));
    assert.equal((await admin("PATCH", "off", { disabled: false })).status, 200);
    await respond(200, "off", { input: "hi" });
  });

  test("a new endpoint under the name of a deleted one", async () => {
    const upstreams = [{ name: "a", protocol: "chat", url: "http://up.test/v1", key: "sk-new" }];
    const made = await ask("POST", "/admin/api/endpoints", secrets.ADMIN_KEY, { name: "gone", upstreams });
    assert.equal(made.status, 201, made.text);
    past.keys.gone = made.json.key;
    assert.equal((await respond(400, "gone", summarized("gone", "x"))).error.code, "invalid_compaction");
  });
});
