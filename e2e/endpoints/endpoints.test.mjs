// Personal endpoints: which request goes where, with which key, and what happens when an upstream fails.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { answer, done, finish, plain, play, role, text, textStream, usage } from "../lib/chat.mjs";
import { open, params } from "../lib/client.mjs";
import { enroll, hashOf, keyOf } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import * as messages from "../lib/messages.mjs";
import { fold, parse, reader } from "../lib/sse.mjs";
import { stateAt } from "../lib/state.mjs";
import { start } from "../lib/target.mjs";
import { unreachable, upstream } from "../lib/upstream.mjs";

const config = { ALLOW_HTTP_UPSTREAM: "true" };

// suite gives the surrounding suite two upstreams, a and b, and a worker that has none of its own.
function suite() {
  const f = {};
  let target;
  before(async () => {
    [f.a, f.b] = [await upstream(), await upstream()];
    target = await start(config, { faults: true, state: true });
    f.url = target.url;
    f.log = target.log;
  });
  beforeEach(() => {
    f.a.renew();
    f.b.renew();
  });
  after(async () => {
    await target?.close();
    await f.a?.close();
    await f.b?.close();
  });
  return f;
}

// ask sends one request and resolves with its whole answer.
async function ask(url, path, key, body = params(), headers = { "x-api-key": key }) {
  const reply = await open(url, { path, headers, body }).reply;
  let text = "";
  for await (const part of reply.body) text += part;
  return { ...reply, text, json: /json/.test(reply.headers["content-type"]) ? JSON.parse(text) : undefined };
}

// constant returns an answer's head without the headers that differ each time.
const constant = ({ date, "x-request-id": id, "request-id": again, "server-timing": timing, ...rest }) => rest;

const chat = (name, up, more) => ({ name, protocol: "chat", url: up.url, ...more });

