// The AI SDK 6 and 7 with its provider for OpenAI's Responses: a loop of three steps with tools.
// The upstreams refuse what their vendors refuse. Unless store is false, the SDK assumes that
// answers are stored, and refers to their items.
import assert from "node:assert/strict";
import { describe } from "node:test";
import * as ai6 from "ai6";
import { createOpenAI as openai6 } from "ai6-openai";
import * as ai7 from "ai7";
import { createOpenAI as openai7 } from "ai7-openai";
import { CLIENT_KEY } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { thoughts, upstream } from "../lib/strict.mjs";

// warnings about settings that the SDK does not send for an unknown model
globalThis.AI_SDK_LOG_WARNINGS = false;

const sdks = { "AI SDK 6": [ai6, openai6], "AI SDK 7": [ai7, openai7] };
const usage = { input: 11, cached: 0, output: 7 };
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const cities = ["Oslo", "Paris"];

// run sends a prompt and runs the model's tool calls. It resolves with the text of the last step,
// the calls of each step, and the losses of each answer. then is the next turn of the conversation.
async function run([ai, createOpenAI], url, { stream, then, model = "gpt-5.5", ...openai }) {
  const lost = [];
  const provider = createOpenAI({
    baseURL: `${url}/v1`,
    apiKey: CLIENT_KEY,
    fetch: async (...request) => {
      const response = await fetch(...request);
      lost.push(response.headers.get("x-edgelingua-lost"));
      return response;
    },
  });
  const request = {
    model: provider.responses(model),
    prompt: "What is it like there?",
    tools: {
      get_weather: ai.tool({
        description: "Tells the weather.",
        strict: true,
        inputSchema: ai.jsonSchema(schema),
        execute: async ({ city }) => `rain in ${city}`,
      }),
    },
    stopWhen: ai.stepCountIs(5),
    maxRetries: 0,
    providerOptions: { openai: { reasoningEffort: "high", reasoningSummary: "auto", ...openai } },
  };
  if (then) {
    const { response } = await ai.generateText(request);
    request.messages = [
      { role: "user", content: request.prompt },
      ...response.messages,
      { role: "user", content: then },
    ];
    delete request.prompt;
  }
  if (!stream) {
    const { text, steps, totalUsage } = await ai.generateText(request);
    return {
      text,
      lost,
      totalUsage,
      called: steps.flatMap(({ toolCalls }) => toolCalls.map(({ input }) => input.city)),
    };
  }
  let failed;
  const answer = ai.streamText({ ...request, onError: ({ error }) => void (failed ??= error) });
  for await (const part of answer.fullStream) if (part.type === "error") failed ??= part.error;
  if (failed) throw failed;
  const steps = await answer.steps;
  return {
    text: await answer.text,
    lost,
    totalUsage: await answer.totalUsage,
    called: steps.flatMap(({ toolCalls }) => toolCalls.map(({ input }) => input.city)),
  };
}

// turnsOf returns two steps with a tool call each, and a last step. With said the model also writes
// a text in each step.
const turnsOf = (kind, said) => [
  ...cities.map((city, n) => ({
    reasoning: thoughts[kind](n),
    text: said ? `Let me see ${city}.` : "",
    calls: [{ id: `call_${n}`, name: "get_weather", input: { city } }],
    usage,
  })),
  { reasoning: thoughts[kind](2), text: "It rains.", calls: [], usage },
];

const names = { anthropic: "Anthropic", chat: "a Chat server", responses: "OpenAI's Responses" };

// before starts the three upstreams, each with a worker. The Chat server is DeepSeek if wanted is
// set, and requires its reasoning back; otherwise it is an unknown server. If stores is set, OpenAI
// accepts references.
const before = ({ wanted, stores, ...options }) => ({
  anthropic: upstream(
    names.anthropic,
    "anthropic",
    { "*": "claude-sonnet-4-5" },
    { host: "api.anthropic.com", ...options },
  ),
  chat: upstream(
    names.chat,
    "chat",
    {},
    { ...(wanted && { host: "api.deepseek.com", check: { reasoning: "reasoning_content" } }), ...options },
  ),
  responses: upstream(
    names.responses,
    "responses",
    { "*": "gpt-5.5" },
    { host: "api.openai.com", check: { stores }, ...options },
  ),
});

