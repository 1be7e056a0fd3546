// Sessions of Codex with tools of all kinds: each is called by its own kind of item, in its namespace.
import assert from "node:assert/strict";
import { test } from "../../lib/fixture.mjs";
import { Codex, found } from "../../lib/strict/codex.mjs";
import { thoughts } from "../../lib/strict.mjs";

const usage = { input: 11, cached: 4, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const odd = '*** Begin Patch\n+quotes " \\ / \t\u0001 \u2028 é 漢 😀\n*** End Patch\n';

const call = (id, name, input, more) => ({ id: `call_${id}`, name, input, ...more });
const custom = { kind: "custom" };
const inside = (namespace, more) => ({ namespace, ...more });

// sessions are the calls of the model in each turn, for each version of Codex.
const sessions = {
  "gpt-5.5": [
    [call(1, "exec_command", { cmd: odd }), call(2, "apply_patch", odd, custom)],
    [call(3, "echo", { text: "a" }, inside("mcp__srv")), call(4, "get__all", { text: "" }, inside("mcp__srv")), call(5, "tool_search", { query: "rain" }, { kind: "search" })],
    [call(6, "now", { city: "Oslo" }, inside("mcp__weather")), call(7, "apply_patch", "", custom)],
  ],
  "gpt-6": [[call(1, "exec", "text('hi')\n", inside("functions", custom))], [call(2, "wait", { id: "1" }, inside("functions")), call(3, "echo", { text: odd }, inside("mcp__srv"))]],
  "codex-mini-latest": [[call(1, "local_shell", ["bash", "-lc", "ls"], { kind: "shell" })], [call(2, "update_plan", { plan: "x" })]],
  "claude-sonnet-4-5": [[call(1, "apply_patch", odd, custom), call(2, "echo", { text: "a" }, inside("mcp__srv"))], [call(3, "exec_command", { cmd: "ls" })]],
};

// ran returns a call as Codex runs it.
const ran = ({ kind = "function", namespace, name, input }) => ({
  kind, ...(namespace && { namespace }), ...(!["search", "shell"].includes(kind) && { name }), input,
});

export function tools(upstreams) {
  for (const [kind, upstream] of Object.entries(upstreams)) {
    for (const [model, calls] of Object.entries(sessions)) {
      test(`${upstream.name}: all tools of ${model}`, async () => {
        const turns = calls.map((calls, n) => ({ reasoning: thoughts[kind](n), text: `Step ${n}.`, calls, usage }));
        const { asked, left } = upstream.serve([...turns, said("Done."), said("Bye.")]);
        const seen = [];
        const codex = new Codex(upstream.url, model, (call) => (seen.push(call), call.kind === "search" ? found : `result ${seen.length}.`));
        assert.equal(await codex.say(["<environment_context>", "Go on."]), "Done.");
        assert.deepEqual(seen, calls.flat().map(ran));
        assert.equal(await codex.say("Thank you."), "Bye.");
        assert.equal(left.length, 0);
        const whole = JSON.stringify(asked.at(-1));
        seen.forEach(({ kind }, i) => assert.ok(kind === "search" || whole.includes(`result ${i + 1}.`), `result ${i + 1}`));
      });
    }
  }
}
