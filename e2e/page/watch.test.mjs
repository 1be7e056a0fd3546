// Watching in a browser: ranges, parts, the numbers of a day, the file for a spreadsheet, and the
// list of endpoints with their health.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { fits, inspect, pages, save, usageOf } from "../lib/page.mjs";
import { watched } from "../lib/watched.mjs";
import { elsewhere } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";

describe("watching", { skip: elsewhere("wazero") }, () => {
  const f = pages();
  const chart = (page, name) =>
    page.locator(".chart", { has: page.getByRole("heading", { name, exact: true }) });

  test("money first, by model, key and upstream", async () => {
    const made = await f.make("anna");
    const page = await f.operate();
    const kept = watched();
    kept.days[0].key = made.keys[0].id;
    await usageOf(page, kept);
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    await page.getByRole("img", { name: "Cost: $1.75 gpt-5.5 in 30 days" }).waitFor();
    assert.equal(await page.locator(".tiles dt").first().textContent(), "Cost");
    await page.getByLabel("Grouping").selectOption("key");
    await page
      .getByRole("img", { name: /^Cost: \$1\.25 \S.*, \$0\.50 k7654321, \$0\.0004 k1234567 in 30 days$/ })
      .waitFor();
    await page.getByRole("row", { name: /^k7654321 \$0\.50 8 0 3,000 50 0 % 0 448 ms 448 ms$/ }).waitFor();
    await page.getByLabel("Grouping").selectOption("upstream");
    await page.getByRole("heading", { name: "Upstreams" }).waitFor();
    await page.getByRole("row", { name: /^up \$1\.75 26 6 / }).waitFor();
  });

  test("the numbers of the day that is pointed at, and touched", async () => {
    await f.make("anna");
    for (const hasTouch of [false, true]) {
      const page = await f.operate("", { hasTouch });
      await usageOf(page, watched());
      await page.goto(`${f.url}/admin#/e/anna/watch`);
      const requests = chart(page, "Requests");
      await requests.scrollIntoViewIfNeeded();
      const box = await requests.getByRole("img").boundingBox();
      const today = [box.x + box.width - 2, box.y + box.height / 2];
      if (hasTouch) await page.touchscreen.tap(...today);
      else await page.mouse.move(...today);
      await requests.getByText(/^\d{4}-\d\d-\d\d: 1 answered, 0 errors$/).waitFor();
    }
  });

  test("a day, a week, a month and 90 days", async () => {
    await f.make("anna");
    const page = await f.operate();
    const asked = [];
    await page.route("**/usage?days=*", (route) => {
      asked.push(new URL(route.request().url()).searchParams.get("days"));
      return route.fulfill({ json: watched() });
    });
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    for (const days of ["1", "7", "90"]) {
      await page.getByLabel("Range").selectOption(days);
      await page.getByRole("img", { name: new RegExp(`^Requests: .* in ${days} days$`) }).waitFor();
    }
    assert.deepEqual(asked, ["30", "1", "7", "90"]);
  });

  test("errors with the model and words, what got lost, and the last requests", async () => {
    await f.make("anna");
    const page = await f.operate();
    await usageOf(page, watched());
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    await page.getByRole("row", { name: /502 unavailable gpt-5\.5 It is down\. req_1/ }).waitFor();
    await page.getByText("Lost fields").first().click();
    await page.getByRole("row", { name: "top_k 3" }).waitFor();
    await page.getByText("Last requests").first().click();
    await page
      .getByRole("row", { name: /gpt-5\.5 up k7654321 answered 310 ms \/ 1\.2 s 10 \/ 5 \$0\.0004 top_k/ })
      .waitFor();
    await page
      .getByRole("row", { name: /gpt-5\.5 → other up k1234567 502 unavailable — \/ 80 ms 10 \/ 0 unknown —/ })
      .waitFor();
  });

  test("a file for a spreadsheet, in which nothing is a formula", async () => {
    await f.make("anna");
    const page = await f.operate();
    await usageOf(page, watched({ model: '=HYPERLINK("http://evil.example")' }));
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export CSV" }).click(),
    ]);
    assert.equal(download.suggestedFilename(), "usage.csv");
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    assert.match(
      lines[0],
      /^day,model,key,upstream,requests,errors,fell,input,output,cached,written,reasoning,searches,usd,unpriced,first_byte_p50_ms,/,
    );
    assert.match(
      lines[1],
      /^\d{4}-\d\d-\d\d,"'=HYPERLINK\(""http:\/\/evil\.example""\)",k1234567,up,12,1,2,12000,450,6000,0,7,0,1\.25,0,320,5120,1280,1280$/,
    );
  });

  test("budgets, prices and the log of requests in the form", async () => {
    f.expected = [/status of 422|status of 400/];
    await f.make("anna");
    const page = await f.operate("#/e/anna/setup");
    await page.getByText("Limits and usage", { exact: true }).click();
    await page.getByLabel("US dollars per day").fill("2.5");
    await page.getByLabel("A request over budget").selectOption("next");
    await page.getByLabel("With a budget, a model without a price").selectOption("allow");
    await page.getByLabel("Prices").fill("{");
    await page.getByLabel("Request log, in hours").fill("24");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("prices must be an object", { exact: false }).first().waitFor();
    await page.getByLabel("Prices").fill('{"m*":{"input":1,"output":2}}');
    await save(page);
    await page.getByText("Saved. Other locations see the change within a minute.").waitFor();
    const kept = await f.api("GET", "/endpoints/anna");
    assert.deepEqual(
      [kept.limits, kept.prices, kept.request_log],
      [
        { usd_per_day: 2.5, over_budget: "next", unpriced: "allow" },
        { "m*": { input: 1, output: 2 } },
        { ttl: 86400 },
      ],
    );
    await page.getByText("Limits and usage", { exact: true }).click();
    for (const label of ["US dollars per day", "Prices", "Request log, in hours"])
      await page.getByLabel(label).fill("");
    await page.getByLabel("A request over budget").selectOption("");
    await page.getByLabel("With a budget, a model without a price").selectOption("");
    await save(page);
    const left = await f.api("GET", "/endpoints/anna");
    assert.deepEqual([left.limits, left.prices, left.request_log], [{}, {}, undefined]);
  });

  test("the list says how endpoints do", async () => {
    await f.make("anna", { usage: true });
    await f.make("bert");
    f.up.serve((x) => x.answer(503, { error: { message: "Not now." } }));
    const { key } = await f.make("carl", { usage: true, prices: { "*": { input: 1, output: 1 } } });
    const headers = { "x-api-key": key, "content-type": "application/json" };
    const body = JSON.stringify({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "hi" }] });
    await fetch(`${f.url}/u/carl/v1/messages`, { method: "POST", headers, body }).then((reply) =>
      reply.text(),
    );
    const health = async () => (await f.api("GET", "/health?name=carl")).endpoints[0].upstreams[0].state;
    await until(async () => (await health()) === "failing"); // usage is stored only after the answers
    const page = await f.operate();
    const row = (name) => page.getByRole("link", { name: new RegExp(`^${name}`) });
    await row("anna").getByRole("img", { name: "up: answers" }).waitFor();
    await row("anna").getByText("no requests yet").waitFor();
    await row("bert").getByRole("img", { name: "up: usage is not counted" }).waitFor();
    await row("carl").getByRole("img", { name: "up: has failed" }).waitFor();
    await row("carl").getByRole("img", { name: "1 requests and 1 errors in 7 days" }).waitFor();
    await row("carl")
      .getByText(/^\$0\.00 today · 1 errors · used /)
      .waitFor();
    await inspect(page);
  });

  test("a day with one error among many does not look like one on which all failed", async () => {
    await f.make("anna");
    const page = await f.open();
    const day = new Date().toISOString().slice(0, 10);
    await page.route("**/admin/api/health?*", (route) =>
      route.fulfill({
        json: {
          endpoints: [
            {
              name: "anna",
              days: [{ day, requests: 100, errors: 10, usd: 0, unpriced: 0 }],
              last_used: 1,
              upstreams: [{ name: "up", state: "ok" }],
            },
          ],
        },
      }),
    );
    await page.goto(`${f.url}/admin`);
    await page.getByLabel("ADMIN_KEY").fill("the-operator-s-own-key");
    await page.keyboard.press("Enter");
    const spark = page.getByRole("img", { name: "100 requests and 10 errors in 7 days" }).first();
    const height = (tone) => spark.locator(`.${tone}`).evaluate((bar) => bar.getBoundingClientRect().height);
    assert.ok((await height("failed")) < (await height("accent")) / 4);
  });

  test("on a phone every tab is in view, the chosen one too", async () => {
    await f.make("anna");
    const page = await f.operate("", { viewport: { width: 375, height: 720 } });
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    await page.getByRole("tab", { name: "Watch", selected: true }).waitFor();
    for (const tab of await page.getByRole("tab").all()) {
      const { x, width } = await tab.boundingBox();
      assert.ok(x >= 0 && x + width <= 375, await tab.textContent());
    }
  });

  test("a list of 1,000 stays usable: only the rows in view are asked about", async () => {
    const page = await f.open();
    const asked = [];
    await page.route("**/admin/api/endpoints", (route) =>
      route.fulfill({
        json: {
          endpoints: Array.from({ length: 1000 }, (_, i) => ({
            name: `e${1000 + i}`,
            upstreams: { up: "chat" },
            keys: 1,
          })),
        },
      }),
    );
    await page.route("**/admin/api/health?*", (route) => {
      const names = new URL(route.request().url()).searchParams.getAll("name");
      asked.push(...names);
      return route.fulfill({
        json: {
          endpoints: names.map((name) => ({
            name,
            days: [],
            last_used: null,
            upstreams: [{ name: "up", state: "ok" }],
          })),
        },
      });
    });
    await page.goto(`${f.url}/admin`);
    await page.getByLabel("ADMIN_KEY").fill("the-operator-s-own-key");
    await page.keyboard.press("Enter");
    await page.getByText("1000 in all").waitFor();
    await page
      .getByRole("link", { name: /^e1000/ })
      .getByText("no requests yet")
      .waitFor();
    assert.ok(asked.length < 60 && !asked.includes("e1999"), asked.length);
    await page.getByRole("searchbox").fill("e1999");
    await page.getByText("1 of 1000").waitFor();
    await page
      .getByRole("link", { name: /^e1999/ })
      .getByText("no requests yet")
      .waitFor();
    assert.equal(new Set(asked).size, asked.length);
    await fits(page);
  });
});
