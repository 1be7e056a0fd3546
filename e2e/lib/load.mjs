// Many concurrent requests, each with a fault drawn from a seed.
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { open } from "./client.mjs";
import { offer, answerOf, turn, whole } from "./faults.mjs";
import { PATHS, PROTOCOLS, smallest } from "./turns.mjs";
import { verdictOf } from "./verdict.mjs";

// dice returns a function that returns whole numbers from 0 to n-1. The same seed gives the same
// numbers.
function dice(seed) {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) % n;
  };
}

// ways has the possible outcomes of a request. A more frequent outcome is in the list more often.
const ways = [
  ...Array(6).fill("whole"),
  ...[
    "end",
    "cut",
    "cut",
    "reset",
    "reset",
    "error",
    "gzip",
    "br",
    "hang",
    "refuse",
    "late client",
    "leave",
    "leave",
  ],
];

// draw returns the requests of a round, each with a client, an upstream, a length and an outcome.
// span is the duration of the slowest request in ms.
export function draw(seed, n, span) {
  return Array.from({ length: n }, (_, i) => {
    const roll = dice(seed + i * 0x9e3779b1);
    const [upstream, client] = [PROTOCOLS[roll(3)], PROTOCOLS[roll(3)]];
    const parts = 1 + roll(40);
    const says = { ...turn, text: `request ${i}: ${"é\u{1f600}\\ ".repeat(1 + roll(200))}` };
    return {
      i,
      upstream,
      client,
      stream: roll(4) > 0,
      says,
      parts,
      step: roll(span) / parts,
      way: ways[roll(ways.length)],
      where: roll(1000) / 1000,
    };
  });
}

// play is the upstream's side of a request. A request with the outcome "hang" hangs until the
// promise others settles, and then ends.
export async function play(x, { upstream, says, parts, step, way, where }, others) {
  const said = answerOf(upstream, x.json, says);
  if (way === "error")
    return x.answer(
      429,
      JSON.stringify({ error: { message: "Slow down", type: "rate_limit_error", code: null, param: null } }),
    );
  if (way === "refuse") return x.cut();
  const encode = { gzip: gzipSync, br: brotliCompressSync }[way];
  const bytes = encode ? encode(said.body) : said.body;
  if (way === "hang" && where < 0.3) return others.then(() => x.cut());
  x.head(200, { "content-type": said.type, ...(encode && { "content-encoding": way }) });
  const stop = ["end", "cut", "reset", "hang"].includes(way)
    ? Math.floor(bytes.length * where)
    : bytes.length;
  const size = Math.ceil(bytes.length / parts);
  for (let at = 0; at < stop; at += size) {
    await x.send(bytes.subarray(at, Math.min(at + size, stop)));
    await pause(step);
  }
  if (way === "hang") await others;
  if (way === "reset") return x.reset();
  if (way === "cut" || way === "hang") return x.cut();
  return x.end();
}

// run is the client's side. It resolves when the client has a whole answer or an error, and
// otherwise rejects.
export async function run(url, request) {
  const { i, upstream, client, stream, says, way, where, step, parts } = request;
  const passes = upstream === client;
  const body = smallest[client]({ model: String(i), stream, ...offer[client] });
  const call = open(url, { path: PATHS[client], body });
  if (way === "leave") {
    await Promise.race([call.reply.catch(() => {}), pause(step * parts * where)]);
    await pause(step * parts * where);
    return call.close();
  }
  const answer = await call.reply;
  if (way === "late client") await pause(step * parts);
  const chunks = [];
  try {
    for await (const chunk of answer.body) chunks.push(chunk);
  } catch (error) {
    assert.ok(passes && ["cut", "reset", "hang"].includes(way), `the connection broke: ${error}`);
    return;
  }
  // pairs/faults.test.mjs checks passed-through bytes of the upstream
  if (passes && (["end", "gzip", "br"].includes(way) || answer.status !== 200)) return;
  assert.ok(!(passes && ["cut", "reset", "hang"].includes(way)), "a good end of an answer that was cut");
  const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  const got = passes && stream ? text : verdictOf(client, stream, { ...answer, text });
  if (got.error)
    assert.ok(
      ["end", "cut", "reset", "hang", "error", "refuse"].includes(way),
      `an error for nothing: ${got.error.message}`,
    );
  else if (passes && stream) assert.equal(got, answerOf(upstream, body, says).body.toString());
  else assert.deepEqual(got, whole(says));
}
