// Cloudflare's own models: through workerd's own binding, with a double of the binding's service,
// and through Cloudflare's REST API.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { after, before, beforeEach, describe } from "node:test";
import { answer, data } from "../lib/chat.mjs";
import { ask, CLIENT_KEY, open } from "../lib/client.mjs";
import { hashOf, keyOf } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { hostProgram, start, TARGET } from "../lib/target.mjs";
import { PATHS, PROTOCOLS, smallest, talker, upstreams } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { embeds } from "../lib/vendor.mjs";
import { serveWorkerd } from "../lib/workerd.mjs";

const KIMI = "@cf/moonshotai/kimi-k2.6";
const LLAMA = "@cf/meta/llama-3.3-70b-instruct-fp8-fast";
const BGE = "@cf/baai/bge-m3";
const vars = {
  UPSTREAM_PROTOCOL: "chat",
  UPSTREAM_URL: "cloudflare:ai",
  CLIENT_KEY,
  MODELS: JSON.stringify({
    "old*": LLAMA,
    "embed*": BGE,
    "@*": KIMI,
    "claude-opus-6": "anthropic/claude-opus-6",
    "*": KIMI,
  }),
};
const ACCOUNT = {
  CLOUDFLARE_ACCOUNT_ID: "0123456789abcdef0123456789abcdef",
  CLOUDFLARE_API_TOKEN: "the-token-of-the-owner-of-it-all",
};
const tools = [
  {
    name: "get_weather",
    schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
];
const turn = {
  text: "Let me see.",
  calls: [{ id: "functions.get_weather:0", name: "get_weather", input: { city: "Paris" } }],
  usage: { input: 11, cached: 0, output: 7 },
};

// inputsOf replaces the body of an exchange with the binding's service by the model's input, and
// returns the members of the original body and the model.
function inputsOf(x) {
  const { inputs, options } = x.json;
  Object.defineProperty(x, "json", { value: inputs });
  return { inputs, options, model: x.headers["cf-consn-model-id"] };
}

// withAI serves the worker with a binding AI like Cloudflare's. service is the double of the
// binding's service; env and records are more settings.
const withAI = (service, env, records = {}) =>
  serveWorkerd({
    services: `services = [(name = "edgelingua", worker = .edgelingua), (name = "ai", external = (address = "${new URL(service.url).host}", http = ())),\n],\n`,
    worker: "",
    bindings: [
      '(name = "AI", wrapped = (moduleName = "cloudflare-internal:ai-api", innerBindings = [(name = "fetcher", service = "ai")]))',
    ],
    env,
    records,
  });

describe(
  "Cloudflare's own models by the binding",
  { skip: TARGET !== "workerd" && "the binding is Cloudflare's" },
  () => {
    const key = keyOf("anna");
    const f = {};
    before(async () => {
      f.ai = await upstream();
      const record = {
        version: 1,
        keys: [{ hash: hashOf(key) }],
        limits: { requests_per_minute: 100 },
        upstreams: [{ name: "cf", protocol: "chat", url: "cloudflare:ai" }],
      };
      f.target = await withAI(f.ai, vars, {
        "endpoint:anna": record,
        "endpoint:free": { ...record, limits: undefined },
        "endpoint:all": { ...record, auth: "forward" },
      });
      f.url = f.target.url;
    });
    after(() => Promise.all([f.target?.close(), f.ai?.close()]));
    beforeEach(() => f.ai.renew());

    for (const client of PROTOCOLS) {
      for (const stream of [true, false]) {
        test(`${client}, ${stream ? "streamed" : "plain"}: a call and its result`, async () => {
          let first = true;
          f.ai.serve((x) => {
            const { model, inputs, options } = inputsOf(x);
            assert.equal(x.path, "/run?version=3");
            assert.deepEqual([model, "model" in inputs, options], [KIMI, false, { returnRawResponse: true }]);
            assert.equal(x.headers.authorization, undefined);
            assert.ok(
              !inputs.messages.some(({ content }) => content === null),
              "the binding refuses a content that is null",
            );
            const said = first ? turn : { text: "20 degrees.", calls: [], usage: turn.usage };
            first = false;
            return upstreams.chat.play(x, said);
          });
          const talk = talker(client, f.url, { stream, tools });
          const asked = await talk.say("What is the weather in Paris?");
          assert.deepEqual(
            [asked.stop, asked.calls.map(({ name, input }) => ({ name, input }))],
            ["tool", [{ name: "get_weather", input: { city: "Paris" } }]],
          );
          const told = await talk.answer([{ id: asked.calls[0].id, text: "20 degrees" }]);
          assert.deepEqual([told.stop, told.text], ["end", "20 degrees."]);
        });
      }
    }

    test("requests of a session go to one instance of the model", async () => {
      const seen = [];
      f.ai.serve((x) => {
        inputsOf(x);
        seen.push(x.headers["x-session-affinity"]);
        return upstreams.chat.play(x, { text: "Hi.", calls: [], usage: turn.usage });
      });
      for (const more of [
        { metadata: { user_id: "one" } },
        { metadata: { user_id: "one" } },
        { metadata: { user_id: "two" } },
        {},
      ]) {
        await ask(f.url, { path: PATHS.anthropic, body: smallest.anthropic(more) });
      }
      await ask(f.url, { path: PATHS.responses, body: smallest.responses({ prompt_cache_key: "one" }) });
      const [first, again, other, none, keyed] = seen;
      assert.match(first, /^\d{10,20}$/);
      assert.equal(again, first);
      assert.notEqual(other, first);
      assert.equal(none, undefined);
      assert.equal(keyed, first);
    });

    for (const client of PROTOCOLS) {
      test(`${client}: the older form, streamed and plain`, async () => {
        const more = { model: "old-llama" };
        const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
        f.ai.serve((x) => {
          const { model, inputs } = inputsOf(x);
          assert.equal(model, LLAMA);
          const calls = [{ name: "get_weather", arguments: { city: "Paris" } }];
          if (!inputs.stream) return x.answer(200, { response: "Hm.", tool_calls: calls, usage });
          return x.stream([
            data({ response: "Hm", p: "abc" }),
            data({ response: ".", p: "a" }),
            data({ response: null, tool_calls: calls }),
            data({ response: "", usage }),
            data("[DONE]"),
          ]);
        });
        for (const stream of [true, false]) {
          const { text, calls, stop } = await talker(client, f.url, { stream, tools, more }).say("Weather?");
          assert.deepEqual(
            [text, calls.map(({ name, input }) => ({ name, input })), stop],
            ["Hm.", [{ name: "get_weather", input: { city: "Paris" } }], "tool"],
          );
        }
      });
    }

    const failing = (message, code) => ({
      errors: [{ message, code }],
      success: false,
      result: {},
      messages: [],
    });
    for (const [name, status, body, said] of [
      [
        "no capacity",
        429,
        failing("AiError: no more data centers to forward the request to", 3040),
        /no more data centers/,
      ],
      [
        "no neurons",
        429,
        {
          internalCode: 3036,
          name: "AiError",
          message: "",
          description: "You have used up your daily free allocation of 10,000 neurons.",
        },
        /10,000 neurons/,
      ],
      ["no such model", 400, failing("No such model or task", 5007), /No such model/],
      ["too large", 413, failing("Request is too large", 3006), /too large/],
    ]) {
      test(`${name} is an error, streamed and plain`, async () => {
        f.ai.serve((x) => x.answer(status, body));
        for (const stream of [true, false]) {
          for (const client of PROTOCOLS) {
            const answered = await ask(f.url, { path: PATHS[client], body: smallest[client]({ stream }) });
            assert.equal(answered.status, status, answered.text);
            assert.match(answered.text, said);
          }
        }
      });
    }

    test("embeddings", async () => {
      embeds(f.ai, "cloudflare", (x) => {
        const { model, inputs, options } = inputsOf(x);
        assert.deepEqual([model, options], [BGE, { returnRawResponse: true }]);
        return JSON.stringify({ model, ...inputs });
      });
      const body = { model: "embed-it", input: ["one", "two"] };
      const openai = await ask(f.url, { path: "/v1/embeddings", body });
      assert.equal(openai.status, 200, openai.text);
      const google = await ask(f.url, {
        path: "/v1beta/models/embed-it:batchEmbedContents",
        body: { requests: body.input.map((text) => ({ content: { parts: [{ text }] } })) },
      });
      assert.equal(google.status, 200, google.text);
      const { data, usage } = JSON.parse(openai.text);
      assert.deepEqual(
        data.map(({ embedding }) => embedding),
        JSON.parse(google.text).embeddings.map(({ values }) => values),
      );
      assert.ok(usage.prompt_tokens > 0, "an estimate");
      assert.equal(openai.headers["x-edgelingua-lost"], undefined);
      const fixed = await ask(f.url, { path: "/v1/embeddings", body: { ...body, dimensions: 3 } });
      assert.equal(fixed.status, 400);
      assert.equal(JSON.parse(fixed.text).error.param, "dimensions");
    });

    test("a model of another vendor is not asked for, whatever the binding sells", async () => {
      for (const model of ["claude-opus-6", "openai/gpt-5.5", "@cf-else/x"]) {
        const at =
          model === "claude-opus-6"
            ? {}
            : { path: `/u/anna${PATHS.anthropic}`, headers: { "x-api-key": key } };
        const { status, text } = await ask(f.url, { ...at, body: { ...smallest.anthropic(), model } });
        assert.equal(status, 404, text);
        assert.match(text, /Cloudflare's own/);
      }
      assert.equal(f.ai.requests.length, 0);
    });

    test("a stream that is left aborts the binding's request", async () => {
      f.ai.serve(null);
      const client = open(f.url, { body: { ...smallest.anthropic(), stream: true } });
      const x = await f.ai.next();
      x.head();
      await x.send(
        data({
          id: "c",
          object: "chat.completion.chunk",
          created: 1,
          model: "m",
          choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: null }],
        }),
      );
      await client.reply;
      client.abort();
      await x.gone;
    });

    test("its models are listed", async (t) => {
      const { MODELS: _, ...others } = vars;
      const target = await withAI(f.ai, others);
      t.after(() => target.close());
      f.ai.serve((x) => {
        assert.match(x.path, /^\/ai-api\/models\/search\?/);
        return x.answer(200, {
          success: true,
          result: [
            { id: "8a5d00bd", name: KIMI, task: { name: "Text Generation" } },
            { id: "7a143886", name: LLAMA },
          ],
        });
      });
      for (const version of [{}, { "anthropic-version": "2023-06-01" }]) {
        const get = (path) =>
          ask(target.url, { path, method: "GET", headers: { "x-api-key": CLIENT_KEY, ...version } });
        assert.deepEqual(
          JSON.parse((await get("/v1/models")).text).data.map(({ id }) => id),
          [KIMI, LLAMA],
        );
        assert.equal(JSON.parse((await get(`/v1/models/${encodeURIComponent(LLAMA)}`)).text).id, LLAMA);
        assert.equal((await get(`/v1/models/${encodeURIComponent("@cf/no/such")}`)).status, 404);
      }
    });

    test("nobody rides for free: endpoints without a limit, and with the client's own key, are refused", async () => {
      for (const name of ["free", "all"]) {
        const { status } = await ask(f.url, {
          path: `/u/${name}${PATHS.chat}`,
          headers: { authorization: `Bearer ${key}` },
          body: smallest.chat(),
        });
        assert.equal(status, 401, "a record without a limit can't be read");
      }
      const forward = await withAI(f.ai, { ...vars, AUTH: "forward", CLIENT_KEY: "" });
      try {
        const { status, text } = await ask(forward.url, { body: smallest.anthropic() });
        assert.equal(status, 500);
        assert.match(text, /nobody's key is checked/);
      } finally {
        await forward.close();
      }
      assert.equal(f.ai.requests.length, 0);
    });
  },
);

describe("Cloudflare's own models without the binding", () => {
  test("by the REST API, whose token nobody sees", async (t) => {
    const api = await upstream();
    const target = await start({ ...vars, ...ACCOUNT }, { connect: api });
    t.after(() => Promise.all([target.close(), api.close()]));
    const base = `/client/v4/accounts/${ACCOUNT.CLOUDFLARE_ACCOUNT_ID}/ai`;
    api.serve((x) => answer(x));
    for (const client of PROTOCOLS) {
      const { status, text } = await ask(target.url, { path: PATHS[client], body: smallest[client]() });
      assert.equal(status, 200, text);
    }
    for (const x of api.requests) {
      assert.deepEqual(
        [x.path, x.headers.host, x.headers.authorization, x.json.model],
        [`${base}/v1/chat/completions`, "api.cloudflare.com", `Bearer ${ACCOUNT.CLOUDFLARE_API_TOKEN}`, KIMI],
      );
    }
    api.serve((x) =>
      x.answer(403, {
        success: false,
        errors: [{ code: 10000, message: `Authentication error: ${ACCOUNT.CLOUDFLARE_API_TOKEN}` }],
        messages: [],
        result: null,
      }),
    );
    const refused = await ask(target.url, { body: smallest.anthropic() });
    assert.equal(refused.status, 403);
    assert.match(refused.text, /Authentication error: \[key\]/);
  });

  test("without either, the way out is said", async (t) => {
    if (TARGET === "workerd") {
      const target = await start(vars);
      t.after(() => target.close());
      const { status, text } = await ask(target.url, { body: smallest.anthropic() });
      assert.equal(status, 502);
      assert.match(text, /there is no binding AI/);
      return;
    }
    const program = await hostProgram();
    const args = Object.entries(vars).flatMap(([name, value]) => [
      name === "CLIENT_KEY" ? "--secret" : "--var",
      `${name}=${value}`,
    ]);
    const { status, stderr } = spawnSync(
      program,
      ["serve", "--check", "--wasm", new URL("../../build/app.wasm", import.meta.url).pathname, ...args],
      { cwd: "/", encoding: "utf8" },
    );
    assert.equal(status, 2);
    assert.match(stderr, /CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN/);
    const ok = spawnSync(
      program,
      [
        "serve",
        "--check",
        "--wasm",
        new URL("../../build/app.wasm", import.meta.url).pathname,
        ...args,
        "--var",
        `CLOUDFLARE_ACCOUNT_ID=${ACCOUNT.CLOUDFLARE_ACCOUNT_ID}`,
        "--secret",
        `CLOUDFLARE_API_TOKEN=${ACCOUNT.CLOUDFLARE_API_TOKEN}`,
      ],
      { cwd: "/", encoding: "utf8" },
    );
    assert.equal(ok.status, 0, ok.stderr);
    assert.match(ok.stdout + ok.stderr, /upstream: chat cloudflare:ai/);
    assert.ok(!(ok.stdout + ok.stderr).includes(ACCOUNT.CLOUDFLARE_API_TOKEN));
  });
});
