// Google's own SDK with each upstream, and the other clients' sessions with a strict Google
// upstream.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe } from "node:test";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { ChatGoogleGenerativeAI } from "@langchain/google-genai";
import * as chat from "../lib/chat.mjs";
import { CLIENT_KEY, ask } from "../lib/client.mjs";
import { fixture, test, worker } from "../lib/fixture.mjs";
import { streams } from "../lib/gemini.mjs";
import { EVERY, genai, talker, upstreams } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { geminiMembers, vendor } from "../lib/vendor.mjs";

const usage = { input: 11, cached: 0, output: 7 };
const say = (text, more) => ({ text, calls: [], usage, ...more });
const pixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const PATH = "/v1beta/models/m:generateContent";
const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
const modes = [
  ["streamed", true],
  ["plain", false],
];

// collected resolves with all chunks of an answer, or with a plain answer as the only chunk.
async function collected(models, request, stream) {
  if (!stream) return [await models.generateContent(request)];
  const all = [];
  for await (const chunk of await models.generateContentStream(request)) all.push(chunk);
  return all;
}

const partsOf = (answers) => answers.flatMap(({ candidates }) => candidates[0].content.parts);

for (const protocol of EVERY) {
  describe(`@google/genai to ${protocol}`, () => {
    const f = fixture({
      UPSTREAM_PROTOCOL: protocol,
      UPSTREAM_OPTIONS: '{"effort":["low","medium","high"]}',
    });
    const { play } = upstreams[protocol];

    for (const [mode, stream] of modes) {
      test(`a chat with thoughts, a call and its result, ${mode}`, async () => {
        const thought = {
          text: "Hm, the weather.",
          blob: "c2lnbmVk",
          ...(protocol === "responses" && { id: "rs_1" }),
        };
        const bodies = [];
        f.up.serve((x) => {
          bodies.push(x.json);
          return play(
            x,
            bodies.length === 1
              ? say("", {
                  reasoning: [thought],
                  calls: [{ id: "call_Ab1", name: "get_weather", input: { city: "Oslo" } }],
                })
              : say("Cold."),
          );
        });
        const config = {
          thinkingConfig: { includeThoughts: true, thinkingBudget: 2048 },
          tools: [
            {
              functionDeclarations: [
                {
                  name: "get_weather",
                  parameters: { type: "OBJECT", properties: { city: { type: "STRING" } } },
                },
              ],
            },
          ],
        };
        const chat = genai(f.url).chats.create({ model: "gemini-3-pro-preview", config });
        const send = async (message) => {
          if (!stream) return [await chat.sendMessage({ message })];
          const all = [];
          for await (const chunk of await chat.sendMessageStream({ message })) all.push(chunk);
          return all;
        };
        const first = partsOf(await send("Weather in Oslo?"));
        assert.equal(
          first
            .filter(({ thought }) => thought)
            .map(({ text }) => text)
            .join(""),
          thought.text,
        );
        const { functionCall: call } = first.find(({ functionCall }) => functionCall);
        assert.deepEqual(
          { name: call.name, args: call.args },
          { name: "get_weather", args: { city: "Oslo" } },
        );
        const second = await send([
          { functionResponse: { id: call.id, name: call.name, response: { output: "-3" } } },
        ]);
        assert.equal(
          partsOf(second)
            .map(({ text = "" }) => text)
            .join(""),
          "Cold.",
        );
        assert.equal(
          chat.getHistory().length,
          chat.getHistory(true).length,
          "the SDK found an answer that it can't send back",
        );
        const back = JSON.stringify(bodies[1]);
        // only some known servers of Chat Completions accept a signature
        if (protocol !== "chat") assert.ok(back.includes("c2lnbmVk"), `the signature is lost: ${back}`);
        assert.ok(back.includes("-3"));
      });

      test(`an image, a system instruction and a format, ${mode}`, async () => {
        f.up.serve((x) => play(x, say('{"a":1}')));
        const schema = { type: "OBJECT", properties: { a: { type: "INTEGER" } }, required: ["a"] };
        const request = {
          model: "gemini-2.5-flash",
          contents: [
            {
              role: "user",
              parts: [{ text: "What is it?" }, { inlineData: { mimeType: "image/png", data: pixel } }],
            },
          ],
          config: {
            systemInstruction: "Be brief.",
            responseMimeType: "application/json",
            responseSchema: schema,
            maxOutputTokens: 99,
          },
        };
        const answers = await collected(genai(f.url).models, request, stream);
        assert.equal(
          partsOf(answers)
            .map(({ text }) => text)
            .join(""),
          '{"a":1}',
        );
        const sent = JSON.stringify(f.up.requests.at(-1).json);
        for (const held of [pixel, "Be brief.", "integer", "99"])
          assert.ok(
            protocol === "gemini" ? sent.toLowerCase().includes(held.toLowerCase()) : sent.includes(held),
            `${held} is not in ${sent}`,
          );
      });

      test(`an error of the upstream's, ${mode}`, async () => {
        f.up.serve((x) =>
          x.answer(
            429,
            {
              error: {
                code: 429,
                message: "Slow down.",
                status: "RESOURCE_EXHAUSTED",
                type: "rate_limit_error",
              },
            },
            { "retry-after": "7" },
          ),
        );
        await assert.rejects(
          collected(genai(f.url).models, { model: "m", contents: "Hi" }, stream),
          (error) => {
            assert.equal(error.status, 429);
            assert.match(error.message, /Slow down/);
            if (protocol !== "gemini") assert.match(error.message, /"retryDelay":"7s"/);
            return true;
          },
        );
      });
    }

    test("a stream that breaks off", async () => {
      f.up.serve(async (x) => {
        await x.begin?.();
        return x.cut();
      });
      await assert.rejects(collected(genai(f.url).models, { model: "m", contents: "Hi" }, true));
    });

    test("tokens and models", async () => {
      f.up.serve((x) =>
        x.path.includes("countTokens")
          ? x.answer(200, { totalTokens: 5 })
          : x.path.includes("/models")
            ? x.answer(
                200,
                protocol === "gemini"
                  ? { models: [{ name: "models/some-model" }] }
                  : {
                      object: "list",
                      data: [
                        {
                          id: "some-model",
                          type: "model",
                          object: "model",
                          created: 1,
                          owned_by: "v",
                          display_name: "Some",
                        },
                      ],
                      has_more: false,
                    },
              )
            : x.answer(404, {}),
      );
      const { models } = genai(f.url);
      assert.ok((await models.countTokens({ model: "m", contents: "Hello there" })).totalTokens > 0);
      const names = [];
      for await (const { name } of await models.list()) names.push(name);
      assert.deepEqual(names, ["models/some-model"]);
    });
  });
}

