// The list of models that a client may name, in the shape of its own API, whatever the upstream's is.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY, ask, errorOf, sdk } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { failure } from "../lib/messages.mjs";
import { openai } from "../lib/turns.mjs";

const all = async (pages) => {
  const list = [];
  for await (const model of pages) list.push(model);
  return list;
};

const key = { "x-api-key": CLIENT_KEY };
const bearer = { authorization: `Bearer ${CLIENT_KEY}` };
const asked = (url, headers, path = "/v1/models") => ask(url, { path, method: "GET", headers });

// The lists of a Messages upstream, and of an upstream with one of OpenAI's protocols.
const claude = { type: "model", id: "claude-a", display_name: "Claude A", created_at: "2026-02-04T00:00:00Z", max_tokens: 128000 };
const gpt = { id: "vendor/gpt-b", object: "model", created: 1770163200, owned_by: "vendor", more: 1 };
const gptAsClaude = { type: "model", id: "vendor/gpt-b", display_name: "vendor/gpt-b", created_at: "2026-02-04T00:00:00Z" };
const claudeAsGPT = { id: "claude-a", object: "model", created: 1770163200, owned_by: "anthropic" };

describe("names in MODELS", () => {
  const f = fixture({ MODELS: JSON.stringify({ "claude-opus-5-5": "a", "o'r \"x\"": "b", "claude-*": "c", "*": "d" }) });
  const entry = (id) => ({ type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" });

  test("are Anthropic's list", async () => {
    assert.deepEqual(await all(sdk(f.url).models.list({ limit: 1 })), [entry("claude-opus-5-5"), entry("o'r \"x\"")]);
    const { text } = await asked(f.url, key, "/v1/models?limit=1000");
    assert.deepEqual(JSON.parse(text), {
      data: [entry("claude-opus-5-5"), entry("o'r \"x\"")],
      has_more: false,
      first_id: "claude-opus-5-5",
      last_id: "o'r \"x\"",
    });
    assert.deepEqual(await sdk(f.url).models.retrieve("claude-opus-5-5"), entry("claude-opus-5-5"));
    await assert.rejects(sdk(f.url).models.retrieve("claude-other"), { status: 404, type: "not_found_error" });
    assert.equal(f.up.requests.length, 0);
  });

  test("are OpenAI's list", async () => {
    const entry = (id) => ({ id, object: "model", created: 0, owned_by: "edgelingua" });
    assert.deepEqual(await all(openai(f.url).models.list()), [entry("claude-opus-5-5"), entry("o'r \"x\"")]);
    const { text } = await asked(f.url, bearer, "/v1/models?client_version=0.169.0");
    assert.equal(JSON.parse(text).object, "list");
    assert.deepEqual(await openai(f.url).models.retrieve("o'r \"x\""), entry("o'r \"x\""));
    await assert.rejects(openai(f.url).models.retrieve("claude-other"), { status: 404 });
  });

  test("need a key", async () => {
    errorOf(await asked(f.url, { "anthropic-version": "2023-06-01" }), 401, "authentication_error");
    const { status, text } = await asked(f.url, {});
    assert.equal(status, 401);
    assert.equal(JSON.parse(text).error.code, "invalid_api_key");
  });

  test("are there for HEAD, and for nothing but GET and HEAD", async () => {
    const { status, text, headers } = await ask(f.url, { path: "/v1/models", method: "HEAD", headers: key });
    assert.deepEqual([status, text, headers["content-type"]], [200, "", "application/json"]);
    for (const method of ["POST", "DELETE", "OPTIONS"]) {
      const answer = await ask(f.url, { path: "/v1/models/claude-opus-5-5", method, headers: key });
      errorOf(answer, 405, "invalid_request_error");
      assert.equal(answer.headers.allow, "GET, HEAD");
    }
  });
});

describe("the list of a Messages upstream", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "anthropic", MODELS: JSON.stringify({ "gpt-*": "claude-a" }) });

  test("passes to clients of Messages, page by page", async () => {
    f.up.serve((x) => {
      const first = !x.path.includes("after_id");
      x.answer(200, { data: [{ ...claude, id: first ? "1" : "2" }], has_more: first, first_id: first ? "1" : "2", last_id: first ? "1" : "2" });
    });
    assert.deepEqual(await all(sdk(f.url).models.list({ limit: 1 })), [{ ...claude, id: "1" }, { ...claude, id: "2" }]);
    assert.deepEqual(f.up.requests.map(({ method, path }) => `${method} ${path}`), ["GET /v1/models?limit=1", "GET /v1/models?limit=1&after_id=1"]);
    const { headers, body } = f.up.requests[0];
    assert.deepEqual([headers["x-api-key"], headers["content-type"], body.length], [UPSTREAM_KEY, undefined, 0]);
  });

  test("is translated for clients of OpenAI's APIs", async () => {
    f.up.serve((x) => x.answer(200, { data: [claude], has_more: false, first_id: "claude-a", last_id: "claude-a" }));
    assert.deepEqual(await all(openai(f.url).models.list()), [claudeAsGPT]);
    const [{ path, headers }] = f.up.requests;
    assert.deepEqual([path, headers["anthropic-version"]], ["/v1/models?limit=1000", "2023-06-01"]);
  });

  test("has its models one by one", async () => {
    f.up.serve((x) => x.answer(200, claude));
    assert.deepEqual(await sdk(f.url).models.retrieve("claude-a"), claude);
    assert.deepEqual(await openai(f.url).models.retrieve("gpt-5.5"), claudeAsGPT);
    assert.deepEqual(f.up.requests.map(({ path }) => path), ["/v1/models/claude-a", "/v1/models/claude-a"]);
  });

  test("is there for HEAD", async () => {
    f.up.serve((x) => x.answer(200, { data: [claude], has_more: false, first_id: "claude-a", last_id: "claude-a" }));
    for (const headers of [key, bearer]) {
      const { status, text } = await ask(f.url, { path: "/v1/models", method: "HEAD", headers });
      assert.deepEqual([status, text], [200, ""]);
    }
  });
});

