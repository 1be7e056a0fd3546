// The cost of a stream and of a request in workerd: CPU time and memory of the worker, compared
// with workers that do less, and with the same translation in plain JS. Each worker runs in a
// separate workerd, and the upstream in a separate process.
import assert from "node:assert/strict";
import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { startAlone } from "./bench/alone.mjs";
import { compiledFor } from "./bench/compiled.mjs";
import {
  BLOCKS,
  GAP,
  PACED,
  TOGETHER,
  cpu,
  measure,
  paced,
  ratios,
  request,
  spread,
  stream,
} from "./bench/cpu.mjs";
import { profiler } from "./bench/isolate.mjs";
import { ended, held, observable } from "./bench/memory.mjs";
import { cpuOf, startSubject } from "./bench/process.mjs";
import { HISTORY, TURNS, overHTTP, overWebSocket } from "./bench/session.mjs";
import * as subjects from "./bench/subjects.mjs";
import { EVENTS } from "./bench/upstream.mjs";
import { CLIENT_KEY, UPSTREAM_KEY, ask, params } from "./lib/client.mjs";
import { modulesOf, start as startTarget } from "./lib/target.mjs";

const PER_STREAM = 20; // plain requests for each stream
const REQUESTS = 200; // plain requests of a block in the isolate
const STARTS = 11;
const ISOLATE = 128; // MB of an isolate
const MB = 2 ** 20;

