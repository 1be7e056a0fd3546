// A release: the same commit gives the same files, the program needs no other file, and the
// Dockerfile is correct. toolchain/lint.sh checks the workflow. No container is built here.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createInterface } from "node:readline";
import { test } from "../lib/fixture.mjs";
import { fold, parse } from "../lib/sse.mjs";
import { TARGET, build, copyBuild } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const goarch = { x64: "amd64", arm64: "arm64" }[process.arch];
const name = `edgelingua-${process.platform}-${goarch}`;

describe("release", { skip: TARGET !== "workerd" && "nothing of it depends on TARGET" }, () => {
  let first; // a clone with the files of a release
  const folders = [];
  let program;
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
  const folderOf = async (prefix) => {
    const folder = await mkdtemp(join(tmpdir(), prefix));
    folders.push(folder);
    return folder;
  };
  // clone makes a clone of the repository, with the build folder.
  const clone = async (from = root) => {
    const folder = await folderOf("release-");
    await run("git", ["clone", "-q", from, folder]);
    await copyBuild(join(folder, "build"));
    return folder;
  };
  // choose writes a line of a clone's owner.env.
  const choose = async (folder, line) => {
    const path = join(folder, "release/owner.env");
    await writeFile(
      path,
      (await readFile(path, "utf8")).replace(new RegExp(`^${line.split("=")[0]}=.*$`, "m"), () => line),
    );
  };
  // released makes the files of a release for this platform.
  const released = (cwd, env) =>
    run("release/release.sh", [`${process.platform}/${goarch}`], { cwd, env: { ...process.env, ...env } });
  before(async () => {
    const owned = await clone();
    await choose(owned, "GO_MODULE=example.org/somebody/edgelingua");
    await run(
      "git",
      [
        "-c",
        "user.name=somebody",
        "-c",
        "user.email=somebody@example.org",
        "commit",
        "-qam",
        "Choose the path of the Go module",
      ],
      { cwd: owned },
    );
    first = owned;
    await released(first);
    program = join(first, "dist", name);
  });

  // A person's settings of Go must change nothing.
  test(
    "the same commit gives the same files",
    { skip: !process.env.FULL && "it runs with FULL=1" },
    async () => {
      const second = await clone(first);
      await released(second, { GOFLAGS: "-gcflags=-l", GOAMD64: "v3", GOARM64: "v9.0" });
      const [sums, again] = await Promise.all(
        [first, second].map((folder) => readFile(join(folder, "dist/SHA256SUMS"), "utf8")),
      );
      assert.equal(sums, again);
    },
  );

  test("the files of a release", async () => {
    const dist = join(first, "dist");
    const sums = await readFile(join(dist, "SHA256SUMS"), "utf8");
    const entries = (await readdir(dist, { recursive: true, withFileTypes: true })).filter((entry) =>
      entry.isFile(),
    );
    const names = entries.map((entry) => relative(dist, join(entry.parentPath, entry.name)));
    assert.deepEqual(
      sums
        .trim()
        .split("\n")
        .map((line) => line.split(/ +/)[1]),
      names.filter((each) => each !== "SHA256SUMS").toSorted(),
    );
    assert.ok(names.includes("template/wrangler.toml"));
    const bom = JSON.parse(await readFile(join(dist, "edgelingua.cdx.json"), "utf8"));
    assert.match(
      await readFile(join(root, "release/owner.env"), "utf8"),
      new RegExp(`^VERSION=${bom.metadata.component.version}$`, "m"),
    );
    assert.ok(bom.components.some(({ name, scope }) => name.endsWith("/wazero") && scope === "required"));
    assert.match(
      await readFile(join(dist, "go/go.mod"), "utf8"),
      /^module example\.org\/somebody\/edgelingua\n/,
    );
    assert.ok(names.includes("go/translator/doc.go"));
    assert.match(
      await readFile(join(dist, "go/conform/go.mod"), "utf8"),
      /^module example\.org\/somebody\/edgelingua\/conform\n/,
    );
    assert.ok(names.includes(name));
    await run(
      "bash",
      ["-c", "if command -v sha256sum; then sha256sum -c SHA256SUMS; else shasum -a 256 -c SHA256SUMS; fi"],
      { cwd: dist },
    );
  });

  test("a tree with changes is refused", async () => {
    const folder = await clone();
    await writeFile(join(folder, "new"), "");
    const refused = await run("release/release.sh", [], { cwd: folder }).catch((error) => error);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /^release\.sh: the tree has changes, .*git stash -u'\n$/);
    // The check comes before the build, so nobody waits in vain.
    assert.equal(
      (await run("./build.sh", ["release"], { cwd: folder }).catch((error) => error)).stderr,
      refused.stderr,
    );
  });

  for (const [name, line] of [
    ["a value that a shell would run", "IMAGE=$(touch run)"],
    ["a value in quotes", 'NPM_SCOPE="@anna"'],
    ["a comment behind a value", "NPM_SCOPE=@anna # ours"],
    ["a version that is none", "VERSION=v1.2"],
    ["a scope that is none", "NPM_SCOPE=anna"],
    ["a module's path that is none", "GO_MODULE=edgelingua"],
  ]) {
    test(`owner.env with ${name} is refused`, async () => {
      const folder = await clone();
      await choose(folder, line);
      const refused = await run("release/release.sh", [], { cwd: folder }).catch((error) => error);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /^release\.sh: release\/owner\.env[^\n]*\n$/);
      assert.ok(!(await readdir(folder)).includes("run"));
    });
  }

  describe("the program in an empty folder", () => {
    let empty;
    before(async () => {
      empty = await folderOf("empty-");
    });
    // An empty environment, with a home in which nobody, not even root, can make a folder for the
    // cache.
    const at = () => ({ cwd: empty, env: { HOME: program } });

    test("version", async () => {
      const { stdout } = await run(program, ["version"], at());
      const commit = (await run("git", ["rev-parse", "--short=12", "HEAD"], { cwd: first })).stdout.trim();
      const module = (
        await run("bash", ["-c", `(sha256sum || shasum -a 256) <${build}/app.wasm 2>/dev/null`])
      ).stdout.split(" ")[0];
      const version = /^VERSION=(.*)$/m.exec(await readFile(join(root, "release/owner.env"), "utf8"))[1];
      assert.match(
        stdout,
        new RegExp(
          `^edgelingua ${version.replaceAll(".", "\\.")}, commit ${commit}, ${process.platform}/${goarch}, go1\\.\\d+.*\nmodule ${module}, \\d+ bytes\n$`,
        ),
      );
    });

    // documents' tests run the same command of the sources
    test("smoke", { skip: !process.env.FULL && "it runs with FULL=1" }, async () => {
      assert.match((await run(program, ["smoke"], at())).stdout, /\d+ checks in [\d.]+ s: all is well\n$/);
    });

    test("serve: a tool call, the page, and whether it is healthy", async () => {
      const child = spawn(program, ["serve", "--demo", "--addr", "127.0.0.1:0"], {
        ...at(),
        stdio: ["ignore", "ignore", "pipe"],
      });
      const exited = once(child, "exit");
      let address;
      try {
        const notes = [];
        for await (const line of createInterface(child.stderr)) {
          if ((address = /listening on http:\/\/(.*)/.exec(line)?.[1])) break;
          notes.push(line);
        }
        assert.match(notes.join("\n"), /compiled modules can't be kept, so each start compiles anew/);
        child.stderr.resume();
        const body = JSON.stringify({
          model: "demo",
          max_tokens: 200,
          stream: true,
          messages: [{ role: "user", content: "Weather in Paris?" }],
          tools: [
            {
              name: "get_weather",
              input_schema: { type: "object", properties: { city: { type: "string" } } },
            },
          ],
        });
        const answer = await fetch(`http://${address}/v1/messages`, {
          method: "POST",
          headers: { "x-api-key": "demo" },
          body,
        });
        assert.equal(fold(parse(await answer.text())).message.content[0].name, "get_weather");
        assert.match(await (await fetch(`http://${address}/admin`)).text(), /<title>/);
        const served = await fetch(`http://${address}/page/app.wasm`);
        assert.deepEqual(Buffer.from(await served.arrayBuffer()), await readFile(join(build, "app.wasm")));
        // healthy waits two seconds for an answer; a busy machine may need longer
        const healthy = () =>
          run(program, ["healthy", address], at()).catch((error) => {
            if (!/deadline exceeded|Timeout exceeded/.test(error.stderr)) throw error;
          });
        assert.deepEqual(await until(healthy), { stdout: "", stderr: "" });
      } finally {
        child.kill();
        await exited;
      }
      const gone = await run(program, ["healthy", address], at()).catch((error) => error);
      assert.equal(gone.code, 1);
      assert.match(gone.stderr, /^edgelingua: .*refused/);
      assert.deepEqual(await readdir(empty), []);
    });

    test("settings of .dev.vars in the current folder", async () => {
      const folder = await folderOf("settings-");
      await writeFile(
        join(folder, ".dev.vars"),
        "UPSTREAM_PROTOCOL=chat\nUPSTREAM_URL=http://127.0.0.1:9/v1\nCLIENT_KEY=a-key-of-this-test\n",
      );
      const child = spawn(program, ["serve", "--addr", "127.0.0.1:0"], {
        cwd: folder,
        env: at().env,
        stdio: ["ignore", "ignore", "pipe"],
      });
      const exited = once(child, "exit");
      const lines = [];
      for await (const line of createInterface(child.stderr))
        if (lines.push(line) && /^ *A wrong key:/.test(line)) break;
      child.kill();
      await exited;
      assert.match(lines.join("\n"), /settings of .*\.dev\.vars/);
    });

    test("a client with a server of its own", async () => {
      const bin = await folderOf("bin-");
      await writeFile(join(bin, "claude"), '#!/bin/sh\necho "$ANTHROPIC_BASE_URL"\nexit 7\n', {
        mode: 0o755,
      });
      const models = createServer((_, response) => response.end('{"data":[{"id":"qwen:latest"}]}'));
      await once(models.listen(0, "127.0.0.1"), "listening");
      const flags = [
        "--upstream",
        "ollama",
        "--model",
        "qwen",
        "--connect",
        `127.0.0.1:${models.address().port}`,
      ];
      const ran = await run(program, ["claude", ...flags], {
        cwd: empty,
        env: { ...at().env, PATH: bin },
      }).catch((error) => error);
      models.close();
      assert.equal(ran.code, 7, ran.stderr);
      assert.match(ran.stdout, /^http:\/\/127\.0\.0\.1:\d+\n$/);
    });

    test("a module that is not there", async () => {
      const missing = await run(program, ["smoke", "--wasm", "no.wasm"], at()).catch((error) => error);
      assert.equal(
        missing.stderr,
        "edgelingua: there is no no.wasm; leave --wasm out: the module is inside this program\n",
      );
    });
  });

  test("the Dockerfile", async () => {
    const {
      default: { validate },
    } = await import("dockerfile-utils");
    const text = await readFile(join(root, "release/Dockerfile"), "utf8");
    assert.deepEqual(validate(text), []);
    assert.notDeepEqual(validate(`${text}CMD ["again"]\n`), [], "the check can fail");
    assert.match(text, /\nUSER 65532:65532\n/);
    const [, ...checks] = /\nHEALTHCHECK .* CMD \["\/edgelingua", "(\w+)", "(127\.0\.0\.1:\d+)"\]/.exec(text);
    assert.deepEqual(checks, ["healthy", `127.0.0.1:${/\nCMD .*"0\.0\.0\.0:(\d+)"/.exec(text)[1]}`]);
  });
});
