// Upstreams through Cloudflare's AI Gateway, and upstreams with several keys. The test's server
// replaces every host.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { ADMIN_KEY, ENDPOINTS, SEAL_KEY } from "../lib/attacks.mjs";
import { CLIENT_KEY, ask, params } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { start } from "../lib/target.mjs";
import { PATHS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { midnight, plain, requestsOf, says, streamed } from "../lib/usage.mjs";
import { until } from "../lib/waiting.mjs";

const account = "0123456789abcdef0123456789abcdef";
const gateway = { account, id: "my-gateway", token: "aig-token-of-the-tests" };
const at = `/v1/${account}/my-gateway`;
const HIT = { "content-type": "application/json", "cf-aig-cache-status": "HIT" };

// suite gives the surrounding suite a server, f.up, that replaces every host, and a worker with
// personal endpoints.
function suite(config = {}) {
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    target = await start({ ADMIN_KEY, SEAL_KEY, ...config }, { faults: true, state: true, connect: f.up });
    f.url = target.url;
    f.lines = () => target.lines.all.map((line) => JSON.parse(line));
  });
  beforeEach(() => f.up.renew());
  after(async () => {
    await target?.close();
    await f.up?.close();
  });
  f.admin = async (method, path, body) => {
    const { status, text } = await ask(f.url, {
      method,
      path: ENDPOINTS + path,
      body,
      headers: { "x-api-key": ADMIN_KEY },
    });
    return { status, ...JSON.parse(text) };
  };
  let made = 0;
  // make makes an endpoint, { name, key }.
  f.make = async (upstreams, more) => {
    const name = `e${++made}`;
    const got = await f.admin("POST", "", { name, upstreams, ...more });
    assert.equal(got.status, 201, JSON.stringify(got));
    return { name, key: got.key };
  };
  f.ask = (client, { name, key }, { body, headers, clock } = {}) =>
    ask(f.url, {
      path: `/u/${name}${PATHS[client]}`,
      headers: { "x-api-key": key, ...(clock && { "x-test-clock": String(clock) }), ...headers },
      body: smallest[client](body ?? {}),
    });
  // until reads the usage until so many requests are counted.
  f.until = ({ name }, n, clock) =>
    until(async () => {
      const { text } = await ask(f.url, {
        method: "GET",
        path: `${ENDPOINTS}/${name}/usage`,
        headers: { "x-api-key": ADMIN_KEY, "x-test-clock": String(clock) },
      });
      const kept = JSON.parse(text);
      return requestsOf(kept) === n && kept;
    });
  return f;
}

const openai = {
  name: "a",
  protocol: "chat",
  url: "https://api.openai.com/v1",
  key: "sk-of-the-vendor",
  gateway,
};
const claude = {
  name: "a",
  protocol: "anthropic",
  url: "https://api.anthropic.com",
  key: "sk-of-the-vendor",
  gateway,
};

