// Load on the local host: plain and streamed requests in three dialects, several at a time, in front
// of an upstream that answers at once. The subjects are the two engines and Go's
// httputil.ReverseProxy, each a process of its own. They take turns, round by round, so that other
// work of the machine slows all of them down.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CLIENT_KEY } from "../lib/client.mjs";
import { goProgram } from "../lib/programs.mjs";
import { engineOf, started } from "./engines.mjs";
import { cpuOf, residentOf } from "./process.mjs";
import { PROSE } from "./upstream.mjs";

const MODEL = JSON.stringify({ events: 40 });
const OPEN = 400; // streams
const STARTS = 7;

const user = [{ role: "user", content: PROSE }];
const dialects = {
  chat: { path: "/v1/chat/completions", body: { messages: user } },
  responses: { path: "/v1/responses", body: { input: user } },
  anthropic: { path: "/v1/messages", body: { max_tokens: 1000, messages: user } },
};

// Each pair is a client's dialect and the upstream's protocol.
const pairs = [
  ["chat", "chat"],
  ["anthropic", "chat"],
  ["responses", "chat"],
  ["chat", "anthropic"],
];

const usage = `usage: node e2e/bench/local.mjs [--requests N] [--concurrency N] [--rounds N] [--peer NAME=PID=URL]

  --requests N         requests of each kind, of each subject, in each round (default 500)
  --concurrency N      requests at a time (default 10)
  --rounds N           rounds (default 5); the figures are medians
  --upstream           only start the upstreams, print their URLs, and wait: for the settings of a peer
  --peer NAME=PID=URL  also measure a server that runs already, by the CPU time of process PID. The
                       server forwards Chat Completions, and translates Messages and Responses, to the
                       Chat Completions of --chat; may be repeated
  --chat PORT, --anthropic PORT
                       the ports of the upstreams (default: free ones)
  --key KEY            the client's key at peers (default ${CLIENT_KEY})`;

