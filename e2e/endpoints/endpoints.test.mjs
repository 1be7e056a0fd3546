// Personal endpoints, as far as a runtime is involved: keys, failing connections, and two users at
// the same time. The other tests are in worker/serve/personal_test.go and
// worker/serve/fallback_test.go.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { answer, done, finish, plain, role, text, textStream, usage } from "../lib/chat.mjs";
import { open, params } from "../lib/client.mjs";
import { enroll } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { fold, parse, reader } from "../lib/sse.mjs";
import { start } from "../lib/target.mjs";
import { unreachable, upstream } from "../lib/upstream.mjs";

const config = { ALLOW_HTTP_UPSTREAM: "true" };

// suite gives the surrounding suite two upstreams, a and b, and a worker without an upstream of the
// deployment.
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

// ask sends a request and resolves with the whole answer.
async function ask(url, path, key, body = params(), headers = { "x-api-key": key }) {
  const reply = await open(url, { path, headers, body }).reply;
  let text = "";
  for await (const part of reply.body) text += part;
  return { ...reply, text, json: /json/.test(reply.headers["content-type"]) ? JSON.parse(text) : undefined };
}

const chat = (name, up, more) => ({ name, protocol: "chat", url: up.url, ...more });

describe("an endpoint of one's own", () => {
  const f = suite();

  for (const [name, path, headers] of [
    ["x-api-key", "/u/anna/v1/messages", (key) => ({ "x-api-key": key })],
    ["the path", "/k/KEY/v1/messages", () => ({})],
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
});

describe("fallback", () => {
  const f = suite();
  const streaming = params({ stream: true });
  const overloaded = { error: { message: "too much to do", type: "server_error" } };

  for (const [name, fail] of [
    ["500", (x) => x.answer(500, "")],
    ["a lost connection", (x) => x.reset()],
  ]) {
    for (const body of [params(), streaming]) {
      test(`${name}, ${body.stream ? "streamed" : "plain"}`, async () => {
        const key = await enroll(f.url, "anna", { upstreams: [chat("a", f.a), chat("b", f.b)] });
        f.a.serve(fail);
        f.b.serve((x) => answer(x, "from b"));
        const got = await ask(f.url, "/u/anna/v1/messages", key, body);
        assert.equal(got.status, 200, got.text);
        const message = body.stream ? fold(parse(got.text)).message : got.json;
        assert.equal(message.content[0].text, "from b");
        assert.deepEqual([f.a.requests.length, f.b.requests.length], [1, 1]);
      });
    }
  }

  test("nobody listens, and no head within the timeout", async (t) => {
    const silent = await upstream(); // used only by this test: a request may arrive after its timeout
    t.after(() => silent.close());
    const key = await enroll(f.url, "anna", {
      upstreams: [
        { name: "gone", protocol: "chat", url: await unreachable() },
        chat("a", silent, { timeout: 0.05 }),
        chat("b", f.b),
      ],
    });
    f.b.serve((x) => answer(x, "from b"));
    for (const body of [params(), streaming]) {
      const got = await ask(f.url, "/u/anna/v1/messages", key, body);
      assert.equal(got.status, 200, got.text);
      assert.match(got.text, /from b/);
    }
  });

  test("its words name no variable of the deployment", async (t) => {
    const silent = await upstream(); // used only by this test: a request may arrive after its timeout
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

  // held starts a stream. The response head reaches the client before the upstream answers.
  async function held(upstreams) {
    const key = await enroll(f.url, "anna", { head_wait: 0.05, upstreams });
    const call = open(f.url, { path: "/u/anna/v1/messages", headers: { "x-api-key": key }, body: streaming });
    const { status, body } = await call.reply;
    assert.equal(status, 200);
    const events = reader(body);
    assert.deepEqual(await events.next(), { type: "ping" });
    return { call, events };
  }

  test("a late lost connection", async () => {
    const begun = held([
      chat("a", f.a),
      { name: "b", protocol: "anthropic", url: f.b.url.replace(/\/v1$/, "") },
      chat("c", f.b),
    ]);
    const first = await f.a.next();
    const { events } = await begun;
    first.reset();
    await (await f.b.next()).answer(529, overloaded);
    const third = await f.b.next();
    assert.equal(third.path, "/v1/chat/completions");
    assert.deepEqual(await events.next(), { type: "ping" });
    await third.stream(textStream("from c"));
    const { message, error } = fold(await events.rest());
    assert.equal(error, null);
    assert.equal(message.content[0].text, "from c");
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
    for (const [name, up] of [
      ["anna", f.a],
      ["bert", f.b],
    ]) {
      const key = await enroll(f.url, name, {
        upstreams: [chat("main", up, { models: { m: `${name}-model` } })],
        options: { guidance: `guide ${name}` },
      });
      users.push({ name, up, key });
      up.serve(async (x) => {
        const { model, messages: said, stream } = x.json;
        assert.equal(model, `${name}-model`);
        const words = said.at(-1).content;
        if (/error/.test(words))
          return x.answer(400, {
            error: { message: `${name} says no to ${words}`, type: "invalid_request_error" },
          });
        if (!stream) return x.answer(200, plain({ content: `${name} heard ${words}` }));
        return x.stream([role, text(`${name} `), text("heard "), text(words), finish("stop"), usage(), done]);
      });
    }
    await Promise.all(
      Array.from({ length: 120 }, async (_, i) => {
        const { name, key } = users[i % 2];
        const kind = ["plain", "stream", "error"][i % 3];
        const words = `${kind} ${i}`;
        const body = params({
          model: "m",
          stream: kind === "stream",
          messages: [{ role: "user", content: words }],
        });
        const got = await ask(f.url, `/u/${name}/v1/messages`, key, body);
        const other = users[(i + 1) % 2].name;
        assert.ok(!got.text.includes(other), got.text);
        if (kind === "error")
          assert.match(got.json.error.message, new RegExp(`${name} says no to ${words}$`));
        else {
          const message = kind === "stream" ? fold(parse(got.text)).message : got.json;
          assert.equal(message.content[0].text, `${name} heard ${words}`);
        }
      }),
    );
    for (const { name, up } of users)
      for (const x of up.requests) assert.ok(x.body.includes(`guide ${name}`));
  });
});
