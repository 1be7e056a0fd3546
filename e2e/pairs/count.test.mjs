// Counting tokens before a request is sent: the estimate compared with the real encoder, and the counts of upstreams that count.
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe } from "node:test";
import { CLIENT_KEY, UPSTREAM_KEY, ask, errorOf, sdk } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { failure } from "../lib/messages.mjs";
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
const input_tokens = "/v1/responses/input_tokens";
const body = { model: "m", messages: [{ role: "user", content: "hi" }] };

describe("the estimate", () => {
  const f = fixture();
  const count = async (content, more) => (await sdk(f.url).messages.countTokens({ ...body, messages: [{ role: "user", content }], ...more })).input_tokens;

  for (const [name, sample] of Object.entries(samples)) {
    test(`of ${name} is within 15 % of o200k_base`, async (t) => {
      const text = await sample();
      const [estimate, exact] = [await count(text), countTokens(text)];
      const off = ((estimate / exact - 1) * 100).toFixed(1);
      t.diagnostic(`${estimate} for ${exact}: ${off} %`);
      assert.ok(Math.abs(off) <= 15, `${estimate} for ${exact}: ${off} %`);
    });
  }

  test("counts all of a request", async () => {
    const before = await count("hi");
    const tools = [{ name: "get_weather", description: "Says how the weather is.", input_schema: { type: "object", properties: { city: { type: "string" } } } }];
    const png = Buffer.alloc(24);
    png.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1");
    png.writeUInt32BE(750, 16);
    png.writeUInt32BE(500, 20);
    const image = { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } };
    const messages = [
      { role: "user", content: [image] },
      { role: "assistant", content: [{ type: "thinking", thinking: "I must look.", signature: "" }, { type: "tool_use", id: "toolu_1", name: "get_weather", input: { city: "Paris" } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Rain." }] },
    ];
    assert.ok((await count("hi", { system: "You are a weather service." })) > before + 5);
    assert.ok((await count("hi", { tools })) > before + 20);
    assert.ok((await count("hi", { messages })) > 500 + 20);
    assert.equal(await count("hi", { tools: [] }), before);
  });

  test("of a Claude model is higher", async () => {
    const text = await read("texts/english.txt");
    const [plain, older, newer] = await Promise.all(["gpt-5.5", "claude-sonnet-4-5", "claude-opus-5-5"].map((model) => count(text, { model })));
    assert.ok(older > plain * 1.15 && newer > older * 1.25, `${plain} ${older} ${newer}`);
  });

  test("needs no request upstream", async () => {
    const { status, text } = await ask(f.url, { path: `${count_tokens}?beta=true`, body });
    assert.equal(status, 200);
    assert.deepEqual(JSON.parse(text), { input_tokens: 5 });
    assert.equal(f.up.requests.length, 0);
  });

  test("for clients of Responses", async () => {
    const { object, input_tokens: n } = await openai(f.url).responses.inputTokens.count({ model: "m", instructions: "Be brief.", input: "hi" });
    assert.deepEqual({ object, n }, { object: "response.input_tokens", n: 12 });
    assert.deepEqual(JSON.parse((await ask(f.url, { path: `${input_tokens}?beta=true`, body: { input: "hi" } })).text), {
      object: "response.input_tokens",
      input_tokens: 5,
    });
  });

  test("needs a key and a good request", async () => {
    errorOf(await ask(f.url, { path: count_tokens, headers: {}, body }), 401, "authentication_error");
    errorOf(await ask(f.url, { path: count_tokens, headers: { "x-api-key": `${CLIENT_KEY}x` }, body }), 401, "authentication_error");
    errorOf(await ask(f.url, { path: count_tokens, body: "{" }), 400, "invalid_request_error");
    errorOf(await ask(f.url, { path: count_tokens, body: { model: "m" } }), 400, "invalid_request_error");
    const thread = errorOf(await ask(f.url, { path: count_tokens, body: { ...body, thread: { type: "create" } } }), 400, "invalid_request_error");
    assert.equal(thread.details.error_code, "thread_unsupported_request");
    const { status, headers } = await ask(f.url, { path: count_tokens, method: "GET" });
    assert.deepEqual([status, headers.allow], [405, "POST"]);
  });
});

describe("an upstream that speaks Messages", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "anthropic", MODELS: JSON.stringify({ "claude-*": "claude-upstream" }) });

  test("counts", async () => {
    f.up.serve((x) => x.answer(200, { input_tokens: 4321, more: true }));
    const { status, text } = await ask(f.url, { path: `${count_tokens}?beta=true`, body: { ...body, model: "claude-x", unknown: 1 } });
    assert.deepEqual([status, JSON.parse(text)], [200, { input_tokens: 4321, more: true }]);
    const [{ method, path, headers, json }] = f.up.requests;
    assert.deepEqual([method, path, headers["x-api-key"]], ["POST", "/v1/messages/count_tokens?beta=true", UPSTREAM_KEY]);
    assert.deepEqual(json, { ...body, model: "claude-upstream", unknown: 1 });
  });

  for (const status of [404, 405]) {
    test(`that answers ${status} is estimated for`, async () => {
      f.up.serve((x) => x.answer(status, failure("not_found_error", "no such path")));
      assert.ok((await sdk(f.url).messages.countTokens({ ...body, model: "claude-x" })).input_tokens > 0);
    });
  }

  test("refuses by itself", async () => {
    f.up.serve((x) => x.answer(400, failure("invalid_request_error", "messages: bad")));
    assert.match(errorOf(await ask(f.url, { path: count_tokens, body }), 400).message, /messages: bad/);
  });

  test("does not count for clients of Responses", async () => {
    assert.ok((await openai(f.url).responses.inputTokens.count({ model: "m", input: "hi" })).input_tokens > 0);
    assert.equal(f.up.requests.length, 0);
  });
});

describe("an upstream that speaks Responses", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "responses" });

  test("counts", async () => {
    f.up.serve((x) => x.answer(200, { object: "response.input_tokens", input_tokens: 99 }));
    assert.equal((await openai(f.url).responses.inputTokens.count({ model: "m", input: "hi" })).input_tokens, 99);
    assert.equal(f.up.requests[0].path, "/v1/responses/input_tokens");
  });

  test("that does not is estimated for", async () => {
    f.up.serve((x) => x.answer(404, { error: { message: "Not found", type: "invalid_request_error", param: null, code: null } }));
    assert.ok((await openai(f.url).responses.inputTokens.count({ model: "m", input: "hi" })).input_tokens > 0);
  });
});
