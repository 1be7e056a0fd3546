// Every failure reaches the client in its own dialect, with the right status and with words on what to do.
import assert from "node:assert/strict";
import { beforeEach, describe } from "node:test";
import { answer, role, text } from "../lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, ask, errorOf, open, params, sdk, textOf } from "../lib/client.mjs";
import { fixture, impatient, test, worker } from "../lib/fixture.mjs";
import { failure } from "../lib/messages.mjs";
import { fold, parse } from "../lib/sse.mjs";
import { TARGET } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest } from "../lib/turns.mjs";
import { unreachable, upstream } from "../lib/upstream.mjs";
import { UPGRADE } from "../lib/websocket.mjs";

const paths = Object.values(PATHS);
const bodies = Object.fromEntries(PROTOCOLS.map((protocol) => [PATHS[protocol], smallest[protocol]()]));

// openAIErrorOf asserts an error answer in the dialect of Chat Completions and Responses, and returns its error.
function openAIErrorOf(answer, status) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.headers["content-type"], /^application\/json\b/);
  const value = JSON.parse(answer.text);
  assert.deepEqual(Object.keys(value), ["error"]);
  assert.deepEqual(Object.keys(value.error).sort(), ["code", "message", "param", "type"]);
  assert.equal(typeof value.error.type, "string");
  assert.ok(value.error.message.trim() !== "", "error without a message");
  return value.error;
}

const inDialect = (path, answer, status) => (path === "/v1/messages" ? errorOf(answer, status) : openAIErrorOf(answer, status));

