// Keeps many streams of the local host busy, with clients that leave at random, and prints the memory
// and the descriptors of the host's process each minute. At the end no stream is open: then the
// process has to have the descriptors of the start, and no goroutine of a request. Not part of CI.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import http from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { engineOf } from "./engines.mjs";
import { residentOf } from "./process.mjs";
import { PROSE } from "./upstream.mjs";

const user = [{ role: "user", content: PROSE }];
const clients = [
  { path: "/v1/messages", body: { max_tokens: 1000, messages: user } },
  { path: "/v1/chat/completions", body: { messages: user } },
  { path: "/v1/responses", body: { input: user } },
];

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      streams: { type: "string", default: "200" },
      engine: { type: "string", default: "native" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [minutes, streams] = [Number(positionals[0] ?? 30), Number(values.streams)];
  if (values.help || !(minutes > 0) || !(streams > 0)) {
    console.log(`usage: node e2e/bench/soak_streams.mjs [MINUTES] [--streams N] [--engine native|wasm]

  MINUTES      how long new streams are begun (default 30)
  --streams N  how many are open at a time (default 200)
  --engine     the engine of the local host (default native)`);
    return values.help ? 0 : 2;
  }
  const upstream = fork(fileURLToPath(new URL("upstream.mjs", import.meta.url)), ["serve"]);
  try {
    const [[port]] = await once(upstream, "message");
    return await soak(values.engine, `http://127.0.0.1:${port}/v1`, minutes, streams);
  } finally {
    upstream.kill();
  }
}

async function soak(engine, url, minutes, streams) {
  const server = await engineOf(engine, "chat", url);
  const counts = { whole: 0, left: 0 };
  const note = (when) => {
    const files = readdirSync(`/proc/${server.pid}/fd`).length;
    const mb = (residentOf(server.pid) / 2 ** 20).toFixed(1);
    console.log(
      `${when}: ${mb} MB, ${files} descriptors, ${counts.whole} whole answers, ${counts.left} aborted`,
    );
    server.log.length = 0;
    return files;
  };
  let left = 0;
  try {
    await ask(server, counts, false); // the first answer opens what stays open
    await new Promise((resolve) => setImmediate(resolve));
    const before = note("start");
    const until = Date.now() + minutes * 60_000;
    const busy = Array.from({ length: streams }, async () => {
      while (Date.now() < until) await ask(server, counts, Math.random() < 0.5);
    });
    for (let minute = 1; minute <= minutes; minute++) {
      await sleep(60_000);
      note(`${minute} min`);
    }
    await Promise.all(busy);
    // idle connections to the upstream close after 90 seconds
    for (let i = 0; i < 120 && readdirSync(`/proc/${server.pid}/fd`).length > before; i++) await sleep(1000);
    left = note("end") - before;
  } finally {
    await server.close("SIGQUIT"); // Go prints all goroutines
  }
  const stacks = server.log
    .join("\n")
    .split("\n\n")
    .filter((stack) => /^goroutine \d/.test(stack));
  assert.ok(stacks.length > 0, "the process printed no goroutines");
  const serving = stacks.filter((stack) => stack.includes("edgelingua/wasmtest/host"));
  console.log(
    `${left} descriptors more than at the start, ${serving.length} of ${stacks.length} goroutines of requests`,
  );
  for (const stack of serving) console.log(stack);
  return left > 0 || serving.length > 0 ? 1 : 0;
}

// ask reads one stream. A client that leaves reads a random part of it.
function ask({ url, key }, counts, leaves) {
  const client = clients[Math.floor(Math.random() * clients.length)];
  const model = JSON.stringify({
    events: 5 + Math.floor(Math.random() * 300),
    gap: 20 + Math.floor(Math.random() * 200),
  });
  const most = leaves ? Math.random() * 10_000 : Infinity;
  const headers = { "content-type": "application/json", "x-api-key": key, authorization: `Bearer ${key}` };
  return new Promise((resolve, reject) => {
    const req = http.request(new URL(client.path, url), { method: "POST", agent: false, headers }, (res) => {
      let read = 0;
      res.on("data", (part) => {
        if ((read += part.length) > most) req.destroy();
      });
      res.on("end", () => counts.whole++);
      res.on("close", resolve);
      if (res.statusCode !== 200) reject(new Error(`status ${res.statusCode}`));
    });
    req.on("error", (error) => (leaves ? resolve() : reject(error)));
    req.on("close", () => {
      if (!req.res?.complete) counts.left++;
      resolve();
    });
    req.end(JSON.stringify({ model, stream: true, ...client.body }));
  });
}

process.exitCode = await main();
