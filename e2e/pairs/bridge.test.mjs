// The contract of worker/bridge/doc.go, tested from both ends. Every host passes these tests.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gzipSync } from "node:zlib";
import { answer, call, done, finish, plain, role, text, textStream, usage } from "../lib/chat.mjs";
import { CLIENT_KEY, ask, errorOf, open, params, sdk, streamed, textOf } from "../lib/client.mjs";
import { fixture, impatient, test, worker } from "../lib/fixture.mjs";
import { checkMessage, fold, parse, reader } from "../lib/sse.mjs";
import { NATIVE } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { TooSlow, longEnough } from "../lib/waiting.mjs";

const streaming = params({ stream: true });
const refusal = (message) => ({ error: { message, type: "some_type", param: null, code: null } });

// A small stream with everything that the end of a chunk can cut in two: escapes, multi-byte
// characters, a tool call, a comment.
const small = [
  role,
  ": a comment\n\n",
  text("é\\漢 "),
  text("\u{1f600}\n"),
  call(0, { id: "call_1", type: "function", function: { name: "list", arguments: "" } }),
  call(0, { function: { arguments: '{"a":"\u{1f600}\\n"}' } }),
  finish("tool_calls"),
  usage(),
  done,
];

// bytesOf runs a streamed request with an upstream that sends chunks, and returns the client's
// bytes.
async function bytesOf(f, chunks) {
  f.up.serve((x) => x.stream(chunks));
  const { status, headers, text } = await ask(f.url, { body: streaming });
  assert.equal(status, 200, text);
  assert.match(headers["content-type"], /^text\/event-stream\b/);
  return text;
}

