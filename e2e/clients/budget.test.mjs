// The command-line clients at a spent budget, which may block for hours: each client ends without
// waiting, and says why. Qwen Code 0.24 and opencode 1.18 retry every 429, and obey retry-after
// without a limit (opencode: packages/opencode/src/session/retry.ts). Neither x-should-retry nor a
// code such as insufficient_quota ends their wait.
import assert from "node:assert/strict";
import { describe } from "node:test";
import OpenAI from "openai";
import { CLIENT_KEY } from "../lib/client.mjs";
import { clients, lacking, run, unpack } from "../lib/clis.mjs";
import { hashOf, plant } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { says, suite, through } from "../lib/usage.mjs";

// Codex has words of its own, with the time of resets_at.
const shown = (client) =>
  client.name === "Codex"
    ? /hit your usage limit\. Try again at /
    : /limit tokens_per_day of this endpoint, 1, is reached/;

describe("a spent budget", () => {
  const f = suite();
  let made = 0;

  // spend makes an endpoint whose budget one request has spent, and returns its URL.
  async function spend() {
    f.up.renew();
    f.up.serve(says("chat"));
    const e = { name: `spent-${++made}`, key: CLIENT_KEY };
    await plant(f.url, e.name, {
      version: 1,
      rev: 1,
      keys: [{ hash: hashOf(CLIENT_KEY) }],
      upstreams: [through("chat", f.up)],
      limits: { tokens_per_day: 1 },
    });
    const { status, text } = await f.ask("chat", e);
    assert.equal(status, 200, text);
    return `${f.url}/u/${e.name}`;
  }

  test("OpenAI's SDK sees a rate limit, and does not retry", async () => {
    let sent = 0;
    const counted = (...args) => (sent++, fetch(...args));
    const baseURL = `${await spend()}/v1`;
    const sdk = new OpenAI({ baseURL, apiKey: CLIENT_KEY, fetch: counted });
    const error = await sdk.responses.create({ model: "m", input: "hi" }).catch((error) => error);
    assert.ok(error instanceof OpenAI.RateLimitError, error);
    assert.equal(error.type, "usage_limit_reached");
    assert.equal(error.code, "rate_limit_exceeded");
    assert.ok(error.error.resets_at * 1000 > Date.parse("2026-01-01"));
    assert.equal(sent, 1);
  });

  // Both hosts run Codex, since each host itself puts the error into a WebSocket's frame. Of the other
  // clients, one host runs the first way.
  const waysOf = ({ name, ways }) =>
    name === "Codex" ? ways.filter(({ compacts }) => !compacts) : TARGET === "wazero" ? ways.slice(0, 1) : [];

  for (const client of clients.filter(({ name, full }) => !full && name !== "Qwen Code"))
    for (const way of waysOf(client))
      test(`${client.name} with ${way.protocol}: ${way.suite}`, { skip: lacking(client) }, async () => {
        await unpack();
        const ask = async () => run(client, way, await spend(), "budget");
        let ended = await ask();
        if (f.up.requests.length > 1) ended = await ask(); // another day had begun
        assert.equal(f.up.requests.length, 1, ended.printed);
        assert.equal(typeof ended.code, "number", `the client did not end: ${ended.printed}`);
        assert.match(ended.printed, shown(client));
      });
});
