// The operator's page in a browser: endpoints are made, changed, tested and deleted, by mouse and
// by keyboard.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import {
  ADMIN_KEY,
  fits,
  goOffline,
  inspect,
  inspectThemes,
  pages,
  save,
  tabTo,
  usageOf,
} from "../lib/page.mjs";
import { elsewhere } from "../lib/target.mjs";
import { watched } from "../lib/watched.mjs";
import { until } from "../lib/waiting.mjs";

const PHONE = { viewport: { width: 375, height: 720 }, hasTouch: true };
const REFUSED = /status of 4\d\d/; // the console's message about an error that the page shows
const PLACES = {
  "#/new": ".presets",
  "#/e/anna/connect": ".code",
  "#/e/anna/setup": ".danger-zone",
  "#/e/anna/keys": "table",
  "#/e/anna/watch": ".chart",
}; // fragment of the URL -> selector of an element there
const modelList = (x) => x.answer(200, { object: "list", data: [] });

// use sends a request to an endpoint, and resolves with the status.
async function use(url, name, key, model = "gpt-5.5") {
  const headers = { "x-api-key": key, "content-type": "application/json" };
  const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: "user", content: "hi" }] });
  const reply = await fetch(`${url}/u/${name}/v1/messages`, { method: "POST", headers, body });
  await reply.text();
  return reply.status;
}

// seen reports whether an element is inside the window.
const seen = (locator) =>
  locator.evaluate(
    (element) =>
      element.getBoundingClientRect().top >= 0 && element.getBoundingClientRect().bottom <= innerHeight,
  );

// focused returns the label or the text of the focused element.
const focused = (page) =>
  page.evaluate(
    () => document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent,
  );

