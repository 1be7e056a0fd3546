// Upstreams of clouds: the header of the key, and the paths appended to their addresses.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { attacked } from "../lib/attacks.mjs";
import { answer } from "../lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, ask, params } from "../lib/client.mjs";
import { fixture, test, worker } from "../lib/fixture.mjs";
import { upstream } from "../lib/upstream.mjs";

// keysOf returns the headers of a request that may contain a key.
const keysOf = ({ headers }) =>
  Object.fromEntries(
    ["authorization", "x-api-key", "api-key"]
      .filter((name) => name in headers)
      .map((name) => [name, headers[name]]),
  );

describe("an upstream's auth", () => {
  const f = attacked();

  for (const [auth, want] of [
    ["bearer", { authorization: "Bearer sk-of-the-upstream" }],
    ["x-api-key", { "x-api-key": "sk-of-the-upstream" }],
    ["api-key", { "api-key": "sk-of-the-upstream" }],
  ]) {
    test(`of a personal endpoint: ${auth}`, async () => {
      const upstreams = [
        { name: "a", protocol: "chat", url: f.up.url, key: "sk-of-the-upstream", options: { auth } },
      ];
      const { key } = await f.make(`auth-${auth}`, { upstreams });
      const { status, text } = await f.ask(`auth-${auth}`, key);
      assert.equal(status, 200, text);
      assert.deepEqual(keysOf(f.up.requests[0]), want);
    });
  }

  test("of the single-user worker, also where bytes pass", async (t) => {
    const up = await upstream();
    t.after(() => up.close());
    up.serve((x) => answer(x, "hello"));
    const url = await worker(t, up.url, { UPSTREAM_OPTIONS: '{"auth":"api-key"}' });
    for (const path of ["/v1/messages", "/v1/chat/completions"]) {
      await ask(url, { path, headers: { "x-api-key": CLIENT_KEY }, body: params() });
      assert.deepEqual(keysOf(up.requests.at(-1)), { "api-key": UPSTREAM_KEY }, path);
    }
  });

  test("of a client's own key", async (t) => {
    const up = await upstream();
    t.after(() => up.close());
    up.serve((x) => answer(x, "hello"));
    const url = await worker(t, up.url, {
      AUTH: "forward",
      UPSTREAM_OPTIONS: '{"auth":"api-key"}',
      CLIENT_KEY: undefined,
      UPSTREAM_KEY: undefined,
    });
    await ask(url, {
      path: "/v1/chat/completions",
      headers: { authorization: "Bearer own" },
      body: params(),
    });
    assert.deepEqual(keysOf(up.requests[0]), { "api-key": "own" });
  });
});

describe("a deployment of Azure with a path of its own", () => {
  const base = "/openai/deployments/gpt";
  const version = "?api-version=2024-10-21";
  const f = fixture(
    { UPSTREAM_URL: `http://r.openai.azure.com${base}${version}` },
    { host: "r.openai.azure.com" },
  );

  test("its version goes behind every path, and its key into api-key", async () => {
    f.up.serve((x) => answer(x, "hello"));
    for (const path of ["/v1/messages", "/v1/chat/completions"]) {
      const { status, text } = await ask(f.url, { path, body: params() });
      assert.equal(status, 200, text);
      assert.equal(f.up.requests.at(-1).path, `${base}/chat/completions${version}`);
      assert.deepEqual(keysOf(f.up.requests.at(-1)), { "api-key": UPSTREAM_KEY });
    }
  });

  test("a client's query does not change the version", async () => {
    f.up.serve((x) => answer(x, "hello"));
    for (const query of ["?api-version=other&beta=true", "?beta=true&api%2Dversion=other&api-version=more"]) {
      await ask(f.url, { path: `/v1/chat/completions${query}`, body: params() });
      assert.equal(f.up.requests.at(-1).path, `${base}/chat/completions${version}&beta=true`);
    }
  });

  test("its models are those of its resource", async () => {
    f.up.serve((x) =>
      x.answer(200, {
        object: "list",
        data: [
          {
            id: "gpt-4.1",
            object: "model",
            lifecycle_status: "generally-available",
            capabilities: { chat_completion: true },
          },
        ],
      }),
    );
    const { status, text } = await ask(f.url, { path: "/v1/models", method: "GET" });
    assert.equal(status, 200, text);
    assert.equal(f.up.requests[0].path, `/openai/models${version}`);
    assert.equal(JSON.parse(text).data[0].id, "gpt-4.1");
  });

  test("no such deployment", async () => {
    f.up.serve((x) =>
      x.answer(404, {
        error: {
          code: "DeploymentNotFound",
          message: "The API deployment for this resource does not exist.",
        },
      }),
    );
    const { status, text } = await ask(f.url, { body: params() });
    assert.equal(status, 404);
    assert.match(JSON.parse(text).error.message, /^The API deployment for this resource does not exist\./);
  });
});
