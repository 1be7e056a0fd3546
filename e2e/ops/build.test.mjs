// build.sh, with the test's own compilers on the PATH: the choice of TinyGo, the builds, and the
// messages if a build is impossible.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFile, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { PATIENCE } from "../lib/waiting.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

// The programs that build.sh needs. apt-get is not in the list, so build.sh does not build TinyGo.
const tools = [
  "bash",
  "env",
  "cat",
  "cut",
  "cp",
  "chmod",
  "dirname",
  "find",
  "gzip",
  "head",
  "ln",
  "ls",
  "mkdir",
  "mktemp",
  "mv",
  "rm",
  "rmdir",
  "script",
  "sed",
  "sha256sum",
  "shasum",
  "sleep",
  "sort",
  "tail",
  "tr",
  "wc",
  "grep",
  "touch",
];

// The program go. The parent of its folder is GOROOT, and every build writes an empty file. It
// appends its arguments to the file "calls".
const go = `#!/usr/bin/env bash
case "$*" in
version) echo go version go1.26.0 test/test ;;
"env GOVERSION") echo "\${GO_SAYS-go1.26.0}"; [[ \${GO_SAYS-} != *unavailable* ]] ;;
"env GOROOT") echo "\${0%/bin/go}/goroot" ;;
"env GOCACHE") echo "\${GOCACHE-\${0%/bin/go}/gocache}" ;;
"env GOMODCACHE") echo "\${GOMODCACHE-\${0%/bin/go}/gomodcache}" ;;
*workers-assets-gen*) mkdir -p "\${@: -1}" && touch "\${@: -1}"/{worker.mjs,runtime.mjs,wasm_exec.js} ;;
"run ./wasmtest/apis "*) touch "\${@: -1}"/{apis,views/chat}.mjs ;;
"run -tags"*) ;;
build*)
	[[ -z \${AFTER-} ]] || { echo began >"$AFTER"; exec sleep 86400; }
	echo "\${BROKEN-}" >&2; touch build/edgelingua; [[ -z \${BROKEN-} ]] ;;
esac
`;

// The program tinygo, a release with a net/http that does not compile, like 0.41.1. A build with
// this net/http fails.
const tinygo = (version) => `#!/usr/bin/env bash
bin=\${0%/tinygo}
case $1 in
version) echo tinygo version ${version} test/test ;;
env) echo "$bin/../tinygoroot" ;;
build)
	echo "$*" >>"$bin/../calls"
	echo tinygo says something >&2
	cat "$TINYGOROOT"/src/net/http/*.go | grep -q roundTrip && { echo "t.roundTrip undefined" >&2; exit 1; }
	grep -q "memorySize)" "$TINYGOROOT/src/runtime/arch_tinygowasm.go" && { echo "the heap doubles" >&2; exit 1; }
	while [[ $1 != -o ]]; do shift; done
	if [[ -n \${BIG-} ]]; then head -c 900000 /dev/urandom; else echo module; fi >"$2"
	[[ -z \${AFTER-} ]] || { until [[ -s $AFTER ]]; do sleep 0.05; done; exit 1; } ;;
esac
`;

// The line of TinyGo's runtime that doubles the heap.
const doubles = "package runtime\n\nresult := wasm_memory_grow(wasmMemoryIndex, memorySize)\n";