async function main() {
  const { values } = parseArgs({
    options: {
      streams: { type: "string", default: "100" },
      max: { type: "string", default: "1.15" },
      "max-paced": { type: "string", default: "0.8" },
      "max-plain": { type: "string", default: "2.7" },
      "max-personal": { type: "string", default: "1.25" },
      only: { type: "string", default: "cpu,paced,isolate,personal,memory,start,session,host" },
      markdown: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const streams = Number(values.streams);
  const most = {
    stream: Number(values.max),
    paced: Number(values["max-paced"]),
    plain: Number(values["max-plain"]),
    personal: Number(values["max-personal"]),
  };
  if (values.help || !(streams >= BLOCKS) || !Object.values(most).every((ratio) => ratio > 0)) {
    console.log(`usage: node e2e/bench.mjs [--streams N] [--max R] [--max-paced R] [--max-plain R]
                          [--max-personal R] [--only WHAT] [--markdown]

  --streams N       streams per worker, in ${BLOCKS} blocks, and ${PER_STREAM} plain requests for each
                    (default 100, at least ${BLOCKS})
  --max R           exit with status 1 if a translated stream takes more than R times the pump's CPU
                    (default 1.15)
  --max-paced R     exit with status 1 if it takes more than R times where its events come one every
                    ${GAP} ms (default 0.8)
  --max-plain R     exit with status 1 if a translated plain request takes more than R times the
                    forwarder's CPU (default 2.7; e2e/bench/MEASUREMENTS.md says what it takes)
  --max-personal R  exit with status 1 if that request takes more than R times as much at a personal
                    endpoint (default 1.25)
  --only WHAT       some of cpu, paced, isolate and personal (CPU time), memory and start, which are
                    workerd's, session: one over HTTP and over a WebSocket, on both hosts, and host:
                    Go's benchmarks of the local host
  --markdown        print the table of docs/contributing/speed.md, of what matters most

BUILD=folder measures another build than build/.`);
    return values.help ? 0 : 2;
  }
  const what = new Set(values.only.split(","));
  const rows = [];
  const note = (name, figure, more = "", { detail = false } = {}) => {
    if (!detail) rows.push([name, figure, more]);
    if (!values.markdown) console.log(`  ${name.padEnd(58)} ${figure.padStart(10)}   ${more}`);
  };
  const title = (text) => values.markdown || console.log(text);

  const upstream = fork(fileURLToPath(new URL("bench/upstream.mjs", import.meta.url)), ["serve"]);
  let failed = false;
  try {
    const [[port, kvPort]] = await once(upstream, "message");
    const env = {
      UPSTREAM_URL: `http://127.0.0.1:${port}/v1`,
      UPSTREAM_PROTOCOL: "chat",
      UPSTREAM_KEY,
      CLIENT_KEY,
    };
    const modules = await modulesOf(process.env.BUILD ?? fileURLToPath(new URL("../build", import.meta.url)));
    const start = (code, more) =>
      startSubject({
        modules: code ? { ...modules, "worker.mjs": { type: "esm", contents: code } } : modules,
        env: { ...env, ...more },
      });
    const perBlock = Math.ceil(streams / BLOCKS);
    if (what.has("cpu")) failed = await measureCPU(start, perBlock, { most, note, title });
    if (what.has("paced")) {
      const over = await measurePaced(start, { most, note, title });
      failed ||= over;
    }
    if (what.has("isolate"))
      await measureIsolate(
        (more, engine) =>
          startAlone({ modules, env: { ...env, ...more }, kv: `127.0.0.1:${kvPort}`, engine, inspect: true }),
        { note, title },
      );
    if (what.has("personal")) {
      const alone = { kv: `127.0.0.1:${kvPort}`, env: { ...env, ...subjects.persons } };
      const over = await measurePersonal(modules, alone, PER_STREAM * perBlock, { most, note, title });
      failed ||= over;
    }
    if (what.has("memory")) await measureMemory(modules, env, { note, title });
    if (what.has("start"))
      await measureStart(
        start,
        () =>
          compiledFor({ modules, env, kv: `127.0.0.1:${kvPort}` }, async (at) =>
            assert.equal((await ask(at.url, { body: params() })).status, 200),
          ),
        { note, title },
      );
    if (what.has("session"))
      await measureSession(
        { workerd: start, wazero: () => startTarget(env, { on: "wazero" }) },
        { note, title },
      );
    if (what.has("host")) await measureHost({ note, title });
  } finally {
    upstream.kill();
  }
  if (values.markdown) {
    const [{ model }] = os.cpus();
    console.log(
      `workerd on ${model.trim()}, ${new Date().toISOString().slice(0, 10)}, \`node e2e/bench.mjs --markdown\`:\n`,
    );
    console.log("| what | figure | |\n|---|---:|---|");
    for (const row of rows) console.log(`| ${row.join(" | ")} |`);
  }
  return failed ? 1 : 0;
}

// measureCPU prints the CPU time of each subject, and returns whether a ratio exceeds its limit.
async function measureCPU(start, perBlock, { most, note, title }) {
  const last = "data: [DONE]\n";
  const stop = "event: message_stop\n";
  const large = [
    { name: "translated", at: await start(), path: "/v1/messages", end: stop },
    { name: "identity pump in JS", at: await start(subjects.pump), path: "/", end: last },
    { name: "translated in plain JS, text alone", at: await start(subjects.script), path: "/", end: stop },
    { name: "passed", at: await start(), path: "/v1/chat/completions", end: last },
    { name: "body returned as it is", at: await start(subjects.asItIs), path: "/", end: last },
  ];
  await measure(large, stream, 8, perBlock);
  title(`CPU per chunk, µs: streams of ${EVENTS} events, median of ${BLOCKS} blocks of ${perBlock}`);
  const perChunk = (subject, ...more) =>
    note(`CPU per chunk, ${subject.name}`, `${((1000 * cpu(subject)) / EVENTS).toFixed(1)} µs`, ...more);
  const ratio = cpu(large[0]) / cpu(large[1]);
  perChunk(large[0], `${ratio.toFixed(2)} times the identity pump; ${spread(large[0])} ms for a stream`);
  perChunk(large[1], `${spread(large[1])} ms`);
  perChunk(
    large[2],
    `${(cpu(large[2]) / cpu(large[1])).toFixed(2)} times the identity pump; ${spread(large[2])} ms`,
  );
  perChunk(
    large[3],
    `${(cpu(large[3]) / cpu(large[4])).toFixed(2)} times the body as it is; ${spread(large[3])} ms`,
  );
  perChunk(large[4], `${spread(large[4])} ms`, { detail: true });

  const small = [
    { name: "translated", at: await start(), path: "/v1/messages" },
    { name: "forwarded by a JS worker", at: await start(subjects.forward), path: "/v1/messages" },
    { name: "translated in plain JS, text alone", at: await start(subjects.script), path: "/v1/messages" },
    { name: "forwarded, both bodies read", at: await start(subjects.buffer), path: "/v1/messages" },
    { name: "forwarded, an instance started", at: await start(subjects.instance), path: "/v1/messages" },
  ];
  await measure(small, request, 1000, perBlock * PER_STREAM);
  title(`CPU per plain request of 2 KB, ms: median of ${BLOCKS} blocks of ${perBlock * PER_STREAM}`);
  for (const [i, subject] of small.entries()) {
    const more =
      subject === small[1] ? "" : `${(cpu(subject) / cpu(small[1])).toFixed(2)} times the forwarder; `;
    note(
      `CPU per request, ${subject.name}`,
      `${cpu(subject).toFixed(2)} ms`,
      `${more}${spread(subject)} ms`,
      { detail: i > 2 },
    );
  }
  return ratio > most.stream || cpu(small[0]) / cpu(small[1]) > most.plain;
}

// measurePaced prints the CPU time of an event in streams at the pace of a model, and returns
// whether a ratio exceeds its limit.
async function measurePaced(start, { most, note, title }) {
  const [last, stop] = ["data: [DONE]\n", "event: message_stop\n"];
  const all = [
    { name: "translated", at: await start(), path: "/v1/messages", end: stop },
    {
      name: "translated, BATCH=0",
      at: await start(undefined, { BATCH: "0" }),
      path: "/v1/messages",
      end: stop,
    },
    {
      name: "translated, BATCH=100",
      at: await start(undefined, { BATCH: "100" }),
      path: "/v1/messages",
      end: stop,
    },
    { name: "identity pump in JS", at: await start(subjects.pump), path: "/", end: last },
    { name: "body returned as it is", at: await start(subjects.asItIs), path: "/", end: last },
  ];
  await measure(all, paced, 2, 1);
  title(
    `CPU per event, µs: ${TOGETHER} streams at once of ${PACED} events, one every ${GAP} ms, median of ${BLOCKS} blocks`,
  );
  for (const subject of all) {
    const { median, least, greatest } = ratios(subject, all[3]);
    note(
      `CPU per event, one every ${GAP} ms, ${subject.name}`,
      `${((1000 * cpu(subject)) / TOGETHER / PACED).toFixed(0)} µs`,
      `${median.toFixed(2)} times the identity pump (${least.toFixed(2)} to ${greatest.toFixed(2)})`,
    );
  }
  return ratios(all[0], all[3]).median > most.paced;
}

// measureIsolate prints how long an event of paced streams, and a plain request, occupy the
// isolate, by V8's profiler: as the code usually runs, and with the code of each of V8's compilers
// of wasm.
async function measureIsolate(start, { note, title }) {
  const median = async (isolate, run, count) => {
    const blocks = [];
    for (let i = 0; i < BLOCKS; i++) blocks.push((1000 * (await isolate.busy(run))) / count);
    return blocks.sort((a, b) => a - b);
  };
  title(
    `time in the isolate, µs: of an event, ${TOGETHER} streams at once of ${PACED} events, one every ${GAP} ms, and of a plain request; median of ${BLOCKS} blocks`,
  );
  for (const [compiler, engine] of [
    ["", []],
    [", Liftoff alone", ["--liftoff-only"]],
    [", TurboFan alone", ["--no-liftoff"]],
  ]) {
    for (const BATCH of ["50", "0"]) {
      const subject = {
        at: await start({ BATCH }, engine),
        path: "/v1/messages",
        end: "event: message_stop\n",
      };
      const requests = async () => {
        for (let i = 0; i < REQUESTS; i++) await request(subject);
      };
      const show = (what, sorted) =>
        note(
          `time in the isolate, ${what}${compiler}`,
          `${sorted[BLOCKS >> 1].toFixed(1)} µs`,
          `${sorted[0].toFixed(1)} to ${sorted.at(-1).toFixed(1)}`,
        );
      try {
        for (let i = 0; i < 2; i++) await paced(subject);
        const isolate = await profiler(subject.at.inspector);
        show(`of an event, BATCH=${BATCH}`, await median(isolate, () => paced(subject), TOGETHER * PACED));
        if (BATCH !== "0") show("of a plain request", await median(isolate, requests, REQUESTS));
        isolate.close();
      } finally {
        await subject.at.close();
      }
    }
  }
}

// measurePersonal prints the CPU time of a plain request at a personal endpoint, including the
// lookup in KV and the opening of the sealed key, next to the same request at the deployment's own
// endpoint. It returns whether the ratio exceeds its limit.
async function measurePersonal(modules, { kv, env }, perBlock, { most, note, title }) {
  const start = (more) => startAlone({ modules: { ...modules, ...more }, env, kv });
  const lookup = { "worker.mjs": { type: "esm", contents: subjects.lookup } };
  const own = { at: await start(), path: "/v1/messages" };
  const personal = await subjects.personal(await start(), env.UPSTREAM_URL);
  const counted = await subjects.personal(await start(), env.UPSTREAM_URL, "counted", { usage: true });
  const forwarded = { at: await start(lookup), path: "/" };
  const read = { at: await start(lookup), path: "/v1/messages" };
  await measure([own, personal, counted, forwarded, read], request, 1000, perBlock);
  title(
    `CPU per plain request of 2 KB at a personal endpoint, ms: median of ${BLOCKS} blocks of ${perBlock}, without miniflare`,
  );
  const ms = (subject) => `${cpu(subject).toFixed(2)} ms`;
  const { median, least, greatest } = ratios(personal, own);
  note("CPU per request, translated at the deployment's endpoint", ms(own), `${spread(own)} ms`, {
    detail: true,
  });
  note(
    "CPU per request, translated at a personal endpoint",
    ms(personal),
    `${median.toFixed(2)} times the deployment's own (${least.toFixed(2)} to ${greatest.toFixed(2)}); ${spread(personal)} ms`,
  );
  const usage = ratios(counted, personal);
  note(
    "CPU per request, translated at one that keeps usage",
    ms(counted),
    `${usage.median.toFixed(2)} times one that keeps none (${usage.least.toFixed(2)} to ${usage.greatest.toFixed(2)}); ${spread(counted)} ms`,
  );
  note("CPU per request, forwarded by a JS worker", ms(forwarded), `${spread(forwarded)} ms`, {
    detail: true,
  });
  note("CPU per request, forwarded, a key of KV read", ms(read), `${spread(read)} ms`, { detail: true });
  return median > most.personal;
}

async function measureMemory(modules, env, { note, title }) {
  title("memory");
  const size = (bytes) => `${(bytes / MB).toFixed(2)} MB`;
  const toMessages = {
    ...env,
    UPSTREAM_URL: env.UPSTREAM_URL.replace(/\/v1$/, ""),
    UPSTREAM_PROTOCOL: "anthropic",
  };
  for (const [client, settings] of [
    ["anthropic", env],
    ["chat", toMessages],
    ["responses", env],
  ]) {
    const at = await startSubject({ modules: observable(modules), env: settings });
    const name = `a ${{ anthropic: "Messages", chat: "Chat", responses: "Responses" }[client]} client's stream`;
    try {
      for (const [asked, bytes, n, goal] of [
        ["10 KB", 10 << 10, 100, ", goal 1 MB"],
        ["1 MB", MB, 20, ", goal 3 MB"],
        ["16 MB", 15.9 * MB, 2, ""],
      ]) {
        const { wasm, resident } = await held(at, client, bytes, n);
        note(
          `memory of ${name}, request of ${asked}`,
          size(wasm),
          `${Math.floor((ISOLATE * MB) / wasm)} in ${ISOLATE} MB${goal}; resident ${size(resident)}`,
          { detail: client !== "anthropic" },
        );
      }
      const [short, long] = [await ended(at, client, 2048, 1000), await ended(at, client, 2048, 100_000)];
      note(`memory of ${name} behind 100,000 events`, size(long), `${size(short)} behind 1,000`, {
        detail: client === "chat",
      });
    } finally {
      await at.close();
    }
  }
}

// measureStart compares the first answer of a new workerd, which includes the start of the isolate,
// with the second answer. It prints the additional time and CPU time, and the amount of code that
// V8 compiles for the first answer (compiled).
async function measureStart(start, compiled, { note, title }) {
  title(`first answer of a new workerd, ms: median of ${STARTS}`);
  const median = (values) => values.sort((a, b) => a - b)[STARTS >> 1].toFixed(1);
  const first = async (code) => {
    const [times, cpus] = [[], []];
    for (let i = 0; i < STARTS; i++) {
      const at = await start(code);
      const answer = async () => {
        const [from, before] = [performance.now(), cpuOf(at.pid)];
        await ask(at.url, { body: params() });
        return [performance.now() - from, cpuOf(at.pid) - before];
      };
      try {
        const [one, two] = [await answer(), await answer()];
        times.push(one[0] - two[0]);
        cpus.push(one[1] - two[1]);
      } finally {
        await at.close();
      }
    }
    return { time: median(times), cpu: median(cpus) };
  };
  const [worker, forwarder] = [await first(), await first(subjects.forward)];
  note("first answer over the second, worker", `${worker.time} ms`, `forwarder ${forwarder.time} ms`);
  note(
    "CPU of the first answer over the second's, worker",
    `${worker.cpu} ms`,
    `forwarder ${forwarder.cpu} ms`,
  );
  const { functions, bytes } = await compiled();
  note(
    "the module's functions that V8 compiles for it",
    `${(bytes / 1000).toFixed(0)} KB`,
    `${functions} functions`,
  );
}

// measureSession prints the cost of a turn in a long session on each host: with the whole history
// in each request, and with only the new items.
async function measureSession(hosts, { note, title }) {
  title(
    `a turn of a Responses session with a history of ${(HISTORY / MB).toFixed(0)} MB: median of ${BLOCKS} sessions of ${TURNS} turns`,
  );
  for (const [host, start] of Object.entries(hosts)) {
    const [http, socket] = [
      { at: await start(), session: overHTTP },
      { at: await start(), session: overWebSocket },
    ];
    await measure(
      [http, socket],
      async (subject) => (subject.sent = await subject.session(subject.at.url)),
      1,
      1,
    );
    const sent = (subject) => `${(subject.sent / TURNS / 1024).toFixed(1)} KB sent by the client`;
    const ms = (subject) => `${(cpu(subject) / TURNS).toFixed(1)} ms`;
    const { median, least, greatest } = ratios(socket, http);
    note(`${host}: CPU of a turn over HTTP`, ms(http), sent(http));
    note(
      `${host}: CPU of a turn over a WebSocket`,
      ms(socket),
      `${median.toFixed(2)} times HTTP's (${least.toFixed(2)} to ${greatest.toFixed(2)}); ${sent(socket)}`,
    );
  }
}

// measureHost runs the Go benchmarks of the local host and prints their figures.
async function measureHost({ note, title }) {
  title("the local host, go test -bench");
  const benchmarks = "BenchmarkStream$|BenchmarkFirst|BenchmarkOpenStreams|BenchmarkRequest|BenchmarkStart";
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  const { stdout } = await promisify(execFile)(
    "go",
    ["test", "-run", "^$", "-bench", benchmarks, "./wasmtest/host"],
    { cwd },
  );
  const figures = {}; // by benchmark and unit
  for (const line of stdout.split("\n")) {
    const [, name, rest] = /^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(.*)/.exec(line) ?? [];
    for (const [, value, unit] of (rest ?? "").matchAll(/([\d.e+]+) (\S+)/g))
      figures[`${name} ${unit}`] = Number(value);
  }
  const us = (key) => `${figures[key].toFixed(1)} µs`;
  note(
    "local host: CPU per chunk, translated",
    us("Stream translated-µs/chunk"),
    `${figures["Stream translated/proxy"].toFixed(2)} times Go's httputil.ReverseProxy`,
  );
  note(
    "local host: CPU per chunk, passed",
    us("Stream passed-µs/chunk"),
    `${figures["Stream passed/proxy"].toFixed(2)} times the proxy, which takes ${us("Stream proxy-µs/chunk")}`,
  );
  note(
    "local host: a stream's first chunk",
    us("First translated-µs"),
    `${figures["First translated/proxy"].toFixed(2)} times the proxy, whose comes after ${us("First proxy-µs")}`,
  );
  note(
    "local host: a plain request",
    `${(figures["Request/plain ns/op"] / 1e6).toFixed(2)} ms`,
    `with a start of ${(figures["Start ns/op"] / 1e6).toFixed(2)} ms`,
  );
  note(
    "local host: memory of an open stream",
    `${figures["OpenStreams KB/stream"].toFixed(0)} KB`,
    "its connections included",
  );
}

process.exitCode = await main();
