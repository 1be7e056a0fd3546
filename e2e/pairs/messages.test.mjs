// What the official Anthropic SDK gets from a Chat Completions upstream, and what that upstream gets.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { answer, call, delta, done, finish, plain, role, text, textStream, usage } from "../lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, ask, errorOf, params, sdk, streamed } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { checkMessage } from "../lib/sse.mjs";

const tool = (name) => ({
  name,
  description: `does ${name}`,
  input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
});

// A request with a type of block that the API does not have.
const unknown = params({ messages: [{ role: "user", content: [{ type: "text", text: "a" }, { type: "nonsense" }] }] });

// Text that JSON may escape in several ways, with characters of two, three and four bytes.
const odd = 'quotes " \\ / \b\f\n\r\t \u0001 \u2028 é 漢 😀 </script> data: x';

describe("anthropic to chat", () => {
  const f = fixture();

  test("text, streamed", async () => {
    const client = sdk(f.url);
    const answered = streamed(client, params({ system: "Be brief.", temperature: 0.5, top_p: 0.9, stop_sequences: ["END"] }));
    const x = await f.up.next();
    assert.equal(x.method, "POST");
    assert.equal(x.path, "/v1/chat/completions");
    assert.equal(x.headers.authorization, `Bearer ${UPSTREAM_KEY}`);
    assert.match(x.headers["content-type"], /^application\/json\b/);
    assert.ok(!JSON.stringify(x.headers).includes(CLIENT_KEY), "the client's key reached the upstream");
    for (const name of Object.keys(x.headers)) assert.doesNotMatch(name, /^(x-api-key|anthropic-|x-stainless-)/);
    const { model, messages, stream, stream_options, max_tokens, max_completion_tokens, temperature, top_p, stop } = x.json;
    assert.deepEqual(
      { model, messages, stream, include: stream_options?.include_usage, limit: max_tokens ?? max_completion_tokens, temperature, top_p, stop },
      {
        model: "claude-test",
        messages: [
          { role: "system", content: "Be brief." },
          { role: "user", content: "hi" },
        ],
        stream: true,
        include: true,
        limit: 64,
        temperature: 0.5,
        top_p: 0.9,
        stop: ["END"],
      },
    );
    await x.stream(textStream("Hel", "lo ", odd));
    const message = await answered;
    assert.deepEqual(message.content.map((block) => block.text), [`Hello ${odd}`]);
    assert.equal(message.stop_reason, "end_turn");
    assert.equal(message.model, "claude-test");
    assert.equal(message.usage.input_tokens, 11);
    assert.equal(message.usage.output_tokens, 7);
  });

  test("text, plain", async () => {
    f.up.serve((x) => x.answer(200, plain({ content: odd })));
    const message = await sdk(f.url).messages.create(params());
    assert.equal(f.up.requests[0].json.stream ?? false, false);
    assert.equal(f.up.requests[0].json.stream_options, undefined);
    assert.deepEqual(message.content.map((block) => block.text), [odd]);
    assert.equal(message.stop_reason, "end_turn");
    assert.equal(message.model, "claude-test");
    assert.equal(message.usage.input_tokens, 11);
    assert.equal(message.usage.output_tokens, 7);
  });

  test("the plain answer has the shape of the API", async () => {
    f.up.serve((x) => x.answer(200, plain({ content: "ok" })));
    const { status, headers, text } = await ask(f.url, { body: params() });
    assert.equal(status, 200);
    assert.match(headers["content-type"], /^application\/json\b/);
    checkMessage(JSON.parse(text));
  });

  test("the key as Authorization: Bearer, and a query behind the path", async () => {
    f.up.serve((x) => answer(x));
    const { status } = await ask(f.url, {
      path: "/v1/messages?beta=true",
      headers: { authorization: `Bearer ${CLIENT_KEY}` },
      body: params(),
    });
    assert.equal(status, 200);
    const message = await sdk(f.url, { apiKey: null, authToken: CLIENT_KEY }).messages.create(params());
    assert.equal(message.content[0].text, "ok");
  });

  const calls = [
    { id: "call_Ab-1", name: "read", input: { path: 'a "quoted" \\ name' } },
    { id: "call_2_xyz", name: "list", input: { path: "😀" } },
  ];
  const callStream = [
    role,
    text("Let me look."),
    call(0, { id: calls[0].id, type: "function", function: { name: "read", arguments: "" } }),
    ...pieces(JSON.stringify(calls[0].input)).map((part) => call(0, { function: { arguments: part } })),
    call(1, { id: calls[1].id, type: "function", function: { name: "list", arguments: "" } }),
    ...pieces(JSON.stringify(calls[1].input)).map((part) => call(1, { function: { arguments: part } })),
    finish("tool_calls"),
    usage(),
    done,
  ];
  const callPlain = plain(
    {
      content: "Let me look.",
      tool_calls: calls.map(({ id, name, input }) => ({ id, type: "function", function: { name, arguments: JSON.stringify(input) } })),
    },
    "tool_calls",
  );

  for (const mode of ["streamed", "plain"]) {
    test(`two turns with two parallel tool calls, ${mode}`, async () => {
      const client = sdk(f.url);
      const run = (request) => (mode === "streamed" ? streamed(client, request) : client.messages.create(request));
      const tools = [tool("read"), tool("list")];
      const question = { role: "user", content: "What is here?" };

      const first = run(params({ tools, messages: [question] }));
      const x = await f.up.next();
      assert.deepEqual(
        x.json.tools.map(({ type, function: { name, description, parameters } }) => ({ type, name, description, parameters })),
        tools.map(({ name, description, input_schema }) => ({ type: "function", name, description, parameters: input_schema })),
      );
      await (mode === "streamed" ? x.stream(callStream) : x.answer(200, callPlain));
      const message = await first;
      assert.equal(message.stop_reason, "tool_use");
      assert.deepEqual(
        message.content.map(({ type, text, id, name, input }) => (type === "text" ? { text } : { id, name, input })),
        [{ text: "Let me look." }, ...calls],
      );

      const results = {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: calls[0].id, content: odd },
          { type: "tool_result", tool_use_id: calls[1].id, content: [{ type: "text", text: "no such folder" }], is_error: true },
          { type: "text", text: "Go on." },
        ],
      };
      const second = run(params({ tools, messages: [question, { role: "assistant", content: message.content }, results] }));
      const y = await f.up.next();
      const [user, assistant, ...rest] = y.json.messages;
      assert.deepEqual(user, { role: "user", content: "What is here?" });
      assert.equal(assistant.role, "assistant");
      assert.equal(assistant.content, "Let me look.");
      assert.deepEqual(
        assistant.tool_calls.map(({ id, type, function: { name, arguments: input } }) => ({ id, type, name, input: JSON.parse(input) })),
        calls.map((call) => ({ type: "function", ...call })),
      );
      assert.deepEqual(rest.map((message) => message.role), ["tool", "tool", "user"]);
      assert.deepEqual(rest[0], { role: "tool", tool_call_id: calls[0].id, content: odd });
      assert.equal(rest[1].tool_call_id, calls[1].id);
      assert.match(rest[1].content, /^error\b.*no such folder/i);
      assert.equal(rest[2].content, "Go on.");
      await answer(y, "Done.");
      assert.equal((await second).content[0].text, "Done.");
    });
  }

  test("a call without arguments has an empty object as input", async () => {
    f.up.serve((x) =>
      x.stream([role, call(0, { id: "call_1", type: "function", function: { name: "list", arguments: "" } }), finish("tool_calls"), usage(), done]),
    );
    const message = await streamed(sdk(f.url), params({ tools: [tool("list")] }));
    assert.deepEqual(message.content[0].input, {});
  });

  test("a call alone starts at index 0", async () => {
    f.up.serve((x) =>
      x.stream([
        delta({ role: "assistant", content: null, tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "list", arguments: "{}" } }] }),
        finish("tool_calls"),
        usage(),
        done,
      ]),
    );
    const message = await streamed(sdk(f.url), params({ tools: [tool("list")] }));
    assert.deepEqual(message.content.map((block) => block.type), ["tool_use"]);
  });

  for (const [choice, expected] of [
    [{ type: "auto" }, "auto"],
    [{ type: "any" }, "required"],
    [{ type: "none" }, "none"],
    [{ type: "tool", name: "read" }, { type: "function", function: { name: "read" } }],
  ]) {
    test(`tool_choice ${choice.type}`, async () => {
      f.up.serve((x) => answer(x));
      await sdk(f.url).messages.create(params({ tools: [tool("read")], tool_choice: choice }));
      assert.deepEqual(f.up.requests[0].json.tool_choice, expected);
      assert.equal(f.up.requests[0].json.parallel_tool_calls, undefined);
    });
  }

  test("what can't be carried is reported", async () => {
    f.up.serve((x) => answer(x));
    for (const stream of [false, true]) {
      const { status, headers } = await ask(f.url, { body: { ...unknown, stream } });
      assert.equal(status, 200);
      assert.match(headers["x-edgelingua-lost"], /messages\[0\]\.content\[1\]/);
    }
    const { headers } = await ask(f.url, { body: params() });
    assert.equal(headers["x-edgelingua-lost"], undefined);
  });

  test("system as an array, without the billing header", async () => {
    f.up.serve((x) => answer(x));
    const system = [
      { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.329.54e; cc_entrypoint=sdk-cli;" },
      { type: "text", text: "First.", cache_control: { type: "ephemeral" } },
      { type: "text", text: "Second." },
    ];
    await streamed(sdk(f.url), params({ system }));
    const [first, ...rest] = f.up.requests[0].json.messages;
    assert.equal(first.role, "system");
    assert.match(first.content, /^First\.\s*Second\.$/);
    assert.deepEqual(rest, [{ role: "user", content: "hi" }]);
  });

  for (const [reason, expected] of [
    ["stop", "end_turn"],
    ["length", "max_tokens"],
    ["content_filter", "refusal"],
  ]) {
    test(`finish_reason ${reason}`, async () => {
      f.up.serve((x) =>
        x.json.stream ? x.stream([role, text("some"), finish(reason), usage(), done]) : x.answer(200, plain({ content: "some" }, reason)),
      );
      assert.equal((await streamed(sdk(f.url), params())).stop_reason, expected);
      assert.equal((await sdk(f.url).messages.create(params())).stop_reason, expected);
    });
  }

  test("finish_reason stop behind a tool call", async () => {
    const made = { id: "call_1", type: "function", function: { name: "list", arguments: "{}" } };
    f.up.serve((x) =>
      x.json.stream ? x.stream([role, call(0, made), finish("stop"), usage(), done]) : x.answer(200, plain({ tool_calls: [made] }, "stop")),
    );
    const request = params({ tools: [tool("list")] });
    assert.equal((await streamed(sdk(f.url), request)).stop_reason, "tool_use");
    assert.equal((await sdk(f.url).messages.create(request)).stop_reason, "tool_use");
  });

  test("usage with cached tokens", async () => {
    const counts = { prompt_tokens: 100, completion_tokens: 7, total_tokens: 107, prompt_tokens_details: { cached_tokens: 40 } };
    f.up.serve((x) =>
      x.json.stream ? x.stream([role, text("ok"), finish("stop"), usage(counts), done]) : x.answer(200, plain({ content: "ok" }, "stop", counts)),
    );
    for (const message of [await streamed(sdk(f.url), params()), await sdk(f.url).messages.create(params())]) {
      const { input_tokens, cache_read_input_tokens, output_tokens } = message.usage;
      assert.deepEqual({ input_tokens, cache_read_input_tokens, output_tokens }, { input_tokens: 60, cache_read_input_tokens: 40, output_tokens: 7 });
    }
  });

  test("an upstream without usage and without [DONE]", async () => {
    f.up.serve((x) => x.stream([role, text("ok"), finish("stop")]));
    const message = await streamed(sdk(f.url), params());
    assert.equal(message.content[0].text, "ok");
    assert.equal(message.stop_reason, "end_turn");
  });

  test("each token leaves as it comes", async () => {
    const client = sdk(f.url);
    const stream = client.messages.stream(params());
    const seen = [];
    let notify = () => {};
    stream.on("text", (part) => {
      seen.push(part);
      notify();
    });
    const x = await f.up.next();
    x.head();
    await x.send(role);
    for (const part of ["one", "two", "three"]) {
      const came = new Promise((resolve) => (notify = resolve));
      await x.send(text(part));
      await came; // the next token is sent only when the client has this one
    }
    for (const part of [finish("stop"), usage(), done]) await x.send(part);
    await x.end();
    await stream.done();
    assert.deepEqual(seen, ["one", "two", "three"]);
  });
});

