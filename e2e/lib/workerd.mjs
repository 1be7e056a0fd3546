// workerd as on a private machine: with a configuration in Cap'n Proto, and without miniflare.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { build, compatibility, copyBuild, modulesOf } from "./target.mjs";

const { default: workerd } = createRequire(import.meta.url)("workerd");

// serveWorkerd runs the built worker in the pinned workerd. services has lines for the
// configuration's services, and worker lines for the worker .edgelingua. env has the worker's
// variables, bindings more bindings in Cap'n Proto, and records the records of personal endpoints,
// by name. serveWorkerd resolves with url and close.
export async function serveWorkerd({ services, worker, env, bindings = [], records }) {
  const folder = await mkdtemp(join(tmpdir(), "workerd-"));
  await copyBuild(join(folder, "build"));
  const kinds = { esm: "esModule", wasm: "wasm", data: "data" };
  const text = JSON.stringify;
  // for workerd the first module is the main module
  const modules = Object.entries(await modulesOf(build)).sort(([name]) => (name === "worker.mjs" ? -1 : 1));
  const { compatibilityDate, compatibilityFlags } = await compatibility();
  // workerd reads a KV namespace with a GET of the key.
  const kv = `const records = ${JSON.stringify(records)};
    export default {
      fetch: ({ url }) => {
        const record = records[decodeURIComponent(new URL(url).pathname.slice(1))];
        return new Response(record && JSON.stringify(record), { status: record ? 200 : 404 });
      },
    };`;
  const embedded = modules.map(
    ([name, { type }]) => `(name = ${text(name)}, ${kinds[type]} = embed ${text(`build/${name}`)})`,
  );
  const variables = Object.entries(env).map(
    ([name, value]) => `(name = ${text(name)}, text = ${text(value)})`,
  );
  const bound = ['(name = "ENDPOINTS", kvNamespace = "kv")', ...variables, ...bindings];
  await writeFile(
    join(folder, "config.capnp"),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  ${services.replace(/\],\s*$/, '(name = "kv", worker = .kv)],')}
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "edgelingua")],
);
const edgelingua :Workerd.Worker = (
  modules = [${embedded.join(",\n")}],
  compatibilityDate = ${text(compatibilityDate)}, compatibilityFlags = ${text(compatibilityFlags)},
  bindings = [${bound.join(", ")}],
  ${worker}
);
const kv :Workerd.Worker = (
  modules = [(name = "kv.mjs", esModule = ${text(kv)})], compatibilityDate = ${text(compatibilityDate)},
);
`,
  );
  const child = spawn(workerd, ["serve", join(folder, "config.capnp"), "--control-fd=3"], {
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  process.on("exit", () => child.kill());
  let log = "";
  for (const output of [child.stdout, child.stderr]) output.on("data", (data) => (log += data));
  const port = await new Promise((resolve, reject) => {
    createInterface({ input: child.stdio[3] }).on("line", (line) => {
      const event = JSON.parse(line);
      if (event.event === "listen") resolve(event.port);
    });
    child.on("error", reject);
    child.on("close", (code) => reject(new Error(`workerd ended with ${code}:\n${log}`)));
  });
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      child.kill();
      await closed;
      await rm(folder, { recursive: true });
    },
  };
}
