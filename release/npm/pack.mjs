// Makes the npm packages and the templates of a release:
//
//   node release/npm/pack.mjs BUILD DIST [OWNER]
//
// BUILD is the output folder of ./build.sh. DIST has the program edgelingua-<goos>-<goarch>[.exe]
// for each platform with a package. Tarballs and templates are written into DIST. OWNER is a file
// like release/owner.env, the default. Two runs with the same input and the same npm write the same
// bytes.
import { execFile } from "node:child_process";
import {
  access,
  chmod,
  copyFile,
  cp,
  mkdir,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv, promisify } from "node:util";
import { binaryOf, platforms, programOf, tarballOf } from "./bin/platforms.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const MAIN = "edgelingua-npm.tgz";

// Failure is an error for the person who runs the command, with a message for people.
class Failure extends Error {}

const there = (path) =>
  access(path).then(
    () => true,
    () => false,
  );
const json = async (path) => JSON.parse(await readFile(path, "utf8"));
const writeJSON = (path, value) => writeFile(path, `${JSON.stringify(value, null, 2)}\n`);

// identity returns the fields for the manifests of all packages, and the name of the main package,
// both from OWNER. Without a scope the name belongs to nobody or to somebody else in a registry, so
// the packages are private: npm must not publish them.
async function identity(path) {
  const { VERSION, NPM_SCOPE, REPOSITORY } = parseEnv(await readFile(path, "utf8"));
  if (!VERSION) throw new Failure(`${path} has no VERSION`);
  if (NPM_SCOPE && !/^@[a-z0-9][a-z0-9._-]*$/.test(NPM_SCOPE))
    throw new Failure(`${path}: NPM_SCOPE is ${NPM_SCOPE}, and must be like @owner`);
  return {
    name: NPM_SCOPE ? `${NPM_SCOPE}/edgelingua` : "edgelingua",
    scoped: Boolean(NPM_SCOPE),
    shared: {
      version: VERSION,
      license: "MIT",
      ...(REPOSITORY && { repository: { type: "git", url: REPOSITORY } }),
      ...(NPM_SCOPE ? { publishConfig: { access: "public" } } : { private: true }),
    },
  };
}

// pack writes one tarball. fill puts the files of the package into a folder. npm gives every file
// the same time and owner, and sorts the files (npm 11.19.1, lib/commands/pack.js by way of pacote
// and npm-packlist). npm keeps the modes, which depend on the checkout and the umask.
async function pack(work, dist, tarball, manifest, fill) {
  const folder = join(work, tarball, "in");
  const out = join(work, tarball, "out");
  await mkdir(folder, { recursive: true });
  await mkdir(out);
  await fill(folder);
  await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"));
  await writeJSON(join(folder, "package.json"), manifest);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    await chmod(path, entry.isDirectory() || (await stat(path)).mode & 0o100 ? 0o755 : 0o644);
  }
  const args = ["pack", folder, "--pack-destination", out, "--ignore-scripts", "--offline", "--silent"];
  await promisify(execFile)("npm", args, { cwd: work, shell: process.platform === "win32" });
  const [made] = await readdir(out);
  await copyFile(join(out, made), join(dist, tarball));
}

// packPlatform writes the package of one platform, with the program as its only content. Yarn can
// only run the program from an unpacked package, and preferUnplugged makes Yarn unpack the package.
function packPlatform(work, dist, { name, shared }, platform) {
  const [os, cpu] = platform.split("-");
  const description = `The program edgelingua for ${platform}`;
  const manifest = {
    name: `${name}-${platform}`,
    ...shared,
    description,
    os: [os],
    cpu: [cpu],
    preferUnplugged: true,
  };
  return pack(work, dist, tarballOf(platform), manifest, async (folder) => {
    const program = join(folder, binaryOf(platform));
    await copyFile(join(dist, programOf(platform)), program);
    await chmod(program, 0o755);
  });
}

// packMain writes the main package: the launcher, the worker, the library and the documents.
async function packMain(work, dist, build, { name, scoped, shared }, built) {
  const library = join(here, "library");
  const manifest = {
    name,
    ...shared,
    description:
      "Translates between Anthropic Messages, OpenAI Chat Completions and Responses, and Google Gemini",
    type: "module",
    engines: { node: ">=20" },
    bin: { edgelingua: "bin/edgelingua.mjs" },
    exports: {
      ...(await json(join(library, "exports.json"))),
      "./worker": "./worker/worker.mjs",
      "./package.json": "./package.json",
    },
    ...(scoped && {
      optionalDependencies: Object.fromEntries(
        built.map((platform) => [`${name}-${platform}`, shared.version]),
      ),
    }),
  };
  await pack(work, dist, MAIN, manifest, async (folder) => {
    await copyFile(join(here, "README.md"), join(folder, "README.md"));
    await cp(join(here, "bin"), join(folder, "bin"), { recursive: true });
    // The program's messages name pages of docs/.
    await cp(join(root, "docs"), join(folder, "docs"), {
      recursive: true,
      filter: (path) => !path.endsWith("images"),
    });
    await cp(library, join(folder, "library"), {
      recursive: true,
      filter: (path) => !path.endsWith("exports.json"),
    });
    const worker = join(folder, "worker");
    await mkdir(worker);
    for (const file of await readdir(build)) {
      if (file.endsWith(".mjs") || file === "app.wasm") await copyFile(join(build, file), join(worker, file));
    }
    await cp(join(build, "page"), join(worker, "page"), { recursive: true });
  });
}

