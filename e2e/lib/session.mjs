// Sessions of Claude Code and Codex, by their strict doubles of package wasmtest/clients: a program
// that the tests start.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLIENT_KEY } from "./client.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

let program; // the path of the program: CLIENTS, or one that is built once in a process

async function build() {
  const folder = await mkdtemp(join(tmpdir(), "clients-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "clientd");
  await promisify(execFile)("go", ["build", "-o", path, "./wasmtest/clients/clientd"], { cwd: root });
  return path;
}

// session runs a session: { client: "claude code" or "codex", version, urls, say, ... }, as the
// program's type session has it. It resolves with what the client has said and called, { said,
// calls }; a session that ends early is an error.
export async function session(steps) {
  const child = spawn(await (program ??= process.env.CLIENTS || build()), { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify({ key: CLIENT_KEY, ...steps }));
  const [written, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`the client has ended with ${code}`);
  const { error, ...outcome } = JSON.parse(written);
  if (error) throw new Error(error);
  return outcome;
}
