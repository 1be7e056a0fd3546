// Web searches run by edgelingua, for an upstream without this ability, with a scripted provider.
// All clients and upstreams are in worker/serve/websearch_test.go.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY, ask, open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { answer } from "../lib/spoken.mjs";
import { reader } from "../lib/sse.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { connect } from "../lib/websocket.mjs";

const body = {
  model: "m",
  max_tokens: 64,
  messages: [{ role: "user", content: "q" }],
  tools: [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }],
};
const found = {
  query: "q",
  results: [
    { url: "https://a.example/p", title: "A page", content: "It was then.", publishedDate: "2026-01-02" },
  ],
};
const search = ["web_search", { query: "when was it" }];

describe("searches", () => {
  let up, provider, target;
  before(async () => {
    [up, provider] = [await upstream(), await upstream()];
    target = await start({
      UPSTREAM_PROTOCOL: "chat",
      UPSTREAM_URL: up.url,
      UPSTREAM_KEY,
      CLIENT_KEY,
      ALLOW_HTTP_UPSTREAM: "true",
      HEAD_WAIT: "0.1",
      OPTIONS: JSON.stringify({
        web_search: { provider: "searxng", url: provider.url.replace(/\/v1$/, "") },
      }),
    });
  });
  beforeEach(() => {
    [up, provider].forEach((one) => one.renew());
    provider.serve((exchange) => exchange.answer(200, found));
    up.serve((exchange) =>
      answer(
        exchange,
        "chat",
        exchange.json.messages.at(-1).role === "tool" ? { text: "Done." } : { calls: [search] },
        exchange.json.messages.length,
      ),
    );
  });
  after(() => Promise.all([target?.close(), up?.close(), provider?.close()]));

  for (const stream of [false, true]) {
    test(`the model's call is run, and the answer goes on, ${stream ? "streamed" : "plain"}`, async () => {
      const { status, text } = await ask(target.url, { body: { ...body, stream, model: "of-the-log" } });
      assert.equal(status, 200, text);
      assert.match(provider.requests[0].path, /^\/search\?format=json&q=when\+was\+it/);
      assert.equal(up.requests.length, 2);
      assert.ok(up.requests[1].body.includes("It was then."));
      assert.match(text, /"type":"server_tool_use","id":"srvtoolu_el1_run_1_/);
      assert.match(text, /Done\./);
      let line;
      do line = await target.lines.next();
      while (line.model !== "of-the-log");
      assert.equal(line.searches, 1);
      assert.deepEqual(line.tokens, { input: 20, output: 4 });
    });
  }

  test("a client that leaves aborts the search", async () => {
    for (const stream of [true, false]) {
      provider.renew();
      const call = open(target.url, { body: { ...body, stream } });
      const running = await provider.next();
      call.abort();
      await running.gone;
    }
    assert.equal(up.requests.length, 2);
  });

  test("the client's connection is kept open while a search takes its time", async () => {
    provider.renew();
    const call = open(target.url, { body: { ...body, stream: true } });
    const held = await provider.next();
    const events = reader((await call.reply).body);
    for (let i = 0; i < 3; i++) await events.find("ping");
    await held.answer(200, found);
    const rest = await events.rest();
    assert.ok(
      rest.some(({ type }) => type === "message_stop"),
      rest,
    );
  });

  test("an answer of more than 2 MB is a search that failed, and the model goes on", async () => {
    provider.serve(
      (exchange) => void exchange.answer(200, { results: ["x".repeat(3 << 20)] }).catch(() => {}),
    ); // the answer is not read to the end
    for (const stream of [true, false]) {
      const { status, text } = await ask(target.url, { body: { ...body, stream } });
      assert.equal(status, 200, text);
      assert.match(text, /"error_code":"unavailable"/);
      assert.match(text, /Done\./);
    }
  });

  test("a frame of a WebSocket is answered with its search", async () => {
    const connection = await connect(target.url);
    connection.send({ model: "m", store: false, input: "q", tools: [{ type: "web_search" }] });
    const events = await connection.events();
    await connection.close();
    assert.equal(events.at(-1).type, "response.completed");
    assert.ok(events.some(({ type }) => type === "response.web_search_call.completed"));
  });
});
