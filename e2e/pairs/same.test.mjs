// If client and upstream speak the same protocol, bytes are passed through unchanged, both ways.
import assert from "node:assert/strict";
import { once } from "node:events";
import { describe } from "node:test";
import { deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { CLIENT_KEY, UPSTREAM_KEY, ask, open } from "../lib/client.mjs";
import { fixture, impatient, test, worker } from "../lib/fixture.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { unreachable } from "../lib/upstream.mjs";
import { TooSlow } from "../lib/waiting.mjs";

const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));

// A body with every oddity that a decoder and an encoder would remove. The name of the model is
// between the two parts.
const [before, after] = [
  bytes(
    '\n{ "zeta" : [1.0e2, -0, 1E400, 12345678901234567890.10], "unknown_field":{"model":"old-name","a":{}},',
    '"text":"\\u0041\\/\\ud83d é 漢 😀 \\b\\u0000","model":"old-name" ,\t"mod\\u0065l"  :',
  ),
  bytes(
    ', "invalid": "',
    [0xff, 0xc3, 0x28],
    `","deep":${"[".repeat(10_000)}${"]".repeat(10_000)},"twice":1,"twice":2\r\n}  \n`,
  ),
];
const oddBody = (model) => bytes(before, model, after);

// rawOf reads a whole body as bytes. If the body breaks off, rawOf throws.
async function rawOf(body) {
  const parts = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

// A frame of zstd as the zstd library writes it, since Node.js 20 has no zstd.
const COMPRESSED = "KLUv/UQADgElAQC0AXsibW9kZWwiOiJtIiwicGFkZGluZyI6IngifQFUFAIswROB+tMs";

// block returns a block of a frame of zstd (RFC 8878): of type 0 with size bytes of data, or of type 1 with
// one byte of data, to be repeated size times.
const block = (type, size, data) =>
  Buffer.concat([Buffer.from([((size << 3) | (type << 1)) & 255, (size >> 5) & 255, size >> 13]), data]);
const raw = (text) => block(0, text.length, text);

// zstd returns a frame with a window of 8 MB.
function zstd(...blocks) {
  const last = Buffer.from(blocks.pop());
  last[0] |= 1;
  return Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x68]), ...blocks, last]);
}

