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
      .getByRole("img", {
        name: /^Cost: \$1\.25 \S.*, \$0\.50 k7654321, \$0\.0004 k1234567 in 30 days, \+ 5 requests without a price$/,
      })
      .waitFor();
    await page.getByRole("row", { name: /^k7654321 \$0\.50 8 0 3,000 50 0 % 0 448 ms 448 ms$/ }).waitFor();
    await page.getByLabel("Grouping").selectOption("upstream");
    await page.getByRole("heading", { name: "Upstreams" }).waitFor();
    await page.getByRole("row", { name: /^up \$1\.75 \+ 5 requests without a price 26 6 / }).waitFor();
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
    const asked = new Set(); // a refresh repeats a query
    await page.route("**/usage?days=*", (route) => {
      asked.add(new URL(route.request().url()).searchParams.get("days"));
      return route.fulfill({ json: watched() });
    });
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    for (const days of ["1", "7", "90"]) {
      await page.getByLabel("Range").selectOption(days);
      await page.getByRole("img", { name: new RegExp(`^Requests: .* in ${days} days$`) }).waitFor();
    }
    assert.deepEqual([...asked], ["30", "1", "7", "90"]);
  });

  test("errors with the model and words, refusals, and what got lost", async () => {
    await f.make("anna");
    const page = await f.operate();
    await usageOf(page, watched());
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    await page.getByRole("row", { name: /502 unavailable gpt-5\.5 It is down\. req_1/ }).waitFor();
    await page
      .getByRole("row", { name: /^requests_per_minute k7654321 1,234 \S.* gpt-5\.5 req_9/ })
      .waitFor();
    await page.getByText("1,234 more refused by limits").waitFor();
    await page.getByText("Lost fields").first().click();
    await page.getByRole("row", { name: "top_k 3" }).waitFor();
    await page.getByText("edgelingua explain top_k", { exact: true }).waitFor();
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

  // unpriced returns an answer of the usage API: 46 requests have no price, and 1.2 dollars are known.
  const unpriced = (usd) => {
    const kept = watched();
    Object.assign(kept.days[0], { usd: 0, unpriced: 12 });
    Object.assign(kept.days[1], { usd: 0, unpriced: 8 });
    Object.assign(kept.days[2], { requests: 40, unpriced: 25 });
    Object.assign(kept.days[3], { usd, unpriced: 1 });
    kept.limits = {
      usd_per_day: { limit: 5, used: usd, unpriced: 1 },
      usd_per_month: { limit: 50, used: usd, unpriced: 61 },
    };
    return kept;
  };

  test("a cost that is not known is no $0.00", async () => {
    const made = await f.make("anna");
    for (const usd of [1.2, 0, 0.00000005]) {
      const known = { 1.2: "$1.20", 0: "unknown" }[usd] ?? "$0.00000005";
      const page = await f.operate();
      await usageOf(page, unpriced(usd));
      await page.goto(`${f.url}/admin#/e/anna/watch`);
      const tile = page.locator(".tiles > div", { hasText: "Cost" });
      await tile.getByText("+ 46 requests without a price").waitFor();
      assert.equal(await tile.locator("dd").first().textContent(), known);
      await page.getByText("1 request has no price and is not held by this budget: set prices").waitFor();
      await page.getByText("61 requests have no price and are not held by this budget: set prices").waitFor();
      await page.getByText(`${known} of $5.00`).waitFor();
      const row = (name) => page.getByRole("row", { name });
      await row(/^claude-opus-5-5 unknown 40 5 /).waitFor();
      const mixed = usd ? `${known} + 21 requests without a price` : known;
      assert.equal(
        await row(/^gpt-5\.5 /)
          .first()
          .locator("td")
          .first()
          .textContent(),
        mixed,
      );
      if (usd) {
        await chart(page, "Cost").getByText("As a table").click();
        assert.deepEqual(
          await chart(page, "Cost")
            .locator("tbody tr")
            .evaluateAll((all) => all.map(({ cells }) => [cells[1].textContent, cells[2].textContent])),
          [
            ["—", "12"],
            ["—", "33"],
            [known, "1"],
          ],
        );
      } else await chart(page, "Cost").getByText("46 requests without a price.", { exact: true }).waitFor();
      assert.equal(await page.getByText("$0.00", { exact: true }).count(), 0);
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Export CSV" }).click(),
      ]);
      const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
      assert.deepEqual(
        lines.slice(1).map((line) => line.split(",").slice(13, 15)),
        [
          ["", "12"],
          ["", "8"],
          ["", "25"],
          [usd ? String(usd) : "", "1"],
        ],
      );
      await inspect(page);
      await page.getByRole("button", { name: "set prices" }).first().click();
      await page.getByRole("button", { name: "Add a price" }).waitFor();
      assert.match(page.url(), /#\/e\/anna\/setup$/);
    }
    const page = await f.own("anna", made.key);
    await usageOf(page, unpriced(1.2));
    await page.getByRole("tab", { name: "Watch" }).click();
    await page
      .getByText("61 requests have no price and are not held by this budget: the operator can set prices.")
      .waitFor();
  });

  test("usage is kept from a press on, and nobody else can press", async () => {
    const { key } = await f.make("anna", { usage: false });
    const own = await f.own("anna", key, "#watch");
    await own.getByText("The operator of this endpoint can turn it on.").waitFor();
    assert.equal(await own.getByRole("button", { name: "Keep usage" }).count(), 0);
    const page = await f.operate("#/e/anna/watch");
    await page.getByText("Usage is not counted").waitFor();
    await inspect(page);
    await page.getByRole("button", { name: "Keep usage from now on" }).click();
    await page.locator(".tiles").waitFor();
    assert.equal((await f.api("GET", "/endpoints/anna")).usage, true);
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByText("Limits and usage", { exact: true }).click();
    assert.ok(await page.getByLabel("Count usage").isChecked());
  });

  test("a new endpoint counts usage, unless the box is unchecked", async () => {
    for (const [name, counts] of [
      ["counts", true],
      ["counts-not", false],
    ]) {
      await f.api("DELETE", `/endpoints/${name}`);
      const page = await f.operate("#/new");
      await page.getByLabel("Name of the endpoint").fill(name);
      await page.getByText("Limits and usage", { exact: true }).click();
      assert.ok(await page.getByLabel("Count usage").isChecked());
      if (!counts) await page.getByLabel("Count usage").uncheck();
      await page.getByRole("button", { name: "Create the endpoint" }).click();
      await page.getByRole("heading", { name, exact: true }).waitFor();
      assert.equal((await f.api("GET", `/endpoints/${name}`)).usage, counts);
    }
  });

  test("budgets, prices and the log of requests in the form", async () => {
    f.expected = [/status of 422|status of 400/];
    await f.make("anna");
    const page = await f.operate("#/e/anna/setup");
    await page.getByText("Limits and usage", { exact: true }).click();
    await page.getByLabel("US dollars per day").fill("2.5");
    await page.getByLabel("A request over budget").selectOption("next");
    await page.getByLabel("With a budget, a model without a price").selectOption("allow");
    await page
      .getByText(/^US dollars per million tokens.*@pydantic\/genai-prices \S+ of 20\d\d-\d\d-\d\d,/)
      .waitFor();
    const field = (label, row = 0) => page.getByLabel(label, { exact: true }).nth(row);
    await page.getByRole("button", { name: "Add a price" }).click();
    assert.ok(await field("Model").evaluate((element) => element === document.activeElement));
    await field("Input").fill("1");
    await page.getByLabel("Request log, in hours").fill("24");
    const saves = page.getByRole("button", { name: "Save", exact: true });
    await saves.click(); // the browser asks for the model's name
    assert.match(await field("Model").evaluate((element) => element.validationMessage), /^Type the model/);
    await field("Model").fill("m*");
    await saves.click();
    await page.getByText("prices.m* must have input and output.").waitFor();
    assert.equal(await field("Model").getAttribute("aria-invalid"), "true");
    await field("Output").fill("much");
    await saves.click();
    await page.getByText("prices.m*.output must be an amount of US dollars", { exact: false }).waitFor();
    assert.equal(await field("Output").getAttribute("aria-invalid"), "true");
    await field("Output").fill("2");
    await page.getByRole("button", { name: "Add a price" }).click();
    await field("Model", 1).fill("m*");
    assert.match(await field("Model", 1).evaluate((element) => element.validationMessage), /^Another row/);
    await field("Model", 1).fill("mini");
    await page.getByText("m* comes first and matches too, so this price never counts.").waitFor();
    await page.getByRole("button", { name: "Remove this price" }).nth(1).click();
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
    assert.equal(await field("Input").inputValue(), "1");
    await field("Cache reads").fill("0.1");
    await save(page);
    assert.deepEqual((await f.api("GET", "/endpoints/anna")).prices, {
      "m*": { input: 1, output: 2, cache_read: 0.1 },
    });
    await page.getByText("Limits and usage", { exact: true }).click();
    await field("Cache reads").fill("");
    await save(page);
    assert.deepEqual((await f.api("GET", "/endpoints/anna")).prices, { "m*": { input: 1, output: 2 } });
    await page.getByText("Limits and usage", { exact: true }).click();
    await page.getByRole("button", { name: "Remove this price" }).click();
    for (const label of ["US dollars per day", "Request log, in hours"])
      await page.getByLabel(label).fill("");
    await page.getByLabel("A request over budget").selectOption("");
    await page.getByLabel("With a budget, a model without a price").selectOption("");
    await save(page);
    const left = await f.api("GET", "/endpoints/anna");
    assert.deepEqual([left.limits, left.prices, left.request_log], [{}, {}, undefined]);
  });

  test("the list says how endpoints do", async () => {
    await f.make("anna", { usage: true });
    await f.make("bert", { usage: false });
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
    await row("carl").getByRole("img", { name: "up: has failed: 503 server error" }).waitFor();
    await row("carl").getByRole("img", { name: "1 request and 1 error in 7 days" }).waitFor();
    await row("carl")
      .getByText(/^\$0\.00 today · 1 error · used /)
      .waitFor();
    await inspect(page);
    await page.setViewportSize({ width: 390, height: 844 });
    const words = row("carl").getByText("up: has failed: 503 server error");
    assert.ok((await words.boundingBox()).height < 30, "on a phone the words are beside their dot");
  });

  test("the list says which part of today's cost is known", async () => {
    await f.make("anna");
    for (const [usd, unpriced, words] of [
      [1.2, 46, "$1.20 + 46 requests without a price today · used"],
      [0, 1, "1 request without a price today · used"],
      [0, 0, "$0.00 today · used"],
    ]) {
      const page = await f.open();
      const day = new Date().toISOString().slice(0, 10);
      await page.route("**/admin/api/health?*", (route) =>
        route.fulfill({
          json: {
            endpoints: [
              {
                name: "anna",
                days: [{ day, requests: 100, errors: 0, usd, unpriced }],
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
      await page.getByText(words).first().waitFor();
    }
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