describe("an upstream through AI Gateway", () => {
  const f = suite();

  for (const [client, record, path, keyed] of [
    ["anthropic", openai, "/openai/chat/completions", { authorization: "Bearer sk-of-the-vendor" }],
    ["chat", openai, "/openai/chat/completions", { authorization: "Bearer sk-of-the-vendor" }],
    ["anthropic", claude, "/anthropic/v1/messages", { "x-api-key": "sk-of-the-vendor" }],
    ["responses", claude, "/anthropic/v1/messages", { "x-api-key": "sk-of-the-vendor" }],
  ]) {
    test(`a request of ${client} to ${record.protocol}`, async () => {
      f.up.serve(says(record.protocol));
      const e = await f.make([{ ...record, gateway: { ...gateway, cache_ttl: 3600, skip_cache: true } }]);
      for (const stream of [false, true]) {
        const { status, headers, text } = await f.ask(client, e, {
          body: { stream },
          headers: {
            "cf-aig-cache-ttl": "60",
            "cf-aig-authorization": "Bearer evil",
            "cf-aig-metadata": "{}",
          },
        });
        assert.equal(status, 200, text);
        const x = f.up.requests.at(-1);
        assert.deepEqual([x.headers.host, x.path], ["gateway.ai.cloudflare.com", at + path]);
        for (const [name, value] of Object.entries({
          ...keyed,
          "cf-aig-authorization": `Bearer ${gateway.token}`,
          "cf-aig-cache-ttl": "3600",
          "cf-aig-skip-cache": "true",
        }))
          assert.equal(x.headers[name], value, name);
        assert.deepEqual(JSON.parse(x.headers["cf-aig-metadata"]), {
          request: headers["x-request-id"],
          endpoint: e.name,
        });
      }
    });
  }

  test("its token and its account stay with its operator", async () => {
    f.up.serve((x) =>
      x.answer(400, {
        error: { message: `${x.headers["cf-aig-authorization"]} ${x.headers.authorization}` },
      }),
    );
    const e = await f.make([openai]);
    const { text } = await f.ask("anthropic", e);
    assert.equal(JSON.parse(text).error.message, "Bearer [key] Bearer [key]");
    const view = await f.admin("GET", `/${e.name}`);
    assert.deepEqual(
      [view.upstreams[0].gateway, view.sealed_keys, view.sealed_tokens],
      [{ account, id: "my-gateway" }, ["a"], ["a"]],
    );
    assert.ok(!JSON.stringify(view).includes(gateway.token));
    const own = await ask(f.url, {
      method: "GET",
      path: `/u/${e.name}/api`,
      headers: { "x-api-key": e.key },
    });
    assert.equal(own.status, 200);
    assert.ok(!own.text.includes(account), own.text);
  });

  test("a key goes through no other gateway", async () => {
    const e = await f.make([openai]);
    const bare = { name: "a", protocol: "chat", url: "https://api.openai.com/v1" };
    for (const changed of [
      bare,
      { ...bare, gateway: { account: "f".repeat(32), id: "my-gateway" } },
      { ...bare, gateway: { account, id: "theirs" } },
    ]) {
      for (const [path, body] of [
        ["", { upstreams: [changed] }],
        ["/test", { draft: { upstreams: [changed] } }],
      ]) {
        const got = await f.admin(path ? "POST" : "PATCH", `/${e.name}${path}`, body);
        assert.equal(got.status, 400, JSON.stringify(got));
        assert.match(got.error.message, /^upstreams\[0\]\.key must be sent again/);
      }
    }
    assert.equal(f.up.requests.length, 0);
    f.up.serve((x) => x.answer(200, { object: "list", data: [] }));
    const kept = await f.admin("PATCH", `/${e.name}`, {
      upstreams: [{ ...bare, gateway: { account, id: "my-gateway", skip_cache: true } }],
    });
    assert.deepEqual(kept.sealed_tokens, ["a"]);
    const tested = await f.admin("POST", `/${e.name}/test`);
    assert.equal(tested.ok, true, JSON.stringify(tested));
    assert.deepEqual(
      [f.up.requests[0].path, f.up.requests[0].headers["cf-aig-authorization"]],
      [`${at}/openai/models`, `Bearer ${gateway.token}`],
    );
  });

  test("a draft's own secrets are tested", async () => {
    f.up.serve((x) => x.answer(200, { object: "list", data: [] }));
    const { text } = await ask(f.url, {
      path: "/admin/api/test",
      headers: { "x-api-key": ADMIN_KEY },
      body: {
        draft: { upstreams: [{ ...openai, key: "sk-typed", gateway: { ...gateway, token: "typed" } }] },
      },
    });
    assert.equal(JSON.parse(text).ok, true, text);
    assert.deepEqual(
      [f.up.requests[0].headers.authorization, f.up.requests[0].headers["cf-aig-authorization"]],
      ["Bearer sk-typed", "Bearer typed"],
    );
  });

  const prices = { "*": { input: 1000, output: 2000 } };
  const costs = async (record, headers, client, stream) => {
    f.up.serve(async (x) => {
      if (!x.json.stream) return x.answer(200, plain[record.protocol](), headers);
      x.head(200, { ...headers, "content-type": "text/event-stream" });
      for (const chunk of streamed[record.protocol]()) await x.send(chunk);
      return x.end();
    });
    const e = await f.make([record], { usage: true, prices });
    const answer = await f.ask(client, e, { clock: midnight, body: { stream } });
    assert.equal(answer.status, 200, answer.text);
    const { days } = await f.until(e, 1, midnight);
    // the line is written after the usage
    const line = await until(() => f.lines().find(({ endpoint, pair }) => endpoint === e.name && pair));
    return [days[0].usd > 0, days[0].unpriced, line.gateway_cache, line.cost_usd > 0];
  };
  for (const client of ["anthropic", "chat"]) {
    for (const stream of [false, true]) {
      test(`what its cache has costs nothing: ${client}${stream ? ", streamed" : ""}`, async () => {
        assert.deepEqual(await costs(openai, HIT, client, stream), [false, 0, "hit", false]);
        assert.deepEqual(await costs(openai, { ...HIT, "cf-aig-cache-status": "MISS" }, client, stream), [
          true,
          0,
          "miss",
          true,
        ]);
        assert.deepEqual(await costs(openai, { ...HIT, "cf-aig-cache-status": "anything" }, client, stream), [
          true,
          0,
          undefined,
          true,
        ]);
      });
    }
  }

  test("an upstream that is no gateway can't make its answers free", async () => {
    const { gateway: none, ...direct } = openai;
    assert.deepEqual(await costs(direct, HIT, "anthropic"), [true, 0, undefined, true]);
  });

  const refusal = (status, code, message) => ({
    success: false,
    result: [],
    messages: [],
    error: [{ code, message }],
    name: "AiGatewayError",
    httpCode: status,
    internalCode: code,
  });
  for (const [status, code, words, hint] of [
    [401, 2009, "Unauthorized", /its operator sets the token again/],
    [424, 2016, "Prompt blocked due to security configurations", /guardrails block the prompt/],
    [424, 2017, "Response blocked due to security configurations", /guardrails block the answer/],
    [402, 2021, "Insufficient credits", /more credits/],
    [503, 7013, "Guardrails unavailable", /try again/],
    [429, 2003, "Rate limited", /rate limit or a spend limit/],
    [400, 2001, "Please configure AI Gateway in the Cloudflare dashboard", /Its log has more/],
  ]) {
    test(`its error ${code}`, async () => {
      f.up.serve((x) => x.answer(status, refusal(status, code, words)));
      const e = await f.make([openai]);
      for (const client of ["anthropic", "chat", "responses"]) {
        for (const stream of [false, true]) {
          const { status: got, text } = await f.ask(client, e, { body: { stream } });
          const { message } = JSON.parse(text).error;
          assert.ok(got >= 400, text);
          if (client !== "anthropic") assert.equal(got, status, text);
          assert.match(message, hint);
          assert.ok(
            message.startsWith("AI Gateway, through which this upstream is reached, refuses the request") &&
              message.includes(`code ${code}`) &&
              message.endsWith(`Its own words: ${words}`),
            message,
          );
        }
      }
    });
  }

  test("an error of the vendor behind it is the vendor's", async () => {
    const error = {
      error: {
        message: "Incorrect API key provided",
        type: "invalid_request_error",
        param: null,
        code: "invalid_api_key",
      },
    };
    f.up.serve((x) => x.answer(401, error));
    const e = await f.make([openai]);
    assert.deepEqual(JSON.parse((await f.ask("chat", e)).text), error);
    assert.equal(JSON.parse((await f.ask("anthropic", e)).text).error.message, "Incorrect API key provided");
  });
});

