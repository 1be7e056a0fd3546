// The request log in a browser: filters in the address, the back button, a request that opens, equal
// errors, sessions, and an endpoint without a log.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { fits, inspect, pages } from "../lib/page.mjs";
import { elsewhere } from "../lib/target.mjs";
import { says } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

describe("the request log", { skip: elsewhere("workerd") }, () => {
  const f = pages();

  // logged makes an endpoint with a log of seven requests: three of a session of Claude Code and its
  // agent, two of Codex, and two failures.
  async function logged(name) {
    const made = await f.make(name, {
      request_log: { ttl: 86_400, rows: 1000 },
      prices: { "*": { input: 10, output: 20 } },
      upstreams: [
        { name: "down", protocol: "chat", url: "http://127.0.0.1:1/v1", models: ["gpt-*"] },
        { name: "up", protocol: "chat", url: f.up.url },
      ],
    });
    f.up.serve(async (x) => {
      if (x.body.includes("no-such-model")) return x.answer(404, { error: { message: "No such model." } });
      return says("chat")(x);
    });
    const send = async (path, body, headers) => {
      const answer = await fetch(`${f.url}/u/${name}${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${made.key}`, "content-type": "application/json", ...headers },
        body: JSON.stringify(body),
      });
      await answer.text();
    };
    const messages = (model, headers) =>
      send(
        "/v1/messages",
        { model, max_tokens: 9, top_k: 3, messages: [{ role: "user", content: "hi" }] },
        { "user-agent": "claude-cli/2.1.329 (external, cli)", ...headers },
      );
    for (const agent of [{}, {}, { "x-claude-code-agent-id": "explorer" }])
      await messages("claude-opus-5-5", { "x-claude-code-session-id": "one", ...agent });
    for (let i = 0; i < 2; i++)
      await send("/v1/responses", { model: "gpt-5.5", input: "hi" }, { "session-id": "two" });
    for (let i = 0; i < 2; i++) await messages("no-such-model");
    await until(async () => {
      const { requests } = await f.api("GET", `/endpoints/${name}/requests`);
      return requests.length === 7;
    });
    return made;
  }

  const rows = (page) => page.locator(".logged");
  const shown = (page, n) =>
    page.waitForFunction((n) => document.querySelectorAll(".logged").length === n, n);

  test("filters are in the address, and the back button returns to them", async () => {
    await logged("anna");
    const page = await f.operate("#/e/anna/requests");
    await shown(page, 7);
    await page.getByText(/^Times are those of .*in UTC\.$/).waitFor();
    assert.equal(await page.getByRole("tab", { name: "Recordings" }).count(), 0, "without --record");
    await page.getByRole("row", { name: /^404 not_found 2 .*no-such-model up$/ }).waitFor();
    await page.getByLabel("Client").fill("claude-cli");
    await page.getByRole("button", { name: "Search" }).click();
    await shown(page, 5);
    await page.getByLabel("Outcome").selectOption({ label: "failed with 404" });
    await page.getByRole("button", { name: "Search" }).click();
    await shown(page, 2);
    assert.match(page.url(), /#\/e\/anna\/requests\?status=404&client=claude-cli$/);
    const address = page.url();
    await page.goBack();
    await shown(page, 5);
    assert.equal(await page.getByLabel("Client").inputValue(), "claude-cli");
    await page.goBack();
    await shown(page, 7);
    await page.goto(address);
    await shown(page, 2);
    assert.equal(await page.getByLabel("Outcome").inputValue(), "404");
    await page.getByLabel("Model").fill("gpt-5.5");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("No request in the log matches these filters.").waitFor();
    await page.getByRole("button", { name: "Clear the filters" }).click();
    await shown(page, 7);
    assert.match(page.url(), /#\/e\/anna\/requests$/);
    await page.getByLabel("From").fill("2020-01-01T00:00");
    await page.getByLabel("Until").fill("2020-01-02T00:00");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("No request in the log matches these filters.").waitFor();
    await page.reload();
    await page.getByText("No request in the log matches these filters.").waitFor();
    assert.equal(await page.getByLabel("From").inputValue(), "2020-01-01T00:00");
  });

  test("a request opens to its attempts, tokens, cost and what was lost", async () => {
    await logged("anna");
    const page = await f.operate("#/e/anna/requests?model=claude-opus-5-5");
    await shown(page, 3);
    await rows(page).first().locator("summary").click();
    const open = rows(page).first();
    await open.getByText("top_k", { exact: true }).waitFor();
    await open.getByText("end_turn").waitFor();
    await open.getByText(/agent \S{16}/).waitFor();
    await open.getByRole("row", { name: /^up answered, 200/ }).waitFor();
    await inspect(page);
    await open.getByRole("button", { name: "claude-cli" }).click();
    await shown(page, 3);
    assert.match(page.url(), /client=claude-cli/);
    await page.goto(`${f.url}/admin#/e/anna/requests?model=gpt-5.5`);
    await shown(page, 2);
    await rows(page).last().locator("summary").click();
    await rows(page)
      .last()
      .getByRole("row", { name: /^down could not be reached/ })
      .waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await fits(page);
    const { width } = await page.getByLabel("From").boundingBox();
    assert.ok(width > 250, `on a phone a time is whole: ${width}`);
    await inspect(page);
  });

  test("sessions, and the requests of one", async () => {
    await logged("anna");
    const page = await f.operate("#/e/anna/requests");
    await page.locator("summary", { hasText: "Sessions" }).click();
    await page.getByRole("row", { name: /^\S{16} claude-cli \S+ 3 0 / }).waitFor();
    await inspect(page);
    await page
      .getByRole("row", { name: /claude-cli/ })
      .getByRole("button")
      .click();
    await shown(page, 3);
    assert.match(page.url(), /\?session=\S{16}$/);
  });

  test("an owner finds the requests of the own key", async () => {
    const { key } = await logged("anna");
    const page = await f.own("anna", key, "#requests");
    await shown(page, 7);
    await page.getByLabel("Outcome").selectOption("error");
    await page.getByRole("button", { name: "Search" }).click();
    await shown(page, 2);
    await page.goBack();
    await shown(page, 7);
    await inspect(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await fits(page);
  });

  test("an endpoint without a log, and with one from now on", async () => {
    f.expected = [/the server responded with a status of 400/];
    const { key } = await f.make("anna");
    const owner = await f.own("anna", key, "#requests");
    await owner.getByText("The operator of this endpoint can turn it on.").waitFor();
    const page = await f.operate("#/e/anna/requests");
    await page.getByRole("button", { name: "Keep a log of a week from now on" }).click();
    await page.getByText("No request yet.").waitFor();
    await inspect(page);
    assert.deepEqual((await f.api("GET", "/endpoints/anna")).request_log, { ttl: 604_800, rows: 1000 });
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.locator("summary", { hasText: "Limits and usage" }).click();
    assert.equal(await page.getByLabel("Requests of the log").inputValue(), "1000");
    await page.getByLabel("Requests of the log").fill("50");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page
      .getByText(/must be a whole number from 100 to 100000/)
      .first()
      .waitFor();
  });

  test("the next page", async () => {
    await f.make("anna", { request_log: { ttl: 86_400 } });
    const page = await f.operate();
    const { requests } = await f.api("GET", "/endpoints/anna/requests");
    assert.deepEqual(requests, []);
    const one = {
      time: 1795267200,
      request_id: "",
      key: "",
      model: "m",
      upstream_model: "m",
      upstream: "",
      client: "",
      session: "",
      agent: "",
      status: 0,
      type: "",
      words: "",
      finish: "",
      first_byte_ms: 0,
      total_ms: 1,
      input: 0,
      output: 0,
      cached: 0,
      summary: 0,
      usd: null,
      lost: "",
      attempts: [{ upstream: "up", status: 200, ms: 1, unknown_model: true }],
    };
    await page.route("**/anna/requests*", (route) => {
      const second = new URL(route.request().url()).searchParams.get("cursor") === "1795267200-3";
      return route.fulfill({
        json: second
          ? { log: true, requests: [{ ...one, number: 2 }] }
          : { log: true, requests: [{ ...one, number: 3 }], cursor: "1795267200-3", errors: [], refused: [] },
      });
    });
    await page.goto(`${f.url}/admin#/e/anna/requests`);
    await page.getByRole("button", { name: "Show more" }).click();
    await shown(page, 2);
    await page.getByRole("button", { name: "Show more" }).waitFor({ state: "detached" });
    await rows(page).first().locator("summary").click();
    await page.getByText("unknown: no price").waitFor();
    await page.getByRole("row", { name: /^up answered, 200: the model is newer than edgelingua/ }).waitFor();
  });
});