describe("build.sh", { skip: TARGET !== "workerd" && "nothing of it depends on TARGET" }, () => {
  let bin; // the folder with tools
  before(async () => {
    bin = await mkdtemp(join(tmpdir(), "tools-"));
    for (const name of tools) {
      const { stdout } = spawnSync("bash", ["-c", `command -v ${name}`], { encoding: "utf8" });
      if (stdout) await symlink(stdout.trim(), join(bin, name));
    }
  });
  after(() => rm(bin, { recursive: true }));

  // checkout makes a folder with build.sh, a source of each kind and the compilers of the given
  // versions.
  async function checkout(t, version, { withGo = true, withOpt = true, heap = doubles } = {}) {
    const folder = await mkdtemp(join(tmpdir(), "checkout-"));
    t.after(() => rm(folder, { recursive: true }));
    await cp(join(root, "build.sh"), join(folder, "build.sh"));
    for (const path of ["toolchain", "worker/workerd", "worker/prices"])
      await cp(join(root, path), join(folder, path), { recursive: true });
    for (const [path, text, mode] of [
      ["go.mod", "module x\n\ngo 1.26.0\n"],
      ["go.sum", ""],
      ["worker/main.go", "package main\n"],
      ["worker/page/operator/admin.html", ""],
      ["worker/admin/openapi.json", "{}\n"],
      ["translator/x.go", "package translator\n"],
      ["wasmtest/apis/main.go", "package main\n"],
      ["local/goroot/src/net/http/status.go", "package http\n"],
      ["local/goroot/src/net/http/method.go", "package http\n"],
      ["local/tinygoroot/src/net/http/roundtrip_js.go", "package http\n\nvar _ = t.roundTrip\n"],
      ["local/tinygoroot/src/runtime/arch_tinygowasm.go", heap],
      ["local/tinygoroot/targets/wasm.json", "{}"],
      ["local/calls", ""],
      ...(withOpt ? [["local/tinygoroot/bin/wasm-opt", "", 0o755]] : []), // the path of wasm-opt in a release
      ...(withGo ? [["local/bin/go", go, 0o755]] : []),
      ...(version ? [["local/bin/tinygo", tinygo(version), 0o755]] : []),
    ]) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text, { mode });
    }
    const run = (args = [], env = {}, terminal = false) => {
      const PATH = `${join(folder, "local/bin")}:${bin}`;
      const { status, stdout, stderr } = spawnSync(
        ...(terminal ? ["script", ["-qec", "bash build.sh", "/dev/null"]] : ["bash", ["build.sh", ...args]]),
        {
          cwd: folder,
          encoding: "utf8",
          timeout: PATIENCE,
          env: { PATH, HOME: folder, XDG_CACHE_HOME: join(folder, "cache"), ...env },
        },
      );
      return { status, stdout, stderr };
    };
    return {
      folder,
      run,
      built: async () =>
        (await readFile(join(folder, "local/calls"), "utf8")).trim().split("\n").filter(Boolean).length,
    };
  }

  for (const version of ["0.42.0", "0.42.1", "0.50.0-dev"]) {
    test(`TinyGo ${version}, whose own net/http does not compile`, async (t) => {
      const { folder, run, built } = await checkout(t, version);
      const { status, stdout, stderr } = run();
      assert.equal(status, 0, stderr);
      assert.match(stdout, /^build\/app\.wasm: 7 bytes, \d+ compressed/m);
      assert.equal(/is newer than 0\.42\.0/.test(stderr), version !== "0.42.0");
      assert.equal(
        await readFile(join(folder, "local/tinygoroot/src/net/http/roundtrip_js.go"), "utf8"),
        "package http\n\nvar _ = t.roundTrip\n",
      );

      await writeFile(join(folder, "build/kept"), "");
      assert.equal(run().status, 0);
      assert.equal(await built(), 1, "nothing has changed");
      await rm(join(folder, "build/page"), { recursive: true });
      assert.equal(run().status, 0);
      assert.equal(await built(), 1, "the page is packed again, without the compiler");
      await readFile(join(folder, "build/page/app.wasm.bin"));
      await appendFile(join(folder, "worker/workerd/gojs.mjs.new.mjs"), "");
      assert.equal(run().status, 0);
      assert.equal(await built(), 2, "a source in JavaScript is new");
      // written, though the bytes of the module are unchanged
      await readFile(join(folder, "build/pages.mjs"));
      await rm(join(folder, "build/app.wasm"));
      assert.equal(run().status, 0);
      assert.equal(await built(), 3, "the module is gone");
      await appendFile(join(folder, "worker/main.go"), "\n");
      assert.equal(run().status, 0);
      assert.equal(await built(), 4, "a source has changed");
      await readFile(join(folder, "build/kept"));
    });
  }

  for (const [name, version, options, env, wanted] of [
    [
      "no Go",
      "0.42.0",
      { withGo: false },
      {},
      "build.sh: go is not installed. Install Go 1.26.0 or later: https://go.dev/dl/\n",
    ],
    [
      "an old Go",
      "0.42.0",
      {},
      { GO_SAYS: "go1.25.9" },
      "build.sh: Go 1.26.0 or later is needed, and 1.25.9 is there: https://go.dev/dl/\n",
    ],
    [
      "an old Go that can't download another",
      "0.42.0",
      {},
      { GO_SAYS: "go: downloading go1.26.0 (test/test)\ngo: go1.26.0 unavailable" },
      "build.sh: Go 1.26.0 or later is needed: https://go.dev/dl/ (go: go1.26.0 unavailable)\n",
    ],
    [
      "a new Go",
      "0.42.0",
      {},
      { GO_SAYS: "go1.28rc1" },
      "build.sh: TinyGo 0.42.0 takes Go 1.27 at most, and 1.28rc1 is there. Set GOTOOLCHAIN=go1.27.3\n",
    ],
    [
      "no wasm-opt",
      "0.42.0",
      { withOpt: false },
      {},
      "build.sh: wasm-opt, which TinyGo runs, is not installed. Install Binaryen: https://github.com/WebAssembly/binaryen/releases\n",
    ],
    [
      "Go's cache can't be written to",
      "0.42.0",
      {},
      { GOCACHE: "/dev/null/x" },
      "build.sh: can't write to the folder /dev/null/x. Name another one with the variable GOCACHE.\n",
    ],
    [
      "Go's modules can't be kept",
      "0.42.0",
      {},
      { GOMODCACHE: "/dev/null/x" },
      "build.sh: can't make the folder /dev/null/x. Name another one with the variable GOMODCACHE.\n",
    ],
    [
      "an old TinyGo",
      "0.41.1",
      {},
      {},
      "build.sh: TinyGo 0.42.0 or later is needed on PATH, and 0.41.1 is there: https://tinygo.org/getting-started/install/\n",
    ],
    [
      "no TinyGo",
      "",
      {},
      {},
      "build.sh: TinyGo 0.42.0 or later is needed on PATH, and none is there: https://tinygo.org/getting-started/install/\n",
    ],
    [
      "a cache that can't be written to",
      "0.42.0",
      {},
      { XDG_CACHE_HOME: "/dev/null" },
      "build.sh: can't write to the folder /dev/null/edgelingua. Name another one with the variable XDG_CACHE_HOME.\n",
    ],
  ]) {
    test(name, async (t) => {
      const { run } = await checkout(t, version, options);
      assert.deepEqual(run([], env), { status: 1, stdout: "", stderr: wanted });
    });
  }

  // run and deploy build the program while TinyGo is looked for
  for (const [name, version, env] of [
    ["an old TinyGo", "0.41.1", {}],
    ["a new Go", "0.42.0", { GO_SAYS: "go1.28rc1" }],
  ]) {
    test(`${name}, before the program is built`, async (t) => {
      const { folder, run } = await checkout(t, version);
      const { status, stderr } = run(["run", "--demo"], env);
      assert.equal(status, 1);
      assert.match(stderr, /^build\.sh: TinyGo 0\.42\.0 .*\n$/);
      await assert.rejects(readFile(join(folder, "build/edgelingua")), { code: "ENOENT" });
    });
  }

  test("the versions that work", async (t) => {
    const { run } = await checkout(t, "0.42.0");
    assert.match(
      run(["help"]).stdout,
      /\nIt needs Go 1\.26\.0 to 1\.27, and TinyGo 0\.42\.0\nor later on PATH\./,
    );
  });

  test("the pinned TinyGo whose heap is not found", async (t) => {
    const { run } = await checkout(t, "0.42.0", { heap: "package runtime\n" });
    const { status, stderr } = run();
    assert.equal(status, 1);
    assert.match(
      stderr,
      new RegExp(
        String.raw`^bootstrap\.sh: TinyGo 0\.42\.0 has no wasm_memory_grow\(wasmMemoryIndex, memorySize\) ` +
          String.raw`in .*/src/runtime/arch_tinygowasm\.go\n$`,
      ),
    );
  });

  test("a later TinyGo whose heap is not found", async (t) => {
    const { run } = await checkout(t, "0.50.0", { heap: "package runtime\n" });
    const { status, stderr } = run();
    assert.equal(status, 0, stderr);
  });

  for (const [version, says] of [
    ["0.42.0", "go1.27.9"],
    ["0.43.0", "go1.28.0"],
  ]) {
    test(`TinyGo ${version} with ${says}`, async (t) => {
      const { run } = await checkout(t, version);
      assert.equal(run([], { GO_SAYS: says }).status, 0);
    });
  }

  test("a new Go where TinyGo would be built", async (t) => {
    const { folder, run } = await checkout(t, "");
    await writeFile(join(folder, "local/bin/apt-get"), "#!/usr/bin/env bash\necho apt-get ran >&2\n", {
      mode: 0o755,
    });
    const stderr =
      "build.sh: TinyGo 0.42.0 takes Go 1.27 at most, and 1.28.0 is there. Set GOTOOLCHAIN=go1.27.3\n";
    assert.deepEqual(run([], { GO_SAYS: "go1.28.0" }), { status: 1, stdout: "", stderr });
  });

  test("an old Go that downloads another", async (t) => {
    const { run } = await checkout(t, "0.42.0");
    assert.equal(run([], { GO_SAYS: "go: downloading go1.26.0 (test/test)\ngo1.26.0" }).status, 0);
  });

  test(
    "at a terminal",
    { skip: process.platform !== "linux" && "util-linux's script makes the terminal" },
    async (t) => {
      const { run } = await checkout(t, "0.42.0");
      const { status, stdout } = run([], { TERM: "xterm", SHELL: "/bin/bash" }, true);
      assert.equal(status, 0, stdout);
      assert.match(stdout, /building build\/app\.wasm: \d+ s\x1b?/);
      assert.match(stdout, /\r\x1b\[Ktinygo says something\r\n/);
      assert.match(run([], { TERM: "dumb", SHELL: "/bin/bash", NO_COLOR: "1" }, true).stdout, /^(?!.*\x1b)/s);
    },
  );

  test("a build folder that can't be written to", async (t) => {
    const { folder, run } = await checkout(t, "0.42.0");
    await writeFile(join(folder, "build"), "");
    assert.deepEqual(run(), {
      status: 1,
      stdout: "",
      stderr: "build.sh: can't write to the folder build. Remove it, or make it yours.\n",
    });
  });

  test("a release whose module is over the budget", async (t) => {
    const { run } = await checkout(t, "0.42.0");
    const [, budget] = /^budget=(\d+)$/m.exec(await readFile(join(root, "toolchain/module.sh"), "utf8"));
    const { status, stderr } = run([], { BIG: "yes" });
    assert.equal(status, 0);
    assert.match(
      stderr,
      new RegExp(
        `==> app\\.wasm is \\d+ bytes over its budget of ${budget} KB, which is for the TinyGo that build\\.sh builds\\n$`,
      ),
    );
  });

  test("a module that does not compile while the host is compiled", async (t) => {
    const { folder, run } = await checkout(t, "0.42.0");
    // spawnSync waits for all processes with open ends of its pipes. The host's compiler sleeps for
    // a day. If build.sh did not end the compiler, the run would reach the timeout.
    assert.equal(run(["run"], { AFTER: join(folder, "local/began") }).status, 1);
  });

  test("a host that does not compile", async (t) => {
    const { run } = await checkout(t, "0.42.0");
    const { status, stderr } = run(["run"], { BROKEN: "host.go:1: broken" });
    assert.equal(status, 1);
    assert.match(stderr, /\nbuild\.sh: build\/edgelingua can't be built: host\.go:1: broken\n$/);
  });
});
