// The page in a browser, for tests: one worker, one upstream and one browser for each test file.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, afterEach, before, beforeEach } from "node:test";
import axe from "axe-core";
import { launch } from "./browser.mjs";
import { start } from "./target.mjs";
import { upstream } from "./upstream.mjs";
import { PATIENCE } from "./waiting.mjs";

export const ADMIN_KEY = "the-operator-s-own-key";

export const CLIENT_KEY = "a_client's-key-of-24-letters";

// pages gives the surrounding suite a worker for personal endpoints, url, an upstream, up, and
// open, which opens a path in a new tab. options are the options of start, and vars(up) more
// variables of the worker. If connected is true, the upstream replaces every server. An error in a
// tab's console fails the test, unless the error matches one of f.expected.
export function pages({ vars, connected, ...options } = {}) {
  const f = { expected: [] };
  let target, browser;
  let contexts = [];
  before(async () => {
    f.up = await upstream();
    const config = {
      ADMIN_KEY,
      SEAL_KEY: randomBytes(32).toString("base64"),
      ALLOW_HTTP_UPSTREAM: "true",
      ...vars?.(f.up),
    };
    [target, browser] = await Promise.all([
      start(config, { state: true, ...(connected && { connect: f.up }), ...options }),
      launch(),
    ]);
    Object.assign(f, { url: target.url, lines: target.lines });
  });
  beforeEach(() => {
    f.up.renew();
    f.expected = [];
    f.complaints = [];
  });
  f.open = async (path, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    contexts.push(context);
    context.setDefaultTimeout(PATIENCE);
    const page = await context.newPage();
    page.on("pageerror", (error) => f.complaints.push(error.stack));
    page.on("console", (message) => message.type() === "error" && f.complaints.push(message.text()));
    page.on("dialog", (dialog) => f.complaints.push(dialog.message()));
    page.on(
      "request",
      (request) =>
        request.url().startsWith(f.url) ||
        request.url().startsWith("data:") ||
        f.complaints.push(`asked ${request.url()}`),
    );
    if (path !== undefined) await page.goto(f.url + path);
    return page;
  };
  // api calls the Admin API, without the page.
  f.api = async (method, path, body) => {
    const headers = { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" };
    const answer = await fetch(`${f.url}/admin/api${path}`, {
      method,
      headers,
      body: body && JSON.stringify(body),
    });
    return answer.status === 204 ? null : answer.json();
  };
  // make makes an endpoint for the upstream. An endpoint of the same name is replaced.
  f.make = async (name, settings = {}) => {
    await f.api("DELETE", `/endpoints/${name}`);
    const made = await f.api("POST", "/endpoints", {
      name,
      upstreams: [{ name: "up", protocol: "chat", url: f.up.url }],
      ...settings,
    });
    assert.ok(made.name, JSON.stringify(made));
    return made;
  };
  // operate opens the operator's page at a path, signed in.
  f.operate = async (place = "", options) => {
    const page = await f.open(`/admin${place}`, options);
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.locator("header.bar").waitFor();
    return page;
  };
  // own opens an owner's page at a path, signed in.
  f.own = async (name, key, place = "", options) => {
    const page = await f.open(`/u/${name}/${place}`, options);
    await page.getByLabel("Your key").fill(key);
    await page.keyboard.press("Enter");
    await page.locator("header.bar").waitFor();
    return page;
  };
  // enter opens the deployment's page at a path, with the deployment's key.
  f.enter = async (place = "", options) => {
    const page = await f.open(`/${place}`, options);
    await page.getByLabel("CLIENT_KEY").fill(CLIENT_KEY);
    await page.keyboard.press("Enter");
    await page.locator("header.bar").waitFor();
    return page;
  };
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    assert.deepEqual(
      f.complaints.filter((text) => !f.expected.some((pattern) => pattern.test(text))),
      [],
    );
  });
  after(async () => {
    await browser?.close();
    await target?.close();
    await f.up?.close();
  });
  return f;
}

// inspect asserts that axe finds nothing serious in a tab.
export async function inspect(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { resultTypes: ["violations"] }),
  );
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  assert.deepEqual(
    found.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("; ")}`,
    ),
    [],
  );
}

// inspectThemes inspects a tab in the dark and in the light theme. Transitions are off: during a
// transition the contrast is not final.
export async function inspectThemes(page) {
  for (const colorScheme of ["dark", "light"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await inspect(page);
  }
}

// stopClock stops the clock of a tab until the test calls page.clock.runFor. A slow machine then causes no
// refresh of the page.
export async function stopClock(page) {
  const now = Date.now();
  await page.clock.install({ time: now - 86_400_000 }); // pauseAt takes no time in the past
  await page.clock.pauseAt(now);
}

// goOffline takes the network from a tab, and resolves with a function that gives it back. The browser's
// own offline mode begins a moment later than Playwright says.
export async function goOffline(page) {
  const refuse = (route) => route.abort("internetdisconnected");
  await page.route("**", refuse);
  return () => page.unroute("**", refuse);
}

// tabTo presses the tab key until the element of locator has the focus.
export async function tabTo(page, locator) {
  for (let i = 0; i < 80; i++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`the tab key does not lead to ${locator}`);
}

// save presses Save, and resolves once the page shows "Saved.". It first removes the notice of an
// earlier save.
export async function save(page) {
  await page.getByText("Saved.").evaluateAll((all) => all.forEach((each) => each.remove()));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
}

// over resolves once no call of "Try it" is in progress and the page shows all received data.
export const over = (page) => page.getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });

// fits asserts that no element is wider than the window.
export async function fits(page) {
  const wide = await page.evaluate(() => {
    const room = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= room) return [];
    return [...document.querySelectorAll("main *, header *")]
      .filter((e) => e.getBoundingClientRect().right > room)
      .map((e) => e.outerHTML.slice(0, 200));
  });
  assert.deepEqual(wide, []);
}

// usageOf has the page get json as the answer of the usage API.
export const usageOf = (page, json) => page.route("**/usage?days=30", (route) => route.fulfill({ json }));
