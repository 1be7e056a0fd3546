// Responses over WebSocket: each text frame is a request, and a connection remembers its last
// response. Turns with all upstreams, invalid frames, refused upgrades and changing endpoints are
// in worker/serve/socket_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { play, text, textStream } from "../lib/chat.mjs";
import { CLIENT_KEY, ask } from "../lib/client.mjs";
import { enroll, hashOf, plant } from "../lib/endpoints.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PATHS } from "../lib/turns.mjs";
import { says, suite, through } from "../lib/usage.mjs";
import { upstream } from "../lib/upstream.mjs";
import { TooSlow, longEnough } from "../lib/waiting.mjs";
import { UPGRADE, connect } from "../lib/websocket.mjs";

const model = "some-model";
const key = { authorization: `Bearer ${CLIENT_KEY}` };
const usage = { input: 11, cached: 0, output: 5 };
const said = (text) => ({ text, calls: [], usage });
const tools = [
  {
    type: "function",
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } } },
    strict: false,
  },
];
const called = { text: "", calls: [{ id: "call_1", name: "get_weather", input: { city: "é" } }], usage };

// played runs a turn, has the upstream play an answer, and resolves with the response and the
// upstream's request.
async function played(f, c, frame, turn) {
  const due = c.complete({ model, ...frame });
  due.catch(() => {});
  const x = await Promise.race([f.up.next(), due.then(() => assert.fail("the upstream was not asked"))]);
  await play(x, turn);
  return { response: await due, asked: x.json };
}

describe("turns", () => {
  const f = fixture();

  test("a conversation with calls: each turn sends only its new items", async () => {
    const c = await connect(f.url);
    assert.match(c.headers["x-request-id"], /^req_/);
    const first = await played(f, c, { store: false, tools, input: "the weather?" }, called);
    const result = { type: "function_call_output", call_id: "call_1", output: "12 °C" };
    const second = await played(
      f,
      c,
      { store: false, tools, input: [result], previous_response_id: first.response.id },
      said("mild"),
    );
    assert.equal(second.response.output.at(-1).content[0].text, "mild");
    assert.deepEqual(
      second.asked.messages.map(({ role }) => role),
      ["user", "assistant", "tool"],
    );
    await c.close();
  });

  test("what Codex sends after a response needs no answer, and an error tells the wait", async () => {
    const c = await connect(f.url);
    for (const input of ["q", "more"]) {
      const { response } = await played(f, c, { store: false, input }, said("ok"));
      assert.equal(response.status, "completed");
      c.send(JSON.stringify({ type: "response.processed", response_id: response.id }));
    }
    c.send({ model, store: false, input: "too much" });
    const x = await f.up.next();
    x.answer(429, '{"error":{"message":"slow down"}}', {
      "content-type": "application/json",
      "retry-after": "7",
    });
    const [frame] = await c.events();
    assert.equal(frame.status, 429);
    assert.deepEqual(frame.headers, { "retry-after": "7" });
    await c.close();
  });

  test("an upstream that is lost in the middle of a stream", async () => {
    const c = await connect(f.url);
    const first = await played(f, c, { store: false, input: "q" }, said("ok"));
    c.send({ model, store: false, input: "more", previous_response_id: first.response.id });
    const x = await f.up.next();
    x.head();
    await x.send(": begun\n\n");
    x.cut();
    const events = await c.events();
    assert.equal(events.at(-1).type, "response.failed");
    await c.refused(
      { model, store: false, input: "again", previous_response_id: first.response.id },
      400,
      "previous_response_not_found",
    );
    const { asked } = await played(f, c, { store: false, input: "everything" }, said("ok"));
    assert.match(JSON.stringify(asked), /everything/);
    await c.close();
  });

  test("a client that leaves in the middle of a turn", async () => {
    const c = await connect(f.url);
    c.send({ model, store: false, input: "q" });
    const x = await f.up.next();
    x.head();
    await x.send(": begun\n\n");
    c.socket.terminate();
    await x.gone;
  });
});

