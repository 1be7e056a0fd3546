// Measures the memory of open streams, and of long streams.
import assert from "node:assert/strict";
import { open } from "../lib/client.mjs";
import { PATHS, smallest } from "../lib/turns.mjs";
import { residentOf } from "./process.mjs";
import { observed as entry } from "./subjects.mjs";

const KB = 1024;

// observable returns the modules of a worker that reports the memory of its instances
// (observed.mjs, which imports the worker as program.mjs).
export const observable = (modules) => ({
  ...modules,
  "worker.mjs": { type: "esm", contents: entry.replaceAll('"./worker.mjs"', '"./program.mjs"') },
  "program.mjs": modules["worker.mjs"],
});

// observed requests the memory of a worker's instances from observed.mjs, in bytes.
const observed = async (at) => (await fetch(`${at.url}/observed`)).json();

// asking returns a client's request of size bytes: a conversation with turns of 2 KB. model is the
// instruction for the upstream.
function asking(client, size, model) {
  const turns = Array.from({ length: Math.max(1, Math.round(size / (2 * KB))) }, (_, i) => ({
    role: i % 2 ? "assistant" : "user",
    content: 'Some words of a "prompt".\n'.repeat(69).slice(0, 1790),
  }));
  if (turns.length % 2 === 0) turns.pop();
  const more = { model: JSON.stringify(model), stream: true };
  return smallest[client](client === "responses" ? { ...more, input: turns } : { ...more, messages: turns });
}

// held opens n streams with requests of a size and returns the memory of each. wasm is the module's
// memory, and resident is the additional resident memory of the process, including connections.
export async function held(at, client, size, n) {
  const start = () =>
    open(at.url, { path: PATHS[client], body: asking(client, size, { events: 1, hold: true }) });
  const first = async (call) => {
    const { status, body } = await call.reply;
    assert.equal(status, 200);
    await new Promise((resolve) => {
      let text = "";
      body.on("data", (part) => (text += part).includes("token0") && resolve());
    });
    return call;
  };
  const warm = await first(start());
  await observed(at);
  const before = residentOf(at.pid);
  const calls = [];
  for (let i = 0; i < n; i++) calls.push(await first(start()));
  const resident = (residentOf(at.pid) - before) / n;
  const wasm = Math.max(...(await observed(at)));
  for (const call of [warm, ...calls]) call.abort();
  return { wasm, resident };
}

// ended reads a stream to its end and returns the memory of its instance at the end.
export async function ended(at, client, size, events) {
  await observed(at);
  const { status, body } = await open(at.url, { path: PATHS[client], body: asking(client, size, { events }) })
    .reply;
  let last = "";
  for await (const part of body) last = (last + part.toString("latin1")).slice(-2000);
  assert.equal(status, 200, last);
  assert.match(last, /message_stop|\[DONE\]|"status":"completed"/);
  return (await observed(at))[0];
}
