// Attacks by the user of a personal endpoint on the operator and on other users, as far as the
// runtime defends against them. The tests of the program's own defense are in worker/serve.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { ENDPOINTS, attacked, hold, raw } from "../lib/attacks.mjs";
import { answer } from "../lib/chat.mjs";
import { open, params, textOf } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { dial, unfinished } from "../lib/sockets.mjs";
import { parse } from "../lib/sse.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { midnight, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

describe("Records", () => {
  const f = attacked();
  const storedAt = async (name) => (await f.state.get(`endpoint:${name}`))?.value.toString();

  test("a revocation is not undone by a body that is held back", async () => {
    const made = await f.make("held", { limits: { requests_per_minute: 1000 } });
    const rotate = hold(f.url, "POST", "/u/held/api/rotate", made.key, {});
    await f.admin("DELETE", `/held/keys/${made.keys[0].id}`);
    const truth = await storedAt("held");
    assert.equal((await rotate()).status, 401);
    assert.equal(await storedAt("held"), truth);
    assert.equal((await f.ask("held", made.key)).status, 401);
    assert.equal(f.up.requests.length, 0);
  });

  test("of two changes at once one is made, and the other is told of it", async () => {
    const made = await f.make("two");
    const changes = Array.from({ length: 8 }, (_, i) =>
      f.call("PATCH", `${ENDPOINTS}/two`, { body: { head_wait: i + 1 }, headers: { "if-match": "1" } }),
    );
    const all = await Promise.all(changes);
    assert.deepEqual(all.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)]);
    const won = all.find(({ status }) => status === 200).json;
    for (const { json } of all.filter(({ status }) => status === 412)) assert.deepEqual(json.endpoint, won);
    assert.equal(won.rev, made.rev + 1);
    assert.deepEqual((await f.call("GET", `${ENDPOINTS}/two`)).json, won);
    assert.equal(JSON.parse(await storedAt("two")).head_wait, won.head_wait);
  });
});

