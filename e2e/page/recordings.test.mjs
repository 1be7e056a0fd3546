// Recordings in a browser: the list, one exchange, and its request in Try it.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe } from "node:test";
import * as chat from "../lib/chat.mjs";
import { test } from "../lib/fixture.mjs";
import { ADMIN_KEY, CLIENT_KEY, fits, inspect, inspectThemes, over, pages } from "../lib/page.mjs";
import { TARGET } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";
import { pieces } from "../../worker/page/recordings/pieces.mjs";

const REFUSED = /status of (4\d\d|5\d\d)/;
const EVIL = `<img src=x onerror="alert(1)"><script>alert(2)</script>`;
const elsewhere = TARGET !== "wazero" && "recordings are files of the local host";
const own = (up) => ({
  UPSTREAM_PROTOCOL: "chat",
  UPSTREAM_URL: up.url,
  UPSTREAM_KEY: "the-key-of-the-upstream",
  CLIENT_KEY,
});

// folder returns the path of a new folder for recordings.
function folder() {
  const path = mkdtempSync(join(tmpdir(), "recordings-"));
  after(() => rmSync(path, { recursive: true, force: true }));
  return join(path, "r");
}

// ask sends a Messages request with a field that is lost, and resolves with the answer's text.
async function ask(f, path, key, { stream = true, text = `Show me ${EVIL}` } = {}) {
  const answer = await fetch(`${f.url}${path}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({
      model: "gpt-5.5",
      max_tokens: 64,
      stream,
      top_k: 5,
      messages: [{ role: "user", content: text }],
    }),
  });
  return answer.text();
}

// recorded reloads the list until it has n rows.
async function recorded(page, n) {
  const rows = page.locator("table tbody tr");
  await until(async () => {
    await page.getByRole("button", { name: "Refresh" }).click();
    return (await rows.count()) === n;
  });
  return rows;
}

const lines = (page, name) =>
  page
    .getByRole("region", { name, exact: true })
    .locator("li")
    .evaluateAll((all) =>
      all.map((li) => [li.querySelector("code").textContent, li.querySelector(".said").textContent]),
    );

describe("recordings of the deployment's own endpoint", { skip: elsewhere }, () => {
  const f = pages({
    vars: (up) => ({ ...own(up), ADMIN_KEY: "" }),
    flags: elsewhere ? [] : ["--record", folder()],
  });

  test("an exchange, its translation, and its request in Try it", async () => {
    f.up.serve((x) => chat.answer(x, `Here: ${EVIL}`));
    const text = await ask(f, "", CLIENT_KEY);
    assert.ok(text.includes("message_stop"));
    const page = await f.enter("#recordings");
    const rows = await recorded(page, 1);
    assert.match(await rows.textContent(), /POST \/v1\/messages.*gpt-5\.5.*200.* ms$/);
    await inspect(page);
    await rows.getByRole("button").click();
    const heading = page.getByRole("heading", { name: "POST /v1/messages" });
    await heading.waitFor();
    assert.equal(await heading.evaluate((element) => element === document.activeElement), true);
    await page
      .getByRole("region", { name: "Your client" })
      .getByText(/^Lost: top_k/)
      .waitFor();
    // the exchange may end before the upstream's last line, [DONE], is read
    assert.deepEqual((await lines(page, "The upstream")).slice(0, 4), [
      ["role", "assistant"],
      ["content", `Here: ${EVIL}`],
      ["finish_reason", "stop"],
      ["usage", "7 output tokens"],
    ]);
    const client = await lines(page, "Your client");
    assert.deepEqual(
      client.filter(([type]) => type === "text_delta"),
      [["text_delta", `Here: ${EVIL}`]],
    );
    assert.equal(client.at(-1)[0], "message_stop");
    const shown = async (side) => JSON.parse(await page.getByLabel(`Request: ${side}`).textContent());
    assert.deepEqual(await shown("The upstream"), f.up.requests[0].json);
    assert.equal((await shown("Your client")).top_k, 5);
    await page
      .getByLabel("Headers: The upstream")
      .getByText(`POST ${f.up.url}/chat/completions`)
      .waitFor({ state: "attached" });
    assert.equal(await page.locator("main img, main script").count(), 0, "contents are text");
    assert.ok(!(await page.content()).includes("the-key-of-the-upstream"));
    await inspect(page);
    await page.getByRole("slider", { name: "The selected moment" }).fill("0");
    assert.ok((await page.locator(".events li:not(.later)").count()) > 0);

    const count = f.up.requests.length;
    await page.getByRole("button", { name: "Open in Try it" }).click();
    const json = page.getByRole("textbox", { name: "JSON" });
    await json.waitFor();
    assert.equal(await page.getByRole("tab", { name: "Try it" }).getAttribute("aria-selected"), "true");
    assert.deepEqual(JSON.parse(await json.inputValue()).messages, [
      { role: "user", content: `Show me ${EVIL}` },
    ]);
    assert.equal(await page.getByLabel("Question").isVisible(), false);
    await inspect(page);
    await page.getByLabel("Model").fill("gpt-5.4");
    assert.equal(JSON.parse(await json.inputValue()).model, "gpt-5.4");
    assert.equal(f.up.requests.length, count, "nothing is sent before Send");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("gpt-5.4 goes to").waitFor();
    await over(page);
    const sent = f.up.requests.at(-1).json;
    assert.deepEqual([sent.model, sent.messages.at(-1).content], ["gpt-5.4", `Show me ${EVIL}`]);
    await page.getByLabel("Your client speaks").selectOption("chat");
    await page.getByLabel("Question").waitFor();
    await page.getByRole("tab", { name: "Watch" }).click();
    await page.getByRole("tab", { name: "Try it" }).click();
    await page.getByLabel("Question").waitFor(); // a request is filled in once
  });

  test("plain answers, refusals, and a count", async () => {
    const page = await f.enter("#recordings");
    await page.getByRole("button", { name: "Refresh" }).waitFor();
    const before = await page.locator("table tbody tr").count();
    f.up.serve((x) => chat.answer(x, "Plain."));
    await ask(f, "", CLIENT_KEY, { stream: false });
    f.up.serve((x) => x.answer(400, { error: { message: `No ${EVIL}`, type: "invalid_request_error" } }));
    await ask(f, "", CLIENT_KEY);
    await fetch(`${f.url}/v1/messages/count_tokens`, {
      method: "POST",
      headers: { "x-api-key": CLIENT_KEY, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-5.5", messages: [{ role: "user", content: "Hi" }] }),
    }).then((answer) => answer.text());
    const rows = await recorded(page, before + 3);
    const open = async (row) => {
      await rows.nth(row).getByRole("button").click();
      await page.getByRole("button", { name: "All recordings" }).waitFor();
    };
    await open(2);
    await page.getByLabel("Answer: Your client").getByText("Plain.").waitFor();
    await page.getByLabel("Answer: The upstream").getByText("Plain.").waitFor();
    assert.equal(await page.locator(".rhythm").count(), 0, "no stream, no time axis");
    await page.getByRole("button", { name: "All recordings" }).click();
    await open(1);
    await page.getByRole("region", { name: "The upstream" }).getByText("HTTP 400").waitFor();
    await page.getByText(`No ${EVIL}`).first().waitFor();
    await inspect(page);
    await page.getByRole("button", { name: "All recordings" }).click();
    await open(0);
    await page.getByText("Try it sends only requests for an answer.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Open in Try it" }).count(), 0);
  });

  test("a recording that is gone, and a long one", async () => {
    f.expected = [REFUSED];
    f.up.serve((x) => chat.answer(x, "Hello."));
    await ask(f, "", CLIENT_KEY, { text: "long ".repeat(120_000) });
    const page = await f.enter("#recordings");
    const row = page.locator("table tbody tr").first();
    const named = page.getByRole("region", { name: "Your client" });
    await until(async () => {
      await page.getByRole("button", { name: "Refresh" }).click();
      await row.getByRole("button").click();
      await named.waitFor();
      if (await page.getByText("This request is too long for Try it.").count()) return true;
      await page.getByRole("button", { name: "All recordings" }).click();
      return false;
    });
    await page
      .getByText(/^The request has 600,\d+ bytes; the page shows the first part\.$/)
      .first()
      .waitFor();
    await page.route("**/recordings/*", (route) => route.continue({ url: `${f.url}/api/recordings/none` }));
    await page.getByRole("button", { name: "All recordings" }).click();
    await row.getByRole("button").click();
    await page.getByRole("alert").getByText("There is no such recording.").waitFor();
    await page.getByRole("button", { name: "All recordings" }).click();
    await row.waitFor();
  });

  test("a list that comes late does not replace an opened exchange", async () => {
    f.up.serve((x) => chat.answer(x, "Hello."));
    await ask(f, "", CLIENT_KEY);
    const page = await f.enter("#recordings");
    await page.getByRole("button", { name: "Refresh" }).waitFor();
    await recorded(page, (await page.locator("table tbody tr").count()) || 1);
    let late;
    const list = /\/recordings$/;
    await page.route(list, (route) => void (late = route));
    await page.getByRole("button", { name: "Refresh" }).click();
    await until(() => late);
    await page.locator("table tbody tr").first().getByRole("button").click();
    const heading = page.getByRole("heading", { name: "POST /v1/messages" });
    await heading.waitFor();
    const came = page.waitForResponse(list);
    await late.continue();
    await (await came).finished();
    await page.getByRole("slider", { name: "The selected moment" }).fill("0");
    assert.ok(await heading.isVisible());
  });

  test("on a phone, in both themes", async () => {
    f.up.serve((x) => chat.answer(x, "Hello."));
    await ask(f, "", CLIENT_KEY);
    const page = await f.enter("#recordings", { viewport: { width: 375, height: 720 } });
    await page.getByRole("button", { name: "Refresh" }).waitFor();
    await recorded(page, (await page.locator("table tbody tr").count()) || 1);
    await fits(page);
    await inspectThemes(page);
    await page.locator("table tbody tr").first().getByRole("button").click();
    await page.getByRole("button", { name: "Open in Try it" }).waitFor();
    await fits(page);
    await inspectThemes(page);
  });
});

describe("recordings of a personal endpoint", { skip: elsewhere }, () => {
  const f = pages({ flags: elsewhere ? [] : ["--record", folder(), "--record-endpoint", "anna"] });

  test("the operator sees them, and nobody else", async () => {
    f.up.serve((x) => chat.answer(x, "Hello."));
    const { key } = await f.make("anna");
    await f.make("bert");
    await ask(f, "/u/anna", key);
    const page = await f.operate("#/e/anna/recordings");
    const rows = await recorded(page, 1);
    await rows.getByRole("button").click();
    await page.getByRole("button", { name: "Open in Try it" }).click();
    await page.getByRole("textbox", { name: "JSON" }).waitFor();
    assert.match(page.url(), /#\/e\/anna\/try$/);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("gpt-5.5 goes to up").waitFor();
    await over(page);
    await page.goto(`${f.url}/admin#/e/bert`);
    await page.getByRole("heading", { name: "bert" }).waitFor();
    assert.equal(await page.getByRole("tab", { name: "Recordings" }).count(), 0);
    const owner = await f.own("anna", key);
    await owner.getByRole("tab", { name: "Watch" }).waitFor();
    assert.equal(await owner.getByRole("tab", { name: "Recordings" }).count(), 0);
    const get = async (headers) =>
      (await fetch(`${f.url}/admin/api/endpoints/anna/recordings`, { headers })).status;
    assert.equal(await get({ authorization: `Bearer ${ADMIN_KEY}` }), 200);
    assert.equal(await get({ authorization: `Bearer ${key}` }), 401);
    assert.equal(await get({}), 401);
  });

  test("after the end of the session the page asks for the key", async () => {
    f.expected = [REFUSED];
    await f.make("anna");
    const page = await f.operate("#/e/anna/recordings");
    await page.getByRole("button", { name: "Refresh" }).waitFor();
    await page.context().clearCookies();
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("Your session has ended. Sign in again.").waitFor();
  });
});

test("a stream is cut as it arrived", () => {
  const text = (chunks) => chunks.map(({ at, bytes }) => [at, new TextDecoder().decode(bytes)]);
  const times = "# milliseconds since the request, bytes as they came\n1.5 2\n3.0 4\n";
  const read = (body, bytes = body.length, all = times) => {
    const { chunks, exact } = pieces({ body, bytes, times: all });
    return [text(chunks), exact];
  };
  assert.deepEqual(read("abcdef"), [
    [
      [1.5, "ab"],
      [3, "cdef"],
    ],
    true,
  ]);
  const twice = [
    [1.5, "abcd"],
    [3, "efghijkl"],
  ];
  assert.deepEqual(read("abcdefghijkl"), [twice, false], "in proportion");
  assert.deepEqual(
    read("abc", 6),
    [
      [
        [1.5, "ab"],
        [3, "c"],
      ],
      true,
    ],
    "the beginning",
  );
  assert.deepEqual(read("abc", 3, ""), [[[0, "abc"]], false]);
  assert.deepEqual(read("abcdef", 6, "1.0 0\n"), [
    [
      [1, ""],
      [1, "abcdef"],
    ],
    false,
  ]);
});
