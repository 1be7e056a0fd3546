// Custom tools, namespaces and the local shell with OpenAI's SDK, streamed with its helper and
// plain.
import assert from "node:assert/strict";
import { test } from "../../lib/fixture.mjs";
import { openai } from "../../lib/turns.mjs";
import { thoughts } from "../../lib/strict.mjs";

const usage = { input: 11, cached: 0, output: 7 };
const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const patch = '*** Begin Patch\n+"quotes" \\ é 漢 😀\n';

const run = {
  responses: async (url, stream) => {
    const tools = [
      {
        type: "custom",
        name: "apply_patch",
        format: { type: "grammar", syntax: "lark", definition: "start: /.+/" },
      },
      {
        type: "namespace",
        name: "crm",
        description: "",
        tools: [{ type: "function", name: "look", strict: true, parameters: schema }],
      },
      { type: "local_shell" },
    ];
    const input = [{ role: "user", content: "Go on." }];
    const ask = async () => {
      const request = {
        model: "gpt-4.1",
        store: false,
        input,
        tools,
        include: ["reasoning.encrypted_content"],
      };
      const { responses } = openai(url);
      const { output, output_text } = await (stream
        ? responses.stream(request).finalResponse()
        : responses.create(request));
      input.push(...output);
      return { output, output_text };
    };
    const { output } = await ask();
    const [custom, func, shell] = output.slice(-3);
    assert.deepEqual([custom.type, custom.name, custom.input], ["custom_tool_call", "apply_patch", patch]);
    assert.deepEqual(
      [func.type, func.namespace, func.name, JSON.parse(func.arguments)],
      ["function_call", "crm", "look", { city: "Oslo" }],
    );
    assert.deepEqual([shell.type, shell.action.command], ["local_shell_call", ["ls"]]);
    input.push({ type: "custom_tool_call_output", call_id: custom.call_id, output: "ok" });
    for (const { call_id } of [func, shell])
      input.push({ type: "function_call_output", call_id, output: "ok" });
    return (await ask()).output_text;
  },
  chat: async (url, stream) => {
    const tools = [
      {
        type: "custom",
        custom: {
          name: "apply_patch",
          format: { type: "grammar", grammar: { syntax: "lark", definition: "start: /.+/" } },
        },
      },
      { type: "function", function: { name: "look", strict: true, parameters: schema } },
    ];
    const messages = [{ role: "user", content: "Go on." }];
    const ask = async () => {
      const request = { model: "gpt-4.1", messages, tools };
      const { completions } = openai(url).chat;
      const { choices } = await (stream
        ? completions.stream(request).finalChatCompletion()
        : completions.create(request));
      messages.push(choices[0].message);
      return choices[0].message;
    };
    const { tool_calls: calls } = await ask();
    assert.deepEqual([calls[0].type, calls[0].custom], ["custom", { name: "apply_patch", input: patch }]);
    assert.deepEqual(
      [calls[1].type, calls[1].function.name, JSON.parse(calls[1].function.arguments)],
      ["function", "look", { city: "Oslo" }],
    );
    for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: "ok" });
    return (await ask()).content;
  },
};

// calls has the calls of the model, by client.
const made = { name: "apply_patch", kind: "custom", input: patch };
const calls = {
  responses: [
    made,
    { namespace: "crm", name: "look", input: { city: "Oslo" } },
    { name: "local_shell", kind: "shell", input: ["ls"] },
  ],
  chat: [made, { name: "look", input: { city: "Oslo" } }],
};

export function sdkTools(client, kind, upstream) {
  for (const stream of [true, false]) {
    test(`${client} to ${upstream.name}, ${stream ? "streamed" : "plain"}: tools of other kinds`, async () => {
      const reasoning = client === "chat" ? [] : thoughts[kind](1);
      const first = {
        reasoning,
        text: "Let me see.",
        calls: calls[client].map((call, i) => ({ id: `call_${i}`, ...call })),
        usage,
      };
      const { left } = upstream.serve([first, { text: "Done.", calls: [], usage }]);
      assert.equal(await run[client](upstream.url, stream), "Done.");
      assert.equal(left.length, 0);
    });
  }
}