for (const protocol of PROTOCOLS) {
  const path = PATHS[protocol];
  const small = smallest[protocol]();

  describe(`${protocol} to ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol });
    const send = (options) => open(f.url, { path, ...options });

    for (const [name, body] of [
      ["an odd body", oddBody('"old-name"')],
      ["a body whose model is no string", oddBody("[5]")],
      ["a body that is not JSON", bytes('{"model":"a', [0, 0xff], "nope")],
      ["an array", bytes('[{"model":"a"}]')],
      ["brackets without end", bytes("[".repeat(100_000))],
      ["an empty body", bytes("")],
    ]) {
      test(`${name} reaches the upstream byte for byte`, async () => {
        f.up.serve((x) => x.answer(200, "{}"));
        const { status } = await ask(f.url, { path, body });
        assert.equal(status, 200);
        assert.deepEqual(f.up.requests[0].body, body);
      });
    }

    test("an answer reaches the client byte for byte", async () => {
      const answer = bytes(oddBody("1"), [0xff, 0, 1, 2]);
      f.up.serve((x) => x.answer(202, answer, { "content-type": "application/json; charset=utf-8" }));
      const { status, headers, body } = await send({ body: small }).reply;
      assert.equal(status, 202);
      assert.equal(headers["content-type"], "application/json; charset=utf-8");
      assert.equal(headers["x-edgelingua-lost"], undefined);
      assert.deepEqual(await rawOf(body), answer);
    });

    test("a stream reaches the client as it comes, whatever it holds", async () => {
      const call = send({ body: { ...small, stream: true } });
      const x = await f.up.next();
      x.head(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      const { status, headers, body } = await call.reply;
      assert.equal(status, 200);
      assert.equal(headers["content-type"], "text/event-stream");
      assert.equal(headers["cache-control"], "no-store");
      const chunks = body[Symbol.asyncIterator]();
      const pieces = [
        bytes("event: odd\r\nda"),
        bytes("ta: {"),
        bytes([0xf0, 0x9f]),
        bytes([0x98, 0x80]),
        bytes("\n\n: ping\n\n"),
      ];
      for (const piece of pieces) {
        await x.send(piece); // the next piece is sent only after the client has received the previous piece
        assert.deepEqual((await chunks.next()).value, piece);
      }
      await x.end();
      assert.ok((await chunks.next()).done);
    });

    test("20 MB pass whole, also to a client that reads late", async () => {
      const chunk = Buffer.alloc(1 << 16, "0123456789abcdef");
      const call = send({ body: small });
      const x = await f.up.next();
      const sent = x.stream(Array.from({ length: 320 }, () => chunk));
      const { body } = await call.reply;
      await Promise.all([sent, rawOf(body).then((whole) => assert.equal(whole.length, 320 * chunk.length))]);
    });

    test("a compressed answer stays what it is", async () => {
      const answer = '{"a":"' + "é".repeat(1000) + '"}';
      f.up.serve((x) =>
        x.answer(200, gzipSync(answer), { "content-type": "application/json", "content-encoding": "gzip" }),
      );
      const { headers, body } = await send({ body: small }).reply;
      assert.equal(f.up.requests[0].headers["accept-encoding"], "identity");
      assert.equal(headers["content-encoding"], "gzip");
      assert.equal(gunzipSync(await rawOf(body)).toString(), answer);
    });

    test("a compressed request goes on without its coding", async () => {
      f.up.serve((x) => x.answer(200, "{}"));
      const text = Buffer.from(JSON.stringify(small));
      const send = (coding, body) =>
        ask(f.url, { path, headers: { "x-api-key": CLIENT_KEY, "content-encoding": coding }, body });
      const codings = {
        gzip: gzipSync(text),
        deflate: deflateSync(text),
        "deflate, gzip": gzipSync(deflateSync(text)),
        zstd: zstd(raw(text)),
        "zstd, gzip": gzipSync(zstd(raw(text))),
      };
      for (const [coding, body] of Object.entries(codings)) {
        assert.equal((await send(coding, body)).status, 200);
        const x = f.up.requests.pop();
        assert.equal(x.headers["content-encoding"], undefined);
        assert.deepEqual(x.body, text);
      }
      assert.equal((await send("zstd", Buffer.from(COMPRESSED, "base64"))).status, 200);
      assert.deepEqual(f.up.requests.pop().json, { model: "m", padding: "x".repeat(500) });
      for (const coding of ["gzip", "zstd"]) assert.equal((await send(coding, text)).status, 400);
      assert.equal((await send("zstd", zstd(raw(text)).subarray(0, -1))).status, 400);
      const wide = zstd(raw(text));
      wide[5] = 0x70; // a window of 16 MB
      assert.equal((await send("zstd", wide)).status, 400);
      const spaces = block(1, 128 << 10, Buffer.from(" "));
      assert.equal((await send("zstd", zstd(...Array(320).fill(spaces)))).status, 413);
      assert.equal((await send("gzip", gzipSync(Buffer.alloc(40 << 20, " ")))).status, 413);
      const refused = await send("br", text);
      assert.equal(refused.status, 415);
      assert.match(refused.text, /content-encoding: br/);
      assert.equal(f.up.requests.length, 0);
    });

    test("the query goes along", async () => {
      f.up.serve((x) => x.answer(200, "{}"));
      for (const query of ["?beta=true", "?a=b%20c&d=%2F&e", ""])
        await ask(f.url, { path: path + query, body: small });
      const base = protocol === "anthropic" ? "/v1/messages" : path;
      assert.deepEqual(
        f.up.requests.map((x) => x.path),
        [`${base}?beta=true`, `${base}?a=b%20c&d=%2F&e`, base],
      );
    });

    test("headers of the request", async () => {
      f.up.serve((x) => x.answer(200, "{}"));
      const passed = {
        "anthropic-beta": "one-2025-01-01,two-2025-02-02",
        "openai-beta": "responses=v1",
        "idempotency-key": "once",
        "user-agent": "client/1.0 (a, b)",
        "x-client-request-id": "request-1",
        "x-codex-turn-state": "state",
      };
      const kept = {
        authorization: `Bearer ${CLIENT_KEY}`,
        "x-api-key": CLIENT_KEY,
        "api-key": CLIENT_KEY,
        cookie: `key=${CLIENT_KEY}`,
        "openai-organization": "org-of-the-client",
        "openai-project": "project-of-the-client",
        "x-forwarded-for": "192.0.2.1",
        "accept-encoding": "gzip",
        "accept-language": "de",
      };
      const version = { "anthropic-version": "2099-01-01" }; // unknown to the upstream
      await ask(f.url, { path, headers: { ...passed, ...kept, ...version }, body: small });
      const { headers } = f.up.requests[0];
      for (const [name, value] of Object.entries(passed)) assert.equal(headers[name], value, name);
      assert.ok(!JSON.stringify(headers).includes(CLIENT_KEY), "the client's key reached the upstream");
      assert.equal(
        headers[protocol === "anthropic" ? "x-api-key" : "authorization"],
        protocol === "anthropic" ? UPSTREAM_KEY : `Bearer ${UPSTREAM_KEY}`,
      );
      for (const name of [
        "openai-organization",
        "openai-project",
        "x-forwarded-for",
        "accept-language",
        "cookie",
      ])
        assert.equal(headers[name], undefined, name);
      assert.equal(headers["accept-encoding"], "identity");
      assert.equal(headers["content-type"], "application/json");

      await ask(f.url, { path, body: small });
      for (const { headers } of f.up.requests)
        assert.equal(headers["anthropic-version"], protocol === "anthropic" ? "2023-06-01" : undefined);
    });

    test("headers of the answer", async () => {
      const passed = {
        "content-type": "application/json",
        "retry-after": "Fri, 31 Dec 2027 23:59:59 GMT",
        "retry-after-ms": "17",
        "x-should-retry": "true",
        "x-ratelimit-remaining-tokens": "5",
        "anthropic-ratelimit-unified-status": "allowed",
        "openai-processing-ms": "12",
        "openai-version": "2020-10-01",
        "x-codex-turn-state": "state",
      };
      const kept = {
        "set-cookie": "a=b",
        "anthropic-organization-id": "org",
        "openai-organization": "org",
        server: "upstream",
        "x-odd": "1",
      };
      f.up.serve((x) =>
        x.answer(x.json.stream ? 200 : 429, "{}", { ...passed, ...kept, "request-id": "req_1" }),
      );
      for (const stream of [true, false]) {
        const { headers } = await ask(f.url, { path, body: { ...small, stream } });
        for (const [name, value] of Object.entries(passed)) assert.equal(headers[name], value, name);
        for (const name of Object.keys(kept)) assert.notEqual(headers[name], kept[name], name);
        assert.equal(headers["request-id"], "req_1");
        assert.equal(headers["x-request-id"], "req_1");
      }
    });

    for (const status of [400, 401, 403, 404, 413, 422, 429, 500, 503, 529]) {
      test(`an error ${status} passes as it is`, async () => {
        const answer = bytes('{ "error" : {"odd":1.0e2, "message":"', [0xff], `${status}"} }`);
        f.up.serve((x) => x.answer(status, answer, { "content-type": "application/problem+json" }));
        const { status: got, headers, body } = await send({ body: small }).reply;
        assert.equal(got, status);
        assert.equal(headers["content-type"], "application/problem+json");
        assert.deepEqual(await rawOf(body), answer);
      });
    }

    test("an error 404 about the path names it", async () => {
      f.up.serve((x) => x.answer(404, '{"detail":"Not Found"}'));
      const { status, text } = await ask(f.url, { path, body: small });
      assert.equal(status, 404);
      assert.ok(JSON.parse(text).error.message.startsWith(`The upstream has nothing at ${f.up.url}`), text);
    });

    test("an error that repeats the upstream's key", async () => {
      f.up.serve((x) => x.answer(401, `{"a":"${UPSTREAM_KEY} and Bearer ${UPSTREAM_KEY}"}`));
      const { status, text } = await ask(f.url, { path, body: small });
      assert.equal(status, 401);
      assert.equal(text, '{"a":"[key] and Bearer [key]"}');
    });

    test("a compressed error is read all the same", async () => {
      f.up.serve((x) =>
        x.answer(401, gzipSync(`{"a":"${UPSTREAM_KEY}"}`), {
          "content-type": "application/json",
          "content-encoding": "gzip",
        }),
      );
      const { headers, text } = await ask(f.url, { path, body: small });
      assert.equal(headers["content-encoding"], undefined);
      assert.equal(text, '{"a":"[key]"}');
    });

    test("an error without a body", async () => {
      f.up.serve((x) => x.answer(500, "", {}));
      const { status, text } = await ask(f.url, { path, body: small });
      assert.equal(status, 500);
      assert.equal(text, "");
    });

    test("an error of 1 MB passes, one of more is told", async () => {
      for (const [size, want] of [
        [1 << 20, /^x+$/],
        [(1 << 20) + 1, /"The upstream answered 418, with a body that can't be read\."/],
      ]) {
        f.up.serve((x) => x.answer(418, "x".repeat(size)));
        const { status, text } = await ask(f.url, { path, body: small });
        assert.equal(status, 418);
        assert.match(text, want);
      }
    });

    test("an error that is cut", async () => {
      const asked = ask(f.url, { path, body: small });
      const x = await f.up.next();
      x.head(429, { "content-type": "application/json" });
      await x.send('{"error":');
      x.cut();
      const { status, text } = await asked;
      assert.equal(status, 429);
      assert.match(JSON.parse(text).error.message, /can't be read/);
    });

    test("a redirect is not followed", async () => {
      f.up.serve((x) => x.answer(307, "", { location: `${f.up.url}/elsewhere` }));
      const { status, text } = await ask(f.url, { path, body: small });
      assert.equal(status, 502);
      assert.match(JSON.parse(text).error.message, /base URL/);
      assert.equal(f.up.requests.length, 1);
    });

    for (const [name, head] of [
      ["in chunks", {}],
      ["of a known length", { "content-length": "100" }],
    ]) {
      for (const cut of ["cut", "reset"]) {
        test(`an answer ${name} that the upstream breaks off (${cut}) breaks the client's connection`, async () => {
          const call = send({ body: small });
          const x = await f.up.next();
          x.head(200, { "content-type": "text/event-stream", ...head });
          await x.send("data: some\n\n");
          const { body } = await call.reply;
          const [first] = await once(body, "data");
          assert.equal(first.toString(), "data: some\n\n");
          const broken = assert.rejects(once(body, "end"));
          x[cut]();
          await broken;
        });
      }
    }

    for (const [name, head] of [
      ["before the upstream's head", false],
      ["in the middle of the answer", true],
    ]) {
      test(`a client that aborts ${name} ends the upstream's request`, async () => {
        const call = send({ body: small });
        const x = await f.up.next();
        if (head) {
          x.head();
          await x.send("data: some\n\n");
          await once((await call.reply).body, "data");
        }
        call.abort();
        await x.gone;
        f.up.serve((x) => x.answer(200, "{}"));
        assert.equal((await ask(f.url, { path, body: small })).status, 200);
      });
    }

    test("a client that aborts while it does not read", async () => {
      const call = send({ body: small });
      const x = await f.up.next();
      x.head();
      const flood = (async () => {
        for (;;) await x.send("x".repeat(60_000)); // until the connection is closed
      })();
      const broken = assert.rejects(flood);
      await call.reply;
      call.abort();
      await x.gone;
      await broken;
    });
  });

  describe(`${protocol} to ${protocol}, with a model map and headers`, () => {
    const f = fixture({
      UPSTREAM_PROTOCOL: protocol,
      MODELS: JSON.stringify({ "old-*": 'new "model"', "long-*": "s" }),
      UPSTREAM_OPTIONS: JSON.stringify({
        headers: { "anthropic-version": "2024-01-01", "openai-organization": "org-of-the-endpoint" },
      }),
    });

    test("only the model's name is replaced", async () => {
      f.up.serve((x) => x.answer(200, "{}"));
      for (const [asked, sent] of [
        ['"old-name"', '"new \\"model\\""'],
        ['"\\u006fld-name"', '"new \\"model\\""'],
        [`"long-${"x".repeat(1000)}"`, '"s"'],
        ['"other"', '"other"'],
        ["7", "7"],
      ]) {
        f.up.requests.length = 0;
        assert.equal((await ask(f.url, { path, body: oddBody(asked) })).status, 200);
        assert.deepEqual(f.up.requests[0].body, oddBody(sent), asked);
      }
    });

    test("a body just under 32 MB passes", async () => {
      f.up.serve((x) => x.answer(200, "{}"));
      const begin = '{"model":"old-name","x":"';
      const body = `${begin}${"x".repeat((32 << 20) - begin.length - 2)}"}`;
      assert.equal((await ask(f.url, { path, body })).status, 200);
      assert.ok(f.up.requests[0].body.equals(Buffer.from(body.replace("old-name", 'new \\"model\\"'))));
    });

    test("a body over 32 MB", async () => {
      const { status, text } = await ask(f.url, { path, body: Buffer.alloc((32 << 20) + 1, " ") });
      assert.equal(status, 413, text);
      assert.match(JSON.parse(text).error.message, /32 MB/);
      assert.equal(f.up.requests.length, 0);
    });

    test("the endpoint's headers go before the client's", async () => {
      f.up.serve((x) => x.answer(200, "{}"));
      await ask(f.url, {
        path,
        headers: {
          "x-api-key": CLIENT_KEY,
          "anthropic-version": "2099-01-01",
          "openai-organization": "org-of-the-client",
        },
        body: small,
      });
      const { headers } = f.up.requests[0];
      assert.equal(headers["anthropic-version"], "2024-01-01");
      assert.equal(headers["openai-organization"], "org-of-the-endpoint");
    });
  });

  describe(`${protocol} to ${protocol}, AUTH=forward`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol, AUTH: "forward", CLIENT_KEY: undefined });

    test("the client's key goes on in its form", async () => {
      f.up.serve((x) => x.answer(401, '{"a":"own-key-0123456789"}'));
      for (const headers of [
        { "x-api-key": "own-key-0123456789" },
        { authorization: "Bearer own-key-0123456789" },
      ]) {
        const { text } = await ask(f.url, {
          path,
          headers: { ...headers, "openai-organization": "org" },
          body: small,
        });
        assert.equal(text, '{"a":"[key]"}');
      }
      const seen = f.up.requests.map(({ headers }) => [
        headers["x-api-key"],
        headers.authorization,
        headers["openai-organization"],
      ]);
      const bearer = [undefined, "Bearer own-key-0123456789", "org"];
      assert.deepEqual(seen, [
        protocol === "anthropic" ? ["own-key-0123456789", undefined, "org"] : bearer,
        bearer,
      ]);
    });
  });

  test(`${protocol} to ${protocol}, an upstream that can't be reached`, async (t) => {
    const url = await worker(t, await unreachable(), { UPSTREAM_PROTOCOL: protocol });
    const { status, text } = await ask(url, { path, body: small });
    assert.equal(status, 502);
    assert.match(JSON.parse(text).error.message, /base URL/);
  });

  describe(`${protocol} to ${protocol}, a silent upstream`, () => {
    const f = impatient(400, { UPSTREAM_PROTOCOL: protocol, HEAD_WAIT: "0.05" });

    // silence lasts until another request has run into the timeout.
    async function silence() {
      const asked = ask(f.url, { path, body: { ...small, stream: true } });
      const x = await f.next(asked);
      const { status, text } = await asked;
      assert.equal(status, 504, text);
      assert.match(JSON.parse(text).error.message, /the upstream's timeout/);
      await x.gone;
    }

    f.test("before its head", silence);

    f.test("in the middle of its body, which is the client's to judge", async () => {
      const call = open(f.url, { path, body: { ...small, stream: true } });
      const x = await f.next(call.reply);
      x.head();
      await x.send("data: one\n\n").catch(() => {}); // fails if the request has already ended
      const { status, body } = await call.reply;
      if (status === 504) throw new TooSlow();
      const chunks = body[Symbol.asyncIterator]();
      assert.equal((await chunks.next()).value.toString(), "data: one\n\n");
      await silence(); // begins after the client has received the last chunk
      await x.send("data: two\n\n");
      assert.equal((await chunks.next()).value.toString(), "data: two\n\n");
      await x.end();
      assert.ok((await chunks.next()).done);
    });
  });
}
