// Whole sessions of Claude Code, for each kind of model and setting.
import assert from "node:assert/strict";
import { test } from "../../lib/fixture.mjs";
import { ClaudeCode, versions } from "../../lib/strict/claudecode.mjs";
import { thoughts } from "../../lib/strict.mjs";

const usage = { input: 11, cached: 4, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const call = (n, name, input) => ({ id: `call_${n}`, name, input });

const png = "iVBORw0KGgoAAAAAAA==";
const pdf = "JVBERi0xLjQKAAAA";
const results = {
  "ls": "hi \u2028 é 漢 😀",
  "rm": "failed: no such file",
  "a.png": [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }],
  "a.pdf": [{ type: "text", text: "PDF file read" }, { type: "document", source: { type: "base64", media_type: "application/pdf", data: pdf } }],
};
const run = (name, { command, file_path, query, url }) => (name === "ToolSearch" ? [query] : results[command ?? file_path] ?? `page ${url}`);

export function session(upstreams) {
  for (const [kind, upstream] of Object.entries(upstreams)) {
    const pdfs = upstream.protocol !== "chat" || kind === "openAI";

    for (const [version, { search }] of Object.entries(versions)) {
      test(`${upstream.name}: a session ${version}`, async () => {
        const step = (n, ...calls) => ({ reasoning: thoughts[kind](n), text: `Step ${n}.`, calls, usage });
        const turns = [
          step(1, call(1, "Bash", { command: "ls" }), call(2, "Read", { file_path: "a.png" }), call(3, "Bash", { command: "rm" })),
          step(2, ...(search ? [call(4, "ToolSearch", { query: "WebFetch" })] : []), call(5, "Read", { file_path: "a.pdf" })),
          step(3, call(6, "WebFetch", { url: "x" }), call(7, "Bash", { command: "ls" })),
        ];
        const { asked, left } = upstream.serve([...turns, said("Done."), said("Bye.")]);
        const code = new ClaudeCode(upstream.url, version, run);
        code.steer = [undefined, "An MCP server came.", "Mind the time."];
        assert.equal(await code.say("Go on."), "Done.");
        assert.equal(await code.say("Thank you."), "Bye.");
        assert.equal(left.length, 0);
        const whole = JSON.stringify(asked.at(-1));
        const expected = ["# Environment", "An MCP server came.", "Mind the time.", results.ls, results.rm, png, "page x", ...(pdfs ? [pdf] : [])];
        for (const part of expected) assert.ok(whole.includes(part), part);
        if (upstream.protocol !== "anthropic") assert.ok(!/billing-header|DeferredToolPlaceholder|cache_control/.test(whole), whole);
        const [before, after] = [1, 2].map((n) => /"name":"WebFetch"/.test(JSON.stringify(asked[n].tools)));
        assert.deepEqual([before, after], [!search, true]);
      });
    }
  }
}
