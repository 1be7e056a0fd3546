// Starts the built worker on the runtime in TARGET: workerd (default), wazero, or native, which is
// the local host with its native engine.
//
// miniflare and wrangler need Node 22. npm scripts find Node 22 first on their PATH, as
// node_modules/.bin/node (the packages node-linux-*); the tests themselves also run on Node 20. The
// workerd in the lock file is the newest version with packages for all platforms: with a newer
// version npm ci refuses the lock file.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { goProgram } from "./programs.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
export const build = process.env.BUILD ?? join(root, "build");

// copyBuild copies the build folder, without the local host and the temporary file beside it, because
// other tests build the host there at the same time.
export const copyBuild = (folder) =>
  cp(build, folder, {
    recursive: true,
    filter: (path) => path === build || !basename(path).startsWith("edgelingua"),
  });

const secrets = new Set([
  "UPSTREAM_KEY",
  "UPSTREAM_GATEWAY_TOKEN",
  "CLIENT_KEY",
  "SEAL_KEY",
  "SEAL_KEY_PREVIOUS",
  "ADMIN_KEY",
  "CLOUDFLARE_API_TOKEN",
  "OTLP_HEADERS",
  "SEARCH_KEY",
  "ALERT_URL",
  "ALERT_SECRET",
]);

const wanted = process.env.TARGET ?? "workerd";

// TARGET is "workerd", or "wazero" for the local host with either engine.
export const TARGET = wanted === "native" ? "wazero" : wanted;

// NATIVE says that the local host serves requests with its native engine.
export const NATIVE = wanted === "native";

// elsewhere is the reason to skip a suite of the page, or false. The scripts of the page are the same
// on both runtimes, so one runtime is enough for the suite. ./build.sh test --full sets FULL, and then
// the suite runs on both.
export const elsewhere = (runtime) =>
  TARGET !== runtime && !process.env.FULL && `it runs on ${runtime}; with FULL=1 on both`;

// start runs a worker with config, an object of variables and secrets. Options: faults runs the
// module with the tests' hooks. state binds the stores, or "kv" only KV; the wazero host always has
// both. data is the folder of the wazero host's store, flags are more flags for the wazero host,
// and files is the limit of its descriptors. connect is an upstream (lib/upstream.mjs) that
// replaces every server. on overrides TARGET. start resolves with an object: lines are the log
// lines of requests, and log is the rest of the log.
export async function start(
  config,
  { faults = false, state = false, data, files, flags = [], connect, on = TARGET } = {},
) {
  const folder = faults ? join(build, "faults") : build;
  switch (on) {
    case "workerd":
      return startWorkerd({ modules: await modulesOf(folder), env: config, state, connect });
    case "wazero":
      return startWazero(
        join(folder, "app.wasm"),
        faults ? served(config) : config,
        [
          ...(data ? ["--data", data] : []),
          ...(connect ? ["--connect", new URL(connect.url).host] : []),
          ...flags,
        ],
        files,
      );
  }
  throw new Error(`TARGET=${on}: must be workerd, wazero or native`);
}

// served returns a config with which the wazero host starts. The host does not start without an
// upstream or an ADMIN_KEY, but tests of hooks need neither.
const served = (config) =>
  "UPSTREAM_URL" in config || "ADMIN_KEY" in config
    ? config
    : { ...config, ADMIN_KEY: "a-key-that-no-test-presents" };

const bindings = {
  ENDPOINTS: { type: "kv", id: "endpoints" },
  ENDPOINT_STATE: { type: "durable-object", worker: "worker", exportName: "EndpointState" },
};

// startWorkerd runs one worker with its own socket, without miniflare's entry worker before the
// worker.
export async function startWorkerd({ modules, env = {}, state = false, connect }) {
  const { Miniflare, NoOpLog } = await import("miniflare");
  const log = [];
  const lines = new Lines();
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    port: 0,
    cf: false,
    telemetry: { enabled: false },
    log: new NoOpLog(),
    handleStructuredLogs: (line) =>
      line.message.startsWith('{"id":') ? lines.add(line.message) : log.push(line),
    workers: [
      {
        config: {
          name: "worker",
          ...(await compatibility()),
          manifest: { mainModule: "worker.mjs", modules },
          env: {
            ...Object.fromEntries(
              Object.entries(env).map(([name, value]) => [name, { type: "text", value }]),
            ),
            ...(state === "kv" ? { ENDPOINTS: bindings.ENDPOINTS } : state && bindings),
          },
          ...(state === true && {
            exports: { EndpointState: { type: "durable-object", storage: "sqlite" } },
          }),
        },
        dev: {
          unsafeDirectSockets: [{ host: "127.0.0.1", port: 0 }],
          ...(connect && { outboundService: { type: "node-handler", handler: connect.handle } }),
        },
      },
    ],
  });
  await miniflare.ready;
  const url = (await miniflare.unsafeGetDirectURL("worker")).origin;
  return { url, log, lines, close: () => miniflare.dispose() };
}