describe("an endpoint of one's own", () => {
  const f = suite();

  for (const [name, path, headers] of [
    ["x-api-key", "/u/anna/v1/messages", (key) => ({ "x-api-key": key })],
    ["a bearer token", "/u/anna/v1/messages", (key) => ({ authorization: `Bearer ${key}` })],
    ["the path", "/k/KEY/v1/messages", () => ({})],
    ["the path, and another one for the vendor", "/k/KEY/v1/messages", () => ({ "x-api-key": "sk-ant-something" })],
  ]) {
    test(`a key in ${name}`, async () => {
      const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a)] });
      f.a.serve((x) => answer(x, "from a"));
      const got = await ask(f.url, path.replace("KEY", key), key, params(), headers(key));
      assert.equal(got.status, 200, got.text);
      assert.equal(got.json.content[0].text, "from a");
      const { headers: sent, path: at } = f.a.requests[0];
      assert.equal(at, "/v1/chat/completions");
      assert.equal(sent.authorization, undefined);
      assert.ok(!JSON.stringify(sent).includes(key));
    });
  }

  test("each route", async () => {
    const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a, { models: { opus: "big", "gpt-*": "small" } })] });
    const headers = { "x-api-key": key };
    const models = await ask(f.url, "/u/anna/v1/models", key, undefined, headers).then(() => open(f.url, { path: "/u/anna/v1/models", method: "GET", headers }).reply);
    assert.equal(models.status, 200);
    let list = "";
    for await (const part of models.body) list += part;
    assert.deepEqual(JSON.parse(list).data.map(({ id }) => id), ["opus"]);
    const count = await ask(f.url, "/u/anna/v1/messages/count_tokens", key, params({ model: "opus" }));
    assert.ok(count.json.input_tokens > 0);
    f.a.serve((x) => answer(x));
    for (const path of ["/v1/chat/completions", "/v1/responses"]) {
      const body = path.endsWith("responses") ? { model: "opus", input: "hi" } : { model: "opus", messages: [{ role: "user", content: "hi" }] };
      const got = await ask(f.url, "/u/anna" + path, key, body, { authorization: `Bearer ${key}` });
      assert.equal(got.status, 200, got.text);
      assert.equal(f.a.requests.at(-1).json.model, "big");
    }
    assert.equal((await ask(f.url, "/u/anna/v2/messages", key)).status, 404);
  });

  test("who has no key of it learns nothing", async () => {
    const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a)] });
    const other = await enroll(f.url, "bert", { upstreams: [chat("b", f.b)] });
    const answers = [];
    for (const [path, credential] of [
      ["/u/anna/v1/messages", keyOf("anna")],
      ["/u/anna/v1/messages", other],
      ["/u/anna/v1/messages", key.slice(0, -1)],
      ["/u/anna/v1/messages", hashOf(key)],
      ["/u/nobody/v1/messages", key],
      ["/u/nobody/v1/messages", keyOf("nobody")],
      ["/u/No%20body/v1/messages", key],
      ["/u//v1/messages", key],
      ["/k/" + keyOf("anna") + "/v1/messages", ""],
      ["/k/" + keyOf("nobody") + "/v1/messages", ""],
      ["/k/el_anna/v1/messages", ""],
    ]) {
      const got = await ask(f.url, path, credential, params(), credential ? { "x-api-key": credential } : {});
      assert.equal(got.status, 401);
      answers.push(JSON.stringify([got.text, constant(got.headers)]));
    }
    assert.equal(new Set(answers).size, 1, answers.join("\n"));
    await stateAt(f.url).put("endpoint:broken", '{"version":2}');
    for (const [method, path] of [["GET", "/v1/models"], ["GET", "/v1/models/m"], ["POST", "/v1/responses"], ["POST", "/v1/messages/count_tokens"], ["GET", "/api"], ["POST", "/api/rotate"], ["PUT", "/api"], ["GET", "/v1/messages"], ["GET", "/none"], ["GET", ""]]) {
      const all = new Set();
      const others = path.startsWith("/api") ? [] : ["/k/" + keyOf("anna"), "/k/" + keyOf("nobody")];
      for (const base of ["/u/anna", "/u/bert", "/u/nobody", "/u/broken", "/u/No", ...others]) {
        const reply = await open(f.url, { method, path: base + path, headers: { authorization: `Bearer ${keyOf("anna")}` }, body: method === "GET" ? undefined : "{}" }).reply;
        let text = "";
        for await (const part of reply.body) text += part;
        all.add(JSON.stringify([reply.status, text.replaceAll(base, ""), constant({ ...reply.headers, "content-length": undefined })]));
      }
      assert.equal(all.size, 1, [...all].join("\n"));
    }
    assert.equal(f.a.requests.length + f.b.requests.length, 0);
    assert.equal((await ask(f.url, "/u/anna/v1/messages", "", params(), {})).status, 401);
  });

  test("disabled, expired, replaced and removed keys", async () => {
    f.a.serve((x) => answer(x));
    const upstreams = [chat("a", f.a)];
    const key = keyOf("anna");
    const now = Math.floor(Date.now() / 1000);
    const hash = hashOf(key);
    for (const [record, status, words] of [
      [{ keys: [{ hash }] }, 200],
      [{ keys: [{ hash: hashOf("another") }, { hash, expires: now + 600 }] }, 200],
      [{ keys: [{ hash, expires: now - 1 }] }, 401, /expired/],
      [{ keys: [{ hash }], disabled: true }, 403, /disabled/],
      [{ keys: [{ hash: hashOf("another") }] }, 401, /Wrong key/],
      [{ keys: [] }, 401, /Wrong key/],
    ]) {
      await enroll(f.url, "anna", { upstreams, ...record });
      const got = await ask(f.url, "/u/anna/v1/messages", key);
      assert.equal(got.status, status, got.text);
      if (words) assert.match(got.json.error.message, words);
    }
    await stateAt(f.url).remove("endpoint:anna");
    assert.equal((await ask(f.url, "/u/anna/v1/messages", key)).status, 401);
  });

  test("auth forward sends the client's own key on", async () => {
    await enroll(f.url, "open", { auth: "forward", keys: [], upstreams: [chat("a", f.a)] });
    f.a.serve((x) => answer(x));
    const got = await ask(f.url, "/u/open/v1/messages", "sk-mine");
    assert.equal(got.status, 200, got.text);
    assert.equal(f.a.requests[0].headers.authorization, "Bearer sk-mine");
    assert.equal((await ask(f.url, "/u/open/v1/messages", "", params(), {})).status, 401);
    for (const headers of [{ "x-api-key": keyOf("open") }, { authorization: `Bearer ${keyOf("anna")}` }]) {
      const refused = await ask(f.url, "/u/open/v1/messages", "", params(), headers);
      assert.equal(refused.status, 401, "a key of an endpoint goes to no upstream");
      assert.match(refused.json.error.message, /takes the upstream's key/);
    }
    assert.equal(f.a.requests.length, 1);
  });

  test("a record that can't be read serves nobody", async () => {
    await stateAt(f.url).put("endpoint:anna", '{"version":2}');
    assert.equal((await ask(f.url, "/u/anna/v1/messages", keyOf("anna"))).status, 401);
  });

  test("the deployment's own endpoint stays beside it", async () => {
    const got = await ask(f.url, "/v1/messages", "any");
    assert.equal(got.status, 401);
    assert.match(got.json.error.message, /CLIENT_KEY/);
  });
});

