// The cost of counting on the local host: the CPU time of a request at a personal endpoint that counts
// usage, compared with one that does not. Each subject is a process of its own with a store on disk. The
// subjects take turns, block by block.
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { cpu, measure, ratios, request, spread, stream } from "./cpu.mjs";
import { engineOf } from "./engines.mjs";
import * as subjects from "./subjects.mjs";

const EVENTS = 40; // of a stream
const WARM_UP = 300;

const usage = `usage: node e2e/bench/counting.mjs [--requests N] [--engine wasm|native] [--memory]

  --requests N  requests of a block of each subject (default 150)
  --engine E    the engine of the local host (default wasm)
  --memory      a store in memory instead of one on disk

PROGRAM=FILE measures another program than the one of this tree, BUILD=folder another build than build/.`;

async function main() {
  const { values } = parseArgs({
    options: {
      requests: { type: "string", default: "150" },
      engine: { type: "string", default: "wasm" },
      memory: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const requests = Number(values.requests);
  if (values.help || !(requests >= 1)) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  const upstream = fork(fileURLToPath(new URL("upstream.mjs", import.meta.url)), ["serve"]);
  const folder = await mkdtemp(join(tmpdir(), "counting-"));
  try {
    const [[port]] = await once(upstream, "message");
    const url = `http://127.0.0.1:${port}/v1`;
    const start = async (name, more) => {
      const flags = Object.entries(subjects.persons).flatMap(([key, value]) => [
        key === "ALLOW_HTTP_UPSTREAM" ? "--var" : "--secret",
        `${key}=${value}`,
      ]);
      if (!values.memory) flags.push("--data", join(folder, name));
      const at = await engineOf(values.engine, "chat", url, flags);
      return { name, end: "message_stop", ...(await subjects.personal(at, url, name, more)) };
    };
    const model = JSON.stringify({ events: EVENTS });
    for (const [title, run] of [
      ["plain", request],
      ["streamed", (subject) => stream(subject, EVENTS, { model })],
    ]) {
      const all = [
        await start(`none-${title}`),
        await start(`counted-${title}`, { usage: true }),
        await start(`logged-${title}`, { usage: true, request_log: { ttl: 86400 } }),
      ];
      await measure(all, run, WARM_UP, requests);
      for (const subject of all) {
        const { median, least, greatest } = ratios(subject, all[0]);
        console.log(
          `${subject.name.padEnd(18)} ${cpu(subject).toFixed(3)} ms (${spread(subject)}), ` +
            `${median.toFixed(2)} times (${least.toFixed(2)} to ${greatest.toFixed(2)})`,
        );
      }
    }
  } finally {
    upstream.kill();
    await rm(folder, { recursive: true, force: true });
  }
  return 0;
}

process.exitCode = await main();