describe("with a model map", () => {
  const f = fixture({ MODELS: JSON.stringify({ "claude-haiku-*": "small", "claude-*": "large", exact: "other" }) });

  for (const [asked, sent] of [
    ["claude-haiku-4-5", "small"],
    ["claude-opus-5-5", "large"],
    ["exact", "other"],
    ["unknown", "unknown"],
  ]) {
    test(`${asked} becomes ${sent}`, async () => {
      f.up.serve((x) => answer(x));
      const message = await streamed(sdk(f.url), params({ model: asked }));
      assert.equal(f.up.requests[0].json.model, sent);
      assert.equal(message.model, asked);
    });
  }
});

describe("with options", () => {
  const f = fixture({
    OPTIONS: JSON.stringify({ lossy: "refuse" }),
    UPSTREAM_OPTIONS: JSON.stringify({
      parallel_flag: "send",
      token_param: "max_completion_tokens",
      max_output_tokens: 50,
      stream_usage: "omit",
      headers: { "x-title": "e2e, with a comma" },
    }),
  });

  test("they change the request", async () => {
    f.up.serve((x) => answer(x));
    const request = params({ tools: [tool("read")], tool_choice: { type: "auto", disable_parallel_tool_use: true } });
    await streamed(sdk(f.url), request);
    const { headers, json } = f.up.requests[0];
    assert.equal(json.parallel_tool_calls, false);
    assert.equal(json.max_completion_tokens, 50);
    assert.equal(json.max_tokens, undefined);
    assert.equal(json.stream_options, undefined);
    assert.equal(headers["x-title"], "e2e, with a comma");
  });

  test("what can't be carried is refused", async () => {
    const err = errorOf(await ask(f.url, { body: unknown }), 400, "invalid_request_error");
    assert.match(err.message, /messages[.[]0\]?\.content[.[]1/);
    assert.equal(f.up.requests.length, 0);
  });
});

// pieces cuts a text into parts of three UTF-16 units, some of which end inside a surrogate pair or an escape.
function pieces(value) {
  return value.match(/.{1,3}/gs);
}
