// Attacks by a page of another site, and by a thief of the data that a browser stores.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import { after, before, describe } from "node:test";
import { ask, CLIENT_KEY } from "../lib/client.mjs";
import { hashOf, keyOf } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { ADMIN_KEY, pages } from "../lib/page.mjs";
import { stateAt } from "../lib/state.mjs";
import { start, TARGET } from "../lib/target.mjs";

const SECRET = "what-the-page-made"; // the secret of the page in the browser
const LIFE = 12 * 3600;
const noon = 1795262400;

// browser returns the headers of a changing request by the page of an origin. Requests that change
// nothing have no origin.
const browser = (origin, more) => ({
  "x-edgelingua-page": `${origin} ${SECRET}`,
  origin,
  "sec-fetch-site": "same-origin",
  ...more,
});

describe("Sessions", () => {
  let target, url, state;
  const config = {
    ADMIN_KEY,
    CLIENT_KEY,
    SEAL_KEY: Buffer.alloc(32, 7).toString("base64"),
    ALLOW_HTTP_UPSTREAM: "true",
  };
  before(async () => {
    target = await start(config, { faults: true, state: true });
    url = target.url;
    state = stateAt(url);
  });
  after(() => target?.close());

  // call sends a request at a time, and resolves with the status, the cookie in the answer, and the
  // error's message.
  const call = async (method, path, headers, { at = noon, body, to = url } = {}) => {
    const answer = await ask(to, { method, path, body, headers: { "x-test-clock": String(at), ...headers } });
    const json = answer.text.startsWith("{") ? JSON.parse(answer.text) : {};
    return {
      ...answer,
      json,
      message: json.error?.message,
      cookie: answer.headers["set-cookie"]?.[0].split(";")[0],
    };
  };
  const bearer = (key) => ({ authorization: `Bearer ${key}` });
  const signIn = async (path, key, { origin = url, ...options } = {}) => {
    const answer = await call(
      "POST",
      `${path}/session`,
      { ...bearer(key), ...browser(origin), host: new URL(origin).host },
      options,
    );
    assert.equal(answer.status, 201, answer.text);
    return answer.cookie;
  };
  const admin = (method, path, body, more) =>
    call(method, `/admin/api${path}`, { ...bearer(ADMIN_KEY), ...more }, { body });
  const make = async (name, more) => {
    await admin("DELETE", `/endpoints/${name}`);
    const { json } = await admin("POST", "/endpoints", {
      name,
      upstreams: [{ name: "up", protocol: "chat", url: "http://127.0.0.1:1" }],
      ...more,
    });
    return json;
  };
  const rows = async (sql) => (await state.batch("sessions", [sql]))[0];

  test("the cookie is for one path, and no script can read it", async () => {
    const { key } = await make("anna");
    for (const [path, key_, cookie] of [
      [
        "/admin/api",
        ADMIN_KEY,
        /^edgelingua-admin=[\w-]{43}; Path=\/admin; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      ],
      [
        "/u/anna/api",
        key,
        /^edgelingua-owner=[\w-]{43}; Path=\/u\/anna\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
      ],
    ]) {
      const open = (origin) =>
        call("POST", `${path}/session`, { ...bearer(key_), ...browser(origin), host: new URL(origin).host });
      const { status, headers, json, text } = await open(url);
      assert.deepEqual([status, json], [201, { expires: noon + LIFE }]);
      assert.match(headers["set-cookie"][0], cookie);
      assert.equal(headers["set-cookie"].length, 1);
      assert.ok(!text.includes(headers["set-cookie"][0].split(/[=;]/)[1]));
      const safe = await open("https://box.example"); // as after a proxy that has ended TLS
      assert.match(safe.headers["set-cookie"][0], /^__Secure-edgelingua-(admin|owner)=.*; Secure$/);
      const plain = await open("http://box.example");
      assert.deepEqual([plain.status, plain.headers["set-cookie"]], [403, undefined]);
      assert.match(plain.message, /https.*127\.0\.0\.1/);
    }
  });

  test("a session is good for the page that has opened it, and for nothing else", async () => {
    const { key } = await make("anna");
    const { key: other } = await make("bert");
    const cookie = await signIn("/admin/api", ADMIN_KEY);
    const own = await signIn("/u/anna/api", key);
    const evil = "http://evil.example";
    const { origin, ...reading } = browser(url);
    const endpoints = "/admin/api/endpoints";
    const made = { name: "evil", upstreams: [{ name: "up", protocol: "chat", url: "http://127.0.0.1:1" }] };
    for (const [what, status, method, path, headers, body] of [
      ["the page reads", 200, "GET", endpoints, { cookie, ...reading }],
      ["the page writes", 200, "PATCH", `${endpoints}/anna`, { cookie, ...browser(url) }, {}],
      ["the owner's page reads", 200, "GET", "/u/anna/api", { cookie: own, ...reading }],
      ["without the page's header", 401, "GET", endpoints, { cookie }],
      ["without the page's header", 401, "POST", endpoints, { cookie, origin }, made],
      ["without an origin", 401, "POST", endpoints, { cookie, ...reading }, made],
      [
        "with another secret of the page",
        401,
        "GET",
        endpoints,
        { cookie, ...reading, "x-edgelingua-page": `${url} guessed` },
      ],
      [
        "without a secret of the page",
        401,
        "GET",
        endpoints,
        { cookie, ...reading, "x-edgelingua-page": url },
      ],
      ["from another site", 403, "POST", endpoints, { cookie, ...browser(evil) }, made],
      ...[
        "/admin/api/models",
        "/admin/api/test",
        `${endpoints}/anna/models`,
        `${endpoints}/anna/test`,
      ].flatMap((path) => [
        [
          `${path} from another site`,
          403,
          "POST",
          path,
          { cookie, ...browser(evil) },
          { draft: { upstreams: made.upstreams } },
        ],
        [
          `${path} without the page's header`,
          401,
          "POST",
          path,
          { cookie, origin },
          { draft: { upstreams: made.upstreams } },
        ],
        [
          `${path} by an owner`,
          401,
          "POST",
          path,
          { cookie: own.replace("owner", "admin"), ...browser(url) },
          { draft: { upstreams: made.upstreams } },
        ],
      ]),
      ["from another port", 403, "POST", endpoints, { cookie, ...browser("http://127.0.0.1:1") }, made],
      [
        "from a document without an origin",
        403,
        "POST",
        endpoints,
        { cookie, ...browser(url), origin: "null" },
        made,
      ],
      ...["cross-site", "same-site", "none"].flatMap((site) => [
        [`sec-fetch-site: ${site}`, 403, "GET", endpoints, { cookie, ...reading, "sec-fetch-site": site }],
        [
          `sec-fetch-site: ${site}, with a key`,
          403,
          "GET",
          endpoints,
          { ...bearer(ADMIN_KEY), "sec-fetch-site": site },
        ],
        [
          `sec-fetch-site: ${site}, with an owner's key`,
          403,
          "POST",
          "/u/anna/api/rotate",
          { ...bearer(key), "sec-fetch-site": site },
        ],
        [
          `sec-fetch-site: ${site}, to sign in`,
          403,
          "POST",
          "/admin/api/session",
          { ...bearer(ADMIN_KEY), ...browser(url), "sec-fetch-site": site },
        ],
      ]),
      [
        "DNS rebinding reads",
        401,
        "GET",
        endpoints,
        { cookie, ...reading, "x-edgelingua-page": `${evil} ${SECRET}`, host: "evil.example" },
      ],
      [
        "DNS rebinding writes",
        401,
        "POST",
        endpoints,
        { cookie, ...browser(evil), host: "evil.example" },
        made,
      ],
      [
        "DNS rebinding signs in",
        403,
        "POST",
        "/admin/api/session",
        { ...bearer(ADMIN_KEY), ...browser(evil), host: "evil.example" },
      ],
      [
        "https in place of http",
        401,
        "GET",
        endpoints,
        {
          cookie: `__Secure-${cookie}`,
          ...reading,
          "x-edgelingua-page": `${url.replace("http", "https")} ${SECRET}`,
        },
      ],
      ["a program opens no session", 403, "POST", "/admin/api/session", bearer(ADMIN_KEY)],
      ["a session opens no other one", 401, "POST", "/admin/api/session", { cookie, ...browser(url) }],
      ["the deployment's API", 401, "POST", "/v1/messages", { cookie, ...browser(url) }, {}],
      ["an endpoint's API", 401, "POST", "/u/anna/v1/messages", { cookie: own, ...browser(url) }, {}],
      ["the token as a key", 401, "POST", "/u/anna/v1/messages", { "x-api-key": own.split("=")[1] }, {}],
      ["the token in a path", 401, "GET", `/k/${own.split("=")[1]}/v1/models`, { cookie: own, ...reading }],
      ["the token as ADMIN_KEY", 401, "GET", endpoints, bearer(cookie.split("=")[1])],
      ["the operator at an endpoint", 401, "GET", "/u/anna/api", { cookie, ...reading }],
      [
        "the operator's token as an owner's",
        401,
        "GET",
        "/u/anna/api",
        { cookie: cookie.replace("admin", "owner"), ...reading },
      ],
      [
        "an owner at the Admin API",
        401,
        "GET",
        endpoints,
        { cookie: own.replace("owner", "admin"), ...reading },
      ],
      ["an owner at another endpoint", 401, "GET", "/u/bert/api", { cookie: own, ...reading }],
      [
        "an owner rotates another endpoint's key",
        401,
        "POST",
        "/u/bert/api/rotate",
        { cookie: own, ...browser(url) },
      ],
    ]) {
      const got = await call(method, path, headers, { body });
      assert.equal(got.status, status, `${what}: ${got.text}`);
      assert.equal(got.headers["access-control-allow-origin"], undefined);
    }
    assert.equal((await admin("GET", "/endpoints/evil")).status, 404);
    for (const [name, good] of [
      ["anna", key],
      ["bert", other],
    ])
      assert.equal((await call("GET", `/u/${name}/api`, bearer(good))).status, 200);
  });

  test("a session ends", async () => {
    const { origin, ...reading } = browser(url);
    const reads = async (path, cookie, at) =>
      (await call("GET", path, { cookie, ...reading }, { at })).status;
    const list = "/admin/api/endpoints";
    const cookie = await signIn("/admin/api", ADMIN_KEY);
    assert.equal(await reads(list, cookie, noon + LIFE - 1), 200);
    assert.equal(await reads(list, cookie, noon + LIFE), 401);
    assert.equal(await reads(list, cookie), 200);
    assert.equal(
      (await call("DELETE", "/admin/api/session", { cookie, ...reading })).status,
      401,
      "not without an origin",
    );
    assert.equal(await reads(list, cookie), 200);
    const out = await call("DELETE", "/admin/api/session", { cookie, ...browser(url) });
    assert.equal(out.status, 204);
    assert.equal(
      out.headers["set-cookie"][0],
      "edgelingua-admin=; Path=/admin; Max-Age=0; HttpOnly; SameSite=Strict",
    );
    assert.equal(await reads(list, cookie), 401);

    for (const [what, end, back] of [
      ["its key is revoked", async ({ keys: [{ id }] }) => admin("DELETE", `/endpoints/anna/keys/${id}`)],
      ["its key is replaced", async ({ key }) => call("POST", "/u/anna/api/rotate", bearer(key))],
      ["the endpoint is disabled", async () => admin("PATCH", "/endpoints/anna", { disabled: true }), 403],
      ["the endpoint is deleted", async () => admin("DELETE", "/endpoints/anna")],
      ["the endpoint is made anew", async () => make("anna")],
    ]) {
      const anna = await make("anna");
      const own = await signIn("/u/anna/api", anna.key);
      assert.equal(await reads("/u/anna/api", own), 200);
      await end(anna);
      assert.equal(await reads("/u/anna/api", own), back ?? 401, what);
    }
  });

  test("another ADMIN_KEY ends the operator's sessions", async (t) => {
    const origin = "http://127.0.0.1:1"; // the same origin for both workers
    const cookie = await signIn("/admin/api", ADMIN_KEY, { origin });
    const { origin: _, ...reading } = browser(origin, { host: "127.0.0.1:1" });
    const kept = await rows("SELECT * FROM session");
    for (const [key, status] of [
      [ADMIN_KEY, 200],
      [`${ADMIN_KEY}2`, 401],
    ]) {
      const next = await start({ ...config, ADMIN_KEY: key }, { faults: true, state: true });
      t.after(() => next.close());
      await call("GET", "/admin/api/endpoints", bearer("wrong"), { to: next.url }); // creates the tables
      await stateAt(next.url).batch(
        "sessions",
        ...kept.map((row) => [`INSERT INTO session VALUES (${row.map(() => "?")})`, ...row]),
      );
      assert.equal(
        (await call("GET", "/admin/api/endpoints", { cookie, ...reading }, { to: next.url })).status,
        status,
      );
    }
  });

  test("who has no key opens no session and leaves nothing", async () => {
    await make("anna");
    const before = await rows("SELECT * FROM session");
    const cookie = `edgelingua-owner=${"x".repeat(43)}`;
    for (const name of ["anna", "nobody", "x".repeat(40)]) {
      for (const key of ["", "wrong", keyOf(name), ADMIN_KEY]) {
        const got = await call("POST", `/u/${name}/api/session`, {
          ...(key && bearer(key)),
          cookie,
          ...browser(url),
        });
        assert.deepEqual([got.status, got.cookie], [401, undefined]);
        assert.equal((await call("GET", `/u/${name}/api`, { cookie, ...browser(url) })).status, 401);
      }
      assert.deepEqual(
        (await call("GET", `/u/${name}/api/session`, browser(url))).json,
        { expires: null },
        "which says nothing about the name",
      );
    }
    assert.equal(
      (
        await call("DELETE", "/admin/api/session", {
          cookie: cookie.replace("owner", "admin"),
          ...browser(url),
        })
      ).status,
      204,
    );
    assert.deepEqual(await rows("SELECT * FROM session"), before);
  });

  // from returns the header that tells the worker a client's address. Cloudflare sets the header. No
  // Cloudflare is before the workerd of the tests, so the test sets the header. The local host
  // replaces it by the client's address.
  const from = (address) => ({ "cf-connecting-ip": address });
  const guess = (n, at, address = "192.0.2.1") =>
    Promise.all(
      Array.from({ length: n }, (_, i) =>
        call(
          "GET",
          "/admin/api/endpoints",
          { ...bearer(`guess-${i}`), ...from(TARGET === "wazero" ? `192.0.2.${i}` : address) },
          { at },
        ).then(({ status }) => status),
      ),
    );
  const counts = (statuses) => [401, 429].map((status) => statuses.filter((s) => s === status).length);

  test("a neighbour's wrong keys are refused, and the right key is always looked at", async () => {
    const at = noon + 100_000; // a minute without attempts by anybody else
    const { origin, ...reading } = browser(url);
    const cookie = await signIn("/admin/api", ADMIN_KEY, { at });
    assert.deepEqual(counts(await guess(50, at)), [10, 40], "at once");
    const neighbour = from("192.0.2.1");
    const refused = await call(
      "GET",
      "/admin/api/endpoints",
      { ...bearer("guess"), ...neighbour },
      { at: at + 20 },
    );
    assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "40"]);
    assert.match(refused.message, /40 seconds/);
    const paths = ["/admin/api/endpoints", ...(TARGET === "wazero" ? ["/metrics"] : [])];
    for (const path of paths) {
      const right = await Promise.all(
        Array.from({ length: 15 }, () =>
          call("GET", path, { ...bearer(ADMIN_KEY), ...neighbour }, { at: at + 20 }),
        ),
      );
      assert.deepEqual(
        right.map(({ status }) => status),
        Array(15).fill(200),
        path,
      );
    }
    const opened = await call(
      "POST",
      "/admin/api/session",
      { ...bearer(ADMIN_KEY), ...browser(url), ...neighbour },
      { at: at + 20 },
    );
    assert.equal(opened.status, 201);
    for (let i = 0; i < 3; i++)
      assert.equal(
        (await call("GET", "/admin/api/endpoints", { cookie, ...reading, ...neighbour }, { at: at + 20 }))
          .status,
        200,
      );
    assert.equal(
      (await call("GET", "/u/anna/api", { ...bearer("el_anna_wrong"), ...neighbour }, { at: at + 20 }))
        .status,
      401,
      "owners' keys can't be guessed",
    );
    assert.equal(
      (await call("GET", "/admin/api/endpoints", { ...bearer("guess"), ...neighbour }, { at: at + 60 }))
        .status,
      401,
    );
    assert.equal(
      (await call("GET", "/admin/api/endpoints", {}, { at: at + 20 })).status,
      401,
      "no key is no attempt",
    );
  });

  test(
    "of all addresses a hundred wrong keys are counted in a minute",
    { skip: TARGET === "wazero" && "there all tests have one address" },
    async () => {
      const at = noon + 200_000;
      for (let i = 0; i < 10; i++)
        assert.deepEqual(counts(await guess(11, at, `2001:db8:0:${i}::${i}`)), [10, 1]);
      assert.deepEqual(counts(await guess(3, at, "192.0.2.9")), [0, 3]);
      for (const address of ["192.0.2.9", "2001:db8:0:1::a"]) {
        const headers = { ...bearer(ADMIN_KEY), ...from(address) };
        assert.equal((await call("GET", "/admin/api/endpoints", headers, { at })).status, 200, address);
      }
      const count = await rows("SELECT count(*), sum(wrong) FROM session_wrong");
      assert.deepEqual(count, [[11, 200]], "what is refused writes nothing");
    },
  );

  test(
    "only a trusted proxy names the client's address",
    { skip: TARGET === "workerd" && "TRUSTED_PROXIES is the local host's" },
    async (t) => {
      const trusting = await start({ ...config, TRUSTED_PROXIES: "127.0.0.1, ::1" }, { faults: true });
      t.after(() => trusting.close());
      const wrong = async (to, at, address) => {
        const headers = { ...bearer("guess"), "x-forwarded-for": `203.0.113.5, ${address}` };
        return (await call("GET", "/admin/api/endpoints", headers, { at, to })).status;
      };
      const repeated = async (to, n, at, address) => {
        const statuses = [];
        for (let i = 0; i < n; i++) statuses.push(await wrong(to, at, address));
        return counts(statuses);
      };
      const at = noon + 400_000;
      assert.deepEqual(await repeated(trusting.url, 12, at, "198.51.100.1"), [10, 2]);
      assert.deepEqual(await repeated(trusting.url, 12, at, "198.51.100.2"), [10, 2], "another client");
      assert.deepEqual(await repeated(url, 12, at, "198.51.100.1"), [10, 2]);
      assert.deepEqual(await repeated(url, 1, at, "198.51.100.2"), [0, 1], "nobody is trusted by default");
    },
  );

  test("nothing of a session is logged, or kept in the clear", async () => {
    const { key } = await make("anna");
    const at = noon + 300_000;
    const cookies = [await signIn("/admin/api", ADMIN_KEY, { at }), await signIn("/u/anna/api", key, { at })];
    for (const cookie of cookies)
      await call("GET", "/admin/api/endpoints", { cookie, ...browser(url) }, { at });
    const kept = await rows("SELECT * FROM session");
    const log = JSON.stringify([target.log, target.lines.all]);
    const tokens = cookies.map((cookie) => cookie.split("=")[1]);
    for (const secret of [...tokens, ...kept.map(([id]) => id), SECRET]) assert.ok(!log.includes(secret));
    for (const secret of [
      ...tokens,
      ADMIN_KEY,
      hashOf(ADMIN_KEY),
      createHash("sha256").update(ADMIN_KEY).digest("hex"),
      key,
      SECRET,
    ])
      assert.ok(!JSON.stringify(kept).includes(secret));
  });

  test(
    "without the objects a key still works, and no session is opened",
    { skip: TARGET === "wazero" && "the wazero host always has them" },
    async (t) => {
      const bare = await start(config, { state: "kv" });
      t.after(() => bare.close());
      const to = bare.url;
      assert.equal((await call("GET", "/admin/api/endpoints", bearer(ADMIN_KEY), { to })).status, 200);
      assert.equal((await call("GET", "/admin/api/endpoints", bearer("wrong"), { to })).status, 401);
      const refused = await call(
        "POST",
        "/admin/api/session",
        { ...bearer(ADMIN_KEY), ...browser(to) },
        { to },
      );
      assert.equal(refused.status, 500);
      assert.match(
        refused.message,
        /No session can be kept\. There is no binding ENDPOINT_STATE\. Add to wrangler\.toml: /,
      );
    },
  );
});