// The template for Cloudflare's own models replaces UPSTREAM by OWN.
const UPSTREAM = 'UPSTREAM_PROTOCOL = "responses"\nUPSTREAM_URL = "https://api.openai.com/v1"\n';
const OWN =
  'UPSTREAM_PROTOCOL = "chat"\nUPSTREAM_URL = "cloudflare:ai"\n' +
  'MODELS = \'{"claude-*":"@cf/moonshotai/kimi-k2.6","gpt-*":"@cf/moonshotai/kimi-k2.6"}\'\n';

// writeTemplate writes a folder that deploys the worker of the main package. Its files are the
// files of release/template. If more is "personal" or "cloudflare", the files of that folder of
// release/template are added. {{name}} in a file becomes the main package's name. Without a scope
// the folder has the main package's tarball, and names the tarball by path.
async function writeTemplate(dist, { name, scoped, shared }, more) {
  const from = join(root, "release/template");
  const to = join(dist, more ? `template-${more}` : "template");
  const part = async (folder, file) =>
    (await there(join(folder, file))) ? readFile(join(folder, file), "utf8") : "";
  const text = async (file) =>
    (await Promise.all([part(from, file), more && part(join(from, more), file)]))
      .join("")
      .replaceAll("{{name}}", name);
  const manifest = await json(join(from, "package.json"));
  const files = {
    "wrangler.toml": await text("wrangler.toml"),
    ".dev.vars.example": await text(".dev.vars.example"),
    "README.md": await text("README.md"),
  };
  // Separate templates: a worker with Durable Objects can't be rolled back to a version without
  // them, and Cloudflare's button asks for every secret in .dev.vars.example, of which a single
  // user has no ADMIN_KEY.
  if (more === "personal")
    Object.assign(
      manifest.cloudflare.bindings,
      (await json(join(from, "personal/package.json"))).cloudflare.bindings,
    );
  if (more === "cloudflare") {
    files["wrangler.toml"] = files["wrangler.toml"].replace(UPSTREAM, OWN);
    files[".dev.vars.example"] = files[".dev.vars.example"].replace(/^#[^\n]*\nUPSTREAM_KEY=\n/m, "");
    delete manifest.cloudflare.bindings.UPSTREAM_KEY;
  }
  manifest.dependencies = { [name]: scoped ? shared.version : `file:${MAIN}` };
  manifest.devDependencies = {
    wrangler: (await json(join(root, "e2e/package.json"))).devDependencies.wrangler,
  };
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  for (const [file, contents] of Object.entries(files)) await writeFile(join(to, file), contents);
  await copyFile(join(from, "gitignore"), join(to, ".gitignore"));
  await writeJSON(join(to, "package.json"), manifest);
  if (!scoped) await copyFile(join(dist, MAIN), join(to, MAIN));
}

async function main([build, dist, owner = join(root, "release/owner.env")]) {
  if (!dist) throw new Failure("usage: node release/npm/pack.mjs BUILD DIST [OWNER]");
  const of = await identity(owner);
  if (!(await there(join(build, "app.wasm"))))
    throw new Failure(`there is no ${join(build, "app.wasm")}; ./build.sh makes it`);
  const built = [];
  for (const platform of Object.keys(platforms))
    if (await there(join(dist, programOf(platform)))) built.push(platform);
  if (built.length === 0)
    throw new Failure(`${dist} has no edgelingua-<goos>-<goarch>; ./build.sh release makes them`);
  const work = await mkdtemp(join(tmpdir(), "edgelingua-pack-"));
  try {
    await Promise.all([
      packMain(work, dist, build, of, built),
      ...built.map((platform) => packPlatform(work, dist, of, platform)),
    ]);
  } finally {
    await rm(work, { recursive: true });
  }
  for (const more of [undefined, "personal", "cloudflare"]) await writeTemplate(dist, of, more);
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`pack.mjs: ${error.message}`);
  process.exitCode = error.message.startsWith("usage") ? 2 : 1;
}
