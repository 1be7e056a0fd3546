// Every command of README.md, CONTRIBUTING.md and docs/ runs here as documented, except those in
// NOT_HERE, each with its reason. A command in neither COMMANDS nor NOT_HERE fails.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { access, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { documents } from "../lib/documents.mjs";
import { test } from "../lib/fixture.mjs";
import { checkMessage, fold, parse } from "../lib/sse.mjs";
import { TARGET } from "../lib/target.mjs";
import { freePort } from "../lib/waiting.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const texts = Object.values(await documents());
// The commands are the lines of code blocks for a shell, and inline code that begins like a
// command.
const blocks = texts.flatMap((text) =>
  [...text.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => block.trim().split("\n")),
);
const inline = texts.flatMap((text) =>
  [
    ...text
      .replaceAll(/^```.*?^```/gms, "")
      .matchAll(/`((?:\.\/build\.sh|go run|go test|node|npx|edgelingua) [^`]*)`/g),
  ].map(([, command]) => command.replaceAll(/\s+/g, " ")),
);

// NOT_HERE has the commands that the file does not run, with the reason and the replacing test.
const NOT_HERE = {
  "./build.sh release": "time: release.test.mjs runs the part after the module's build, on a clone",
  "npm install": "a release's files: package.test.mjs runs it",
  "npm run deploy": "an account: package.test.mjs runs it with --dry-run",
  "npx --no edgelingua": "a release's files: package.test.mjs runs it",
  "go test": "the tests themselves: build.sh test runs them",
  "./build.sh test": "the tests themselves",
  "./build.sh login": "an account: wrangler opens a browser",
  "./build.sh run --var": "a key: clients/walkthroughs.test.mjs runs it with a stand-in for the vendor",
  "./build.sh run --secret": "a key and a terminal: tutorial.test.mjs runs it with a stand-in for the vendor",
  "ANTHROPIC_BASE_URL=http://127.0.0.1:8787":
    "a key: clients/walkthroughs.test.mjs plays the client with these settings",
  export: "a shell: clients/walkthroughs.test.mjs and tutorial.test.mjs use the values",
  "install -d": "systemd, and root: wasmtest/readme checks the unit's file",
  "install -m": "systemd, and root: wasmtest/readme checks the unit's file",
  "openssl rand -hex 24 | install": "systemd, and root",
  "openssl rand -base64 32 | install": "systemd, and root",
  "systemctl enable": "systemd, and root",
  "sudo chown": "Docker, and root",
  "node worker/serve/testdata/upgrade/make.mjs":
    "a release's files: the program of the version before makes the data that TestUpgrade opens",
  "node worker/prices/refresh.mjs":
    "the tests themselves: prices.test.mjs runs it with a double of npm's registry",
  "docker compose": "Docker: wasmtest/readme checks compose.yaml",
};

// env turns wrangler's telemetry off, and has edgelingua on its PATH.
const env = {
  ...process.env,
  PATH: `${join(root, "build")}:${process.env.PATH}`,
  WRANGLER_SEND_METRICS: "false",
  WRANGLER_HIDE_BANNER: "true",
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
};
// ADMIN_KEY and ANNA_KEY replace the keys that readers of docs/endpoints.md type.
const ADMIN_KEY = "an-admin-key-of-the-tests"; // the worker refuses the key in the documents
const sh = (command, more) =>
  promisify(execFile)("bash", ["-c", command], { cwd: root, env: { ...env, ADMIN_KEY, ...more } });

// runOnce runs a command once, and returns the same result to every caller: several commands of the
// documents lead to the same test.
const results = new Map();
const runOnce = (command) => results.get(command) ?? results.set(command, sh(command)).get(command);

// serve runs a serving command, and resolves once the command has printed its address.
// printed(pattern) resolves with the match in the output, past or future.
async function serve(command, args) {
  const child = spawn(command, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const closed = once(child, "close");
  let text = "";
  const printed = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const at = pattern.exec(text);
        if (at) resolve(at);
      };
      look();
      for (const input of [child.stdout, child.stderr]) input.on("data", look);
      closed.then(([code]) => reject(new Error(`${command} ended with ${code}:\n${text}`)));
    });
  for (const input of [child.stdout, child.stderr])
    input.setEncoding("utf8").on("data", (part) => (text += part));
  const [, url] = await printed(/(?:listening|ready) on (http:\/\/[\w.:]+)[^\w.:]/i);
  return {
    url,
    printed,
    close: async () => {
      child.kill();
      await exited;
    },
  };
}

// backUp runs a backup in the folder of data/, if the machine has sqlite3.
async function backUp(command, folder) {
  if (!(await sh("command -v sqlite3 || true")).stdout) return;
  await sh(`cd ${folder} && ${command}`);
  const [copy] = (await readdir(folder)).filter((name) => /^backup-\d{4}-\d\d-\d\d\.sqlite$/.test(name));
  const { stdout } = await sh(`sqlite3 ${join(folder, copy)} .schema`);
  assert.match(stdout, /CREATE TABLE/);
}

describe("documents", { skip: TARGET !== "workerd" && "no command of it depends on TARGET" }, () => {
  let demo;
  before(async () => {
    const secrets = [
      "--secret",
      `ADMIN_KEY=${ADMIN_KEY}`,
      "--secret",
      `SEAL_KEY=${Buffer.alloc(32).toString("base64")}`,
    ];
    demo = await serve("./build.sh", ["run", "--demo", "--addr", "127.0.0.1:0", ...secrets]);
  });
  after(() => demo?.close());

  // inFolder runs commands of self-hosting.md, in their order, in one folder.
  let folder;
  const inFolder = async (command) => {
    folder ??= await mkdtemp(join(tmpdir(), "secrets-"));
    await sh(`cd ${folder} && ${command}`);
    const [, made] = / > (\S+)$/.exec(command) ?? [];
    if (made) assert.match(await readFile(join(folder, made), "utf8"), /^\S{44,48}\n$/);
  };
  after(() => folder && rm(folder, { recursive: true }));

  let key; // of the endpoint in docs/endpoints.md
  const json = async (command) =>
    JSON.parse(
      (await sh(command.replace("127.0.0.1:8787", new URL(demo.url).host), { ANNA_KEY: key })).stdout,
    );

  const COMMANDS = {
    "./build.sh run": async () => {
      const curl = /(curl (?:.*\\\n)*.*)\n/.source;
      const [, ...curls] = await demo.printed(new RegExp(`:\\s+${curl}.*:\\s+${curl}.*:\\s+${curl}`));
      const [stream, plain, wrong] = await Promise.all(curls.map(async (line) => (await sh(line)).stdout));
      assert.equal(fold(parse(stream)).message.content[0].name, "get_weather");
      assert.equal(checkMessage(JSON.parse(plain)).stop_reason, "end_turn");
      assert.match(wrong, /^HTTP\S+ 401 .*"type":"authentication_error"/s);
    },
    "./build.sh run --demo --var": async (command) => {
      const host = await serve(join(root, "build/edgelingua"), [
        "serve",
        "--addr",
        "127.0.0.1:0",
        ...command.split(" ").slice(2),
      ]);
      try {
        const body = JSON.stringify({
          model: "demo",
          max_tokens: 9,
          messages: [{ role: "user", content: "Hi" }],
        });
        const answer = await fetch(`${host.url}/v1/messages`, {
          method: "POST",
          headers: { "x-api-key": "demo" },
          body,
        });
        checkMessage(await answer.json());
        await host.printed(new RegExp(`anthropic[^\\n]*${command.split("=")[1]}`));
      } finally {
        await host.close();
      }
    },
    "./build.sh run --data": async () => {
      const folder = await mkdtemp(join(tmpdir(), "data-"));
      const host = await serve(join(root, "build/edgelingua"), [
        "serve",
        "--demo",
        "--addr",
        "127.0.0.1:0",
        "--data",
        folder,
      ]);
      try {
        await access(join(folder, "edgelingua.sqlite"));
      } finally {
        await host.close();
        await rm(folder, { recursive: true });
      }
    },
    "go run ./release/gomodule": async (command) => {
      const folder = await mkdtemp(join(tmpdir(), "module-"));
      await sh(command.replace("dist/go", join(folder, "go")));
      assert.match(await readFile(join(folder, "go/go.mod"), "utf8"), /^module example\.org\/edgelingua\n/);
      await rm(folder, { recursive: true });
    },
    "curl -N 127.0.0.1:8787/v1/messages": async (command) => {
      const { stdout } = await sh(command.replace("127.0.0.1:8787", new URL(demo.url).host));
      const { content, stop_reason } = fold(parse(stdout)).message;
      assert.equal(stop_reason, "tool_use");
      assert.deepEqual(
        content.map(({ type, name, input }) => ({ type, name, input })),
        [{ type: "tool_use", name: "get_weather", input: { city: "Paris" } }],
      );
    },
    "curl -N 127.0.0.1:8787/v1/chat/completions": async (command) => {
      const { stdout } = await sh(command.replace("127.0.0.1:8787", new URL(demo.url).host));
      const deltas = stdout
        .split("\n\n")
        .slice(0, -2)
        .map((event) => JSON.parse(event.slice("data: ".length)).choices[0]?.delta);
      const calls = deltas.flatMap((delta) => delta?.tool_calls ?? []).map((call) => call.function);
      assert.equal(calls[0].name, "get_weather");
      assert.deepEqual(JSON.parse(calls.map((call) => call.arguments).join("")), { city: "Paris" });
      assert.ok(stdout.endsWith("data: [DONE]\n\n"));
    },
    "curl -N 127.0.0.1:8787/v1/responses": async (command, t) => {
      const { stdout } = await sh(command.replace("127.0.0.1:8787", new URL(demo.url).host));
      const [, json] = /^event: response\.completed\ndata: (.*)\n\n$/m.exec(stdout);
      const [{ type, name, arguments: input }] = JSON.parse(json).response.output;
      assert.deepEqual(
        { type, name, input: JSON.parse(input) },
        { type: "function_call", name: "get_weather", input: { city: "Paris" } },
      );
    },
    "curl -N '127.0.0.1:8787/v1beta/models/demo:streamGenerateContent?alt=sse'": async (command) => {
      const { stdout } = await sh(command.replace("127.0.0.1:8787", new URL(demo.url).host));
      const parts = stdout
        .split("\n\n")
        .slice(0, -1)
        .flatMap((event) => JSON.parse(event.slice("data: ".length)).candidates[0].content.parts);
      const [{ name, args }] = parts.map(({ functionCall }) => functionCall).filter(Boolean);
      assert.deepEqual({ name, args }, { name: "get_weather", args: { city: "Paris" } });
    },
    "curl 127.0.0.1:8787/v1/messages/count_tokens": async (command) => {
      const { stdout } = await sh(command.replace("127.0.0.1:8787", new URL(demo.url).host));
      assert.deepEqual(JSON.parse(stdout), { input_tokens: 8 });
    },
    "curl 127.0.0.1:8787/v1/models": async (command) => {
      const { stdout } = await sh(command.replace("127.0.0.1:8787", new URL(demo.url).host));
      assert.deepEqual(
        JSON.parse(stdout).data.map(({ id }) => id),
        ["demo"],
      );
    },
    "curl 127.0.0.1:8787/admin/api/endpoints": async (command) => {
      const folder = await mkdtemp(join(tmpdir(), "anna-"));
      try {
        const [, anna] = /`anna\.json`.*?^```json\n(.*?)^```/ms.exec(
          await readFile(join(root, "docs/endpoints.md"), "utf8"),
        );
        await writeFile(join(folder, "anna.json"), anna);
        const made = await json(command.replace("@anna.json", `@${folder}/anna.json`));
        assert.deepEqual(made.sealed_keys, ["openai"]);
        key = made.key;
      } finally {
        await rm(folder, { recursive: true });
      }
    },
    "curl -X PATCH 127.0.0.1:8787/admin/api/endpoints/anna": async (command) => {
      assert.deepEqual((await json(command)).options, { strict: "off" });
    },
    "curl -X POST 127.0.0.1:8787/admin/api/endpoints/anna/test": (command) =>
      assert.match(command, /\/test -H/), // asks OpenAI
    "curl -X POST 127.0.0.1:8787/admin/api/endpoints/anna/rotate": async (command) => {
      assert.equal((await json(command)).keys.length, 2);
    },
    "curl '127.0.0.1:8787/admin/api/health?name=anna'": async (command) => {
      const { endpoints } = await json(command);
      assert.deepEqual(endpoints[0].upstreams, [{ name: "openai", state: "ok" }]);
    },
    "curl 127.0.0.1:8787/u/anna/api": async (command) => {
      assert.equal((await json(command)).upstreams[0].name, "openai");
    },
    "curl 127.0.0.1:8787/u/anna/api/usage": async (command) => {
      const { limits } = await json(command);
      assert.deepEqual(Object.keys(limits), ["requests_per_minute", "concurrent_streams", "tokens_per_day"]);
    },
    "cp .dev.vars.example .dev.vars": async () => {
      const folder = await mkdtemp(join(tmpdir(), "readme-"));
      const vars = join(folder, ".dev.vars");
      await writeFile(
        vars,
        (await readFile(join(root, ".dev.vars.example"), "utf8"))
          .replace("choose-a-long-random-key", "a-key-that-nobody-knows")
          .replace("sk-...", "sk-of-the-tests"),
      ); // the example's own keys are refused
      const host = await serve(join(root, "build/edgelingua"), [
        "serve",
        "--addr",
        "127.0.0.1:0",
        "--dev-vars",
        vars,
      ]);
      try {
        const answer = await fetch(`${host.url}/v1/messages`, {
          method: "POST",
          headers: { "x-api-key": "a-key-that-nobody-knows" },
          body: "{",
        });
        // the key and the settings are good, the body is not
        assert.equal(answer.status, 400, await answer.text());
      } finally {
        await host.close();
        await rm(folder, { recursive: true });
      }
    },
    "./build.sh dev": async (command) => {
      const dev = await serve("./build.sh", [
        ...command.split(" ").slice(1),
        "--ip",
        "127.0.0.1",
        "--port",
        "0",
        "--inspector-port",
        "0",
        "--var",
        "CLIENT_KEY:key",
        `ADMIN_KEY:${ADMIN_KEY}`,
      ]);
      try {
        const answer = await fetch(`${dev.url}/v1/messages`, {
          method: "POST",
          headers: { "x-api-key": "wrong" },
          body: "{}",
        });
        assert.equal(answer.status, 401);
        assert.equal((await answer.json()).error.type, "authentication_error");
        const list = await fetch(`${dev.url}/admin/api/endpoints`, {
          headers: { authorization: `Bearer ${ADMIN_KEY}` },
        });
        assert.equal(list.status, command.includes("--personal") ? 200 : 500, await list.text());
      } finally {
        await dev.close();
      }
    },
    // Without an account nothing is deployed. wasmtest/deploy tests the steps after this point.
    "./build.sh deploy": async (command) => {
      const own = await readFile(join(root, "wrangler.toml"), "utf8");
      const { stdout } = await runOnce(command.includes("--dry-run") ? command : `${command} --dry-run`);
      assert.match(stdout, /Total Upload/);
      assert.match(stdout, /would set what is missing of these secrets: .*CLIENT_KEY, /);
      assert.equal(await readFile(join(root, "wrangler.toml"), "utf8"), own);
      if (!command.includes("--personal")) return assert.doesNotMatch(stdout, /ENDPOINTS|ENDPOINT_STATE/);
      assert.match(stdout, /env\.ENDPOINTS +KV Namespace/);
      assert.match(stdout, /env\.ENDPOINT_STATE \(EndpointState\) +Durable Object/);
      const generated = await readFile(join(root, "wrangler.personal.toml"), "utf8");
      assert.ok(generated.includes(own));
      const [, tables] = /^```toml\n(.*?)^```/ms.exec(await readFile(join(root, "docs/state.md"), "utf8"));
      for (const table of tables.trim().split("\n\n")) assert.ok(generated.includes(table), table);
    },
    "wrangler deploy": async (command) => {
      const { stdout } = await sh(`${command} --dry-run`);
      assert.match(stdout, /\[custom build\] build\/app\.wasm: \d+ bytes/);
      assert.match(stdout, /Total Upload/);
    },
    "./build.sh secret put": async () => {
      const { stdout } = await runOnce("./build.sh secret put --help");
      assert.match(stdout, /wrangler secret put <key>/);
    },
    echo: async (command) => {
      const { stdout, stderr } = await sh(command);
      assert.deepEqual(JSON.parse(stdout), {
        model: "gpt-5.5",
        messages: [{ role: "user", content: "Hi" }],
        max_completion_tokens: 99,
      });
      assert.equal(stderr, "lost: top_k\n");
    },
    "edgelingua replay": async (command) => {
      const { stdout } = await sh(command.endsWith(".txtar") ? command : "edgelingua replay -h");
      if (!command.endsWith(".txtar")) return assert.match(stdout, /\n +--events /);
      assert.equal(fold(parse(stdout)).message.content[0].text, 'Hello "you"\n😀');
    },
    "edgelingua smoke": async (command) => {
      const { stdout } = await sh(command);
      assert.match(stdout, /^chat\/anthropic +\S+ [\d.]+ m?s /m);
      assert.match(stdout, /\n\d+ checks in [\d.]+ s: all is well\n$/);
    },
    "EDGELINGUA_KEY=your-key": async (command) => {
      const { stdout } = await sh(
        command
          .replace("your-key", "demo")
          .replace("https://api.openai.com", demo.url)
          .replace("gpt-5.5", "demo --yes"),
      );
      assert.match(stdout, /^stream +(\S+ \d+ *){4}$/m);
      assert.match(stdout, /\n\d+ cases passed, .* in [\d.]+ s: all is well\n$/);
    },
    "edgelingua check --upstream": async (command) => {
      const port = await freePort();
      const { stdout } = await sh(
        `export EDGELINGUA_KEY=key-of-a-test-4c1d; ${command}`
          .replace("127.0.0.1:8787", `127.0.0.1:${port}`)
          .replace("--upstream", "--only '*/stream' --upstream")
          .replace("edgelingua serve", `edgelingua serve --addr 127.0.0.1:${port}`),
      );
      assert.match(stdout, /^stream +(\S+ \d+ *){4}$/m);
      assert.match(stdout, /\n\d+ cases passed, .*: all is well\n$/);
    },
    "edgelingua check": async () => {
      assert.match((await sh("edgelingua check -h")).stdout, /\n +--model NAME /);
    },
    "edgelingua explain": async (command) => {
      const field = command.endsWith("FIELD") ? "chat.logit_bias" : "";
      assert.match((await sh(command.replace(/FIELD$/, field))).stdout, /\(requests of /);
    },
    "edgelingua serve --demo --record": async (command) => {
      const folder = await mkdtemp(join(tmpdir(), "record-"));
      const host = await serve(join(root, "build/edgelingua"), [
        ...command.split(" ").slice(1, -1),
        folder,
        "--addr",
        "127.0.0.1:0",
      ]);
      try {
        await host.printed(/RECORDING: conversations are kept in the clear in/);
        const body = JSON.stringify({
          model: "demo",
          max_tokens: 99,
          messages: [{ role: "user", content: "Hi" }],
        });
        await (
          await fetch(`${host.url}/v1/messages`, { method: "POST", headers: { "x-api-key": "demo" }, body })
        ).json();
      } finally {
        await host.close();
      }
      const [file] = await readdir(folder);
      const { stdout } = await sh(`edgelingua replay ${join(folder, file)}`);
      assert.match(stdout, /You said: Hi/);
      await rm(folder, { recursive: true });
    },
    "go run ./wasmtest smoke": (command) => COMMANDS["edgelingua smoke"](command),
    "EDGELINGUA_KEY=your-client-key": async (command) => {
      const here = command
        .replace("your-client-key", "demo")
        .replace("https://edgelingua.example.workers.dev", demo.url)
        .replace(/--model \S+/, "--model demo");
      const { stdout } = await sh(`${here} --yes`);
      assert.match(stdout, /\n\d+ checks in [\d.]+ s: all is well\n$/);
    },
    "edgelingua smoke --url": async () => {
      assert.match((await sh("edgelingua smoke -h")).stdout, /\n +--url URL /);
    },
    "edgelingua serve": async () => {
      assert.match((await sh("edgelingua serve -h")).stdout, /demo-error-429/);
    },
    "node e2e/bench.mjs": async (command) => {
      const { stdout } = await sh("node e2e/bench.mjs --help");
      for (const flag of command.match(/--[a-z-]+/g) ?? [])
        assert.match(stdout, new RegExp(`\\n {2}${flag} `));
    },
    "node e2e/bench/local.mjs": async () => {
      assert.match((await sh("node e2e/bench/local.mjs --help")).stdout, /--requests N .*\(default 500\)/);
    },
    "node e2e/bench/soak.mjs": async () => {
      assert.match((await sh("node e2e/bench/soak.mjs --help")).stdout, /\n {2}MINUTES .*\(default 10\)/);
    },
    "node e2e/bench/soak_streams.mjs": async () => {
      const { stdout } = await sh("node e2e/bench/soak_streams.mjs --help");
      assert.match(stdout, /\n {2}MINUTES .*\(default 30\)/);
    },
    "node e2e/peers/peers.mjs": async () => {
      assert.match((await sh("node e2e/peers/peers.mjs --help")).stdout, /usage: .*\n\n.*portkey, llms/);
    },
    "npx wrangler tail": async () => {
      assert.match((await sh("cd e2e && npx wrangler tail --help")).stdout, /wrangler tail \[worker\]/);
    },
    "npx wrangler secret put": async () => {
      assert.match(
        (await sh("cd e2e && npx wrangler secret put --help")).stdout,
        /wrangler secret put <key>/,
      );
    },
    "edgelingua version": async (command) => {
      assert.match((await sh(command)).stdout, /^edgelingua .*\nmodule [0-9a-f]{64}, \d+ bytes/);
    },
    "edgelingua deploy": async () => {
      assert.match((await sh("edgelingua deploy -h")).stdout, /\n +--dry-run /);
    },
    "edgelingua serve --secret ADMIN_KEY": async (command) => {
      const folder = await mkdtemp(join(tmpdir(), "team-"));
      const key = join(folder, "ADMIN_KEY");
      await writeFile(key, `${ADMIN_KEY}\n`, { mode: 0o600 });
      await writeFile(join(folder, "SEAL_KEY"), Buffer.alloc(32).toString("base64"), { mode: 0o600 });
      const args = command
        .split(" ")
        .slice(1)
        .map((arg) => (/^[A-Z_]+$/.test(arg) ? `${arg}=@${join(folder, arg)}` : arg))
        .map((arg) => (arg === "data" ? join(folder, "data") : arg));
      const host = await serve(join(root, "build/edgelingua"), [...args, "--addr", "127.0.0.1:0"]);
      try {
        await access(join(folder, "data/edgelingua.sqlite"));
        const list = await fetch(`${host.url}/admin/api/endpoints`, {
          headers: { authorization: `Bearer ${ADMIN_KEY}` },
        });
        assert.equal(list.status, 200, await list.text());
        // the backup of docs/self-hosting.md, with the test's data
        const [backup] = blocks.filter((line) => line.startsWith("sqlite3 "));
        await backUp(backup, folder);
      } finally {
        await host.close();
        await rm(folder, { recursive: true });
      }
    },
    "sqlite3 data/edgelingua.sqlite": () => {}, // with the command above
    "openssl rand -base64 32": async (command) => {
      assert.equal(Buffer.from((await sh(command)).stdout, "base64").length, 32);
    },
    "openssl rand -hex 24 >": (command) => inFolder(command),
    "openssl rand -base64 32 >": (command) => inFolder(command),
    "mkdir -m 700 secrets data": (command) => inFolder(command),
    "edgelingua claude": async (command) => {
      const { stdout } = await sh(`${command.split(" ").slice(0, 2).join(" ")} -h`);
      for (const flag of command.split(" -- ")[0].match(/(?<= --)[a-z-]+/g) ?? [])
        // clients/walkthroughs.test.mjs runs the command
        assert.match(stdout, new RegExp(`\\n +--${flag} `));
    },
    "edgelingua codex": (command) => COMMANDS["edgelingua claude"](command),
    "edgelingua opencode": (command) => COMMANDS["edgelingua claude"](command),
  };

  // nameOf returns the longest name of COMMANDS and NOT_HERE at the beginning of a command.
  const nameOf = (command) =>
    [...Object.keys(COMMANDS), ...Object.keys(NOT_HERE)]
      .filter((name) => `${command} `.startsWith(`${name} `))
      .toSorted((a, b) => b.length - a.length)[0];
  const commands = new Set([...blocks, ...inline]);
  for (const command of commands) {
    const name = nameOf(command);
    if (name in NOT_HERE) continue;
    test(command.slice(0, 60), async (t) => {
      assert.ok(name, `the command is in neither COMMANDS nor NOT_HERE: ${command}`);
      await COMMANDS[name](command, t);
    });
  }

  test("have each command of COMMANDS and NOT_HERE", () => {
    const there = new Set([...commands].map(nameOf));
    assert.deepEqual(
      [...Object.keys(COMMANDS), ...Object.keys(NOT_HERE)].filter((name) => !there.has(name)),
      [],
    );
  });

  test("only lack a run for a reason", () => {
    for (const [name, reason] of Object.entries(NOT_HERE))
      assert.match(
        reason,
        /^(?:an account|a key|Docker|systemd|a shell|time|a release's files|the tests themselves)\b/,
        name,
      );
  });
});