describe("the model picks the upstream", () => {
  const f = suite();

  for (const [model, at, name] of [
    ["gpt-5", "a", "gpt-5"],
    ["opus", "b", "big"],
    ["b/opus", "b", "big"],
    ["b/gpt-5", "b", "gpt-5"],
    ["org/gpt-5", "a", "org/gpt-5"],
  ]) {
    test(`${model} goes to ${at} as ${name}`, async () => {
      const key = await enroll(f.url, "anna", {
        upstreams: [chat("a", f.a, { models: ["gpt-*", "org/*"] }), chat("b", f.b, { models: { opus: "big" } })],
      });
      for (const up of [f.a, f.b]) up.serve((x) => answer(x));
      const got = await ask(f.url, "/u/anna/v1/messages", key, params({ model }));
      assert.equal(got.status, 200, got.text);
      assert.deepEqual([f.a.requests.length, f.b.requests.length], at === "a" ? [1, 0] : [0, 1]);
      assert.equal(f[at].requests[0].json.model, name);
    });
  }

  test("none serves it", async () => {
    const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a, { models: ["gpt-*"] })] });
    const got = await ask(f.url, "/u/anna/v1/messages", key, params({ model: "claude" }));
    assert.equal(got.status, 404);
    assert.match(got.json.error.message, /No upstream of this endpoint serves the model claude/);
    assert.equal(f.a.requests.length, 0);
  });
});