describe("frames", () => {
  const f = fixture({}, { faults: true });
  const ok = (x) => x.stream(textStream("ok"));

  test("a binary one ends the connection", async () => {
    const c = await connect(f.url);
    const { message } = await c.refused(Buffer.from('{"type":"response.create"}'), 400, "invalid_frame");
    assert.equal(message, "Frames are text: binary ones are not taken.");
    await c.ended(1003);
  });

  test("one over the limit ends the connection", async () => {
    const c = await connect(f.url);
    const { message } = await c.refused("x".repeat((16 << 20) + 1), 413, "frame_too_large");
    assert.equal(
      message,
      "The frame is over the limit of 16 MB. Send less: fewer or smaller images and documents, or a shorter history.",
    );
    await c.ended(1009);
  });

  test("sixteen wait for the first, and what finds no room is refused", async () => {
    const c = await connect(f.url);
    c.send({ model, input: "first" });
    let x = await f.up.next();
    for (let i = 0; i < 16; i++) c.send({ model, input: "second" });
    for (let i = 0; i < 9; i++) {
      const { message } = await c.refused({ model, input: "third" }, 409, "response_in_progress");
      assert.equal(
        message,
        "Responses are in progress on this connection, and no more than 16 requests of together 16 MB can " +
          "wait. Wait for a last event, or open another connection.",
      );
    }
    for (let i = 0; i < 17; i++) {
      if (i > 0) x = await f.up.next();
      assert.equal(f.up.requests.length, i + 1);
      await ok(x);
      assert.equal((await c.events()).at(-1).type, "response.completed");
    }
    await c.close();
  });

  test("ten without room end the connection, and the turn", async () => {
    const c = await connect(f.url);
    c.send({ model, input: "first" });
    const x = await f.up.next();
    for (let i = 0; i < 16; i++) c.send({ model, input: "second" });
    for (let i = 0; i < 10; i++) await c.refused({ model, input: "third" }, 409, "response_in_progress");
    await c.ended(1008);
    await x.gone;
  });

  test("an instance that dies in the upgrade", async () => {
    const answer = await ask(f.url, {
      path: PATHS.responses,
      method: "GET",
      headers: { ...key, ...UPGRADE, "x-test-panic": "before" },
    });
    assert.equal(answer.status, 500);
  });

  test("an instance that dies in a turn", async () => {
    const c = await connect(f.url, { headers: { ...key, "x-test-panic": "after" } });
    for (let i = 0; i < 2; i++) await c.refused({ model, input: "q" }, 500, "server_error");
    await c.close();
  });

  test("an instance that dies in a stream", async () => {
    const c = await connect(f.url, { headers: { ...key, "x-test-panic": "export" } });
    c.send({ model, input: "q" });
    const x = await f.up.next();
    const [first, second] = textStream("ok");
    x.head();
    await x.send(first);
    assert.equal((await c.next()).type, "response.created");
    await x.send(second);
    assert.deepEqual(
      (await c.events()).slice(-2).map(({ type }) => type),
      ["error", "response.failed"],
    );
    await c.close();
  });

  test("the lifetime ends an idle connection", async () => {
    const c = await connect(f.url, { headers: { ...key, "x-test-lifetime": "1" } });
    assert.match((await c.error(400, "websocket_connection_limit_reached")).message, /60 minutes/);
    await c.ended(1000);
  });

  test("the lifetime ends behind a turn", async () => {
    await longEnough(300, async (lifetime) => {
      f.up.renew();
      const headers = { ...key, "x-test-lifetime": String(lifetime) };
      const c = await connect(f.url, { headers });
      c.send({ model, input: "q" });
      const x = await Promise.race([f.up.next(), c.closed]);
      if (!x.head) throw new TooSlow();
      const later = await connect(f.url, { headers }); // its lifetime ends after the lifetime of c
      await later.error(400, "websocket_connection_limit_reached");
      await ok(x);
      assert.equal((await c.events()).at(-1).type, "response.completed");
      await c.error(400, "websocket_connection_limit_reached");
      await c.ended(1000);
    });
  });

  test(
    "a connection ends before its subrequests are spent",
    { skip: TARGET !== "workerd" && "a connection of the local host is no invocation" },
    async () => {
      f.up.serve(ok);
      const c = await connect(f.url);
      let last;
      for (let i = 0; i < 40; i++)
        last = await c.complete({ model, store: false, input: "q", previous_response_id: last?.id });
      await c.refused(
        { model, store: false, input: "q", previous_response_id: last.id },
        400,
        "websocket_connection_limit_reached",
      );
      await c.ended(1000);
      const next = await connect(f.url);
      await next.refused(
        { model, store: false, input: "q", previous_response_id: last.id },
        400,
        "previous_response_not_found",
      );
      await next.complete({
        model,
        store: false,
        input: ["q", "ok", "q"].map((content) => ({ role: "user", content })),
      });
      await next.close();
    },
  );

  test(
    "a connection ends after so many turns, also of those that ask no upstream",
    { skip: TARGET !== "workerd" && "a connection of the local host is no invocation" },
    async () => {
      const c = await connect(f.url);
      for (let i = 0; i < 50; i++) {
        await c.complete({ model, store: false, generate: false, input: "q" });
        await c.refused({ model, input: 7 }, 400, "invalid_type");
      }
      await c.refused(
        { model, store: false, generate: false, input: "q" },
        400,
        "websocket_connection_limit_reached",
      );
      await c.ended(1000);
      assert.equal(f.up.requests.length, 0);
    },
  );

  test(
    "a turn whose client does not read is cut",
    { skip: TARGET !== "workerd" && "the local host waits for the client" },
    async () => {
      const c = await connect(f.url);
      c.send({ model, store: false, input: "q" });
      const x = await f.up.next();
      x.head();
      await x.send(text("x"));
      assert.equal((await c.next()).type, "response.created");
      c.socket.pause();
      // becomes more than a megabyte of events
      const many = 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n'.repeat(10_000);
      let cut = false;
      x.gone.then(() => (cut = true));
      for (let i = 0; i < 240 && !cut; i++) await x.send(many).catch(() => {});
      c.socket.terminate();
      assert.ok(cut, "all of it was taken");
    },
  );

  test("nothing of one connection reaches another", async () => {
    f.up.serve((x) => x.stream(textStream(`to ${JSON.stringify(x.json.messages)}`)));
    const marks = Array.from({ length: 8 }, (_, i) => `mark-${i}`);
    const [ids, open] = [[], []];
    await Promise.all(
      marks.map(async (mark) => {
        const c = await connect(f.url);
        let id;
        for (let n = 0; n < 3; n++) {
          const response = await c.complete({
            model,
            store: false,
            input: `${mark} ${n}`,
            previous_response_id: id,
          });
          const { text } = response.output[0].content[0];
          for (const other of marks) assert.equal(text.includes(other), other === mark);
          for (let i = 0; i <= n; i++) assert.ok(text.includes(`${mark} ${i}`));
          id = response.id;
        }
        ids.push(id);

        open.push(c);
      }),
    );
    for (const [i, c] of open.entries())
      await c.refused(
        { model, store: false, input: "q", previous_response_id: ids[(i + 1) % ids.length] },
        400,
        "previous_response_not_found",
      );
    await Promise.all(open.map((c) => c.close()));
  });
});

