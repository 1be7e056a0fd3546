// Attacks by somebody who makes the program trap, as the user of an endpoint or through its
// upstream. A dead instance may be neither free nor in the way of the endpoint's other requests.
// worker/serve/crashes_test.go has more cases, without a runtime.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { textStream } from "../lib/chat.mjs";
import { textOf } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { answer } from "../lib/spoken.mjs";
import { reader } from "../lib/sse.mjs";
import { upstream } from "../lib/upstream.mjs";
import { midnight, requestsOf, streamed, suite, through } from "../lib/usage.mjs";
import { connect } from "../lib/websocket.mjs";

describe("an instance that dies", () => {
  const f = suite();
  let provider;
  before(async () => {
    provider = await upstream();
    provider.serve((x) =>
      x.answer(200, { results: [{ url: "https://a.example/", title: "A", content: "B" }] }),
    );
  });
  after(() => provider?.close());

  const prices = { "*": { input: 1000, output: 2000 } };
  const endpoint = (more) =>
    f.endpoint({
      usage: true,
      prices,
      limits: { concurrent_requests: 3, concurrent_streams: 3 },
      upstreams: [through("chat", f.up)],
      ...more,
    });
  const at = midnight;
  const searx = () => ({ web_search: { provider: "searxng", url: provider.url.replace(/\/v1$/, "") } });
  const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }];
  const inOne = (x, chunks) => x.answer(200, chunks.join(""), { "content-type": "text/event-stream" });
  // searches answers a first round with a search, and a second one with a text, each in one chunk.
  const searches = (x) =>
    answer(
      { ...x, json: x.json, stream: (chunks) => inOne(x, chunks), answer: (...it) => x.answer(...it) },
      "chat",
      x.json.messages.at(-1).role === "tool"
        ? { text: "Done." }
        : { calls: [["web_search", { query: "when was it" }]] },
      x.json.messages.length,
    );

  // Each kind of trap: the client and its request, the upstream, and how many requests each trap
  // sends to the upstream. Without such a request nothing is charged.
  const kinds = {
    "before its call": { panic: "after", calls: 0 },
    "for lack of memory": { panic: "memory", calls: 0 },
    "while its upstream is silent": { panic: "timer", up: () => {}, calls: 1 },
    "in a stream": { panic: "export1", stream: true, calls: 1 },
    "in a stream that passes": {
      client: "chat",
      panic: "export1",
      stream: true,
      more: { stream_options: { include_usage: true } },
      calls: 1,
    },
    "in a search": {
      panic: "export2",
      stream: true,
      up: searches,
      more: { tools },
      record: () => ({ options: searx() }),
      calls: 1,
    },
    "in a second round": {
      panic: "export3",
      stream: true,
      up: searches,
      more: { tools },
      record: () => ({ options: searx() }),
      calls: 2,
    },
  };
  for (const [kind, { client = "anthropic", panic, stream, up, more, record, calls }] of Object.entries(
    kinds,
  )) {
    test(`${kind} frees its places at once, and is charged`, async () => {
      const e = await endpoint(record?.());
      f.up.serve(up ?? ((x) => x.stream(streamed.chat())));
      for (let i = 0; i < 6; i++) {
        const body = { stream: stream ?? false, ...more };
        const { status, body: got } = await f.send(client, e, { at, panic, body }).reply;
        const text = await textOf(got).catch(() => "broken");
        assert.notEqual(status, 429, text);
        if (client === "chat") assert.equal(text, "broken");
        else assert.match(text, /edgelingua failed on this request|"type":"api_error"/);
      }
      // A timer may be faster than the connection to the upstream.
      if (panic !== "timer") assert.equal(f.up.requests.length, 6 * calls);
      const kept = await f.usage(e, { at });
      const [{ requests, errors, input, usd }, ...others] = kept.days;
      assert.deepEqual(others, []);
      assert.deepEqual({ requests, errors }, { requests: 6, errors: 6 });
      assert.equal(kept.errors.length, 6);
      assert.equal(input > 0, calls > 0, `input: ${input}`);
      assert.equal(usd > 0, calls > 0, `usd: ${usd}`);
      assert.equal(kept.limits.concurrent_requests.used, 0);
      assert.equal(kept.limits.concurrent_streams.used, 0);
    });
  }

  test("in a turn of a WebSocket frees its places at once, and is charged", async () => {
    const e = await endpoint({ limits: { concurrent_requests: 2, concurrent_streams: 1 } });
    f.up.serve((x) => x.stream(textStream("ok")));
    const headers = {
      authorization: `Bearer ${e.key}`,
      "x-test-clock": String(at),
      "x-test-panic": "export1",
    };
    const c = await connect(f.url, { path: `/u/${e.name}/v1/responses`, headers });
    for (let i = 0; i < 6; i++) {
      c.send({ model: "m", input: "q" });
      assert.deepEqual((await c.events()).at(-1).type, "response.failed");
    }
    const kept = await f.until(e, { at }, (kept) => requestsOf(kept) === 6);
    const [{ errors, input, usd }] = kept.days;
    assert.equal(errors, 6);
    assert.ok(input > 0 && usd > 0);
    assert.equal(kept.limits.concurrent_streams.used, 0);
    await c.close();
  });

  // The program may see either first; worker/serve/crashes_test.go has the trap first.
  test("as its client leaves is counted once", async () => {
    const e = await endpoint();
    const call = f.send("anthropic", e, { at, panic: "export2", body: { stream: true } });
    const x = await f.up.next();
    const [first, ...rest] = streamed.chat();
    x.head(200, { "content-type": "text/event-stream" });
    await x.send(first);
    await reader((await call.reply).body).find("message_start");
    const sent = x.send(rest.join("")).catch(() => {}); // the connection may be gone
    call.abort();
    await Promise.all([sent, x.gone]);
    const kept = await f.until(
      e,
      { at },
      (kept) => requestsOf(kept) > 0 && kept.limits.concurrent_requests.used === 0,
    );
    assert.equal(requestsOf(kept), 1);
    assert.ok(kept.days[0].input > 0);
    assert.equal(kept.limits.concurrent_streams.used, 0);
  });

  test("is the only loss: the next request is served", async () => {
    const e = await endpoint();
    f.up.serve((x) => x.stream(streamed.chat()));
    const { status, text } = await f.ask("anthropic", e, { at, body: { stream: true } });
    assert.equal(status, 200, text);
    assert.equal(requestsOf(await f.until(e, { at }, (kept) => requestsOf(kept) === 1)), 1);
  });
});
