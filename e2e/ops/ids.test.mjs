// Every answer has the id of its request, and the duration.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CLIENT_KEY, open, textOf } from "../lib/client.mjs";
import { fixture, test, worker } from "../lib/fixture.mjs";
import { PATHS, PROTOCOLS, smallest, upstreams } from "../lib/turns.mjs";
import { unreachable, upstream } from "../lib/upstream.mjs";

const MADE = /^req_[\w-]{22,32}$/;

// get sends a request and asserts that the answer has an id.
async function get(url, { id, headers = {}, ...options }) {
  const reply = await open(url, {
    ...options,
    headers: { "x-api-key": CLIENT_KEY, ...(id && { "x-request-id": id }), ...headers },
  }).reply;
  const text = await textOf(reply.body);
  assert.equal(reply.headers["x-request-id"], reply.headers["request-id"]);
  return {
    status: reply.status,
    text,
    id: reply.headers["x-request-id"],
    upstreamID: reply.headers["x-upstream-request-id"],
    timing: reply.headers["server-timing"],
  };
}

// says returns an upstream that plays a turn, with headers such as an id in the response head.
const says = (protocol, headers) => (x) => {
  const [head, answer] = [x.head.bind(x), x.answer.bind(x)];
  x.head = (status = 200, more = { "content-type": "text/event-stream" }) =>
    head(status, { ...more, ...headers });
  x.answer = (status, body, more = { "content-type": "application/json" }) =>
    answer(status, body, { ...more, ...headers });
  return upstreams[protocol].play(x, { text: "Hi", calls: [], usage: { input: 1, cached: 0, output: 1 } });
};

for (const upstream of PROTOCOLS) {
  describe(`requests for ${upstream}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: upstream });

    for (const client of PROTOCOLS) {
      for (const stream of [false, true]) {
        test(`of ${client}, ${stream ? "streamed" : "plain"}`, async () => {
          const ask = { path: PATHS[client], body: smallest[client]({ stream }) };
          for (const [theirs, own, id, upstreamID] of [
            [{}, undefined, MADE, undefined],
            [{ "request-id": "req_up" }, undefined, /^req_up$/, undefined],
            [{ "x-request-id": "req_up" }, undefined, /^req_up$/, undefined],
            [{}, "mine-1.A_b", /^mine-1\.A_b$/, undefined],
            [{ "request-id": "req_up" }, "mine", /^mine$/, "req_up"],
            [{ "request-id": "mine" }, "mine", /^mine$/, undefined],
            [{ "request-id": "req_up" }, "not mine", /^req_up$/, undefined],
            [{ "request-id": "req up" }, "m".repeat(129), MADE, undefined],
          ]) {
            f.up.serve(says(upstream, theirs));
            const got = await get(f.url, { ...ask, id: own });
            assert.equal(got.status, 200, got.text);
            assert.match(got.id, id);
            assert.equal(got.upstreamID, upstreamID);
            assert.match(got.timing, /^upstream;dur=\d+, total;dur=\d+$/);
            assert.equal(f.up.requests.at(-1).headers["x-request-id"], undefined);
          }
        });
      }

      test(`that fail, of ${client}`, async () => {
        f.up.serve((x) =>
          x.answer(
            429,
            { error: { message: "Slow down", type: "rate_limit_error" } },
            { "content-type": "application/json", "request-id": "req_up" },
          ),
        );
        for (const stream of [false, true]) {
          const ask = { path: PATHS[client], body: smallest[client]({ stream }) };
          assert.equal((await get(f.url, ask)).id, "req_up");
          const got = await get(f.url, { ...ask, id: "mine" });
          assert.deepEqual([got.status, got.id, got.upstreamID], [429, "mine", "req_up"]);
          assert.match(got.timing, /^upstream;dur=\d+, total;dur=\d+$/);
        }
      });
    }

    test("for models and counts", async () => {
      f.up.serve((x) =>
        x.answer(
          x.path.includes("count") || x.path.includes("input_tokens") ? 404 : 200,
          { data: [] },
          { "content-type": "application/json", "request-id": "req_up" },
        ),
      );
      for (const headers of [
        { "x-api-key": CLIENT_KEY },
        { "x-api-key": "", authorization: `Bearer ${CLIENT_KEY}` },
      ]) {
        const got = await get(f.url, { method: "GET", path: "/v1/models", id: "mine", headers });
        assert.deepEqual([got.status, got.id, got.upstreamID], [200, "mine", "req_up"]);
      }
      const got = await get(f.url, { path: "/v1/messages/count_tokens", body: smallest.anthropic() });
      assert.equal(got.status, 200);
      assert.match(got.id, MADE);
    });
  });
}

describe("requests that no upstream hears of", () => {
  const f = fixture({ ADMIN_KEY: "admin-key-of-the-tests" }, { state: true });

  for (const [name, status, options] of [
    ["a wrong key", 401, { headers: { "x-api-key": "wrong" }, body: smallest.anthropic() }],
    ["no such path", 404, { path: "/nothing", method: "GET" }],
    ["another method", 405, { method: "GET" }],
    ["no request at all", 400, { body: "{" }],
    ["a greeting", 200, { path: "/", method: "GET" }],
    ["a wrong key of an endpoint", 401, { path: "/u/nobody/v1/messages", body: smallest.anthropic() }],
    [
      "the Admin API",
      200,
      { path: "/admin/api/endpoints", method: "GET", headers: { "x-api-key": "admin-key-of-the-tests" } },
    ],
    ["the Admin API, refused", 401, { path: "/admin/api/endpoints", method: "GET" }],
    ["the owner API, refused", 401, { path: "/u/nobody/api", method: "GET" }],
  ]) {
    test(name, async () => {
      for (const [id, want] of [
        [undefined, MADE],
        ["mine", /^mine$/],
        ["a, b", MADE],
      ]) {
        const got = await get(f.url, { ...options, id });
        assert.equal(got.status, status, got.text);
        assert.match(got.id, want);
        assert.match(got.timing, /^total;dur=\d+$/);
      }
      assert.equal(f.up.requests.length, 0);
    });
  }

  test("no two random ones are the same", async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, () => get(f.url, { path: "/", method: "GET" }).then(({ id }) => id)),
    );
    assert.equal(new Set(ids).size, ids.length);
  });
});

describe("where the upstream's head is no part of the answer's", () => {
  test("a stream that goes out first", async (t) => {
    const up = await upstream();
    t.after(() => up.close());
    const url = await worker(t, up.url, { HEAD_WAIT: "0.05" });
    const call = open(url, { body: smallest.anthropic({ stream: true }) });
    const x = await up.next();
    const { headers, body } = await call.reply;
    assert.match(headers["x-request-id"], MADE);
    assert.match(headers["server-timing"], /^total;dur=\d+$/);
    await says("chat", { "request-id": "req_up" })(x);
    await textOf(body);
  });

  test("an upstream that is not there", async (t) => {
    const url = await worker(t, await unreachable());
    const got = await get(url, { body: smallest.anthropic(), id: "mine" });
    assert.equal(got.id, "mine");
    assert.match(got.timing, /^total;dur=\d+$/);
  });

  for (const at of ["before", "after"]) {
    test(`a trap ${at} the first await`, async (t) => {
      const url = await worker(t, await unreachable(), {}, { faults: true });
      for (const [id, want] of [
        [undefined, MADE],
        ["mine", /^mine$/],
        ["a/b", MADE],
      ]) {
        const got = await get(url, { body: smallest.anthropic(), id, headers: { "x-test-panic": at } });
        assert.equal(got.status, 500);
        assert.match(got.id, want);
      }
    });
  }
});