for (const protocol of ["chat", "responses"]) {
  describe(`the list of an upstream that speaks ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol });

    test("is translated for clients of Messages", async () => {
      f.up.serve((x) => x.answer(200, x.path === "/v1/models" ? { object: "list", data: [gpt] } : gpt));
      assert.deepEqual(await all(sdk(f.url).models.list()), [gptAsClaude]);
      assert.deepEqual(await sdk(f.url).models.retrieve("vendor/gpt-b"), gptAsClaude);
      assert.deepEqual(f.up.requests.map(({ path }) => path), ["/v1/models", "/v1/models/vendor%2Fgpt-b"]);
      assert.equal(f.up.requests[0].headers.authorization, `Bearer ${UPSTREAM_KEY}`);
    });

    test("passes to clients of OpenAI's APIs", async () => {
      f.up.serve((x) => x.answer(200, { object: "list", data: [gpt] }));
      assert.deepEqual(await all(openai(f.url).models.list()), [gpt]);
    });

    test("is an error where there is none", async () => {
      f.up.serve((x) => x.answer(404, { error: { message: "No such model", type: "invalid_request_error", param: null, code: "model_not_found" } }));
      await assert.rejects(sdk(f.url).models.retrieve("x"), (err) => err.status === 404 && err.type === "not_found_error" && /No such model/.test(err.message));
      await assert.rejects(openai(f.url).models.retrieve("x"), (err) => err.status === 404 && err.code === "model_not_found");
      f.up.serve((x) => x.answer(200, "<html>"));
      errorOf(await asked(f.url, key), 502, "api_error");
      f.up.serve((x) => x.answer(401, failure("authentication_error", `bad key ${UPSTREAM_KEY}`)));
      for (const headers of [key, bearer]) {
        const { status, text } = await asked(f.url, headers);
        assert.equal(status, 401);
        assert.match(text, /bad key/);
        assert.ok(!text.includes(UPSTREAM_KEY));
      }
      f.up.serve((x) => x.cut());
      errorOf(await asked(f.url, key), 502, "api_error");
    });
  });
}

describe("paths beside the APIs", () => {
  const f = fixture();

  for (const path of ["/", "/api/hello"]) {
    test(`${path} greets without a key`, async () => {
      const { status, text, headers } = await ask(f.url, { path, method: "GET", headers: {} });
      assert.deepEqual([status, headers["content-type"]], [200, "application/json"]);
      assert.match(JSON.parse(text).message, /edgelingua/);
      const head = await ask(f.url, { path, method: "HEAD", headers: {} });
      assert.deepEqual([head.status, head.text], [200, ""]);
      const post = await ask(f.url, { path, headers: {}, body: {} });
      assert.deepEqual([post.status, post.headers.allow], [405, "GET, HEAD"]);
    });
  }

  for (const [method, path] of [
    ["POST", "/v1/messages/batches"],
    ["GET", "/v1/messages/batches?limit=20"],
    ["POST", "/api/event_logging/batch"],
    ["POST", "/api/claude_code/metrics"],
    ["GET", "/v1/files"],
    ["GET", "/v1/models/.."],
    ["POST", "/v1/embeddings"],
  ]) {
    test(`${method} ${path} is not there`, async () => {
      const headers = { ...key, "anthropic-version": "2023-06-01" };
      const answer = await ask(f.url, { path, method, headers, ...(method === "POST" && { body: {} }) });
      assert.match(errorOf(answer, 404, "not_found_error").message, /^There is nothing at \//);
      const other = await ask(f.url, { path, method, headers: bearer, ...(method === "POST" && { body: {} }) });
      assert.equal(other.status, 404);
      const { type, error } = JSON.parse(other.text);
      assert.equal(type ?? error.type, /^\/(api|v1\/messages)\//.test(path) ? "error" : "invalid_request_error");
      assert.equal(f.up.requests.length, 0);
    });
  }

  for (const method of ["HEAD", "OPTIONS"]) {
    for (const path of ["/v1/messages", "/v1/chat/completions", "/v1/responses", "/v1/messages/count_tokens"]) {
      test(`${method} ${path} is told what there is`, async () => {
        const { status, headers } = await ask(f.url, { path, method, headers: {} });
        assert.deepEqual([status, headers.allow, headers["access-control-allow-origin"]], [405, "POST", undefined]);
      });
    }
  }
});
