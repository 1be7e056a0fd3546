// Other content in sessions of Codex: images, developer messages in the middle, a schema, searches, summaries.
import assert from "node:assert/strict";
import { test } from "../../lib/fixture.mjs";
import { Codex } from "../../lib/strict/codex.mjs";
import { thoughts } from "../../lib/strict.mjs";

const usage = { input: 11, cached: 0, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const exec = (n, more) => ({ id: `call_${n}`, name: "exec_command", input: { cmd: "x" }, ...more });
const patch = (n) => ({ id: `call_${n}`, name: "apply_patch", input: "x", kind: "custom" });

const png = (data) => ({ type: "input_image", image_url: `data:image/png;base64,${data}`, detail: "high" });
const message = (role, ...content) => ({ type: "message", role, content });
const text = (text) => ({ type: "input_text", text });
const shown = ["iVBORw0KGgoAAAAAAA==", "iVBORw0KGgoBBBBBBB==", "iVBORw0KGgoCCCCCCC=="];

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"], additionalProperties: false };

export function content(upstreams) {
  for (const [kind, upstream] of Object.entries(upstreams)) {
    const reasoning = (n) => thoughts[kind](n);
    const start = (turns, run = () => "ok") => ({ ...upstream.serve(turns), codex: new Codex(upstream.url, "gpt-5.5", run) });

    test(`${upstream.name}: images, of the user and in results`, async () => {
      const calls = { reasoning: reasoning(1), text: "", calls: [exec(1), patch(2), exec(3)], usage };
      const outputs = { exec_command: [text("It is"), png(shown[1])], apply_patch: [png(shown[2])] };
      const { asked, codex } = start([calls, { ...calls, reasoning: reasoning(2), calls: [exec(4)] }, said("Cats.")], ({ name }) => outputs[name]);
      assert.equal(await codex.say(message("user", text("What is this?"), png(shown[0]))), "Cats.");
      for (const data of shown) assert.ok(JSON.stringify(asked[1]).includes(data), data);
    });

    test(`${upstream.name}: what the user and the developer say behind results`, async () => {
      const turn = (n) => ({ reasoning: reasoning(n), text: "", calls: [exec(n), patch(n + 1)], usage });
      const { asked, codex } = start([turn(1), turn(3), turn(5), said("Done.")]);
      codex.steer = [[message("developer", text("Mind the budget."))], [message("user", text("Hurry up.")), message("developer", text("Be brief."))], [message("user", text("Well?"))]];
      codex.run = ({ name }) => (name === "exec_command" ? [text("It is"), png(shown[1])] : "ok");
      assert.equal(await codex.say([message("developer", text("<skills>")), "Go on.", message("developer", text("Begin."))]), "Done.");
      const whole = JSON.stringify(asked.at(-1));
      for (const words of ["<skills>", "Go on.", "Begin.", "Mind the budget.", "Hurry up.", "Be brief.", "Well?"]) assert.ok(whole.includes(words), words);
    });

    test(`${upstream.name}: an answer that follows a schema`, async () => {
      const { asked, codex } = start([{ reasoning: reasoning(1), text: "", calls: [exec(1)], usage }, said('{"city":"Oslo"}')]);
      const format = { type: "json_schema", strict: true, name: "codex_output_schema", schema };
      assert.deepEqual(JSON.parse(await codex.say("Where?", { text: { format } })), { city: "Oslo" });
      for (const body of asked) assert.ok(JSON.stringify(body).includes('"city":{"type":"string"}'));
    });

    test(`${upstream.name}: a search that the upstream runs`, async () => {
      const search = upstream.protocol === "chat" ? undefined : { query: "tides", title: "Tides", url: "https://example.com/" };
      const { codex } = start([{ search, text: "High.", calls: [exec(1)], usage }, { search, ...said("Low.") }, said("Bye.")]);
      assert.equal(await codex.say("The tide?"), "Low.");
      assert.equal(codex.input.filter(({ type }) => type === "web_search_call").length, search ? 2 : 0);
      if (!search) assert.match(codex.lost, /tools\[4\]/);
      assert.equal(await codex.say("Thank you."), "Bye.");
    });

    test(`${upstream.name}: a summary, and a session that goes on from it`, async () => {
      const { asked, codex } = start([{ reasoning: reasoning(1), text: "", calls: [exec(1), patch(2)], usage }, said("Done."), said("We did."), said("Yes.")]);
      await codex.say("Go on.");
      assert.equal(await codex.say("CONTEXT CHECKPOINT COMPACTION: summarize.", { tools: [] }), "We did.");
      assert.ok(JSON.stringify(asked.at(-1)).includes("COMPACTION"));
      const next = new Codex(upstream.url, "gpt-5.5");
      assert.equal(await next.say(["Go on.", "A summary: We did.", "And?"]), "Yes.");
    });

    test(`${upstream.name}: a compaction by the server`, async () => {
      const compacted = upstream.protocol === "responses" ? { compaction: "gAAAcmp", ...said("") } : said("We did.");
      const { left, codex } = start([{ reasoning: reasoning(1), text: "", calls: [exec(1)], usage }, said("Done."), compacted, said("Yes.")]);
      await codex.say("Go on.");
      codex.input.push({ type: "compaction_trigger" });
      const { items } = await codex.ask();
      assert.deepEqual(items.map(({ type }) => type), ["compaction"]);
      codex.input = [message("developer", text("You are Codex.")), ...items];
      assert.equal(await codex.say("And?"), "Yes.");
      assert.equal(left.length, 0);
    });
  }
}
