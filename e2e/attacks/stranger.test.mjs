// Attacks by somebody without any key, as far as the runtime or the local host defends against
// them. The tests of the program's own defense are in worker/serve.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { ADMIN_KEY, SEAL_KEY, attacked, config, raw } from "../lib/attacks.mjs";
import { answer } from "../lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, ask, open, params, textOf } from "../lib/client.mjs";
import { enroll, hashOf, keyOf } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { dial, unfinished } from "../lib/sockets.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { plain, through } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";
import { serveWorkerd } from "../lib/workerd.mjs";

test("a page of this deployment is fetched for a model", async (t) => {
  const target = await start({ ...defaults("http://127.0.0.1:9/v1"), ...config });
  t.after(() => target.close());
  const paths = ["/", "/healthz", "/admin", "/page/app.wasm", "/u/anna", "/v1/models", "/u/anna/v1/models"];
  for (const path of paths) {
    const headers = { accept: "text/html,text/plain;q=0.9,*/*;q=0.5", "user-agent": "edgelingua" };
    const refused = await fetch(target.url + path, { headers });
    assert.equal(refused.status, 403, path);
    assert.match((await refused.json()).error.message, /no webpage for a model/);
    const status = path.includes("models") ? 401 : TARGET === "workerd" && path === "/healthz" ? 404 : 200;
    const others = await fetch(target.url + path, { headers: { ...headers, "user-agent": "edgelingua/1" } });
    assert.equal(others.status, status, path);
    await others.body.cancel();
  }
});