// LangChain uses Google's older SDK, @google/generative-ai, which reads an error in a chunk as a
// normal chunk.
for (const protocol of EVERY) {
  describe(`LangChain to ${protocol}`, () => {
    const f = fixture({ UPSTREAM_PROTOCOL: protocol });
    const model = () =>
      new ChatGoogleGenerativeAI({
        model: "gemini-3-pro-preview",
        apiKey: CLIENT_KEY,
        baseUrl: f.url,
        maxRetries: 0,
      });

    for (const [mode, stream] of modes) {
      test(`two calls and their results, ${mode}`, async () => {
        const calls = ["Oslo", "Lima"].map((city, i) => ({
          id: `call_${i}`,
          name: "get_weather",
          input: { city },
        }));
        let asked = 0;
        f.up.serve((x) =>
          upstreams[protocol].play(x, asked++ === 0 ? say("Let me look.", { calls }) : say("Cold.")),
        );
        const bound = model().bindTools([
          {
            name: "get_weather",
            description: "The weather.",
            schema: { type: "object", properties: { city: { type: "string" } } },
          },
        ]);
        const send = async (messages) => {
          if (!stream) return bound.invoke(messages);
          let all;
          for await (const chunk of await bound.stream(messages)) all = all ? all.concat(chunk) : chunk;
          return all;
        };
        const question = new HumanMessage("Weather?");
        const first = await send([question]);
        assert.deepEqual(
          first.tool_calls.map(({ name, args }) => ({ name, args })),
          calls.map(({ name, input }) => ({ name, args: input })),
        );
        const results = first.tool_calls.map(
          ({ id, name, args }) =>
            new ToolMessage({ tool_call_id: id, name, content: `cold in ${args.city}` }),
        );
        const second = await send([question, first, ...results]);
        assert.equal(second.text, "Cold.");
        assert.equal(second.usage_metadata.output_tokens, 7);
        const { results: told } = upstreams[protocol].read(
          f.up.requests.at(-1).json,
          f.up.requests.at(-1).path,
        );
        assert.deepEqual(
          told.map(({ text }) => text),
          ["cold in Oslo", "cold in Lima"],
        );
      });
    }
  });
}

