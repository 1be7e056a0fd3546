// Many concurrent streams, with faults drawn from a seed. Every client must get the whole answer or
// an error in its own format, and afterwards no connection and no memory must be left. LOAD_STREAMS
// is the number of streams (200, with FULL 500), LOAD_SECONDS the approximate duration (10), LOAD_SEED
// the seed.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { defaults } from "../lib/fixture.mjs";
import { draw, play, run } from "../lib/load.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { PROTOCOLS } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { PATIENCE, until } from "../lib/waiting.mjs";

const ROUNDS = 3;
const streams = Number(process.env.LOAD_STREAMS ?? (process.env.FULL ? 500 : 200));
const seconds = Number(process.env.LOAD_SECONDS ?? 10);
const seed = Number(process.env.LOAD_SEED ?? Date.now() % 1_000_000);
const span = (seconds / ROUNDS) * 1000;

// IDLE is the most idle connections to an upstream that a host keeps for later requests.
const IDLE = 64;

describe(`${streams} streams at once on ${TARGET}, LOAD_SEED=${seed}`, () => {
  const sides = {}; // protocol -> an upstream and its worker
  before(async () => {
    console.log(`LOAD_SEED=${seed} repeats it`);
    for (const protocol of PROTOCOLS) {
      const up = await upstream();
      const url = protocol === "anthropic" ? up.url.replace(/\/v1$/, "") : up.url;
      const target = await start(
        { ...defaults(url), UPSTREAM_PROTOCOL: protocol, HEAD_WAIT: "2" },
        { flags: ["--max-concurrent", "1024"] },
      );
      sides[protocol] = { up, target, own: sockets(target.pid) };
    }
  });
  after(async () => {
    for (const { up, target } of Object.values(sides)) {
      await target.close();
      await up.close();
    }
  });
  const all = (fn) => Promise.all(Object.values(sides).map(fn));

  // the hosts' resident memory in bytes
  const hosts = () => Object.values(sides).reduce((sum, { target }) => sum + resident(target.pid), 0);
  const held = []; // the result of hosts after each round
  for (let round = 0; round < ROUNDS; round++) {
    test(`round ${round + 1}`, { timeout: PATIENCE + 10 * seconds * 1000 }, async () => {
      const requests = draw(seed + round * streams, streams, span);
      const open = new Set();
      let release; // ends the hanging upstreams, after all other requests have ended
      const others = new Promise((resolve) => (release = resolve));
      let left = requests.filter(({ way }) => way !== "hang").length;
      for (const { up } of Object.values(sides)) {
        up.renew();
        up.serve(async (x) => {
          open.add(x);
          x.closed.then(() => open.delete(x));
          await play(x, requests[Number(x.json.model)], others).catch(() => {}); // the worker has left
        });
      }
      const failures = [];
      await Promise.all(
        requests.map((request) =>
          run(sides[request.upstream].target.url, request)
            .catch((error) => {
              const { i, client, upstream, stream, way } = request;
              failures.push(
                `${i}, ${client} to ${upstream}, ${stream ? "streamed" : "plain"}, ${way}: ${error.message}`,
              );
            })
            .finally(() => request.way !== "hang" && --left === 0 && release()),
        ),
      );
      assert.deepEqual(failures, [], `LOAD_SEED=${seed}`);
      await until(() => open.size === 0);
      await all(async ({ up, target, own }) => {
        await until(async () => (await up.connections()) <= IDLE); // workerd keeps more for some seconds
        if (TARGET !== "wazero") return;
        // The instances end with their requests. healthz does not count as an open request.
        await until(async () => (await (await fetch(`${target.url}/healthz`)).json()).open_requests === 0);
        // one additional socket belongs to the fetch of healthz
        await until(async () => sockets(target.pid) <= (await up.connections()) + own + 1);
      });
      if (TARGET === "wazero") held.push(hosts());
    });
  }

  // The host returns memory to the system in the background. Before that a figure is high by
  // chance.
  test(
    "memory does not grow from round to round",
    { skip: TARGET !== "wazero" && "it is the host that has to give memory back" },
    async () => {
      console.log(
        `resident after each round: ${held.map((bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`).join(", ")}`,
      );
      const most = 1.15 * Math.max(...held.slice(0, -1));
      await until(() => hosts() <= most);
    },
  );
});

// sockets returns the number of a process's sockets, or -1 without /proc.
function sockets(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith("socket:");
      } catch {
        return false; // closed meanwhile
      }
    }).length;
  } catch {
    return -1;
  }
}

// resident returns the resident memory of a process in bytes, or 0 without /proc.
function resident(pid) {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))[1]) * 1024;
  } catch {
    return 0;
  }
}
