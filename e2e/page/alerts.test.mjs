// The alerts and the audit list of an endpoint in a browser.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { fits, inspect, pages } from "../lib/page.mjs";
import { elsewhere } from "../lib/target.mjs";

const PHONE = { viewport: { width: 375, height: 720 }, hasTouch: true };
const URL = "https://hooks.example/services/s3cret";

describe("alerts in the page", { skip: elsewhere("wazero") }, () => {
  const f = pages({ connected: true });

  test("a webhook is set, tested, changed and removed", async () => {
    f.expected = [/status of 4\d\d/];
    let status = 500;
    f.up.serve((x) => x.answer(status, {}));
    await f.make("anna");
    const page = await f.operate("#/e/anna/setup");
    const card = page.getByRole("region", { name: "Alerts" });
    const press = (name) => card.getByRole("button", { name, exact: true }).click();
    await press("Send a test");
    await card.getByRole("alert").getByText("No webhook is set").waitFor();
    await card.getByLabel("Webhook").fill("http://hooks.example/");
    await press("Set the webhook");
    await card.getByRole("alert").getByText("alerts.url must be an https URL").waitFor();
    await card.getByLabel("Webhook").fill(URL);
    await card.getByLabel("Format").selectOption("slack");
    await press("Set the webhook");
    await card.getByText("The webhook's secret").waitFor();
    const secret = await card.locator(".secret code").textContent();
    assert.match(secret, /^\w{43}$/);
    await card.getByText("Alerts go to hooks.example, as Slack.").waitFor();
    await inspect(page);
    await press("Send a test");
    await card.getByRole("cell", { name: "the webhook answered 500; tried 1 of 5 times" }).waitFor();
    status = 200;
    await press("Send a test");
    await card.getByRole("cell", { name: "sent", exact: true }).waitFor();
    assert.deepEqual(f.up.requests.at(-1).json, {
      text: "This is a test of the alerts of the endpoint anna.",
    });
    await inspect(page);
    await page.reload();
    await card.getByRole("cell", { name: "sent", exact: true }).waitFor();
    const text = await page.locator("body").textContent();
    assert.ok(!text.includes(secret) && !text.includes("s3cret"));
    await card.getByLabel("Format").selectOption("ntfy");
    await press("Change the webhook");
    await card.getByText("as ntfy.").waitFor();
    await press("Remove the webhook");
    await card.getByRole("button", { name: "Set the webhook" }).waitFor();
    assert.equal((await f.api("GET", "/endpoints/anna")).alerts, undefined);
  });

  test("the last changes have who, what and when", async () => {
    const { key } = await f.make("ben", { key: { label: "laptop" } });
    await f.api("PATCH", "/endpoints/ben", { limits: { usd_per_day: 5 }, options: { strict: "off" } });
    await fetch(`${f.url}/u/ben/api/rotate`, { method: "POST", headers: { "x-api-key": key }, body: "{}" });
    const page = await f.operate("#/e/ben/setup");
    await page.getByText("Last changes", { exact: true }).first().click();
    const rows = page.getByRole("table", { name: "Last changes" }).getByRole("row");
    await rows.nth(3).waitFor();
    const text = await rows.allTextContents();
    assert.match(text[1], /the owner of the key laptop \(.{8}\)replaced keys: .{8}$/);
    assert.match(text[2], /the operatorchanged limits.usd_per_day, options.strict$/);
    assert.match(text[3], /the operatormade the endpoint: upstreams, usage$/);
    await inspect(page);
  });

  test("alerts fit a phone", async () => {
    await f.make("anna", { alerts: { url: URL } });
    f.up.serve((x) => x.answer(200, {}));
    const page = await f.operate("#/e/anna/setup", PHONE);
    const card = page.getByRole("region", { name: "Alerts" });
    await card.getByRole("button", { name: "Send a test" }).click();
    await card.getByText("sent", { exact: true }).waitFor();
    await fits(page);
    await inspect(page);
  });
});
