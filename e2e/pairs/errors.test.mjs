// Failures that involve the runtime: connections that break off, bodies over the limit, wrong
// settings. worker/serve/errors_test.go tests the client's error in each protocol.
import assert from "node:assert/strict";
import { beforeEach, describe } from "node:test";
import { answer, role, text } from "../lib/chat.mjs";
import { CLIENT_KEY, ask, errorOf, params, sdk } from "../lib/client.mjs";
import { fixture, impatient, test, worker } from "../lib/fixture.mjs";
import { fold, parse } from "../lib/sse.mjs";
import { TARGET } from "../lib/target.mjs";
import { unreachable } from "../lib/upstream.mjs";

describe("upstream errors", () => {
  const f = fixture();

  test("429 with retry-after", async () => {
    const refusal = { error: { message: "Slow down", type: "some_type", param: null, code: null } };
    f.up.serve((x) =>
      x.answer(429, refusal, {
        "content-type": "application/json",
        "retry-after": "17",
        "x-request-id": "req_up",
      }),
    );
    for (const stream of [false, true]) {
      await assert.rejects(sdk(f.url).messages.create(params({ stream })), (err) => {
        assert.deepEqual(
          [err.status, err.type, err.headers.get("retry-after"), err.requestID],
          [429, "rate_limit_error", "17", "req_up"],
        );
        assert.match(err.message, /Slow down/);
        return true;
      });
    }
  });

  test("a redirect is not followed", async () => {
    f.up.serve((x) => x.answer(307, "", { location: `${f.up.url}/elsewhere` }));
    const err = errorOf(await ask(f.url, { body: params() }), 502);
    assert.match(err.message, /base URL/);
    assert.equal(f.up.requests.length, 1);
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
      await came; // the end of the stream must not overtake the event
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

// Properties of the runtime: its stack, its paths, and bodies that it reads in pieces.
describe("bad requests", () => {
  const f = fixture();
  const key = { "x-api-key": CLIENT_KEY };
  beforeEach(() => f.up.serve((x) => answer(x))); // a bad request that gets through by mistake gets an answer

  for (const [name, body] of [
    [
      "nested 10,000 deep",
      `{"model":"m","max_tokens":1,"messages":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
    ],
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

  test("a body over 16 MB", async () => {
    const body = JSON.stringify(params({ messages: [{ role: "user", content: "x".repeat(16 << 20) }] }));
    errorOf(await ask(f.url, { body }), 413, "request_too_large");
    assert.equal(f.up.requests.length, 0);
  });

  test("a body over 16 MB, without a length", async () => {
    const body = Buffer.from(
      JSON.stringify(params({ messages: [{ role: "user", content: "x".repeat(16 << 20) }] })),
    );
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

// With such settings the wazero host does not start, and prints the same
// (wasmtest/cli/known_test.go).
describe("configuration", () => {
  const somewhere = "http://127.0.0.1:9/v1"; // no test sends a request there
  const starts = TARGET === "workerd";

  test("a wrong setting", async (t) => {
    const [config, message] = [{ UPSTREAM_PROTOCOL: "openai" }, /UPSTREAM_PROTOCOL.*must be.*chat/];
    if (!starts) return assert.rejects(worker(t, somewhere, config), message);
    const url = await worker(t, somewhere, config);
    const answer = await ask(url, { body: params() });
    assert.match(errorOf(answer, 500).message, message);
    assert.equal(answer.headers["x-should-retry"], "false"); // a second try would fail in the same way
  });

  test("no CLIENT_KEY refuses every request", async (t) => {
    if (!starts)
      return assert.rejects(
        worker(t, somewhere, { CLIENT_KEY: undefined }),
        /has no CLIENT_KEY, so it refuses every request/,
      );
    const url = await worker(t, somewhere, { CLIENT_KEY: undefined });
    for (const key of ["<undefined>", "undefined", "<null>", "null", "", CLIENT_KEY]) {
      for (const headers of [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]) {
        const err = errorOf(await ask(url, { headers, body: params() }), 401, "authentication_error");
        assert.match(err.message, /CLIENT_KEY/);
      }
    }
  });

  test("an empty CLIENT_KEY refuses every request", async (t) => {
    if (!starts)
      return assert.rejects(
        worker(t, somewhere, { CLIENT_KEY: "" }),
        /has no CLIENT_KEY, so it refuses every request/,
      );
    const url = await worker(t, somewhere, { CLIENT_KEY: "" });
    errorOf(await ask(url, { headers: { "x-api-key": "" }, body: params() }), 401, "authentication_error");
  });
});
