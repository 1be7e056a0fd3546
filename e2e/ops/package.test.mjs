// The npm packages and the templates of a release, on a machine with only Node and without access
// to a registry.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { access, copyFile, cp, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe } from "node:test";
import { binaryOf, platforms, tarballOf } from "../../release/npm/bin/platforms.mjs";
import { documents } from "../lib/documents.mjs";
import { test } from "../lib/fixture.mjs";
import { namesOf } from "../lib/registry.mjs";
import * as release from "../lib/release.mjs";
import { play } from "../lib/responses.mjs";
import { checkMessage, fold, parse } from "../lib/sse.mjs";
import { build, compatibility, TARGET } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { ended } from "../lib/waiting.mjs";

const { platform, sh } = release;
const MAIN = "edgelingua-npm.tgz";
const weather = {
  name: "get_weather",
  input_schema: { type: "object", properties: { city: { type: "string" } } },
};

// ask requests a tool call from a worker, and returns the call.
async function ask(url, key) {
  const body = {
    model: "demo",
    max_tokens: 200,
    stream: true,
    tools: [weather],
    messages: [{ role: "user", content: "Weather in Paris?" }],
  };
  const answer = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": key },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  return fold(parse(text)).message.content.map(({ type, name, input }) => ({ type, name, input }));
}
const called = [{ type: "tool_use", name: "get_weather", input: { city: "Paris" } }];

// started runs a serving command, and resolves once the command has printed its address. At the end
// of the test the command's whole process group is killed: wrangler (4.156.0, bin/wrangler.js)
// forwards no signal to its child processes.
async function started(t, command, args, options) {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
  const exited = once(child, "exit");
  const closed = once(child, "close");
  t.after(async () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch (error) {
      if (error.code !== "ESRCH") throw error; // all processes have ended
    }
    await closed;
  });
  let text = "";
  const url = await new Promise((resolve, reject) => {
    for (const input of [child.stdout, child.stderr]) {
      input.setEncoding("utf8").on("data", (part) => {
        text += part;
        const at = /(?:listening|ready) on (http:\/\/[\w.:]+)[^\w.:]/i.exec(text);
        if (at) resolve(at[1]);
      });
    }
    child.on("error", reject);
    closed.then(([code]) => reject(new Error(`${command} ended with ${code}:\n${text}`)));
  });
  return { child, url, exited };
}

