// Webpages fetched by edgelingua, for an upstream without this ability. A double replaces every
// server. All upstreams, and refused requests, are in worker/serve/webfetch_test.go.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY, ask, open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { answer } from "../lib/spoken.mjs";
import { start, TARGET } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const MODEL = "model.example";
const said = "Read https://docs.example/guide and tell me.";
const fetchTool = { type: "web_fetch_20250910", name: "web_fetch" };
const page = (url) => ["web_fetch", { url }];
const html = `<html><head><title>Guide</title><script>never()</script></head><body><h1>Guide</h1><p>All of it.</p></body></html>`;

describe("webpages", () => {
  let up, target, pages;
  before(async () => {
    up = await upstream();
    target = await start(
      {
        UPSTREAM_PROTOCOL: "chat",
        UPSTREAM_URL: `https://${MODEL}/v1`,
        UPSTREAM_KEY,
        CLIENT_KEY,
        ALLOW_HTTP_UPSTREAM: "true",
        OPTIONS: JSON.stringify({ web_fetch: { max_uses: 4 } }),
      },
      { connect: up },
    );
  });
  beforeEach(() => {
    up.renew();
    pages = {};
    up.serve((exchange) => {
      if (exchange.headers.host !== MODEL) return pages[exchange.headers.host + exchange.path](exchange);
      return answer(
        exchange,
        "chat",
        exchange.json.messages.at(-1).role === "tool"
          ? { text: "Done." }
          : { calls: [page("https://docs.example/guide")] },
        exchange.json.messages.length,
      );
    });
  });
  after(() => Promise.all([target?.close(), up?.close()]));

  const body = (stream) => ({
    model: "m",
    max_tokens: 64,
    stream,
    messages: [{ role: "user", content: said }],
    tools: [fetchTool],
  });
  const read = async (stream) => {
    const { status, text } = await ask(target.url, { body: body(stream) });
    assert.equal(status, 200, text);
    return text;
  };
  const redirects = (location) => (exchange) => exchange.answer(302, "", { location });

  for (const stream of [false, true]) {
    test(`the model gets a webpage after redirects, ${stream ? "streamed" : "plain"}`, async () => {
      pages["docs.example/guide"] = redirects("https://www.example/2");
      pages["www.example/2"] = (exchange) =>
        exchange.answer(200, html, { "content-type": "text/html; charset=utf-8" });
      const text = await read(stream);
      assert.match(
        text,
        /"content":\{"type":"web_fetch_result","url":"https:\/\/www.example\/2","retrieved_at":"20\d\d-/,
      );
      assert.match(text, /"title":"Guide"/);
      const sent = up.requests.filter(({ headers }) => headers.host === MODEL)[1].body;
      assert.ok(sent.includes("All of it.") && !sent.includes("never()"));
      const { headers } = up.requests.find((x) => x.headers.host === "docs.example");
      for (const name of ["authorization", "x-api-key", "cookie", "anthropic-version", "referer"])
        assert.equal(headers[name], undefined, name);
      assert.equal((await target.lines.next()).fetches, 1);
    });
  }

  test("a redirect to a private address, a webpage over 4 MB, and a connection that is cut", async () => {
    for (const [serve, code] of [
      [redirects("https://169.254.169.254/latest/meta-data/"), "url_not_allowed"],
      [
        (exchange) =>
          void exchange
            .answer(200, "x".repeat((4 << 20) + 1), { "content-type": "text/html" })
            .catch(() => {}),
        "content_too_large",
      ],
      [(exchange) => exchange.cut(), "url_not_accessible"],
    ]) {
      pages["docs.example/guide"] = serve;
      assert.equal(JSON.parse(await read(false)).content[1].content.error_code, code);
    }
  });

  test("a client that leaves aborts the fetch", async () => {
    for (const stream of [true, false]) {
      let reached;
      const running = new Promise((resolve) => (reached = resolve));
      pages["docs.example/guide"] = (exchange) => reached(exchange);
      const call = open(target.url, { body: body(stream) });
      const exchange = await running;
      call.abort();
      await exchange.gone;
    }
  });
});

// On the local host a server at every name is not on the public internet. In the other tests the
// double replaces the network itself.
describe("a name that leads to this machine", { skip: TARGET !== "wazero" }, () => {
  test("is not fetched, whatever the settings allow", async () => {
    const up = await upstream();
    const target = await start({
      UPSTREAM_PROTOCOL: "chat",
      UPSTREAM_URL: up.url,
      UPSTREAM_KEY,
      CLIENT_KEY,
      ALLOW_HTTP_UPSTREAM: "true",
      OPTIONS: JSON.stringify({ web_fetch: {} }),
    });
    try {
      let n = 0;
      const rounds = [{ calls: [page("https://docs.example/guide")] }, { text: "Done." }];
      up.serve((exchange) => answer(exchange, "chat", rounds[n++], n));
      const response = await fetch(target.url + "/v1/messages", {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": CLIENT_KEY },
        body: JSON.stringify({
          model: "m",
          max_tokens: 9,
          messages: [{ role: "user", content: said }],
          tools: [fetchTool],
        }),
      });
      assert.equal((await response.json()).content[1].content.error_code, "url_not_accessible");
    } finally {
      await Promise.all([target.close(), up.close()]);
    }
  });
});
