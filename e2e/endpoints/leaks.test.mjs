// All output of the worker in a mix of requests: answers, log lines, requests to upstreams, and
// stored data. It must contain no secret, except an upstream's key in a header of requests to the
// same upstream, and a new key in the answer to its creation. The test is about the runtimes and
// their logs. worker/serve/leaks_test.go sends more requests.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { data, done, finish, plain, role, text } from "../lib/chat.mjs";
import { open } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { EVERY, pathOf, smallest, upstreams } from "../lib/turns.mjs";
import { stateAt } from "../lib/state.mjs";
import { start } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { until } from "../lib/waiting.mjs";
import { UPGRADE, connect } from "../lib/websocket.mjs";

const secrets = {
  ADMIN_KEY: "admin-key-that-stays-here",
  SEAL_KEY: Buffer.alloc(32, 3).toString("base64"),
  SEAL_KEY_PREVIOUS: Buffer.alloc(32, 4).toString("base64"),
  CLIENT_KEY: "client-key-that-stays-here",
  UPSTREAM_KEY: "upstream-key-of-the-deployment",
};
const keys = {
  a: "upstream-key-of-a-0123456789",
  b: "upstream-key-of-b-0123456789",
  c: "upstream-key-of-c-0123456789",
};
const told = {
  "x-team": "header-of-an-upstream-0123",
  "x-meta": '{"of":"an upstream"}',
  "x-proxy": "Token credential-of-a-proxy-0123",
};
const own = {
  "proxy-authorization": "Basic header-of-the-deployment",
  cookie: "session=cookie-of-the-deployment",
};
const wrong = "a-wrong-key-that-somebody-sent";

