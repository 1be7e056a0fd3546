// CPU time of workerd, per stream of 2000 events that come in one HTTP chunk each: the worker, translating, against an identity
// pump with the same awaits; and the worker where nothing is translated, against one that returns the upstream's body as it is.
// And per plain request of 2 KB: the worker, translating, against one that only forwards, with what lies between the two; and a personal
// endpoint, with the lookup in KV and the unsealing, against the deployment's own.
// Each runs in a workerd of its own; the upstream in a process of its own.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { done, finish, plain, role, text, usage } from "./lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, open, params } from "./lib/client.mjs";
import { modulesOf, startWorkerd } from "./lib/target.mjs";

const EVENTS = 2000;
const BLOCKS = 5;
const PER_STREAM = 20; // plain requests for each stream that is asked for
const PROSE = "Some words of a prompt. ".repeat(80);

const ADMIN_KEY = "admin-key-of-the-benchmark";
const SEAL_KEY = Buffer.alloc(32, 5).toString("base64");

const pump = `
export default {
  async fetch(request, env) {
    const response = await fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", body: await request.text() });
    const { readable, writable } = new IdentityTransformStream();
    const reader = response.body.getReader();
    const writer = writable.getWriter();
    (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        await writer.write(value);
      }
      await writer.close();
    })();
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  },
};`;

const asItIs = `
export default {
  async fetch(request, env) {
    const response = await fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", body: await request.text() });
    return new Response(response.body, { headers: { "content-type": "text/event-stream" } });
  },
};`;

const forward = `
export default {
  async fetch(request, env) {
    return fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", headers: request.headers, body: request.body });
  },
};`;

const buffer = `
export default {
  async fetch(request, env) {
    const [headers, body] = [[...request.headers], await request.arrayBuffer()];
    const response = await fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", headers, body, signal: request.signal });
    return new Response(await response.arrayBuffer(), { headers: [...response.headers] });
  },
};`;

const instance = `
import { Go } from "./gojs.mjs";
import { createRuntimeContext, loadModule } from "./runtime.mjs";
export default {
  async fetch(request, env, ctx) {
    const go = new Go({ ...createRuntimeContext({ env, ctx, binding: {} }), host: {} });
    const { exports } = new WebAssembly.Instance(await loadModule(), { ...go.imports, workers: { ready() {} } });
    go.run(exports, exports.resume, exports.go_scheduler);
    return fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", headers: request.headers, body: request.body });
  },
};`;

