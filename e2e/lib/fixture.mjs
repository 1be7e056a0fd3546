// The common beginning of every test file.
import { after, before, beforeEach, test as nodeTest } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY } from "./client.mjs";
import { start } from "./target.mjs";
import { upstream } from "./upstream.mjs";
import { PATIENCE, TooSlow, longEnough } from "./waiting.mjs";

// test is node:test's test with a timeout. Only a hanging test reaches the timeout.
export const test = (name, options, fn) =>
  typeof options === "function"
    ? nodeTest(name, { timeout: PATIENCE }, options)
    : nodeTest(name, { timeout: PATIENCE, ...options }, fn);

// defaults returns a working configuration for an upstream at url.
export const defaults = (url) => ({ UPSTREAM_PROTOCOL: "chat", UPSTREAM_URL: url, UPSTREAM_KEY, CLIENT_KEY });

// fixture gives the surrounding suite an upstream, up, and a worker, url. An undefined variable in
// config is not set. With options.host the worker treats the upstream as the server with this host
// name.
export function fixture(config = {}, { host, ...options } = {}) {
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    if (host) target = await start(configOf(`http://${host}/v1`, config), { ...options, connect: f.up });
    else target = await start(configOf(f.up.url, config), options);
    f.url = target.url;
  });
  beforeEach(() => f.up.renew());
  after(async () => {
    await target?.close();
    await f.up?.close();
  });
  return f;
}

// impatient gives the surrounding suite tests of a worker with a short timeout for a silent
// upstream, in milliseconds. If the timeout was too short for the machine, a test runs again with a
// longer timeout (longEnough). In a test, url is the worker and up its upstream.
export function impatient(time, config) {
  const f = {};
  const pairs = new Map(); // workers and their upstreams, by the timeout
  after(async () => {
    for (const { up, target } of pairs.values()) {
      await target?.close();
      await up.close();
    }
  });
  f.test = (name, play) =>
    test(name, () =>
      longEnough(time, async (timeout) => {
        if (!pairs.has(timeout)) pairs.set(timeout, { up: await upstream() });
        const pair = pairs.get(timeout);
        pair.up.renew();
        pair.target ??= await start(
          configOf(pair.up.url, { ...config, UPSTREAM_TIMEOUT: String(timeout / 1000) }),
        );
        Object.assign(f, { up: pair.up, url: pair.target.url });
        await play();
      }),
    );
  // next resolves with the upstream request for a client's request. answer is the promise of the
  // client's answer.
  f.next = async (answer) => {
    const x = await Promise.race([f.up.next(), answer.then(() => null)]);
    if (!x) throw new TooSlow();
    return x;
  };
  return f;
}

// worker starts a worker for a single test.
export async function worker(t, upstreamURL, config, options) {
  const target = await start(configOf(upstreamURL, config), options);
  t.after(() => target.close());
  return target.url;
}

function configOf(url, config) {
  const all = { ...defaults(url), ...config };
  if (["anthropic", "gemini", "interactions"].includes(all.UPSTREAM_PROTOCOL))
    // Anthropic's SDK and Google's SDK require a URL without a version
    all.UPSTREAM_URL = all.UPSTREAM_URL?.replace(/\/v1$/, "");
  for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
  return all;
}
