// CPU time of workerd per stream of 2000 events that come in one HTTP chunk each: the worker, translating, against an identity
// pump with the same awaits; and the worker where nothing is translated, against one that returns the upstream's body as it is.
// Each runs in a workerd of its own; the upstream in a process of its own.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { done, finish, role, text, usage } from "./lib/chat.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, open, params } from "./lib/client.mjs";
import { modulesOf, startWorkerd } from "./lib/target.mjs";

const EVENTS = 2000;
const BLOCKS = 5;

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

async function main() {
  const { values } = parseArgs({
    options: {
      streams: { type: "string", default: "100" },
      max: { type: "string", default: "1.25" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const streams = Number(values.streams);
  const max = Number(values.max);
  if (values.help || !(streams >= BLOCKS) || !(max > 0)) {
    console.log(`usage: node e2e/bench.mjs [--streams N] [--max R]

  --streams N   streams per worker, in ${BLOCKS} blocks (default 100, at least ${BLOCKS})
  --max R       exit with status 1 if the translator takes more than R times the pump's CPU (default 1.25)

BUILD=folder measures another build than build/.`);
    return values.help ? 0 : 2;
  }

  const upstream = fork(fileURLToPath(import.meta.url), ["upstream"]);
  const [port] = await once(upstream, "message");
  const url = `http://127.0.0.1:${port}/v1`;
  const env = { UPSTREAM_URL: url, UPSTREAM_PROTOCOL: "chat", UPSTREAM_KEY, CLIENT_KEY };
  const build = process.env.BUILD ?? fileURLToPath(new URL("../build", import.meta.url));
  const ours = { modules: await modulesOf(build), env };
  const bare = (code) => ({ modules: { "worker.mjs": { type: "esm", contents: code } }, env });
  const last = "data: [DONE]\n";
  const subjects = [
    { name: "translator", at: await startSubject(ours), path: "/v1/messages", end: "event: message_stop\n" },
    { name: "identity pump", at: await startSubject(bare(pump)), path: "/", end: last },
    { name: "same protocol", at: await startSubject(ours), path: "/v1/chat/completions", end: last },
    { name: "body as it is", at: await startSubject(bare(asItIs)), path: "/", end: last },
  ];
  try {
    // Warm up until the engine has compiled what it will compile.
    for (const subject of subjects) for (let i = 0; i < 8; i++) await run(subject);
    const perBlock = Math.ceil(streams / BLOCKS);
    for (let block = 0; block < BLOCKS; block++) {
      const before = subjects.map(({ at }) => cpuOf(at.pid)); // a worker that waits for its turn takes no CPU
      for (let i = 0; i < perBlock; i++) for (const subject of subjects) await run(subject);
      for (const [i, subject] of subjects.entries()) (subject.blocks ??= []).push((cpuOf(subject.at.pid) - before[i]) / perBlock);
    }
    console.log(`CPU of workerd per stream of ${EVENTS} events, ms: median of ${BLOCKS} blocks of ${perBlock} streams (lowest to highest)`);
    const [translator, identity, same, asUpstream] = subjects;
    const ratio = compare(translator, identity, `, at most ${max}`);
    compare(same, asUpstream, "");
    return ratio > max ? 1 : 0;
  } finally {
    for (const subject of subjects) await subject.at.close();
    upstream.kill();
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

const ms = (value) => value.toFixed(1).padStart(6);
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

// run takes one stream to its end and asserts that it is whole.
async function run({ at, path, end }) {
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

// serveUpstream sends each event as an HTTP chunk of its own, as soon as the one before has left.
async function serveUpstream() {
  const server = http.createServer(async (req, res) => {
    res.socket.setNoDelay(true);
    req.resume();
    await once(req, "end");
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
