// Attacks by an upstream, which reads the requests of its clients and writes their answers, as far
// as the runtime or a browser defends against them. The tests of the program's own defense are in
// worker/serve.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import net from "node:net";
import { after, before, beforeEach, describe } from "node:test";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { launch } from "../lib/browser.mjs";
import { CLIENT_KEY, ask as send, open } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { start, TARGET } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { says, streamed } from "../lib/usage.mjs";

const ADMIN_KEY = "the-operator-s-own-key";

// suite gives the surrounding suite two upstreams, a and b, a worker with personal endpoints, and
// api, a function for calls of the Admin API.
function suite() {
  const f = {};
  let target;
  before(async () => {
    [f.a, f.b] = [await upstream(), await upstream()];
    const config = {
      ADMIN_KEY,
      CLIENT_KEY,
      SEAL_KEY: randomBytes(32).toString("base64"),
      ALLOW_HTTP_UPSTREAM: "true",
    };
    target = await start(config, { faults: true, state: true });
    f.url = target.url;
    f.said = () => JSON.stringify([target.log, target.lines.all]);
  });
  beforeEach(() => {
    f.a.renew();
    f.b.renew();
  });
  after(async () => {
    await target?.close();
    await f.a?.close();
    await f.b?.close();
  });
  f.api = async (method, path, body) => {
    const answer = await send(f.url, {
      method,
      path: `/admin/api/endpoints${path}`,
      headers: { "x-api-key": ADMIN_KEY },
      body,
    });
    return { ...answer, json: answer.text && JSON.parse(answer.text) };
  };
  // all returns an upstream of each protocol, all at the URL of f.a. The model PROTOCOL/MODEL
  // selects an upstream.
  f.all = (more) =>
    PROTOCOLS.map((protocol) => ({
      name: protocol,
      protocol,
      url: protocol === "anthropic" ? f.a.url.replace(/\/v1$/, "") : f.a.url,
      ...more,
    }));
  return f;
}

