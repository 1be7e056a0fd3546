// The installed library for JavaScript, and the runtimes for running the library.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { programOf } from "../../release/npm/bin/platforms.mjs";
import { launch } from "./browser.mjs";
import { pack, platform } from "./release.mjs";
import { compatibility, startWorkerd } from "./target.mjs";
import { PATIENCE } from "./waiting.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const { resolve } = createRequire(import.meta.url);

// bun is the path of Bun, or undefined if npm has no Bun for the machine.
export const bun = (() => {
  try {
    return resolve("@oven/bun-linux-x64-baseline/bin/bun");
  } catch {
    return undefined;
  }
})();

// install makes a folder with the package installed as edgelingua, and with the given files, by
// name. close removes the folder.
export async function install(files) {
  const folder = await mkdtemp(join(tmpdir(), "library-"));
  const dist = join(folder, "dist");
  const place = join(folder, "node_modules/edgelingua");
  for (const each of [dist, place]) await mkdir(each, { recursive: true });
  await writeFile(join(dist, programOf(platform)), "a program, which the library does not need");
  await pack(dist);
  await run("tar", ["-xzf", join(dist, "edgelingua-npm.tgz"), "-C", place, "--strip-components", "1"]);
  const { exports } = JSON.parse(await readFile(join(place, "package.json"), "utf8"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return { folder, exports, close: () => rm(folder, { recursive: true }) };
}

// program runs a program of an installed folder, and resolves with the JSON in the output. A
// hanging program is killed.
export async function program(command, { folder }, ...args) {
  const { stdout } = await run(command, args, { cwd: folder, maxBuffer: 1 << 26, timeout: PATIENCE });
  return JSON.parse(stdout);
}

const TYPES = { ".html": "text/html", ".mjs": "text/javascript", ".wasm": "application/wasm" };

// inBrowser calls the default export of a module in an installed folder, a function, and resolves
// with the function's result.
export async function inBrowser({ folder, exports }, name) {
  const server = createServer(async ({ url }, response) => {
    const body = await readFile(join(folder, new URL(url, "http://x").pathname)).catch(() => undefined);
    response.writeHead(body ? 200 : 404, { "content-type": TYPES[extname(url)] ?? "text/plain" }).end(body);
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const imports = { edgelingua: join("/node_modules/edgelingua", exports["."].browser) };
    await writeFile(
      join(folder, "page.html"),
      `<!doctype html><script type="importmap">${JSON.stringify({ imports })}</script>`,
    );
    await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
    return await page.evaluate(async (name) => (await import(name)).default(), `/${name}`);
  } finally {
    await browser.close();
    server.closeAllConnections();
    server.close();
  }
}

// inWorker bundles a module of an installed folder with wrangler and runs the module as a worker.
// It posts a body to the worker and resolves with the JSON of the answer.
export async function inWorker({ folder }, name, body) {
  const { compatibilityDate } = await compatibility();
  await writeFile(
    join(folder, "wrangler.json"),
    JSON.stringify({ name: "library", main: name, compatibility_date: compatibilityDate }),
  );
  const env = {
    ...process.env,
    WRANGLER_SEND_METRICS: "false",
    WRANGLER_HIDE_BANNER: "true",
    CLOUDFLARE_CF_FETCH_ENABLED: "false",
  };
  await run(join(root, "e2e/node_modules/.bin/wrangler"), ["deploy", "--dry-run", "--outdir", "out"], {
    cwd: folder,
    env,
  });
  const modules = {};
  for (const file of await readdir(join(folder, "out"))) {
    if (file.endsWith(".js"))
      modules["worker.mjs"] = { type: "esm", contents: await readFile(join(folder, "out", file), "utf8") };
    if (file.endsWith(".wasm"))
      modules[file] = { type: "wasm", contents: await readFile(join(folder, "out", file)) };
  }
  const worker = await startWorkerd({ modules });
  try {
    const answer = await fetch(worker.url, { method: "POST", body });
    if (!answer.ok) throw new Error(`${await answer.text()} ${worker.log.map(({ message }) => message)}`);
    return await answer.json();
  } finally {
    await worker.close();
  }
}
