// Holds idle WebSockets open and prints the memory of the host's process: at the start, each minute
// and at the end. Each connection remembers a conversation, and continues the conversation at the
// end. Not part of CI.
import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { residentOf, startSubject } from "./process.mjs";
import { PROSE } from "./upstream.mjs";
import { personal, persons } from "./subjects.mjs";
import { CLIENT_KEY, UPSTREAM_KEY } from "../lib/client.mjs";
import { build, modulesOf, start } from "../lib/target.mjs";
import { connect } from "../lib/websocket.mjs";

const OF_ENDPOINT = 50; // connections per endpoint; the limit is 64
const MODEL = JSON.stringify({ events: 1 });

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      connections: { type: "string", default: "200" },
      on: { type: "string", default: "wazero,workerd" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [minutes = "10"] = positionals;
  const connections = Number(values.connections);
  if (values.help || !(Number(minutes) > 0) || !(connections > 0)) {
    console.log(`usage: node e2e/bench/soak.mjs [MINUTES] [--connections N] [--on HOSTS]

  MINUTES          how long the connections are idle (default 10)
  --connections N  how many there are (default 200)
  --on HOSTS       wazero, workerd or both, one behind the other (default wazero,workerd)

BUILD=folder takes another build than build/.`);
    return values.help ? 0 : 2;
  }
  const upstream = fork(fileURLToPath(new URL("upstream.mjs", import.meta.url)), ["serve"]);
  try {
    const [[port]] = await once(upstream, "message");
    for (const on of values.on.split(","))
      await soak(on, `http://127.0.0.1:${port}/v1`, connections, Number(minutes));
  } finally {
    upstream.kill();
  }
  return 0;
}

async function soak(on, url, connections, minutes) {
  const env = { UPSTREAM_URL: url, UPSTREAM_PROTOCOL: "chat", UPSTREAM_KEY, CLIENT_KEY, ...persons };
  const at =
    on === "workerd"
      ? await startSubject({ modules: await modulesOf(build), env, state: true })
      : await start(env, { on });
  const note = (when, before) => {
    const bytes = residentOf(at.pid);
    const each =
      before === undefined
        ? ""
        : `, ${((bytes - before) / connections / 1024).toFixed(0)} KB more for each connection`;
    console.log(`${on}: ${when.padEnd(28)} ${(bytes / 2 ** 20).toFixed(1).padStart(7)} MB${each}`);
    return bytes;
  };
  try {
    const open = [];
    for (let i = 0, endpoint; i < connections; i++) {
      if (i % OF_ENDPOINT === 0) endpoint = await personal(at, url, `soak${i}`);
      if (i === 0) {
        // exclude the cost of a first request from the connections' memory
        const first = await opened(at, endpoint);
        await turns([first]);
        await first.connection.close();
        note("before");
      }
      open.push(await opened(at, endpoint));
    }
    const before = note(`${connections} connections, no turn yet`);
    await turns(open);
    note("each behind a turn", before);
    for (let minute = 1; minute <= minutes; minute++) {
      await sleep(60_000);
      note(`idle for ${minute} min`, before);
    }
    await sleep((minutes % 1) * 60_000);
    await turns(open);
    note("each behind another turn", before);
    await Promise.all(open.map(({ connection }) => connection.close()));
    await turns([await opened(at, await personal(at, url, "last"))]);
    note("all closed");
  } finally {
    await at.close();
  }
}

// opened opens a connection at an endpoint.
async function opened(at, { path, key }) {
  return {
    connection: await connect(at.url, {
      path: path.replace("messages", "responses"),
      headers: { authorization: `Bearer ${key}` },
    }),
  };
}

// turns runs a turn on each connection, one connection after another.
async function turns(open) {
  for (const one of open) {
    one.last = await one.connection.complete({
      model: MODEL,
      input: PROSE,
      store: false,
      ...(one.last && { previous_response_id: one.last.id }),
    });
  }
}

process.exitCode = await main();