describe("chunks", () => {
  const f = fixture();

  test("one event per chunk", async () => {
    const { message, error } = fold(parse(await bytesOf(f, small)));
    assert.equal(error, null);
    assert.deepEqual(
      message.content.map(({ text, name, input }) => text ?? { name, input }),
      ["é\\漢 \u{1f600}\n", { name: "list", input: { a: "\u{1f600}\n" } }],
    );
  });

  test("all events in one chunk", async () => {
    assert.equal(await bytesOf(f, [small.join("")]), await bytesOf(f, small));
  });

  test("each byte a chunk", async () => {
    const bytes = Buffer.from(small.join(""));
    assert.equal(
      await bytesOf(
        f,
        [...bytes].map((byte) => Buffer.of(byte)),
      ),
      await bytesOf(f, small),
    );
  });

  test("cut in two at every byte", async () => {
    const bytes = Buffer.from(small.join(""));
    const whole = await bytesOf(f, small);
    for (let at = 1; at < bytes.length; at++) {
      assert.equal(await bytesOf(f, [bytes.subarray(0, at), bytes.subarray(at)]), whole, `cut at byte ${at}`);
    }
  });

  for (const [name, end] of [
    ["CRLF", "\r\n"],
    ["CR", "\r"],
  ]) {
    test(`lines that end with ${name}`, async () => {
      const whole = await bytesOf(f, small);
      const chunks = small.map((chunk) => chunk.replaceAll("\n", end));
      assert.equal(await bytesOf(f, chunks), whole);
      assert.equal(
        await bytesOf(
          f,
          [...Buffer.from(chunks.join(""))].map((byte) => Buffer.of(byte)),
        ),
        whole,
      );
    });
  }

  test("an event of 2 MB", async () => {
    const content = "0123456789abcdé\n".repeat(1 << 17);
    const { message } = fold(
      parse(
        await bytesOf(f, [
          role,
          text("before "),
          text(content),
          text(" after"),
          finish("stop"),
          usage(),
          done,
        ]),
      ),
    );
    assert.ok(message.content[0].text === `before ${content} after`, "the text is not whole");
  });

  test("events of growing size", async () => {
    const parts = Array.from({ length: 21 }, (_, i) => String.fromCharCode(97 + i).repeat(1 << i));
    const { message } = fold(parse(await bytesOf(f, textStream(...parts))));
    assert.ok(message.content[0].text === parts.join(""), "the text is not whole");
  });

  test("20 MB in 20,000 events", async () => {
    const parts = Array.from({ length: 20_000 }, (_, i) => String(i).padStart(1024, "."));
    const { message } = fold(parse(await bytesOf(f, textStream(...parts))));
    assert.ok(message.content[0].text === parts.join(""), "the text is not whole");
  });

  test("a client that reads late loses nothing", async () => {
    const call = open(f.url, { body: streaming });
    const x = await f.up.next();
    x.head();
    const parts = [];
    let [held, over] = [true, false];
    // The upstream sends until the client continues to read: Linux may buffer 32 MB for one
    // connection (tcp_rmem).
    const sent = (async () => {
      await x.send(role);
      for (; held; await x.send(text(parts.at(-1)))) {
        assert.ok(parts.length < 50_000, "200 MB were taken for a client that does not read");
        parts.push(String(parts.length).padStart(4096, "."));
      }
      for (const chunk of [finish("stop"), usage(), done]) await x.send(chunk);
      await x.end();
    })().finally(() => (over = true));
    const { body } = await call.reply;
    // The client continues to read only when the upstream can't send any more. By then every buffer
    // between client and upstream is full.
    await Promise.race([stalled(x, () => over), sent]);
    held = false;
    const { message } = fold(parse(await textOf(body)));
    await sent;
    assert.ok(message.content[0].text === parts.join(""), "the text is not whole");
  });

  test("two streams at the same time", async () => {
    const exchanges = {};
    const readers = {};
    for (const name of ["left", "right"]) {
      const call = open(f.url, { body: params({ stream: true, model: name }) });
      const x = await f.up.next();
      assert.equal(x.json.model, name);
      x.head();
      await x.send(role);
      exchanges[name] = x;
      readers[name] = reader((await call.reply).body);
    }
    for (let i = 0; i < 20; i++) {
      for (const name of ["left", "right"]) {
        await exchanges[name].send(text(`${name}${i}`));
        assert.equal((await readers[name].find("content_block_delta")).delta.text, `${name}${i}`);
      }
    }
    for (const name of ["left", "right"]) {
      for (const chunk of [finish("stop"), usage(), done]) await exchanges[name].send(chunk);
      await exchanges[name].end();
      await readers[name].find("message_stop");
      assert.equal(await readers[name].next(), null);
    }
  });

  test("forty requests at the same time", async () => {
    f.up.serve((x) => answer(x, x.json.messages[0].content));
    const client = sdk(f.url);
    const texts = Array.from({ length: 40 }, (_, i) => `answer ${i}`);
    const messages = await Promise.all(
      texts.map((content, i) => {
        const request = params({ messages: [{ role: "user", content }] });
        return i % 2 ? client.messages.create(request) : client.messages.stream(request).finalMessage();
      }),
    );
    assert.deepEqual(
      messages.map((message) => message.content[0].text),
      texts,
    );
  });
});

// stalled resolves after many ticks of the event loop without progress of the upstream's pending
// sends, or when over reports that the upstream sends nothing more.
async function stalled(x, over) {
  for (let turns = 0, last = -1; turns < 2000 && !over(); last = x.sent) {
    await new Promise((resolve) => setImmediate(resolve));
    turns = x.sent === last && x.pending > 0 ? turns + 1 : 0;
  }
}