describe("the deployment's own upstream through AI Gateway", () => {
  const token = "aig-token-of-the-tests";
  const f = suite({
    UPSTREAM_PROTOCOL: "chat",
    UPSTREAM_URL: "https://api.openai.com/v1",
    UPSTREAM_KEY: "sk-own",
    CLIENT_KEY,
    UPSTREAM_GATEWAY: JSON.stringify({ account, id: "my-gateway" }),
    UPSTREAM_GATEWAY_TOKEN: token,
  });

  test("its requests, and the list of models", async () => {
    f.up.serve((x) => (x.method === "GET" ? x.answer(200, { object: "list", data: [] }) : says("chat")(x)));
    const { status, text, headers } = await ask(f.url, {
      body: params(),
      headers: { "x-api-key": CLIENT_KEY, "x-request-id": "mine" },
    });
    assert.equal(status, 200, text);
    assert.equal(headers["x-request-id"], "mine");
    await ask(f.url, { path: "/v1/models", method: "GET" });
    assert.deepEqual(
      f.up.requests.map((x) => [x.path, x.headers.authorization, x.headers["cf-aig-authorization"]]),
      ["chat/completions", "models"].map((path) => [
        `${at}/openai/${path}`,
        "Bearer sk-own",
        `Bearer ${token}`,
      ]),
    );
    assert.deepEqual(JSON.parse(f.up.requests[0].headers["cf-aig-metadata"]), { request: "mine" });
  });
});