describe("upstream errors", () => {
  const f = fixture();

  // both asserts the client's error for an upstream's error answer, with a streamed and a plain request.
  async function both(respond, status, type, message, check = () => {}) {
    f.up.serve(respond);
    for (const request of [params(), params({ stream: true })]) {
      const err = await sdk(f.url)
        .messages.create(request)
        .then(
          () => assert.fail("no error"),
          (err) => err,
        );
      assert.equal(err.status, status, String(err));
      assert.equal(err.type, type);
      assert.match(err.message, message);
      check(err);
      errorOf(await ask(f.url, { body: request }), status, type);
    }
  }

  const refusal = (message, more) => ({ error: { message, type: "some_type", param: null, code: null, ...more } });

  test("401", () => both((x) => x.answer(401, refusal("Incorrect API key provided")), 401, "authentication_error", /Incorrect API key provided/));
  test("403", () => both((x) => x.answer(403, refusal("Not for you")), 403, "permission_error", /Not for you/));
  test("404", () => both((x) => x.answer(404, refusal("No such model")), 404, "not_found_error", /No such model/));
  test("404 of a path", () => {
    const words = new RegExp(`The upstream has nothing at ${f.up.url}/chat/completions: 404\\. .*Set UPSTREAM_URL\\. Its own words: 404 page not found`);
    return both((x) => x.answer(404, "404 page not found"), 404, "not_found_error", words);
  });
  test("400", () => both((x) => x.answer(400, refusal("Bad temperature")), 400, "invalid_request_error", /Bad temperature/));

  test("an upstream that repeats its key", async () => {
    const words = `Bearer ${UPSTREAM_KEY} is no good`;
    await both((x) => x.answer(401, refusal(words)), 401, "authentication_error", /^(?!.*upstream-key).*is no good/);
    const call = open(f.url, { body: params({ stream: true }) });
    f.up.serve((x) => x.stream([role, text("some"), `data: ${JSON.stringify(refusal(words))}\n\n`]));
    const stream = await textOf((await call.reply).body);
    assert.match(fold(parse(stream)).error.message, /is no good/);
    assert.ok(!stream.includes(UPSTREAM_KEY));
  });

  test("429 with retry-after", () => {
    const headers = { "content-type": "application/json", "retry-after": "17", "x-request-id": "req_up" };
    return both((x) => x.answer(429, refusal("Slow down"), headers), 429, "rate_limit_error", /Slow down/, (err) => {
      assert.equal(err.headers.get("retry-after"), "17");
      assert.equal(err.requestID, "req_up");
    });
  });

  test("retry-after as a date", async () => {
    const date = "Fri, 31 Dec 2027 23:59:59 GMT";
    f.up.serve((x) => x.answer(503, refusal("Later"), { "content-type": "application/json", "retry-after": date }));
    const { headers } = await ask(f.url, { body: params() });
    assert.equal(headers["retry-after"], date);
  });

  test("500", () => both((x) => x.answer(500, refusal("Broken inside")), 500, "api_error", /Broken inside/));
  test("503", () => both((x) => x.answer(503, refusal("No capacity")), 529, "overloaded_error", /No capacity/));

  test("context overflow in Anthropic's words", () =>
    both(
      (x) => x.answer(400, refusal("This model's maximum context length is 8192 tokens.", { code: "context_length_exceeded" })),
      400,
      "invalid_request_error",
      /prompt is too long/,
    ));

  test("502 with an HTML body", () =>
    both(
      (x) => x.answer(502, "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>", { "content-type": "text/html" }),
      502,
      "api_error",
      /./,
    ));

  test("500 with an empty body", () => both((x) => x.answer(500, ""), 500, "api_error", /./));

  test("a body that is not JSON where JSON was due", async () => {
    f.up.serve((x) => x.answer(200, "<html>hello</html>", { "content-type": "text/html" }));
    const answer = await ask(f.url, { body: params() });
    assert.ok(answer.status >= 500, `status ${answer.status}`);
    errorOf(answer, answer.status);
  });

  test("an empty 200, plain", async () => {
    f.up.serve((x) => x.answer(200, ""));
    const answer = await ask(f.url, { body: params() });
    assert.ok(answer.status >= 500, `status ${answer.status}`);
    errorOf(answer, answer.status);
  });

  test("an empty 200, streamed", async () => {
    f.up.serve((x) => x.stream([]));
    await assert.rejects(sdk(f.url).messages.stream(params()).finalMessage());
  });

  test("a redirect is not followed", async () => {
    f.up.serve((x) => x.answer(307, "", { location: `${f.up.url}/elsewhere` }));
    const err = errorOf(await ask(f.url, { body: params() }), 502);
    assert.match(err.message, /base URL/);
    assert.equal(f.up.requests.length, 1);
  });

  test("an error inside the stream", async () => {
    f.up.serve((x) => x.stream([role, text("some"), `data: ${JSON.stringify(refusal("Died inside"))}\n\n`]));
    const client = sdk(f.url);
    await assert.rejects(client.messages.stream(params()).finalMessage(), /Died inside/);
    assert.ok(fold(parse(client.streams[0].text)).error);
  });

  for (const [name, end] of [
    ["ends", (x) => x.end()],
    ["is cut", (x) => x.cut()],
    ["is reset", (x) => x.reset()],
  ]) {
    test(`a stream that ${name} without a finish is an error`, async () => {
      const client = sdk(f.url);
      const stream = client.messages.stream(params());
      const came = stream.emitted("text");
      const x = await f.up.next();
      x.head();
      await x.send(role);
      await x.send(text("some"));
      await came; // so that the end of the stream can't overtake the event
      const failed = assert.rejects(stream.finalMessage(), { type: "api_error" });
      await end(x);
      await failed;
      assert.ok(fold(parse(client.streams[0].text)).error);
    });
  }

  test("a stream that is cut before its first event", async () => {
    const client = sdk(f.url);
    const stream = client.messages.stream(params());
    const failed = assert.rejects(stream.finalMessage(), { type: "api_error" });
    const x = await f.up.next();
    x.head();
    await stream.withResponse(); // the client has the answer's head
    x.cut();
    await failed;
  });

  test("a plain answer that is cut", async () => {
    const asked = ask(f.url, { body: params() });
    const x = await f.up.next();
    x.head(200, { "content-type": "application/json" });
    await x.send('{"id":');
    x.cut();
    errorOf(await asked, 502, "api_error");
  });

  test("a connection that is closed before the head", async () => {
    f.up.serve((x) => x.cut());
    errorOf(await ask(f.url, { body: params({ stream: true }) }), 502, "api_error");
  });
});

// An error answer: its status, its type in Messages, its type and code in OpenAI's APIs. Codes on which clients act are tested;
// null stands for the upstream's own code, where it has one.
const answers = [
  [400, "invalid_request_error", "invalid_request_error", null],
  [401, "authentication_error", "invalid_request_error", null],
  [403, "permission_error", "invalid_request_error", null],
  [404, "not_found_error", "invalid_request_error", null],
  [413, "request_too_large", "invalid_request_error", null],
  [422, "invalid_request_error", "invalid_request_error", null],
  [429, "rate_limit_error", "rate_limit_error", "rate_limit_exceeded"],
  [500, "api_error", "server_error", null],
  [503, "overloaded_error", "server_error", "server_is_overloaded"],
  [529, "overloaded_error", "server_error", "server_is_overloaded"],
];