describe("a stream that breaks off behind its first words", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "chat" });
  const half = async (x) => {
    x.head();
    await x.send(chat.role + chat.text("Half"));
    x.cut();
  };

  test("is a failure for Google's SDKs", async () => {
    f.up.serve(half);
    await assert.rejects(
      collected(genai(f.url).models, { model: "m", contents: "Hi" }, true),
      /stream|error/i,
    );
    // If a stream ends with something other than an event, the older SDK fails. The test does not
    // run the older SDK, because its failure leaves an unhandled rejection.
    const { text } = await ask(f.url, {
      path: "/v1beta/models/m:streamGenerateContent?alt=sse",
      headers: { "x-goog-api-key": CLIENT_KEY },
      body,
    });
    const [said, wrong, bare, ...more] = text.split("\n\n");
    assert.match(said, /^data: .*"Half"/);
    assert.equal(wrong, `data: ${bare}`);
    assert.ok(JSON.parse(bare).error.message);
    assert.deepEqual(more, [""]);
  });
});

describe("the ways to ask", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "chat" });

  for (const [name, path, headers] of [
    ["x-goog-api-key", PATH, { "x-goog-api-key": CLIENT_KEY }],
    ["a bearer token", PATH, { authorization: `Bearer ${CLIENT_KEY}` }],
    ["the query", `${PATH}?key=${CLIENT_KEY}`, {}],
    ["/v1 and the query", `/v1/models/m:generateContent?key=${CLIENT_KEY}`, {}],
  ]) {
    test(`the key in ${name}`, async () => {
      f.up.serve((x) => upstreams.chat.play(x, say("ok")));
      const { status, text } = await ask(f.url, { path, headers, body });
      assert.equal(status, 200, text);
      assert.equal(JSON.parse(text).candidates[0].content.parts[0].text, "ok");
      assert.ok(
        !JSON.stringify(f.up.requests.at(-1).headers).includes(CLIENT_KEY) &&
          !f.up.requests.at(-1).path.includes(CLIENT_KEY),
        "the client's key reached the upstream",
      );
    });
  }

  test("a wrong key, and a stream without alt=sse", async () => {
    const wrong = await ask(f.url, { path: PATH, headers: { "x-goog-api-key": "no" }, body });
    assert.equal(wrong.status, 401);
    assert.equal(JSON.parse(wrong.text).error.status, "UNAUTHENTICATED");
    const array = await ask(f.url, {
      path: "/v1beta/models/m:streamGenerateContent",
      headers: { "x-goog-api-key": CLIENT_KEY },
      body,
    });
    assert.equal(array.status, 400);
    assert.match(array.text, /add alt=sse to the query/);
    assert.equal(f.up.requests.length, 0);
  });

  test("a model with a slash in its name", async () => {
    f.up.serve((x) => upstreams.chat.play(x, say("ok")));
    await genai(f.url).models.generateContent({ model: "vendor/some-model", contents: "Hi" });
    assert.equal(f.up.requests.at(-1).json.model, "vendor/some-model");
  });
});

// Google's query parameters set the format of an answer, and may contain a token.
describe("the query of a request that passes", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "gemini" });
  const headers = { "x-goog-api-key": CLIENT_KEY };

  test("has nothing of the client's but the page of a list", async () => {
    f.up.serve((x) =>
      x.path.includes(":") ? upstreams.gemini.play(x, say("ok")) : x.answer(200, { models: [] }),
    );
    assert.equal(
      (
        await ask(f.url, {
          path: `${PATH}?fields=candidates&$alt=json&access_token=t&key=${CLIENT_KEY}`,
          headers: {},
          body,
        })
      ).status,
      200,
    );
    assert.equal(f.up.requests.at(-1).path, PATH);
    const stream = "/v1beta/models/m:streamGenerateContent";
    assert.equal(
      (await ask(f.url, { path: `${stream}?alt=sse&fields=candidates&$alt=json`, headers, body })).status,
      200,
    );
    assert.equal(f.up.requests.at(-1).path, `${stream}?alt=sse`);
    assert.equal(
      (await ask(f.url, { path: "/v1beta/models?pageSize=5&pageToken=abc&fields=x", method: "GET", headers }))
        .status,
      200,
    );
    assert.equal(f.up.requests.at(-1).path, "/v1beta/models?pageSize=5&pageToken=abc");
  });
});