describe("fallback", () => {
  const f = suite();
  const streaming = params({ stream: true });
  const overloaded = { error: { message: "too much to do", type: "server_error" } };

  for (const [name, fail] of [
    ["429", (x) => x.answer(429, overloaded)],
    ["500", (x) => x.answer(500, "")],
    ["529", (x) => x.answer(529, overloaded)],
    ["a lost connection", (x) => x.reset()],
  ]) {
    for (const body of [params(), streaming]) {
      for (const second of ["chat", "anthropic"]) {
        test(`${name}, ${body.stream ? "streamed" : "plain"}, then ${second}`, async () => {
          const next = second === "chat" ? chat("b", f.b) : { name: "b", protocol: "anthropic", url: f.b.url.replace(/\/v1$/, "") };
          const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a), next] });
          f.a.serve(fail);
          f.b.serve((x) => (second === "chat" ? play : messages.play)(x, { text: "from b", calls: [], usage: { input: 3, output: 2, cached: 0 } }));
          const got = await ask(f.url, "/u/anna/v1/messages", key, body);
          assert.equal(got.status, 200, got.text);
          const message = body.stream ? fold(parse(got.text)).message : got.json;
          assert.equal(message.content[0].text, "from b");
          assert.deepEqual([f.a.requests.length, f.b.requests.length], [1, 1]);
        });
      }
    }
  }

  for (const status of [400, 401, 403, 404, 413]) {
    test(`${status} is the client's`, async () => {
      const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a), chat("b", f.b)] });
      f.a.serve((x) => x.answer(status, { error: { message: "no", type: "invalid_request_error" } }));
      assert.equal((await ask(f.url, "/u/anna/v1/messages", key)).status, status);
      assert.equal(f.b.requests.length, 0);
    });
  }

  test("nobody listens, and no head within the timeout", async (t) => {
    const silent = await upstream(); // of this test alone: a request may reach it after its timeout
    t.after(() => silent.close());
    const key = await enroll(f.url, "anna", {
      upstreams: [{ name: "gone", protocol: "chat", url: await unreachable() }, chat("a", silent, { timeout: 0.05 }), chat("b", f.b)],
    });
    f.b.serve((x) => answer(x, "from b"));
    for (const body of [params(), streaming]) {
      const got = await ask(f.url, "/u/anna/v1/messages", key, body);
      assert.equal(got.status, 200, got.text);
      assert.match(got.text, /from b/);
    }
  });

  test("a count of tokens", async () => {
    const up = (name, { url }, more) => ({ name, protocol: "anthropic", url: url.replace(/\/v1$/, ""), ...more });
    const models = (m) => ({ models: { m } });
    const key = await enroll(f.url, "anna", { upstreams: [up("gone", { url: await unreachable() }), up("a", f.a, models("one")), up("b", f.b, models("two"))] });
    const count = () => ask(f.url, "/u/anna/v1/messages/count_tokens", key, params({ model: "m" }));
    f.a.serve((x) => x.answer(529, overloaded));
    f.b.serve((x) => x.answer(200, { input_tokens: 42 }));
    assert.deepEqual((await count()).json, { input_tokens: 42 });
    assert.deepEqual([f.a, f.b].map((up) => up.requests[0].json.model), ["one", "two"]);
    f.b.serve((x) => x.answer(429, overloaded));
    assert.equal((await count()).status, 429);
    await enroll(f.url, "estimated", { keys: [{ hash: hashOf(key) }], upstreams: [up("a", f.a), chat("b", f.b)] });
    const { json } = await ask(f.url, "/u/estimated/v1/messages/count_tokens", key);
    assert.ok(json.input_tokens > 0, JSON.stringify(json));
  });

  test("the last one's error is the answer", async () => {
    const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a), chat("b", f.b)] });
    f.a.serve((x) => x.answer(500, ""));
    f.b.serve((x) => x.answer(429, overloaded, { "content-type": "application/json", "retry-after": "7" }));
    const got = await ask(f.url, "/u/anna/v1/messages", key);
    assert.equal(got.status, 429);
    assert.equal(got.headers["retry-after"], "7");
  });

  test("its words name no variable of the deployment", async (t) => {
    const silent = await upstream(); // of this test alone: a request may reach it after its timeout
    t.after(() => silent.close());
    f.a.serve((x) => x.answer(307, "", { location: "http://127.0.0.1:9/" }));
    for (const [up, words] of [
      [{ name: "gone", protocol: "chat", url: await unreachable() }, /Check its base URL/],
      [chat("a", f.a), /Its base URL/],
      [chat("b", silent, { timeout: 0.05 }), /raise the upstream's timeout/],
    ]) {
      const key = await enroll(f.url, "anna", { upstreams: [up] });
      for (const path of ["/u/anna/v1/messages", "/u/anna/v1/chat/completions"]) {
        const { text } = await ask(f.url, path, key);
        assert.match(text, words);
        assert.doesNotMatch(text, /[A-Z]+_[A-Z]+/);
      }
    }
  });

  test("an upstream of the client's own protocol", async () => {
    const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a, { models: { m: "one" } }), chat("b", f.b, { models: { m: "two" } })] });
    f.a.serve((x) => x.answer(503, overloaded));
    f.b.serve((x) => x.answer(200, plain({ content: "from b" })));
    const got = await ask(f.url, "/u/anna/v1/chat/completions", key, { model: "m", unknown: 1, messages: [] });
    assert.deepEqual(got.json, plain({ content: "from b" }));
    assert.deepEqual([f.a, f.b].map((up) => up.requests[0].json), ["one", "two"].map((model) => ({ model, unknown: 1, messages: [] })));
  });

  test("not after the first event", async () => {
    const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a), chat("b", f.b)] });
    f.a.serve(async (x) => {
      x.head();
      await x.send(role);
      await x.send(text("begun"));
      x.reset();
    });
    const got = await ask(f.url, "/u/anna/v1/messages", key, streaming);
    const { error } = fold(parse(got.text));
    assert.ok(error, got.text);
    assert.equal(f.b.requests.length, 0);
  });

  // held starts a stream whose head reaches the client before the upstream has answered.
  async function held(upstreams) {
    const key = await enroll(f.url, "anna", { head_wait: 0.05, upstreams });
    const call = open(f.url, { path: "/u/anna/v1/messages", headers: { "x-api-key": key }, body: streaming });
    const { status, body } = await call.reply;
    assert.equal(status, 200);
    const events = reader(body);
    assert.deepEqual(await events.next(), { type: "ping" });
    return { call, events };
  }

  for (const [name, fail] of [
    ["500", (x) => x.answer(500, "")],
    ["lost connection", (x) => x.reset()],
  ]) {
    test(`a late ${name}`, async () => {
      const begun = held([chat("a", f.a), { name: "b", protocol: "anthropic", url: f.b.url.replace(/\/v1$/, "") }, chat("c", f.b)]);
      const first = await f.a.next();
      const { events } = await begun;
      await fail(first);
      await (await f.b.next()).answer(529, overloaded);
      const third = await f.b.next();
      assert.equal(third.path, "/v1/chat/completions");
      assert.deepEqual(await events.next(), { type: "ping" });
      await third.stream(textStream("from c"));
      const { message, error } = fold(await events.rest());
      assert.equal(error, null);
      assert.equal(message.content[0].text, "from c");
    });
  }

  test("a late error of the last one is an error event", async () => {
    const begun = held([chat("a", f.a), chat("b", f.b)]);
    const first = await f.a.next();
    const { events } = await begun;
    await first.answer(500, "");
    await (await f.b.next()).answer(429, overloaded);
    assert.equal(fold(await events.rest()).error?.type, "rate_limit_error");
  });

  test("a client that goes away between two", async () => {
    const begun = held([chat("a", f.a), chat("b", f.b)]);
    const first = await f.a.next();
    const { call } = await begun;
    await first.answer(500, "");
    const second = await f.b.next();
    call.abort();
    await second.gone;
  });
});