// each makes a test for each SDK, streamed and plain.
function each(name, fn) {
  for (const [sdk, parts] of Object.entries(sdks)) {
    for (const stream of [true, false])
      test(`${sdk}, ${name}, ${stream ? "streamed" : "plain"}`, () =>
        fn((url, options) => run(parts, url, { stream, ...options })));
  }
}

async function passes(run, { url, serve }, kind, options, said = true) {
  const { asked, refused, left } = serve(turnsOf(kind, said));
  const { text, called, lost, totalUsage } = await run(url, options);
  assert.deepEqual(refused, []);
  assert.equal(left.length, 0);
  assert.equal(text, "It rains.");
  assert.deepEqual(called, cities);
  assert.deepEqual([totalUsage.inputTokens, totalUsage.outputTokens], [33, 21]);
  return { asked, lost };
}

// thought reports whether a request returns the reasoning of an earlier step to the upstream.
const thought = (kind, n, body) =>
  thoughts[kind](n).every(({ text, blob }) =>
    JSON.stringify(body).includes(JSON.stringify(blob ?? text).slice(1, -1)),
  );

describe("without stored responses, where the SDK knows", () => {
  const upstreams = before({ wanted: true });
  for (const kind of Object.keys(upstreams)) {
    each(`${names[kind]}, store: false`, async (run) => {
      const { asked, lost } = await passes(run, upstreams[kind], kind, { store: false });
      assert.ok(
        thought(kind, 0, asked[1]) && thought(kind, 0, asked[2]) && thought(kind, 1, asked[2]),
        "reasoning goes back",
      );
      assert.ok(!/input/.test(lost.join()), lost.join());
    });
  }
});

describe("without stored responses, where the SDK refers to items", () => {
  const upstreams = before({ stores: true });
  each(`${names.responses}, which stores`, (run) => passes(run, upstreams.responses, "responses", {}));
  for (const kind of ["anthropic", "chat"]) {
    each(`${names[kind]}, which says nothing beside its calls`, async (run) => {
      const { lost } = await passes(run, upstreams[kind], kind, {}, false);
      for (const paths of lost.slice(1))
        assert.deepEqual(
          paths.split(",").filter((path) => path.startsWith("input")),
          ["input[1]"],
          "the reasoning of the first step",
        );
    });
    for (const model of ["gpt-5.5", "some-model"]) {
      each(`${names[kind]}, ${model}, a text before each call`, async (run) => {
        const { lost } = await passes(run, upstreams[kind], kind, { model });
        for (const paths of lost.slice(1)) assert.match(paths, /\binput\[1\]/);
      });
    }
    each(`${names[kind]}, a final text that is not stored`, async (run) => {
      const { left } = upstreams[kind].serve([{ text: "It rains.", calls: [], usage }]);
      const options = { model: "some-model", then: "Are you sure?" };
      await assert.rejects(run(upstreams[kind].url, options), ({ statusCode, isRetryable, message }) => {
        assert.deepEqual([statusCode, isRetryable], [400, false], message);
        assert.match(message, /input\[\d\].*providerOptions\.openai\.store = false.*"store":"on"/);
        return true;
      });
      assert.equal(left.length, 0);
    });
  }
});

describe("with stored responses", () => {
  const upstreams = before({
    wanted: true,
    config: { OPTIONS: '{"store":"on"}' },
    options: { faults: true, state: true },
  });
  for (const kind of Object.keys(upstreams)) {
    each(names[kind], async (run) => {
      const { asked, lost } = await passes(run, upstreams[kind], kind, {});
      assert.ok(
        thought(kind, 0, asked[1]) && thought(kind, 0, asked[2]) && thought(kind, 1, asked[2]),
        "reasoning goes back",
      );
      assert.ok(!/input/.test(lost.join()), lost.join());
    });
  }
});
