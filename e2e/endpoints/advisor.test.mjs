// Anthropic's advisor tool on upstreams without an advisor, by the official SDK: edgelingua asks a
// second model of the endpoint. All failures, limits and budgets are in worker/serve/advisor_test.go.
import assert from "node:assert/strict";
import { after, before, beforeEach, describe } from "node:test";
import { sdk } from "../lib/client.mjs";
import { test } from "../lib/fixture.mjs";
import { upstreams } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { midnight, suite, through } from "../lib/usage.mjs";

const usage = { input: 10, cached: 0, output: 2 };
const prices = { m: { input: 1000, output: 1000 }, strong: { input: 10000, output: 10000 } };
const request = {
  model: "m",
  max_tokens: 64,
  betas: ["advisor-tool-2026-03-01"],
  tools: [{ type: "advisor_20260301", name: "advisor", model: "claude-opus-5", max_uses: 2 }],
};
// Each upstream's advisor speaks another protocol.
const pairs = { chat: "anthropic", responses: "gemini", gemini: "interactions", interactions: "chat" };

describe("the advisor", () => {
  const f = suite();
  let big;
  before(async () => (big = await upstream()));
  beforeEach(() => big.renew());
  after(() => big?.close());

  for (const [protocol, advisor] of Object.entries(pairs)) {
    for (const stream of [false, true]) {
      test(`${protocol} asks ${advisor}, ${stream ? "streamed" : "plain"}`, async () => {
        const { play } = upstreams[protocol];
        const at = (up, protocol) => through(protocol === "interactions" ? "gemini" : protocol, up).url;
        const e = await f.endpoint({
          usage: true,
          prices,
          options: { advisor: { model: "big/strong" } },
          upstreams: [
            { name: "small", protocol, url: at(f.up, protocol), models: ["m"] },
            { name: "big", protocol: advisor, url: at(big, advisor) },
          ],
        });
        const turns = [
          { text: "I ask.", calls: [{ id: "call_1", name: "advisor", input: {} }], usage },
          { text: "Done.", calls: [], usage },
          { text: "Again.", calls: [], usage },
        ];
        f.up.serve((x) => play(x, turns.shift()));
        big.serve((x) => upstreams[advisor].play(x, { text: "Stop.", calls: [], usage }));

        const client = sdk(`${f.url}/u/${e.name}`, {
          apiKey: e.key,
          defaultHeaders: { "x-test-clock": String(midnight) },
        });
        const ask = (messages) =>
          stream
            ? client.beta.messages.stream({ ...request, messages }).finalMessage()
            : client.beta.messages.create({ ...request, messages });
        const question = { role: "user", content: "q" };
        const first = await ask([question]);
        const shown = first.content.filter(({ type }) => type !== "thinking"); // Google's signatures
        assert.deepEqual(
          shown.map(({ type }) => type),
          ["text", "server_tool_use", "advisor_tool_result", "text"],
        );
        assert.deepEqual(shown[1].input, {});
        assert.equal(shown[2].tool_use_id, shown[1].id);
        assert.deepEqual(shown[2].content, {
          type: "advisor_result",
          text: "Stop.",
          stop_reason: "end_turn",
        });
        assert.deepEqual(
          first.usage.iterations.map(({ type, model, input_tokens }) => [type, model, input_tokens]),
          [
            ["message", null, 10],
            ["advisor_message", "strong", 10],
            ["message", null, 10],
          ],
        );
        assert.equal(first.usage.input_tokens, 20);
        assert.match(String(big.requests[0].body), /I ask\./);

        // the answer comes back with the next turn
        await ask([question, { role: "assistant", content: first.content }, question]);
        assert.match(String(f.up.requests[2].body), /Stop\./);
        assert.doesNotMatch(String(f.up.requests[2].body), /advisor_tool_result/);
        const { days } = await f.until(e, { at: midnight }, ({ days }) => days.length === 2);
        const row = days.find(({ model }) => model === "big/strong");
        assert.deepEqual([row.upstream, row.requests, row.input, row.output], ["big", 1, 10, 2]);
        assert.ok(Math.abs(row.usd - 0.12) < 1e-9, row.usd);
      });
    }
  }

  test("a client that leaves ends the consultation, and pings come while it lasts", async () => {
    const e = await f.endpoint({
      head_wait: 0.1,
      options: { advisor: { model: "big/strong" } },
      upstreams: [
        { ...through("chat", f.up), name: "small", models: ["m"] },
        { ...through("chat", big), name: "big" },
      ],
    });
    f.up.serve((x) =>
      upstreams.chat.play(x, { calls: [{ id: "call_1", name: "advisor", input: {} }], usage }),
    );
    const body = { ...request, betas: undefined, stream: true };
    const call = f.send("anthropic", e, { body });
    const held = await big.next();
    let text = "";
    for await (const part of (await call.reply).body) {
      text += part;
      if (text.split("event: ping").length > 3) break;
    }
    call.abort();
    await held.gone;
  });
});