describe("several keys of an upstream", () => {
  const f = suite();
  const keys = ["sk-one", "sk-two", "sk-three"];
  const pool = { name: "a", protocol: "chat", url: "https://api.openai.com/v1", keys };
  const used = () => f.up.requests.map((x) => x.headers.authorization.slice("Bearer ".length));

  test("requests take them in turn", async () => {
    f.up.serve(says("chat"));
    const e = await f.make([pool]);
    for (let i = 0; i < 6; i++) assert.equal((await f.ask(i % 2 ? "chat" : "anthropic", e)).status, 200);
    assert.deepEqual(used(), [...used().slice(0, 3), ...used().slice(0, 3)]);
    assert.deepEqual(used().slice(0, 3).sort(), [...keys].sort());
    const view = await f.admin("GET", `/${e.name}`);
    assert.deepEqual([view.sealed_keys, view.pools, view.upstreams[0].keys], [["a"], { a: 3 }, undefined]);
  });

  test("a 429 rests one, and the next one is tried at once", async () => {
    f.up.serve((x) =>
      x.headers.authorization === "Bearer sk-two"
        ? x.answer(
            429,
            { error: { message: "slow down" } },
            { "content-type": "application/json", "retry-after": "100" },
          )
        : says("chat")(x),
    );
    const e = await f.make([pool]);
    let n = 0;
    const go = async (clock) => {
      const { status, text } = await f.ask("anthropic", e, { clock });
      assert.equal(status, 200, text);
      await f.until(e, ++n, clock);
    };
    for (let i = 0; i < 3; i++) await go(midnight);
    assert.equal(used().filter((key) => key === "sk-two").length, 1);
    f.up.requests.length = 0;
    for (let i = 0; i < 4; i++) await go(midnight + 99);
    assert.ok(!used().includes("sk-two"), "it rests");
    for (let i = 0; i < 3; i++) await go(midnight + 102);
    assert.ok(used().includes("sk-two"), "it is over");
  });

  test("two are tried at most, and then the endpoint's next upstream", async () => {
    f.up.serve((x) =>
      x.headers.host === "api.openai.com" ? x.answer(500, { error: { message: "down" } }) : says("chat")(x),
    );
    const e = await f.make([
      pool,
      { name: "b", protocol: "chat", url: "https://api.deepseek.com", key: "sk-other" },
    ]);
    const { status, text } = await f.ask("anthropic", e);
    assert.equal(status, 200, text);
    assert.equal(used().length, 3);
    assert.equal(used()[2], "sk-other");
    assert.notEqual(used()[0], used()[1]);
  });

  test("health tells of each", async () => {
    f.up.serve((x) => x.answer(429, { error: { message: "slow down" } }));
    const e = await f.make([{ ...pool, keys: ["sk-one", "sk-two"] }]);
    const { status } = await f.ask("chat", e, { clock: midnight });
    assert.equal(status, 429);
    await f.until(e, 1, midnight);
    const { text } = await ask(f.url, {
      method: "GET",
      path: `/admin/api/health?name=${e.name}`,
      headers: { "x-api-key": ADMIN_KEY, "x-test-clock": String(midnight) },
    });
    assert.deepEqual(
      JSON.parse(text).endpoints[0].upstreams.map(({ name, state }) => [name, state]),
      [
        ["a/1", "resting"],
        ["a/2", "resting"],
      ],
    );
  });

  test("counts of tokens and lists of models have a key, too", async () => {
    f.up.serve((x) => x.answer(200, x.method === "GET" ? { object: "list", data: [] } : { input_tokens: 1 }));
    const e = await f.make([{ ...pool, protocol: "anthropic", url: "https://api.anthropic.com" }]);
    await ask(f.url, { path: `/u/${e.name}/v1/models`, method: "GET", headers: { "x-api-key": e.key } });
    await ask(f.url, {
      path: `/u/${e.name}/v1/messages/count_tokens`,
      headers: { "x-api-key": e.key },
      body: params(),
    });
    assert.equal(f.up.requests.length, 2);
    for (const x of f.up.requests)
      assert.ok(keys.includes(x.headers["x-api-key"]), JSON.stringify(x.headers));
  });
});