describe("two users at once", () => {
  const f = suite();

  test("never see each other's answers, models or errors", async () => {
    const users = [];
    for (const [name, up] of [["anna", f.a], ["bert", f.b]]) {
      const key = await enroll(f.url, name, { upstreams: [chat("main", up, { models: { m: `${name}-model` } })], options: { guidance: `guide ${name}` } });
      users.push({ name, up, key });
      up.serve(async (x) => {
        const { model, messages: said, stream } = x.json;
        assert.equal(model, `${name}-model`);
        const words = said.at(-1).content;
        if (/error/.test(words)) return x.answer(400, { error: { message: `${name} says no to ${words}`, type: "invalid_request_error" } });
        if (!stream) return x.answer(200, plain({ content: `${name} heard ${words}` }));
        return x.stream([role, text(`${name} `), text("heard "), text(words), finish("stop"), usage(), done]);
      });
    }
    await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        const { name, key } = users[i % 2];
        const kind = ["plain", "stream", "error"][i % 3];
        const words = `${kind} ${i}`;
        const body = params({ model: "m", stream: kind === "stream", messages: [{ role: "user", content: words }] });
        const got = await ask(f.url, `/u/${name}/v1/messages`, key, body);
        const other = users[(i + 1) % 2].name;
        assert.ok(!got.text.includes(other), got.text);
        if (kind === "error") assert.match(got.json.error.message, new RegExp(`${name} says no to ${words}$`));
        else {
          const message = kind === "stream" ? fold(parse(got.text)).message : got.json;
          assert.equal(message.content[0].text, `${name} heard ${words}`);
        }
      }),
    );
    for (const { name, up } of users) for (const x of up.requests) assert.ok(x.body.includes(`guide ${name}`));
  });
});
