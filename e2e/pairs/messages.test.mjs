// The results of the official Anthropic SDK with a Chat Completions upstream, and the upstream's
// requests. More is in worker/serve/messages_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { answer, call, done, finish, role, text, textStream, usage } from "../lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, params, sdk, streamed } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";

const tool = (name) => ({
  name,
  description: `does ${name}`,
  input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
});

// Text that JSON may escape in several ways, with characters of two, three and four bytes.
const odd = 'quotes " \\ / \b\f\n\r\t \u0001 \u2028 é 漢 😀 </script> data: x';

describe("anthropic to chat", () => {
  const f = fixture();

  test("text, streamed", async () => {
    const client = sdk(f.url);
    const answered = streamed(
      client,
      params({ system: "Be brief.", temperature: 0.5, top_p: 0.9, stop_sequences: ["END"] }),
    );
    const x = await f.up.next();
    assert.equal(x.method, "POST");
    assert.equal(x.path, "/v1/chat/completions");
    assert.equal(x.headers.authorization, `Bearer ${UPSTREAM_KEY}`);
    assert.match(x.headers["content-type"], /^application\/json\b/);
    assert.ok(!JSON.stringify(x.headers).includes(CLIENT_KEY), "the client's key reached the upstream");
    for (const name of Object.keys(x.headers))
      assert.doesNotMatch(name, /^(x-api-key|anthropic-|x-stainless-)/);
    const {
      model,
      messages,
      stream,
      stream_options,
      max_tokens,
      max_completion_tokens,
      temperature,
      top_p,
      stop,
    } = x.json;
    assert.deepEqual(
      {
        model,
        messages,
        stream,
        include: stream_options?.include_usage,
        limit: max_tokens ?? max_completion_tokens,
        temperature,
        top_p,
        stop,
      },
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
    assert.deepEqual(
      message.content.map((block) => block.text),
      [`Hello ${odd}`],
    );
    assert.equal(message.stop_reason, "end_turn");
    assert.equal(message.model, "claude-test");
    assert.equal(message.usage.input_tokens, 11);
    assert.equal(message.usage.output_tokens, 7);
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

  test("two turns with two parallel tool calls", async () => {
    const client = sdk(f.url);
    const tools = [tool("read"), tool("list")];
    const question = { role: "user", content: "What is here?" };

    const first = streamed(client, params({ tools, messages: [question] }));
    const x = await f.up.next();
    assert.deepEqual(
      x.json.tools.map(({ type, function: { name, description, parameters } }) => ({
        type,
        name,
        description,
        parameters,
      })),
      tools.map(({ name, description, input_schema }) => ({
        type: "function",
        name,
        description,
        parameters: input_schema,
      })),
    );
    await x.stream(callStream);
    const message = await first;
    assert.equal(message.stop_reason, "tool_use");
    assert.deepEqual(
      message.content.map(({ type, text, id, name, input }) =>
        type === "text" ? { text } : { id, name, input },
      ),
      [{ text: "Let me look." }, ...calls],
    );

    const results = {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: calls[0].id, content: odd },
        {
          type: "tool_result",
          tool_use_id: calls[1].id,
          content: [{ type: "text", text: "no such folder" }],
          is_error: true,
        },
        { type: "text", text: "Go on." },
      ],
    };
    const second = streamed(
      client,
      params({ tools, messages: [question, { role: "assistant", content: message.content }, results] }),
    );
    const y = await f.up.next();
    const [user, assistant, ...rest] = y.json.messages;
    assert.deepEqual(user, { role: "user", content: "What is here?" });
    assert.equal(assistant.role, "assistant");
    assert.equal(assistant.content, "Let me look.");
    assert.deepEqual(
      assistant.tool_calls.map(({ id, type, function: { name, arguments: input } }) => ({
        id,
        type,
        name,
        input: JSON.parse(input),
      })),
      calls.map((call) => ({ type: "function", ...call })),
    );
    assert.deepEqual(
      rest.map((message) => message.role),
      ["tool", "tool", "user"],
    );
    assert.deepEqual(rest[0], { role: "tool", tool_call_id: calls[0].id, content: odd });
    assert.equal(rest[1].tool_call_id, calls[1].id);
    assert.match(rest[1].content, /^error\b.*no such folder/i);
    assert.equal(rest[2].content, "Go on.");
    await answer(y, "Done.");
    assert.equal((await second).content[0].text, "Done.");
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
      await came; // the next token is sent only after the client has received the previous token
    }
    for (const part of [finish("stop"), usage(), done]) await x.send(part);
    await x.end();
    await stream.done();
    assert.deepEqual(seen, ["one", "two", "three"]);
  });
});

// pieces cuts a text into parts of three UTF-16 units. Some parts end inside a surrogate pair or an
// escape.
function pieces(value) {
  return value.match(/.{1,3}/gs);
}