describe("lanes", () => {
  const f = fixture();

  // last resolves with the last event of the answer that ends next, whatever its lane.
  async function last(c) {
    let event;
    do event = await c.next();
    while (!/^(response\.(completed|failed|incomplete|steer\.failed)|error|closed)$/.test(event.type));
    return event;
  }

  // held has the upstream hold each answer until release is called with the last input.
  function held() {
    const waiting = new Map();
    const wait = (text) => {
      if (!waiting.has(text)) {
        const entry = {};
        entry.due = new Promise((resolve) => (entry.release = resolve));
        waiting.set(text, entry);
      }
      return waiting.get(text);
    };
    f.up.serve(async (x) => {
      const texts = x.json.messages.map(({ content }) => content);
      await Promise.race([wait(texts.at(-1)).due, x.gone]);
      return x.stream(textStream(`to ${JSON.stringify(texts)}`));
    });
    return (text) => wait(text).release();
  }
  const create = (input, lane, more) => ({ model, store: false, input, stream_id: lane, ...more });

  test("a slow lane holds no other, and each has its order and its memory", async () => {
    const release = held();
    const c = await connect(f.url);
    c.send(create("a1", "a"));
    c.send(create("a2", "a"));
    c.send(create("b1", "b"));
    c.send(create("plain"));
    release("b1");
    const b1 = await last(c);
    assert.deepEqual([b1.type, b1.stream_id], ["response.completed", "b"]);
    release("plain");
    assert.equal((await last(c)).stream_id, undefined);
    // a fork, and the lane itself, continue from the same response
    const previous_response_id = b1.response.id;
    for (const [input, lane] of [
      ["fork", "c"],
      ["b2", "b"],
    ]) {
      release(input);
      c.send(create(input, lane, { previous_response_id }));
      const event = await last(c);
      assert.deepEqual([event.type, event.stream_id], ["response.completed", lane]);
      assert.match(event.response.output[0].content[0].text, new RegExp(`^to \\["b1",.*,"${input}"\\]$`));
    }
    c.send(create("again", "c", { previous_response_id }));
    const gone = await last(c);
    assert.deepEqual([gone.error.code, gone.stream_id], ["previous_response_not_found", "c"]);
    assert.equal(f.up.requests.length, 5, "a2 has not begun");
    release("a2");
    release("a1");
    for (const input of ["a1", "a2"])
      assert.equal((await last(c)).response.output[0].content[0].text, `to ["${input}"]`);
    await c.close();
  });

  test("a cancelled answer, and steering that is refused", async () => {
    const release = held();
    const c = await connect(f.url);
    c.send(create("a1", "a"));
    const x = await (async () => {
      while (f.up.requests.length === 0) await new Promise(setImmediate);
      return f.up.requests[0];
    })();
    c.send(create("a2", "a"));
    c.send({ type: "response.steer", previous_response_id: "resp_1", input: "left" });
    const steered = await last(c);
    assert.deepEqual(steered.error.code, "steering_not_supported");
    assert.deepEqual(steered.steer, { previous_response_id: "resp_1", input: "left" });
    c.send({ type: "response.cancel", stream_id: "other" });
    const none = await last(c);
    assert.deepEqual([none.error.code, none.stream_id], ["response_not_active", "other"]);
    c.send({ type: "response.cancel", stream_id: "a" });
    const cancelled = await last(c);
    assert.deepEqual([cancelled.error.code, cancelled.stream_id], ["response_cancelled", "a"]);
    await x.gone;
    release("a2");
    assert.equal((await last(c)).response.output[0].content[0].text, 'to ["a2"]');
    await c.refused({ type: "response.cancel" }, 400, "response_not_active");
    await c.refused(create("x", "a b"), 400, "invalid_stream_id");
    await c.close();
  });

  test("each lane's order under load", async () => {
    f.up.serve((x) => x.stream(textStream(x.json.messages[0].content)));
    const c = await connect(f.url);
    const [sent, got] = [new Map(), new Map()];
    let open = 0;
    for (let n = 0; n < 36 || open > 0;) {
      for (; open < 12 && n < 36; n++, open++) {
        const lane = n % 7 === 0 ? undefined : `lane-${n % 5}`;
        const i = sent.get(lane) ?? 0;
        c.send(create(`${lane} ${i}`, lane));
        sent.set(lane, i + 1);
      }
      const { type, stream_id: lane, response } = await last(c);
      assert.equal(type, "response.completed");
      const i = got.get(lane) ?? 0;
      assert.equal(response.output[0].content[0].text, `${lane} ${i}`);
      got.set(lane, i + 1);
      open--;
    }
    assert.deepEqual([...got].sort(), [...sent].sort());
    await c.close();
  });

  test("a connection has 32 names", async () => {
    const c = await connect(f.url);
    const prepare = (lane) => c.send(create("q", lane, { generate: false }));
    for (let i = 0; i < 32; i++) {
      prepare(`lane-${i}`);
      assert.equal((await last(c)).type, "response.completed");
    }
    prepare("one-more");
    const { error, stream_id } = await last(c);
    assert.deepEqual([error.code, stream_id], ["websocket_stream_limit_reached", "one-more"]);
    prepare("lane-7");
    assert.equal((await last(c)).stream_id, "lane-7");
    await c.close();
  });
});

