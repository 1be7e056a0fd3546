// The cost of requests by the prices of a record: the header, the day, and the log line of each
// host. The tests of budgets and of the request log are in worker/serve/money_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { midnight, requestsOf, says, suite, through } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

// The 123 input tokens include 20 from a cache, and at Anthropic 3 written to the cache; 40 tokens
// are output.
const prices = { "m*": { input: 1000, output: 2000, cache_read: 100, cache_write: 3000 } };
const price = (protocol) =>
  ((protocol === "anthropic" ? 100 * 1000 + 3 * 3000 : 103 * 1000) + 20 * 100 + 40 * 2000) / 1e6;

describe("money", () => {
  const f = suite();

  for (const client of ["anthropic", "chat"]) {
    for (const protocol of ["chat", "anthropic"]) {
      test(`${client} to ${protocol}: what the record says that it costs`, async () => {
        f.up.serve(says(protocol));
        const e = await f.endpoint({ usage: true, prices, upstreams: [through(protocol, f.up)] });
        const answer = await f.ask(client, e, { at: midnight, body: { model: "mine" } });
        const passed = client === protocol; // the body has reached the client before the usage was known
        assert.equal(answer.headers["x-edgelingua-cost"], passed ? undefined : String(price(protocol)));
        await f.ask(client, e, { at: midnight, body: { model: "mine", stream: true } });
        const { days } = await f.until(e, { at: midnight }, (kept) => requestsOf(kept) === 2);
        assert.ok(Math.abs(days[0].usd - 2 * price(protocol)) < 1e-9, days[0].usd);
        assert.equal(days[0].unpriced, 0);
        const lines = await until(() => {
          // a line is written after the usage is stored
          const all = f.lines.all
            .map((line) => JSON.parse(line))
            .filter(({ endpoint, pair }) => endpoint === e.name && pair);
          return all.length >= 2 && all;
        });
        assert.deepEqual(
          lines.map(({ upstream, cost_usd }) => [upstream, cost_usd]),
          [
            ["up", price(protocol)],
            ["up", price(protocol)],
          ],
        );
      });
    }
  }
});
