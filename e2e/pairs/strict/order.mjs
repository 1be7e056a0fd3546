// Which message may follow which: all orders of a few messages, above all of the system's in the middle, become requests that the
// upstream takes.
import assert from "node:assert/strict";
import { CLIENT_KEY, ask } from "../../lib/client.mjs";
import { test } from "../../lib/fixture.mjs";
import { EVERY, pathOf } from "../../lib/turns.mjs";

const said = { text: "Done.", calls: [], usage: { input: 11, cached: 0, output: 7 } };
const schema = { type: "object", properties: {} };
const png = "iVBORw0KGgoAAAAAAA==";

// steps are messages of each client: of the user, of the system, of the assistant, who has thought with a model of another
// vendor, and a call with its result, which has an image where the API allows one. In Chat the assistant speaks between call and
// result, as older versions of Codex let it. Gemini has no messages of the system's.
const steps = {
  anthropic: {
    user: () => [{ role: "user", content: "u" }],
    system: () => [{ role: "system", content: "s" }],
    assistant: () => [{ role: "assistant", content: [{ type: "thinking", thinking: "t", signature: "el1:elsewhere:t::blob" }, { type: "text", text: "a" }] }],
    call: (n) => [
      { role: "assistant", content: [{ type: "tool_use", id: `toolu_${n}`, name: "look", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${n}`, content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: png } }] }] },
    ],
  },
  chat: {
    user: () => [{ role: "user", content: "u" }],
    system: () => [{ role: "system", content: "s" }],
    assistant: () => [{ role: "assistant", content: "a", reasoning_details: [{ type: "reasoning.text", text: "t", signature: "el1:elsewhere:t::blob" }] }],
    call: (n) => [
      { role: "assistant", content: null, tool_calls: [{ id: `call_${n}`, type: "function", function: { name: "look", arguments: "{}" } }] },
      { role: "assistant", content: "t" },
      { role: "tool", tool_call_id: `call_${n}`, content: "r" },
    ],
  },
  responses: {
    user: () => [{ role: "user", content: "u" }],
    system: () => [{ role: "developer", content: "s" }],
    assistant: (n) => [
      { type: "reasoning", id: `rs_${n}`, summary: [{ type: "summary_text", text: "t" }], encrypted_content: "el1:elsewhere:t::blob" },
      { role: "assistant", content: "a" },
    ],
    call: (n) => [
      { type: "function_call", call_id: `call_${n}`, name: "look", arguments: "{}" },
      { type: "function_call_output", call_id: `call_${n}`, output: [{ type: "input_image", image_url: `data:image/png;base64,${png}` }] },
    ],
  },
  gemini: {
    user: () => [{ role: "user", parts: [{ text: "u" }] }],
    assistant: () => [{ role: "model", parts: [{ text: "t", thought: true, thoughtSignature: Buffer.from("el1:elsewhere:t::blob").toString("base64") }, { text: "a" }] }],
    call: () => [
      { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
      { role: "user", parts: [{ functionResponse: { name: "look", response: { output: "r" }, parts: [{ inlineData: { mimeType: "image/png", data: png } }] } }] },
    ],
  },
};

const bodies = {
  anthropic: (messages, model) => ({ model, max_tokens: 99, system: "Be brief.", messages, tools: [{ name: "look", input_schema: schema }] }),
  chat: (messages, model) => ({ model, messages, tools: [{ type: "function", function: { name: "look", parameters: schema } }] }),
  responses: (input, model) => ({ model, store: false, instructions: "Be brief.", input, tools: [{ type: "function", name: "look", strict: false, parameters: schema }] }),
  gemini: (contents) => ({ systemInstruction: { parts: [{ text: "Be brief." }] }, contents, tools: [{ functionDeclarations: [{ name: "look", parametersJsonSchema: schema }] }] }),
};

// orders returns all lists of kinds up to a length.
const orders = (kinds, length) => (length === 0 ? [[]] : orders(kinds, length - 1).flatMap((list) => [list, ...(list.length === length - 1 ? kinds.map((kind) => [...list, kind]) : [])]));

export function order(upstreams) {
  const models = { anthropic: ["claude-opus-5-5", "claude-sonnet-4-5"] };
  for (const [kind, upstream] of Object.entries(upstreams)) {
    for (const model of models[kind] ?? ["m"]) {
      for (const client of EVERY) {
        test(`${client} to ${upstream.name}${kind === "anthropic" ? `, ${model}` : ""}: messages in any order`, async () => {
          const { asked, refused } = upstream.serve(() => said);
          const translated = (list) => client !== upstream.protocol || list.includes("assistant"); // the thought is not this vendor's, so it is translated
          const lists = orders(Object.keys(steps[client]), 4).filter((list) => list.length > 0 && translated(list));
          await Promise.all(
            lists.map(async (list) => {
              const messages = list.flatMap((kind, n) => steps[client][kind](n));
              const { status, text } = await ask(upstream.url, { path: pathOf(client, { model }), headers: { authorization: `Bearer ${CLIENT_KEY}` }, body: bodies[client](messages, model) });
              assert.equal(status, 200, `${list}: ${text}`);
            }),
          );
          assert.deepEqual(refused, []);
          assert.equal(asked.length, lists.length);
          const asSystem = asked.filter(({ messages }) => kind === "anthropic" && messages.some(({ role }) => role === "system"));
          if (kind === "anthropic") assert.equal(asSystem.length > 0, model === "claude-opus-5-5" && "system" in steps[client], "the system keeps its role where it may");
        });
      }
    }
  }
}
