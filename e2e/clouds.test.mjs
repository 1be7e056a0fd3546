// Upstreams of clouds: where the key goes, and what is appended to their addresses.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { attacked } from "./lib/attacks.mjs";
import { answer } from "./lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, ask, params } from "./lib/client.mjs";
import { test, worker } from "./lib/fixture.mjs";
import { upstream } from "./lib/upstream.mjs";

// keysOf returns those headers of a request in which a key can stand.
const keysOf = ({ headers }) => Object.fromEntries(["authorization", "x-api-key", "api-key"].filter((name) => name in headers).map((name) => [name, headers[name]]));

describe("an upstream's auth", () => {
  const f = attacked();

  for (const [auth, want] of [
    ["bearer", { authorization: "Bearer sk-of-the-upstream" }],
    ["x-api-key", { "x-api-key": "sk-of-the-upstream" }],
    ["api-key", { "api-key": "sk-of-the-upstream" }],
  ]) {
    test(`of a personal endpoint: ${auth}`, async () => {
      const upstreams = [{ name: "a", protocol: "chat", url: f.up.url, key: "sk-of-the-upstream", options: { auth } }];
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
    const url = await worker(t, up.url, { AUTH: "forward", UPSTREAM_OPTIONS: '{"auth":"api-key"}', CLIENT_KEY: undefined, UPSTREAM_KEY: undefined });
    await ask(url, { path: "/v1/chat/completions", headers: { authorization: "Bearer own" }, body: params() });
    assert.deepEqual(keysOf(up.requests[0]), { "api-key": "own" });
  });
});
