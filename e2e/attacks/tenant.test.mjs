// What the user of a personal endpoint could try against its operator and against other users.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { gzipSync } from "node:zlib";
import { ADMIN_KEY, ENDPOINTS, attacked, hold } from "../lib/attacks.mjs";
import { answer } from "../lib/chat.mjs";
import { ask, open, params, textOf } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { dial, unfinished } from "../lib/sockets.mjs";
import { parse } from "../lib/sse.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { midnight, plain, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";

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

describe("Limits", () => {
  const f = suite();
  const limits = { concurrent_requests: 2 };
  const used = (n) => (kept) => kept.limits.concurrent_requests.used === n;
  const endpoint = (more) => f.endpoint({ options: { store: "on" }, upstreams: [through("anthropic", f.up)], limits, ...more });
  const send = ({ name, key }, path, { headers, ...options } = {}) =>
    open(f.url, { path: `/u/${name}${path}`, headers: { "anthropic-version": "2023-06-01", "x-api-key": key, ...headers }, ...options });
  const ask = async (e, path, options) => {
    const call = send(e, path, options);
    if (options.body === null) await call.write("{"); // the beginning of a body that does not end
    const reply = await call.reply;
    return { ...reply, text: (await whole(reply.body)).toString() };
  };
  const get = { method: "GET" };
  const refused = async (e) => {
    const before = f.up.requests.length;
    for (const [path, options] of [
      ["/v1/models", get],
      ["/v1/models/m", { method: "HEAD" }],
      ["/v1/responses/resp_1", get],
      ["/v1/responses/resp_1", { method: "DELETE" }],
      ["/v1/messages/count_tokens", { body: smallest.anthropic({}) }],
      ["/v1/messages", { body: null }],
    ]) {
      const { status, headers, text } = await ask(e, path, options);
      assert.equal(status, 429, text);
      assert.equal(headers["retry-after"], "5");
      if (options.method === "HEAD") continue;
      const { type, error } = JSON.parse(text);
      assert.match(error.message, /^The limit concurrent_requests of this endpoint, 2, is reached/);
      if (path.startsWith("/v1/messages")) assert.deepEqual([type, error.type], ["error", "rate_limit_error"]);
    }
    assert.equal(f.up.requests.length, before);
  };

  // Each kind opens a request, and returns it with a function that ends it well.
  const answered = (body) => (x) => x.answer(200, body);
  const slow = (path, options, answer) => async (e) => {
    const call = send(e, path, options);
    const x = await f.up.next();
    return { call, gone: x.gone, finish: () => answer(x) };
  };
  const begun = (path, options, parts) => async (e) => {
    const call = send(e, path, options);
    const x = await f.up.next();
    x.head(200, { "content-type": parts.length > 1 ? "text/event-stream" : "application/json" });
    await x.send(parts[0]);
    assert.equal((await call.reply).status, 200);
    return { call, gone: x.gone, finish: async () => (await x.send(parts.slice(1).join("") || " "), x.end()) };
  };
  const body = smallest.anthropic({ stream: true });
  const kinds = {
    "a body that does not end": async (e) => {
      const call = send(e, "/v1/chat/completions", { body: null, headers: { "content-length": 2 } });
      await call.write("{");
      return { call, finish: () => call.write("x") }; // that is no JSON, and gets 400
    },
    "a count of tokens": slow("/v1/messages/count_tokens", { body: smallest.anthropic({}) }, answered({ input_tokens: 1 })),
    "a list of models": slow("/v1/models", get, answered({ data: [] })),
    "a list of models whose body lasts": begun("/v1/models", get, ['{"data":[]}']),
    "a plain answer": slow("/v1/messages", { body: smallest.anthropic({}) }, answered(plain.anthropic())),
    "a stream": begun("/v1/messages", { body }, streamed.anthropic()),
    "a translated stream": async (e) => {
      const { call, finish, gone } = await begun("/v1/chat/completions", { body: smallest.chat({ stream: true }) }, streamed.anthropic())(e);
      return { call, finish, gone };
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

  test("whatever comes of a request, its place is free then", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 1, tokens_per_day: 1 } });
    f.up.serve((x) => {
      if (x.path.endsWith("/models/odd")) return x.answer(200, "odd", { "content-type": "application/json", "content-encoding": "x-odd" });
      return x.path.endsWith("/models") ? x.answer(200, { data: [] }) : says("anthropic")(x);
    });
    for (const [path, options, status] of [
      ["/v1/models", get, 200],
      ["/v1/models", { method: "HEAD" }, 200],
      ["/v1/models/odd", get, 200],
      ["/v1/responses/resp_1", get, 404],
      ["/v1/chat/completions", { body: "no JSON" }, 400],
      ["/v1/messages", { body: smallest.anthropic({}) }, 200], // more than the tokens of the day
      ["/v1/messages", { body: smallest.anthropic({}) }, 429],
    ]) {
      const answer = await ask(e, path, options);
      assert.equal(answer.status, status, answer.text);
      if (status === 429) assert.match(answer.text, /tokens_per_day/);
      await f.until(e, {}, used(0));
    }
    assert.equal(requestsOf(await f.usage(e)), 2, "requests to models; what is no JSON is refused before");
  });

  test("an instance that dies holds its place for a minute", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 1 } });
    f.up.serve((x) => x.answer(200, { data: [] }));
    const at = (seconds) => ({ "x-test-clock": String(midnight + seconds) });
    const died = await ask(e, "/v1/messages", { body: smallest.anthropic({}), headers: { ...at(0), "x-test-panic": "after" } });
    assert.equal(died.status, 500, died.text);
    assert.equal((await ask(e, "/v1/models", { ...get, headers: at(59) })).status, 429);
    assert.equal((await ask(e, "/v1/models", { ...get, headers: at(60) })).status, 200);
  });

  test("of 40 requests at once as many as the limit go on", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 3 } });
    const calls = Array.from({ length: 40 }, () => send(e, "/v1/models", get));
    const held = [await f.up.next(), await f.up.next(), await f.up.next()];
    let refusals = 0;
    const all = calls.map(async ({ reply }) => {
      const { status, body } = await reply;
      if (status === 429 && ++refusals === 37) for (const x of held) await x.answer(200, { data: [] });
      await whole(body);
      return status;
    });
    assert.equal((await Promise.all(all)).filter((status) => status === 200).length, 3);
    assert.equal(f.up.requests.length, 3);
  });

  // Each text is some 100 tokens.
  const words = "some words ".repeat(50);
  const asking = (client, more) => smallest[client]({ model: "m", stream: true, ...more });
  const spoken = (protocol) => streamed[protocol]().slice(0, -2).map((part) => part.replace('"ok"', JSON.stringify(words)));
  const cost = ({ limits }) => limits.tokens_per_day.used;
  const endings = {
    "is left by its client": async ({ x, call, body }) => {
      for (let text = ""; !text.includes("words"); text += (await body.next()).value) assert.notEqual(text, undefined);
      call.abort();
      await x.gone;
    },
    "is broken off by its upstream": async ({ x, body }) => {
      x.cut();
      await (async () => { while (!(await body.next()).done); })().catch(() => {});
    },
  };

  for (const protocol of PROTOCOLS) {
    // What comes before the count of tokens: Anthropic says the input at the beginning, others say nothing.
    const parts = spoken(protocol).slice(0, { anthropic: 3, chat: 3, responses: 4 }[protocol]);
    for (const [client, more] of [...PROTOCOLS.map((client) => [client]), ["chat", { stream_options: { include_usage: true } }]]) {
      for (const [ending, end] of Object.entries(endings)) {
        test(`a stream of ${client}${more ? " with usage" : ""} from ${protocol} that ${ending} counts`, async () => {
          const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits: { tokens_per_day: 150 } });
          for (const times of [1, 2]) {
            const call = f.send(client, e, { at: midnight, body: asking(client, more) });
            const x = await f.up.next();
            x.head();
            await x.send(parts.join(""));
            const { status, body } = await call.reply;
            assert.equal(status, 200);
            await end({ x, call, body: body[Symbol.asyncIterator]() });
            const told = protocol === "anthropic" ? 123 : 0;
            const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === times);
            assert.ok(cost(kept) > times * (told + 80) && cost(kept) < times * (told + 130), JSON.stringify(kept));
            if (cost(kept) >= 150) break;
          }
          const { status, text } = await f.ask(client, e, { at: midnight, body: asking(client, more) });
          assert.equal(status, 429, text);
          assert.match(text, /tokens_per_day/);
        });
      }
    }
  }

  for (const [what, client, body, least] of [
    ["a plain answer", "chat", (text) => ({ messages: [{ role: "user", content: text }] }), 80],
    ["a plain answer that is translated", "anthropic", (text) => ({ messages: [{ role: "user", content: text }] }), 80],
    ["30 MB that pass", "chat", (text) => ({ messages: [{ role: "user", content: text.repeat(60 << 10).slice(0, 30_000_000) }] }), 5_000_000],
  ]) {
    test(`${what} whose client leaves before it counts what was asked`, async () => {
      const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { tokens_per_day: 50 } });
      const call = f.send(client, e, { at: midnight, body: { model: "m", ...body(words) } });
      const x = await f.up.next();
      call.abort();
      await x.gone;
      const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 1);
      assert.ok(cost(kept) > least, JSON.stringify(kept));
      assert.deepEqual(kept.errors, []);
      assert.equal((await f.ask(client, e, { at: midnight })).status, 429);
    });
  }

  test("what an upstream refuses costs nothing, and one that never counts is estimated", async () => {
    const e = await f.endpoint({ upstreams: [through("chat", f.up)], limits: { tokens_per_day: 1000 } });
    const body = { model: "m", stream: true, messages: [{ role: "user", content: words }] };
    f.up.serve((x) => x.answer(400, { error: { message: "no" } }));
    for (const client of ["chat", "anthropic"]) assert.equal((await f.ask(client, e, { at: midnight, body })).status, 400);
    assert.equal(cost(await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2)), 0);
    f.up.serve((x) => x.stream(spoken("chat").concat("data: [DONE]\n\n")));
    assert.equal((await f.ask("anthropic", e, { at: midnight, body })).status, 200);
    const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 3);
    assert.ok(cost(kept) > 160 && cost(kept) < 260, JSON.stringify(kept));
  });
});

