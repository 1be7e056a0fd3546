// The Go programs of the repository for the tests.
import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("../..", import.meta.url));
const built = new Map();

// goProgram resolves with the path of a package's program: the value of the environment variable if
// set, otherwise a program built once per process.
export function goProgram(variable, name, path, ...flags) {
  if (process.env[variable]) return Promise.resolve(process.env[variable]);
  if (!built.has(variable)) built.set(variable, build(name, path, flags));
  return built.get(variable);
}

async function build(name, path, flags) {
  const folder = await mkdtemp(join(tmpdir(), "e2e-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  await promisify(execFile)("go", ["build", ...flags, "-o", join(folder, name), path], { cwd: root });
  return join(folder, name);
}
