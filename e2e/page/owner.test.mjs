// The owner's page in a browser: viewing, connecting and watching an endpoint, and replacing its
// key.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import { fits, goOffline, inspect, inspectThemes, pages, tabTo, usageOf } from "../lib/page.mjs";
import { unwatched, watched } from "../lib/watched.mjs";
import { elsewhere } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";

const PHONE = { viewport: { width: 375, height: 720 }, hasTouch: true };
const REFUSED = /status of 4\d\d/;

describe("the owner's page", { skip: elsewhere("wazero") }, () => {
  const f = pages();

  test("a wrong key, another endpoint's, and the right one", async () => {
    f.expected = [REFUSED];
    const { key } = await f.make("anna");
    const { key: other } = await f.make("bert");
    const page = await f.open("/u/anna/");
    await page.getByRole("heading", { name: "The endpoint anna" }).waitFor();
    for (const wrong of ["el_anna_wrong", other]) {
      await page.getByLabel("Your key").fill(wrong);
      await page.keyboard.press("Enter");
      await page.getByRole("alert").getByText("Wrong key, or no such endpoint.").waitFor();
    }
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "anna", exact: true }).waitFor();
    assert.ok(!page.url().includes(key));
    await page.goto(`${f.url}/u/bert/`);
    await page.getByLabel("Your key").waitFor(); // the session is anna's
  });

  test("tabs by keyboard", async () => {
    const { key } = await f.make("anna");
    const page = await f.own("anna", key);
    await usageOf(page, unwatched);
    await tabTo(page, page.getByRole("tab", { name: "Connect" }));
    for (const [press, name] of [
      ["ArrowRight", "Try it"],
      ["ArrowRight", "Watch"],
      ["ArrowRight", "Requests"],
      ["ArrowRight", "Settings and key"],
      ["ArrowRight", "Connect"],
      ["ArrowLeft", "Settings and key"],
      ["Home", "Connect"],
      ["End", "Settings and key"],
    ]) {
      await page.keyboard.press(press);
      const tab = page.getByRole("tab", { name, exact: true });
      assert.equal(await tab.getAttribute("aria-selected"), "true", press);
      assert.ok(await tab.evaluate((element) => element === document.activeElement));
    }
    await page.reload();
    assert.equal(
      await page.getByRole("tab", { name: "Settings and key" }).getAttribute("aria-selected"),
      "true",
    );
  });

  test("settings show no secret", async () => {
    const { key } = await f.make("anna", {
      upstreams: [
        {
          name: "up",
          protocol: "chat",
          url: f.up.url,
          key: "sk-secret",
          models: { opus: "big" },
          headers: { "x-title": "hidden-value" },
          options: { effort: "none" },
        },
      ],
      options: { strict: "off" },
    });
    const page = await f.own("anna", key, "#settings");
    for (const text of ["OpenAI Chat Completions", f.up.url, "opus", "big", "x-title", '{"strict":"off"}'])
      await page.getByText(text, { exact: true }).first().waitFor();
    const html = await page.content();
    for (const secret of [key, "sk-secret", "hidden-value"]) assert.ok(!html.includes(secret), secret);
  });

  test("what is copied has the key, what is shown has not", async () => {
    const { key } = await f.make("anna", {
      upstreams: [{ name: "up", protocol: "chat", url: f.up.url, models: { opus: "big" } }],
    });
    const page = await f.own("anna", key, "", { permissions: ["clipboard-read", "clipboard-write"] });
    const base = `${f.url}/u/anna`;
    for (const client of [
      "Claude Code",
      "Codex",
      "Gemini CLI",
      "Cursor",
      "opencode",
      "OpenAI SDK",
      "Anthropic SDK",
      "Google Gen AI SDK",
      "curl",
    ]) {
      await page.getByRole("tab", { name: client }).click();
      let copied = "";
      for (const button of await page.getByRole("button", { name: new RegExp(`^Copy ${client}`) }).all()) {
        await button.click();
        copied += `${await page.evaluate(() => navigator.clipboard.readText())}\n`;
      }
      for (const said of [base, key, "opus"])
        assert.ok(copied.includes(said), `${client} lacks ${said}: ${copied}`);
      const shown = (await page.locator(".code pre").allTextContents()).join("\n");
      assert.ok(!shown.includes(key) && shown.includes("el_anna_•••"), shown);
    }
    await page.getByLabel("Model").fill("small");
    await page.getByText("No upstream serves small.").waitFor();
    // settings are shown only for a served model
    assert.equal(await page.locator(".code").count(), 0);
  });

  test("copying where there is no clipboard of the page's own", async () => {
    const { key } = await f.make("anna");
    const page = await f.open();
    // as on a page without https
    await page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    await page.goto(`${f.url}/u/anna/`);
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copy the endpoint's URL" }).click();
    await page.getByText("Copied", { exact: true }).first().waitFor();
    await until(
      async () =>
        (await page.evaluate(() => document.activeElement.getAttribute("aria-label"))) ===
        "Copy the endpoint's URL",
    );
    const guess = page.getByText("Type a model that this endpoint serves: its settings name none.");
    await guess.waitFor();
    await page.getByLabel("Model").fill("");
    await guess.waitFor({ state: "detached" });
    await page.getByLabel("Model").press("Control+V");
    await until(async () => (await page.getByLabel("Model").inputValue()) === `${f.url}/u/anna`);
  });

  test("an expired key, and a new one in its place", async () => {
    f.expected = [REFUSED];
    f.up.serve((x) => answer(x));
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#settings");
    const old = await f.own("anna", key); // another browser, without the new key
    await old.getByRole("tab", { name: "Settings and key" }).click();
    await page.getByRole("button", { name: "Replace it …" }).click();
    const renewed = page.waitForResponse("**/api/session");
    await page.getByRole("dialog").getByRole("button", { name: "Replace it" }).click();
    const fresh = await page.locator(".secret code").textContent();
    assert.notEqual(fresh, key);
    await renewed;
    await page.reload();
    // the new key has opened a session
    await page.getByRole("heading", { name: "anna", exact: true }).waitFor();
    await old.getByRole("button", { name: "Replace it …" }).click();
    await old.getByRole("dialog").getByRole("button", { name: "Replace it" }).click();
    await old.getByText("This key has expired.").first().waitFor();
    await old.getByLabel("Your key").waitFor();
    await old.getByRole("dialog").waitFor({ state: "detached" });
  });

  test("a tab that was loaded again has a session, but no key", async () => {
    f.expected = [REFUSED];
    f.up.serve((x) => answer(x, "Hello."));
    const { key } = await f.make("anna");
    const page = await f.own("anna", key, "#try");
    assert.equal(await page.getByLabel("Your key").count(), 0);
    await page.reload();
    await page.getByLabel("Your key").fill("el_anna_wrong");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("alert").getByText("Wrong key, or no such endpoint.").waitFor();
    await page.getByRole("tab", { name: "Connect" }).click();
    await page.getByText("this page no longer has it after a reload").waitFor();
    await page.getByLabel("Model", { exact: true }).fill("gpt-5.5");
    assert.match(await page.locator(".code pre").first().textContent(), /YOUR_KEY/);
    await page.getByRole("tab", { name: "Try it" }).click();
    await page.getByLabel("Your key").fill(key);
    await page.getByRole("button", { name: "Send" }).click();
    await page
      .getByText(/[0-9]+ out$/)
      .first()
      .waitFor();
    await page.getByLabel("Your key").waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Connect" }).click();
    await page.getByText("Your key is hidden here.").waitFor();
  });

  test("a lost network at the gate", async () => {
    f.expected = [/ERR_INTERNET_DISCONNECTED/];
    const { key } = await f.make("anna");
    const page = await f.open("/u/anna/");
    const goOnline = await goOffline(page);
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText("The server can't be reached.").waitFor();
    await goOnline();
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "anna", exact: true }).waitFor();
  });

  test("the last days", async () => {
    const { key } = await f.make("anna");
    const page = await f.own("anna", key);
    await usageOf(page, watched());
    await page.getByRole("tab", { name: "Watch" }).click();
    await page.getByRole("img", { name: "Requests: 20 answered, 6 errors in 30 days" }).waitFor();
    const tile = async (name) =>
      (
        await page
          .locator(".tiles div", { has: page.getByText(name, { exact: true }) })
          .locator("dd")
          .allTextContents()
      ).join("; ");
    assert.deepEqual(
      await Promise.all(["Cost", "Requests", "Errors", "Tokens in", "Tokens out", "First byte"].map(tile)),
      [
        "$1.75; + 5 requests without a price",
        "26; 2 fell back to another upstream",
        "6; 23 %; 1,234 more refused by limits",
        "15k; 40 % from caches",
        "505; 7 reasoning",
        "320 ms; median; p95: 5.1 s",
      ],
    );
    await page
      .getByRole("img", { name: "Tokens: 9,010 in, 6,000 from caches, 505 out in 30 days" })
      .waitFor();
    await page.getByRole("row", { name: "gpt-5.5 $1.75 21 1 15,010 505 40 % 7 320 ms 5.1 s" }).waitFor();
    await page.getByRole("row", { name: "claude-opus-5-5 unknown 5 5 0 0 — 0 — —" }).waitFor();
    await page.getByRole("row", { name: /502 unavailable gpt-5\.5 It is down\. req_1/ }).waitFor();
    await page.getByText("952,345 of 1,000,000").waitFor();
    assert.equal(
      await page.getByRole("progressbar", { name: "Tokens today" }).getAttribute("value"),
      "952345",
    );
    assert.equal(await page.locator(".meter.full").count(), 1);
    const requests = page.locator(".chart", {
      has: page.getByRole("heading", { name: "Requests", exact: true }),
    });
    assert.equal(await requests.locator("rect.accent").count(), 3);
    await requests.getByText("As a table").click();
    assert.equal(await requests.locator("tbody tr").count(), 3);
  });

  test("settings and limits in words", async () => {
    const { key } = await f.make("anna", {
      prices: { "*": { input: 1, output: 1 } },
      limits: {
        requests_per_minute: 5000,
        concurrent_streams: 4,
        tokens_per_day: 1_000_000,
        concurrent_requests: 8,
        usd_per_day: 2.5,
        usd_per_month: 40,
        over_budget: "next",
        unpriced: "allow",
        models: ["m", "gpt-*"],
      },
      head_wait: 20,
      options: { lossy: "report" },
    });
    const page = await f.own("anna", key, "#settings");
    const said = (name) =>
      page
        .locator(".facts > div", { has: page.getByText(name, { exact: true }) })
        .locator("dd")
        .innerText();
    assert.deepEqual((await said("Limits")).split("\n"), [
      "5,000 requests per minute",
      "4 open streams at a time",
      "1,000,000 tokens per day in UTC, input and output together",
      "8 open requests at a time",
      "$2.50 per day in UTC",
      "$40.00 per month in UTC",
      "over a budget, requests go to the next upstream",
      "models without a price do not count in a budget",
      "only the models m, gpt-*",
    ]);
    assert.equal(await said("Wait for the head of an answer"), "20 s");
    assert.equal(await said("Usage"), "counted, without contents");
    assert.equal(await said("Options"), '{"lossy":"report"}');
    await inspect(page);
    await page.setViewportSize({ width: 375, height: 800 });
    await fits(page);
  });

  test("what the endpoint has served a moment ago", async () => {
    const { key } = await f.make("anna", {
      usage: true,
      limits: { requests_per_minute: 50, tokens_per_day: 100 },
    });
    f.up.serve((x) =>
      x.json.model === "bad" ? x.answer(503, { error: { message: "Not now." } }) : answer(x),
    );
    const headers = { "x-api-key": key, "content-type": "application/json" };
    for (const model of ["good", "good", "bad"]) {
      const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "hi" }] });
      await fetch(`${f.url}/u/anna/v1/messages`, { method: "POST", headers, body }).then((reply) =>
        reply.text(),
      );
    }
    const page = await f.own("anna", key, "#watch");
    await page.getByText("3 of 50").waitFor();
    const refresh = page.getByRole("button", { name: "Refresh" });
    await until(
      async () => (await page.getByText("36 of 100").count()) > 0 || (await refresh.click(), false),
    ); // usage is stored only after the answers
    await page.getByRole("row", { name: /^good unknown 2 0 22 14 0 % 0 / }).waitFor();
    await page.getByRole("row", { name: /^bad \$0.00 1 1 0 0 — 0 / }).waitFor();
    await page.getByRole("row", { name: /5\d\d \w+/ }).waitFor();
  });

  test("days without usage, and without an answer", async () => {
    f.expected = [REFUSED, /status of 500/];
    const { key } = await f.make("anna");
    const page = await f.own("anna", key);
    await usageOf(page, unwatched);
    await page.getByRole("tab", { name: "Watch" }).click();
    await page.getByText("Usage is not counted").waitFor();
    await page.route("**/usage?days=30", (route) =>
      route.fulfill({ status: 500, json: { error: { message: "The state is broken." } } }),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The state is broken.").waitFor();
    await usageOf(page, watched());
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("Last errors").first().waitFor();
  });

  // tour opens each tab of anna's page, with a call of Try it, and calls look(page) in each.
  const tour = async (look, options) => {
    const { key } = await f.make("anna", {
      upstreams: [{ name: "up", protocol: "chat", url: f.up.url, models: { a: "b" } }],
    });
    f.up.serve((x) => answer(x, "Hello."));
    const page = await f.own("anna", key, "", options);
    await usageOf(page, watched());
    for (const [tab, seen] of [
      ["Connect", ".code"],
      ["Try it", "form"],
      ["Watch", ".chart"],
      ["Settings and key", ".facts"],
    ]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      await page.locator(seen).first().waitFor();
      if (tab === "Try it") {
        await page.getByRole("button", { name: "Send" }).click();
        await page
          .getByText(/[0-9]+ out$/)
          .first()
          .waitFor();
      }
      await look(page);
    }
  };

  test("nothing of it keeps anybody out, in both themes", () =>
    tour(async (page) => {
      await page.locator("details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
      await inspectThemes(page);
    }));

  test("it fits a phone", () => tour(fits, PHONE));
});