describe("Sites", () => {
  const f = pages();

  test("a browser keeps no key", async () => {
    const { key } = await f.make("anna");
    const kept = (page) =>
      page.evaluate(() =>
        JSON.stringify([
          { ...sessionStorage },
          { ...localStorage },
          document.cookie,
          history.state,
          name,
          location.href,
        ]),
      );
    const page = await f.operate();
    const own = await f.own("anna", key);
    for (const p of [page, own]) {
      const text = await kept(p);
      assert.ok(!text.includes(ADMIN_KEY) && !text.includes(key), text);
      assert.equal(JSON.parse(text)[2], "");
      for (const { value, httpOnly, sameSite } of await p.context().cookies()) {
        assert.ok(value.length === 43 && ![ADMIN_KEY, key].includes(value));
        assert.deepEqual([httpOnly, sameSite], [true, "Strict"]);
        assert.ok(!text.includes(value));
      }
    }
    assert.deepEqual(
      (await page.context().cookies()).map(({ name, path }) => [name, path]),
      [["edgelingua-admin", "/admin"]],
    );
    assert.deepEqual(
      (await own.context().cookies()).map(({ name, path }) => [name, path]),
      [["edgelingua-owner", "/u/anna/"]],
    );
  });

  // Each attack is run by a page of another site, and by a page of another port of the same host:
  // browsers send cookies to all ports of a host.
  const tries = {
    "a form": (url) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", enctype: "text/plain", action: `${url}/admin/api/endpoints` });
      const field = document.createElement("input");
      Object.assign(field, {
        name: '{"name":"evil","upstreams":[{"name":"up","protocol":"chat","url":"http://127.0.0.1:1"}],"key":{"label":"',
        value: '"}}',
      });
      form.append(field);
      document.body.append(form);
      setTimeout(() => form.submit()); // not before evaluate is done
    },
    "a form that signs out": (url) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "post", action: `${url}/admin/api/session` });
      document.body.append(form);
      setTimeout(() => form.submit());
    },
    "a link": (url) => void setTimeout(() => (location.href = `${url}/admin/api/endpoints`)),
    "fetch without CORS": (url) =>
      fetch(`${url}/admin/api/endpoints`, {
        method: "POST",
        mode: "no-cors",
        credentials: "include",
        body: JSON.stringify({
          name: "evil",
          upstreams: [{ name: "up", protocol: "chat", url: "http://127.0.0.1:1" }],
        }),
      }).then(({ type }) => type, String),
    "fetch with CORS": (url) =>
      fetch(`${url}/admin/api/endpoints`, { credentials: "include" }).then((r) => r.text(), String),
    "fetch with the page's header": (url) =>
      fetch(`${url}/admin/api/endpoints/anna`, {
        method: "DELETE",
        credentials: "include",
        headers: { "x-edgelingua-page": url },
      }).then((r) => r.text(), String),
    "an image and a script": (url) =>
      Promise.all(
        ["img", "script"].map(
          (tag) =>
            new Promise((resolve) => {
              const element = document.createElement(tag);
              element.onload = element.onerror = ({ type }) => resolve(type);
              element.src = `${url}/admin/api/endpoints`;
              document.body.append(element);
            }),
        ),
      ),
  };
  for (const host of ["localhost", "127.0.0.1"]) {
    test(`a page of ${host === "localhost" ? "another site" : "another port"}`, async (t) => {
      f.expected = [/./];
      const got = [];
      const server = http.createServer((request, response) => {
        if (request.url === "/admin") got.push(request.headers);
        response.setHeader("content-type", "text/html");
        response.end("<!doctype html><title>evil</title><body>");
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      t.after(() => (server.closeAllConnections(), server.close()));
      await f.make("anna");
      const page = await f.operate();
      const evil = await page.context().newPage();
      let answers;
      evil.on("response", (answer) => answer.url().startsWith(f.url) && answers.push(answer.status()));
      for (const [what, act] of Object.entries(tries)) {
        answers = [];
        await evil.goto(`http://${host}:${server.address().port}/admin`);
        const said = await evil.evaluate(act, f.url);
        if (what.startsWith("a form") || what === "a link")
          await evil.waitForURL(({ origin }) => origin === f.url);
        assert.doesNotMatch(JSON.stringify(said ?? ""), /anna/, what);
        assert.ok(
          answers.every((status) => status >= 400),
          `${what}: ${answers}`,
        );
      }
      assert.deepEqual(
        (await f.api("GET", "/endpoints")).endpoints.map(({ name }) => name),
        ["anna"],
      );
      await page.reload();
      await page.getByRole("link", { name: /^anna/ }).waitFor(); // the session continues

      // A server on another port gets the cookie, and the cookie is useless there.
      const { cookie } = got.at(-1);
      if (host === "localhost") return assert.equal(cookie, undefined);
      assert.match(cookie, /^edgelingua-admin=/);
      const headers = { cookie, origin: f.url, "x-edgelingua-page": f.url };
      assert.equal((await ask(f.url, { method: "GET", path: "/admin/api/endpoints", headers })).status, 401);
    });
  }
});
