// The page at / in a browser: the view of a stranger, and the actions of a user with CLIENT_KEY.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { after, before, describe } from "node:test";
import { launch } from "../lib/browser.mjs";
import * as chat from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import { CLIENT_KEY, fits, inspect, pages } from "../lib/page.mjs";
import { elsewhere, startDemo, TARGET } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";

const REFUSED = /status of (4\d\d|5\d\d)/;
const to = (more) => (up) => ({
  UPSTREAM_PROTOCOL: "chat",
  UPSTREAM_URL: up.url,
  UPSTREAM_KEY: "the-key-of-the-upstream",
  CLIENT_KEY,
  ...more,
});

describe("the page at /", { skip: elsewhere("workerd") }, () => {
  const f = pages({
    vars: to({
      MODELS: '{"claude-*":"there"}',
      UPSTREAM_OPTIONS: '{"headers":{"x-title":"a-secret-of-the-owner"}}',
    }),
  });

  test("the demo's key opens no other deployment", async () => {
    f.expected = [REFUSED];
    const page = await f.open("/?demo");
    await page.getByRole("alert").waitFor();
    await page.getByLabel("CLIENT_KEY").waitFor();
  });

  test("a stranger learns that edgelingua is here, and nothing else", async () => {
    f.expected = [REFUSED];
    const page = await f.open("/");
    const asked = [];
    page.on("request", (request) => request.url().includes("/page/") || asked.push(request.url()));
    await page.getByRole("heading", { name: "This is edgelingua" }).waitFor();
    await inspect(page);
    for (const said of ["there", "a-secret", f.up.url]) assert.ok(!(await page.content()).includes(said));
    assert.deepEqual(asked, [], "nothing is asked before a key is typed");
    await page.getByLabel("CLIENT_KEY").fill("wrong");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.getByRole("alert").getByText("Wrong key.").waitFor();
    for (const headers of [
      {},
      { authorization: "Bearer wrong" },
      { "x-api-key": "the-operator-s-own-key" },
    ]) {
      const answer = await fetch(`${f.url}/api`, { headers });
      assert.equal(answer.status, 401);
      assert.doesNotMatch(await answer.text(), /upstream|there|http/);
    }
  });

  test("its key shows the settings, without secrets, and is kept nowhere; copies of Connect have it", async () => {
    const page = await f.enter("", { permissions: ["clipboard-read", "clipboard-write"] });
    await page
      .getByText(`upstream: chat ${f.up.url} (key set), models named by MODELS, clients need a key`)
      .waitFor();
    await inspect(page);
    const kept = await page.evaluate(() =>
      JSON.stringify([
        { ...sessionStorage },
        { ...localStorage },
        document.cookie,
        history.state,
        location.href,
        document.documentElement.innerHTML,
      ]),
    );
    for (const secret of [CLIENT_KEY, "a_client", "the-key-of-the-upstream", "a-secret-of-the-owner"])
      assert.ok(!kept.includes(secret), secret);
    assert.deepEqual(await page.context().cookies(), []);
    const told = await (await fetch(`${f.url}/api`, { headers: { "x-api-key": CLIENT_KEY } })).text();
    for (const secret of [CLIENT_KEY, "the-key-of-the-upstream", "a-secret-of-the-owner"])
      assert.ok(!told.includes(secret), secret);
    assert.equal(await page.locator(".address code").textContent(), f.url);
    // nothing is recorded here: page/recordings.test.mjs
    assert.equal(await page.getByRole("tab", { name: "Recordings" }).count(), 0);
    const answer = await fetch(`${f.url}/api/recordings`, { headers: { "x-api-key": CLIENT_KEY } });
    assert.equal(answer.status, 404);
    await page.getByText("Type a model that this endpoint serves").waitFor();
    await page.getByLabel("Model", { exact: true }).fill("there");
    await page.getByText("goes to the upstream as").waitFor();
    await page
      .getByRole("button", { name: /^Copy Claude Code: / })
      .first()
      .click();
    await page.getByText("Copied").first().waitFor();
    const { env } = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assert.deepEqual([env.ANTHROPIC_BASE_URL, env.ANTHROPIC_AUTH_TOKEN], [f.url, CLIENT_KEY]);
    await page.reload();
    await page.getByLabel("CLIENT_KEY").waitFor();
  });

  test("whether it works is asked at a press, and Try it asks its own upstream", async () => {
    f.expected = [REFUSED];
    const page = await f.enter("#try");
    assert.equal(f.up.requests.length, 0);
    f.up.serve((x) =>
      x.answer(200, { object: "list", data: [{ id: "there", object: "model", created: 1, owned_by: "me" }] }),
    );
    const ask = page.getByRole("button", { name: "Ask the upstream for its models" });
    await ask.click();
    await page.getByText("It works: 1 model listed; the upstream may serve more.").waitFor();
    f.up.serve((x) =>
      x.answer(401, {
        error: { message: "No <b>such</b> key: the-key-of-the-upstream", type: "invalid_request_error" },
      }),
    );
    await ask.click();
    await page.getByText("No <b>such</b> key: [key]").waitFor();
    f.up.renew();
    await page.getByLabel("Model").fill("claude-x");
    await page.getByRole("button", { name: "Send" }).click();
    const x = await f.up.next();
    assert.equal(x.json.model, "there");
    await chat.answer(x, "Hello.");
    await page.getByText("claude-x goes to the upstream").waitFor();
    await page
      .getByRole("region", { name: "Your client", exact: true })
      .getByText("Hello.", { exact: true })
      .waitFor();
    await inspect(page);
  });

  test("fits a phone, says where usage is watched, and leaves by Sign out", async () => {
    const page = await f.enter("", { viewport: { width: 390, height: 844 }, colorScheme: "dark" });
    for (const tab of ["Connect", "Try it", "Watch"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      await page.getByRole("tabpanel").first().waitFor();
      await fits(page);
    }
    await page.getByText("USAGE=true").waitFor();
    await page.getByRole("main").getByRole("link", { name: "/admin" }).waitFor();
    await inspect(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    assert.equal(await page.getByLabel("CLIENT_KEY").inputValue(), "");
    await fits(page);
  });

  test("no other page frames it, or reads what it can read", async (t) => {
    f.expected = [/./];
    const server = http.createServer((_, response) => {
      response.setHeader("content-type", "text/html");
      response.end(`<!doctype html><title>evil</title><iframe src="${f.url}/"></iframe>`);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    t.after(() => (server.closeAllConnections(), server.close()));
    const page = await f.enter();
    const evil = await page.context().newPage();
    const refused = evil.waitForEvent("console", (message) =>
      /frame-ancestors|X-Frame-Options/i.test(message.text()),
    );
    await evil.goto(`http://127.0.0.1:${server.address().port}/`);
    await refused;
    const said = await evil.evaluate(
      ([url, key]) =>
        Promise.all(
          [{}, { authorization: `Bearer ${key}` }].map((headers) =>
            fetch(`${url}/api`, { headers, credentials: "include" }).then((r) => r.text(), String),
          ),
        ),
      [f.url, CLIENT_KEY],
    );
    assert.deepEqual(
      said.map((text) => /Failed to fetch/.test(text)),
      [true, true],
    ); // even with the key a page of another site could not read the answer
    const popup = await evil.evaluate(
      (url) => (
        (window.opened = window.open(url)),
        new Promise((resolve) => setTimeout(() => resolve(String(window.opened?.closed)), 0))
      ),
      f.url,
    );
    assert.match(popup, /true|false/);
    // cross-origin-opener-policy separates the windows
    await evil.waitForFunction(() => window.opened === null || window.opened.closed);
    const foreign = await fetch(`${f.url}/api`, {
      headers: { authorization: `Bearer ${CLIENT_KEY}`, "sec-fetch-site": "cross-site" },
    });
    assert.equal(foreign.status, 403);
  });
});

describe("the page at / of a deployment that counts", { skip: elsewhere("workerd") }, () => {
  const f = pages({ vars: to({ USAGE: "true", REQUEST_LOG: "3600" }) });

  test("Watch shows what was asked", async () => {
    f.up.serve((x) =>
      x.answer(200, {
        id: "c",
        object: "chat.completion",
        created: 1,
        model: "gpt-5.5",
        choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
        usage: { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 },
      }),
    );
    const body = JSON.stringify({ model: "gpt-5.5", messages: [{ role: "user", content: "Hello" }] });
    await (
      await fetch(`${f.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${CLIENT_KEY}` },
        body,
      })
    ).text();
    await until(async () => {
      // a request's usage is stored after the answer
      const { days } = await (
        await fetch(`${f.url}/api/usage`, { headers: { authorization: `Bearer ${CLIENT_KEY}` } })
      ).json();
      return days.length > 0;
    });
    const page = await f.enter("#watch");
    await page.getByRole("img", { name: "Requests: 1 answered, 0 errors in 30 days" }).waitFor();
    await page.getByRole("tab", { name: "Requests" }).click();
    await page
      .locator(".logged", { hasText: /gpt-5\.5.*answered/ })
      .locator("summary")
      .click();
    await page.locator(".logged").getByText("CLIENT_KEY").waitFor();
    await inspect(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await fits(page);
  });
});

describe(
  "the page at / of a deployment without state",
  { skip: TARGET === "wazero" && "the wazero host always has it" },
  () => {
    const f = pages({ vars: to({ USAGE: "true" }), state: false });

    test("Watch says why not, and how to get it", async () => {
      const page = await f.enter("#watch");
      await page.getByText("There is no binding ENDPOINT_STATE.").waitFor();
      await page.getByText("./build.sh deploy --personal").waitFor();
      f.up.serve((x) =>
        x.answer(200, {
          id: "c",
          object: "chat.completion",
          created: 1,
          model: "m",
          choices: [],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      );
      const asked = await fetch(`${f.url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${CLIENT_KEY}` },
        body: JSON.stringify({ model: "m", messages: [] }),
      });
      assert.equal(asked.status, 200, "a request goes on where nothing can be counted");
      await asked.text();
    });
  },
);

describe("the page at / of a deployment that passes keys on", { skip: elsewhere("workerd") }, () => {
  const f = pages({ vars: (up) => ({ UPSTREAM_PROTOCOL: "chat", UPSTREAM_URL: up.url, AUTH: "forward" }) });

  test("tells nobody of its settings", async () => {
    f.expected = [REFUSED];
    const page = await f.enter();
    await page.getByText("AUTH=forward").first().waitFor();
    assert.ok(!(await page.content()).includes(f.up.url));
    assert.deepEqual(
      await page.getByRole("tablist", { name: "Deployment" }).getByRole("tab").allTextContents(),
      ["Connect"],
    );
    assert.equal(f.up.requests.length, 0, "the key has gone nowhere");
    await inspect(page);
  });
});

// With wrong settings the local host does not start. Cloudflare does.
describe(
  "the page at / of a deployment that is set up wrong",
  { skip: TARGET === "wazero" && "there it does not start" },
  () => {
    const f = pages({ vars: () => ({ CLIENT_KEY, UPSTREAM_PROTOCOL: "chat" }) });

    test("says what is wrong", async () => {
      const page = await f.enter();
      await page.getByRole("alert").getByText("UPSTREAM_URL is not set.").waitFor();
    });
  },
);

describe("the page at / of a deployment of personal endpoints alone", { skip: elsewhere("workerd") }, () => {
  const f = pages({ vars: () => ({ CLIENT_KEY }) });

  test("leads to the operator's", async () => {
    const page = await f.enter();
    await page.getByText("This deployment serves only personal endpoints").waitFor();
    await page.getByRole("link", { name: "manage them" }).waitFor();
  });
});

describe(
  "the page at / of the demo",
  { skip: TARGET !== "wazero" && "it is a part of the local host" },
  () => {
    let demo, browser;
    before(async () => ([demo, browser] = await Promise.all([startDemo({}), launch()])));
    after(() => Promise.all([browser?.close(), demo?.close()]));

    test("opens on Try it, with the demo's key", async () => {
      const page = await browser.newPage();
      await page.goto(demo.url);
      assert.equal(page.url(), `${demo.url}/?demo`);
      await page.getByRole("button", { name: "Send" }).click();
      await page
        .getByRole("region", { name: "Your client", exact: true })
        .getByText("tool_use get_weather")
        .waitFor();
      for (const n of [0, 1])
        await page
          .getByRole("region", { name: "Another client" })
          .getByText(/[0-9]+ out$/)
          .nth(n)
          .waitFor();
      for (const name of ["Your client", "The upstream"])
        await page.getByRole("region", { name, exact: true }).getByText('{"city":"Paris"}').waitFor();
      await until(() => demo.log.some((line) => line.includes(`open ${demo.url}/ in a browser to try it`)));
    });

    test("bills nothing, and has no account to leave", async () => {
      const page = await browser.newPage();
      await page.goto(`${demo.url}/?demo`);
      await page.getByText("A call of the demo, which costs nothing.").waitFor();
      assert.equal(await page.getByText("may bill").count(), 0);
      assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 0);
    });

    test("has settings for the model demo-paced at once", async () => {
      const page = await browser.newPage();
      await page.goto(`${demo.url}/?demo#connect`);
      assert.equal(await page.getByLabel("Model").inputValue(), "demo-paced");
      await page.getByText('"ANTHROPIC_MODEL": "demo-paced"').first().waitFor();
    });
  },
);
