// Pictures of the page's views for docs/images, one of each: node bench/screenshots.mjs, after
// ./build.sh.
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { launch } from "../lib/browser.mjs";
import * as chat from "../lib/chat.mjs";
import { ADMIN_KEY, CLIENT_KEY } from "../lib/page.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { PATIENCE } from "../lib/waiting.mjs";
import { busy, lately, summed } from "../lib/watched.mjs";

const folder = new URL("../../docs/images/", import.meta.url);
const MOST = 200 << 10; // the maximum size of all pictures in bytes
const viewport = { width: 1280, height: 800 };
const [QUALITY, SCALE] = [20, 0.8]; // settings of the WebP files

const words = "I look up what the weather is like in Paris and in Rome at this hour, both at once.".match(
  /\S+\s*/g,
);
const call = (i, name, id) => chat.call(i, { id, type: "function", function: { name, arguments: "" } });
const args = (i, text) => chat.call(i, { function: { arguments: text } });

// answer plays a stream with reasoning, text and two calls at a time, at the pace of a model.
async function answer(x) {
  x.head();
  await x.send(chat.role);
  for (const text of ["The user", " wants", " two", " cities."])
    (await x.send(chat.delta({ reasoning_content: text })), await pause(40));
  await pause(150);
  for (const word of words) (await x.send(chat.text(word)), await pause(25 + 30 * (word.length % 3)));
  await x.send(call(0, "get_weather", "call_1"));
  await x.send(call(1, "get_weather", "call_2"));
  for (const piece of ['{"ci', 'ty":', '"', "CITY", '"}']) {
    for (const [i, city] of ["Paris", "Rome"].entries())
      (await x.send(args(i, piece.replace("CITY", city))), await pause(35));
  }
  await x.send(
    chat.finish("tool_calls") +
      chat.usage({ prompt_tokens: 312, completion_tokens: 96, total_tokens: 408 }) +
      chat.done,
  );
  await x.end();
}

const up = await upstream();
up.serve((x) => {
  if (x.method === "GET")
    return x.answer(200, { object: "list", data: [{ id: "gpt-5.5", object: "model" }] });
  if (x.json.model !== "busy") return answer(x);
  return x.answer(429, {
    error: {
      message: "You have sent too many requests in a minute. Try again in 20 seconds.",
      type: "rate_limit_error",
      code: "rate_limit_exceeded",
    },
  });
});
const SEAL_KEY = randomBytes(32).toString("base64");
const target = await start(
  {
    ADMIN_KEY,
    SEAL_KEY,
    ALLOW_HTTP_UPSTREAM: "true",
    CLIENT_KEY,
    UPSTREAM_PROTOCOL: "chat",
    UPSTREAM_URL: up.url,
    UPSTREAM_KEY: "the-key-of-the-upstream",
  },
  { state: true },
);
const api = (path, body) =>
  fetch(`${target.url}/admin/api${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  }).then((answer) => answer.json());
const made = {}; // name of an endpoint -> the API's answer, with the endpoint's key
for (const [name, models] of [
  ["anna", { "claude-*": "gpt-5.5", "gpt-5.5": "gpt-5.5" }],
  ["ben"],
  ["research"],
]) {
  const upstreams = [
    { name: "openai", protocol: "chat", url: up.url, key: "sk-something", ...(models && { models }) },
  ];
  made[name] = await api("/endpoints", {
    name,
    upstreams,
    usage: true,
    prices: { "*": { input: 1.25, output: 10 } },
    request_log: { ttl: 86400 },
    limits: { requests_per_minute: 60, tokens_per_day: 2000000, usd_per_day: 5 },
    key: { label: "laptop" },
  });
}
await api("/endpoints/anna/keys", { label: "build server" });
const { keys } = await api("/endpoints/anna/keys", {
  label: "a guest",
  expires: Math.floor(Date.now() / 1000) + 7 * 86400,
});
const kept = busy(keys.map(({ id }) => id));
const browser = await launch();

// send fills a model in, sends, and waits for the end.
async function send(page, model, end) {
  await page.getByLabel("Model").first().fill(model);
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText(end).first().waitFor({ timeout: PATIENCE });
}

const views = {
  home: (page) => page.goto(target.url),
  connect: async (page) => {
    await enter(page, "");
    await page.getByRole("button", { name: "Fetch models" }).click();
    await page.getByText("~/.claude/settings.json").scrollIntoViewIfNeeded();
  },
  try: async (page) => {
    await enter(page, "#try");
    await send(page, "gpt-5.5", /tokens in/);
    await page.getByRole("slider").fill("720");
    await page.locator(".rhythm").evaluate((element) => element.scrollIntoView({ block: "start" }));
  },
  options: async (page) => {
    await enter(page, "#try");
    await page.getByLabel("Your client speaks").selectOption("responses");
    await page.getByText("Request options").click();
    await page.getByText("Request options").evaluate((element) => element.scrollIntoView({ block: "start" }));
  },
  error: async (page) => {
    await enter(page, "#try");
    await send(page, "busy", "HTTP 429");
    await page.locator(".timelines").evaluate((element) => element.scrollIntoView({ block: "start" }));
  },
  endpoints: (page) => operate(page, "#/"),
  overview: (page) => operate(page, "#/overview"),
  settings: (page) => operate(page, "#/e/anna/setup"),
  operator: (page) => operate(page, "#/e/anna/try"),
  watch: (page) => operate(page, "#/e/anna/watch"),
  keys: (page) => operate(page, "#/e/anna/keys"),
  new: (page) => operate(page, "#/new"),
  owner: async (page) => {
    await page.goto(`${target.url}/u/anna/`);
    await page.getByLabel("Your key").fill(made.anna.key);
    await page.keyboard.press("Enter");
    await page.locator("header.bar").waitFor();
    await page.waitForLoadState("networkidle");
  },
};

async function enter(page, place) {
  await page.goto(`${target.url}/${place}`);
  await page.getByLabel("CLIENT_KEY").fill(CLIENT_KEY);
  await page.keyboard.press("Enter");
  await page.locator("header.bar").waitFor();
  await page.waitForLoadState("networkidle");
}

async function operate(page, place) {
  await page.goto(`${target.url}/admin${place}`);
  await page.getByLabel("ADMIN_KEY").fill(ADMIN_KEY);
  await page.keyboard.press("Enter");
  await page.locator("header.bar").waitFor();
  await page.waitForLoadState("networkidle");
}

await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [view, show] of Object.entries(views)) {
  const context = await browser.newContext({ viewport, colorScheme: "light" });
  const page = await context.newPage();
  await page.route("**/usage?days=*", (route) => route.fulfill({ json: kept }));
  await page.route("**/admin/api/overview*", (route) => route.fulfill({ json: summed(kept) }));
  await page.route("**/health?name=*", (route) =>
    route.fulfill({ json: lately(new URL(route.request().url()).searchParams.getAll("name")) }),
  );
  await show(page);
  const session = await context.newCDPSession(page);
  const { pageX: x, pageY: y } = (await session.send("Page.getLayoutMetrics")).cssVisualViewport;
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
    clip: { x, y, ...viewport, scale: SCALE },
  });
  await writeFile(new URL(`${view}.webp`, folder), Buffer.from(data, "base64"));
  await context.close();
}
await Promise.all([browser.close(), target.close(), up.close()]);
let sum = 0;
for (const name of await readdir(folder)) sum += (await stat(new URL(name, folder))).size;
console.log(`docs/images: ${sum} bytes`);
if (sum > MOST) throw new Error(`The pictures have more than ${MOST} bytes together.`);
