// context_management of the Messages API before an upstream of another API, with the official SDK.
// More is in worker/serve/edits_test.go.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { play, read } from "../lib/chat.mjs";
import { params, sdk } from "../lib/client.mjs";
import { fixture, test } from "../lib/fixture.mjs";

const betas = ["context-management-2025-06-27"];
const said = { text: "Both are read.", calls: [], usage: { input: 30, cached: 0, output: 4 } };
const long = "A line of a file that was read long ago and is of no use any more.\n".repeat(40);
const tools = ["Read", "Edit"].map((name) => ({
  name,
  input_schema: { type: "object", properties: { path: { type: "string" } } },
}));

// history returns a conversation with one call of each tool, in order.
const history = (...names) => [
  { role: "user", content: "Look." },
  ...names.flatMap((name, n) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `toolu_${n}`, name, input: { path: `${n}.txt` } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: `${n}: ${long}` }] },
  ]),
];

const atOnce = {
  edits: [
    {
      type: "clear_tool_uses_20250919",
      trigger: { type: "tool_uses", value: 1 },
      keep: { type: "tool_uses", value: 1 },
      exclude_tools: ["Edit"],
    },
  ],
};

// whole reports, for each result in the upstream's request, whether the result is complete.
const whole = (json) =>
  read(json).results.map(
    ({ text }) => text.includes("read long ago") || (assert.match(text, /^\[cleared/), false),
  );

describe("edits of the history", () => {
  const f = fixture();

  test("results are cleared, and the answer says so", async () => {
    f.up.serve((x) => play(x, said));
    const request = {
      ...params({ tools, messages: history("Read", "Edit", "Read", "Read") }),
      betas,
      context_management: atOnce,
    };
    const message = await sdk(f.url).beta.messages.stream(request).finalMessage();
    assert.equal(message.content[0].text, said.text);
    const [{ type, cleared_tool_uses, cleared_input_tokens }, ...more] =
      message.context_management.applied_edits;
    assert.deepEqual([type, cleared_tool_uses, more.length], ["clear_tool_uses_20250919", 2, 0]);
    assert.ok(cleared_input_tokens > 1500 && cleared_input_tokens < 3000, `${cleared_input_tokens}`);
    assert.deepEqual(whole(f.up.requests[0].json), [false, true, false, true]);
  });
});

const summary = "The user wants the files read. Two are read.";
const SEAL_KEY = Buffer.alloc(32, 7).toString("base64url");

describe("compaction, sealed", () => {
  const f = fixture({ SEAL_KEY });

  test("a conversation over the threshold goes on from its summary", async () => {
    const texts = ({ messages }) => JSON.stringify(messages);
    f.up.serve((x) =>
      play(x, {
        ...said,
        ...(texts(x.json).includes("Keep the names.") && {
          text: summary,
          usage: { input: 3000, cached: 0, output: 9 },
        }),
      }),
    );
    const run = (messages, edit) =>
      sdk(f.url)
        .beta.messages.stream({
          ...params({ tools, messages }),
          betas: ["compact-2026-01-12"],
          context_management: {
            edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 2000 }, ...edit }],
          },
        })
        .finalMessage();
    const messages = history("Read", "Read", "Read");
    const first = await run(messages, { instructions: "Keep the names." });
    const [{ type, content, encrypted_content }, answer] = first.content;
    assert.deepEqual(
      [type, content, answer.text, first.stop_reason],
      ["compaction", summary, said.text, "end_turn"],
    );
    assert.ok(encrypted_content.startsWith("el1::s::"));
    assert.ok(
      !texts(f.up.requests[1].json).includes("read long ago"),
      "the answer goes on from the summary only",
    );

    messages.push({ role: "assistant", content: first.content }, { role: "user", content: "And now?" });
    const second = await run(messages);
    assert.deepEqual(
      second.content.map(({ text }) => text),
      [said.text],
    );
    const users = f.up.requests[2].json.messages.filter((message) =>
      JSON.stringify(message).includes(summary),
    );
    assert.deepEqual(
      users.map(({ role }) => role),
      ["user"],
    );
    assert.equal(f.up.requests.length, 3);
  });
});