describe("an upstream that refuses what Google refuses", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "gemini", MODELS: '{"*":"gemini-3-pro-preview"}' });
  const old = fixture({ UPSTREAM_PROTOCOL: "gemini", MODELS: '{"*":"gemini-2.5-flash"}' });
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    type: "object",
    properties: { city: { type: "string", const: "x" } },
    additionalProperties: false,
  };
  const tools = [
    { name: "get_weather", schema },
    { name: "1password__get", schema: { type: "object", properties: {} } },
  ];

  for (const [generation, way] of [
    ["Gemini 3", f],
    ["Gemini 2.5", old],
  ]) {
    for (const client of EVERY) {
      for (const [mode, stream] of modes) {
        test(`a session of ${client} with ${generation}, ${mode}`, async () => {
          const ids = generation === "Gemini 3"; // Gemini 2.5 gives calls no ids
          const call = (id, input) => ({ id: ids ? id : undefined, name: "get_weather", input });
          const { asked, refused } = vendor(way.up, "gemini", [
            say("Both.", {
              calls: [call("g1", { city: "x" }), call("g1b", { city: "y" })],
              reasoning: [{ text: "Hm.", blob: "c2ln" }],
            }),
            say("", { calls: [call("g2", {})] }),
            say("Done."),
          ]);
          // Google's own clients send only requests that the strict upstream accepts from them.
          const talk = talker(client, way.url, {
            stream,
            tools:
              client === "gemini"
                ? [
                    {
                      name: "get_weather",
                      schema: { type: "object", properties: { city: { type: "string" } } },
                    },
                  ]
                : tools,
          });
          let turn = await talk.say("Weather?");
          while (turn.calls.length > 0)
            turn = await talk.answer(turn.calls.map(({ id }) => ({ id, text: "cold" })));
          assert.equal(turn.text, "Done.");
          assert.deepEqual(refused, []);
          assert.equal(asked.length, 3);
          for (const x of way.up.requests) assert.equal(streams(x), stream);
        });
      }
    }
  }
});

test("a base URL may end in the version", async (t) => {
  const up = await upstream();
  t.after(() => up.close());
  const root = up.url.replace(/\/v1$/, "");
  up.serve((x) => upstreams.gemini.play(x, say("Hello")));
  for (const [base, path] of [
    ["", "/v1beta"],
    ["/v1/v1", "/v1"],
    ["/v1beta", "/v1beta"],
  ]) {
    // worker removes one /v1
    const url = await worker(t, root + base, { UPSTREAM_PROTOCOL: "gemini", MODELS: '{"*":"n"}' });
    const { status, text } = await ask(url, {
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${CLIENT_KEY}` },
      body: { model: "m", messages: [{ role: "user", content: "Hi" }] },
    });
    assert.equal(status, 200, text);
    assert.equal(up.requests.at(-1).path, `${path}/models/n:generateContent`);
  }
});

test("the strict upstream takes no members but those of the SDK's types", async () => {
  const types = await readFile(
    new URL("../node_modules/@google/genai/dist/genai.d.ts", import.meta.url),
    "utf8",
  );
  const membersOf = (name) => {
    const [, body] = new RegExp(`^export declare (?:interface|class) ${name} \\{\r?\n(.*?)^\\}`, "ms").exec(
      types,
    );
    return [...body.matchAll(/^ {4}(\w+)\??: /gm)].map(([, member]) => member);
  };
  const { request: _, ...shapes } = await geminiMembers();
  const names = {
    content: "Content",
    tool: "Tool",
    function: "FunctionDeclaration",
    config: "GenerationConfig|GenerateContentConfig",
    call: "FunctionCall",
    response: "FunctionResponse",
    schema: "Schema",
    part: "Part",
  };
  for (const [kind, list] of Object.entries(shapes)) {
    const known = names[kind].split("|").flatMap(membersOf);
    assert.ok(known.length > 1, kind);
    for (const member of list) assert.ok(known.includes(member), `${kind}.${member}`);
  }
});
