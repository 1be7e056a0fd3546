// The npm packages and templates of a release, made for the tests, and a machine with nothing but
// Node.
import { execFile, spawn } from "node:child_process";
import { access, mkdir, mkdtemp, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { platforms, programOf } from "../../release/npm/bin/platforms.mjs";
import { build } from "./target.mjs";
import { unreachable } from "./upstream.mjs";
import { ended } from "./waiting.mjs";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const platform = `${process.platform}-${process.arch}`;
const run = promisify(execFile);

export const folder = () => mkdtemp(join(tmpdir(), "edgelingua-release-"));

// compile builds the program for the running machine into dist, as in a release.
export const compile = (dist) =>
  run(join(root, "release/host.sh"), [
    platforms[platform].replace("-", "/"),
    join(dist, programOf(platform)),
  ]);

// stubs writes a text instead of each platform's program into dist.
export const stubs = (dist) =>
  Promise.all(Object.keys(platforms).map((each) => writeFile(join(dist, programOf(each)), each)));

// pack runs release/npm/pack.mjs on build/ and dist. owner is the path of a file instead of
// release/owner.env.
export const pack = (dist, owner = join(root, "release/owner.env"), umask = "022") =>
  run("sh", [
    "-c",
    'umask "$0"; exec "$@"',
    umask,
    process.execPath,
    join(root, "release/npm/pack.mjs"),
    build,
    dist,
    owner,
  ]);

// find returns the real path of a command on PATH, without commands of the tests' npm packages.
async function find(name) {
  for (const folder of process.env.PATH.split(delimiter)) {
    const path = join(folder, name);
    if (folder.includes("node_modules")) continue;
    if (
      await access(path).then(
        () => true,
        () => false,
      )
    )
      return realpath(path);
  }
  throw new Error(`${name} is not on PATH`);
}

// machine returns the environment of a machine with only Node, npm and a shell, and without access
// to a registry. With wrangler the machine also has wrangler, and the Node for wrangler.
export async function machine({ wrangler = false } = {}) {
  const home = await folder();
  const bin = join(home, "bin");
  await mkdir(bin);
  const modules = join(root, "e2e/node_modules");
  const node = wrangler
    ? await realpath(join(modules, ".bin/node")).catch(() => process.execPath)
    : await find("node");
  const commands = { node, npm: await find("npm"), npx: await find("npx"), sh: await find("sh") };
  if (wrangler) commands.wrangler = join(modules, "wrangler/bin/wrangler.js");
  for (const [name, path] of Object.entries(commands)) await symlink(path, join(bin, name));
  return {
    PATH: bin,
    HOME: home,
    NO_COLOR: "1",
    npm_config_registry: await unreachable(),
    npm_config_offline: "true",
    npm_config_fetch_retries: "0",
    npm_config_cache: join(home, "cache"),
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  };
}

// sh runs a command line on a machine, and resolves with the exit code and the output.
export async function sh(command, { cwd, env }) {
  const { code, signal, stdout, stderr } = await ended(
    spawn("/bin/sh", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }),
  );
  return { code, signal, stdout, stderr };
}

// manifest returns the package.json in a tarball. files returns the names and modes of all files in
// a tarball.
export const manifest = async (tarball) =>
  JSON.parse((await run("tar", ["-xzOf", tarball, "package/package.json"])).stdout);
export const files = async (tarball) => (await run("tar", ["-tvzf", tarball])).stdout.trim().split("\n");
export const text = (path) => readFile(path, "utf8");
