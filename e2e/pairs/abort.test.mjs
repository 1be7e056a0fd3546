// A client's disconnect ends the upstream's request, at any moment.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { answer, plain, role, text } from "../lib/chat.mjs";
import { CLIENT_KEY, ask, open, params, sdk } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { reader } from "../lib/sse.mjs";
import { TARGET } from "../lib/target.mjs";

// works asserts that the worker serves the next request.
async function works(f) {
  f.up.serve((x) => answer(x));
  assert.equal((await ask(f.url, { body: params() })).status, 200);
}

describe("client abort", () => {
  const f = fixture();

  for (const stream of [true, false]) {
    const mode = stream ? "streamed" : "plain";

    test(`before the upstream's head, ${mode}`, async () => {
      const call = open(f.url, { body: params({ stream }) });
      const x = await f.up.next();
      call.abort();
      await x.gone;
      await works(f);
    });

    test(`in the middle of its own body, ${mode}`, async () => {
      const body = JSON.stringify(
        params({ stream, messages: [{ role: "user", content: "x".repeat(100_000) }] }),
      );
      const call = open(f.url, {
        body: null,
        headers: { "x-api-key": CLIENT_KEY, "content-length": body.length },
      });
      await call.write(body.slice(0, 50_000));
      call.abort();
      await works(f);
      assert.equal(f.up.requests.length, 1, "half a request reached the upstream");
    });
  }

  test("before the first event", async () => {
    const call = open(f.url, { body: params({ stream: true }) });
    const x = await f.up.next();
    x.head();
    const { status } = await call.reply;
    assert.equal(status, 200);
    call.abort();
    await x.gone;
    await works(f);
  });

  test("in the middle of the stream", async () => {
    const call = open(f.url, { body: params({ stream: true }) });
    const x = await f.up.next();
    x.head();
    await x.send(role);
    await x.send(text("some"));
    await reader((await call.reply).body).find("content_block_delta");
    call.abort();
    await x.gone;
    await works(f);
  });

  test("in the middle of the upstream's plain body", async () => {
    const call = open(f.url, { body: params() });
    const x = await f.up.next();
    x.head(200, { "content-type": "application/json" });
    await x.send(JSON.stringify(plain({ content: "some" })).slice(0, 20));
    call.abort();
    await x.gone;
    await works(f);
  });

  test("in the middle of the upstream's error body", async () => {
    const call = open(f.url, { body: params({ stream: true }) });
    const x = await f.up.next();
    x.head(400, { "content-type": "application/json" });
    await x.send('{"error":');
    call.abort();
    await x.gone;
    await works(f);
  });

  test("while the client does not read and the upstream sends", async () => {
    const call = open(f.url, { body: params({ stream: true }) });
    const x = await f.up.next();
    x.head();
    await x.send(role);
    const part = text("x".repeat(60_000));
    const flood = (async () => {
      for (;;) await x.send(part); // until the connection is closed
    })();
    const broken = assert.rejects(flood);
    await call.reply; // the client does not read the body
    call.abort();
    await x.gone;
    await broken;
    await works(f);
  });
});

describe("a client that just closes its connection", () => {
  const f = fixture({ HEAD_WAIT: "0.05" });

  test("before the upstream's head", async () => {
    const call = open(f.url, { body: params({ stream: true }) });
    const x = await f.up.next();
    await reader((await call.reply).body).find("ping");
    call.close();
    await x.gone;
    await works(f);
  });

  test("in the middle of the stream, with a silent upstream", async () => {
    const call = open(f.url, { body: params({ stream: true }) });
    const x = await f.up.next();
    x.head();
    await x.send(role);
    await x.send(text("some"));
    await reader((await call.reply).body).find("content_block_delta");
    call.close();
    await x.gone;
    await works(f);
  });

  test("by the SDK, before the first event", async () => {
    const stream = sdk(f.url).messages.stream(params());
    const x = await f.up.next();
    await stream.withResponse();
    const ended = assert.rejects(stream.done(), { name: "APIUserAbortError" });
    stream.abort();
    await x.gone;
    await ended;
    await works(f);
  });

  test("by the SDK, in the middle of the stream", async () => {
    const stream = sdk(f.url).messages.stream(params());
    const came = stream.emitted("text");
    const x = await f.up.next();
    x.head();
    await x.send(role);
    await x.send(text("some"));
    await came;
    const ended = assert.rejects(stream.done(), { name: "APIUserAbortError" });
    stream.abort();
    await x.gone;
    await ended;
    await works(f);
  });

  // If a client closes its connection without a reset, workerd does not notice the disconnect until
  // it writes to the client. Before a plain answer workerd writes nothing.
  const skip = TARGET === "workerd" && "workerd does not see it before it writes";

  test("before a plain answer", { skip }, async () => {
    const call = open(f.url, { body: params() });
    const x = await f.up.next();
    call.close();
    await x.gone;
    await works(f);
  });

  test("by the SDK, before a plain answer", { skip }, async () => {
    const controller = new AbortController();
    const ended = assert.rejects(sdk(f.url).messages.create(params(), { signal: controller.signal }), {
      name: "APIUserAbortError",
    });
    const x = await f.up.next();
    controller.abort();
    await x.gone;
    await ended;
    await works(f);
  });
});
