// The operator's overview in a browser: the sums of all endpoints, ranges, failing upstreams in words,
// and the refresh.
import assert from "node:assert/strict";
import { describe } from "node:test";
import * as chat from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import { fits, inspect, inspectThemes, pages, stopClock } from "../lib/page.mjs";
import { elsewhere } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";

const day = (ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
const sum = (of) => ({
  requests: 0,
  errors: 0,
  input: 0,
  output: 0,
  cached: 0,
  usd: 0,
  unpriced: 0,
  ...of,
});
const now = () => Math.floor(Date.now() / 1000);

// sums returns an answer of GET /admin/api/overview.
const sums = (more) => ({
  time: now(),
  today: sum({ day: day(0), requests: 61, unpriced: 61, errors: 2 }),
  days: [
    sum({ day: day(3), requests: 20, usd: 1.2, input: 1000, cached: 250, output: 90 }),
    sum({ day: day(0), requests: 61, unpriced: 61, errors: 2 }),
  ],
  endpoints: [
    sum({ endpoint: "anna", requests: 20, usd: 1.2, input: 1000, cached: 250, output: 90 }),
    sum({ endpoint: "bert", requests: 60, unpriced: 60, disabled: true }),
    sum({ endpoint: "carl", requests: 1, unpriced: 1, deleted: true }),
    sum({ endpoint: "" }),
  ],
  models: [sum({ model: "gpt-5.5", requests: 20, usd: 1.2 }), sum({ model: "free", requests: 3 })],
  keys: [
    sum({ endpoint: "anna", key: "k1234567", label: "Anna's laptop", requests: 20, usd: 1.2 }),
    sum({ endpoint: "bert", key: "k7654321", requests: 60, unpriced: 60 }),
    sum({ endpoint: null, key: null, requests: 2 }),
  ],
  failing: [
    {
      endpoint: "anna",
      upstream: "up",
      state: "resting",
      until: now() + 40,
      failures: 3,
      failed_at: now(),
      status: 401,
    },
    { endpoint: "bert", upstream: "other", state: "failing", failures: 1, failed_at: now(), status: 0 },
  ],
  more_failing: 4,
  behind: 0,
  more: false,
  ...more,
});

describe("the operator's overview", { skip: elsewhere("wazero") }, () => {
  const f = pages();

  test("sums, endpoints, models and keys of real requests, and an upstream that fails", async () => {
    const anna = await f.make("anna", {
      key: { label: "Anna's laptop" },
      prices: { "*": { input: 1, output: 1, cache_read: 1 } },
    });
    const bert = await f.make("bert");
    const ask = (name, { key }) =>
      fetch(`${f.url}/u/${name}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-5.5", messages: [{ role: "user", content: "hi" }] }),
      }).then((reply) => reply.text());
    f.up.serve((x) => x.answer(200, chat.plain()));
    await ask("anna", anna);
    f.up.serve((x) => x.answer(401, { error: { message: "Incorrect API key." } }));
    for (let i = 0; i < 3; i++) await ask("bert", bert);
    // usage is stored only after the answers
    await until(async () => (await f.api("GET", "/overview")).today.requests === 4);
    const page = await f.operate();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page
      .getByText(
        /^bert · up: (cooling down for \d+ s after 3 failures|3 failures in a row): 401 invalid key$/,
      )
      .waitFor();
    await page.getByRole("row", { name: /^anna \$0\.0\d+ 1 0 / }).waitFor();
    await page.getByRole("row", { name: /^bert .*3 3 / }).waitFor();
    await page.getByRole("row", { name: /^gpt-5\.5 .* 4 3 / }).waitFor();
    await page.getByRole("row", { name: /^Anna's laptop of anna / }).waitFor();
    await inspect(page);
    await page.getByRole("link", { name: "anna", exact: true }).first().click();
    await page.getByRole("tab", { name: "Watch", selected: true }).waitFor();
  });

  test("money is zero only if it is known, and failures have words", async () => {
    const page = await f.operate("", { viewport: { width: 375, height: 800 } });
    await page.route("**/admin/api/overview?*", (route) => route.fulfill({ json: sums() }));
    await page.getByRole("link", { name: "Overview" }).click();
    await page
      .getByText(/^anna · up: cooling down for ([1-9]|[1-3]\d|40) s after 3 failures: 401 invalid key$/)
      .waitFor();
    await page.getByText("bert · other: has failed: no answer", { exact: true }).waitFor();
    await page.getByText("and 4 more").waitFor();
    const tiles = await page.locator(".tiles .card:first-child").allTextContents();
    assert.deepEqual(tiles, [
      "Costunknown+ 61 requests without a price",
      "Cost$1.20+ 61 requests without a price",
    ]);
    await page
      .getByRole("row", { name: /^bert disabled/ })
      .getByText("unknown")
      .waitFor();
    await page.getByRole("row", { name: /^carl deleted/ }).waitFor();
    assert.equal(await page.getByRole("link", { name: "carl" }).count(), 0);
    await page.getByRole("row", { name: /^free/ }).getByText("$0.00").waitFor();
    await page.getByRole("row", { name: /^k7654321 of bert/ }).waitFor();
    await page.getByRole("row", { name: /^other keys/ }).waitFor();
    await page.getByText(/^since \d.*, which is 00:00 UTC$/).waitFor();
    await inspectThemes(page);
    await fits(page);
  });

  test("ranges, and a range of days of one's own", async () => {
    const page = await f.operate();
    const asked = new Set(); // a refresh repeats a query
    await page.route("**/admin/api/overview?*", (route) => {
      asked.add(new URL(route.request().url()).search);
      return route.fulfill({ json: sums() });
    });
    await page.goto(`${f.url}/admin#/overview`);
    await page.getByRole("img", { name: /^Requests: .* in 30 days$/ }).waitFor();
    await page.getByLabel("Range").selectOption("7");
    await page.getByRole("img", { name: /^Requests: .* in 7 days$/ }).waitFor();
    await page.getByLabel("Range").selectOption("custom");
    await page.getByLabel("From, in UTC").fill(day(4));
    await page.getByLabel("To, in UTC").fill(day(2));
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("img", { name: /^Requests: .* in 3 days$/ }).waitFor();
    await page.getByRole("heading", { name: `${day(4)} to ${day(2)}` }).waitFor();
    assert.deepEqual([...asked], ["?days=30", "?days=7", `?from=${day(4)}&to=${day(2)}`]);
  });

  test("every 10 seconds it loads again, unless the page is hidden; what is open stays open", async () => {
    const page = await f.operate();
    await stopClock(page);
    let [asked, answer] = [0, sums()];
    await page.route("**/admin/api/overview?*", (route) => {
      asked++;
      return route.fulfill({ json: answer });
    });
    await page.goto(`${f.url}/admin#/overview`);
    const requests = page.locator(".chart", { has: page.getByRole("heading", { name: "Requests" }) });
    await requests.getByText("As a table").click();
    assert.equal(asked, 1);
    answer = sums({ endpoints: [sum({ endpoint: "dora", requests: 7 })] });
    await page.clock.runFor(10_000);
    await page.getByRole("row", { name: /^dora/ }).waitFor();
    await requests.getByRole("row", { name: new RegExp(`^${day(3)} 20 0`) }).waitFor();
    assert.equal(asked, 2);
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { configurable: true, value: true });
    });
    await page.clock.runFor(60_000);
    assert.equal(asked, 2);
    answer = sums({ behind: 985, more: true });
    await page.evaluate(() => {
      delete document.hidden;
      document.dispatchEvent(new Event("visibilitychange"));
    });
    await page.clock.runFor(1);
    await page.getByText("Still adding the last minutes of 985 endpoints …").waitFor();
    answer = sums();
    await page.clock.runFor(500);
    await page.getByText("Still adding").waitFor({ state: "detached" });
    const full = asked + 61;
    // endpoints so busy that the sums are never complete
    answer = {
      ...sums({ more: true }),
      get behind() {
        return asked;
      },
    };
    while (asked < full) await page.clock.runFor(500);
    await page.getByText(`Still adding the last minutes of ${full} endpoints …`).waitFor();
    await page.clock.runFor(9_000);
    assert.equal(asked, full);
    await page.clock.runFor(1_000);
    await until(() => asked === full + 1);
    await page.goto(`${f.url}/admin#/`);
    await page.getByRole("heading", { name: "Endpoints", level: 1 }).waitFor();
    const left = asked;
    await page.clock.runFor(60_000);
    assert.equal(asked, left);
  });

  test("an error, and the end of the session", async () => {
    f.expected = [/status of (401|500)/];
    const page = await f.operate();
    let status = 500;
    await page.route("**/admin/api/overview?*", (route) =>
      route.fulfill({ status, json: { error: { message: "It is broken." } } }),
    );
    await page.goto(`${f.url}/admin#/overview`);
    await page.getByText("It is broken.").waitFor();
    status = 401;
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByLabel("ADMIN_KEY").waitFor();
  });
});