describe("Models", () => {
  const f = suite();
  const COUNTS = { anthropic: "/v1/messages/count_tokens", responses: "/v1/responses/input_tokens" };

  // bodyOf returns the smallest request of a client for the model "ok", with more behind its members, as text.
  const bodyOf = (client, more = "", model = '"ok"') => JSON.stringify(smallest[client]({ model: 0 })).replace('"model":0', `"model":${model}`).replace(/\}$/, `${more && ","}${more}}`);

  // What is put into a request, and the path that its refusal names.
  const members = [
    ['"Model":"forbidden"', "Model"],
    ['"MODEL":"forbidden"', "MODEL"],
    ['"model":"forbidden"', "model"],
    ['"mod\\u0065l":"forbidden"', "model"],
    ['"\\u004dodel":"forbidden"', "Model"],
    ['"mo_del":"forbidden"', "mo_del"],
    ['"models":["ok","forbidden"]', "models"],
    ['"mode\\u006cs":["forbidden"]', "models"],
    ['"Models":["forbidden"]', "Models"],
    ['"fallbacks":[{"model":"forbidden"}]', "fallbacks"],
    ['"fallbac\u212as":["forbidden"]', "fallbac\u212as"],
    ['"route":"fallback","x":"forbidden"', "route"],
    ['"preset":"forbidden"', "preset"],
    ['"providerOptions":{"gateway":{"models":["forbidden"]}}', "providerOptions"],
    ['"user_config":{"model_list":[{"model_name":"ok","litellm_params":{"model":"forbidden"}}]}', "user_config"],
    ['"tools":[{"type":"x"},{"type":"advisor_20260301","name":"advisor","model":"forbidden"}]', "tools[1].model"],
    ['"tools":[{"type":"openrouter:fusion","x":"forbidden"}]', "tools[0].type"],
    ['"tools":[{"type":"openrouter:image_generation","parameters":{"model":"forbidden"}}]', "tools[0].parameters"],
    ['"plugins":[{"id":"fusion","analysis_models":["forbidden"]}]', "plugins[0].id"],
    ['"Stream":true,"x":"forbidden"', "Stream"],
    ['"\u017ftream":true,"x":"forbidden"', "\u017ftream"],
    ['"\\u017ftream":true,"x":"forbidden"', "\u017ftream"],
    ['"stream":false,"stream":true,"x":"forbidden"', "stream"],
    ['"stream":true,"Stream_options":{"include_usage":false},"x":"forbidden"', "Stream_options"],
    ['"stream":true,"stream_options":{"include_usage":true,"Include_usage":false},"x":"forbidden"', "stream_options.Include_usage"],
  ];
  const attacks = (client) => [
    ...members.map(([more, path]) => ({ name: more, body: bodyOf(client, more), path })),
    { name: "another case, first", body: bodyOf(client).replace("{", '{"Model":"forbidden",'), path: "Model" },
    { name: "a list", body: bodyOf(client, "", '["ok","forbidden"]'), path: "model" },
    { name: "a list in a name", body: bodyOf(client, "", '"ok,forbidden"'), path: "model" },
    { name: "the query", body: bodyOf(client), query: "?beta=true&model=forbidden", path: "model" },
    { name: "the query, in another case", body: bodyOf(client), query: "?Model=forbidden", path: "Model" },
    { name: "the query, escaped", body: bodyOf(client), query: "?mod%65l=forbidden", path: "mod%65l" },
    ...["gzip", "GZIP", "zstd", "identity, gzip"].map((coding) => ({
      name: `a body of ${coding}`, body: gzipSync(bodyOf(client, "", '"forbidden"')), headers: { "content-encoding": coding }, status: 415, path: "content-encoding",
    })),
    { name: "UTF-16, which Python reads", body: Buffer.from(bodyOf(client, "", '"forbidden"'), "utf16le"), path: "not JSON" },
    { name: "two values", body: `${bodyOf(client)}${bodyOf(client, "", '"forbidden"')}`, path: "not JSON" },
  ];

  // readLikeGo returns the model that a server takes which Go's encoding/json reads for: the last member in any case.
  const readLikeGo = (text) => {
    let last;
    JSON.parse(text.replace(/"((?:[^"\\]|\\.)*)"\s*:/g, (all, key) => `"${JSON.parse(`"${key}"`).toLowerCase()}":`), function (key, value) {
      if (key === "model" && typeof value === "string") last = value;
      return value;
    });
    return last;
  };

  const send = ({ name, key }, path, { body, query = "", headers }) => ask(f.url, { path: `/u/${name}${path}${query}`, headers: { "x-api-key": key, ...headers }, body });
  const served = (protocol) => (x) => x.answer(200, /count_tokens|input_tokens/.test(x.path) ? { input_tokens: 1, object: "response.input_tokens" } : plain[protocol]());

  for (const client of PROTOCOLS) {
    for (const protocol of PROTOCOLS) {
      test(`${client} to ${protocol}: none but the allowed model reaches the upstream`, async () => {
        f.up.serve(served(protocol));
        const e = await f.endpoint({ upstreams: [through(protocol, f.up)], limits: { models: ["ok*"], concurrent_streams: 9 } });
        for (const path of [PATHS[client], client === protocol && COUNTS[client]].filter(Boolean)) {
          for (const attack of attacks(client)) {
            const { status, text } = await send(e, path, attack);
            for (const x of f.up.requests) assert.equal(readLikeGo(x.body.toString()), "ok", `${path}: ${attack.name}`);
            assert.equal(f.up.requests.length, 0, `${path}: ${attack.name}: ${status}`);
            assert.equal(status, attack.status ?? 400, `${path}: ${attack.name}: ${text}`);
            const { error, type } = JSON.parse(text);
            assert.equal(type, client === "anthropic" ? "error" : undefined);
            assert.equal(error.type, "invalid_request_error");
            const at = client === "anthropic" ? attack.path.replace(/\[(\d+)\]/, ".$1") : attack.path; // as Anthropic writes a path
            assert.ok(error.message.includes(at) || error.param === at, `${attack.name}: ${text}`);
          }
        }
      });
    }

    test(`${client}: what only counts takes other models, but no second one`, async () => {
      f.up.serve(served(client));
      for (const record of [{ usage: true }, { limits: { concurrent_streams: 9 } }]) {
        const e = await f.endpoint({ upstreams: [through(client, f.up)], ...record });
        f.up.requests.length = 0;
        assert.equal((await send(e, PATHS[client], { body: bodyOf(client, '"models":["a","b"],"route":"fallback"') })).status, 200);
        assert.equal(f.up.requests.length, 1);
        for (const more of ['"Model":"b"', '"Stream":true', '"stream":false,"stream":true']) assert.equal((await send(e, PATHS[client], { body: bodyOf(client, more) })).status, 400);
        assert.equal(f.up.requests.length, 1);
      }
    });

    test(`${client}: honest requests pass byte for byte`, async () => {
      f.up.serve(served(client));
      const e = await f.endpoint({ upstreams: [through(client, f.up)], limits: { models: ["ok*"] } });
      const schema = '{"type":"object","properties":{"model":{"type":"string"},"Model":{},"models":{"type":"array"}}}';
      for (const more of [
        "",
        ' "models" : [] , "fallbacks":null,"metadata":{"model":"a","Model":"b"}',
        `"tools":[{"type":"function","name":"f","parameters":${schema},"function":{"name":"model","parameters":${schema}}},{"name":"models","input_schema":${schema}}],"tool_choice":"auto"`,
        '"stream":false,"stream_options":null',
        '"x":[{"model":"a","model":"b"},"Model"]',
      ]) {
        const body = bodyOf(client, more);
        assert.equal((await send(e, PATHS[client], { body, query: "?beta=true&x=model" })).status, 200, more);
        assert.equal(f.up.requests.at(-1).body.toString(), body);
      }
    });

    test(`${client}: without limits all of it passes as it is`, async () => {
      f.up.serve(served(client));
      const e = await f.endpoint({ upstreams: [through(client, f.up)] });
      for (const attack of attacks(client)) {
        assert.equal((await send(e, PATHS[client], attack)).status, 200, attack.name);
        assert.deepEqual(f.up.requests.at(-1).body, Buffer.from(attack.body), attack.name);
      }
    });
  }
});

