// Usage of personal endpoints, as far as a runtime is involved: requests are counted, also after
// their client has left, and counting changes no byte of a passed-through answer. The other tests
// are in worker/serve, in usage_test.go, passing_test.go and usage_api_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { gzipSync } from "node:zlib";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { EVERY } from "../lib/turns.mjs";
import {
  ADMIN_KEY,
  counted,
  midnight,
  plain,
  requestsOf,
  says,
  streamed,
  suite,
  through,
  whole,
} from "../lib/usage.mjs";
import { TooSlow, longEnough, until } from "../lib/waiting.mjs";

const withUsage = { stream: true, stream_options: { include_usage: true } };

// counts returns the counts of requests and tokens in a row of a day.
const counts = ({ day, model, requests, errors, input, output, cached, reasoning }) => ({
  day,
  model,
  requests,
  errors,
  input,
  output,
  cached,
  reasoning,
});

describe("what is counted", () => {
  const f = suite();

  for (const client of ["anthropic", "chat"]) {
    test(`${client} to chat, streamed and plain`, async () => {
      f.up.serve(says("chat"));
      const e = await f.endpoint({ usage: true, upstreams: [through("chat", f.up)] });
      const bodies = [{}, client === "chat" ? withUsage : { stream: true }];
      for (const body of bodies)
        assert.equal(
          (await f.ask(client, e, { at: midnight, body: { ...body, model: "some-model" } })).status,
          200,
        );
      const kept = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2);
      const tokens = Object.fromEntries(Object.entries(counted).map(([name, n]) => [name, 2 * n]));
      assert.deepEqual(kept.days.map(counts), [
        { day: "2026-11-21", model: "some-model", requests: 2, errors: 0, ...tokens },
      ]);
    });
  }

  test("a stream that the client leaves costs what the upstream has said by then", async () => {
    const e = await f.endpoint({ usage: true, upstreams: [through("anthropic", f.up)] });
    for (const client of ["anthropic", "chat"]) {
      const call = f.send(client, e, { at: midnight, body: { stream: true, model: "some" } });
      const x = await f.up.next();
      x.head();
      await x.send(streamed.anthropic().slice(0, 3).join(""));
      const { body } = await call.reply;
      await body[Symbol.asyncIterator]().next();
      call.abort();
      await x.gone;
    }
    const { days, errors } = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2);
    assert.deepEqual(
      days.map(({ input, output, errors }) => [input, output, errors]),
      [[246, 2, 0]],
    );
    assert.deepEqual(errors, []);
  });
});

