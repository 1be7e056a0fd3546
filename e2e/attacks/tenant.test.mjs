// What the user of a personal endpoint could try against its operator and against other users.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { gzipSync } from "node:zlib";
import { ADMIN_KEY, ENDPOINTS, attacked, hold, raw } from "../lib/attacks.mjs";
import { answer } from "../lib/chat.mjs";
import { ask, open, params, textOf } from "../lib/client.mjs";
import { enroll, hashOf, keyOf } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { dial, unfinished } from "../lib/sockets.mjs";
import { parse } from "../lib/sse.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest, upstreams } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { midnight, plain, requestsOf, says, streamed, suite, through, whole } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

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
    ['"input":[{"type":"additional_tools","tools":[{"type":"image_generation","model":"forbidden"}]}]', "input[0].tools[0].model"],
    ['"messages":[{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"type":"advisor_20260301","model":"forbidden"}}}]}]',
      "messages[0].content[0].tool.definition.model"],
    ['"deployment_id":"forbidden"', "deployment_id"],
    ['"engine":"forbidden"', "engine"],
    ['"router_settings_override":{"fallbacks":[{"ok":["forbidden"]}]}', "router_settings_override"],
    ['"extra_body":{"model":"forbidden"}', "extra_body.model"],
    ['"extra_body":{"tools":[{"type":"image_generation","model":"forbidden"}]}', "extra_body.tools"],
    ['"background":true,"x":"forbidden"', "background"],
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
    { name: "the query, badly escaped", body: bodyOf(client), query: "?mod%el=forbidden", path: "mod%el" },
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
            const at = client === "anthropic" ? attack.path.replace(/\[(\d+)\]/g, ".$1") : attack.path; // as Anthropic writes a path
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
        for (const more of ['"Model":"b"', '"Stream":true', '"stream":false,"stream":true', '"extra_body":{"model":"b"}', '"background":true']) assert.equal((await send(e, PATHS[client], { body: bodyOf(client, more) })).status, 400);
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
        '"stream":false,"stream_options":null,"background":false,"extra_body":{"google":{"model":"a"}}',
        '"x":[{"model":"a","model":"b"},"Model"]',
      ]) {
        const body = bodyOf(client, more);
        assert.equal((await send(e, PATHS[client], { body, query: "?beta=true&x=model&x%5B%5D=1" })).status, 200, more);
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
        for (const path of ["/endpoints/anna/models", "/endpoints/anna/test", "/models", "/test"]) { // and none of a draft
          if (!refusal) break;
          const draft = await ask(target.url, { path: `/admin/api${path}`, headers: admin, body: { draft: record } });
          assert.equal(draft.status, word === "false" ? 400 : 500);
          assert.match(draft.text, refusal);
        }
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
    await until(async () => (await (await fetch(`${target.url}/healthz`)).json()).open_requests === n);
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

describe("Tenancy", () => {
  const f = attacked();
  const settings = { options: { store: "on", required_action: "on" }, usage: true, limits: { requests_per_minute: 5000, concurrent_requests: 500 } };
  const names = ["anna", "bert"];
  const keys = {};
  const all = {}; // what each tenant can name of what is its own: a stored response, an item of it, a key's id
  const forms = (key) => [{ "x-api-key": key }, { authorization: `Bearer ${key}` }, { "x-api-key": key, authorization: `Bearer ${keys.anna}` }];
  const send = async (method, path, headers, body) => {
    const { text, ...got } = await ask(f.url, { method, path, headers, body });
    return { ...got, text, json: text && JSON.parse(text) };
  };

  const made = (name) => f.make(name, { ...settings, upstreams: [through("chat", f.up, { key: `sk-of-${name}-0123456789`, models: [`${name}-model`] })], key: { label: `label of ${name}` } });
  test("two tenants, each with a stored response", async () => {
    for (const name of names) {
      keys[name] = (await made(name)).key;
      f.up.serve((x) => x.answer(200, calling(name)));
      const { status, json, text } = await send("POST", `/u/${name}/v1/responses`, { "x-api-key": keys[name] }, { model: `${name}-model`, input: `secret of ${name}`, tools: [{ type: "function", name: "look", parameters: {}, strict: false }] });
      assert.equal(status, 200, text);
      all[name] = { response: json.id, item: json.output[0].id, key: (await f.admin("GET", `/${name}`)).keys[0].id };
    }
  });
  const calling = (name) => ({ ...plain.chat(), choices: [{ index: 0, finish_reason: "tool_calls", message: { role: "assistant", content: `hello ${name}`, tool_calls: [{ id: "call_1", type: "function", function: { name: "look", arguments: "{}" } }] } }] });

  // Every route of an endpoint, as [method, path, body]: id is a stored response, and more goes into the body of a request to a model.
  const routes = (id, model, more) => [
    ...Object.entries(PATHS).flatMap(([client, path]) => [[ "POST", path, smallest[client]({ model, ...more }) ], ["POST", path, smallest[client]({ model, stream: true })]]),
    ["POST", "/v1/messages/count_tokens", smallest.anthropic({ model })],
    ["POST", "/v1/responses/input_tokens", smallest.responses({ model })],
    ["GET", "/v1/models"],
    ["HEAD", "/v1/models"],
    ["GET", `/v1/models/${model}`],
    ["GET", `/v1/responses/${id}`],
    ["HEAD", `/v1/responses/${id}/`],
    ["GET", `/v1/responses/${id}?stream=true&include[]=reasoning.encrypted_content`],
    ["GET", `/v1/responses/${id}/input_items?limit=100`],
    ["POST", `/v1/responses/${id}/submit_tool_outputs`, { tool_outputs: [{ tool_call_id: "call_1", output: "x" }] }],
    ["POST", `/v1/responses/${id}/cancel`, {}],
    ["DELETE", `/v1/responses/${id}`],
  ];
  const own = [["GET", "/api"], ["GET", "/api/usage?days=90"], ["POST", "/api/rotate", {}]];
  const constant = ({ date, "x-request-id": id, "request-id": again, "server-timing": timing, ...rest }) => rest;
  // seen is what there is of anna: nothing that bert does may change it.
  const seen = async () => JSON.stringify([await f.admin("GET", "/anna"), await f.admin("GET", "/anna/usage"), (await send("GET", `/u/anna/v1/responses/${all.anna.response}`, { "x-api-key": keys.anna })).json]);

  test("a key of another endpoint is a wrong key, wherever it is presented", async () => {
    const before = await seen();
    const asked = f.up.requests.length;
    let checks = 0;
    for (const [method, path, body] of [...routes(all.anna.response, "anna-model"), ...own]) {
      const wrongs = [];
      for (const headers of forms(keyOf("anna"))) wrongs.push(await send(method, `/u/anna${path}`, headers, body));
      for (const key of [keys.bert, keys.bert.replace("_bert_", "_anna_"), hashOf(keys.anna), all.anna.key, "sk-of-anna-0123456789"]) {
        for (const [i, headers] of forms(key).entries()) {
          const got = await send(method, `/u/anna${path}`, headers, body);
          assert.deepEqual([got.status, got.text, constant(got.headers)], [401, wrongs[i].text, constant(wrongs[i].headers)], `${method} ${path}`);
          checks++;
        }
      }
      if (own.some(([, at]) => at === path)) continue;
      const at = await send(method, `/k/${keys.bert.replace("_bert_", "_anna_")}${path}`, { "x-api-key": keys.anna }, body);
      assert.deepEqual([at.status, at.text], [401, wrongs[0].text], `${method} ${path}`);
      checks++;
    }
    for (const [method, path] of [["GET", ""], ["GET", "/anna"], ["PATCH", "/anna"], ["DELETE", "/anna"], ["POST", "/anna/keys"], ["DELETE", `/anna/keys/${all.anna.key}`], ["POST", "/anna/rotate"], ["POST", "/anna/test"], ["POST", "/anna/models"], ["GET", "/anna/usage"], ["GET", "/bert"], ["PATCH", "/bert"]]) {
      for (const headers of forms(keys.bert)) {
        // Each at a minute of its own, since attempts at ADMIN_KEY are limited.
        const { status } = await send(method, ENDPOINTS + path, { ...headers, "x-test-clock": String(midnight + 60 * checks) }, /POST|PATCH/.test(method) ? {} : undefined);
        assert.equal(status, 401, `${method} ${path}`);
        checks++;
      }
    }
    assert.ok(checks > 320, `${checks}`);
    assert.equal(f.up.requests.length, asked);
    assert.equal(await seen(), before);
  });

  test("what is stored at one endpoint is not there at another, by any name", async () => {
    const before = await seen();
    f.up.serve(says("chat"));
    const mine = { "x-api-key": keys.bert };
    const { response, item } = all.anna;
    const ids = [response, response.toUpperCase(), `anna/${response}`, `..%2f..%2f..%2fanna%2fv1%2fresponses%2f${response}`, `${response}%00`, `${response}' OR '1'='1`.replaceAll(" ", "%20"), `%25`, "resp_%25", "*", item];
    for (const id of ids) {
      for (const base of ["/u/bert", `/k/${keys.bert}`]) {
        for (const [method, path, body] of routes(id, "bert-model").filter(([, path]) => path.startsWith("/v1/responses/") && !path.includes("input_tokens"))) {
          const { status, text } = await send(method, base + path, mine, body);
          assert.ok([400, 404].includes(status), `${method} ${path}: ${status} ${text}`);
          assert.ok(!text.includes("secret of anna") && !text.includes("hello anna"), text);
        }
      }
    }
    const asked = f.up.requests.length;
    for (const more of [
      { previous_response_id: response },
      { previous_response_id: response.toUpperCase() },
      { previous_response_id: `${response}' OR 1=1 --` },
      { previous_response_id: `endpoint:anna/${response}` },
      { previous_response_id: item },
      { input: [{ type: "item_reference", id: item }] },
      { input: [{ type: "item_reference", id: response }] },
      { input: [{ id: item }] },
      { input: [{ type: "function_call_output", call_id: "call_1", output: "x" }], previous_response_id: response },
      { conversation: response },
    ]) {
      for (const stream of [false, true]) {
        const { status, text } = await send("POST", "/u/bert/v1/responses", mine, { model: "bert-model", input: "q", stream, ...more });
        assert.ok([400, 404].includes(status), `${JSON.stringify(more)}: ${status} ${text}`);
        assert.ok(!text.includes("secret of anna") && !text.includes("hello anna"), text);
      }
    }
    for (const model of ["anna/anna-model", "anna-model", "../anna/x", "endpoint:anna"]) {
      const { status } = await send("POST", "/u/bert/v1/chat/completions", mine, smallest.chat({ model }));
      assert.equal(status, 404, model);
    }
    assert.equal(f.up.requests.length, asked);
    const own = JSON.stringify([await send("GET", "/u/bert/api", mine), await send("GET", "/u/bert/api/usage", mine), await send("GET", "/u/bert/v1/models", mine)]);
    assert.ok(!own.includes("anna"), own);
    assert.equal(await seen(), before);
  });

  for (const client of PROTOCOLS) {
    test(`a request of ${client} without a body is no other question to the upstream`, async () => {
      // OpenAI answers GET /v1/chat/completions with what the whole account has stored.
      const made = await f.make(`empty-${client}`, { upstreams: [through(client, f.up, { key: "sk-of-the-upstream" })] });
      f.up.serve((x) => x.answer(x.method === "POST" ? 400 : 200, { error: { message: "empty", type: "invalid_request_error" }, data: [] }));
      for (const path of [PATHS[client], "/v1/messages/count_tokens", "/v1/responses/input_tokens"]) {
        for (const headers of [{ "content-length": "0" }, { "transfer-encoding": "chunked" }, { "content-length": "0", "x-http-method-override": "GET" }]) {
          const { status, text } = await send("POST", `/u/empty-${client}${path}?limit=100`, { "x-api-key": made.key, ...headers }, "");
          assert.equal(status, 400, text);
        }
      }
      for (const { method, headers } of f.up.requests) assert.deepEqual([method, headers["x-http-method-override"]], ["POST", undefined]);
    });
  }

  test("what is sealed opens nowhere else", async () => {
    const get = async (name) => JSON.parse((await f.state.get(`endpoint:${name}`)).value.toString());
    const up = (name, more) => through("chat", f.up, { name, key: `sk-of-${name}-of-the-upstream`, ...more });
    const { key } = await f.make("carl", { upstreams: [up("one"), up("two", { models: ["two"] })] });
    const other = await f.make("dora", { upstreams: [up("one"), up("two")] });
    const [carl, dora] = [await get("carl"), await get("dora")];
    const swapped = {
      "the record of another endpoint": ["dora", carl, key],
      "the record of another endpoint, with the own keys": ["dora", { ...carl, keys: dora.keys }, other.key],
      "another endpoint's key": ["carl", { ...carl, upstreams: [{ ...carl.upstreams[0], key: dora.upstreams[0].key }] }, key],
      "the key of another upstream": ["carl", { ...carl, upstreams: [{ ...carl.upstreams[0], key: carl.upstreams[1].key }] }, key],
      "another host": ["carl", { ...carl, upstreams: [{ ...carl.upstreams[0], url: carl.upstreams[0].url.replace("127.0.0.1", "localhost") }] }, key],
      "another port": ["carl", { ...carl, upstreams: [{ ...carl.upstreams[0], url: "http://127.0.0.1:1/v1" }] }, key],
      "another name": ["carl", { ...carl, upstreams: [{ ...carl.upstreams[0], name: "two" }] }, key],
    };
    for (const [what, [name, record, key]] of Object.entries(swapped)) {
      await f.state.put(`endpoint:${name}`, JSON.stringify(record));
      const { status, text } = await f.ask(name, key);
      assert.equal(status, 500, `${what}: ${text}`);
      assert.match(text, /can't be opened/, what);
      assert.doesNotMatch(text, /sk-of|v1\./, what);
    }
    assert.equal(f.up.requests.length, 0);
    await f.state.put("endpoint:carl", JSON.stringify(carl));
    assert.equal((await f.ask("carl", key)).status, 200);
  });

  test("no key is at rest as it is, in KV, in objects or in the log", async () => {
    const secrets = [ADMIN_KEY, ...Object.values(keys), ...names.map((name) => `sk-of-${name}-0123456789`)];
    const rotated = await f.call("POST", "/u/anna/api/rotate", { key: keys.anna, body: { grace: 60 } });
    secrets.push(rotated.json.key, (await f.admin("POST", "/anna/keys", {})).key, (await f.admin("POST", "/bert/rotate", {})).key);
    f.up.serve((x) => x.answer(401, { error: { message: `wrong key ${x.headers.authorization}`, type: "invalid_request_error" } }));
    await f.admin("POST", "/anna/test", {});
    await f.call("POST", `/k/${rotated.json.key}/v1/chat/completions`, { key: "", body: smallest.chat({ model: "anna-model" }) });
    let dump = JSON.stringify([f.log(), f.lines()]);
    for (const { name } of (await f.state.list({})).keys) dump += JSON.stringify(await f.state.get(name).then(({ value, metadata }) => [value.toString(), metadata]));
    const tables = {};
    for (const name of names) {
      const object = `endpoint:${name}`;
      for (const [table] of (await f.state.batch(object, ["SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'"]))[0]) {
        const rows = (await f.state.batch(object, [`SELECT * FROM "${table}"`]))[0];
        tables[table] = rows.length;
        dump += JSON.stringify(rows) + rows.flat().map((v) => (Buffer.isBuffer(v) ? v.toString("latin1") : "")).join();
      }
    }
    assert.ok(tables.responses > 0 && tables.endpoint_record > 0 && Object.keys(tables).some((table) => table.startsWith("usage")), JSON.stringify(tables));
    assert.match(dump, /secret of anna/); // conversations are stored in the clear, as SECURITY.md says
    for (const secret of secrets) {
      assert.equal(typeof secret, "string");
      for (const form of [secret, secret.replace(/^el_[^_]*_/, ""), encodeURIComponent(secret), Buffer.from(secret).toString("base64"), Buffer.from(secret).toString("hex")]) assert.ok(!dump.includes(form), form);
    }
  });
});

describe("Injections", () => {
  const f = attacked();
  // What could begin another header, line of a log, event, document or statement where a text is not kept apart from what is around it.
  const evils = [
    "\r\nx-evil: 1\r\n\r\n",
    "\nset-cookie: evil=1",
    "\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil",
    '\n{"id":"evil","status":200}\n',
    "\n\nevent: evil\ndata: {\"evil\":1}\n\n",
    "\r\rdata: [DONE]\r\r",
    '"},"evil":1,"x":{"y":"',
    '\\"}\\u000a\\',
    "\u2028\u2029\u0085data: evil\u2028\u2028",
    "</script><script>evil()</script><img src=x onerror=evil()>",
    "\u0000\u0001\u001b[2J\u001b]0;evil\u0007\u009b31m\u007f",
    "\u202eevil\u2066\u200b\ufeff\ud800",
    "'; DROP TABLE responses; -- \" OR 1=1",
    "${evil} {{evil}} %0d%0ax-evil:%201 %s%n $(evil) `evil`",
    "__proto__",
  ];
  const known = /^(content-(type|length|security-policy)|transfer-encoding|connection|keep-alive|date|(x-)?request-id|x-upstream-request-id|server-timing|cache-control|allow|x-(should-retry|content-type-options)|retry-after|cross-origin-resource-policy|x-edgelingua-\w+|www-authenticate|vary)$/;

  // harmless asserts that an answer is one in form: known headers alone, each of one line, and JSON or events of JSON.
  const harmless = ({ headers, text }, what) => {
    for (const [name, value] of Object.entries(headers)) {
      assert.match(name, known, what);
      assert.match(String(value), /^[\t\x20-\x7e\x80-\xff]*$/, `${what}: ${name}`);
    }
    assert.ok(!/evil/.test(headers["set-cookie"] ?? ""), what);
    if (/^text\/event-stream/.test(headers["content-type"])) {
      for (const event of text.split("\n\n").filter((event) => event !== "")) {
        for (const line of event.split(/\r\n|\r|\n/)) {
          assert.match(line, /^(event: [\w.]+|data: (\{.*\}|\[DONE\])|:.*)$/s, `${what}: ${JSON.stringify(line)}`);
          if (line.startsWith("data: {")) assert.equal(JSON.parse(line.slice(6)).evil, undefined, what);
        }
      }
      return text.match(/^event: \S+|^data: \[DONE\]/gm)?.join() ?? "";
    }
    assert.match(headers["content-type"], /^application\/json/, what);
    const value = JSON.parse(text);
    assert.equal(value.evil ?? value.error?.evil, undefined, what);
    return Object.keys(value).sort().join();
  };

  let keys = {};
  const made = async () => {
    for (const protocol of PROTOCOLS) keys[protocol] ??= (await f.make(protocol, { upstreams: [through(protocol, f.up, { key: "sk-of-the-upstream" })], options: { store: "on", lossy: "report" }, usage: true })).key;
  };
  // send sends a request and counts it, so that every line of the log can be told to be one of its own.
  let sent = 0;
  const send = async (what, protocol, { method = "POST", path, headers, body }) => {
    sent++;
    const got = await raw(f.url, { method, path: `/u/${protocol}${path}`, headers: { "x-api-key": keys[protocol], ...headers }, body: body && Buffer.from(JSON.stringify(body)) });
    return harmless(got, `${what}: ${got.status} ${got.text}`);
  };
  const turn = (evil) => ({ text: evil, reasoning: [{ text: evil, blob: "c2ln" }], calls: [{ id: `call_${evil}`, name: `look${evil}`, input: { [evil]: evil } }], usage: { input: 1, cached: 0, output: 1 } });
  // A request of each protocol, all of whose texts are evil.
  const asking = {
    anthropic: (evil) => smallest.anthropic({ model: evil, system: evil, metadata: { user_id: evil }, stop_sequences: [evil], [evil]: evil, tools: [{ name: evil, description: evil, input_schema: { type: "object", properties: { [evil]: { type: "string" } } } }], messages: [{ role: "user", content: evil }] }),
    chat: (evil) => smallest.chat({ model: evil, user: evil, stop: [evil], [evil]: evil, tools: [{ type: "function", function: { name: evil, description: evil, parameters: { type: "object", properties: { [evil]: { type: "string" } } } } }], messages: [{ role: "user", name: evil, content: evil }] }),
    responses: (evil) => smallest.responses({ model: evil, instructions: evil, user: evil, metadata: { [evil]: evil }, [evil]: evil, tools: [{ type: "function", name: evil, parameters: { type: "object", properties: { [evil]: { type: "string" } } }, strict: false }], input: evil }),
  };

  for (const protocol of PROTOCOLS) {
    test(`in texts of clients and of an upstream that speaks ${protocol}`, async () => {
      await made();
      const kinds = PROTOCOLS.flatMap((client) => [false, true].map((stream) => ({ client, stream, shapes: new Set() })));
      const each = (what, body) => Promise.all(kinds.map(async (kind) => [kind, await send(`${what} ${kind.client}`, protocol, { path: PATHS[kind.client], body: body(kind) })]));
      const plainly = ({ client, stream }) => smallest[client]({ stream });
      for (const evil of ["plain", ...evils]) {
        f.up.serve((x) => upstreams[protocol].play(x, turn(evil)));
        for (const [{ shapes }, shape] of await each(`${JSON.stringify(evil)} in an answer to`, plainly)) shapes.add(shape);
        f.up.serve((x) => x.answer(400, { error: { type: evil, message: evil, code: evil, param: evil }, request_id: evil }));
        await each(`${JSON.stringify(evil)} in an error to`, plainly);
        f.up.serve((x) => upstreams[protocol].play(x, { ...turn("ok"), reasoning: [], calls: [] }));
        await each(`${JSON.stringify(evil)} in a request of`, ({ client, stream }) => ({ ...asking[client](evil), stream }));
      }
      for (const { client, shapes } of kinds) if (client !== protocol) assert.equal(shapes.size, 1, [...shapes].join("\n"));
      for (const x of f.up.requests) {
        assert.ok(Object.values(PATHS).includes(x.path), x.path);
        assert.equal(x.headers["x-evil"], undefined);
        JSON.parse(x.body);
      }
    });
  }

  test("in headers, in paths and in settings", async () => {
    await made();
    f.up.serve((x) => (x.method === "GET" ? x.answer(404, { error: { message: "none" } }) : answer(x, "ok")));
    const printable = evils.filter((_, i) => i % 2 === 0).map((evil) => encodeURIComponent(evil.replace("\ud800", "")));
    for (const evil of printable) {
      const latin = Buffer.from(evil.replace(/%0[0da]/gi, "\x85")).toString("latin1");
      for (const headers of [{ "x-request-id": evil }, { "x-request-id": latin, "request-id": latin }, { "anthropic-version": latin, "anthropic-beta": latin, "openai-beta": latin }, { "user-agent": latin, "idempotency-key": latin }, { accept: latin, "content-type": latin, "x-stainless-a": latin }]) {
        await Promise.all(PROTOCOLS.map((client) => send(`headers ${JSON.stringify(headers)}`, "chat", { path: PATHS[client], headers, body: smallest[client]() })));
      }
      const paths = [`/v1/models/${evil}`, `/v1/models/a?after=${evil}`, `/v1/${evil}`, `/v1/responses/${evil}`, `/v1/responses/${evil}/input_items`];
      await Promise.all(paths.map((path) => send(path, "responses", { method: "GET", path })));
    }
    for (const x of f.up.requests) {
      assert.equal(x.headers["x-evil"], undefined);
      assert.match(x.path, /^\/v1\/[\x21-\x7e]*$/);
    }
    for (const evil of evils.filter((_, i) => i % 2 === 0)) {
      const upstreams = (more) => [{ ...through("chat", f.up), ...more }];
      for (const [method, path, body] of [
        ["POST", "", { name: `a${evil}`, upstreams: upstreams() }],
        ["POST", "", { name: "new", upstreams: upstreams({ name: `a${evil}` }) }],
        ["PATCH", "/chat", { upstreams: upstreams({ headers: { "x-a": `a${evil}` } }) }],
        ["PATCH", "/chat", { upstreams: upstreams({ headers: { [`x-a${evil}`]: "a" } }) }],
        ["PATCH", "/chat", { upstreams: upstreams({ key: `a${evil}` }) }],
        ["PATCH", "/chat", { upstreams: upstreams({ url: `${f.up.url}/${evil}` }) }],
        ["PATCH", "/chat", { upstreams: upstreams({ models: { [evil]: evil } }) }],
        ["PATCH", "/chat", { limits: { models: [evil] } }],
        ["POST", "/chat/keys", { label: evil }],
        ["GET", `/${encodeURIComponent(evil.replace("\ud800", ""))}`],
        ["DELETE", `/chat/keys/${encodeURIComponent(evil.replace("\ud800", ""))}`],
      ]) {
        sent++;
        const got = await raw(f.url, { method, path: ENDPOINTS + path, headers: { "x-api-key": ADMIN_KEY }, body: body && Buffer.from(JSON.stringify(body)) });
        const what = `${method} ${path} ${JSON.stringify(body)}: ${got.status} ${got.text}`;
        harmless(got, what);
        assert.ok(got.status < 500, what);
        if (got.status < 300) {
          if (body.limits) await f.admin("PATCH", "/chat", { limits: null }).then(() => sent++);
          else if (body.upstreams) {
            // What is accepted goes to the upstream as one header, and in one path.
            f.up.renew();
            f.up.serve((x) => x.answer(404, { error: { message: "none" } }));
            await send(what, "chat", { path: PATHS.chat, body: smallest.chat() });
            for (const x of f.up.requests) assert.ok(x.headers["x-evil"] === undefined && x.headers["set-cookie"] === undefined && x.method === "POST", what);
          } else if (got.status === 201) await f.admin("DELETE", `/chat/keys/${JSON.parse(got.text).keys.at(-1).id}`).then(() => sent++);
        }
      }
    }
  });

  test("none of it has made a line of the log, or a part of one", async () => {
    assert.ok(sent > 532, `${sent}`);
    const lines = () => f.lines().map((line) => JSON.parse(line)).filter(({ path }) => path !== "/");
    const made = PROTOCOLS.length;
    await until(() => lines().length >= sent + made);
    assert.equal(lines().length, sent + made);
    for (const line of lines()) assert.ok(line.id !== "evil" && line.evil === undefined && line.method !== undefined, JSON.stringify(line));
    for (const line of f.lines()) assert.match(line, /^\{.*\}$/s);
    assert.ok(!f.log().some((line) => /^\s*(\{"id"|x-evil|data:|set-cookie)/.test(typeof line === "string" ? line : line.message)));
    assert.ok((await f.state.batch("endpoint:responses", ["SELECT id FROM responses"]))[0].length > 0); // which somebody would have dropped
  });
});