describe("ALLOW_HTTP_UPSTREAM", () => {
  const SEAL_KEY = Buffer.alloc(32, 7).toString("base64");

  test("only true lets an endpoint have a local upstream, and other words are an error", async (t) => {
    const up = await upstream();
    t.after(() => up.close());
    up.serve((x) => x.answer(200, plain.chat()));
    const record = { upstreams: [through("chat", up)] };
    for (const [word, refusal] of [["true", undefined], ["false", /must begin with https/], ...["False", "off", "0.0", ""].map((word) => [word, /ALLOW_HTTP_UPSTREAM must be true or false/])]) {
      up.renew();
      up.serve((x) => x.answer(200, plain.chat()));
      const config = { ADMIN_KEY, SEAL_KEY, ALLOW_HTTP_UPSTREAM: word };
      if (TARGET === "wazero" && /ALLOW/.test(refusal)) {
        await assert.rejects(start(config, { faults: true }), refusal, "the host does not start");
        continue;
      }
      const target = await start(config, { faults: true, state: true });
      try {
        const key = await enroll(target.url, "anna", record);
        const { status, text } = await ask(target.url, { path: `/u/anna${PATHS.chat}`, headers: { "x-api-key": key }, body: smallest.chat() });
        assert.equal(status, refusal ? 500 : 200, `${word}: ${text}`);
        if (refusal) assert.match(text, refusal);
        const admin = { authorization: `Bearer ${ADMIN_KEY}` };
        const made = await ask(target.url, { path: "/admin/api/endpoints", headers: admin, body: { name: "made", ...record } });
        assert.equal(made.status, !refusal ? 201 : word === "false" ? 400 : 500, made.text);
        if (refusal) assert.match(made.text, refusal);
        const tried = await ask(target.url, { path: "/admin/api/endpoints/anna/test", headers: admin, body: {} });
        if (refusal) assert.match(tried.text, refusal);
        assert.equal(up.requests.length, refusal ? 0 : 2);
      } finally {
        await target.close();
      }
    }
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

describe("Places", { skip: TARGET !== "wazero" && "Cloudflare shares out its machines itself" }, () => {
  const PLACES = 8; // of one endpoint; all of them together have a quarter more
  const ADMIN_KEY = "admin-key-of-the-tests";
  const keys = {};
  let slow, quick, target;
  before(async () => {
    [slow, quick] = [await upstream(), await upstream()];
    const config = { ...defaults(quick.url), ALLOW_HTTP_UPSTREAM: "true", ADMIN_KEY };
    target = await start(config, { faults: true, state: true, flags: ["--max-concurrent", String(PLACES)] });
    const through = (up, protocol) => ({ upstreams: [{ name: "up", protocol, url: protocol === "chat" ? up.url : up.url.replace("/v1", "") }] });
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
    while ((await (await fetch(`${target.url}/healthz`)).json()).open_requests !== n);
  };

  const whole = (method, path, body = "") => (key) => `${method} /u/anna${path} HTTP/1.1\r\nhost: test\r\nx-api-key: ${key}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
  const ways = {
    "counts of tokens on a slow upstream": whole("POST", "/v1/messages/count_tokens", JSON.stringify(params())),
    "lists of models of a slow upstream": whole("GET", "/v1/models"),
    "one model of a slow upstream": whole("GET", "/v1/models/m"),
    "answers of a slow upstream": whole("POST", "/v1/messages", JSON.stringify(params())),
    "bodies that it holds back": (key) => unfinished("/u/anna/v1/messages", { "x-api-key": key }),
    "bodies that it holds back, by the key in the path": (key) => unfinished(`/k/${key}/v1/messages`),
    "bodies that it holds back from the owner's API": (key) => unfinished("/u/anna/api/rotate", { "x-api-key": key }),
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

      // All places are taken, and one is given back: the endpoint with many does not get it, who has none does.
      for (let i = 0; i < 2; i++) others.push(await dial(target.url, unfinished("/u/ben/v1/messages", { "x-api-key": keys.ben })));
      await opened(PLACES + 2);
      held.pop().close();
      await opened(PLACES + 1);
      const share = await ask("/u/anna/v1/messages", { "x-api-key": keys.anna });
      assert.equal(share.status, 529, share.text);
      assert.match(JSON.parse(share.text).error.message, /share/);
      assert.equal((await ask("/v1/messages")).status, 200);
      const made = await open(target.url, { path: "/admin/api/endpoints", method: "GET", headers: { "x-api-key": ADMIN_KEY } }).reply;
      assert.equal(made.status, 200, await textOf(made.body));
      for (const conn of [...held, ...others]) conn.close();
      await opened(0);
    });
  }

  test("a target that is no path names nobody's place", async () => {
    const targets = ["x::80/u/anna/v1/messages", "x:/u/anna", "*", "http:u/anna/v1/messages"].map((to) => unfinished(to, { "x-api-key": keys.anna }));
    for (const text of targets) {
      const conn = await dial(target.url, text);
      assert.ok([400, 404, 405].includes((await conn.answer()).status), text);
      conn.close();
    }
    await opened(0);
  });
});
