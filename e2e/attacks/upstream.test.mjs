// What an upstream could try, which sees the requests of its clients and writes their answers.
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
import { plain, says, streamed } from "../lib/usage.mjs";

const ADMIN_KEY = "the-operator-s-own-key";

// suite gives the surrounding suite two upstreams, a and b, a worker for personal endpoints, and api, which calls the Admin API.
function suite() {
  const f = {};
  let target;
  before(async () => {
    [f.a, f.b] = [await upstream(), await upstream()];
    const config = { ADMIN_KEY, CLIENT_KEY, SEAL_KEY: randomBytes(32).toString("base64"), ALLOW_HTTP_UPSTREAM: "true" };
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
    const answer = await send(f.url, { method, path: `/admin/api/endpoints${path}`, headers: { "x-api-key": ADMIN_KEY }, body });
    return { ...answer, json: answer.text && JSON.parse(answer.text) };
  };
  // all returns an upstream of each protocol, all of which are f.a. The model PROTOCOL/MODEL leads to one of them.
  f.all = (more) => PROTOCOLS.map((protocol) => ({ name: protocol, protocol, url: protocol === "anthropic" ? f.a.url.replace(/\/v1$/, "") : f.a.url, ...more }));
  return f;
}

describe("Documents", () => {
  const f = suite();
  const OCTETS = "application/octet-stream";
  const foreign = { "set-cookie": "a=b", "content-disposition": "inline", refresh: "0;url=/", location: "/", link: "</>;rel=preload", "clear-site-data": '"*"', "access-control-allow-origin": "*" };
  const script = (key) => `<!doctype html><title>none</title><script>
    document.title = "ran";
    const tell = new XMLHttpRequest();
    tell.open("GET", "/k/${key}/v1/models?ran", false);
    tell.send();
  </script>`;

  // harmless asserts that an answer can be no document in a browser, and that it has nothing of foreign.
  function harmless({ status, headers }, what, type) {
    assert.equal(headers["x-content-type-options"], "nosniff", what);
    assert.equal(headers["content-security-policy"], "sandbox; default-src 'none'", what);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin", what);
    for (const name of Object.keys(foreign)) assert.equal(headers[name], undefined, `${what}: ${name}`);
    if (type !== undefined) assert.equal(headers["content-type"], type, what);
    else if (status !== 204) assert.match(headers["content-type"], /^(application\/json|text\/event-stream; charset=utf-8)$/, what);
  }

  const JSON_TYPES = ["application/json", "application/json; charset=utf-8", "application/problem+json"];
  const types = [
    ...[...JSON_TYPES, "text/event-stream", "text/event-stream; charset=utf-8"].map((type) => [type, type]),
    ["APPLICATION/JSON;charset=UTF-8", "application/json; charset=utf-8"],
    ...["application/json; x=sk-of-an-upstream", "application/json; sk-of-an-upstream=1", "application/sk-of-an-upstream+json"].map((type) => [type, "application/json"]), // a key that hides there
    ...["application/json; charset=utf-7", 'application/json; charset="text/html"', "application/json; a=text/html", "application/json; charset=utf-8; charset=utf-7"].map((type) => [type, "application/json"]),
    ["text/event-stream; charset=utf-7", "text/event-stream"],
    ...["text/html", "TEXT/HTML; charset=utf-8", "text/html, application/json", "application/json, text/html", "text/html;x=json", "text/html;application/json", "image/svg+xml"].map((type) => [type, OCTETS]),
    ...["application/xhtml+xml", "application/xml", "text/xml", "application/pdf", "text/plain", "text/javascript", "text/css", "image/svg+json", "x/y+json", "application/x-ndjson"].map((type) => [type, OCTETS]),
    ...["multipart/x-mixed-replace; boundary=a", "application/json/html", "application/+json", "application/jsonp", "application/text html+json", "json", "*/*", ""].map((type) => [type, OCTETS]),
    [["text/html", "application/json"], OCTETS],
    [["application/json", "text/html"], OCTETS],
    [undefined, OCTETS],
  ];

  test("whatever type an upstream gives its answer", async () => {
    const { json } = await f.api("POST", "", { name: "anna", upstreams: f.all() });
    const counted = (await f.api("POST", "", { name: "bert", upstreams: f.all(), usage: true })).json.key;
    const body = smallest.chat({ model: "chat/m" });
    for (const [theirs, ours] of types) {
      for (const [what, status, request] of [
        ["models", 200, { method: "GET", headers: {}, path: `/k/${json.key}/v1/models/chat/m` }],
        ["models, HEAD", 200, { method: "HEAD", headers: {}, path: `/k/${json.key}/v1/models/chat/m` }],
        ["models, 404", 404, { method: "GET", headers: {}, path: `/k/${json.key}/v1/models/chat/m` }],
        ["an answer", 200, { path: `/k/${json.key}/v1/chat/completions`, body }],
        ["an error", 500, { path: `/k/${json.key}/v1/chat/completions`, body }],
        ["a counted answer", 200, { path: `/k/${counted}/v1/chat/completions`, body }],
        ["a count", 200, { path: `/k/${json.key}/v1/messages/count_tokens`, body: smallest.anthropic({ model: "anthropic/m" }) }],
      ]) {
        // A 404 with a page is told in words of ours.
        const text = status === 404 ? JSON.stringify({ error: { message: script("none") } }) : script("none");
        f.a.serve((x) => x.answer(status, text, { ...foreign, ...(theirs !== undefined && { "content-type": theirs }) }));
        const answer = await send(f.url, request);
        assert.equal(answer.status, status, answer.text);
        harmless(answer, `${what}, ${theirs}`, ours);
      }
    }
  });

  test("whatever else is answered", async () => {
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
      ["a WebSocket", 426, { method: "GET", path: `${at}/messages`, headers: { ...key, upgrade: "websocket", connection: "upgrade" } }],
      ["a wrong key", 401, { path: `${at}/messages`, headers: {}, body }],
      ["a deployment without an upstream", 500, { path: "/v1/messages", headers: own, body }],
      ["no JSON", 400, { path: `${at}/messages`, headers: key, body: "{" }],
      ["a translated answer", 200, { path: `${at}/messages`, headers: key, body }],
      ["a translated stream", 200, { path: `${at}/messages`, headers: key, body: { ...body, stream: true } }],
      ["a translated error", 500, { path: `${at}/messages`, headers: key, body }, (x) => x.answer(500, script("none"), { "content-type": "text/html", ...foreign })],
      ["a redirect", 502, { path: `${at}/chat/completions`, headers: key, body: smallest.chat({ model: "chat/m" }) }, (x) => x.answer(302, "", foreign)],
      ["not modified", 502, { path: `${at}/models/chat/m`, method: "GET", headers: key }, (x) => x.answer(304, "", foreign)],
      ["an upstream that is gone", 502, { path: `${at}/messages`, headers: key, body }, (x) => x.reset()],
      ["an estimated count", 200, { path: `${at}/messages/count_tokens`, headers: key, body }],
      ["a stored response that is not there", 404, { path: `${at}/responses/resp_none`, method: "GET", headers: key }],
      ["the owner API", 200, { path: "/u/carl/api", method: "GET", headers: key }],
      ["the owner API, refused", 401, { path: "/u/none/api", method: "GET", headers: key }],
      ["the Admin API", 200, { path: "/admin/api/endpoints", method: "GET", headers: { "x-api-key": ADMIN_KEY } }],
      ["the Admin API, refused", 401, { path: "/admin/api/endpoints", method: "GET" }],
      ["the Admin API, no such path", 404, { path: "/admin/api/<script>", method: "GET", headers: { "x-api-key": ADMIN_KEY } }],
      ["a dead program", 500, { path: `${at}/messages`, headers: { ...key, "x-test-panic": "before" }, body }],
      ["a program that dies later", 500, { path: `${at}/messages`, headers: { ...key, "x-test-panic": "after" }, body }],
      ["a deletion", 204, { path: "/admin/api/endpoints/carl", method: "DELETE", headers: { "x-api-key": ADMIN_KEY } }],
      ...(TARGET === "wazero" ? [["health", 200, { method: "GET", path: "/healthz" }], ["health, another method", 405, { path: "/healthz", body: {} }]] : []),
    ]) {
      f.a.serve(up);
      const answer = await send(f.url, request);
      assert.equal(answer.status, status, `${what}: ${answer.text}`);
      harmless(answer, what);
    }
  });

  test("a stored response", async () => {
    const { json } = await f.api("POST", "", { name: "dora", upstreams: f.all(), options: { store: "on" } });
    f.a.serve((x) => x.answer(200, { ...plain.chat(), choices: [{ index: 0, message: { role: "assistant", content: script("none") }, finish_reason: "stop" }] }));
    const made = await send(f.url, { path: `/k/${json.key}/v1/responses`, body: smallest.responses({ model: "chat/m" }) });
    harmless(made, "the answer");
    const { id } = JSON.parse(made.text);
    for (const [method, path] of [["GET", ""], ["GET", "/input_items"], ["DELETE", ""]]) {
      const answer = await send(f.url, { method, path: `/k/${json.key}/v1/responses/${id}${path}` });
      assert.equal(answer.status, 200, answer.text);
      harmless(answer, `${method} ${path}`);
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
    // Go's net/http refuses such a URL itself, in words of its own.
    if (TARGET === "workerd") for (const [name, value] of [["x-content-type-options", "nosniff"], ["content-security-policy", "sandbox; default-src 'none'"], ["cross-origin-resource-policy", "same-origin"]]) {
      assert.ok(head.toLowerCase().includes(`${name}: ${value}`), head);
    }
    assert.match(head, /^HTTP\/1\.1 400 /);
    assert.doesNotMatch(head, /text\/html/i);
  });

  test("in a browser nothing of an upstream's answer runs", async (t) => {
    const browser = await launch();
    t.after(() => browser.close());
    const { json } = await f.api("POST", "", { name: "emil", upstreams: [{ name: "chat", protocol: "chat", url: f.a.url }] });
    const at = `${f.url}/k/${json.key}/v1/models`;
    const inside = `<script>const x = new XMLHttpRequest(); x.open("GET", "/k/${json.key}/v1/models?ran", false); x.send()</script>`;
    const documents = [
      [200, "text/html", script(json.key)],
      [403, "text/html", script(json.key)],
      [200, undefined, script(json.key)],
      [200, "application/json", script(json.key)],
      [200, "image/svg+xml", `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`],
      [200, "multipart/x-mixed-replace; boundary=b", `--b\r\ncontent-type: text/html\r\n\r\n${script(json.key)}\r\n--b--\r\n`],
    ];
    for (const [status, type, body] of documents) {
      const page = await browser.newPage();
      f.a.renew();
      f.a.serve((x) => x.answer(status, body, type && { "content-type": type }));
      await page.goto(at).catch((error) => assert.match(error.message, /Download is starting|ERR_ABORTED|ERR_HTTP_RESPONSE_CODE_FAILURE/)); // it is no document
      assert.notEqual(await page.title(), "ran", `${type} ${status}`);
      await page.close();
      assert.deepEqual(f.a.requests.filter(({ path }) => path.includes("ran")), [], `${type} ${status}`);
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

// KEY is the key of the upstreams, TEAM the value of one of their headers. A name of a header may hold TEAM.
const KEY = "sk-Live/0123+456789&abcdef=";
const TEAM = "team-ABC-0123456789-xyz";

// forms are the spellings in which an error may repeat the key inside of a JSON string.
const units = (of) => (text) => [...text].map((c) => of(c.charCodeAt(0))).join("");
const hex = (n) => n.toString(16).padStart(4, "0");
const forms = {
  "as it is": (text) => text,
  "one letter escaped": (text) => text.replace("e", "\\u0065"),
  "with \\/": (text) => text.replace("/", "\\/"),
  "with \\u002B, as .NET writes it": (text) => text.replace("+", "\\u002B").replace("&", "\\u0026"),
  "all escaped": units((n) => `\\u${hex(n)}`),
  "all escaped, in capitals": units((n) => `\\u${hex(n).toUpperCase()}`),
  "with \\\\/, JSON in JSON": (text) => text.replace("/", "\\\\/"),
  "escapes in JSON in JSON": (text) => units((n) => `\\\\u${hex(n)}`)(text),
  "JSON in JSON in JSON": (text) => units((n) => `\\\\\\\\u${hex(n)}`)(text),
  "in a URL": encodeURIComponent,
  "all of it in a URL": units((n) => `%${n.toString(16).padStart(2, "0")}`),
  "in HTML": (text) => text.replace("&", "&amp;").replace("+", "&#43;").replace("/", "&#x2F;"),
  "all of it in HTML": units((n) => `&#${n};`),
  "in a URL, escaped": (text) => encodeURIComponent(text).replaceAll("%", "\\u0025"),
};

// spelt returns a text, and what it is behind each kind of escape, as a reader would undo them.
function spelt(text) {
  const all = [text];
  for (let i = 0; i < 4; i++) {
    all.push(all.at(-1).replace(/\\u([0-9a-f]{4})|\\(.)/gi, (_, hex, c) => (hex ? String.fromCharCode(parseInt(hex, 16)) : c)));
  }
  const last = all.at(-1);
  all.push(last.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))));
  all.push(last.replace(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))).replace(/&#(\d+);/g, (_, n) => String.fromCharCode(n)).replaceAll("&amp;", "&"));
  return all.join("\n");
}

// clean asserts that a text holds neither KEY nor TEAM, in whatever spelling, also not a long piece of one.
function clean(text, what) {
  const all = spelt(text);
  for (const secret of [KEY, TEAM]) for (const part of [secret, secret.slice(0, 18), secret.slice(-18)]) assert.ok(!all.includes(part), `${what}: ${text}`);
}

describe("Secrets", () => {
  const f = suite();
  const upstreams = () => f.all({ key: KEY, headers: { "x-team": TEAM } });
  const failing = (form, status = 401) => (x) => x.answer(status, `{"error":{"type":"invalid_request_error","message":"Wrong key ${form(KEY)} of ${form(TEAM)}."}}`);
  let key, counted;
  before(async () => {
    key = (await f.api("POST", "", { name: "plain", upstreams: upstreams() })).json.key;
    counted = (await f.api("POST", "", { name: "counted", upstreams: upstreams(), usage: true })).json.key;
  });
  // converse asks for an answer, and asserts that neither its head nor its body holds a secret.
  async function converse(client, of, { by = key, what, body, ...more } = {}) {
    const answer = await send(f.url, { path: `/k/${by}${PATHS[client]}`, body: smallest[client]({ model: `${of}/m`, ...body }), ...more });
    clean(JSON.stringify(answer.headers), `the head of ${what}, ${client} of ${of}`);
    clean(answer.text, `${what}, ${client} of ${of}`);
    return answer;
  }

  test("in headers of an answer", async () => {
    const evil = {
      "content-type": "application/json",
      "retry-after": KEY,
      "retry-after-ms": `1 ${KEY}`,
      "x-should-retry": TEAM,
      "x-request-id": `req_${TEAM}`,
      "x-ratelimit-limit-requests": KEY,
      "x-ratelimit-reset-tokens": `6m0s;${TEAM}`,
      [`x-ratelimit-${TEAM}`]: "1",
      "anthropic-ratelimit-unified-status": TEAM,
      [`anthropic-ratelimit-${TEAM.toUpperCase()}-x`]: "allowed",
      "openai-processing-ms": "1".repeat(200),
      "openai-version": TEAM,
      "openai-model": TEAM,
      "x-codex-plan-type": TEAM,
      "x-codex-turn-state": `state ${KEY} ${TEAM}`,
      [`x-codex-${TEAM}`]: "1",
      "cache-control": `private, x=${TEAM}`,
    };
    for (const client of PROTOCOLS) {
      for (const of of PROTOCOLS) {
        for (const [status, stream] of [[200, false], [200, true], [429, false], [429, true]]) {
          f.a.serve((x) => x.answer(status, status === 200 ? plain[of]() : { error: { message: "no" } }, { ...evil, ...(of === client && status === 200 && { "content-encoding": TEAM }) }));
          const what = `${status}${stream ? ", streamed" : ""}`;
          const { headers } = await converse(client, of, { what, body: { stream } });
          for (const name of Object.keys(evil).slice(1)) {
            if (name !== "x-request-id" && !(name === "cache-control" && headers[name] === "no-cache")) assert.equal(headers[name], undefined, `${what}: ${name}`);
          }
        }
      }
    }
  });

  test("an honest header stays, and there are not too many of them", async () => {
    const honest = {
      "retry-after": "1.5",
      "x-ratelimit-limit": "100, 100;w=60",
      "x-ratelimit-reset-requests": "6m0.5s",
      "x-ratelimit-over-limit": "no",
      "anthropic-ratelimit-tokens-reset": "2026-11-22T10:00:00Z",
      "anthropic-ratelimit-unified-status": "allowed_warning",
      "anthropic-ratelimit-unified-5h-utilization": "0.05",
      "openai-model": "org/some-model:free@2026.1",
      "x-codex-primary-used-percent": "37.5",
      "x-codex-credits-has-credits": "True",
      "x-codex-active-limit": "codex_other",
      "x-codex-turn-state": "gAAA+/=".repeat(400),
      "x-codex-promo-message": "Buy more, or wait.",
    };
    f.a.serve((x) => x.answer(200, plain.chat(), { "content-type": "application/json", ...honest }));
    for (const client of PROTOCOLS) {
      const { headers } = await converse(client, "chat", { what: "honest" });
      for (const [name, value] of Object.entries(honest)) assert.equal(headers[name], value, name);
    }
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-ratelimit-n${i}`, "1"]));
    f.a.serve((x) => x.answer(200, plain.chat(), { "content-type": "application/json", ...many }));
    const { headers } = await converse("chat", "chat", { what: "many" });
    assert.equal(Object.keys(headers).filter((name) => name.startsWith("x-ratelimit-")).length, 64);
  });

  for (const [n, [name, form]] of Object.entries(forms).entries()) {
    test(`in an error, ${name}`, async () => {
      f.a.serve(failing(form));
      for (const [i, client] of PROTOCOLS.entries()) {
        for (const [j, of] of PROTOCOLS.entries()) {
          const { status, text } = await converse(client, of, { what: "an error", body: { stream: (i + j + n) % 2 === 0 } });
          assert.equal(status, 401);
          assert.match(JSON.parse(text).error.message, /^Wrong key \[key\] of \[key\]\.$/);
        }
        const { text } = await send(f.url, { method: "GET", path: `/k/${key}/v1/models/${client}/m`, headers: { "anthropic-version": "2023-06-01" } });
        clean(text, `models of ${client}`);
        assert.match(text, /\[key\]/);
        const test = await f.api("POST", "/plain/test", { upstream: client });
        clean(test.text, `the test of ${client}`);
        assert.match(test.json.problem, /\[key\]/);
      }
      const count = await send(f.url, { path: `/k/${key}/v1/messages/count_tokens`, body: smallest.anthropic({ model: "anthropic/m" }) });
      clean(count.text, "a count");
      f.a.serve((x) => x.answer(500, `<html>Wrong key ${form(KEY)} or ${form(TEAM)}</html>`, { "content-type": "text/html" }));
      for (const client of PROTOCOLS) await converse(client, "chat", { what: "a page in HTML" });
      f.a.serve((x) => x.answer(500, `Wrong key ${form(KEY)} or ${form(TEAM)}`, { "content-type": "text/plain" }));
      for (const client of PROTOCOLS) await converse(client, "chat", { what: "words" });
    });
  }

  test("in an error that is cut in the middle of the key", async () => {
    for (const form of Object.values(forms)) {
      for (let room = 2040; room > 1950; room -= 29) {
        f.a.serve((x) => x.answer(500, `{"error":{"message":"${"x".repeat(room)}${form(KEY)}"}}`));
        await converse("anthropic", "chat", { what: `cut behind ${room}` });
      }
    }
  });

  test("without a secret, an error passes byte for byte", async () => {
    const said = ' { "error" : {"a":"\\u0065\\/\\u00e9 %41 &amp; sk-Live\\/0123", "b" : 1.0e2 } }\n';
    f.a.serve((x) => x.answer(400, said));
    for (const client of PROTOCOLS) assert.equal((await converse(client, client, { what: "an error" })).text, said);
  });

  // failures are the events with which a stream of each protocol fails, in pieces.
  const failures = {
    anthropic: (said) => [`event: error\ndata: {"type":"error","error":{"type":"api_error","message":"${said}"}}\n\n`],
    chat: (said) => [`data: {"error":{"message":"${said}","type":"server_error"}}\n\n`, "data: [DONE]\n\n"],
    responses: (said) => [
      `event: error\ndata: {"message":"${said}","type":"error","code":null}\n\n`,
      `event: response.failed\ndata: {"type":"response.failed","response":{"id":"resp_1","status":"failed","output":[],"error":{"code":"server_error","message":"${said}"}}}\n\n`,
    ],
  };
  const cuts = {
    "one by one": (events) => events,
    "at once": (events) => [events.join("")],
    "in the middle of the key": (events) => {
      const all = events.join("");
      const at = all.indexOf("Wrong key") + 20;
      return [all.slice(0, at), all.slice(at)];
    },
    "without its last line end": (events) => [events.join("").trimEnd()],
    "byte by byte": (events) => [...events.join("")],
  };
  for (const of of PROTOCOLS) {
    test(`in an error in the stream of ${of}`, async () => {
      for (const [name, form] of Object.entries(forms)) {
        const said = `Wrong key ${form(KEY)} of ${form(TEAM)}`;
        const events = [...streamed[of]().slice(0, 3), ...failures[of](said)];
        for (const [how, cut] of Object.entries(cuts)) {
          if (how !== "one by one" && name !== "all escaped") continue;
          f.a.serve((x) => x.stream(cut(events)));
          for (const client of PROTOCOLS) {
            const body = { stream: true, ...(client === "chat" && { stream_options: { include_usage: true } }) };
            const { text } = await converse(client, of, { by: counted, what: `a stream ${how}, ${name}`, body });
            assert.match(text, /Wrong key \[key\] of \[key\]/, name);
            if (client === of) assert.equal(text, cut(events).join("").replaceAll(said, "Wrong key [key] of [key]"));
          }
        }
      }
    });
  }

  test("in names of what is lost", async () => {
    for (const of of PROTOCOLS) {
      f.a.serve((x) => x.answer(200, { ...plain[of](), [TEAM]: { a: 1 }, ["a".repeat(40) + TEAM]: { a: 1 } }));
      for (const client of PROTOCOLS) {
        const { headers } = await send(f.url, { path: `/k/${key}${PATHS[client]}`, body: smallest[client]({ model: `${of}/m` }) });
        clean(JSON.stringify(headers), `${client} of ${of}`);
      }
    }
  });

  test("in an upstream's error behind the head of a stream", async () => {
    const { json } = await f.api("POST", "", { name: "late", upstreams: upstreams(), head_wait: 0.001 });
    for (const of of PROTOCOLS) {
      const call = open(f.url, { path: `/k/${json.key}${PATHS[of === "chat" ? "anthropic" : "chat"]}`, body: smallest[of === "chat" ? "anthropic" : "chat"]({ model: `${of}/m`, stream: true }) });
      const x = await f.a.next();
      const { body } = await call.reply;
      failing(forms["all escaped"])(x);
      let text = "";
      for await (const part of body) text += part;
      assert.match(text, /Wrong key \[key\]/);
      clean(text, of);
    }
  });

  test("in the reason why an upstream can't be asked", async (t) => {
    const odd = "sk-odd-0123456789\u0001abcdef"; // can't stand in a header
    const config = { CLIENT_KEY, UPSTREAM_PROTOCOL: "chat", UPSTREAM_URL: f.a.url, UPSTREAM_KEY: odd };
    const reason = /UPSTREAM_KEY holds what no header can carry/;
    const clean = (text) => reason.test(text) && !text.includes(odd.slice(0, 17));
    if (TARGET === "wazero") return assert.rejects(start(config), ({ message }) => clean(message)); // this host does not start
    const target = await start(config);
    t.after(() => target.close());
    for (const client of PROTOCOLS) {
      const { status, text } = await send(target.url, { path: PATHS[client], body: smallest[client]() });
      assert.equal(status, 500);
      assert.ok(clean(text), text);
      assert.ok(clean((await target.lines.next()).setup ?? "UPSTREAM_KEY holds what no header can carry"));
    }
  });
});

describe("Origins", () => {
  const f = suite();
  const forward = (more) => ({ auth: "forward", upstreams: [{ name: "a", protocol: "chat", url: f.a.url }, { name: "b", protocol: "chat", url: f.b.url, ...more }] });
  const own = "sk-the-client-s-own-key";

  test("forward to two origins is refused when it is set", async () => {
    const refused = ({ status, json }) => {
      assert.equal(status, 400, JSON.stringify(json));
      assert.equal(json.error.path, "upstreams[1].url");
      assert.match(json.error.message, /forward/);
    };
    refused(await f.api("POST", "", { name: "two", ...forward() }));
    refused(await f.api("POST", "", { name: "two", ...forward({ url: f.a.url.replace("127.0.0.1", "localhost") }) }));
    refused(await f.api("POST", "", { name: "two", ...forward({ url: f.a.url.replace("http:", "https:") }) }));
    assert.equal((await f.api("POST", "", { name: "two", ...forward(), auth: "key" })).status, 201);
    refused(await f.api("PATCH", "/two", { auth: "forward" }));
    assert.equal((await f.api("POST", "", { name: "one", ...forward({ url: `${f.a.url}/other` }) })).status, 201);
    refused(await f.api("PATCH", "/one", { upstreams: forward().upstreams }));
  });

  test("a record from before sends the client's key to the first origin alone", async () => {
    f.b.serve((x) => x.answer(200, plain.chat()));
    for (const [name, more, model] of [
      ["fallback", {}, "m"],
      ["its models", { models: ["only-b"] }, "only-b"],
      ["its name", {}, "b/m"],
      ["a sealed key of its own", { key: "v1.aaaaaaaa.bbbbbbbbbbbbbbbb.cccccccccccccccccccccccc" }, "b/m"],
    ]) {
      const record = forward(more);
      if (model === "only-b") record.upstreams[0].models = ["only-a"];
      await enroll(f.url, "old", record);
      f.a.serve((x) => x.answer(503, { error: { message: "no capacity" } }));
      for (const client of PROTOCOLS) {
        for (const [path, body] of [[PATHS[client], smallest[client]({ model })], [PATHS[client], smallest[client]({ model, stream: true })], ["/v1/messages/count_tokens", smallest.anthropic({ model })]]) {
          const { status, text } = await send(f.url, { path: `/u/old${path}`, headers: { authorization: `Bearer ${own}`, "openai-organization": "org" }, body });
          if (path === PATHS[client]) assert.equal(status, model === "m" ? (client === "anthropic" ? 529 : 503) : 403, `${name}: ${text}`);
          if (model !== "m") assert.match(JSON.parse(text).error.message, /"auth":"forward"/, name);
        }
      }
      for (const path of ["/v1/models", `/v1/models/${encodeURIComponent(model)}`, `/v1/models/${model}`]) {
        await send(f.url, { method: "GET", path: `/u/old${path}`, headers: { authorization: `Bearer ${own}` } });
      }
      await f.api("POST", "/old/test", { upstream: "b" });
      for (const { headers } of f.b.requests.splice(0)) for (const value of [own, "org", "v1.aaaaaaaa"]) assert.ok(!JSON.stringify(headers).includes(value), `${name}: ${JSON.stringify(headers)}`);
      assert.ok(f.a.requests.splice(0).every(({ headers }) => headers.authorization === `Bearer ${own}`));
    }
  });
});

describe("Bombs", () => {
  const f = suite();
  const SIZE = 100 << 20;
  const coded = { gzip: (body) => gzipSync(body, { level: 1 }), br: (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }) };
  const around = (begin, fill, end) => Buffer.concat([Buffer.from(begin), Buffer.alloc(SIZE, fill), Buffer.from(end)]);
  const bodies = {
    "one text": () => around('{"id":"x","data":[],"choices":[{"message":{"content":"', "a", '"}}]}'),
    "one line of a stream": () => around('data: {"choices":[{"index":0,"delta":{"content":"', "a", '"}}]}\n\n'),
    "nested arrays": () => around('{"data":', "[", ""),
  };

  for (const [name, coding] of [["one text", "gzip"], ["one text", "br"], ["one line of a stream", "br"], ["nested arrays", "gzip"]]) {
    test(`100 MB of ${name} in ${coding} are an error, and the next request is served`, async () => {
      const bomb = coded[coding](bodies[name]());
      const key = await enroll(f.url, "bombs", { upstreams: f.all(), usage: true });
      const headers = { "x-api-key": key };
      const explode = (status, type) => f.a.serve((x) => x.answer(status, bomb, { "content-type": type, "content-encoding": coding }));
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
        const other = protocol === "anthropic" ? { authorization: `Bearer ${key}` } : headers; // of clients whose lists have another form
        const listed = await send(f.url, { method: "GET", path: `/u/bombs/v1/models/${model}`, headers: other });
        assert.equal(listed.status, 502, listed.text.slice(0, 300));
        for (const { text } of [plainly, streamed, listed]) assert.ok(text.length < 1 << 20, `${text.length}`);
        f.a.serve(says(protocol));
        assert.equal((await ask(PATHS[client], smallest[client]({ model }))).status, 200);
      }
    });
  }

  test("where bytes pass, so does a bomb, as it came", async () => {
    const bomb = coded.gzip(bodies["one text"]());
    const key = await enroll(f.url, "passing", { upstreams: f.all() });
    f.a.serve((x) => x.answer(200, bomb, { "content-type": "application/json", "content-encoding": "gzip" }));
    const { body, headers } = await open(f.url, { path: `/u/passing${PATHS.chat}`, headers: { "x-api-key": key }, body: smallest.chat({ model: "chat/m" }) }).reply;
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
    await f.api("POST", "", { name: "led-too", upstreams: [{ name: "a", protocol: "chat", url: f.a.url, key: "sk-of-the-upstream" }] });
    for (const status of [300, 301, 302, 303, 305, 307, 308]) {
      for (const location of [`${f.b.url}/models`, `//${new URL(f.b.url).host}/`, `${f.a.url}/elsewhere`, "/elsewhere", "http://169.254.169.254/latest/meta-data/", "data:application/json,{}", "file:///etc/passwd", "\\\\127.0.0.1\\x"]) {
        f.a.renew();
        f.a.serve((x) => x.answer(status, "", { location, refresh: `0;url=${location}`, "content-location": location }));
        const asked = await Promise.all(
          PROTOCOLS.flatMap((protocol) => [
            ...PROTOCOLS.map((client) => ["POST", PATHS[client], smallest[client]({ model: `${protocol}/m`, stream: client === "chat" })]),
            ["POST", "/v1/messages/count_tokens", smallest.anthropic({ model: "anthropic/m" })],
            ["GET", `/v1/models/${protocol}/m`],
          ]).map(([method, path, body]) => send(f.url, { method, path: `/u/led${path}`, headers: { "x-api-key": key }, body })),
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
