// The list of a client's models, read by the official SDKs. More is in worker/serve/models_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { CLIENT_KEY, ask, sdk } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { openai } from "../lib/turns.mjs";

const all = async (pages) => {
  const list = [];
  for await (const model of pages) list.push(model);
  return list;
};

// The model of a Messages upstream, and its translation.
const claude = {
  type: "model",
  id: "claude-a",
  display_name: "Claude A",
  created_at: "2026-02-04T00:00:00Z",
  max_tokens: 128000,
};
const claudeAsGPT = {
  id: "claude-a",
  object: "model",
  created: 1770163200,
  owned_by: "anthropic",
  context_length: 1000000,
  max_completion_tokens: 128000,
};
const unknown = { max_input_tokens: null, max_tokens: null, capabilities: null };

describe("names in MODELS", () => {
  const f = fixture({
    MODELS: JSON.stringify({ "claude-opus-5-5": "a", 'o\'r "x"': "b", "claude-*": "c", "*": "d" }),
  });
  const entry = (id) => ({
    type: "model",
    id,
    display_name: id,
    created_at: "1970-01-01T00:00:00Z",
    ...unknown,
  });

  test("are Anthropic's list", async () => {
    assert.deepEqual(await all(sdk(f.url).models.list({ limit: 1 })), [
      entry("claude-opus-5-5"),
      entry('o\'r "x"'),
    ]);
    assert.deepEqual(await sdk(f.url).models.retrieve("claude-opus-5-5"), entry("claude-opus-5-5"));
    await assert.rejects(sdk(f.url).models.retrieve("claude-other"), {
      status: 404,
      type: "not_found_error",
    });
    assert.equal(f.up.requests.length, 0);
  });

  test("are OpenAI's list", async () => {
    const entry = (id) => ({ id, object: "model", created: 0, owned_by: "edgelingua" });
    assert.deepEqual(await all(openai(f.url).models.list()), [entry("claude-opus-5-5"), entry('o\'r "x"')]);
    assert.deepEqual(await openai(f.url).models.retrieve('o\'r "x"'), entry('o\'r "x"'));
    await assert.rejects(openai(f.url).models.retrieve("claude-other"), { status: 404 });
  });

  test("are there for HEAD", async () => {
    const { status, text, headers } = await ask(f.url, {
      path: "/v1/models",
      method: "HEAD",
      headers: { "x-api-key": CLIENT_KEY },
    });
    assert.deepEqual([status, text, headers["content-type"]], [200, "", "application/json"]);
  });
});

describe("the list of a Messages upstream", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "anthropic", MODELS: JSON.stringify({ "gpt-*": "claude-a" }) });

  test("passes to clients of Messages, page by page", async () => {
    f.up.serve((x) => {
      const first = !x.path.includes("after_id");
      x.answer(200, {
        data: [{ ...claude, id: first ? "1" : "2" }],
        has_more: first,
        first_id: first ? "1" : "2",
        last_id: first ? "1" : "2",
      });
    });
    assert.deepEqual(await all(sdk(f.url).models.list({ limit: 1 })), [
      { ...claude, id: "1" },
      { ...claude, id: "2" },
    ]);
    assert.deepEqual(
      f.up.requests.map(({ method, path }) => `${method} ${path}`),
      ["GET /v1/models?limit=1", "GET /v1/models?limit=1&after_id=1"],
    );
  });

  test("is translated for clients of OpenAI's APIs", async () => {
    f.up.serve((x) =>
      x.answer(200, { data: [claude], has_more: false, first_id: "claude-a", last_id: "claude-a" }),
    );
    assert.deepEqual(await all(openai(f.url).models.list()), [claudeAsGPT]);
    const [{ path, headers }] = f.up.requests;
    assert.deepEqual([path, headers["anthropic-version"]], ["/v1/models?limit=1000", "2023-06-01"]);
  });

  test("is there for HEAD", async () => {
    f.up.serve((x) =>
      x.answer(200, { data: [claude], has_more: false, first_id: "claude-a", last_id: "claude-a" }),
    );
    const { status, text } = await ask(f.url, {
      path: "/v1/models",
      method: "HEAD",
      headers: { "x-api-key": CLIENT_KEY },
    });
    assert.deepEqual([status, text], [200, ""]);
  });
});