describe("Limits", () => {
  const f = suite();
  const limits = { concurrent_requests: 2 };
  const used = (n) => (kept) => kept.limits.concurrent_requests.used === n;
  const endpoint = (more) =>
    f.endpoint({ options: { store: "on" }, upstreams: [through("anthropic", f.up)], limits, ...more });
  const send = ({ name, key }, path, { headers, ...options } = {}) =>
    open(f.url, {
      path: `/u/${name}${path}`,
      headers: { "anthropic-version": "2023-06-01", "x-api-key": key, ...headers },
      ...options,
    });
  const ask = async (e, path, options) => {
    const call = send(e, path, options);
    if (options.body === null) await call.write("{"); // the beginning of a body without an end
    const reply = await call.reply;
    return { ...reply, text: (await whole(reply.body)).toString() };
  };
  const get = { method: "GET" };
  const refused = async (e) => {
    const before = f.up.requests.length;
    for (const [path, options] of [
      ["/v1/models", get],
      ["/v1/messages", { body: null }],
    ]) {
      const { status, text } = await ask(e, path, options);
      assert.equal(status, 429, text);
    }
    assert.equal(f.up.requests.length, before);
  };

  // Each kind opens a request, and returns the request with a function for completing it.
  const kinds = {
    "a body that does not end": async (e) => {
      const call = send(e, "/v1/chat/completions", { body: null, headers: { "content-length": 2 } });
      await call.write("{");
      return { call, finish: () => call.write("x") }; // the body is then invalid JSON, and gets 400
    },
    "a translated stream": async (e) => {
      const [first, ...rest] = streamed.anthropic();
      const call = send(e, "/v1/chat/completions", { body: smallest.chat({ stream: true }) });
      const x = await f.up.next();
      x.head(200, { "content-type": "text/event-stream" });
      await x.send(first);
      assert.equal((await call.reply).status, 200);
      return { call, gone: x.gone, finish: async () => (await x.send(rest.join("")), x.end()) };
    },
  };

  for (const [kind, begin] of Object.entries(kinds)) {
    test(`${kind} takes a place until it is over or its client leaves`, async () => {
      const e = await endpoint();
      const first = await begin(e);
      const second = await begin(e);
      await f.until(e, {}, used(2));
      await refused(e);
      await first.finish();
      await whole((await first.call.reply).body);
      await f.until(e, {}, used(1));
      const third = await begin(e);
      await f.until(e, {}, used(2));
      await refused(e);
      second.call.abort();
      await second.gone;
      await f.until(e, {}, used(1));
      await third.finish();
      await whole((await third.call.reply).body);
      await f.until(e, {}, used(0));
    });
  }

  test("an instance that dies frees its place at once", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 1 } });
    f.up.serve((x) => x.answer(200, { data: [] }));
    const at = { "x-test-clock": String(midnight) };
    const died = await ask(e, "/v1/messages", {
      body: smallest.anthropic({}),
      headers: { ...at, "x-test-panic": "after" },
    });
    assert.equal(died.status, 500, died.text);
    assert.equal((await ask(e, "/v1/models", { ...get, headers: at })).status, 200);
  });

  test("a stream that its client leaves counts what has come of it", async () => {
    const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { tokens_per_day: 150 } });
    const body = smallest.anthropic({ stream: true });
    const call = f.send("anthropic", e, { at: midnight, body });
    const x = await f.up.next();
    x.head();
    await x.send(
      streamed
        .chat()
        .slice(0, 3)
        .join("")
        .replace('"ok"', JSON.stringify("some words ".repeat(100))),
    );
    const { body: got } = await call.reply;
    const parts = got[Symbol.asyncIterator]();
    for (let text = ""; !text.includes("words"); text += (await parts.next()).value)
      assert.notEqual(text, undefined);
    call.abort();
    await x.gone;
    await f.until(
      e,
      { at: midnight },
      (kept) => requestsOf(kept) === 1 && kept.limits.tokens_per_day.used > 150,
    );
    const { status, text } = await f.ask("anthropic", e, { at: midnight, body });
    assert.equal(status, 429, text);
    assert.match(text, /tokens_per_day/);
  });
});