async function main() {
  const { values } = parseArgs({
    options: {
      streams: { type: "string", default: "100" },
      max: { type: "string", default: "1.15" },
      "max-plain": { type: "string", default: "2.7" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const streams = Number(values.streams);
  const [max, maxPlain] = [Number(values.max), Number(values["max-plain"])];
  if (values.help || !(streams >= BLOCKS) || !(max > 0) || !(maxPlain > 0)) {
    console.log(`usage: node e2e/bench.mjs [--streams N] [--max R] [--max-plain R]

  --streams N     streams per worker, in ${BLOCKS} blocks, and ${PER_STREAM} plain requests for each (default 100, at least ${BLOCKS})
  --max R         exit with status 1 if a translated stream takes more than R times the pump's CPU (default 1.15)
  --max-plain R   exit with status 1 if a translated plain request takes more than R times the forwarder's CPU (default 2.7;
                  RATIONALE.md says what it takes)

BUILD=folder measures another build than build/.`);
    return values.help ? 0 : 2;
  }

  const upstream = fork(fileURLToPath(import.meta.url), ["upstream"]);
  try {
    const [port] = await once(upstream, "message");
    const env = { UPSTREAM_URL: `http://127.0.0.1:${port}/v1`, UPSTREAM_PROTOCOL: "chat", UPSTREAM_KEY, CLIENT_KEY };
    const modules = await modulesOf(process.env.BUILD ?? fileURLToPath(new URL("../build", import.meta.url)));
    const start = (code, more) => startSubject({ ...more, modules: code ? { ...modules, "worker.mjs": { type: "esm", contents: code } } : modules, env: { ...env, ...more?.env } });

    const last = "data: [DONE]\n";
    const large = [
      { name: "translator", at: await start(), path: "/v1/messages", end: "event: message_stop\n" },
      { name: "identity pump", at: await start(pump), path: "/", end: last },
      { name: "same protocol", at: await start(), path: "/v1/chat/completions", end: last },
      { name: "body as it is", at: await start(asItIs), path: "/", end: last },
    ];
    const perBlock = Math.ceil(streams / BLOCKS);
    await measure(large, stream, 8, perBlock);
    console.log(`CPU of workerd per stream of ${EVENTS} events, ms: median of ${BLOCKS} blocks of ${perBlock} (lowest to highest)`);
    const ratio = compare(large[0], large[1], `, at most ${max}`);
    compare(large[2], large[3], "");

    const small = [
      { name: "translator", at: await start(), path: "/v1/messages" },
      { name: "an instance", at: await start(instance), path: "/v1/messages" },
      { name: "both bodies", at: await start(buffer), path: "/v1/messages" },
      { name: "forwarder", at: await start(forward), path: "/v1/messages" },
      await personal(await start(undefined, { env: { ADMIN_KEY, SEAL_KEY, ALLOW_HTTP_UPSTREAM: "true" }, state: true }), env.UPSTREAM_URL),
    ];
    await measure(small, request, 1000, perBlock * PER_STREAM);
    console.log(`CPU of workerd per plain request of 2 KB, ms: median of ${BLOCKS} blocks of ${perBlock * PER_STREAM} (lowest to highest)`);
    const plainRatio = compare(small[0], small[3], `, at most ${maxPlain}`);
    compare(small[1], small[3], ", a forwarder that starts an instance, too");
    compare(small[2], small[3], ", a forwarder that reads both bodies");
    compare(small[4], small[0], ", a personal endpoint over the deployment's own");
    return ratio > max || plainRatio > maxPlain ? 1 : 0;
  } finally {
    upstream.kill();
  }
}

// personal makes a personal endpoint for an upstream, with a key at it.
async function personal(at, url) {
  const { status, body } = await open(at.url, {
    path: "/admin/api/endpoints",
    headers: { "x-api-key": ADMIN_KEY },
    body: { name: "bench", upstreams: [{ name: "up", protocol: "chat", url, key: UPSTREAM_KEY }] },
  }).reply;
  let text = "";
  for await (const part of body) text += part;
  assert.equal(status, 201, text);
  return { name: "personal", at, path: "/u/bench/v1/messages", key: JSON.parse(text).key };
}

// measure has each subject run blocks of n, turn by turn, and notes the CPU time of each block. Before, they are warmed up until
// the engine has compiled what it will compile.
async function measure(subjects, run, warmUp, n) {
  try {
    for (let i = 0; i < warmUp; i++) for (const subject of subjects) await run(subject);
    for (let block = 0; block < BLOCKS; block++) {
      const before = subjects.map(({ at }) => cpuOf(at.pid)); // a worker that waits for its turn takes no CPU
      for (let i = 0; i < n; i++) for (const subject of subjects) await run(subject);
      for (const [i, subject] of subjects.entries()) (subject.blocks ??= []).push((cpuOf(subject.at.pid) - before[i]) / n);
    }
  } finally {
    for (const subject of subjects) await subject.at.close();
  }
}

// compare prints two subjects and their ratio, which it returns. limit says what the ratio may be.
function compare(subject, baseline, limit) {
  for (const { name, blocks } of [subject, baseline]) {
    const sorted = blocks.toSorted((a, b) => a - b);
    console.log(`  ${name.padEnd(14)} ${ms(median(blocks))}   (${ms(sorted[0])} to ${ms(sorted.at(-1))})`);
  }
  const ratio = median(subject.blocks) / median(baseline.blocks);
  const ratios = subject.blocks.map((cpu, i) => cpu / baseline.blocks[i]).sort((a, b) => a - b);
  console.log(`  ratio          ${ratio.toFixed(3)}   (${ratios[0].toFixed(3)} to ${ratios.at(-1).toFixed(3)})${limit}`);
  return ratio;
}

const ms = (value) => value.toPrecision(3).padStart(6);
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

// startSubject starts a worker and finds the process it runs in.
async function startSubject(options) {
  const before = new Set(workerds());
  const at = await startWorkerd(options);
  const [pid, ...others] = workerds().filter((pid) => !before.has(pid));
  assert.ok(pid && others.length === 0, "expected one new workerd process");
  return { ...at, pid };
}

// statOf returns the fields of /proc/PID/stat behind the command's name, or null.
function statOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const at = stat.lastIndexOf(")");
    return { command: stat.slice(stat.indexOf("(") + 1, at), fields: stat.slice(at + 2).split(" ") };
  } catch {
    return null;
  }
}

// workerds returns the workerd processes that this process started.
function workerds() {
  return readdirSync("/proc").filter((pid) => {
    const stat = /^\d+$/.test(pid) && statOf(pid);
    return stat && stat.command === "workerd" && Number(stat.fields[1]) === process.pid;
  });
}

// cpuOf returns the user and system time of a process in milliseconds. A tick is 10 ms on Linux.
function cpuOf(pid) {
  const { fields } = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

// stream takes one stream to its end and asserts that it is whole.
async function stream({ at, path, end }) {
  const { status, body } = await open(at.url, { path, body: params({ stream: true }) }).reply;
  let tail = "";
  let deltas = 0;
  for await (const part of body) {
    tail = tail.slice(-100) + part.toString("latin1");
    for (let i = 0; (i = part.indexOf("token", i)) >= 0; i++) deltas++;
  }
  assert.equal(status, 200, tail);
  assert.ok(tail.includes(end), `the stream ended with ${tail}`);
  assert.ok(deltas >= EVENTS * 0.99, `${deltas} tokens`); // a few are cut by a boundary
}

// request takes one plain request of 2 KB to its end.
async function request({ at, path, key = CLIENT_KEY }) {
  const { status, body } = await open(at.url, { path, headers: { "x-api-key": key }, body: { ...params(), messages: [{ role: "user", content: PROSE }] } }).reply;
  let text = "";
  for await (const part of body) text += part;
  assert.equal(status, 200, text);
  assert.ok(text.includes(PROSE), text);
}

// serveUpstream sends each event as an HTTP chunk of its own, as soon as the one before has left, or a plain answer of 2 KB.
async function serveUpstream() {
  const server = http.createServer(async (req, res) => {
    res.socket.setNoDelay(true);
    let asked = "";
    for await (const part of req) asked += part;
    if (!JSON.parse(asked).stream) {
      res.writeHead(200, { "content-type": "application/json" });
      return res.end(JSON.stringify(plain({ content: PROSE })));
    }
    res.writeHead(200, { "content-type": "text/event-stream" });
    const events = Array.from({ length: EVENTS }, (_, i) => text(`token${i} `));
    for (const chunk of [role, ...events, finish("stop"), usage(), done]) await new Promise((resolve) => res.write(chunk, resolve));
    res.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send(server.address().port);
  process.on("disconnect", () => process.exit());
}

if (process.argv[2] === "upstream") serveUpstream();
else process.exitCode = await main();
