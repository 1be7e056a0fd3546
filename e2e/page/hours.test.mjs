// Watching by the hour, in chosen days, and without a press; the last use and the cost of keys.
import assert from "node:assert/strict";
import { describe } from "node:test";
import * as chat from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import { fits, inspect, inspectThemes, pages, stopClock } from "../lib/page.mjs";
import { elsewhere } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";
import { unwatched, watched } from "../lib/watched.mjs";

const HOUR = 3_600_000;
const day = (ago) => new Date(Date.now() - ago * 24 * HOUR).toISOString().slice(0, 10);
// hour returns when an hour begins, in seconds.
const hour = (ago) => (Math.floor(Date.now() / HOUR) - ago) * 3600;

// hourly returns the usage of two hours, and of one more request without an hour.
function hourly() {
  const kept = watched();
  const [row] = kept.days;
  const of = (ago, more) => ({ ...row, day: undefined, time: hour(ago), ...more });
  kept.days = [{ ...row, day: day(0), requests: 13, usd: 1.25 }];
  kept.hours = [
    of(0, { requests: 4, errors: 0, usd: 0.25 }),
    of(3, { requests: 8, errors: 1, usd: 1 }),
    of(40, { requests: 0, errors: 0, usd: 0 }),
  ];
  return kept;
}

describe("watching by the hour", { skip: elsewhere("wazero") }, () => {
  const f = pages();

  test("the last 24 hours in local time, and a chosen day by the hour", async () => {
    await f.make("anna");
    const page = await f.operate("", { timezoneId: "America/New_York" });
    const asked = new Set(); // a refresh repeats a query
    await page.route("**/usage?*", (route) => {
      const { search } = new URL(route.request().url());
      asked.add(search);
      return route.fulfill({ json: search.includes("by=hour") ? hourly() : watched() });
    });
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    await page.getByText("Days are in UTC.").waitFor();
    await page.getByLabel("Range").selectOption("24h");
    await page.getByRole("img", { name: "Requests: 11 answered, 1 errors in 24 hours" }).waitFor();
    await page.getByText("Hours are in your local time.").waitFor();
    await page
      .getByText("1 more request of these days: an earlier version has not counted their hours.")
      .waitFor();
    await page.getByText("As a table").nth(1).click();
    const local = new Date(hour(3) * 1000).toLocaleString("en-US", {
      timeZone: "America/New_York",
      month: "short",
      day: "numeric",
      hour: "2-digit",
      minute: "2-digit",
    });
    await page.getByRole("row", { name: `${local} 7 1` }).waitFor();
    await inspect(page);
    await page.getByLabel("Range").selectOption("custom");
    for (const name of ["From, in UTC", "To, in UTC"]) await page.getByLabel(name).fill(day(0));
    await page.getByRole("button", { name: "Show" }).click();
    await until(() => asked.size === 3);
    await page.getByRole("img", { name: /^Requests: .* in 24 hours$/ }).waitFor();
    await page.getByLabel("From, in UTC").fill(day(40));
    await page.getByRole("button", { name: "Show" }).click();
    await page.getByRole("img", { name: /^Requests: .* in 41 days$/ }).waitFor();
    assert.deepEqual(
      [...asked],
      [
        "?days=30",
        "?days=2&by=hour",
        `?from=${day(0)}&to=${day(0)}&by=hour`,
        `?from=${day(40)}&to=${day(0)}`,
      ],
    );
  });

  test("real requests, in both themes on a phone", async () => {
    const { key } = await f.make("bert", { key: { label: "Bert's phone" } });
    f.up.serve((x) => x.answer(200, chat.plain()));
    await fetch(`${f.url}/u/bert/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    }).then((reply) => reply.text());
    await until(async () => (await f.api("GET", "/endpoints/bert/usage")).days.length > 0);
    const phone = await f.operate("", { viewport: { width: 375, height: 800 } });
    await phone.goto(`${f.url}/admin#/e/bert/watch`);
    await phone.getByLabel("Range").selectOption("24h");
    await phone.getByRole("img", { name: "Requests: 1 answered, 0 errors in 24 hours" }).waitFor();
    await phone.getByLabel("Range").selectOption("custom");
    await inspectThemes(phone);
    await fits(phone);
    await phone.getByRole("tab", { name: "Keys" }).click();
    await phone
      .getByRole("row", {
        name: /Bert's phone.*Last used: \w+ \d.*Cost, 30 days: 1 request without a price/s,
      })
      .waitFor();
    await inspectThemes(phone);
    await fits(phone);
    // the owner sees the label instead of the id
    const page = await f.own("bert", key, "#watch");
    await page.getByLabel("Grouping").selectOption("key");
    await page.getByRole("row", { name: /^Bert's phone / }).waitFor();
  });

  test("every 10 seconds it loads again; what is chosen and open stays", async () => {
    await f.make("anna");
    const page = await f.operate();
    await stopClock(page);
    let [asked, kept] = [0, watched()];
    await page.route("**/usage?*", (route) => {
      asked++;
      return route.fulfill({ json: kept });
    });
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    await page.getByLabel("Grouping").selectOption("upstream");
    await page.getByText("Lost fields").first().click();
    kept = watched();
    kept.lost[0].field = "a_new_field";
    await page.clock.runFor(10_000);
    await page
      .getByRole("row", { name: /a_new_field/ })
      .first()
      .waitFor();
    await page.getByRole("heading", { name: "Upstreams" }).waitFor();
    assert.equal(asked, 2);
    await page.getByRole("tab", { name: "Connect" }).click();
    await page.clock.runFor(60_000);
    assert.equal(asked, 2);
  });

  test("keys without usage, and keys whose usage can't be read", async () => {
    f.expected = [/status of 500/];
    const made = await f.make("anna");
    const page = await f.operate();
    const kept = watched();
    kept.days[0].key = made.keys[0].id;
    kept.days[0].last_used = 1795267200;
    for (const [answer, words] of [
      [{ json: kept }, /Nov 2\d, 2026, .* \$1\.25 Change the limits of the key \S+ Revoke the key/],
      [{ json: watched() }, /not in 90 days \$0\.00 Change the limits of the key \S+ Revoke the key/],
      [{ json: unwatched }, /not counted not counted Change the limits of the key \S+ Revoke the key/],
      [
        { status: 500, json: { error: { message: "no" } } },
        /unknown unknown Change the limits of the key \S+ Revoke the key/,
      ],
    ]) {
      await page.route("**/usage?days=90", (route) => route.fulfill(answer));
      await page.goto(`${f.url}/admin#/e/anna/connect`);
      await page.getByRole("tab", { name: "Keys" }).click();
      await page.getByRole("row", { name: words }).waitFor();
    }
  });
});
