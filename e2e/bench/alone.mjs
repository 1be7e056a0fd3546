// Starts workerd without miniflare. miniflare's bindings are workers in the measured process: a
// read of miniflare's KV takes as much CPU there as a whole forwarded request. Here another process
// serves KV, as on Cloudflare.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import workerd from "workerd"; // the same version as miniflare's
import { compatibility } from "../lib/target.mjs";

const KINDS = { esm: "esModule", wasm: "wasm", data: "data" };

// startAlone starts a worker and returns its URL, its process, the process's working folder and a
// function for ending the process. modules has the worker's modules by name, and env its variables.
// kv is the address of the KV server for the binding ENDPOINTS, and engine has flags for V8. With
// inspect the result has the URL of the inspector.
export async function startAlone({ modules, env, kv, engine = [], inspect = false }) {
  const folder = await mkdtemp(join(tmpdir(), "bench-"));
  for (const [name, { contents }] of Object.entries(modules)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), contents);
  }
  await mkdir(join(folder, "objects"));
  await writeFile(
    join(folder, "config.capnp"),
    configOf({ modules, env, kv, engine, folder, ...(await compatibility()) }),
  );
  const child = spawn(
    workerd.default,
    [
      "serve",
      join(folder, "config.capnp"),
      "--control-fd=3",
      ...(inspect ? ["--inspector-addr=127.0.0.1:0"] : []),
    ],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit", "pipe"] },
  );
  const exited = once(child, "exit");
  const end = () => child.kill();
  process.on("exit", end);
  const ports = new Map();
  const listening = (async () => {
    for await (const line of createInterface({ input: child.stdio[3] })) {
      const { event, port } = JSON.parse(line);
      ports.set(event, port);
      if (ports.size === (inspect ? 2 : 1)) return;
    }
  })();
  await Promise.race([
    listening,
    exited.then(([code]) => Promise.reject(new Error(`workerd ended with ${code}`))),
  ]);
  const close = async () => {
    end();
    await exited;
    process.off("exit", end);
    await rm(folder, { recursive: true });
  };
  const inspector = `ws://127.0.0.1:${ports.get("listen-inspector")}/main`;
  return { url: `http://127.0.0.1:${ports.get("listen")}`, inspector, pid: child.pid, folder, close };
}

const quote = JSON.stringify; // capnp quotes texts like JSON
const list = (items) => `[${items.join(", ")}]`;

// configOf returns workerd's configuration. For workerd the first module is the main module.
function configOf({ modules, env, kv, engine, folder, compatibilityDate, compatibilityFlags }) {
  const names = ["worker.mjs", ...Object.keys(modules).filter((name) => name !== "worker.mjs")];
  const code = names.map(
    (name) => `(name = ${quote(name)}, ${KINDS[modules[name].type]} = embed ${quote(name)})`,
  );
  const bindings = Object.entries(env).map(
    ([name, value]) => `(name = ${quote(name)}, text = ${quote(value)})`,
  );
  bindings.push(
    '(name = "ENDPOINTS", kvNamespace = "kv")',
    '(name = "ENDPOINT_STATE", durableObjectNamespace = "EndpointState")',
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "internet", network = (allow = ["private"])),
    (name = "kv", external = (address = ${quote(kv)}, http = ())),
    (name = "objects", disk = (path = ${quote(join(folder, "objects"))}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
  v8Flags = ${list(engine.map(quote))},
);
const main :Workerd.Worker = (
  modules = ${list(code)},
  compatibilityDate = ${quote(compatibilityDate)},
  compatibilityFlags = ${list(compatibilityFlags.map(quote))},
  bindings = ${list(bindings)},
  durableObjectNamespaces = [(className = "EndpointState", uniqueKey = "state", enableSql = true)],
  durableObjectStorage = (localDisk = "objects"),
);
`;
}
