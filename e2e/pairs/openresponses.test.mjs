// Open Responses: its public suite, which is not part of the repository, and our own tests that
// check the same objects without the suite.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLIENT_KEY, ask } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { obedient } from "../lib/obedient.mjs";
import { checkEvent, checkResponse, folder, standard, suite } from "../lib/openresponses.mjs";
import { HOSTS, read, update } from "../lib/results.mjs";
import { parse } from "../lib/sse.mjs";
import { TARGET } from "../lib/target.mjs";
import { EVERY } from "../lib/turns.mjs";

const public_ = await suite();
if (!public_) console.log(`# Open Responses' own suite is not at ${folder}: its tests are skipped`);

const user = (content) => ({ type: "message", role: "user", content });
const weather = {
  type: "function",
  name: "get_weather",
  description: "Weather of a place",
  parameters: { type: "object", properties: { location: { type: "string" } }, required: ["location"] },
};
const red =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";

// requests has the requests of the suite's cases over HTTP, and requests with other fields that a
// response repeats.
const requests = {
  "a text": { input: [user("Say hello.")] },
  "an input that is a text": { input: "Reply with exactly: plain" },
  phases: {
    input: [
      { type: "message", role: "assistant", phase: "commentary", content: "I look it up." },
      { type: "message", role: "assistant", phase: "final_answer", content: "Four." },
      user("Again."),
    ],
  },
  "a system message": {
    input: [{ type: "message", role: "system", content: "You are a pirate." }, user("Say hello.")],
  },
  "a tool": { input: [user("What's the weather like in San Francisco?")], tools: [weather] },
  "an image": {
    input: [
      user([
        { type: "input_text", text: "What is this?" },
        { type: "input_image", image_url: red },
      ]),
    ],
  },
  "several turns": {
    input: [
      user("My name is Alice."),
      { type: "message", role: "assistant", content: "Hello Alice!" },
      user("What is my name?"),
    ],
  },
  "all that is repeated": {
    input: "x",
    instructions: "Be brief.",
    temperature: 0.3,
    top_p: 0.9,
    top_logprobs: 0,
    max_output_tokens: 100,
    metadata: { a: "b" },
    parallel_tool_calls: false,
    prompt_cache_key: "k",
    safety_identifier: "s",
    service_tier: "auto",
    text: { verbosity: "low" },
    reasoning: { effort: "low" },
    tools: [weather],
    tool_choice: "none",
  },
};

// The bytes of a Responses upstream are passed through. Therefore the tests run a second time with
// an option that makes the worker write its own bytes.
const ways = [...EVERY.map((protocol) => [protocol, {}]), ["responses", { OPTIONS: '{"formats":"strip"}' }]];

const passed = { anthropic: [], chat: [], responses: [], gemini: [] }; // the suite's cases, by upstream

for (const [protocol, config] of ways) {
  const passes = protocol === "responses" && !config.OPTIONS;
  describe(`to ${protocol}${config.OPTIONS ? ", translated" : ""}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol, MODELS: '{"*":"gpt-5.5"}', ...config });
    const post = (body) =>
      ask(f.url, {
        path: "/v1/responses",
        headers: { authorization: `Bearer ${CLIENT_KEY}` },
        body: { model: "any", ...body },
      });

    for (const [name, request] of Object.entries(requests)) {
      test(`${name}: the response is complete, plain and streamed`, async () => {
        obedient(f.up, protocol, { lenient: passes });
        const plain = await post(request);
        assert.equal(plain.status, 200, plain.text);
        const body = JSON.parse(plain.text);
        checkResponse(body);
        assert.equal(body.status, "completed");
        const streamed = await post({ ...request, stream: true });
        assert.equal(streamed.status, 200, streamed.text);
        const events = parse(streamed.text);
        events.forEach(checkEvent);
        const last = events.at(-1);
        assert.equal(last.type, "response.completed");
        if (request.tools && request.tool_choice !== "none")
          assert.equal(body.output.at(-1).type, "function_call");
        if (passes) return;
        assert.ok(body.completed_at >= body.created_at || body.created_at === 1);
        for (const { response } of [{ response: body }, last])
          for (const [key, value] of Object.entries(request))
            if (!["input", "tools", "reasoning", "text", "service_tier"].includes(key))
              assert.deepEqual(response[key], value, key);
        if (request.tools) assert.deepEqual(body.tools, [{ ...weather, strict: false }]);
        if (request.reasoning)
          assert.deepEqual(
            [body.reasoning, body.text],
            [
              { effort: "low", summary: null },
              { verbosity: "low", format: { type: "text" } },
            ],
          );
      });
    }

    for (const template of public_?.testTemplates ?? []) {
      const skip =
        template.transport === "websocket" &&
        !globalThis.WebSocket &&
        "Node 22 has WebSocket, this one has not";
      test(`the suite: ${template.id}`, { skip }, async () => {
        const upstream = obedient(f.up, protocol, { lenient: passes });
        const config = {
          baseUrl: `${f.url}/v1`,
          apiKey: CLIENT_KEY,
          authHeaderName: "Authorization",
          useBearerPrefix: true,
          model: "any",
          runtime: "server",
        };
        const [{ status, errors }] = await public_.runAllTests(config, () => {}, [template]);
        const why = `${errors?.join("\n")}\n${upstream.refused.join("\n")}`;
        assert.equal(status, "passed", why);
        passed[protocol].push(template.id);
      });
    }
  });
}

describe("clients/results.json", { skip: !public_ || !globalThis.WebSocket }, () => {
  const row = {
    client: `Open Responses' suite of 2026-07-15`,
    api: "responses",
    suite: `its ${public_?.testTemplates.length} cases`,
  };
  before(() => {
    const all = { anthropic: 1, chat: 1, responses: 2, gemini: 1 }; // how often each case runs
    const ran = EVERY.map((upstream) => ({
      ...row,
      upstream,
      ok: passed[upstream].length === all[upstream] * public_.testTemplates.length,
    }));
    return process.env.UPDATE && update(TARGET, ran);
  });

  test("has the suite", async () => {
    const found = (await read()).find(({ client }) => client === row.client);
    assert.deepEqual(found, {
      ...row,
      passed: Object.fromEntries(EVERY.map((protocol) => [protocol, HOSTS])),
    });
  });
});

test("what the corpus' clients of Responses get", async () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { stdout } = await promisify(execFile)("go", ["run", "./wasmtest/corpus/exchanges"], {
    cwd: root,
    maxBuffer: 1 << 30,
  });
  let checked = 0;
  for (const line of stdout.trimEnd().split("\n")) {
    const { scenario, client, streamed, answer, want } = JSON.parse(line);
    // passed-through bytes of a Responses upstream
    if (client !== "responses" || want.status !== 200 || want.body === answer.body) continue;
    const text = Buffer.from(want.body, "base64").toString();
    const events = streamed
      ? parse(text)
      : [{ type: "response.completed", sequence_number: 0, response: JSON.parse(text) }];
    for (const event of events) {
      assert.doesNotThrow(() => checkEvent(event), scenario);
      const described = standard(event);
      if (public_ && described) {
        const { success, error } = public_.parseStreamingEventData(described).validationResult;
        assert.ok(success, `${scenario}: ${JSON.stringify(described)}\n${JSON.stringify(error?.issues)}`);
      }
      checked++;
    }
  }
  assert.ok(checked > 4000);
});
