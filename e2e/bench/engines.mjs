// The local host as a process of its own, with one of its engines.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";
import { CLIENT_KEY, UPSTREAM_KEY } from "../lib/client.mjs";
import { build, hostProgram } from "../lib/target.mjs";

// started resolves with a server once the server prints its URL: the URL, the process's id, the
// client's key, the lines of the log so far, and close, which resolves when the process has ended.
export async function started(program, args) {
  const child = spawn(program, args, { cwd: tmpdir(), stdio: ["ignore", "ignore", "pipe"] });
  const log = [];
  const url = await new Promise((resolve, reject) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      log.push(line);
      const at = /listening on (http:\/\/\S+)/.exec(line);
      if (at) resolve(at[1]);
    });
    child.on("close", (code) => reject(new Error(`${program} ended with ${code}:\n${log.join("\n")}`)));
  });
  const closed = once(child, "close");
  const close = (signal) => (child.kill(signal), closed);
  return { url, pid: child.pid, key: CLIENT_KEY, log, close };
}

// engineOf starts the local host with an engine in front of an upstream.
export async function engineOf(engine, protocol, url, flags = []) {
  const vars = { UPSTREAM_PROTOCOL: protocol, UPSTREAM_URL: url };
  const secrets = { UPSTREAM_KEY, CLIENT_KEY };
  return started(await hostProgram(), [
    ...["serve", "--addr", "127.0.0.1:0", "--wasm", `${build}/app.wasm`, "--engine", engine, ...flags],
    ...Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}=${value}`]),
    ...Object.entries(secrets).flatMap(([name, value]) => ["--secret", `${name}=${value}`]),
  ]);
}