describe("what passes stays what it is", () => {
  const f = suite();
  const protocol = "chat"; // worker/serve/passing_test.go has the other protocols
  const endpoint = () => f.endpoint({ usage: true, upstreams: [through(protocol, f.up)] });

  test("a plain answer, whatever it holds", async () => {
    const e = await endpoint();
    const answers = [
      JSON.stringify({ ...plain[protocol](), unknown: [1.0e2, { deep: "\\u0041" }] }, null, 3) + "\n",
      Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"')]),
      '{"a":"' + "é".repeat(9 << 20) + '"}',
      "",
      "no JSON",
    ];
    for (const answer of answers) {
      f.up.serve((x) => x.answer(202, answer, { "content-type": "application/json; charset=utf-8" }));
      const reply = await f.send(protocol, e).reply;
      assert.equal(reply.status, 202);
      assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
      assert.equal(reply.headers["x-edgelingua-lost"], undefined);
      assert.ok((await whole(reply.body)).equals(Buffer.from(answer)));
    }
    await f.until(e, {}, (kept) => requestsOf(kept) === answers.length);
    if (TARGET === "wazero")
      await until(() =>
        f.log.some((line) => /more than 16 MB has passed, and its tokens are not counted/.test(line)),
      );
  });

  test("a stream, as it comes, whatever it holds", async () => {
    const e = await endpoint();
    const call = f.send(protocol, e, { body: withUsage });
    const x = await f.up.next();
    x.head(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
    const { status, headers, body } = await call.reply;
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "text/event-stream");
    assert.equal(headers["cache-control"], "no-store");
    const chunks = body[Symbol.asyncIterator]();
    // An event is sent on when it is complete, because only a complete event shows whether it is a
    // failure. Bytes between events are sent on at once.
    const odd = ["event: odd\r\nda", "ta: {", [0xf0, 0x9f], [0x98, 0x80], "\n\n: ping\n\n"];
    for (const pieces of [[": ping\n"], ["\n"], odd, [streamed[protocol]().join("")]].map((pieces) =>
      pieces.map((piece) => Buffer.from(piece)),
    )) {
      for (const piece of pieces) await x.send(piece);
      // the next pieces are sent only after the client has received the previous pieces
      assert.deepEqual((await chunks.next()).value, Buffer.concat(pieces));
    }
    await x.end();
    assert.ok((await chunks.next()).done);
  });

  test("a stream of 20 MB, to a client that reads late", async () => {
    const e = await endpoint();
    const chunk = Buffer.alloc(1 << 16, "0123456789abcde\n");
    const call = f.send(protocol, e, { body: withUsage });
    const x = await f.up.next();
    const sent = x.stream(Array.from({ length: 320 }, () => chunk));
    const { body } = await call.reply;
    await Promise.all([sent, whole(body).then((all) => assert.equal(all.length, 320 * chunk.length))]);
  });

  test("what comes compressed reaches the client readable, and is counted", async () => {
    const e = await endpoint();
    const answer = JSON.stringify(plain[protocol]());
    f.up.serve((x) =>
      x.answer(200, gzipSync(answer), { "content-type": "application/json", "content-encoding": "gzip" }),
    );
    const { headers, text } = await f.ask(protocol, e);
    assert.equal(headers["content-encoding"], undefined);
    assert.equal(text, answer);
    const { days } = await f.until(e, {}, (kept) => requestsOf(kept) === 1);
    assert.equal(days[0].input, counted.input);
  });

  test("what nobody here can decompress passes as it is, and is not counted", async () => {
    const e = await endpoint();
    const answer = Buffer.from([0xff, 0, 1, 2]);
    f.up.serve((x) =>
      x.answer(200, answer, { "content-type": "application/json", "content-encoding": "x-odd" }),
    );
    const { headers, body } = await f.send(protocol, e).reply;
    assert.equal(headers["content-encoding"], "x-odd");
    assert.ok((await whole(body)).equals(answer));
    const kept = await f.until(e, {}, (kept) => requestsOf(kept) === 1);
    assert.deepEqual([kept.days[0].input, kept.errors], [0, []]);
  });

  test("a body that is cut has no end", async () => {
    const e = await endpoint();
    for (const [body, head, part] of [
      [withUsage, undefined, streamed[protocol]()[0]],
      [{}, { "content-type": "application/json" }, '{"a":'],
    ]) {
      const call = f.send(protocol, e, { body });
      const x = await f.up.next();
      x.head(200, head);
      await x.send(part);
      const reply = await call.reply;
      x.cut();
      await assert.rejects(whole(reply.body));
    }
    const { errors } = await f.until(e, {}, (kept) => requestsOf(kept) === 2);
    assert.deepEqual(
      errors.map(({ type }) => type),
      ["unavailable", "unavailable"],
    );
  });

  test("a quiet stream gets no keep-alive, and a silent one no end", async () => {
    const e = await f.endpoint({ usage: true, head_wait: 0.002, upstreams: [through(protocol, f.up)] });
    const call = f.send(protocol, e, { body: withUsage });
    const x = await f.up.next();
    x.head();
    const { body } = await call.reply;
    // long enough for a translated stream to get some keep-alives
    for (let i = 0; i < 50; i++) await f.usage(e);
    const answer = streamed[protocol]().join("");
    await x.send(answer);
    await x.end();
    assert.equal((await whole(body)).toString(), answer);

    await longEnough(200, async (timeout) => {
      const impatient = await f.endpoint({
        usage: true,
        upstreams: [through(protocol, f.up, { timeout: timeout / 1000 })],
      });
      const silent = f.send(protocol, impatient, { body: withUsage });
      const y = await f.up.next();
      y.head();
      await y.send(streamed[protocol]()[0]).catch(() => {}); // fails if the request has already ended
      const reply = await silent.reply;
      if (reply.status === 504) throw new TooSlow();
      await assert.rejects(whole(reply.body));
      await y.gone;
      const { errors } = await f.until(impatient, {}, (kept) => requestsOf(kept) === 1);
      assert.deepEqual(
        errors.map(({ status, type }) => [status, type]),
        [[504, "timeout"]],
      );
    });
  });

  for (const protocol of EVERY) {
    test(`${protocol}: without usage no program sees it`, async () => {
      const e = await f.endpoint({ usage: false, upstreams: [through(protocol, f.up)] });
      f.up.serve(says(protocol));
      // The panic would trap an instance at its second push, if an instance got the stream.
      const { text } = await f.ask(protocol, e, { panic: "export", body: { stream: true } });
      assert.equal(text, streamed[protocol]().join(""));
    });
  }
});

describe("without ENDPOINT_STATE", { skip: TARGET === "wazero" && "the wazero host always has it" }, () => {
  const f = suite({ state: "kv" });
  const call = async (method, path, body) => {
    const reply = await open(f.url, { method, path, body, headers: { authorization: `Bearer ${ADMIN_KEY}` } })
      .reply;
    return { status: reply.status, text: (await whole(reply.body)).toString() };
  };

  test("no record is written", async () => {
    const { status, text } = await call("POST", "/admin/api/endpoints", {
      name: "anna",
      upstreams: [through("chat", f.up)],
    });
    assert.equal(status, 500, text);
    assert.match(text, /There is no binding ENDPOINT_STATE\. Add to wrangler\.toml/);
  });

  test("requests whose limits and keys can't be looked up are refused", async () => {
    f.up.serve(says("chat"));
    for (const more of [{ limits: { requests_per_minute: 1 } }, { usage: true }]) {
      const { status, text } = await f.ask(
        "anthropic",
        await f.endpoint({ upstreams: [through("chat", f.up)], ...more }),
      );
      assert.equal(status, 500);
      assert.match(text, /limits and keys can't be looked up\. There is no binding ENDPOINT_STATE/);
    }
    assert.equal(f.up.requests.length, 0);
    assert.equal(
      (await f.ask("anthropic", await f.endpoint({ upstreams: [through("chat", f.up)] }))).status,
      200,
    );
  });
});