describe("the upgrade", () => {
  const f = fixture();
  const upgrade = (path, headers) => ask(f.url, { path, method: "GET", headers: { ...UPGRADE, ...headers } });

  test("of another version takes no place", async () => {
    for (let i = 0; i < 65; i++) {
      const { status, headers } = await upgrade("/v1/responses", {
        ...key,
        "sec-websocket-version": i % 2 === 0 ? "12" : "8",
      });
      assert.deepEqual([status, headers["sec-websocket-version"]], [426, "13"]);
    }
    await (await connect(f.url)).close();
  });

  test("has 64 places", async () => {
    const open = await Promise.all(Array.from({ length: 64 }, () => connect(f.url)));
    const refused = await upgrade("/v1/responses", key);
    assert.equal(refused.status, 426);
    assert.match(JSON.parse(refused.text).error.message, /64 WebSockets/);
    await Promise.all(open.map((c) => c.close()));
    for (;;) {
      const c = await connect(f.url).catch(() => null); // the server may not have noticed a close yet
      if (c) return c.close();
    }
  });
});

describe("personal endpoints", () => {
  const f = suite();
  const at = (e) => ({ path: `/u/${e.name}/v1/responses`, headers: { authorization: `Bearer ${e.key}` } });
  const turn = { model, store: false, input: "q" };

  test("a key that is revoked between two turns", async () => {
    f.up.serve(says("chat"));
    const e = await f.endpoint({ upstreams: [through("chat", f.up)] });
    const c = await connect(f.url, at(e));
    await c.complete(turn);
    await plant(f.url, e.name, {
      version: 1,
      rev: 2,
      keys: [{ hash: hashOf("another") }],
      upstreams: [through("chat", f.up)],
    });
    await c.refused(turn, 401, "invalid_api_key");
    await c.ended(1008);
    assert.equal(f.up.requests.length, 1);
  });

  test("the log", async (t) => {
    const up = await upstream();
    const target = await start({ ALLOW_HTTP_UPSTREAM: "true" }, { faults: true, state: true });
    t.after(() => Promise.all([target.close(), up.close()]));
    up.serve(says("chat"));
    const endpoint = await enroll(target.url, "anna", { upstreams: [through("chat", up)] });
    const c = await connect(target.url, {
      path: `/k/${endpoint}/v1/responses`,
      headers: { "x-request-id": "of-the-upgrade" },
    });
    await c.complete(turn);
    await c.refused({ ...turn, input: 7 }, 400, "invalid_type");
    await c.close();
    const lines = [];
    while (lines.length < 3) {
      const line = await target.lines.next();
      if (line.path !== "/") lines.push(line);
    }
    const [upgraded, first, second] = lines;
    assert.deepEqual(
      [upgraded.id, upgraded.method, upgraded.path, upgraded.endpoint, upgraded.status, upgraded.socket],
      ["of-the-upgrade", "GET", "/k/KEY/v1/responses", "anna", 101, undefined],
    );
    for (const [line, status] of [
      [first, 200],
      [second, 400],
    ]) {
      assert.deepEqual(
        [line.method, line.path, line.endpoint, line.status, line.socket, line.model],
        ["POST", "/k/KEY/v1/responses", "anna", status, true, model],
      );
      assert.match(line.id, /^req_/);
    }
    assert.deepEqual(first.tokens, { input: 123, output: 40, cached: 20, reasoning: 7 });
    assert.equal(second.error, "invalid_request");
    assert.ok(!target.lines.all.join().includes(endpoint));
  });
});