describe("shapes of the answer", () => {
  const f = fixture();

  test("a plain answer to a streamed request", async () => {
    const made = { id: "call_1", type: "function", function: { name: "list", arguments: '{"a":1}' } };
    f.up.serve((x) => x.answer(200, plain({ content: "some", tool_calls: [made] }, "tool_calls")));
    const message = await streamed(sdk(f.url), params());
    assert.deepEqual(
      message.content.map(({ text, input }) => text ?? input),
      ["some", { a: 1 }],
    );
    assert.equal(message.stop_reason, "tool_use");
    assert.equal(message.usage.input_tokens, 11);
    assert.equal(message.usage.output_tokens, 7);
  });

  test("a stream to a plain request", async () => {
    f.up.serve((x) => x.stream(small));
    const { status, headers, text } = await ask(f.url, { body: params() });
    assert.equal(status, 200, text);
    assert.match(headers["content-type"], /^application\/json\b/);
    const message = checkMessage(JSON.parse(text));
    assert.deepEqual(
      message.content.map(({ text, input }) => text ?? input),
      ["é\\漢 \u{1f600}\n", { a: "\u{1f600}\n" }],
    );
    assert.equal(message.usage.output_tokens, 7);
  });

  test("a cut stream to a plain request", async () => {
    const asked = ask(f.url, { body: params() });
    const x = await f.up.next();
    x.head();
    await x.send(small.slice(0, 4).join(""));
    x.cut();
    errorOf(await asked, 502);
  });

  test("a stream that is over ends the client's stream, and the upstream's connection", async () => {
    const asked = ask(f.url, { body: streaming });
    const x = await f.up.next();
    x.head();
    await x.send(textStream("some").join("")); // the upstream does not end its stream
    const { message } = fold(parse((await asked).text));
    assert.equal(message.content[0].text, "some");
    await x.gone;
  });

  test("an answer that is complete ends, whatever the upstream still sends", async () => {
    const call = open(f.url, { body: streaming });
    const x = await f.up.next();
    x.head();
    await x.send(role + text("some") + finish("stop")); // neither usage nor [DONE] follow
    const beats = (async () => {
      for (;;) await x.send(": heartbeat\n\n"); // until the connection is closed
    })();
    const broken = assert.rejects(beats);
    const { message, error } = fold(parse(await textOf((await call.reply).body)));
    assert.equal(error, null);
    assert.equal(message.stop_reason, "end_turn");
    await x.gone;
    await broken;
  });

  test("an answer that goes on behind its finish_reason is not ended", async () => {
    // startContinuing starts an answer that continues after its finish_reason. The worker waits two seconds
    // for more.
    const startContinuing = async () => {
      const late = open(f.url, { body: streaming });
      const x = await f.up.next();
      x.head();
      const began = Date.now();
      await x.send(role + text("some") + finish("stop"));
      const events = reader((await late.reply).body);
      const next = async () => (await events.find("content_block_delta")).delta.text;
      assert.equal(await next(), "some");
      try {
        await x.send(text(" more"));
        assert.equal(await next(), " more");
      } catch (error) {
        throw Date.now() - began > 1500 ? new TooSlow() : error;
      }
      return { x, events, next };
    };
    const { x, events, next } = await longEnough(1, startContinuing);
    // started later, and would be ended later than the first request
    const ended = ask(f.url, { body: streaming });
    const y = await f.up.next();
    y.head();
    await y.send(role + text("some") + finish("stop"));
    await y.gone;
    await ended;
    await x.send(text(" at last") + done);
    assert.equal(await next(), " at last");
    await events.find("message_stop");
  });

  for (const stream of [true, false]) {
    test(`a stream that the upstream calls JSON, to a ${stream ? "streamed" : "plain"} request`, async () => {
      f.up.serve((x) => x.answer(200, textStream("some").join("")));
      const { text } = await ask(f.url, { body: params({ stream }) });
      const message = stream ? fold(parse(text)).message : checkMessage(JSON.parse(text));
      assert.equal(message.content[0].text, "some");
    });
  }

  for (const type of ["text/event-stream", "text/plain", undefined]) {
    test(`a plain answer that the upstream calls ${type}, to a streamed request`, async () => {
      const headers = type ? { "content-type": type } : {};
      f.up.serve((x) => x.answer(200, "\n " + JSON.stringify(plain({ content: "some" })), headers));
      assert.equal(fold(parse((await ask(f.url, { body: streaming })).text)).message.content[0].text, "some");
      f.up.serve((x) =>
        x.answer(200, JSON.stringify({ error: { message: "slow down", code: 429 } }), headers),
      );
      const { error } = fold(parse((await ask(f.url, { body: streaming })).text));
      assert.deepEqual([error.type, error.message], ["rate_limit_error", "slow down"]);
    });
  }

  test("a stream that begins with an id, to a plain request", async () => {
    f.up.serve((x) => x.answer(200, "retry: 1\nid: 1\n" + textStream("some").join("")));
    assert.equal(
      checkMessage(JSON.parse((await ask(f.url, { body: params() })).text)).content[0].text,
      "some",
    );
  });

  test("compressed answers, though none are asked for", async () => {
    const gzip = { "content-encoding": "gzip" };
    f.up.serve((x) =>
      x.json.stream
        ? x.answer(200, gzipSync(small.join("")), { "content-type": "text/event-stream", ...gzip })
        : x.answer(200, gzipSync(JSON.stringify(plain({ content: "some" }))), {
            "content-type": "application/json",
            ...gzip,
          }),
    );
    assert.equal((await streamed(sdk(f.url), params())).stop_reason, "tool_use");
    assert.equal((await sdk(f.url).messages.create(params())).content[0].text, "some");
    assert.deepEqual(
      f.up.requests.map((x) => x.headers["accept-encoding"]),
      ["identity", "identity"],
    );
  });

  test("nothing behind the end counts", async () => {
    const whole = await bytesOf(f, textStream("some"));
    assert.equal(await bytesOf(f, [textStream("some").join("") + text("more")]), whole);
  });

  test("headers of a stream", async () => {
    f.up.serve((x) => x.stream(small));
    const { headers } = await ask(f.url, { body: streaming });
    assert.match(headers["content-type"], /^text\/event-stream\b/);
    assert.match(headers["cache-control"], /no-cache/);
    assert.equal(headers["content-encoding"], undefined);
  });
});

