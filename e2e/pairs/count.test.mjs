// Counting tokens before a request is sent: the estimate compared with the real encoder, and the
// count of a counting upstream. More is in worker/serve/count_test.go.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY, ask, sdk } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { openai } from "../lib/turns.mjs";

const read = (path) => readFile(new URL(path, import.meta.url), "utf8");
const prose = ["english", "german", "french", "spanish", "russian", "chinese", "japanese", "korean"];

const samples = {
  ...Object.fromEntries(prose.map((name) => [name, () => read(`texts/${name}.txt`)])),
  Go: () => read("../../translator/translator.go"),
  JavaScript: () => read("../../worker/workerd/worker.mjs"),
  Python: () => read("texts/inventory.py"),
  shell: () => read("../../build.sh"),
  Markdown: () => read("../../RATIONALE.md"),
  JSON: async () => (await read("../package-lock.json")).slice(0, 20_000),
  "compact JSON": async () => JSON.stringify(JSON.parse(await read("../package-lock.json"))).slice(0, 20_000),
};

const count_tokens = "/v1/messages/count_tokens";
const body = { model: "m", messages: [{ role: "user", content: "hi" }] };

describe("the estimate", () => {
  const f = fixture();
  const count = async (content) =>
    (await sdk(f.url).messages.countTokens({ ...body, messages: [{ role: "user", content }] })).input_tokens;

  for (const [name, sample] of Object.entries(samples)) {
    test(`of ${name} is within 15 % of o200k_base`, async (t) => {
      const text = await sample();
      const [estimate, exact] = [await count(text), countTokens(text)];
      const off = ((estimate / exact - 1) * 100).toFixed(1);
      t.diagnostic(`${estimate} for ${exact}: ${off} %`);
      assert.ok(Math.abs(off) <= 15, `${estimate} for ${exact}: ${off} %`);
    });
  }

  test("for clients of Responses", async () => {
    const { object, input_tokens: n } = await openai(f.url).responses.inputTokens.count({
      model: "m",
      instructions: "Be brief.",
      input: "hi",
    });
    assert.deepEqual({ object, n }, { object: "response.input_tokens", n: 12 });
  });
});

describe("an upstream that speaks Messages", () => {
  const f = fixture({
    UPSTREAM_PROTOCOL: "anthropic",
    MODELS: JSON.stringify({ "claude-*": "claude-upstream" }),
  });

  test("counts", async () => {
    f.up.serve((x) => x.answer(200, { input_tokens: 4321, more: true }));
    const { status, text } = await ask(f.url, {
      path: `${count_tokens}?beta=true`,
      body: { ...body, model: "claude-x", unknown: 1 },
    });
    assert.deepEqual([status, JSON.parse(text)], [200, { input_tokens: 4321, more: true }]);
    const [{ method, path, headers, json }] = f.up.requests;
    assert.deepEqual(
      [method, path, headers["x-api-key"]],
      ["POST", "/v1/messages/count_tokens?beta=true", UPSTREAM_KEY],
    );
    assert.deepEqual(json, { ...body, model: "claude-upstream", unknown: 1 });
  });
});
