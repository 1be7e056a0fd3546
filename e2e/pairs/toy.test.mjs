// A fourth protocol, in the module of the tests only: translator/toy. Its paths have the model and
// the choice of streaming, and the query has the key. No code outside the folder knows the
// protocol.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { answer } from "../lib/chat.mjs";
import { ask, CLIENT_KEY, params, sdk, streamed, UPSTREAM_KEY } from "../lib/client.mjs";
import { defaults, fixture, test } from "../lib/fixture.mjs";
import { start, TARGET } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";

const turns = { turns: [{ who: "user", say: "Hi" }] };
const parts = [{ id: "a1" }, { say: "o" }, { say: "k" }, { end: "done", in: 3, out: 2 }];
const framed = parts.map((part) => `data: ${JSON.stringify(part)}\n\n`);
const said = (list) => list.map(({ say = "" }) => say).join("");
const toy = (url, { key = CLIENT_KEY, what = "say", model = "m-1" } = {}) =>
  ask(url, { path: `/toy/${model}:${what}?key=${key}&x=1`, headers: {}, body: turns });

describe("a client of a protocol in one folder", () => {
  const f = fixture({}, { faults: true });

  test("plain", async () => {
    f.up.serve((x) => answer(x));
    const { status, text } = await toy(f.url);
    assert.equal(status, 200, text);
    assert.equal(said(JSON.parse(text).parts), "ok");
    assert.equal(f.up.requests[0].path, "/v1/chat/completions");
    assert.equal(f.up.requests[0].json.model, "m-1");
    assert.ok(!f.up.requests[0].json.stream);
  });

  test("streamed", async () => {
    f.up.serve((x) => answer(x));
    const { status, text } = await toy(f.url, { what: "stream" });
    assert.equal(status, 200, text);
    assert.equal(
      said(
        text
          .trim()
          .split("\n\n")
          .map((event) => JSON.parse(event.replace("data: ", ""))),
      ),
      "ok",
    );
    assert.equal(f.up.requests[0].json.stream, true);
  });

  test("errors are in its dialect", async () => {
    for (const reply of [
      await toy(f.url, { key: "wrong" }),
      await ask(f.url, { path: "/nothing", headers: { "x-toy-key": "x" }, body: {} }),
    ]) {
      assert.deepEqual(Object.keys(JSON.parse(reply.text)), ["wrong"], reply.text);
      assert.ok(reply.status >= 400);
    }
    // if the program has trapped, the local host itself answers, and does not know toy
    if (TARGET === "wazero") return;
    const trapped = await ask(f.url, {
      path: "/u/anna/toy/m:say",
      headers: { "x-test-panic": "before" },
      body: turns,
    });
    assert.equal(trapped.status, 500);
    assert.deepEqual(Object.keys(JSON.parse(trapped.text)), ["wrong"]);
  });
});

test("lists of models are read and written in its form", async () => {
  const up = await upstream();
  const target = await start({ ...defaults(up.url), UPSTREAM_PROTOCOL: "toy" }, { faults: true });
  const chat = await start(defaults(up.url), { faults: true });
  try {
    up.serve((x) =>
      x.answer(
        200,
        x.path.endsWith("/toy") ? { names: ["m-1", "m-2"] } : { object: "list", data: [{ id: "m-3" }] },
      ),
    );
    const list = async (url, path, headers) =>
      JSON.parse((await ask(url, { method: "GET", path, headers })).text);
    const { data } = await list(target.url, "/v1/models", { authorization: `Bearer ${CLIENT_KEY}` });
    assert.deepEqual(
      data.map(({ id }) => id),
      ["m-1", "m-2"],
    );
    assert.deepEqual(await list(chat.url, `/toy?key=${CLIENT_KEY}`), { names: ["m-3"] });
    assert.deepEqual(await list(target.url, "/toy", { "x-toy-key": CLIENT_KEY }), { names: ["m-1", "m-2"] });
  } finally {
    await Promise.all([target.close(), chat.close()]);
    await up.close();
  }
});

describe("an upstream of a protocol in one folder", () => {
  const f = fixture(
    { UPSTREAM_PROTOCOL: "toy", MODELS: '{"claude-*":"m-2","odd":"../m?x"}' },
    { faults: true },
  );
  const serve = () =>
    f.up.serve((x) => (x.path.includes(":stream") ? x.stream(framed) : x.answer(200, { parts })));

  test("plain and streamed", async () => {
    serve();
    assert.equal((await sdk(f.url).messages.create(params())).content[0].text, "ok");
    assert.equal((await streamed(sdk(f.url), params())).content[0].text, "ok");
    assert.deepEqual(
      f.up.requests.map(({ path }) => path),
      ["/v1/toy/m-2:say", "/v1/toy/m-2:stream"],
    );
    assert.equal(f.up.requests[0].headers["x-toy-key"], UPSTREAM_KEY);
    assert.ok(!f.up.requests[0].headers.authorization);
  });

  test("a model's name leads to no other path", async () => {
    serve();
    assert.equal((await sdk(f.url).messages.create(params({ model: "odd" }))).content[0].text, "ok");
    assert.equal(f.up.requests[0].path, "/v1/toy/..%2Fm%3Fx:say");
  });

  test("a client of its own: bytes pass, with the model in the path, and the client's key does not", async () => {
    serve();
    for (const what of ["say", "stream"]) {
      const { status, text } = await toy(f.url, { what, model: "claude-x" });
      assert.equal(status, 200, text);
      assert.equal(text, what === "say" ? JSON.stringify({ parts }) : framed.join(""));
    }
    assert.deepEqual(
      f.up.requests.map(({ path }) => path),
      ["/v1/toy/m-2:say?x=1", "/v1/toy/m-2:stream?x=1"],
    );
    assert.ok(
      !JSON.stringify(f.up.requests.map(({ path, headers }) => [path, headers])).includes(CLIENT_KEY),
    );
  });
});