describe("keep-alive", () => {
  const f = fixture({ HEAD_WAIT: "0.05" });

  // held starts a streamed request, and resolves when the client has received two pings. The
  // upstream has not sent its response head by then.
  async function held() {
    const call = open(f.url, { body: streaming });
    const x = await f.up.next();
    const { status, headers, body } = await call.reply;
    assert.equal(status, 200);
    assert.match(headers["content-type"], /^text\/event-stream\b/);
    const events = reader(body);
    for (let i = 0; i < 2; i++) assert.deepEqual(await events.next(), { type: "ping" });
    return { x, events };
  }

  test("before the upstream's head", async () => {
    const { x, events } = await held();
    await x.stream(small);
    const { message, error } = fold(await events.rest());
    assert.equal(error, null);
    assert.equal(message.stop_reason, "tool_use");
  });

  test("in the middle of the stream, and of an event", async () => {
    const call = open(f.url, { body: streaming });
    const x = await f.up.next();
    x.head();
    const bytes = Buffer.from(small.join(""));
    const cut = bytes.indexOf("漢") + 1; // inside a character, and inside an event
    await x.send(bytes.subarray(0, cut));
    const events = reader((await call.reply).body);
    const first = [];
    while (first.filter((event) => event.type === "ping").length < 2) first.push(await events.next());
    await x.send(bytes.subarray(cut));
    await x.end();
    const { message, error } = fold([...first, ...(await events.rest())]);
    assert.equal(error, null);
    assert.equal(message.content[0].text, "é\\漢 \u{1f600}\n");
  });

  test("while the upstream sends only heartbeats", async () => {
    const call = open(f.url, { body: streaming });
    const x = await f.up.next();
    x.head();
    await x.send(small[0]);
    let heard = false;
    const beats = (async () => {
      while (!heard) {
        await x.send(": heartbeat\n\n");
        // lets the client read, which runs in the same process
        await new Promise((resolve) => setImmediate(resolve));
      }
    })();
    const events = reader((await call.reply).body);
    const first = [await events.find("message_start")];
    for (let i = 0; i < 2; i++) assert.deepEqual(await events.next(), { type: "ping" });
    heard = true;
    await beats;
    for (const chunk of small.slice(1)) await x.send(chunk);
    await x.end();
    assert.equal(fold([...first, ...(await events.rest())]).error, null);
  });

  test("the SDK does not mind", async () => {
    const client = sdk(f.url);
    const stream = client.messages.stream(params());
    const x = await f.up.next();
    await stream.withResponse(); // 200 came before the upstream's head
    await x.stream(textStream("some"));
    assert.equal((await stream.finalMessage()).content[0].text, "some");
    assert.equal(fold(parse(client.streams[0].text)).message.content[0].text, "some");
  });

  for (const [status, body, type, message] of [
    [429, refusal("Slow down"), "rate_limit_error", /Slow down/],
    [401, refusal("Incorrect API key"), "authentication_error", /Incorrect API key/],
    [500, "", "api_error", /./],
    [502, "<html>Bad Gateway</html>", "api_error", /./],
    [307, "", "api_error", /base URL/],
  ]) {
    test(`a late ${status} is an error event`, async () => {
      const { x, events } = await held();
      await x.answer(status, body, status === 307 ? { location: f.up.url } : undefined);
      const { error } = fold(await events.rest());
      assert.equal(error?.type, type);
      assert.match(error.message, message);
      assert.equal(f.up.requests.length, 1);
    });
  }

  test("a late plain answer is a stream", async () => {
    const { x, events } = await held();
    await x.answer(200, plain({ content: "some" }));
    const { message, error } = fold(await events.rest());
    assert.equal(error, null);
    assert.equal(message.content[0].text, "some");
  });

  test("a late plain answer that is cut", async () => {
    const { x, events } = await held();
    x.head(200, { "content-type": "application/json" });
    await x.send(JSON.stringify(plain({ content: "some" })).slice(0, 40));
    x.cut();
    assert.equal(fold(await events.rest()).error?.type, "api_error");
  });

  test("a late loss of the connection is an error event", async () => {
    const { x, events } = await held();
    x.cut();
    const { error } = fold(await events.rest());
    assert.equal(error?.type, "api_error");
    assert.match(error.message, /base URL/);
  });

  test("a late stream that is cut", async () => {
    const { x, events } = await held();
    x.head();
    await x.send(role);
    await x.send(text("some"));
    const first = [
      await events.find("message_start"),
      await events.find("content_block_start"),
      await events.find("content_block_delta"),
    ];
    x.cut();
    assert.equal(fold([...first, ...(await events.rest())]).error?.type, "api_error");
  });

  test("a plain request just waits", async () => {
    const asked = ask(f.url, { body: params() });
    const { x } = await (async () => {
      const x = await f.up.next();
      // A stream that starts after the plain request gets its pings while the plain request still
      // has no response head.
      const other = open(f.url, { body: streaming });
      const y = await f.up.next();
      const events = reader((await other.reply).body);
      for (let i = 0; i < 3; i++) assert.deepEqual(await events.next(), { type: "ping" });
      await y.stream(small);
      await events.rest();
      return { x };
    })();
    await x.answer(200, plain({ content: "some" }));
    const { status, text } = await asked;
    assert.equal(status, 200);
    assert.equal(checkMessage(JSON.parse(text)).content[0].text, "some");
  });
});