describe("no secret leaves", () => {
  const f = { said: [] }; // [where, text] of all output of the worker
  const all = new Map(
    Object.entries({ ...secrets, ...keys, ...told, credential: "credential-of-a-proxy-0123", ...own, wrong }),
  ); // description -> secret
  let target;
  before(async () => {
    f.own = await upstream();
    for (const name of Object.keys(keys)) f[name] = await upstream();
    target = await start(
      {
        ...secrets,
        UPSTREAM_PROTOCOL: "chat",
        UPSTREAM_URL: f.own.url,
        ALLOW_HTTP_UPSTREAM: "true",
        UPSTREAM_OPTIONS: JSON.stringify({ headers: own }),
      },
      { faults: true, state: true },
    );
  });
  after(async () => {
    await target?.close();
    for (const name of ["own", ...Object.keys(keys)]) await f[name]?.close();
  });

  // send sends a request and records the answer. made names the new key in the answer, which counts
  // as a secret from then on.
  async function send(method, path, key, body, { made, headers = {} } = {}) {
    const reply = await open(target.url, {
      method,
      path,
      body,
      headers: { ...(key && { authorization: `Bearer ${key}` }), ...headers },
    }).reply;
    let text = "";
    for await (const part of reply.body) text += part;
    const shown = made ? JSON.parse(text).key : undefined;
    assert.equal(made ? typeof shown : "string", "string", text);
    if (shown) all.set(`${made}, which ${method} ${path} made`, shown);
    const what = `the answer to ${method} ${path}`;
    f.said.push([what, JSON.stringify(reply.headers)], [what, shown ? text.replace(shown, "") : text]);
    return { status: reply.status, text, key: shown };
  }

  // converse sends two frames on a WebSocket and records the answers.
  async function converse(path, headers, model) {
    const c = await connect(target.url, { path, headers });
    const frames = [c.headers];
    for (const input of ["one", "two"]) {
      c.send({ model, input });
      frames.push(...(await c.events()));
    }
    f.said.push([`the frames at ${path}`, JSON.stringify(frames)]);
    await c.close();
  }

  // echo returns an upstream that answers with an error, and repeats the request's headers in the
  // error.
  const echo = (status) => (x) =>
    x.answer(status, { error: { type: "invalid_request_error", message: `No: ${said(x)} for ${x.path}` } });
  const said = ({ headers }) =>
    [
      headers.authorization ?? headers["x-api-key"],
      ...Object.keys({ ...own, ...told }).map((name) => headers[name]),
    ].join(", ");
  const says = (protocol) => (x) =>
    x.method === "GET"
      ? x.answer(200, { data: [] })
      : upstreams[protocol].play(x, { text: "Hi", calls: [], usage: { input: 1, cached: 0, output: 1 } });

  test("in a mix of requests", async () => {
    const admin = secrets.ADMIN_KEY;
    const one = "/admin/api/endpoints/anna";
    const list = [
      { name: "a", protocol: "chat", url: f.a.url, key: keys.a, headers: told, models: ["a-*", "both"] },
      {
        name: "b",
        protocol: "anthropic",
        url: f.b.url.replace(/\/v1$/, ""),
        key: keys.b,
        headers: told,
        models: ["b-*", "both"],
      },
      {
        name: "c",
        protocol: "responses",
        url: f.c.url,
        key: keys.c,
        options: { headers: told },
        models: ["c-*"],
      },
    ];
    let { key } = await send(
      "POST",
      "/admin/api/endpoints",
      admin,
      { name: "anna", upstreams: list },
      { made: "a key" },
    );
    await send("GET", one, admin);
    await send("GET", "/admin/api/endpoints", admin);
    await send("PATCH", one, admin, { upstreams: list });
    await send("PATCH", one, admin, {
      upstreams: [{ name: "a", protocol: "chat", url: "no url", key: keys.a }],
    });
    await send("POST", one, wrong, {});
    await send("POST", `${one}/keys`, admin, { label: "phone" }, { made: "another key" });
    await send("GET", "/u/anna/api", key);
    const { key: rotated } = await send("POST", "/u/anna/api/rotate", key, {}, { made: "the owner's key" });
    assert.equal((await send("GET", "/u/anna/api", key)).status, 401);
    ({ key } = await send("POST", `${one}/rotate`, admin, { grace: 0 }, { made: "the last key" }));
    assert.equal((await send("GET", "/u/anna/api", rotated)).status, 401);

    const ups = { a: "chat", b: "anthropic", c: "responses" };
    for (const [name, protocol] of Object.entries(ups)) {
      for (const upstream of [says(protocol), echo(401)]) {
        f[name].serve(upstream);
        await send("POST", `${one}/test`, admin, { upstream: name });
        for (const client of EVERY) {
          for (const path of ["/u/anna", `/k/${key}`])
            await send(
              "POST",
              path + pathOf(client, { model: `${name}-x`, stream: true }),
              path === "/u/anna" && key,
              smallest[client]({ model: `${name}-x`, stream: true }),
            );
          await send(
            "POST",
            "/u/anna" + pathOf(client, { model: `${name}-x` }),
            wrong,
            smallest[client]({ model: `${name}-x` }),
          );
        }
        await converse("/u/anna/v1/responses", { authorization: `Bearer ${key}` }, `${name}-x`);
        await converse(`/k/${key}/v1/responses`, {}, `${name}-x`);
        await send("GET", "/u/anna/v1/responses", wrong, undefined, { headers: UPGRADE });
        await send(
          "POST",
          `/k/${key}/v1/messages/count_tokens`,
          "",
          smallest.anthropic({ model: `${name}-x` }),
        );
        await send("GET", `/u/anna/v1/models/${name}-x`, key);
      }
    }
    await send("GET", `/k/${key}/v1/models?key=${key}`, "");
    await send("GET", `/k/${key}/nothing`, "");
    await send("PUT", `/k/${key}/v1/messages`, "");
    f.a.serve((x) => x.stream([role, text("some"), data({ error: { message: `No: ${said(x)}` } })]));
    await send("POST", "/u/anna/v1/messages", key, smallest.anthropic({ model: "a-x", stream: true }));
    f.a.serve((x) => x.stream([role, text("some"), text("more"), finish("stop"), done]));
    for (const at of ["before", "after", "export"]) {
      await send("POST", `/k/${key}/v1/messages`, "", smallest.anthropic({ model: "a-x", stream: true }), {
        headers: { "x-test-panic": at },
      });
    }
    for (const upstream of [(x) => x.answer(200, plain({ content: "Hi" })), echo(401)]) {
      f.own.serve(upstream);
      for (const client of EVERY) await send("POST", pathOf(client), secrets.CLIENT_KEY, smallest[client]());
      for (const client of EVERY) await send("POST", pathOf(client), wrong, smallest[client]());
    }

    for (const [name, field, value] of [
      ["own", "authorization", `Bearer ${secrets.UPSTREAM_KEY}`],
      ["a", "authorization", `Bearer ${keys.a}`],
      ["b", "x-api-key", keys.b],
      ["c", "authorization", `Bearer ${keys.c}`],
    ]) {
      assert.ok(f[name].requests.length > 2);
      for (const { method, path, headers, body } of f[name].requests) {
        const {
          [field]: credential,
          "x-team": team,
          "x-meta": meta,
          "x-proxy": proxy,
          "proxy-authorization": basic,
          cookie,
          ...rest
        } = headers;
        assert.equal(credential, value);
        if (name === "own") assert.deepEqual({ "proxy-authorization": basic, cookie }, own);
        else assert.deepEqual({ "x-team": team, "x-meta": meta, "x-proxy": proxy }, told);
        f.said.push([`a request to ${name}`, `${method} ${path} ${JSON.stringify(rest)} ${body}`]);
      }
    }
    const state = stateAt(target.url);
    const { keys: stored } = await state.list({});
    assert.deepEqual(
      stored.map(({ name }) => name),
      ["endpoint:anna"],
    );
    f.said.push(["the store", JSON.stringify(stored) + (await state.get("endpoint:anna")).value]);
    assert.match(f.said.at(-1)[1], /"key":"v1\./);
    await until(() => target.lines.all.length > 80); // the last lines may not have arrived yet
    f.said.push(
      ["the log", JSON.stringify(target.log)],
      ...target.lines.all.map((line) => ["the log's lines", line]),
    );

    // shown reports whether a header may appear at a position: the store has headers in plain text,
    // and the Admin API shows them.
    const shown = (what, where) =>
      (what in told || what === "credential") &&
      /^the store$|\/admin\/api\/endpoints(\/anna(\/keys|\/rotate)?)?$/.test(where);
    for (const [what, secret] of all) {
      for (const form of [
        secret,
        encodeURIComponent(secret),
        Buffer.from(secret).toString("base64"),
        JSON.stringify(secret).slice(1, -1),
      ]) {
        for (const [where, text] of f.said)
          assert.ok(
            !text.includes(form) || shown(what, where),
            `${where} has ${what}: ${text.slice(0, 2000)}`,
          );
      }
    }
  });
});