describe("packages", { skip: TARGET !== "workerd" && "no package depends on TARGET" }, () => {
  const made = []; // the folders to remove
  const folder = async () => {
    const path = await release.folder();
    made.push(path);
    return path;
  };
  let dist; // the running machine's platform, with the program
  let all; // all platforms, with texts instead of programs
  let scoped; // all platforms, if the owner has a scope
  let env; // the environment of a machine with only Node
  let with_wrangler; // the environment of a machine with Node and wrangler
  let home; // a folder with the main package and the platform's package installed

  before(async () => {
    [dist, all, scoped, home] = await Promise.all([folder(), folder(), folder(), folder()]);
    env = await release.machine();
    with_wrangler = await release.machine({ wrangler: true });
    made.push(env.HOME, with_wrangler.HOME);
    await Promise.all([release.compile(dist), release.stubs(all), release.stubs(scoped)]);
    const owner = join(await folder(), "owner.env");
    const text = await release.text(join(release.root, "release/owner.env"));
    await writeFile(
      owner,
      text.replace(/^NPM_SCOPE=.*$/m, "NPM_SCOPE=@owner").replace(/^VERSION=.*$/m, "VERSION=1.2.3"),
    );
    await Promise.all([release.pack(dist), release.pack(all), release.pack(scoped, owner)]);
    for (const name of [MAIN, tarballOf(platform)]) await copyFile(join(dist, name), join(home, name));
    const installed = await sh(`npm install ./${MAIN} ./${tarballOf(platform)}`, { cwd: home, env });
    assert.equal(installed.code, 0, installed.stderr);
  });
  after(() => Promise.all(made.map((path) => rm(path, { recursive: true, force: true }))));

  // The commands for readers. On Linux on x64 the tests run these lines unchanged, except for flags
  // that avoid an account and a fixed port.
  test("the commands of the pages are those of these tests", async () => {
    // section returns the text under a heading of a document, up to the next of its level.
    const section = async (page, heading) =>
      (await release.text(join(release.root, page))).split(/^##+ /m).find((part) => part.startsWith(heading));
    const pages = [
      "release/npm/README.md",
      "release/template/README.md",
      "release/template/personal/README.md",
      "release/template/cloudflare/README.md",
    ];
    const said = [];
    const texts = [
      await section("docs/self-hosting.md", "With npm\n"),
      await section("docs/deploy.md", "The worker, prebuilt\n"),
      ...(await Promise.all(pages.map((page) => release.text(join(release.root, page))))),
    ];
    for (const text of texts) {
      for (const [, block] of text.matchAll(/^```sh\n(.*?)^```/gms)) said.push(...block.trim().split("\n"));
    }
    assert.deepEqual(
      [...new Set(said)].toSorted(),
      [
        "cp .dev.vars.example .dev.vars",
        "edgelingua deploy",
        `npm install ./${MAIN} ./${tarballOf("linux-x64")}`,
        "npm install",
        "npm run deploy",
        "npm run dev",
        "npx --no edgelingua serve --demo",
        ...["ADMIN_KEY", "CLIENT_KEY", "SEAL_KEY", "UPSTREAM_KEY"].map(
          (name) => `npx wrangler secret put ${name}`,
        ),
      ].toSorted(),
    );
  });

  const launcher = () => join(home, "node_modules/.bin/edgelingua");

  describe("what is in them", () => {
    test("two runs write the same bytes, whatever the umask", async () => {
      const again = await folder();
      await release.stubs(again);
      await release.pack(again, undefined, "077");
      const sums = async (folder) => {
        const list = [];
        for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
          if (!entry.isFile()) continue;
          const path = join(entry.parentPath, entry.name);
          list.push(
            `${path.slice(folder.length)} ${createHash("sha256")
              .update(await readFile(path))
              .digest("hex")}`,
          );
        }
        return list.toSorted();
      };
      assert.deepEqual(await sums(again), await sums(all));
    });

    test("a package for each platform, with the program alone", async () => {
      for (const each of Object.keys(platforms)) {
        const tarball = join(all, tarballOf(each));
        const { os, cpu, name } = await release.manifest(tarball);
        assert.deepEqual([name, ...os, ...cpu], [`edgelingua-${each}`, ...each.split("-")]);
        const list = await release.files(tarball);
        assert.deepEqual(
          list.map((line) => basename(line.split(" ").at(-1))).toSorted(),
          ["LICENSE", binaryOf(each), "package.json"].toSorted(),
        );
        assert.match(
          list.find((line) => line.endsWith(binaryOf(each))),
          /^-rwxr-xr-x /,
        );
      }
    });

    test("the main package has the pages that the program's messages name", async () => {
      const list = (await release.files(join(all, MAIN))).map((line) => line.split(" ").at(-1));
      for (const page of ["settings", "endpoints"]) assert.ok(list.includes(`package/docs/${page}.md`), page);
      assert.ok(!list.some((name) => name.includes("/images/")), "the pictures would double its size");
    });

    test("nothing of them runs while they are installed", async () => {
      for (const from of [all, scoped]) {
        for (const name of [MAIN, ...Object.keys(platforms).map(tarballOf)]) {
          assert.equal((await release.manifest(join(from, name))).scripts, undefined, name);
          assert.ok(
            !(await release.files(join(from, name))).some((line) => line.endsWith("binding.gyp")),
            name,
          ); // npm compiles a package with such a file
        }
      }
    });

    test("the library can be imported by the package's name", async () => {
      const { code, stdout, stderr } = await sh(
        `node --input-type=module -e 'console.log(typeof (await (await import("edgelingua")).load()))'`,
        { cwd: home, env },
      );
      assert.deepEqual([code, stdout, stderr], [0, "object\n", ""]);
    });

    test("the main package names the platforms' where the owner has a scope", async () => {
      const { name, version, optionalDependencies, publishConfig } = await release.manifest(
        join(scoped, MAIN),
      );
      assert.deepEqual([name, version, publishConfig], ["@owner/edgelingua", "1.2.3", { access: "public" }]);
      assert.deepEqual(
        optionalDependencies,
        Object.fromEntries(Object.keys(platforms).map((each) => [`@owner/edgelingua-${each}`, "1.2.3"])),
      );
      const template = JSON.parse(await release.text(join(scoped, "template/package.json")));
      assert.deepEqual(template.dependencies, { "@owner/edgelingua": "1.2.3" });
      assert.match(
        await release.text(join(scoped, "template/wrangler.toml")),
        /^main = "node_modules\/@owner\/edgelingua\/worker\/worker.mjs"$/m,
      );
      await assert.rejects(access(join(scoped, "template", MAIN)));
    });

    test("bad input is one line, and the way out", async () => {
      const empty = await folder();
      await assert.rejects(release.pack(empty), {
        code: 1,
        stderr: `pack.mjs: ${empty} has no edgelingua-<goos>-<goarch>; ./build.sh release makes them\n`,
      });
      const owner = join(empty, "owner.env");
      await writeFile(owner, "VERSION=1.2.3\nNPM_SCOPE=owner\n");
      await assert.rejects(release.pack(empty, owner), {
        code: 1,
        stderr: /^pack.mjs: .*: NPM_SCOPE is owner, and must be like @owner\n$/,
      });
    });
  });

  // The owner of a name in a registry could steal the keys of everybody who installs the package.
  describe("without a scope no package of ours is named in a registry", () => {
    // readable returns the texts of a folder's files.
    const readable = async (folder) => {
      const texts = {};
      for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || /\.(tgz|wasm|bin)$|^edgelingua-\w+-\w+/.test(entry.name)) continue;
        const path = join(entry.parentPath, entry.name);
        texts[path] = await release.text(path);
      }
      return texts;
    };

    // dependencies returns the packages that npm installs for a package.json, as NAME@VERSION,
    // without wrangler.
    const dependencies = (manifest) =>
      Object.entries(manifest)
        .filter(([name]) => /dependencies$/i.test(name))
        .flatMap(([, list]) => (Array.isArray(list) ? list.map((name) => [name, ""]) : Object.entries(list)))
        .filter(([name]) => name !== "wrangler")
        .map((entry) => entry.join("@"));

    test("in the tarballs", async () => {
      for (const name of [MAIN, ...Object.keys(platforms).map(tarballOf)]) {
        const manifest = await release.manifest(join(all, name));
        assert.equal(manifest.private, true, name);
        assert.deepEqual(dependencies(manifest), [], name);
      }
      const unpacked = join(home, "node_modules/edgelingua");
      for (const [path, text] of Object.entries(await readable(unpacked)))
        assert.deepEqual(namesOf(text), [], path);
    });

    test("in the templates", async () => {
      for (const name of ["template", "template-personal", "template-cloudflare"]) {
        for (const [path, text] of Object.entries(await readable(join(all, name))))
          assert.deepEqual(namesOf(text), [], path);
        assert.deepEqual(dependencies(JSON.parse(await release.text(join(all, name, "package.json")))), [
          `edgelingua@file:${MAIN}`,
        ]);
        assert.deepEqual(await readFile(join(all, name, MAIN)), await readFile(join(all, MAIN)));
      }
    });

    test("in the documents", async () => {
      const other = ["SECURITY.md", "RATIONALE.md", "CHANGELOG.md", "release/npm/README.md"];
      const texts = {
        ...(await documents()),
        ...Object.fromEntries(
          await Promise.all(other.map(async (name) => [name, await release.text(join(release.root, name))])),
        ),
      };
      for (const [path, text] of Object.entries(texts)) assert.deepEqual(namesOf(text), [], path);
    });

    test("the search finds such names", () => {
      const bad = [
        "npm install edgelingua",
        "npm i -g edgelingua@latest",
        "npm add edgelingua-linux-x64",
        "npx edgelingua serve",
        "npx -y edgelingua",
        "npx --yes edgelingua@1",
        "npm exec edgelingua",
        "pnpm dlx edgelingua",
        "pnpm add edgelingua",
        "yarn add @owner/edgelingua",
        "bunx edgelingua",
        "bun add edgelingua",
        "npm create edgelingua",
        "npm install ./edgelingua-npm.tgz edgelingua-linux-x64",
        "https://www.npmjs.com/package/edgelingua",
        '"edgelingua": "^1.0.0"',
        '"@owner/edgelingua-linux-x64": "1.2.3"',
        "npm install @owner/edgelingua",
        "deno add npm:edgelingua",
        "https://unpkg.com/edgelingua",
        'import "https://esm.sh/edgelingua"',
      ];
      for (const text of bad) assert.equal(namesOf(text).length, 1, text);
      const good = [
        "npx --no edgelingua serve",
        "npm install ./edgelingua-npm.tgz ./edgelingua-npm-linux-x64.tgz",
        "edgelingua serve",
        '"edgelingua": "file:edgelingua-npm.tgz"',
        "npx wrangler tail edgelingua",
      ];
      for (const text of good) assert.deepEqual(namesOf(text), [], text);
      assert.notDeepEqual(namesOf('"dependencies": { "@owner/edgelingua": "1.2.3" }'), []);
    });
  });

  describe("the launcher", () => {
    // standIn installs the main package and, as the program, a script for Node. change changes the
    // platform package's name and manifest.
    async function standIn(script, change = {}) {
      const { on = platform, ...fields } = change;
      const modules = join(await folder(), "node_modules");
      const main = join(modules, "edgelingua");
      await cp(join(home, "node_modules/edgelingua"), main, { recursive: true });
      const { version } = JSON.parse(await release.text(join(main, "package.json")));
      const own = join(modules, `edgelingua-${on}`);
      await mkdir(own);
      await writeFile(
        join(own, "package.json"),
        JSON.stringify({ name: `edgelingua-${on}`, version, ...fields }),
      );
      await writeFile(join(own, binaryOf(on)), `#!/usr/bin/env node\n${script}`, { mode: 0o755 });
      return join(main, "bin/edgelingua.mjs");
    }

    test("runs the program: help, exit codes, arguments as they are", async () => {
      const help = await sh("npx --no edgelingua help", { cwd: home, env });
      assert.deepEqual([help.code, help.stderr], [0, ""]);
      assert.match(help.stdout, /^edgelingua /);
      const wrong = await sh(`${launcher()} no-such-command`, { cwd: home, env });
      assert.deepEqual([wrong.code, wrong.stdout], [2, ""]);
      assert.match(wrong.stderr, /^edgelingua: there is no command "no-such-command"[^\n]*\n$/);
      const path = await standIn("console.log(JSON.stringify(process.argv.slice(2))); process.exitCode = 1;");
      const failed = await sh(`"$0" '' 'a b' '$HOME' -- --x=*`.replace("$0", path), { cwd: home, env });
      assert.deepEqual([failed.code, JSON.parse(failed.stdout)], [1, ["", "a b", "$HOME", "--", "--x=*"]]);
    });

    test("npx --no fetches nothing of a stranger who has taken the name in the registry", async (t) => {
      const asked = [];
      const registry = createServer((request, response) => {
        asked.push(request.url);
        const dist = {
          tarball: `http://127.0.0.1:${registry.address().port}/theirs.tgz`,
          shasum: "0".repeat(40),
        };
        const theirs = { name: "edgelingua", version: "9.9.9", bin: { edgelingua: "theirs.mjs" }, dist };
        response.setHeader("content-type", "application/json");
        response.end(
          JSON.stringify({
            name: "edgelingua",
            "dist-tags": { latest: "9.9.9" },
            versions: { "9.9.9": theirs },
          }),
        );
      });
      registry.listen(0, "127.0.0.1");
      await once(registry, "listening");
      t.after(() => registry.close().closeAllConnections());
      const online = {
        ...env,
        npm_config_offline: "false",
        npm_config_registry: `http://127.0.0.1:${registry.address().port}/`,
      };
      const { code, stderr } = await sh("npx --no edgelingua help", { cwd: await folder(), env: online });
      assert.notEqual(code, 0);
      assert.match(stderr, /npx canceled due to missing packages/);
      assert.deepEqual(asked, ["/edgelingua"]);
      asked.length = 0;
      assert.equal((await sh("npx --no edgelingua help", { cwd: home, env: online })).code, 0);
      assert.deepEqual(asked, [], "where it is installed nobody is asked");
    });

    test("a tool call, translated", async (t) => {
      const began = performance.now();
      const { child, url, exited } = await started(
        t,
        launcher(),
        ["serve", "--demo", "--addr", "127.0.0.1:0"],
        { cwd: home, env },
      );
      assert.deepEqual(await ask(url, "demo"), called);
      t.diagnostic(
        `from the command to the end of the answer: ${((performance.now() - began) / 1000).toFixed(1)} s`,
      );
      child.kill("SIGTERM");
      assert.deepEqual(await exited, [0, null]);
    });

    test("passes signals on, and ends as the program does", async () => {
      const script = `for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => { console.log(signal); if (signal === "SIGTERM") process.exit(7); });
        setInterval(() => {}, 1000); console.log("ready");`;
      const child = spawn(await standIn(script), [], { env, stdio: ["ignore", "pipe", "inherit"] });
      const closed = once(child, "close");
      const seen = [];
      const say = ["SIGINT", "SIGHUP", "SIGTERM"];
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (seen.push(line) <= say.length) child.kill(say[seen.length - 1]);
      });
      assert.deepEqual(await closed, [7, null]);
      assert.deepEqual(seen, ["ready", ...say]);
      const killed = spawn(await standIn('process.kill(process.pid, "SIGKILL");'), [], {
        env,
        stdio: "ignore",
      });
      assert.deepEqual(await once(killed, "exit"), [null, "SIGKILL"]);
    });

    test(
      "at a terminal Ctrl-C reaches the program once",
      { skip: process.platform !== "linux" && "script(1) of other systems has other flags" },
      async () => {
        const script = `let n = 0; process.on("SIGINT", () => console.log("interrupted", ++n));
        process.stdin.on("data", () => { console.log("ends after", n); process.exit(0); }); console.log("ready");`;
        const child = spawn("/usr/bin/script", ["-qec", `exec ${await standIn(script)}`, "/dev/null"], {
          env: { ...env, SHELL: "/bin/sh" },
          stdio: ["pipe", "pipe", "inherit"],
        });
        const over = ended(child);
        createInterface({ input: child.stdout }).on("line", (line) => {
          if (line.includes("ready")) child.stdin.write("\x03");
          if (line.includes("interrupted 1")) child.stdin.write("\n");
        });
        const { code, signal, stdout } = await over;
        assert.deepEqual([code, signal], [0, null], stdout);
        assert.match(stdout, /ends after 1\r\n/);
      },
    );

    test("without the program for this platform it says what to install", async () => {
      const { version } = JSON.parse(await release.text(join(home, "node_modules/edgelingua/package.json")));
      const out = `npm install ./${tarballOf(platform)}, from the release of ${version}`;
      const says = async (path, line) =>
        assert.deepEqual(await sh(path, { env }), {
          code: 1,
          signal: null,
          stdout: "",
          stderr: `edgelingua: ${line}\n`,
        });
      const other = platform === "darwin-arm64" ? "darwin-x64" : "darwin-arm64";
      await says(
        await standIn("", { on: "none" }),
        `the package for ${platform} is not installed (npm's --omit=optional leaves it out); ${out}`,
      );
      await says(
        await standIn("", { on: other }),
        `the package for ${platform} is not installed (edgelingua-${other} is there, which is for another platform); ${out}`,
      );
      await says(
        await standIn("", { version: "0.0.1" }),
        `edgelingua-${platform} is of version 0.0.1, and edgelingua of ${version}; ${out}`,
      );
      const broken = await standIn("");
      await rm(join(broken, `../../../edgelingua-${platform}`, binaryOf(platform)));
      const gone = await sh(broken, { env });
      assert.equal(gone.code, 1);
      assert.match(gone.stderr, /^edgelingua: \S+ can't be run \(spawn \S+ ENOENT\); [^\n]+\n$/);
      const named = await standIn("");
      await writeFile(
        join(named, "../platforms.mjs"),
        (await release.text(join(named, "../platforms.mjs"))).replace(`"${platform}"`, '"plan9-mips"'),
      );
      const nowhere = await sh(named, { env });
      assert.deepEqual([nowhere.code, nowhere.stdout], [1, ""]);
      assert.match(
        nowhere.stderr,
        new RegExp(
          `^edgelingua: there is no program for ${platform}, only for [^\\n]+; build it from its source there\\n$`,
        ),
      );
    });

    test("npm refuses the package of another platform", async () => {
      const other = platform === "win32-x64" ? "linux-x64" : "win32-x64";
      const { code, stderr } = await sh(`npm install ${join(all, tarballOf(other))}`, {
        cwd: await folder(),
        env,
      });
      assert.equal(code, 1);
      assert.match(stderr, /EBADPLATFORM/);
    });
  });

  describe("the template", { concurrency: true }, () => {
    // copied copies a template, and installs the main package as the template's package.json says.
    // The copy uses the tests' wrangler on PATH.
    async function copied(name) {
      const cwd = await folder();
      await cp(join(dist, name), cwd, { recursive: true });
      const manifest = JSON.parse(await release.text(join(cwd, "package.json")));
      delete manifest.devDependencies;
      await writeFile(join(cwd, "package.json"), JSON.stringify(manifest));
      const { code, stderr } = await sh("npm install", { cwd, env: with_wrangler });
      assert.equal(code, 0, stderr);
      return cwd;
    }

    // fill makes .dev.vars of the example, and fills in the empty values.
    async function fill(cwd, more) {
      const example = await release.text(join(cwd, ".dev.vars.example"));
      await writeFile(
        join(cwd, ".dev.vars"),
        example.replaceAll(/^(\w+)=$/gm, (_, name) => `${name}=${more[name]}`) +
          `UPSTREAM_URL=${more.UPSTREAM_URL}\n`,
      );
    }

    const dev = (t, cwd) =>
      started(t, "npm", ["run", "dev", "--", "--ip", "127.0.0.1", "--port", "0", "--inspector-port", "0"], {
        cwd,
        env: with_wrangler,
      });

    test("has what the button asks for, and nothing secret", async () => {
      for (const [name, secrets] of [
        ["template", ["CLIENT_KEY", "UPSTREAM_KEY"]],
        ["template-personal", ["CLIENT_KEY", "UPSTREAM_KEY", "ADMIN_KEY", "SEAL_KEY"]],
        ["template-cloudflare", ["CLIENT_KEY"]],
      ]) {
        const toml = await release.text(join(dist, name, "wrangler.toml"));
        const own = await compatibility();
        assert.ok(
          toml.includes(`compatibility_date = "${own.compatibilityDate}"`) &&
            toml.includes(`compatibility_flags = ${JSON.stringify(own.compatibilityFlags)}`),
        );
        assert.match(toml, /^invocation_logs = false$/m);
        assert.match(toml, /^preview_urls = false$/m);
        const example = (await release.text(join(dist, name, ".dev.vars.example")))
          .split("\n")
          .filter((line) => line && !line.startsWith("#"));
        assert.deepEqual(
          example,
          secrets.map((secret) => `${secret}=`),
        );
        const { scripts, cloudflare } = JSON.parse(await release.text(join(dist, name, "package.json")));
        assert.deepEqual(scripts, { deploy: "wrangler deploy", dev: "wrangler dev" });
        const described = [
          ...secrets,
          "UPSTREAM_PROTOCOL",
          "UPSTREAM_URL",
          ...(name === "template-personal" ? ["ENDPOINTS", "ENDPOINT_STATE"] : []),
        ];
        assert.deepEqual(Object.keys(cloudflare.bindings).toSorted(), described.toSorted());
        for (const { description } of Object.values(cloudflare.bindings)) assert.ok(description.length > 10);
      }
      const state = await release.text(join(release.root, "docs/state.md"));
      const [, tables] = /^```toml\n(.*?)^```/ms.exec(state);
      for (const table of tables.trim().split("\n\n"))
        assert.ok((await release.text(join(dist, "template-personal/wrangler.toml"))).includes(table), table);
    });

    test("deploys what is built, and serves it", async (t) => {
      const cwd = await copied("template");
      const up = await upstream();
      t.after(() => up.close());
      const dry = await sh("npm run deploy -- --dry-run --outdir out", { cwd, env: with_wrangler });
      assert.equal(dry.code, 0, dry.stdout + dry.stderr);
      assert.match(dry.stdout, /Total Upload/);
      assert.doesNotMatch(dry.stdout, /ENDPOINT/);
      const uploaded = await readdir(join(cwd, "out"));
      assert.deepEqual(
        await readFile(
          join(
            cwd,
            "out",
            uploaded.find((name) => name.endsWith("-app.wasm")),
          ),
        ),
        await readFile(join(build, "app.wasm")),
      );

      await fill(cwd, {
        CLIENT_KEY: "a-key-of-the-tests",
        UPSTREAM_KEY: "sk-of-the-tests",
        UPSTREAM_URL: up.url,
      });
      const { url } = await dev(t, cwd);
      up.serve((x) =>
        play(x, {
          text: "",
          calls: [{ id: "call_1", name: "get_weather", input: { city: "Paris" } }],
          usage: { input: 3, cached: 0, output: 4 },
        }),
      );
      assert.deepEqual(await ask(url, "a-key-of-the-tests"), called);
      assert.equal(up.requests[0].headers.authorization, "Bearer sk-of-the-tests");
      const page = await fetch(`${url}/admin`);
      assert.deepEqual([page.status, (await page.text()).slice(0, 9).toLowerCase()], [200, "<!doctype"]);
    });

    test("with personal endpoints has their bindings", async (t) => {
      const cwd = await copied("template-personal");
      const dry = await sh("npm run deploy -- --dry-run", { cwd, env: with_wrangler });
      assert.match(dry.stdout, /env\.ENDPOINTS +KV Namespace/);
      assert.match(dry.stdout, /env\.ENDPOINT_STATE \(EndpointState\) +Durable Object/);
      if (!process.env.FULL) return; // readme.test.mjs serves a worker with the same bindings, but not from the template
      await fill(cwd, {
        CLIENT_KEY: "a-key-of-the-tests",
        UPSTREAM_KEY: "sk-of-the-tests",
        ADMIN_KEY: "an-admin-key-of-the-tests",
        SEAL_KEY: Buffer.alloc(32).toString("base64"),
        UPSTREAM_URL: "http://127.0.0.1:1/v1",
      });
      const { url } = await dev(t, cwd);
      const list = await fetch(`${url}/admin/api/endpoints`, {
        headers: { authorization: "Bearer an-admin-key-of-the-tests" },
      });
      assert.equal(list.status, 200, await list.text());
    });

    test("with Cloudflare's own models has their binding, and names no other upstream", async () => {
      const cwd = await copied("template-cloudflare");
      const dry = await sh("npm run deploy -- --dry-run", { cwd, env: with_wrangler });
      assert.match(dry.stdout, /env\.AI +AI/);
      assert.match(dry.stdout, /env\.UPSTREAM_URL \("cloudflare:ai"\)/);
      assert.match(dry.stdout, /env\.UPSTREAM_PROTOCOL \("chat"\)/);
      assert.doesNotMatch(await release.text(join(cwd, "wrangler.toml")), /openai\.com/);
    });

    test("edgelingua deploy works in it, and says how to begin elsewhere", async () => {
      const cwd = await copied("template");
      const { code, stderr } = await sh(
        `npm install --no-save ${join(dist, MAIN)} ${join(dist, tarballOf(platform))}`,
        { cwd, env: with_wrangler },
      );
      assert.equal(code, 0, stderr);
      const dry = await sh("npx --no edgelingua deploy --dry-run", { cwd, env: with_wrangler });
      assert.equal(dry.code, 0, dry.stdout + dry.stderr);
      assert.match(
        dry.stdout,
        /Total Upload.*would set what is missing of these secrets: CLIENT_KEY, UPSTREAM_KEY\n/s,
      );
      const empty = await sh(`${launcher()} deploy`, { cwd: await folder(), env });
      assert.deepEqual([empty.code, empty.stdout], [1, ""]);
      assert.match(
        empty.stderr,
        new RegExp(
          "^edgelingua: there is no wrangler.toml in this folder; " +
            String.raw`begin with a copy of the folder template of a release[^\n]*\n$`,
        ),
      );
    });
  });
});