describe("a silent upstream", () => {
  const f = impatient(400, { HEAD_WAIT: "0.05" });

  f.test("before its head", async () => {
    const asked = ask(f.url, { body: streaming });
    const x = await f.next(asked);
    const { status, text } = await asked;
    assert.equal(status, 200);
    const { error } = fold(parse(text));
    assert.match(error?.message, /the upstream's timeout/);
    await x.gone;
  });

  f.test("in the middle of its stream", async () => {
    const asked = ask(f.url, { body: streaming });
    const x = await f.next(asked);
    x.head();
    // fails if the request has already ended
    for (const chunk of [role, text("some")]) await x.send(chunk).catch(() => {});
    const events = parse((await asked).text);
    const { message, error } = fold(events);
    if (!message?.content.length) throw new TooSlow();
    assert.equal(message.content[0].text, "some");
    assert.match(error?.message, /the upstream's timeout/);
    assert.ok(
      events.some((event) => event.type === "ping"),
      "no keep-alive came before",
    );
    await x.gone;
  });

  f.test("in the middle of a late plain body", async () => {
    const call = open(f.url, { body: streaming });
    const events = reader((await call.reply).body);
    const first = await events.next();
    if (first.type === "error") throw new TooSlow();
    assert.equal(first.type, "ping");
    const rest = events.rest();
    const x = await f.next(rest);
    x.head(200, { "content-type": "application/json" });
    await x.send('{"id":').catch(() => {}); // fails if the request has already ended, unnoticed by the client
    assert.match(fold(await rest).error?.message, /the upstream's timeout/);
    await x.gone;
  });
});

test("a silent client is not a silent upstream", async (t) => {
  // The upstream sends more than the buffers between upstream and client hold. The client continues
  // to read only after another request has timed out. The test's process is the upstream: its own
  // pause between two chunks must be shorter than the timeout.
  const parts = Array.from({ length: 2_000 }, (_, i) => String(i).padStart(4096, "."));
  await longEnough(3000, async (timeout) => {
    const up = await upstream();
    t.after(() => up.close());
    const url = await worker(t, up.url, { HEAD_WAIT: "0.05", UPSTREAM_TIMEOUT: String(timeout / 1000) });
    const call = open(url, { body: streaming });
    const x = await up.next();
    x.head();
    const sent = (async () => {
      for (const chunk of textStream(...parts)) await x.send(chunk);
      await x.end();
    })().catch((error) => error);
    const { body } = await call.reply;
    const asked = ask(url, { body: streaming });
    await up.next(); // the other request, without an answer
    assert.ok(fold(parse((await asked).text)).error);
    const { message, error } = fold(parse(await textOf(body)));
    if (/the upstream's timeout/.test(error?.message)) throw new TooSlow();
    assert.equal(error, null);
    assert.equal(await sent, undefined);
    assert.ok(message.content[0].text === parts.join(""), "the text is not whole");
  });
});

describe("an upstream that is silent before any head goes out", () => {
  const f = impatient(200, { HEAD_WAIT: "3600" });

  f.test("is an error answer", async () => {
    const asked = ask(f.url, { body: streaming });
    const x = await f.next(asked);
    assert.match(errorOf(await asked, 504).message, /the upstream's timeout/);
    await x.gone;
  });
});

describe("a program that traps", () => {
  const f = fixture({ HEAD_WAIT: "0.05" }, { faults: true });

  const withFault = (where, body) =>
    open(f.url, { headers: { "x-api-key": CLIENT_KEY, "x-test-panic": where }, body });
  const other = (path, where) =>
    ask(f.url, { path, headers: { "x-api-key": CLIENT_KEY, "x-test-panic": where }, body: params() });

  async function works() {
    f.up.serve((x) => answer(x));
    assert.equal((await streamed(sdk(f.url), params())).content[0].text, "ok");
    assert.equal((await sdk(f.url).messages.create(params())).content[0].text, "ok");
  }

  // letGo resolves when the upstream's connections are closed. If the program trapped before its
  // request, there is no connection.
  const letGo = () => Promise.all(f.up.requests.map(({ gone }) => gone));

  for (const where of ["before", "after"]) {
    for (const stream of [true, false]) {
      test(`${where} the first await, ${stream ? "streamed" : "plain"}`, async () => {
        f.up.serve((x) => answer(x));
        const { status, headers, body } = await withFault(where, params({ stream })).reply;
        errorOf({ status, headers, text: await textOf(body) }, 500, "api_error");
        await works();
      });
    }
  }

  test("in the dialect of the path", async () => {
    for (const path of ["/v1/chat/completions", "/v1/responses"]) {
      const { status, text } = await other(path, "before");
      assert.equal(status, 500, text);
      const { error } = JSON.parse(text);
      assert.deepEqual(Object.keys(error).sort(), ["code", "message", "param", "type"]);
    }
    for (const path of ["/u/anna/v1/messages", "/k/el_anna_x/v1/messages", "/u/anna/v1/models", "/u/anna"])
      errorOf(await other(path, "before"), 500, "api_error");
    const { text } = await other("/u/anna/v1/responses", "before");
    assert.equal(JSON.parse(text).error.type, "server_error");
    await works();
  });

  test("in the second push of a stream", async () => {
    const call = withFault("export", streaming);
    const x = await f.up.next();
    x.head();
    await x.send(role + text("some"));
    const events = reader((await call.reply).body);
    const first = [
      await events.find("message_start"),
      await events.find("content_block_start"),
      await events.find("content_block_delta"),
    ];
    await x.send(text("more"));
    const { message, error } = fold([...first, ...(await events.rest())]);
    assert.equal(message.content[0].text, "some");
    assert.equal(error?.type, "api_error");
    await x.gone;
    await works();
  });

  test("in the second push of a stream, while another one runs", async () => {
    const running = open(f.url, { body: streaming });
    const y = await f.up.next();
    y.head();
    await y.send(role + text("one"));
    const events = reader((await running.reply).body);
    const first = [
      await events.find("message_start"),
      await events.find("content_block_start"),
      await events.find("content_block_delta"),
    ];

    const call = withFault("export", streaming);
    const x = await f.up.next();
    x.head();
    await x.send(role + text("some"));
    const broken = reader((await call.reply).body);
    await broken.find("content_block_delta");
    await x.send(text("more"));
    assert.equal((await broken.rest()).at(-1).type, "error");

    for (const chunk of [text(" two"), finish("stop"), usage(), done]) await y.send(chunk);
    await y.end();
    const { message, error } = fold([...first, ...(await events.rest())]);
    assert.equal(error, null);
    assert.equal(message.content[0].text, "one two");
  });

  // worker/rules_test.go: the program starts no goroutine
  const inAGoroutine = NATIVE && "a panic of another goroutine ends the process";
  test("in a timer, before bytes pass", { skip: inAGoroutine }, async () => {
    const path = "/v1/chat/completions";
    const call = open(f.url, {
      path,
      headers: { "x-api-key": CLIENT_KEY, "x-test-panic": "timer" },
      body: { model: "m", messages: [] },
    });
    const { status, body } = await call.reply;
    assert.equal(status, 500);
    assert.equal(JSON.parse(await textOf(body)).error.type, "server_error");
    await letGo();
    await works();
  });

  test("in a timer, while a plain answer is due", { skip: inAGoroutine }, async () => {
    const call = withFault("timer", params());
    const { status, headers, body } = await call.reply;
    errorOf({ status, headers, text: await textOf(body) }, 500, "api_error");
    await letGo();
    await works();
  });

  test("in a timer, while a stream's head is due", { skip: inAGoroutine }, async () => {
    // The trap comes before or after the client's head: the client gets an error answer, or a
    // stream that ends with an error.
    const call = withFault("timer", streaming);
    const { status, headers, body } = await call.reply;
    const text = await textOf(body);
    if (status === 200) assert.equal(fold(parse(text)).error?.type, "api_error");
    else errorOf({ status, headers, text }, 500, "api_error");
    await letGo();
    await works();
  });
});
