// What somebody without any key could try.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { after, before, describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { CLIENT_KEY, ask, open, params, textOf } from "../lib/client.mjs";
import { hashOf, keyOf } from "../lib/endpoints.mjs";
import { defaults, test } from "../lib/fixture.mjs";
import { dial, unfinished } from "../lib/sockets.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PATHS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { plain } from "../lib/usage.mjs";
import { serveWorkerd } from "../lib/workerd.mjs";

describe("workerd's network", { skip: TARGET !== "workerd" }, () => {
  // The configuration that docs/self-hosting.md shows, and one of a network that leads everywhere.
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
      const six = await new Promise((resolve) => sixth.on("listening", () => resolve(true)).on("error", () => resolve(false)));
      up.serve((x) => x.answer(200, plain.chat()));
      const { port } = new URL(up.url);
      const hosts = {
        loopback: [`127.0.0.1:${port}`, true],
        name: [`localhost:${port}`, true],
        mapped: [`[::ffff:127.0.0.1]:${port}`, true],
        ...(six && { six: [`[::1]:${sixth.address().port}`, true] }),
        any: [`0.0.0.0:${port}`, true],
        // Nobody may answer here, so these are asked only where the network refuses them at once.
        ...(!reached && { ten: ["10.0.0.1:80"], private: ["192.168.0.1"], metadata: ["169.254.169.254"], local: ["[fe80::1]"], unique: ["[fd00::1]"] }),
      };
      const keys = Object.fromEntries(Object.keys(hosts).map((host) => [host, keyOf(host)]));
      const records = Object.fromEntries(
        Object.entries(hosts).map(([name, [host]]) => [
          `endpoint:${name}`,
          { version: 1, rev: 1, keys: [{ hash: hashOf(keys[name]) }], upstreams: [{ name: "up", protocol: "chat", url: `http://${host}/v1` }] },
        ]),
      );
      const target = await serveWorkerd({ ...(await config()), env: { ALLOW_HTTP_UPSTREAM: "true" }, records });
      t.after(() => target.close());
      for (const host of Object.keys(hosts)) {
        const { status, text } = await ask(target.url, { path: `/u/${host}${PATHS.chat}`, headers: { "x-api-key": keys[host] }, body: smallest.chat() });
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
    target = await start({ ...defaults(up.url), ADMIN_KEY: "admin-key-of-the-tests" }, { files: 128, flags: ["--max-concurrent", String(PLACES)] });
    f.url = target.url;
    up.serve((x) => answer(x));
  });
  after(async () => {
    await target?.close();
    await up?.close();
  });

  // asks has a client with a key ask for an answer, and be served. While requests of strangers are being refused they have places, for
  // a moment each, and a client that comes in that moment tries again.
  const asks = async () => {
    for (;;) {
      const { status, body } = await open(f.url, { body: params() }).reply;
      const text = await textOf(body);
      if (status === 529) continue;
      assert.equal(status, 200, text);
      return;
    }
  };

  const paths = ["/v1/messages", "/v1/messages/count_tokens", "/u/nobody/v1/responses", `/k/el_nobody_${"x".repeat(43)}/v1/chat/completions`];
  for (const target of [...paths, "/u/nobody/api/rotate", "/admin/api/endpoints", "/nothing"]) {
    for (const framing of ["content-length: 1000\r\n\r\n{", "content-length: 99000000\r\n\r\n{", "transfer-encoding: chunked\r\n\r\n1\r\n{\r\n", "expect: 100-continue\r\ncontent-length: 9\r\n\r\n"]) {
      test(`${target} is answered while its body is held back, and keeps no place: ${framing.split("\r\n")[0]}`, async () => {
        const held = [];
        for (let i = 0; i < 2 * PLACES; i++) {
          const conn = await dial(f.url, unfinished(target, { "x-api-key": "wrong" }, framing));
          held.push(conn);
          assert.ok([401, 404].includes((await conn.answer()).status));
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
      // Every place that is promised can be taken, each with its upstream's connection.
      const arrived = [];
      up.serve((x) => new Promise((resolve) => arrived.push(() => resolve(answer(x)))));
      const clients = Array.from({ length: PLACES }, asks);
      while (arrived.length < PLACES) await new Promise(setImmediate);
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
      const conn = await dial(f.url, `POST ${path} HTTP/1.1\r\nhost: ${host}\r\nx-api-key: ${CLIENT_KEY}\r\ncontent-length: 2\r\n\r\n{}`);
      const { status, body } = await conn.answer();
      assert.equal(status, 400, body);
      const { type, error } = JSON.parse(body);
      assert.equal(error.type, "invalid_request_error");
      assert.equal(type, path === "/v1/messages" ? "error" : undefined);
      conn.close();
    });
  }

  for (const path of ["/v1/messages", "/u/anna/v1/responses", "/admin/api/endpoints", "/k/"]) {
    test(`a path that begins with ${path} and is too long`, async () => {
      const { status, body } = await open(f.url, { path: path + "%01".repeat(513), method: "GET" }).reply;
      const text = await textOf(body);
      assert.equal(status, 414, text);
      assert.match(JSON.parse(text).error.message, /over the limit of 512 bytes/);
    });
  }
});