describe("Documents", () => {
  const f = suite();
  const foreign = {
    "set-cookie": "a=b",
    "content-disposition": "inline",
    refresh: "0;url=/",
    location: "/",
    link: "</>;rel=preload",
    "clear-site-data": '"*"',
    "access-control-allow-origin": "*",
  };
  const script = (key) => `<!doctype html><title>none</title><script>
    document.title = "ran";
    const tell = new XMLHttpRequest();
    tell.open("GET", "/k/${key}/v1/models?ran", false);
    tell.send();
  </script>`;

  // harmless asserts that a browser can't render an answer as a document, and that the answer
  // contains nothing of foreign.
  function harmless({ status, headers }, what) {
    assert.equal(headers["x-content-type-options"], "nosniff", what);
    assert.equal(headers["content-security-policy"], "sandbox; default-src 'none'", what);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin", what);
    for (const name of Object.keys(foreign)) assert.equal(headers[name], undefined, `${what}: ${name}`);
    if (status !== 204)
      assert.match(headers["content-type"], /^(application\/json|text\/event-stream; charset=utf-8)$/, what);
  }

  test("whatever is answered", async () => {
    const { json } = await f.api("POST", "", { name: "carl", upstreams: f.all() });
    const key = { "x-api-key": json.key };
    const own = { "x-api-key": CLIENT_KEY };
    const body = smallest.anthropic({ model: "chat/m" });
    const at = "/u/carl/v1";
    for (const [what, status, request, up = says("chat")] of [
      ["a greeting", 200, { method: "GET", path: "/" }],
      ["a greeting, HEAD", 200, { method: "HEAD", path: "/k/none" }],
      ["no such path", 404, { method: "GET", path: "/page/none.html" }],
      ["no such path of a key", 404, { method: "GET", path: `/k/${json.key}/<script>` }],
      ["another method", 405, { method: "DELETE", path: `${at}/models`, headers: key }],
      [
        "a WebSocket",
        426,
        {
          method: "GET",
          path: `${at}/messages`,
          headers: { ...key, upgrade: "websocket", connection: "upgrade" },
        },
      ],
      ["a wrong key", 401, { path: `${at}/messages`, headers: {}, body }],
      ["a deployment without an upstream", 500, { path: "/v1/messages", headers: own, body }],
      ["no JSON", 400, { path: `${at}/messages`, headers: key, body: "{" }],
      ["a translated answer", 200, { path: `${at}/messages`, headers: key, body }],
      ["a translated stream", 200, { path: `${at}/messages`, headers: key, body: { ...body, stream: true } }],
      [
        "a translated error",
        500,
        { path: `${at}/messages`, headers: key, body },
        (x) => x.answer(500, script("none"), { "content-type": "text/html", ...foreign }),
      ],
      [
        "a redirect",
        502,
        { path: `${at}/chat/completions`, headers: key, body: smallest.chat({ model: "chat/m" }) },
        (x) => x.answer(302, "", foreign),
      ],
      [
        "not modified",
        502,
        { path: `${at}/models/chat/m`, method: "GET", headers: key },
        (x) => x.answer(304, "", foreign),
      ],
      ["an upstream that is gone", 502, { path: `${at}/messages`, headers: key, body }, (x) => x.reset()],
      ["an estimated count", 200, { path: `${at}/messages/count_tokens`, headers: key, body }],
      [
        "a stored response that is not there",
        404,
        { path: `${at}/responses/resp_none`, method: "GET", headers: key },
      ],
      ["the owner API", 200, { path: "/u/carl/api", method: "GET", headers: key }],
      ["the owner API, refused", 401, { path: "/u/none/api", method: "GET", headers: key }],
      [
        "the Admin API",
        200,
        { path: "/admin/api/endpoints", method: "GET", headers: { "x-api-key": ADMIN_KEY } },
      ],
      ["the Admin API, refused", 401, { path: "/admin/api/endpoints", method: "GET" }],
      [
        "the Admin API, no such path",
        404,
        { path: "/admin/api/<script>", method: "GET", headers: { "x-api-key": ADMIN_KEY } },
      ],
      [
        "a dead program",
        500,
        { path: `${at}/messages`, headers: { ...key, "x-test-panic": "before" }, body },
      ],
      [
        "a program that dies later",
        500,
        { path: `${at}/messages`, headers: { ...key, "x-test-panic": "after" }, body },
      ],
      [
        "an answer that passes",
        200,
        { path: `${at}/chat/completions`, headers: key, body: smallest.chat({ model: "chat/m" }) },
        (x) => x.answer(200, script("none"), { "content-type": "application/json", ...foreign }),
      ],
      [
        "a deletion",
        204,
        { path: "/admin/api/endpoints/carl", method: "DELETE", headers: { "x-api-key": ADMIN_KEY } },
      ],
      ...(TARGET === "wazero"
        ? [
            ["health", 200, { method: "GET", path: "/healthz" }],
            ["health, another method", 405, { path: "/healthz", body: {} }],
          ]
        : []),
    ]) {
      f.a.serve(up);
      const answer = await send(f.url, request);
      assert.equal(answer.status, status, `${what}: ${answer.text}`);
      harmless(answer, what);
    }
  });

  test("a URL that the program can't read", async () => {
    const { hostname, port } = new URL(f.url);
    const socket = net.connect(port, hostname);
    await once(socket, "connect");
    socket.end(`GET /%zz HTTP/1.1\r\nhost: ${hostname}:${port}\r\nconnection: close\r\n\r\n`);
    let answer = "";
    for await (const part of socket) answer += part;
    const [head] = answer.split("\r\n\r\n");
    // Go's net/http itself refuses such a URL, with its own message.
    if (TARGET === "workerd")
      for (const [name, value] of [
        ["x-content-type-options", "nosniff"],
        ["content-security-policy", "sandbox; default-src 'none'"],
        ["cross-origin-resource-policy", "same-origin"],
      ]) {
        assert.ok(head.toLowerCase().includes(`${name}: ${value}`), head);
      }
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.doesNotMatch(head, /text\/html/i);
  });

  test("in a browser nothing of an upstream's answer runs", async (t) => {
    const browser = await launch();
    t.after(() => browser.close());
    const { json } = await f.api("POST", "", {
      name: "emil",
      upstreams: [{ name: "chat", protocol: "chat", url: f.a.url }],
    });
    const at = `${f.url}/k/${json.key}/v1/models`;
    const inside = `<script>const x = new XMLHttpRequest(); x.open("GET", "/k/${json.key}/v1/models?ran", false); x.send()</script>`;
    const documents = [
      [200, "text/html", script(json.key)],
      [403, "text/html", script(json.key)],
      [200, undefined, script(json.key)],
      [200, "application/json", script(json.key)],
      [200, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`],
      [
        200,
        "multipart/x-mixed-replace; boundary=b",
        `--b\r\ncontent-type: text/html\r\n\r\n${script(json.key)}\r\n--b--\r\n`,
      ],
    ];
    for (const [status, type, body] of documents) {
      const page = await browser.newPage();
      f.a.renew();
      f.a.serve((x) => x.answer(status, body, type && { "content-type": type }));
      await page
        .goto(at)
        .catch((error) =>
          assert.match(error.message, /Download is starting|ERR_ABORTED|ERR_HTTP_RESPONSE_CODE_FAILURE/),
        ); // the answer is no document
      assert.notEqual(await page.title(), "ran", `${type} ${status}`);
      await page.close();
      assert.deepEqual(
        f.a.requests.filter(({ path }) => path.includes("ran")),
        [],
        `${type} ${status}`,
      );
    }
    const context = await browser.newContext({ bypassCSP: true }); // as if the page itself had no policy
    const own = await context.newPage();
    await own.goto(`${f.url}/admin`);
    for (const type of ["text/javascript", undefined]) {
      f.a.serve((x) => x.answer(200, "document.title = 'ran'", type && { "content-type": type }));
      await assert.rejects(own.addScriptTag({ url: at }), type);
      assert.notEqual(await own.title(), "ran", type);
    }
  });
});

// KEY is the key of the upstreams, TEAM the value of a header in requests to them.
const KEY = "sk-Live/0123+456789&abcdef=";
const TEAM = "team-ABC-0123456789-xyz";

describe("Secrets", () => {
  const f = suite();
  const escaped = (text) =>
    [...text].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  const secrets = [KEY, TEAM].flatMap((text) =>
    [text.slice(0, 18), text.slice(-18)].flatMap((part) => [part, escaped(part)]),
  );

  test("in headers, errors and streams of an upstream", async () => {
    const { json } = await f.api("POST", "", {
      name: "counted",
      upstreams: f.all({ key: KEY, headers: { "x-team": TEAM } }),
      usage: true,
    });
    const told = `Wrong key ${escaped(KEY)} of ${escaped(TEAM)}`;
    for (const client of ["anthropic", "chat"]) {
      for (const [stream, up] of [
        [
          false,
          (x) =>
            x.answer(401, `{"error":{"message":"${told}"}}`, {
              "content-type": "application/json",
              "retry-after": KEY,
              [`x-ratelimit-${TEAM}`]: "1",
              "openai-model": TEAM,
            }),
        ],
        [
          true,
          (x) =>
            x.stream([
              ...streamed.chat().slice(0, 3).join(""),
              ...`data: {"error":{"message":"${told}"}}\n\n`,
            ]),
        ],
      ]) {
        f.a.serve(up);
        const { headers, text } = await send(f.url, {
          path: `/k/${json.key}${PATHS[client]}`,
          body: smallest[client]({ model: "chat/m", stream }),
        });
        assert.match(text, /Wrong key \[key\] of \[key\]/);
        for (const secret of secrets) assert.ok(!`${JSON.stringify(headers)}${text}`.includes(secret), text);
      }
    }
    for (const { headers } of f.a.requests)
      assert.deepEqual([headers.authorization, headers["x-team"]], [`Bearer ${KEY}`, TEAM]);
    for (const secret of secrets) assert.ok(!f.said().includes(secret));
  });
});

describe("Bombs", () => {
  const f = suite();
  const SIZE = 100 << 20;
  const coded = {
    gzip: (body) => gzipSync(body, { level: 1 }),
    br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
  };
  const around = (begin, fill, end) =>
    Buffer.concat([Buffer.from(begin), Buffer.alloc(SIZE, fill), Buffer.from(end)]);
  const bodies = {
    "one text": () => around('{"id":"x","data":[],"choices":[{"message":{"content":"', "a", '"}}]}'),
    "one line of a stream": () =>
      around('data: {"choices":[{"index":0,"delta":{"content":"', "a", '"}}]}\n\n'),
    "nested arrays": () => around('{"data":', "[", ""),
  };

  for (const [name, coding] of [
    ["one text", "gzip"],
    ["one text", "br"],
    ["one line of a stream", "br"],
    ["nested arrays", "gzip"],
  ]) {
    test(`100 MB of ${name} in ${coding} are an error, and the next request is served`, async () => {
      const bomb = coded[coding](bodies[name]());
      const key = await enroll(f.url, "bombs", { upstreams: f.all(), usage: true });
      const headers = { "x-api-key": key };
      const explode = (status, type) =>
        f.a.serve((x) => x.answer(status, bomb, { "content-type": type, "content-encoding": coding }));
      const ask = (path, body) => send(f.url, { path: `/u/bombs${path}`, headers, body });
      for (const protocol of PROTOCOLS) {
        const client = protocol === "chat" ? "anthropic" : "chat";
        const model = `${protocol}/m`;
        explode(200, "application/json");
        const plainly = await ask(PATHS[client], smallest[client]({ model }));
        assert.equal(plainly.status, 502, plainly.text.slice(0, 300));
        explode(200, "text/event-stream");
        const streamed = await ask(PATHS[client], smallest[client]({ model, stream: true }));
        assert.match(streamed.text, /"error"/);
        explode(400, "application/json");
        for (const one of [client, protocol]) {
          const failed = await ask(PATHS[one], smallest[one]({ model }));
          assert.ok([400, 502].includes(failed.status), failed.text.slice(0, 300));
        }
        explode(200, "application/json");
        // the headers of clients with another format of lists
        const other = protocol === "anthropic" ? { authorization: `Bearer ${key}` } : headers;
        const listed = await send(f.url, {
          method: "GET",
          path: `/u/bombs/v1/models/${model}`,
          headers: other,
        });
        assert.equal(listed.status, 502, listed.text.slice(0, 300));
        for (const { text } of [plainly, streamed, listed])
          assert.ok(text.length < 1 << 20, `${text.length}`);
        f.a.serve(says(protocol));
        assert.equal((await ask(PATHS[client], smallest[client]({ model }))).status, 200);
      }
    });
  }

  test("where bytes pass, so does a bomb, as it came", async () => {
    const bomb = coded.gzip(bodies["one text"]());
    const key = await enroll(f.url, "passing", { upstreams: f.all() });
    f.a.serve((x) => x.answer(200, bomb, { "content-type": "application/json", "content-encoding": "gzip" }));
    const { body, headers } = await open(f.url, {
      path: `/u/passing${PATHS.chat}`,
      headers: { "x-api-key": key },
      body: smallest.chat({ model: "chat/m" }),
    }).reply;
    let size = 0;
    for await (const part of body) size += part.length;
    assert.deepEqual([headers["content-encoding"], size], ["gzip", bomb.length]);
  });
});

describe("Redirects", () => {
  const f = suite();

  test("are followed by no request, to wherever they lead", async () => {
    const key = await enroll(f.url, "led", { upstreams: f.all() });
    f.b.serve((x) => x.answer(200, { data: [] }));
    await f.api("POST", "", {
      name: "led-too",
      upstreams: [{ name: "a", protocol: "chat", url: f.a.url, key: "sk-of-the-upstream" }],
    });
    for (const status of [302, 307]) {
      for (const location of [`${f.b.url}/models`, "/elsewhere"]) {
        f.a.renew();
        f.a.serve((x) =>
          x.answer(status, "", { location, refresh: `0;url=${location}`, "content-location": location }),
        );
        const asked = await Promise.all(
          PROTOCOLS.flatMap((protocol) => [
            ...PROTOCOLS.map((client) => [
              "POST",
              PATHS[client],
              smallest[client]({ model: `${protocol}/m`, stream: client === "chat" }),
            ]),
            ["POST", "/v1/messages/count_tokens", smallest.anthropic({ model: "anthropic/m" })],
            ["GET", `/v1/models/${protocol}/m`],
          ]).map(([method, path, body]) =>
            send(f.url, { method, path: `/u/led${path}`, headers: { "x-api-key": key }, body }),
          ),
        );
        const probe = await f.api("POST", "/led-too/test", {});
        assert.equal(probe.json.ok, false);
        for (const { status, headers, text } of asked) {
          assert.ok(status === 502, `${status} ${text}`);
          assert.equal(headers.location ?? headers.refresh ?? headers["content-location"], undefined);
        }
        assert.equal(f.a.requests.length, asked.length + 1);
        assert.equal(f.b.requests.length, 0);
        assert.ok(f.a.requests.every(({ path }) => !path.includes("elsewhere")));
      }
    }
  });
});