// Lines are the log lines of requests.
class Lines {
  all = []; // the lines so far, in order
  #takers = [];
  #taken = 0;

  add(line) {
    this.all.push(line);
    this.#takers.shift()?.();
  }

  // next resolves with the next request's line, parsed.
  async next() {
    const i = this.#taken++;
    if (i >= this.all.length) await new Promise((resolve) => this.#takers.push(resolve));
    return JSON.parse(this.all[i]);
  }
}

// modulesOf reads the files of a build folder that wrangler would bundle.
export async function modulesOf(folder) {
  const type = { mjs: "esm", js: "esm", wasm: "wasm", bin: "data" };
  const modules = {};
  // older builds, for comparison in benchmarks, may have no page
  const page = await readdir(join(folder, "page")).catch(() => []);
  for (const name of [...(await readdir(folder)), ...page.map((name) => `page/${name}`)]) {
    const kind = type[name.split(".").pop()];
    if (kind)
      modules[name] = {
        type: kind,
        contents: await readFile(join(folder, name), kind === "esm" ? "utf8" : null),
      };
  }
  if (!modules["worker.mjs"])
    throw new Error(`${folder}/worker.mjs is missing: run ./build.sh test, which builds it`);
  return modules;
}

// compatibility returns date and flags from wrangler.toml: the tests run with the deployed
// settings.
export async function compatibility() {
  const toml = await readFile(join(root, "wrangler.toml"), "utf8");
  return {
    compatibilityDate: /^compatibility_date\s*=\s*"([^"]+)"/m.exec(toml)[1],
    compatibilityFlags: JSON.parse(/^compatibility_flags\s*=\s*(\[[^\]]*\])/m.exec(toml)?.[1] ?? "[]"),
  };
}

// startDemo runs the built worker on the wazero host, with the host's demo upstream.
export const startDemo = (config) => startWazero(join(build, "app.wasm"), config, ["--demo"]);

// startRun runs the same program as `./build.sh run` with the flags, with an upstream that replaces
// every server.
export const startRun = (flags, upstream) =>
  startWazero(join(build, "app.wasm"), {}, [...flags, "--connect", new URL(upstream.url).host]);

// hostProgram resolves with the path of the wazero host's program.
export const hostProgram = () => goProgram("PROGRAM", "edgelingua", "./wasmtest");

// nativeProgram resolves with the path of that program with the tests' hooks. Its native engine also
// serves personal endpoints.
const nativeProgram = () => goProgram("NATIVE", "edgelingua", "./wasmtest", "-tags", "faults");

async function startWazero(wasm, config, flags = [], files) {
  const program = await (NATIVE ? nativeProgram() : hostProgram());
  const args = ["serve", "--addr", "127.0.0.1:0", "--wasm", wasm, ...flags];
  if (NATIVE) args.push("--engine", "native");
  for (const [name, value] of Object.entries(config))
    args.push(secrets.has(name) ? "--secret" : "--var", `${name}=${value}`);
  // The host runs in another folder: in the root it would read wrangler.toml and .dev.vars.
  const limited = files ? ["sh", "-c", 'ulimit -n "$0"; exec "$@"', files] : [];
  const [first, ...rest] = [...limited, program, ...args];
  const child = spawn(first, rest, { cwd: join(program, ".."), stdio: ["ignore", "pipe", "pipe"] });
  const log = [];
  const lines = new Lines();
  createInterface({ input: child.stdout }).on("line", (line) => lines.add(line));
  const closed = once(child, "close"); // all lines have been read by then
  const kill = () => child.kill();
  process.on("exit", kill);
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      log.push(line);
      const at = /listening on (http:\/\/\S+)/.exec(line);
      if (at) resolve(at[1]);
    });
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`edgelingua serve ended with ${code}:\n${log.join("\n")}`)));
  });
  return {
    url,
    log,
    lines,
    pid: child.pid,
    close: async () => {
      kill();
      await closed;
      process.off("exit", kill);
    },
  };
}