describe("the operator's page", { skip: elsewhere("wazero") }, () => {
  const f = pages();

  test("a wrong key, and the right one", async () => {
    f.expected = [REFUSED];
    const page = await f.open("/admin");
    await page.getByLabel("ADMIN_KEY").fill("wrong");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText("No key, or a wrong one").waitFor();
    // headers are for programs, not for people
    assert.doesNotMatch(await page.getByRole("alert").textContent(), /Bearer|x-api-key/);
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Endpoints" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Endpoints" }).waitFor(); // the browser is signed in
    const other = await page.context().newPage();
    await other.goto(`${f.url}/admin`);
    await other.getByRole("heading", { name: "Endpoints" }).waitFor(); // all tabs of the browser are signed in
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("ADMIN_KEY").waitFor();
    assert.deepEqual(await page.context().cookies(), []);
    await page.reload();
    await page.getByLabel("ADMIN_KEY").waitFor();
    await other.getByRole("link", { name: /New endpoint|Create the first endpoint/ }).click();
    await other.getByRole("link", { name: "Endpoints" }).click();
    await other.getByLabel("ADMIN_KEY").waitFor();
    await other.getByRole("alert").getByText("Your session has ended.").waitFor();
  });

  test("signing out without a network, and too many wrong keys", async () => {
    f.expected = [REFUSED, /ERR_INTERNET_DISCONNECTED/];
    const page = await f.operate();
    const goOnline = await goOffline(page);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByText("You are still signed in: The server can't be reached.").waitFor();
    await goOnline();
    await page.reload();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("ADMIN_KEY").waitFor();
    const message = "Too many wrong keys have come. Try again in 42 seconds.";
    await page.route("**/admin/api/session", (route) =>
      route.fulfill({ status: 429, json: { error: { message } } }),
    );
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").getByText(message).waitFor();
  });

  test("an endpoint is made by keyboard alone, and works", async () => {
    await f.api("DELETE", "/endpoints/kim");
    f.up.serve((x) => answer(x));
    const page = await f.operate();
    await tabTo(page, page.getByRole("link", { name: /New endpoint|Create the first endpoint/ }));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "New endpoint" }).waitFor();
    await tabTo(page, page.getByLabel("Name of the endpoint"));
    await page.keyboard.type("kim");
    await tabTo(page, page.getByRole("radio", { name: "OpenAI", exact: true }));
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
    assert.ok(await page.getByRole("radio", { name: "Ollama" }).isChecked());
    assert.equal(await page.getByLabel("Base URL").inputValue(), "http://127.0.0.1:11434/v1");
    await tabTo(page, page.getByLabel("Base URL"));
    await page.keyboard.press("Control+A");
    await page.keyboard.type(f.up.url);
    await tabTo(page, page.getByLabel("Upstream key"));
    await page.keyboard.type("sk-of-the-upstream");
    await tabTo(page, page.getByLabel("The upstream's model"));
    await page.keyboard.type("qwen3");
    await tabTo(page, page.getByLabel("Where would a model go?"));
    await page.keyboard.type("claude-opus-5-5");
    await page.getByText("claude-opus-5-5 goes to ollama as qwen3.").waitFor();
    await page.keyboard.press("Enter");
    const key = await page.locator(".secret code").textContent();
    assert.match(key, /^el_kim_[A-Za-z0-9]{43}$/);
    // the settings for clients have the key
    assert.match(await page.locator(".code").first().textContent(), new RegExp(key));
    assert.equal(await use(f.url, "kim", key, "claude-opus-5-5"), 200);
    const { json, headers } = f.up.requests.at(-1);
    assert.deepEqual([json.model, headers.authorization], ["qwen3", "Bearer sk-of-the-upstream"]);
    await page.reload();
    await page.getByRole("tab", { name: "Connect" }).waitFor();
    assert.equal(await page.locator(".secret").count(), 0); // the key is shown once
    assert.ok(!(await page.content()).includes(key));
  });

  test("every preset fills the form", async () => {
    const page = await f.operate("#/new");
    const chips = page.locator(".presets > label:visible");
    assert.deepEqual(await chips.allTextContents(), [
      "OpenAI",
      "Anthropic",
      "OpenRouter",
      "Cloudflare's own models",
      "Ollama",
      "Groq",
      "DeepSeek",
      "Google",
      "Another server",
    ]);
    await page.getByText(/^\d+ more$/).click();
    const clouds = page.getByRole("group", { name: "Clouds" }).getByRole("radio");
    assert.ok((await clouds.count()) > 10);
    await page
      .getByRole("group", { name: "Your own machine" })
      .getByRole("radio", { name: "vLLM" })
      .waitFor();
    for (const [name, protocol, url] of [
      ["Amazon Bedrock (Claude)", "anthropic", "https://bedrock-mantle.<region>.api.aws/anthropic"],
      ["OpenAI", "responses", "https://api.openai.com/v1"],
      ["Anthropic", "anthropic", "https://api.anthropic.com"],
      ["OpenRouter", "chat", "https://openrouter.ai/api/v1"],
      ["Ollama", "chat", "http://127.0.0.1:11434/v1"],
      ["vLLM", "chat", "http://127.0.0.1:8000/v1"],
      ["LM Studio", "chat", "http://127.0.0.1:1234/v1"],
      ["Groq", "chat", "https://api.groq.com/openai/v1"],
      ["DeepSeek", "chat", "https://api.deepseek.com"],
    ]) {
      await page.getByRole("radio", { name, exact: true }).check();
      assert.deepEqual(
        [await page.getByLabel("Protocol").inputValue(), await page.getByLabel("Base URL").inputValue()],
        [protocol, url],
        name,
      );
    }
  });

  test("a preset takes the place of the first upstream alone", async () => {
    const page = await f.operate("#/new");
    await page.getByRole("button", { name: "Add an upstream" }).click();
    await page.getByLabel("Name", { exact: true }).nth(1).fill("spare");
    await page.getByRole("radio", { name: "Groq" }).check();
    const names = await page
      .getByLabel("Name", { exact: true })
      .evaluateAll((list) => list.map(({ value }) => value));
    assert.deepEqual(names, ["groq", "spare"]);
    await page.getByLabel("Base URL").nth(1).fill("nothing");
    assert.equal(await page.getByLabel("Base URL").nth(1).getAttribute("data-path"), "upstreams[1].url");
  });

  test("what is chosen is seen where the system sets the colours", async () => {
    await f.make("anna");
    const page = await f.operate("#/new", { forcedColors: "active" });
    // With forced colours the browser hides other backgrounds and shadows.
    const kept = (locator) =>
      locator.evaluate((element) => getComputedStyle(element).forcedColorAdjust === "none");
    const preset = (name) => page.getByRole("radio", { name, exact: true }).locator("+ span");
    assert.deepEqual([await kept(preset("OpenAI")), await kept(preset("Groq"))], [true, false]);
    await usageOf(page, {
      usage: true,
      limits: { requests_per_minute: { limit: 50, used: 12 } },
      days: [],
      errors: [],
    });
    await page.goto(`${f.url}/admin#/e/anna/watch`);
    await page.locator(".chart").first().waitFor();
    assert.deepEqual(
      [
        await kept(page.getByRole("tab", { name: "Watch" })),
        await kept(page.getByRole("tab", { name: "Keys" })),
      ],
      [true, false],
    );
    assert.ok(await kept(page.getByRole("progressbar")));
  });

  test("a fault is shown at its field", async () => {
    f.expected = [REFUSED];
    await f.make("anna");
    const page = await f.operate("#/new");
    await page.getByLabel("Name of the endpoint").fill("anna");
    await page.getByRole("button", { name: "Create the endpoint" }).click();
    await page.getByRole("alert").getByText("There is an endpoint anna already.").waitFor();
    const name = page.getByLabel("Name of the endpoint");
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    assert.ok(await name.evaluate((element) => element === document.activeElement));
    await name.fill("other");
    await page.getByText("More about this upstream").click();
    await page.getByLabel("max_output_tokens").fill("many");
    await page.getByText("More about this upstream").click(); // closes the details again
    await page.getByRole("button", { name: "Create the endpoint" }).click();
    await page.getByRole("alert").getByText("a whole number of tokens").waitFor();
    assert.ok(
      await page.getByLabel("max_output_tokens").evaluate((element) => element === document.activeElement),
    );
    assert.equal(await name.getAttribute("aria-invalid"), null);
  });

  test("settings are changed, and the upstream's key is replaced unseen", async () => {
    f.up.serve((x) => (x.method === "GET" ? modelList(x) : answer(x)));
    const { key } = await f.make("anna", {
      upstreams: [
        {
          name: "up",
          protocol: "chat",
          url: f.up.url,
          key: "sk-first",
          options: { effort: "none" },
          headers: { "x-title": "t" },
        },
      ],
      options: { strict: "off" },
    });
    const page = await f.operate("#/e/anna/setup");
    await page.getByRole("button", { name: "Test the upstreams" }).click();
    await page.getByText(/^up: works/).waitFor();
    assert.equal(f.up.requests.at(-1).headers.authorization, "Bearer sk-first");
    assert.equal(await page.getByLabel("Upstream key").inputValue(), "");
    await page.getByRole("button", { name: "Add a model" }).click();
    await page.getByLabel("The client's model").fill("opus");
    await page.getByLabel("The upstream's model").fill("big");
    await page.getByText("Options", { exact: true }).click();
    await page.getByLabel("Strict tools and formats").selectOption("");
    await page.getByLabel("tool_ids").selectOption("prefixed");
    await page.getByLabel("drop_tools").fill("WebSearch, Task");
    await page.getByLabel("tool_descriptions").fill('{"max":200,"tools":{"Bash":"keep"}}');
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved.").waitFor();
    await until(() => seen(page.getByText("Saved.")));
    await until(async () => /^Saved\./.test(await focused(page)));
    const saved = await f.api("GET", "/endpoints/anna");
    assert.deepEqual(saved.options, {
      tool_ids: "prefixed",
      drop_tools: ["WebSearch", "Task"],
      tool_descriptions: { max: 200, tools: { Bash: "keep" } },
    });
    assert.deepEqual(saved.upstreams, [
      {
        name: "up",
        protocol: "chat",
        url: f.up.url,
        headers: { "x-title": "t" },
        models: { opus: "big" },
        options: { effort: "none" },
      },
    ]);
    assert.deepEqual(saved.sealed_keys, ["up"]); // the first key is still the sealed key
    await page.getByLabel("Upstream key").fill("sk-second");
    // the old "Saved." is still on the page
    const changed = page.waitForResponse((response) => response.request().method() === "PATCH");
    await page.getByRole("button", { name: "Save" }).click();
    await changed;
    await page.getByText("Saved.").waitFor();
    assert.ok(!(await page.content()).includes("sk-second"));
    assert.equal(await use(f.url, "anna", key, "opus"), 200);
    assert.equal(f.up.requests.at(-1).headers.authorization, "Bearer sk-second");
    await page.getByLabel("Remove the stored key").check();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Remove the stored key").waitFor({ state: "detached" });
    assert.deepEqual((await f.api("GET", "/endpoints/anna")).sealed_keys, []);
  });

  test("a second upstream stands behind the first", async () => {
    await f.make("anna", {
      upstreams: [{ name: "up", protocol: "chat", url: f.up.url, models: { "claude-*": "x" } }],
    });
    const page = await f.operate("#/e/anna/setup");
    assert.equal(await page.getByRole("button", { name: "Remove this upstream" }).count(), 0);
    await page.getByRole("button", { name: "Add an upstream" }).click();
    const second = page.getByRole("group", { name: "Upstream 2" });
    await second.getByLabel("Name", { exact: true }).fill("spare");
    await second.getByLabel("Protocol").selectOption("anthropic");
    await second.getByLabel("Base URL").fill("https://api.example.com");
    const ask = page.getByLabel("Where would a model go?");
    await ask.fill("claude-3");
    await page.getByText("claude-3 goes to up as x; if that fails, to spare as claude-3.").waitFor();
    await ask.fill("gpt");
    await page.getByText("gpt goes to spare as gpt.").waitFor();
    await ask.fill("up/y");
    await page.getByText("up/y goes to up as y.").waitFor();
    await second.getByRole("button", { name: "Remove this upstream" }).click();
    await ask.fill("gpt");
    await page.getByText("No upstream serves gpt.").waitFor();
  });

  test("limits and usage are set, changed and taken away", async () => {
    f.expected = [REFUSED];
    await f.make("anna");
    const page = await f.operate("#/e/anna/setup");
    const saved = async () => {
      await save(page);
      await page.getByText("Limits and usage").click();
      const { usage, limits } = await f.api("GET", "/endpoints/anna");
      return { usage, limits };
    };
    await page.getByText("Limits and usage").click();
    await page.getByLabel("Requests per minute").fill("50");
    await page.getByLabel("Tokens per day").fill("1000000");
    await page.getByRole("textbox", { name: "Models" }).fill("gpt-*, o3");
    await page.getByLabel("Count usage").check();
    assert.deepEqual(await saved(), {
      usage: true,
      limits: { requests_per_minute: 50, tokens_per_day: 1000000, models: ["gpt-*", "o3"] },
    });
    await page.getByLabel("Requests per minute").fill("60");
    await page.getByLabel("Tokens per day").fill("");
    await page.getByRole("textbox", { name: "Models" }).fill("");
    await page.getByLabel("Count usage").uncheck();
    assert.deepEqual(await saved(), { usage: false, limits: { requests_per_minute: 60 } });
    await page.getByLabel("Requests per minute").fill("many");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").getByText("must be a whole number from 1 on").waitFor();
    assert.equal(await page.getByLabel("Requests per minute").getAttribute("aria-invalid"), "true");
  });

  test("a change meanwhile is no silent loss", async () => {
    f.expected = [REFUSED];
    const { rev } = await f.make("anna");
    const page = await f.operate("#/e/anna/setup");
    const mine = async (value) => {
      await page.getByText("Options", { exact: true }).click();
      await page.getByLabel("Strict tools and formats").selectOption(value);
      await page.getByRole("button", { name: "Save" }).click();
      await page
        .locator("strong", { hasText: "Somebody else has changed this endpoint meanwhile." })
        .waitFor();
    };
    await page.getByLabel("Upstream key").waitFor();
    await f.api("PATCH", "/endpoints/anna", { options: { lossy: "refuse" } });
    await mine("off");
    await page.getByText("Nothing was changed").waitFor();
    await page
      .getByText(`This page shows revision ${rev}; the current one is ${rev + 1}. Changed: options.`)
      .waitFor();
    assert.deepEqual((await f.api("GET", "/endpoints/anna")).options, { lossy: "refuse" });
    await page.getByRole("button", { name: "Load their version" }).click();
    await page.getByText("Options", { exact: true }).click();
    assert.equal(await page.getByLabel("lossy").inputValue(), "refuse");
    assert.equal(await page.getByLabel("Strict tools and formats").inputValue(), "");
    await page.getByText("Options", { exact: true }).click();
    await f.api("PATCH", "/endpoints/anna", { options: { formats: "strip" } });
    await mine("off");
    await page.getByRole("button", { name: "Apply mine anyway" }).click();
    await page.getByText("Done.").waitFor();
    assert.deepEqual((await f.api("GET", "/endpoints/anna")).options, {
      lossy: "refuse",
      formats: "strip",
      strict: "off",
    });
  });

  test("keys are added, replaced and revoked", async () => {
    f.up.serve((x) => answer(x));
    const { key: first } = await f.make("anna");
    const page = await f.operate("#/e/anna/keys");
    const made = async () => page.locator(".secret code").textContent();
    await page.getByRole("button", { name: "Add a key" }).click();
    await page.getByRole("dialog").getByLabel("Label").fill("for the laptop");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "for the laptop" }).waitFor();
    const second = await made();
    await until(async () => (await focused(page)) === "Copy the key");
    assert.deepEqual([await use(f.url, "anna", first), await use(f.url, "anna", second)], [200, 200]);
    const id = (await f.api("GET", "/endpoints/anna")).keys.find(
      ({ label }) => label === "for the laptop",
    ).id;
    await page.getByRole("button", { name: `Revoke the key ${id}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke it" }).click();
    await page.getByRole("cell", { name: "for the laptop" }).waitFor({ state: "detached" });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.equal(await focused(page), "anna"); // the heading, since the button is gone
    assert.deepEqual([await use(f.url, "anna", first), await use(f.url, "anna", second)], [200, 401]);
    await page.getByRole("button", { name: "Replace all keys" }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Replace all keys" }).click();
    await page.getByRole("button", { name: "Replace them" }).click();
    await page.getByText(/^expired/).waitFor();
    assert.deepEqual([await use(f.url, "anna", first), await use(f.url, "anna", await made())], [401, 200]);
  });

  test("a key gets limits, which its owner sees, and loses them", async () => {
    f.expected = [REFUSED];
    f.up.serve((x) => answer(x));
    await f.make("anna");
    const page = await f.operate("#/e/anna/keys");
    await page.getByRole("button", { name: "Add a key" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Label").fill("laptop");
    await dialog.getByText("Limits", { exact: true }).click();
    await dialog.getByLabel("Requests per minute").fill("one");
    await dialog.getByRole("button", { name: "Create the key" }).click();
    await dialog.getByRole("alert").getByText("limits.requests_per_minute must be a whole number").waitFor();
    assert.equal(await focused(page), "");
    await dialog.getByLabel("Requests per minute").fill("1");
    await dialog.getByLabel("Tokens per day").fill("1,000");
    await dialog.getByLabel("Allowed models").fill("gpt-*, o3");
    await inspect(page);
    await dialog.getByRole("button", { name: "Create the key" }).click();
    await page
      .getByRole("cell", { name: "Requests per minute: 1; Tokens per day: 1,000; Models: gpt-*, o3" })
      .waitFor();
    const key = await page.locator(".secret code").textContent();
    assert.deepEqual([await use(f.url, "anna", key), await use(f.url, "anna", key)], [200, 429]);
    const owner = await f.own("anna", key);
    await owner.getByRole("tab", { name: "Watch" }).click();
    await owner.getByRole("progressbar", { name: "Requests this minute of your key" }).waitFor();
    await owner.getByRole("tab", { name: "Settings and key" }).click();
    await owner.getByText("beside the endpoint's: Requests per minute: 1; Tokens per day: 1,000").waitFor();
    await inspect(owner);
    await page.getByRole("tab", { name: "Watch" }).click();
    await page.getByRole("progressbar", { name: "Tokens today of laptop" }).waitFor();
    await page.getByRole("tab", { name: "Keys" }).click();
    const { id } = (await f.api("GET", "/endpoints/anna")).keys.find(({ label }) => label === "laptop");
    await page.getByRole("button", { name: `Change the limits of the key ${id}` }).click();
    for (const name of ["Requests per minute", "Tokens per day", "Allowed models"])
      await dialog.getByLabel(name).fill("");
    await dialog.getByRole("button", { name: "Set the limits" }).click();
    await dialog.waitFor({ state: "detached" });
    const { keys } = await f.api("GET", "/endpoints/anna");
    assert.ok(keys.every(({ limits }) => limits === undefined));
    assert.equal(await use(f.url, "anna", key), 200);
  });

  test("an endpoint is disabled, enabled and deleted", async () => {
    f.expected = [REFUSED];
    f.up.serve((x) => answer(x));
    const { key } = await f.make("anna");
    const page = await f.operate("#/e/anna/setup");
    await page.getByRole("button", { name: "Disable it" }).click();
    await page.getByText("This endpoint is disabled").waitFor();
    assert.ok(await seen(page.getByText("The endpoint is disabled.")));
    assert.equal(await use(f.url, "anna", key), 403);
    await page.getByRole("button", { name: "Enable it" }).click();
    await page.getByRole("button", { name: "Disable it" }).waitFor();
    assert.equal(await use(f.url, "anna", key), 200);
    await page.getByRole("button", { name: "Delete …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Type anna to confirm").fill("ann");
    await dialog.getByRole("button", { name: "Delete it" }).click();
    await dialog.getByText("Type anna.").waitFor();
    assert.equal(await use(f.url, "anna", key), 200);
    await dialog.getByLabel("Type anna to confirm").fill("anna");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Endpoints" }).waitFor();
    assert.equal(await page.getByRole("link", { name: /^anna/ }).count(), 0);
    assert.equal(await use(f.url, "anna", key), 401);
  });

  test("an endpoint whose models have no price is marked, until they are priced", async () => {
    await f.make("anna", { limits: { usd_per_day: 5 } });
    await f.make("bert", { limits: { usd_per_day: 5, unpriced: "allow" } });
    const page = await f.operate("");
    const row = (name) => page.getByRole("link", { name: new RegExp(`^${name}`) });
    await row("anna").getByText("models without a price").waitFor();
    await row("bert").getByText("no requests yet").waitFor();
    assert.equal(await row("bert").getByText("models without a price").count(), 0);
    await row("anna").click();
    const notice = page.getByText("Models without a price are refused.").locator("..");
    await notice.getByText("up/*", { exact: true }).waitFor();
    await inspect(page);
    await notice.getByRole("button", { name: "Set prices" }).click();
    await page.getByRole("button", { name: "Add a price" }).click();
    for (const [label, value] of [
      ["Model", "*"],
      ["Input", "1.25"],
      ["Output", "10"],
    ])
      await page.getByLabel(label, { exact: true }).fill(value);
    await inspect(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Saved. Other locations").waitFor();
    assert.equal(await notice.count(), 0);
    assert.equal((await f.api("GET", "/endpoints/anna")).unpriced_models, undefined);
  });

  test("a lost network, a key that is none any more, and an endpoint that is not there", async () => {
    f.expected = [REFUSED, /ERR_INTERNET_DISCONNECTED/];
    await f.make("anna");
    const page = await f.operate();
    const goOnline = await goOffline(page);
    await page.getByRole("link", { name: /^anna/ }).click();
    await page.getByText("The server can't be reached.").waitFor();
    await goOnline();
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("tab", { name: "Connect" }).waitFor();
    await page.getByRole("link", { name: "/u/anna/" }).waitFor(); // the link to the owner's page
    const gone = { status: 401, json: { error: { message: "No key, or a wrong one." } } };
    for (const [place, press] of [["watch"], ["setup", "Test the upstreams"]]) {
      await page.goto(`${f.url}/admin#/e/anna/${place}`);
      await page.getByRole("tab", { name: "Connect" }).waitFor();
      await page.route(/\/(usage|test)(\?|$)/, (route) => route.fulfill(gone));
      await page.reload();
      if (press) await page.getByRole("button", { name: press }).click();
      await page.getByText("No key, or a wrong one.").waitFor();
      await page.unroute(/\/(usage|test)(\?|$)/);
      await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
      await page.keyboard.press("Enter");
      await page.getByRole("tab", { name: "Connect" }).waitFor();
    }
    await page.goto(`${f.url}/admin#/e/nobody/connect`);
    await page.getByText("There is no endpoint nobody.").waitFor();
    await page.route("**/admin/api/**", (route) =>
      route.fulfill({ status: 401, json: { error: { message: "No key, or a wrong one." } } }),
    );
    await page.goto(`${f.url}/admin#/`);
    await page.getByLabel("ADMIN_KEY").waitFor();
    await page.getByText("No key, or a wrong one.").waitFor();
  });

  test("who goes on is not called back by what comes late", async () => {
    await f.make("anna");
    await f.make("bert");
    const page = await f.operate();
    let late;
    const asked = new Promise((resolve) =>
      page.route("**/admin/api/endpoints/anna", (route) => resolve((late = route))),
    );
    await page.getByRole("link", { name: /^anna/ }).click();
    await asked;
    await page.getByRole("link", { name: /^bert/ }).click();
    await page.getByRole("heading", { name: "bert" }).waitFor();
    const came = page.waitForResponse("**/admin/api/endpoints/anna");
    await late.continue();
    await (await came).finished();
    await page.getByRole("tab", { name: "Keys" }).click();
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "bert");
  });

  test("who chooses a tab while another view loads stays there", async () => {
    await f.make("anna");
    await f.make("bert");
    const page = await f.operate("#/e/anna/connect");
    await page.getByRole("tab", { name: "Connect" }).waitFor();
    let late;
    const asked = new Promise((resolve) =>
      page.route("**/admin/api/endpoints/bert", (route) => resolve((late = route))),
    );
    await page.goto(`${f.url}/admin#/e/bert/connect`);
    await asked;
    await page.getByRole("tab", { name: "Keys" }).click();
    const came = page.waitForResponse("**/admin/api/endpoints/bert");
    await late.continue();
    await (await came).finished();
    await page.getByRole("tab", { name: "Keys", selected: true }).waitFor();
    assert.equal(await page.getByRole("heading", { level: 1 }).textContent(), "anna");
    assert.ok(page.url().endsWith("#/e/anna/keys"), page.url());
  });

  test("what a part of the list can't load is said above the list, which stays", async () => {
    f.expected = [/status of 500/];
    await f.make("anna");
    const page = await f.open("/admin");
    let [status, late] = [500];
    await page.route("**/admin/api/health?*", (route) => {
      if (status === 200) return route.continue();
      if (status === 0) return void (late = route);
      return route.fulfill({ status, json: { error: { message: "It is broken." } } });
    });
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByText("It is broken.").waitFor();
    const row = page.getByRole("link", { name: /^anna/ });
    await row.waitFor();
    status = 200;
    await page.getByRole("button", { name: "Try again" }).click();
    await row.getByText("no requests yet").waitFor();
    assert.equal(await page.getByText("It is broken.").count(), 0);
    // an error that comes after the operator has left the list
    status = 0;
    await page.reload();
    await until(() => late);
    await page.getByRole("link", { name: /New endpoint/ }).click();
    await page.getByLabel("Name of the endpoint").fill("ben");
    const came = page.waitForResponse("**/admin/api/health?*");
    await late.fulfill({ status: 500, json: { error: { message: "It is broken." } } });
    await (await came).finished();
    assert.equal(await page.getByLabel("Name of the endpoint").inputValue(), "ben");
    assert.equal(await page.getByText("It is broken.").count(), 0);
  });

  test("a long list comes in pages, and can be searched", async () => {
    const page = await f.open("/admin");
    const named = (from) =>
      Array.from({ length: 3 }, (_, i) => ({ name: `name-${from + i}`, upstreams: {}, keys: 1, updated: 1 }));
    await page.route("**/admin/api/endpoints*", (route) => {
      const second = new URL(route.request().url()).searchParams.get("cursor") === "a b&c";
      return route.fulfill({
        json: second ? { endpoints: named(3), cursor: "" } : { endpoints: named(0), cursor: "a b&c" },
      });
    });
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByText("3 or more in all").waitFor();
    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByText("6 in all").waitFor();
    await page.getByRole("button", { name: "Load more" }).waitFor({ state: "detached" });
    await page.getByLabel("Find an endpoint").fill("e-4");
    await page.getByText("1 of 6").waitFor();
    assert.deepEqual(await page.locator(".row .name").allTextContents(), ["name-4"]);
  });

  test("names that try to be HTML stay text", async () => {
    const evil = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
    await f.make("anna", {
      upstreams: [{ name: "up", protocol: "chat", url: f.up.url, models: { [evil]: evil } }],
    });
    const page = await f.open("/admin");
    await page.route("**/admin/api/endpoints", (route) =>
      route.fulfill({
        json: { endpoints: [{ name: evil, upstreams: { [evil]: evil }, keys: 1, updated: 1 }], cursor: "" },
      }),
    );
    await page.route("**/admin/api/health?*", (route) =>
      route.fulfill({
        json: {
          endpoints: [{ name: evil, days: [], last_used: null, upstreams: [{ name: evil, state: "ok" }] }],
        },
      }),
    );
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    assert.equal(await page.locator(".row .name").textContent(), evil);
    await page.getByRole("img", { name: `${evil}: answers` }).waitFor();
    assert.equal(await page.locator(".row img, .row script").count(), 0);
    await page.unroute("**/admin/api/endpoints");
    await usageOf(page, watched({ model: evil, request: evil, type: evil }));
    await page.goto(`${f.url}/admin#/e/anna/connect`);
    await page.locator(".hint", { hasText: evil }).waitFor();
    for (const tab of ["Settings", "Keys", "Watch"]) {
      await page.getByRole("tab", { name: tab }).click();
      await page.locator(`[role=tabpanel] >> css=.card, table`).first().waitFor();
      assert.equal(await page.locator("img:not([src='/page/icon.svg']), main script").count(), 0, tab);
    }
    await page.locator("th code", { hasText: evil }).waitFor();
  });

  // tour opens the form of the key, the list and each of PLACES, and calls look(page) in each. upstream
  // has members of anna's upstream. tour resolves with the tab.
  const tour = async (upstream, look, options) => {
    await f.make("anna", { upstreams: [{ protocol: "chat", url: f.up.url, ...upstream }] });
    const page = await f.open("/admin", options);
    await look(page);
    await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: /^anna/ }).waitFor();
    await look(page);
    await usageOf(page, watched());
    for (const place of Object.keys(PLACES)) {
      await page.goto(`${f.url}/admin${place}`);
      await page.locator(PLACES[place]).first().waitFor();
      await look(page);
    }
    return page;
  };

  test("nothing of it keeps anybody out, in both themes", async () => {
    const page = await tour({ name: "up", models: { a: "b" } }, async (page) => {
      await page.locator("details").evaluateAll((all) => all.forEach((details) => (details.open = true)));
      await inspectThemes(page);
    });
    await page.goto(`${f.url}/admin#/e/anna/setup`);
    await page.getByRole("button", { name: "Delete …" }).click();
    await inspectThemes(page);
  });

  test("it fits a phone", async () => {
    await tour(
      {
        name: "a-rather-long-name-of-an-upstream",
        models: { a: "a-rather-long-name-of-a-model-that-goes-on-and-on" },
      },
      fits,
      PHONE,
    );
  });
});