for (const upstream of PROTOCOLS) {
  describe(`errors of an upstream that speaks ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream });
    const bodyOf = (type, openAIType, code, message) =>
      upstream === "anthropic" ? failure(type, message) : { error: { message, type: openAIType, param: null, code } };

    for (const client of PROTOCOLS.filter((client) => client !== upstream)) {
      const path = PATHS[client];

      for (const [status, type, openAIType, code] of answers) {
        test(`${status} to ${client}`, async () => {
          const headers = { "content-type": "application/json", "retry-after": "17", "request-id": "req_1" };
          f.up.serve((x) => x.answer(status, bodyOf(type, openAIType, code, `Words on ${status}`), headers));
          for (const stream of [false, true]) {
            const answer = await ask(f.url, { path, body: smallest[client]({ stream }) });
            const overloaded = client === "anthropic" ? 529 : 503;
            const err = inDialect(path, answer, status === 503 || status === 529 ? overloaded : status);
            assert.match(err.message, new RegExp(`Words on ${status}`));
            assert.equal(err.type, client === "anthropic" ? type : openAIType);
            if (client !== "anthropic" && code) assert.equal(err.code, code);
            assert.equal(answer.headers["retry-after"], "17");
            assert.equal(answer.headers["x-request-id"], "req_1");
          }
        });
      }

      test(`a prompt that is too long, to ${client}`, async () => {
        const words = upstream === "anthropic" ? "prompt is too long: 9 tokens > 8 maximum" : "This model's maximum context length is 8 tokens.";
        f.up.serve((x) => x.answer(400, bodyOf("invalid_request_error", "invalid_request_error", "context_length_exceeded", words)));
        const err = inDialect(path, await ask(f.url, { path, body: smallest[client]() }), 400);
        assert.equal(err.type, "invalid_request_error");
        if (client === "anthropic") assert.match(err.message, /^prompt is too long/);
        else assert.equal(err.code, "context_length_exceeded");
      });
    }
  });
}

test("upstream unreachable", async (t) => {
  const url = await worker(t, await unreachable());
  for (const stream of [true, false]) {
    const err = errorOf(await ask(url, { body: params({ stream }) }), 502, "api_error");
    assert.match(err.message, /base URL/);
  }
});

describe("upstream silent for too long", () => {
  const f = impatient(200);

  f.test("plain", async () => {
    const asked = ask(f.url, { body: params() });
    const x = await f.next(asked);
    const err = errorOf(await asked, 504);
    assert.match(err.message, /the upstream's timeout/);
    await x.gone;
  });
});

describe("bad requests", () => {
  const f = fixture();
  const key = { "x-api-key": CLIENT_KEY };
  beforeEach(() => f.up.serve((x) => answer(x))); // a bad request that gets through by mistake gets an answer

  for (const [name, body] of [
    ["not JSON", "{nope"],
    ["empty", ""],
    ["not an object", "[1,2]"],
    ["cut off", JSON.stringify(params()).slice(0, -1)],
    ["two values", `${JSON.stringify(params())}{}`],
    ["bad UTF-8", Buffer.concat([Buffer.from('{"model":"'), Buffer.from([0xff, 0xfe]), Buffer.from(JSON.stringify(params()).slice('{"model":"'.length))])],
    ["nested 10,000 deep", `{"model":"m","max_tokens":1,"messages":${"[".repeat(10_000)}${"]".repeat(10_000)}}`],
    ["objects nested 10,000 deep", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["nested 10,000 deep and cut off", `{"messages":${"[".repeat(10_000)}`],
  ]) {
    test(`body ${name}`, async () => {
      errorOf(await ask(f.url, { body }), 400, "invalid_request_error");
      assert.equal(f.up.requests.length, 0);
    });
  }

  const skip = TARGET === "wazero" && "Go's HTTP server refuses it by itself";
  test("a path that is no path", { skip }, async () => {
    const { status, text } = await ask(f.url, { path: "/%zz", method: "GET", headers: key });
    assert.equal(status, 400, text);
    assert.equal(JSON.parse(text).error.type, "invalid_request_error");
  });

  test("a bad field is named by its path", async () => {
    const messages = [{ role: "user", content: [{ type: "text", text: "a" }, { type: "text", text: 5 }] }];
    const err = errorOf(await ask(f.url, { body: params({ messages }) }), 400, "invalid_request_error");
    assert.match(err.message, /messages[.[]0\]?\.content[.[]1/);
  });

  test("a thread is refused in the way that makes the SDK go on without", async () => {
    const err = errorOf(await ask(f.url, { body: params({ thread: { type: "create" } }) }), 400, "invalid_request_error");
    assert.equal(err.details?.error_code, "thread_unsupported_request");
  });

  for (const path of paths) {
    test(`wrong method on ${path}`, async () => {
      const answer = await ask(f.url, { path, method: "GET", headers: key });
      inDialect(path, answer, 405);
      assert.equal(answer.headers.allow, "POST");
    });

    if (path !== PATHS.responses) {
      test(`a WebSocket on ${path}`, async () => {
        const answer = await ask(f.url, { path, method: "GET", headers: { ...key, ...UPGRADE } });
        assert.match(inDialect(path, answer, 426).message, /POST/);
      });
    }

    test(`no key on ${path}`, async () => {
      const err = inDialect(path, await ask(f.url, { path, headers: {}, body: bodies[path] }), 401);
      assert.match(err.message, /x-api-key/);
      assert.equal(f.up.requests.length, 0);
    });

    for (const [name, headers] of [
      ["x-api-key", { "x-api-key": "wrong" }],
      ["bearer", { authorization: "Bearer wrong" }],
      ["prefix", { "x-api-key": CLIENT_KEY.slice(0, -1) }],
      ["longer", { "x-api-key": `${CLIENT_KEY}x` }],
      ["missing value's name", { "x-api-key": "<undefined>" }],
      ["basic", { authorization: `Basic ${CLIENT_KEY}` }],
    ]) {
      test(`wrong key (${name}) on ${path}`, async () => {
        const err = inDialect(path, await ask(f.url, { path, headers, body: bodies[path] }), 401);
        assert.match(err.message, /CLIENT_KEY|x-api-key/);
        assert.equal(f.up.requests.length, 0);
      });
    }
  }

  test("unknown path", async () => {
    assert.match(openAIErrorOf(await ask(f.url, { path: "/nope", method: "GET", headers: {} }), 404).message, /\/v1\/messages/);
    for (const headers of [key, { "anthropic-version": "2023-06-01" }]) {
      errorOf(await ask(f.url, { path: "/v1/nope", headers, body: {} }), 404, "not_found_error");
    }
    errorOf(await ask(f.url, { path: "/v1/messages/nope", headers: key, body: {} }), 404, "not_found_error");
  });

  test("a body over 16 MB", async () => {
    const body = JSON.stringify(params({ messages: [{ role: "user", content: "x".repeat(16 << 20) }] }));
    errorOf(await ask(f.url, { body }), 413, "request_too_large");
    assert.equal(f.up.requests.length, 0);
  });

  test("a body over 16 MB, without a length", async () => {
    const body = Buffer.from(JSON.stringify(params({ messages: [{ role: "user", content: "x".repeat(16 << 20) }] })));
    const headers = { ...key, "transfer-encoding": "chunked" };
    errorOf(await ask(f.url, { headers, body }), 413, "request_too_large");
  });

  test("a body just under 16 MB passes", async () => {
    const body = JSON.stringify(params({ messages: [{ role: "user", content: "" }] }));
    const fill = "x".repeat((16 << 20) - body.length);
    const { status, text } = await ask(f.url, { body: body.replace('"content":""', `"content":"${fill}"`) });
    assert.equal(status, 200, text);
    assert.equal(f.up.requests[0].json.messages[0].content.length, fill.length);
  });
});

// The wazero host does not start with such settings, and says the same (wasmtest/cli/known_test.go).
describe("configuration", () => {
  const somewhere = "http://127.0.0.1:9/v1"; // no test sends it a request
  const starts = TARGET === "workerd";

  for (const [name, config, message] of [
    ["UPSTREAM_PROTOCOL missing", { UPSTREAM_PROTOCOL: undefined }, /UPSTREAM_PROTOCOL.*not set.*chat/],
    ["UPSTREAM_PROTOCOL unknown", { UPSTREAM_PROTOCOL: "openai" }, /UPSTREAM_PROTOCOL.*must be.*chat/],
    ["UPSTREAM_URL missing", { UPSTREAM_URL: undefined }, /UPSTREAM_URL.*not set/],
    ["UPSTREAM_URL not a URL", { UPSTREAM_URL: "api.example.com/v1" }, /UPSTREAM_URL.*must be/],
    ["UPSTREAM_URL of another scheme", { UPSTREAM_URL: "ftp://api.example.com" }, /UPSTREAM_URL.*must be/],
    ["UPSTREAM_URL with a password", { UPSTREAM_URL: "https://user:secret@api.example.com" }, /UPSTREAM_URL.*no password/],
    ["UPSTREAM_URL without a host", { UPSTREAM_URL: "http://" }, /UPSTREAM_URL.*must be/],
    ["MODELS not JSON", { MODELS: "{nope" }, /MODELS.*JSON/],
    ["MODELS not an object", { MODELS: '["a"]' }, /MODELS.*object/],
    ["MODELS with a value of the wrong type", { MODELS: '{"a":1}' }, /MODELS/],
    ["OPTIONS not JSON", { OPTIONS: "nope" }, /OPTIONS.*JSON/],
    ["OPTIONS with an unknown key", { OPTIONS: '{"lossy":"report","lozzy":"report"}' }, /OPTIONS\.lozzy/],
    ["OPTIONS with a wrong value", { OPTIONS: '{"lossy":"maybe"}' }, /OPTIONS\.lossy.*report/],
    ["UPSTREAM_OPTIONS not JSON", { UPSTREAM_OPTIONS: "[" }, /UPSTREAM_OPTIONS.*JSON/],
    ["UPSTREAM_OPTIONS with an unknown key", { UPSTREAM_OPTIONS: '{"tokenparam":"max_tokens"}' }, /UPSTREAM_OPTIONS\.tokenparam/],
    ["HEAD_WAIT not a number", { HEAD_WAIT: "soon" }, /HEAD_WAIT/],
    ["UPSTREAM_TIMEOUT negative", { UPSTREAM_TIMEOUT: "-1" }, /UPSTREAM_TIMEOUT/],
    ["AUTH unknown", { AUTH: "open" }, /AUTH.*forward/],
  ]) {
    test(name, async (t) => {
      if (!starts) return assert.rejects(worker(t, somewhere, config), message);
      const url = await worker(t, somewhere, config);
      for (const path of paths) {
        const answer = await ask(url, { path, headers: { "x-api-key": CLIENT_KEY }, body: bodies[path] });
        assert.match(inDialect(path, answer, 500).message, message);
        assert.equal(answer.headers["x-should-retry"], "false"); // a second try would fail in the same way
      }
    });
  }

  test("a bad configuration says nothing to a client without the key", { skip: !starts && "it does not start" }, async (t) => {
    const url = await worker(t, somewhere, { UPSTREAM_PROTOCOL: "openai" });
    const err = errorOf(await ask(url, { headers: {}, body: params() }), 401);
    assert.doesNotMatch(err.message, /UPSTREAM/);
  });

  test("no CLIENT_KEY refuses every request", async (t) => {
    if (!starts) return assert.rejects(worker(t, somewhere, { CLIENT_KEY: undefined }), /has no CLIENT_KEY, so it refuses every request/);
    const url = await worker(t, somewhere, { CLIENT_KEY: undefined });
    for (const key of ["<undefined>", "undefined", "<null>", "null", "", CLIENT_KEY]) {
      for (const headers of [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]) {
        const err = errorOf(await ask(url, { headers, body: params() }), 401, "authentication_error");
        assert.match(err.message, /CLIENT_KEY/);
      }
    }
  });

  test("an empty CLIENT_KEY refuses every request", async (t) => {
    if (!starts) return assert.rejects(worker(t, somewhere, { CLIENT_KEY: "" }), /has no CLIENT_KEY, so it refuses every request/);
    const url = await worker(t, somewhere, { CLIENT_KEY: "" });
    errorOf(await ask(url, { headers: { "x-api-key": "" }, body: params() }), 401, "authentication_error");
  });
});

describe("AUTH=forward", () => {
  const f = fixture({ AUTH: "forward", CLIENT_KEY: undefined });
  beforeEach(() => f.up.serve((x) => answer(x)));

  test("the client's own credential goes to the upstream", async () => {
    await sdk(f.url, { apiKey: "own-key-1" }).messages.create(params());
    await sdk(f.url, { apiKey: null, authToken: "own-key-2" }).messages.create(params());
    assert.deepEqual(f.up.requests.map((x) => x.headers.authorization), ["Bearer own-key-1", "Bearer own-key-2"]);
    assert.ok(f.up.requests.every((x) => x.headers["x-api-key"] === undefined));
  });

  test("a client without one is refused", async () => {
    errorOf(await ask(f.url, { headers: {}, body: params() }), 401, "authentication_error");
    assert.equal(f.up.requests.length, 0);
  });
});