async function main() {
  const text = { type: "string" };
  const { values } = parseArgs({
    options: {
      requests: { ...text, default: "500" },
      concurrency: { ...text, default: "10" },
      rounds: { ...text, default: "5" },
      upstream: { type: "boolean", default: false },
      peer: { ...text, multiple: true, default: [] },
      chat: { ...text, default: "0" },
      anthropic: { ...text, default: "0" },
      key: { ...text, default: CLIENT_KEY },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [requests, concurrency, rounds] = [values.requests, values.concurrency, values.rounds].map(Number);
  const peers = values.peer.map((peer) => /^([^=]+)=(\d+)=(http:\/\/.+)$/.exec(peer));
  if (values.help || ![requests, concurrency, rounds].every((n) => n >= 1) || peers.includes(null)) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const upstreams = {};
  const children = [];
  try {
    for (const protocol of ["chat", "anthropic"]) {
      const child = fork(fileURLToPath(new URL("upstream.mjs", import.meta.url)), [
        "serve",
        values[protocol],
      ]);
      children.push(child);
      const [[port]] = await once(child, "message");
      upstreams[protocol] = `http://127.0.0.1:${port}${protocol === "chat" ? "/v1" : ""}`;
    }
    if (values.upstream) {
      console.log(`${upstreams.chat} (Chat Completions), ${upstreams.anthropic} (Messages)`);
      await once(process, "SIGINT");
      return 0;
    }
    const subjects = ["wasm", "native"].map((engine) => ({
      name: engine,
      start: (protocol, url) => engineOf(engine, protocol, url),
    }));
    subjects.push({ name: "ReverseProxy", passes: true, start: (_, url) => forward(url) });
    for (const [, name, pid, url] of peers)
      subjects.push({ name, peer: true, start: async () => ({ pid, url, key: values.key, close() {} }) });
    console.log(`${requests} requests, ${concurrency} at a time, medians of ${rounds} rounds\n`);
    for (const [client, protocol] of pairs) {
      const those = subjects.filter(
        ({ passes, peer }) => (!passes || client === protocol) && (!peer || protocol === "chat"),
      );
      await measurePair(client, protocol, those, upstreams[protocol], { requests, concurrency, rounds });
    }
    for (const subject of subjects.slice(0, 2)) await measureOpen(subject, upstreams.chat);
    for (const subject of subjects.slice(0, 2)) await measureStart(subject, upstreams.chat);
  } finally {
    for (const child of children) child.kill();
  }
  return 0;
}

const forward = async (url) =>
  started(await goProgram("FORWARD", "forward", "./e2e/bench/forward"), [new URL(url).origin]);

// measurePair prints a table of the subjects for a client's dialect and the upstream's protocol.
async function measurePair(client, protocol, subjects, url, { requests, concurrency, rounds }) {
  const servers = [];
  try {
    for (const { name, start } of subjects) servers.push({ name, ...(await start(protocol, url)) });
    for (const stream of [false, true]) {
      const results = new Map(servers.map(({ name }) => [name, []]));
      for (const server of servers) await load(server, client, { stream, requests: 200, concurrency });
      for (let i = 0; i < rounds; i++)
        for (const server of servers)
          results.get(server.name).push(await load(server, client, { stream, requests, concurrency }));
      console.log(`${client} to ${protocol}, ${stream ? "streamed" : "plain"}`);
      const first = results.get(servers[0].name);
      for (const [name, those] of results) print(name, those, first, stream);
      console.log();
    }
  } finally {
    for (const server of servers) await server.close();
  }
}

// print prints the medians of a subject's rounds, each with its ratio to the first subject.
function print(name, rounds, first, stream) {
  const shown = (label, of, unit) => {
    const ratio = median(rounds.map((round, i) => of(round) / of(first[i])));
    return `${label} ${median(rounds.map(of)).toPrecision(3)} ${unit} (${ratio.toFixed(2)})`;
  };
  const figures = [
    shown("CPU", (r) => r.cpu, "ms"),
    shown("p50", (r) => r.p50, "ms"),
    shown("p99", (r) => r.p99, "ms"),
  ];
  if (stream)
    figures.push(
      shown("first byte", (r) => r.first, "ms"),
      shown("gap p99", (r) => r.gap, "ms"),
    );
  figures.push(`resident ${(median(rounds.map((r) => r.resident)) / 2 ** 20).toFixed(0)} MB`);
  console.log(`  ${name.padEnd(14)} ${figures.join(", ")}`);
}

const sorted = (values) => values.toSorted((a, b) => a - b);
const median = (values) => quantile(values, 0.5);
const quantile = (values, q) => sorted(values)[Math.min(values.length - 1, Math.floor(values.length * q))];

// load sends requests and resolves with the server's CPU time per request, and times as a client sees
// them, in ms.
async function load(server, dialect, { stream, requests, concurrency }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency });
  const { path, body } = dialects[dialect];
  const sent = JSON.stringify({ model: MODEL, stream, ...body });
  const [whole, first, gaps] = [[], [], []];
  let left = requests;
  const before = cpuOf(server.pid);
  const client = async () => {
    while (left-- > 0) {
      const seen = await ask(server, { agent, path, sent });
      whole.push(seen.at(-1) - seen[0]);
      first.push(seen[1] - seen[0]);
      for (let i = 2; i < seen.length; i++) gaps.push(seen[i] - seen[i - 1]);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  const cpu = (cpuOf(server.pid) - before) / requests;
  agent.destroy();
  return {
    cpu,
    p50: median(whole),
    p99: quantile(whole, 0.99),
    first: median(first),
    gap: gaps.length ? quantile(gaps, 0.99) : 0,
    resident: residentOf(server.pid),
  };
}

// ask resolves with the times of the request and of each part of its answer.
function ask({ url, key }, { agent, path, sent }) {
  return new Promise((resolve, reject) => {
    const seen = [performance.now()];
    const headers = { "content-type": "application/json", "x-api-key": key, authorization: `Bearer ${key}` };
    const req = http.request(new URL(path, url), { method: "POST", agent, headers }, (res) => {
      let tail = "";
      res.on("data", (part) => {
        seen.push(performance.now());
        tail = (tail + part.toString("latin1")).slice(-2000);
      });
      res.on("end", () => (res.statusCode === 200 ? resolve(seen) : reject(new Error(tail))));
      res.on("error", reject);
    });
    req.on("error", reject);
    req.end(sent);
  });
}

// measureOpen prints the memory of a server with many open streams.
async function measureOpen({ name, start }, url) {
  const server = await start("chat", url);
  const agent = new http.Agent({ keepAlive: true });
  try {
    const idle = residentOf(server.pid);
    const { path, body } = dialects.anthropic;
    const sent = JSON.stringify({ model: JSON.stringify({ events: 5, hold: true }), stream: true, ...body });
    const headers = { "content-type": "application/json", "x-api-key": server.key };
    const replies = Array.from({ length: OPEN }, async () => {
      const req = http.request(new URL(path, server.url), { method: "POST", agent, headers });
      req.on("error", () => {});
      req.end(sent);
      const [res] = await once(req, "response");
      assert.equal(res.statusCode, 200);
      let text = "";
      for await (const part of res.iterator({ destroyOnReturn: false }))
        if ((text += part).includes("token4")) return;
    });
    await Promise.all(replies);
    const mb = (bytes) => (bytes / 2 ** 20).toFixed(0);
    console.log(`${name}: ${OPEN} open streams in ${mb(residentOf(server.pid))} MB, idle ${mb(idle)} MB`);
  } finally {
    agent.destroy();
    await server.close();
  }
}

// measureStart prints the time from the start of a server's process until the server listens.
async function measureStart({ name, start }, url) {
  const times = [];
  for (let i = 0; i < STARTS; i++) {
    const begun = performance.now();
    const server = await start("chat", url);
    times.push(performance.now() - begun);
    await server.close();
  }
  console.log(`${name}: listens after ${median(times).toFixed(0)} ms`);
}

process.exitCode = await main();