describe("workerd's network", { skip: TARGET !== "workerd" }, () => {
  // shown has the configuration in docs/self-hosting.md, open the same with a network that reaches
  // every address.
  const shown = async () => {
    const page = await readFile(new URL("../../docs/self-hosting.md", import.meta.url), "utf8");
    const [services, worker] = [...page.matchAll(/^```capnp\n(.*?)^```/gms)].map(([, text]) => text);
    return { services, worker };
  };
  const open = async () => {
    const { services, worker } = await shown();
    return { services: services.replace('["public"]', '["public", "private"]'), worker };
  };

  for (const [name, config, reached] of [
    ["of public addresses: no private one is reached", shown, false],
    ["of all addresses: loopback is reached, so it is the network that keeps workers from it", open, true],
  ]) {
    test(name, async (t) => {
      const up = await upstream();
      t.after(() => up.close());
      const sixth = http.createServer(up.handle).listen(0, "::1");
      t.after(() => sixth.close());
      const six = await new Promise((resolve) =>
        sixth.on("listening", () => resolve(true)).on("error", () => resolve(false)),
      );
      up.serve((x) => x.answer(200, plain.chat()));
      const { port } = new URL(up.url);
      const hosts = {
        loopback: [`127.0.0.1:${port}`, true],
        name: [`localhost:${port}`, true],
        mapped: [`[::ffff:127.0.0.1]:${port}`, true],
        ...(six && { six: [`[::1]:${sixth.address().port}`, true] }),
        any: [`0.0.0.0:${port}`, true],
        // These addresses must not answer, so they are requested only if the network refuses them
        // at once.
        ...(!reached && {
          ten: ["10.0.0.1:80"],
          private: ["192.168.0.1"],
          metadata: ["169.254.169.254"],
          local: ["[fe80::1]"],
          unique: ["[fd00::1]"],
        }),
      };
      const keys = Object.fromEntries(Object.keys(hosts).map((host) => [host, keyOf(host)]));
      const records = Object.fromEntries(
        Object.entries(hosts).map(([name, [host]]) => [
          `endpoint:${name}`,
          {
            version: 1,
            rev: 1,
            keys: [{ hash: hashOf(keys[name]) }],
            upstreams: [{ name: "up", protocol: "chat", url: `http://${host}/v1` }],
          },
        ]),
      );
      const target = await serveWorkerd({
        ...(await config()),
        env: { ALLOW_HTTP_UPSTREAM: "true" },
        records,
      });
      t.after(() => target.close());
      for (const host of Object.keys(hosts)) {
        const { status, text } = await ask(target.url, {
          path: `/u/${host}${PATHS.chat}`,
          headers: { "x-api-key": keys[host] },
          body: smallest.chat(),
        });
        assert.equal(status, reached ? 200 : 502, `${host}: ${text}`);
        if (!reached) assert.match(text, /The upstream can't be reached/);
      }
      assert.equal(up.requests.length, reached ? Object.keys(hosts).length : 0);
    });
  }
});

describe("Connections", { skip: TARGET !== "wazero" && "workerd's sockets are Cloudflare's" }, () => {
  const PLACES = 3;
  const f = {};
  let up, target;
  before(async () => {
    up = await upstream();
    // 128 descriptors are fewer than the connections of a single test here.
    target = await start(
      { ...defaults(up.url), ADMIN_KEY: "admin-key-of-the-tests" },
      { files: 128, flags: ["--max-concurrent", String(PLACES)] },
    );
    f.url = target.url;
    up.serve((x) => answer(x));
  });
  after(async () => {
    await target?.close();
    await up?.close();
  });

  // asks sends a client's request with a valid key, until it is served. A stranger's request holds
  // a slot for a moment before its refusal. If the client finds all slots taken (529), it tries
  // again. It also tries again, at most three times, if the server closed its connection. Without room
  // the server closes the connection that has waited longest. On a busy machine this can be the
  // client's: the server may refuse strangers before it reads the client's request.
  const asks = async () => {
    for (let cut = 0; ;) {
      const sent = open(f.url, { body: params() }).reply;
      const reply = await sent.catch((error) => {
        if (error.code !== "ECONNRESET" || ++cut > 3) throw error;
      });
      if (!reply) continue;
      const { status, body } = reply;
      const text = await textOf(body);
      if (status === 529) continue;
      assert.equal(status, 200, text);
      return;
    }
  };

  const paths = [
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/u/nobody/v1/responses",
    `/k/el_nobody_${"x".repeat(43)}/v1/chat/completions`,
  ];
  for (const target of [...paths, "/u/nobody/api/rotate", "/admin/api/endpoints", "/nothing"]) {
    for (const framing of [
      "content-length: 1000\r\n\r\n{",
      "content-length: 99000000\r\n\r\n{",
      "transfer-encoding: chunked\r\n\r\n1\r\n{\r\n",
      "expect: 100-continue\r\ncontent-length: 9\r\n\r\n",
    ]) {
      test(`${target} is answered while its body is held back, and keeps no place: ${framing.split("\r\n")[0]}`, async () => {
        const held = [];
        for (let i = 0; i < 2 * PLACES; i++) {
          const conn = await dial(f.url, unfinished(target, { "x-api-key": "wrong" }, framing));
          held.push(conn);
          // 429: wrong keys for the operator are limited
          assert.ok([401, 404, 429].includes((await conn.answer()).status));
        }
        await asks();
        for (const conn of held) conn.close();
      });
    }
  }

  const heads = {
    nothing: "",
    "half a head": "POST /v1/messages HTTP/1.1\r\nhost: test\r\nx-half",
    "half a body": unfinished("/v1/messages"),
    "half a body for /healthz": unfinished("/healthz"),
    "half a body for OPTIONS *": "OPTIONS * HTTP/1.1\r\nhost: test\r\ncontent-length: 1000\r\n\r\n{",
    "a request, and then nothing": "GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n",
    "pages, of which nothing is read": "GET /page/app.wasm HTTP/1.1\r\nhost: test\r\n\r\n".repeat(20),
  };
  for (const [name, text] of Object.entries(heads)) {
    test(`300 connections that send ${name} shut nobody out`, async () => {
      const held = [];
      for (let i = 0; i < 300; i++) {
        held.push(await dial(f.url, text, { reading: false }));
        if (i % 100 === 99) await asks();
      }
      // All promised slots can be taken at once, each with a connection to the upstream.
      const arrived = [];
      up.serve((x) => new Promise((resolve) => arrived.push(() => resolve(answer(x)))));
      const clients = Array.from({ length: PLACES }, asks);
      await until(() => arrived.length >= PLACES);
      for (const release of arrived) release();
      await Promise.all(clients);
      up.serve((x) => answer(x));
      for (const conn of held) conn.close();
    });
  }
});

describe("Requests that are refused for their target", () => {
  const f = {};
  let target;
  before(async () => {
    target = await start(defaults("http://127.0.0.1:9/v1"));
    f.url = target.url;
  });
  after(() => target?.close());

  const requests = {
    "a host that is none": ["/v1/messages", "%zz"],
    "a port that is none": ["/v1/chat/completions", "a:b"],
    "a host that is none, at /u": ["/u/anna/v1/responses", "[::1"],
  };
  for (const [name, [path, host]] of Object.entries(requests)) {
    test(name, async () => {
      const conn = await dial(
        f.url,
        `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${CLIENT_KEY}\r\ncontent-length: 2\r\n\r\n{}`,
      );
      const { status, body } = await conn.answer();
      assert.equal(status, 400, body);
      const { type, error } = JSON.parse(body);
      assert.equal(error.type, "invalid_request_error");
      assert.equal(type, path === "/v1/messages" ? "error" : undefined);
      conn.close();
    });
  }
});

describe("Requests", () => {
  const data = mkdtempSync(join(tmpdir(), "requests-"));
  const f = attacked({}, TARGET === "wazero" ? { data } : {});
  after(() => rmSync(data, { recursive: true }));
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  after(() => agent.destroy());

  const BODY =
    '{"model":"m","input":"hi","messages":[{"role":"user","content":"hi"}],"max_tokens":9,"label":"x","name":"x"}';
  const send = (method, path, headers) =>
    raw(f.url, { agent, method, path, headers, body: /^(GET|HEAD|OPTIONS)$/.test(method) ? "" : BODY });

  const ID = `resp_${"a".repeat(43)}`;
  const key = (name) => `el_${name}_${"k".repeat(43)}`;
  // The paths after /v1, /u/NAME and /k/KEY, with the methods that each accepts.
  const routes = {
    "/v1/messages": "POST",
    "/v1/messages/count_tokens": "POST",
    "/v1/messages/batches": "POST",
    "/v1/chat/completions": "POST",
    "/v1/responses": "POST",
    "/v1/responses/input_tokens": "POST",
    "/v1/responses/compact": "POST",
    "/v1beta/models/m:generateContent": "POST",
    "/v1beta/models/m:streamGenerateContent?alt=sse": "POST",
    "/v1beta/models/m:countTokens?key=x": "POST",
    "/v1beta/models?key=": "GET HEAD",
    "/v1beta/models/m": "GET",
    "/v1/models": "GET HEAD",
    "/v1/models/m": "GET HEAD",
    "/v1/models/a%2f..%2fb?limit=1": "GET",
    [`/v1/responses/${ID}`]: "GET DELETE",
    [`/v1/responses/${ID}/`]: "GET",
    [`/v1/responses/${ID}/input_items`]: "GET",
    [`/v1/responses/${ID}/submit_tool_outputs`]: "POST",
    [`/v1/responses/${ID}/cancel`]: "POST",
  };
  const own = { "/api": "GET", "/api/usage": "GET", "/api/usage?days=90": "GET", "/api/rotate": "POST" };
  const admin = {
    "": "GET POST",
    "/": "GET",
    "?limit=1&cursor=x": "GET",
    "/NAME": "GET PATCH DELETE",
    "/NAME/": "GET",
    "/NAME/keys": "POST",
    "/NAME/keys/abc": "DELETE",
    "/NAME/rotate": "POST",
    "/NAME/test": "POST",
    "/NAME/models": "POST",
    "/NAME/usage": "GET",
    "/NAME/usage/x": "GET",
  };
  // Spellings of a path that might bypass a check.
  const spellings = [
    (path) => `/${path}`,
    (path) => path.replace("/v1", "//v1"),
    (path) => path.replace("/v1", "/./v1"),
    (path) => path.replace("/v1", "/x/../v1"),
    (path) => path.replace("/v1", "/%2e%2e/v1"),
    (path) => path.replace("/v1", "/v1%2f"),
    (path) => path.replace("/v1", "/V1"),
    (path) => path.replace("/v1", "%2Fv1"),
    (path) => path.replace("/v1", "/v1;a=b"),
    (path) => path.replace("/v1", "\\v1"),
    (path) => path.replaceAll("e", "%65"),
    (path) => path.replaceAll("e", "%2565"),
    (path) => `${path}/`,
    (path) => `${path}%00`,
    (path) => `${path}%0d%0ax-evil:%201`,
    (path) => `${path}.json`,
    (path) => `${path}?key=x&x-api-key=y&token=z#f`,
  ];
  // Credentials that the server before the program could read for itself.
  const presented = () => [
    { "x-api-key": ["client-key", "e2e"] },
    { authorization: `bearer  ${CLIENT_KEY},${CLIENT_KEY}` },
    {
      "x-forwarded-for": "127.0.0.1",
      "x-real-ip": "127.0.0.1",
      "cf-connecting-ip": "127.0.0.1",
      forwarded: "for=127.0.0.1;host=localhost",
    },
    { host: "localhost" },
    { host: "[::1]:1", "anthropic-version": "2023-06-01" },
    {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "MDEyMzQ1Njc4OWFiY2RlZg==",
    },
  ];
  const TOLD = [
    "of-the-upstream",
    "127.0.0.1",
    "localhost",
    "a-label",
    "an-upstream",
    "a-model",
    "a-title",
    CLIENT_KEY,
    UPSTREAM_KEY,
    ADMIN_KEY,
    SEAL_KEY,
    "goroutine",
    "panic",
    "wasm",
    "TypeError",
  ];
  // headers that differ in each answer
  const each = { date: 0, "x-request-id": 0, "request-id": 0, "server-timing": 0 };

  // open reports whether an answer is the public greeting.
  const open = (method, { status, text }) =>
    status === 200 && (method === "HEAD" || text.startsWith('{"message":"This is edgelingua.'));

  // refuse sends requests, 16 at a time, and asserts that all of them are refused. NAME in a path
  // is replaced by an existing endpoint and by an unknown endpoint, KEY by a wrong key of either.
  // The answers for both endpoints must be the same.
  let refused = 0;
  let asked = 0;
  const refuse = async (requests) => {
    const list = [...requests];
    const next = async () => {
      for (let one; (one = list.pop());) {
        const [method, path, headers] = one;
        const answers = [];
        for (const name of /NAME|KEY/.test(path) ? ["anna", "nope"] : ["anna"]) {
          const at = path.replaceAll("KEY", key(name)).replaceAll("NAME", name);
          // Each request for the Admin API is sent in a different minute, because attempts at
          // ADMIN_KEY are limited.
          const got = await send(method, at, {
            ...headers(name),
            "x-test-clock": String(1795219200 + 60 * asked++),
          });
          const what = `${method} ${at} ${JSON.stringify(headers(name))}: ${got.status} ${got.text}`;
          if (!open(method, got)) assert.ok([400, 401, 403, 404, 405, 426].includes(got.status), what);
          if (got.text !== "" && !open(method, got)) {
            assert.match(got.headers["content-type"], /^application\/json\b/, what);
            const { error, type } = JSON.parse(got.text);
            assert.ok(error.message.length > 10, what);
            if (/^(\/u\/[^/]*|\/k\/[^/]*)?\/v1\/messages($|\/)/.test(at)) assert.equal(type, "error", what);
          }
          const said = JSON.stringify([
            { ...got.headers, ...each },
            got.text.replaceAll(/There is nothing at .*? Send|^.*? takes /g, ""),
          ]);
          for (const word of TOLD)
            assert.ok(
              !said.includes(word) || JSON.stringify(headers(name)).includes(word),
              `${what} says ${word}`,
            );
          refused++;
          answers.push(
            JSON.stringify([got.status, got.text.replaceAll(name, ""), { ...got.headers, ...each }]),
          );
        }
        assert.equal(answers[0], answers.at(-1), `${method} ${path}`);
      }
    };
    await Promise.all(Array.from({ length: 16 }, next));
  };

  const state = async () => JSON.stringify((await f.state.list({})).keys);
  let before;
  test("there is an endpoint to look for", async () => {
    const upstreams = [
      {
        name: "an-upstream",
        protocol: "chat",
        url: f.up.url,
        key: "sk-of-the-upstream",
        headers: { "x-title": "a-title" },
        models: ["a-model"],
      },
    ];
    await f.make("anna", {
      upstreams,
      key: { label: "a-label" },
      usage: true,
      limits: { requests_per_minute: 100 },
      options: { store: "on" },
    });
    before = await state();
  });

  const of = (table, base) =>
    Object.entries(table).flatMap(([path, taken]) => taken.split(" ").map((method) => [method, base + path]));
  const bases = ["", "/u/NAME", "/k/KEY"];
  const all = [
    ...bases.flatMap((base) => of(routes, base)),
    ...of(own, "/u/NAME"),
    ...of(admin, "/admin/api/endpoints"),
  ];

  test("with whatever in place of a key", async () => {
    await refuse(
      all.flatMap(([method, path]) => presented().map((_, i) => [method, path, () => presented()[i]])),
    );
  });

  test("at any spelling of a path", async () => {
    const paths = [
      "/v1/messages",
      "/v1/models",
      "/v1beta/models/m:generateContent",
      `/v1/responses/${ID}`,
      "/u/NAME/v1/messages",
      "/u/NAME/v1/models",
      "/k/KEY/v1/models",
      `/k/KEY/v1/responses/${ID}`,
      "/k/KEY/v1beta/models/m:generateContent",
    ];
    const odd = paths
      .flatMap((path) => spellings.map((spell) => spell(path)))
      .filter((path) => path.startsWith("/"));
    for (const path of [
      "/u/NAME/api",
      "/u/NAME/api/rotate",
      "/admin/api/endpoints",
      "/admin/api/endpoints/NAME",
    ]) {
      odd.push(
        path.replace("/api", "//api"),
        path.replace("/api", "/./api"),
        path.replace("api", "%61pi"),
        path.toUpperCase(),
        `${path}/`,
        `${path}%2f`,
        `/v1/..${path}`,
        `/page/..${path}`,
        `/page/%2e%2e${path}`,
      );
    }
    odd.push(
      "/u//v1/models",
      "/u/v1/models",
      "/u/NAME%2fv1%2fmodels",
      "/u/%4eAME/v1/models",
      "/u/..%2fNAME/v1/models",
      "/k//v1/models",
      "/k/NAME/v1/models",
      "/k/../u/NAME/v1/models",
      "/u/NAME/u/NAME/v1/models",
      "/k/KEY/k/KEY/v1/models",
      "/u/NAME/k/KEY/v1/models",
      "/u/NAME/admin/api/endpoints",
      "/k/KEY/api",
      "/admin/api",
      "/admin/api/",
      "/admin/api/sessions",
      "/admin/endpoints",
      "/.env",
      "/.dev.vars",
      "/wrangler.toml",
      "/app.wasm",
      "/worker.mjs",
      "/page/",
      "/page/../worker.mjs",
      "/page/__proto__",
      "/page/constructor",
      "/debug/pprof/",
      "/metrics",
      "/cdn-cgi/trace",
    );
    await refuse(
      odd.flatMap((path) =>
        ["GET", "POST"].flatMap((method) => [
          [method, path, () => ({})],
          [method, path, (name) => ({ "x-api-key": key(name) })],
        ]),
      ),
    );
  });

  test("nothing of it reached an upstream, or made a key or an object", async () => {
    assert.ok(refused > 1500, `${refused}`);
    assert.equal(f.up.requests.length, 0);
    assert.equal(await state(), before);
    if (TARGET !== "wazero") return;
    // SQLite's file has the names of KV's keys and of objects in plain text.
    let stored = "";
    for (const name of readdirSync(data)) stored += readFileSync(join(data, name), "latin1");
    assert.ok(stored.includes("endpoint:anna"));
    assert.ok(!stored.includes("nope"));
  });
});

describe("Framings", () => {
  const f = attacked();
  const body = JSON.stringify({ model: "honest", messages: [{ role: "user", content: "hi" }] });
  const smuggled = `POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nx-api-key: ${CLIENT_KEY}\r\nconnection: close\r\ncontent-length: 20\r\n\r\n{"model":"smuggled"}`;
  const length = `content-length: ${body.length}`;
  const chunk = (text, extension = "") => `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
  const chunked = `${chunk(body)}0\r\n\r\n`;
  const TE = "transfer-encoding: chunked";
  // post returns a request. lines replace the content-length header, and rest follows the head.
  const post = (lines, rest, { start = "POST /v1/chat/completions HTTP/1.1", end = "\r\n" } = {}) =>
    [
      start,
      "host: test",
      `x-api-key: ${CLIENT_KEY}`,
      "content-type: application/json",
      ...[lines].flat(),
    ].join(end) +
    end +
    end +
    rest;

  // Malformed or ambiguous requests. Most are followed by a second request, which some readers take
  // for a part of the first request's body.
  const wrong = {
    "two lengths": post([length, "content-length: 0"], body + smuggled),
    "two lengths, the first one 0": post(["content-length: 0", length], body + smuggled),
    "two lengths in one line": post(`content-length: ${body.length}, 0`, body + smuggled),
    "a length with a sign": post(`content-length: +${body.length}`, body + smuggled),
    "a negative length": post("content-length: -1", body + smuggled),
    "a length in hex": post(`content-length: 0x${body.length.toString(16)}`, body + smuggled),
    "a length in octal": post("content-length: 0o10", body + smuggled),
    "a length with a space in it": post("content-length: 1 0", body + smuggled),
    "a length that overflows": post("content-length: 18446744073709551617", body + smuggled),
    "a length of letters": post("content-length: abc", body + smuggled),
    "no length's value": post("content-length:", body + smuggled),
    "a space in front of the colon": post(`content-length : ${body.length}`, body + smuggled),
    "a tab in front of the colon": post(`transfer-encoding\t: chunked`, chunked + smuggled),
    "an encoding that is none": post("transfer-encoding: xchunked", chunked + smuggled),
    "an encoding in quotes": post('transfer-encoding: "chunked"', chunked + smuggled),
    "another encoding behind chunked": post("transfer-encoding: chunked, identity", chunked + smuggled),
    "two encodings": post([TE, "transfer-encoding: identity"], chunked + smuggled),
    "an encoding behind a vertical tab": post("transfer-encoding: \x0bchunked", chunked + smuggled),
    "an encoding with a NUL": post("transfer-encoding: chunked\0", chunked + smuggled),
    "a NUL in a name": post(["x-\0a: b", length], body + smuggled),
    "a NUL in a value": post(["x-a: b\0c", length], body + smuggled),
    "a lonely CR in a value": post([`x-a: b\rcontent-length: 0`, length], body + smuggled),
    "a line without a colon": post(["nothing", length], body + smuggled),
    "an empty name": post([": nothing", length], body + smuggled),
    "a chunk's size that overflows": post(TE, `ffffffffffffffff1\r\n${body}\r\n0\r\n\r\n${smuggled}`),
    "a chunk's size with a sign": post(TE, `-1\r\n${body}\r\n0\r\n\r\n${smuggled}`),
    "a chunk's size with 0x": post(TE, `0x${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n${smuggled}`),
    "a chunk that is longer than its size": post(TE, `5\r\n${body}\r\n0\r\n\r\n${smuggled}`),
    "no chunk's size": post(TE, `\r\n${body}\r\n0\r\n\r\n${smuggled}`),
    "a chunk's extension with a lonely LF": post(
      TE,
      `${body.length.toString(16)};a\n${body}\r\n0\r\n\r\n${smuggled}`,
    ),
    "a chunk's extension of 100 KB": post(
      TE,
      `${chunk(body, `;a=${"b".repeat(100_000)}`)}0\r\n\r\n${smuggled}`,
    ),
    "100,000 trailers": post(TE, `${chunk(body)}0\r\n${"x-a: b\r\n".repeat(100_000)}\r\n${smuggled}`),
    "no version": `POST /v1/chat/completions\r\n${smuggled}`,
    "an unknown version": post(length, body + smuggled, { start: "POST /v1/chat/completions HTTP/9.9" }),
    "a space in the target": post(length, body + smuggled, {
      start: "POST /v1/chat/completions /x HTTP/1.1",
    }),
    "no host": `POST /v1/chat/completions HTTP/1.1\r\nx-api-key: ${CLIENT_KEY}\r\n${length}\r\n\r\n${body}`,
    "10,000 headers": post(
      [...Array.from({ length: 10_000 }, (_, i) => `x-${i}: ${"a".repeat(200)}`), length],
      body + smuggled,
    ),
    "a header of 2 MB": post([`x-a: ${"a".repeat(2 << 20)}`, length], body + smuggled),
    "a target of 2 MB": post(length, body + smuggled, { start: `POST /${"a".repeat(2 << 20)} HTTP/1.1` }),
    "the beginning of TLS": `\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03${smuggled}`,
    "an end in the head": post(length, "").slice(0, -10),
    "an end in the body": post(length, body.slice(0, -1)),
    "an end in a chunk": post(TE, chunked.slice(0, 9)),
    "an end in a chunk's size": post(TE, "4"),
    "an end in front of the last chunk": post(TE, chunk(body)),
    "an end in front of the trailers' end": post(TE, `${chunk(body)}0\r\nx-a: b\r\n`),
  };
  // Requests that Go's server or workerd accepts, in only one reading. RFC 9112 allows them; with
  // CL and TE the body ends at the end of the chunks (section 6.3).
  const taken = {
    "a request behind another": post(length, body + smuggled),
    "an absolute target": post(length, body + smuggled, {
      start: "POST http://other.example/v1/chat/completions HTTP/1.1",
    }),
    "lines that end in a lonely LF": post(length, body + smuggled, { end: "\n" }),
    "an empty line in front": `\r\n${post(length, body + smuggled)}`,
    "chunks of one byte, with extensions": post(
      TE,
      `${[...body].map((c) => chunk(c, ";a=b")).join("")}0\r\n\r\n${smuggled}`,
    ),
    "trailers that say how long it is": post(
      [TE, "trailer: content-length"],
      `${chunk(body)}0\r\ncontent-length: 3\r\nx-api-key: x\r\n\r\n${smuggled}`,
    ),
    "two hosts": post(["host: other", length], body + smuggled),
    "a length and chunks": post([length, TE], chunked + smuggled),
    "chunks and a length": post([TE, length], chunked + smuggled),
    "a length of 0 and chunks": post(["content-length: 0", TE], chunked + smuggled),
    "a length that ends in the chunks": post(["content-length: 4", TE], chunked + smuggled),
    "a name behind a space": post([" content-length: 3", length], body + smuggled),
    "a folded header": post(["x-a: b", " content-length: 3", length], body + smuggled),
    "a folded encoding": post(["transfer-encoding:", " chunked"], chunked + smuggled),
    "gzip in front of chunked": post("transfer-encoding: gzip, chunked", chunked + smuggled),
    "chunks of HTTP/1.0": post(TE, chunked, { start: "POST /v1/chat/completions HTTP/1.0" }),
    "HTTP/2's preface": `PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n${smuggled}`,
    CONNECT: `CONNECT 127.0.0.1:1 HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n${smuggled}`,
    "an upgrade to HTTP/2": post(
      ["connection: upgrade, http2-settings", "upgrade: h2c", "http2-settings: AAMAAABkAAQAAP__", length],
      body + smuggled,
    ),
  };

  // answersIn splits the bytes from a connection into consecutive answers.
  const answersIn = (bytes) => {
    const answers = [];
    for (let at = 0; at < bytes.length;) {
      const end = bytes.indexOf("\r\n\r\n", at);
      assert.ok(end > 0, `no head: ${JSON.stringify(bytes.slice(at, at + 300))}`);
      const [start, ...lines] = bytes.slice(at, end).split("\r\n");
      const [, status] = /^HTTP\/1\.[01] (\d{3})( .*)?$/.exec(start) ?? assert.fail(`no answer: ${start}`);
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(":")).toLowerCase(),
          line.slice(line.indexOf(":") + 1).trim(),
        ]),
      );
      at = end + 4;
      let text = "";
      if (headers["transfer-encoding"] === "chunked") {
        for (let size = -1; size !== 0;) {
          const line = bytes.indexOf("\r\n", at);
          size = Number.parseInt(bytes.slice(at, line), 16);
          assert.ok(line > 0 && size >= 0, "a broken chunk");
          text += bytes.slice(line + 2, line + 2 + size);
          at = line + 4 + size;
        }
      } else {
        const size =
          headers["content-length"] === undefined ? bytes.length - at : Number(headers["content-length"]);
        text = bytes.slice(at, at + size);
        assert.equal(text.length, size, "an answer that is cut");
        at += size;
      }
      answers.push({ status: Number(status), headers, text });
    }
    return answers;
  };

  // dial sends bytes on a new connection, and resolves with the answers when the server has closed
  // the connection. The second request asks for the close. Without a second request the client ends
  // the connection.
  const dial = (text) =>
    new Promise((resolve, reject) => {
      const { hostname, port } = new URL(f.url);
      const socket = net.connect(Number(port), hostname);
      let got = "";
      socket.setEncoding("latin1");
      socket.on("data", (part) => (got += part));
      socket.on("error", () => {}); // a server may reset a connection with unread bytes
      socket.on("close", () => {
        try {
          resolve(answersIn(got));
        } catch (error) {
          reject(error);
        }
      });
      if (text.endsWith(smuggled)) socket.write(text, "latin1");
      else socket.end(text, "latin1");
    });

  // The upstream must get only whole bodies of the two requests, and each answer must belong to its
  // own request.
  const sort = async (text) => {
    const empty = (x) => x.body.length === 0; // a request of HTTP/1.0, which has no chunks
    f.up.serve((x) => (empty(x) ? x.answer(400, "{}") : answer(x, `to ${x.body}`)));
    const answers = await dial(text);
    const sent = f.up.requests
      .filter((x) => !empty(x))
      .map(({ method, path, body }) => `${method} ${path} ${body}`);
    const [first, second] = [body, '{"model":"smuggled"}'].map((body) => `POST /v1/chat/completions ${body}`);
    assert.ok(
      [[], [first], [second], [first, second]].some((list) => list.join() === sent.join()),
      sent.join("\n"),
    );
    const good = answers
      .filter(({ status }) => status === 200)
      .map(({ text }) => JSON.parse(text).choices[0].message.content);
    assert.deepEqual(
      good,
      sent.map((line) => line.replace(/^.*completions /, "to ")),
    );
    for (const { status, text } of answers) {
      assert.ok(
        [200, 400, 401, 404, 405, 414, 426, 431, 499, 500, 501, 505].includes(status),
        `${status} ${text}`,
      );
      for (const word of [CLIENT_KEY, UPSTREAM_KEY, ...(status === 200 ? [] : ["smuggled", "honest"])])
        assert.ok(!text.includes(word), text);
    }
    f.up.serve((x) => answer(x, "hello"));
    const { status, text: hello } = await ask(f.url, { body: smallest.anthropic() });
    assert.equal(status, 200, hello);
    return { answers, sent };
  };

  for (const [name, text] of Object.entries(taken)) {
    test(`${name} is taken in one way, or refused`, async () => {
      const { answers } = await sort(text);
      assert.ok(answers.length <= 2);
    });
  }

  for (const [name, text] of Object.entries(wrong)) {
    test(`${name} is refused, and all behind it`, async () => {
      const { answers, sent } = await sort(text);
      assert.equal(sent.length, 0);
      assert.ok(answers.length <= 1);
    });
  }
});

describe("Addresses", () => {
  let private_;
  before(async () => {
    private_ = await upstream();
    private_.serve((x) => answer(x));
  });
  after(() => private_?.close());

  test("a client's words lead to no other host or path of the upstream", async (t) => {
    const other = await start({ ...config }, { faults: true, state: true });
    t.after(() => other.close());
    const key = await enroll(other.url, "anna", {
      upstreams: PROTOCOLS.map((protocol) => through(protocol, private_, { name: protocol })),
    });
    private_.renew();
    private_.serve((x) => x.answer(404, { error: { message: "none", type: "invalid_request_error" } }));
    const words = [
      "@127.0.0.1:1/",
      "//127.0.0.1:1/",
      "..%2f..%2fadmin",
      "../../admin",
      "%2e%2e/admin",
      ".",
      "..",
      "%252e%252e",
      "http://127.0.0.1:1/",
      "m?key=x",
      "m%3Fkey=x",
      "m%23",
      "m\\..\\..",
      "%00",
      "m%0d%0ahost:%20evil",
      "\u2025/\u2025",
    ];
    for (const protocol of PROTOCOLS) {
      for (const word of words) {
        for (const headers of [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]) {
          const at = encodeURI(`/v1/models/${protocol}/${word}`).replaceAll("%25", "%");
          const { status } = await raw(other.url, { method: "GET", path: `/u/anna${at}`, headers });
          assert.ok([400, 404].includes(status), `${at}: ${status}`);
        }
        const model = `${protocol}/${word}`;
        for (const client of PROTOCOLS)
          await ask(other.url, {
            path: `/u/anna${PATHS[client]}`,
            headers: { "x-api-key": key, host: "evil.example" },
            body: smallest[client]({ model }),
          });
      }
    }
    assert.ok(private_.requests.length > 100);
    for (const { method, path, headers } of private_.requests) {
      assert.equal(headers.host, new URL(private_.url).host);
      if (method === "POST") assert.ok(Object.values(PATHS).includes(path), path);
      else assert.match(path, /^\/v1\/models(\/[^/?#]*)?(\?|$)/);
      assert.doesNotMatch(path, /\/\.{0,2}(\/|\?|$)/);
    }
  });
});