describe("Stored responses", () => {
  const f = suite();
  const endpoint = async (options) => {
    f.up.serve(says("chat"));
    return f.endpoint({ options: { store: "on", ...options }, upstreams: [through("chat", f.up)] });
  };
  // store sends a request with store: true, and resolves with the id of the stored response, or
  // with the client's error.
  const store = async (e, body) => {
    const { status, text } = await f.ask("responses", e, { body: { model: "m", input: "q", ...body } });
    const answer = body?.stream ? parse(text).at(-1).response : JSON.parse(text);
    if (answer.status === "completed") return { id: answer.id };
    return { status, why: answer.error.message };
  };
  const asked = async ({ name, key }, method, id) => {
    const reply = await open(f.url, {
      method,
      path: `/u/${name}/v1/responses/${id}`,
      headers: { "x-api-key": key },
    }).reply;
    await whole(reply.body);
    return reply.status;
  };

  test("what one endpoint stores, thirteen MB at a time, leaves the others' alone", async () => {
    // On workerd the limit store_bytes of the endpoint must end the test. The local host's memory
    // ends before the default limit.
    const [greedy, other] = [
      await endpoint(TARGET === "workerd" && { store_bytes: 40_000_000 }),
      await endpoint(),
    ];
    const kept = await store(other);
    const input = "x".repeat(13_000_000);
    const ids = [];
    let refused;
    for (let i = 0; i < 20 && !refused?.why; i++) {
      refused = await store(greedy, { input });
      if (refused.id) ids.push(refused.id);
    }
    assert.match(
      refused.why,
      TARGET === "workerd" ? /"store_bytes"/ : /the store in memory is full.*--data FOLDER/,
    );
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
});

describe("Places", { skip: TARGET !== "wazero" && "Cloudflare shares out its machines itself" }, () => {
  const PLACES = 8; // slots of one endpoint; all endpoints together have a quarter more
  const ADMIN_KEY = "admin-key-of-the-tests";
  const keys = {};
  let slow, quick, target;
  before(async () => {
    [slow, quick] = [await upstream(), await upstream()];
    const config = { ...defaults(quick.url), ALLOW_HTTP_UPSTREAM: "true", ADMIN_KEY };
    target = await start(config, { faults: true, state: true, flags: ["--max-concurrent", String(PLACES)] });
    const through = (up, protocol) => ({
      upstreams: [{ name: "up", protocol, url: protocol === "chat" ? up.url : up.url.replace("/v1", "") }],
    });
    keys.anna = await enroll(target.url, "anna", through(slow, "anthropic"));
    keys.ben = await enroll(target.url, "ben", through(quick, "chat"));
    quick.serve((x) => answer(x));
  });
  beforeEach(() => slow.renew());
  after(async () => {
    await target?.close();
    await slow?.close();
    await quick?.close();
  });

  const ask = async (path, headers, body = params()) => {
    const reply = await open(target.url, { path, headers, body }).reply;
    return { status: reply.status, text: await textOf(reply.body) };
  };
  const opened = async (n) => {
    await until(async () => (await (await fetch(`${target.url}/healthz`)).json()).open_requests === n);
  };

  const ways = {
    "answers of a slow upstream": (key) =>
      `POST /u/anna/v1/messages HTTP/1.1\r\nhost: test\r\nx-api-key: ${key}\r\ncontent-length: ${JSON.stringify(params()).length}\r\n\r\n${JSON.stringify(params())}`,
    "bodies that it holds back": (key) => unfinished("/u/anna/v1/messages", { "x-api-key": key }),
  };
  for (const [name, text] of Object.entries(ways)) {
    test(`${name} leave room for others`, async () => {
      const [held, others] = [[], []];
      for (let i = 0; i < PLACES; i++) held.push(await dial(target.url, text(keys.anna)));
      await opened(PLACES);
      const refused = await ask("/u/anna/v1/messages", { "x-api-key": keys.anna });
      assert.equal(refused.status, 529, refused.text);
      assert.match(JSON.parse(refused.text).error.message, /as many requests open as it takes/);
      assert.equal((await ask("/u/ben/v1/messages", { "x-api-key": keys.ben })).status, 200);
      assert.equal((await ask("/v1/messages")).status, 200, "the deployment's own endpoint");

      // All slots are taken, and one is released. The endpoint without a slot gets the released
      // slot, not the endpoint with many.
      for (let i = 0; i < 2; i++)
        others.push(await dial(target.url, unfinished("/u/ben/v1/messages", { "x-api-key": keys.ben })));
      await opened(PLACES + 2);
      held.pop().close();
      await opened(PLACES + 1);
      const share = await ask("/u/anna/v1/messages", { "x-api-key": keys.anna });
      assert.equal(share.status, 529, share.text);
      assert.match(JSON.parse(share.text).error.message, /share/);
      assert.equal((await ask("/v1/messages")).status, 200);
      const made = await open(target.url, {
        path: "/admin/api/endpoints",
        method: "GET",
        headers: { "x-api-key": ADMIN_KEY },
      }).reply;
      assert.equal(made.status, 200, await textOf(made.body));
      for (const conn of [...held, ...others]) conn.close();
      await opened(0);
    });
  }

  test("a target that is no path names nobody's place", async () => {
    const targets = ["x::80/u/anna/v1/messages", "x:/u/anna", "*", "http:u/anna/v1/messages"].map((to) =>
      unfinished(to, { "x-api-key": keys.anna }),
    );
    for (const text of targets) {
      const conn = await dial(target.url, text);
      assert.ok([400, 404, 405].includes((await conn.answer()).status), text);
      conn.close();
    }
    await opened(0);
  });
});

describe("Injections", () => {
  const f = attacked();
  // Values that might begin another header or line of a log.
  const evils = [
    "\r\nx-evil: 1\r\n\r\n",
    "\nset-cookie: evil=1",
    "\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil",
    '\n{"id":"evil","status":200}\n',
    '"},"evil":1,"x":{"y":"',
    "\u2028\u2029\u0085data: evil\u2028\u2028",
    "\u0000\u0001\u001b[2J\u001b]0;evil\u0007\u009b31m\u007f",
    "${evil} {{evil}} %0d%0ax-evil:%201 %s%n $(evil) `evil`",
  ];
  // send sends a request and counts it. The test later compares the count with the lines of the
  // log.
  let key;
  let sent = 0;
  const send = async (method, path, headers, body) => {
    sent++;
    const got = await raw(f.url, {
      method,
      path: `/u/anna${path}`,
      headers: { "x-api-key": key, ...headers },
      body: body && Buffer.from(JSON.stringify(body)),
    });
    const what = `${method} ${path}: ${got.status} ${got.text}`;
    for (const [name, value] of Object.entries(got.headers))
      assert.match(String(value), /^[\t\x20-\x7e\x80-\xff]*$/, `${what}: ${name}`);
    assert.equal(got.headers["x-evil"] ?? got.headers["set-cookie"], undefined, what);
    assert.match(got.headers["content-type"], /^application\/json/, what);
    assert.equal(JSON.parse(got.text).evil, undefined, what);
  };

  test("in headers, in paths and in texts", async () => {
    ({ key } = await f.make("anna", { options: { store: "on", lossy: "report" }, usage: true }));
    for (const text of evils) {
      f.up.serve((x) => (x.method === "GET" ? x.answer(404, { error: { message: text } }) : answer(x, text)));
      const evil = encodeURIComponent(text);
      const latin = Buffer.from(evil.replace(/%0[0da]/gi, "\x85")).toString("latin1");
      for (const headers of [
        {},
        { "x-request-id": evil },
        { "x-request-id": latin, "request-id": latin },
        { "anthropic-version": latin, "anthropic-beta": latin, "openai-beta": latin },
        { "user-agent": latin, "idempotency-key": latin },
        { accept: latin, "content-type": latin, "x-stainless-a": latin },
      ]) {
        await Promise.all(
          PROTOCOLS.map((client) =>
            send("POST", PATHS[client], headers, smallest[client]({ model: text, user: text })),
          ),
        );
      }
      await Promise.all(
        [
          `/v1/models/${evil}`,
          `/v1/models/a?after=${evil}`,
          `/v1/${evil}`,
          `/v1/responses/${evil}/input_items`,
        ].map((path) => send("GET", path)),
      );
    }
    for (const x of f.up.requests) {
      assert.equal(x.headers["x-evil"], undefined);
      assert.match(x.path, /^\/v1\/[\x21-\x7e]*$/);
    }
  });

  test("none of it has made a line of the log, or a part of one", async () => {
    assert.ok(sent > 150, `${sent}`);
    const lines = () =>
      f
        .lines()
        .map((line) => JSON.parse(line))
        .filter(({ path }) => path !== "/");
    await until(() => lines().length >= sent + 1); // plus one request for making the endpoint
    assert.equal(lines().length, sent + 1);
    for (const line of lines())
      assert.ok(
        line.id !== "evil" && line.evil === undefined && line.method !== undefined,
        JSON.stringify(line),
      );
    for (const line of f.lines()) assert.match(line, /^\{.*\}$/s);
    assert.ok(
      !f
        .log()
        .some((line) =>
          /^\s*(\{"id"|x-evil|data:|set-cookie)/.test(typeof line === "string" ? line : line.message),
        ),
    );
  });
});
