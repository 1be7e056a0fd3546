// docs/tutorial.md, step by step in a browser: the commands, the buttons and fields by their names on
// the page, and both clients, with a stand-in for the vendor.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { launch } from "../lib/browser.mjs";
import { documents } from "../lib/documents.mjs";
import { test } from "../lib/fixture.mjs";
import { session } from "../lib/session.mjs";
import { TARGET, startRun } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { vendor } from "../lib/vendor.mjs";
import { PATIENCE } from "../lib/waiting.mjs";

const [local, cloudflare] = (await documents())["docs/tutorial.md"].split(/^## Part \d/m).slice(1);
const ADMIN_KEY = "the-team-s-own-admin-key";
const HERE = "http://127.0.0.1:8787";
const usage = { input: 100000, cached: 0, output: 7 };
const calling = (name, input) => ({ text: "One moment.", calls: [{ id: "call_1", name, input }], usage });
const said = (text) => ({ text, calls: [], usage });

// names returns the bold parts of a text: the names of buttons, tabs and fields.
const names = (text) => new Set([...text.matchAll(/\*\*([^*]+)\*\*/g)].map(([, name]) => name));

describe("the tutorial", { skip: TARGET === "workerd" && "its server is the local host" }, () => {
  // "fallback" is bold in the next steps, and Claude Code 2.1.330 asks for trust in a folder: neither
  // is a name on the page.
  const f = { keys: {}, used: new Set(["fallback", "Yes, I trust this folder"]) };
  // used returns a name on the page. The tutorial must have the name.
  const used = (name) => (f.used.add(name), name);
  before(async () => {
    f.folder = await mkdtemp(join(tmpdir(), "tutorial-"));
    f.up = await upstream();
    const [, flags] = /^\.\/build\.sh run (.*)$/m.exec(local);
    assert.equal(flags, "--secret ADMIN_KEY --secret SEAL_KEY --data data");
    const secrets = { ADMIN_KEY, SEAL_KEY: randomBytes(32).toString("base64") };
    for (const [name, value] of Object.entries(secrets))
      await writeFile(join(f.folder, name), `${value}\n`, { mode: 0o600 });
    const args = flags
      .split(" ")
      .map((arg) => (secrets[arg] ? `${arg}=@${join(f.folder, arg)}` : arg))
      .map((arg) => (arg === "data" ? join(f.folder, "data") : arg));
    // The vendor's stand-in has no certificate.
    f.target = await startRun([...args, "--var", "ALLOW_HTTP_UPSTREAM=true"], f.up);
    f.browser = await launch();
    f.page = await f.browser.newPage();
    f.page.setDefaultTimeout(PATIENCE);
  });
  after(async () => {
    await f.browser?.close();
    await f.target?.close();
    await f.up?.close();
    await rm(f.folder, { recursive: true });
  });

  // make makes an endpoint by the steps of the tutorial.
  async function make(first, name, budget) {
    const { page, up } = f;
    up.serve((x) => x.answer(200, { data: [{ type: "model", id: "claude-opus-5-5" }], has_more: false }));
    await page.getByRole("link", { name: used(first) }).click();
    await page.getByLabel(used("Name of the endpoint")).fill(name);
    await page.getByRole("radio", { name: used("Anthropic"), exact: true }).check();
    await page.getByLabel(used("Upstream key")).fill("sk-ant-0123456789abcdef");
    const url = page.getByLabel("Base URL");
    assert.equal(await url.inputValue(), "https://api.anthropic.com");
    await url.fill("http://api.anthropic.com");
    await page.getByRole("button", { name: used("Test the upstreams") }).click();
    await page.getByText(/^anthropic: works/).waitFor();
    await page.getByText(used("Limits and usage"), { exact: true }).click();
    await page.getByLabel(used("Requests per minute")).fill("60");
    await page.getByLabel(used("US dollars per day")).fill(budget);
    await page.getByLabel(used("Request log, in hours")).fill("24");
    // the worker knows prices only for the vendor's address, with https
    await page.getByRole("button", { name: "Add a price" }).click();
    const price = page.locator(".price");
    await price.getByLabel("Model").fill("claude-opus-5-5");
    await price.getByLabel("Input").fill("5");
    await price.getByLabel("Output").fill("25");
    await page.getByRole("button", { name: used("Create the endpoint") }).click();
    f.keys[name] = await page.locator(".secret code").textContent();
    assert.match(f.keys[name], new RegExp(`^el_${name}_`));
  }

  test("two endpoints", async () => {
    const { page, target } = f;
    assert.ok(local.includes(`<${HERE}/admin>`));
    await page.goto(`${target.url}/admin`);
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await make("Create the first endpoint", "anna", "5");
    await page.getByRole("link", { name: used("Endpoints") }).click();
    await make("New endpoint", "ben", "2");
  });

  test("Claude Code for Anna", async () => {
    const { page, target, keys } = f;
    const context = await f.browser.newContext();
    const own = await context.newPage();
    own.setDefaultTimeout(PATIENCE);
    assert.ok(local.includes(`<${HERE}/u/anna/>`));
    await own.goto(`${target.url}/u/anna/`);
    await own.getByLabel("Your key").fill(keys.anna);
    await own.keyboard.press("Enter");
    await own.getByRole("tab", { name: used("Connect") }).waitFor();
    await own.getByText("ANTHROPIC_BASE_URL").first().waitFor();
    await context.close();
    const [, url] = /^export ANTHROPIC_BASE_URL='(.*)'$/m.exec(local);
    assert.match(local, /^export ANTHROPIC_AUTH_TOKEN='a-key-of-yours'$/m);
    const { left } = vendor(f.up, "anthropic", [calling("Bash", { command: "ls" }), said("Two files.")]);
    const steps = {
      client: "claude code",
      version: "as it comes",
      urls: [url.replace(HERE, target.url)],
      key: keys.anna,
      results: { ls: "Bash ran ls" },
    };
    assert.deepEqual((await session({ ...steps, say: ["What is here?"] })).said, ["Two files."]);
    assert.equal(left.length, 0);
    await page.getByRole("link", { name: "Endpoints" }).click();
  });

  test("Codex for Ben", async () => {
    const [, model] = /^model = "(.*)"$/m.exec(local);
    const [, base] = /^base_url = "(.*)\/v1"$/m.exec(local);
    assert.match(local, /^wire_api = "responses"\nenv_key = "EDGELINGUA_KEY"$/m);
    const { asked, left } = vendor(f.up, "anthropic", [
      calling("exec_command", { cmd: "ls" }),
      said("Two files."),
    ]);
    const urls = [base.replace(HERE, f.target.url)];
    const steps = { client: "codex", version: "gpt-5.5", urls, key: f.keys.ben, more: { model } };
    assert.deepEqual((await session({ ...steps, say: ["What is here?"] })).said, ["Two files."]);
    assert.equal(left.length, 0);
    assert.equal(asked[0].model, model);
  });

  test("usage, and the budget", async () => {
    const { page, target, keys } = f;
    await page.getByRole("link", { name: /^anna/ }).click();
    await page.getByRole("tab", { name: used("Watch") }).click();
    await page.getByText("US dollars today").first().waitFor();
    await page.getByRole("tab", { name: used("Requests") }).click();
    await page.locator(".logged").first().waitFor();
    // 900,000 tokens of Opus cost more than the 2 dollars of Ben.
    vendor(f.up, "anthropic", [{ ...said("Much."), usage: { input: 900000, cached: 0, output: 7 } }]);
    const ask = () =>
      fetch(`${target.url}/u/ben/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": keys.ben, "content-type": "application/json" },
        body: JSON.stringify({
          model: "claude-opus-5-5",
          max_tokens: 9,
          messages: [{ role: "user", content: "hi" }],
        }),
      });
    const first = await ask();
    assert.equal(first.status, 200, await first.text());
    const refused = await ask();
    assert.equal(refused.status, 429, await refused.text());
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
  });

  test("names what the page shows, and nothing else", async () => {
    assert.deepEqual([...names(local)].toSorted(), [...f.used].toSorted());
    const { page } = f;
    await page.getByRole("tab", { name: "Settings" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).waitFor();
    assert.deepEqual([...names(cloudflare)].toSorted(), ["Limits and usage", "Save", "Settings"]);
  });
});
