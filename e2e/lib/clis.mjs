// The command-line clients of e2e/clients: their configuration for edgelingua, and runs without
// access to anything but loopback.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLIENT_KEY } from "./client.mjs";
import { PATIENCE, ended } from "./waiting.mjs";

const packages = fileURLToPath(new URL("../clients/", import.meta.url));
// program returns the path of a client's program.
export const program = (name) => join(packages, "node_modules/.bin", name);
// The launchers of Grok Build and Copilot CLI unpack their programs into these folders, once for
// all runs.
const grokHome = join(packages, "node_modules/.grok");
const copilotCache = join(packages, "node_modules/.copilot");
// The minimum size of Claude Code's program, in bytes. A smaller file is npm's placeholder, which
// the package's own script replaces by the program.
const STUB = 1 << 20;

// versions has the versions in e2e/clients/package.json, by package.
export const versions = JSON.parse(await readFile(join(packages, "package.json"), "utf8")).dependencies;

const prompt = (marker) => `Do the task ${marker}.`;

// The functions below return a client's configuration for a worker's URL and for a task's marker.
// files and links are in the client's home, env has the client's variables, and args its arguments.
const codexConfig = {
  "own provider": (url, more) => `model_provider = "edgelingua"
${more}
[model_providers.edgelingua]
name = "edgelingua"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "EDGELINGUA_KEY"
`,
  openai: (url, more) => `openai_base_url = "${url}/v1"\n${more}`,
};
const codex =
  ({ provider = "own provider", top = "", more = "" } = {}) =>
  (url, marker) => ({
    files: {
      ".codex/config.toml": `model = "gpt-5.5"
check_for_update_on_startup = false
analytics.enabled = false
${codexConfig[provider](url, top)}${more}`,
    },
    env: { EDGELINGUA_KEY: CLIENT_KEY, CODEX_API_KEY: CLIENT_KEY },
    args: ["exec", "--skip-git-repo-check", "--json", "--sandbox", "danger-full-access", prompt(marker)],
  });

const grok = (backend) => (url, marker) => ({
  files: {
    ".grok/config.toml": `[model.edgelingua]
model = "claude-opus-5-5"
base_url = "${url}/v1"
api_key = "${CLIENT_KEY}"
api_backend = "${backend}"
context_window = 200000
`,
  },
  links: { ".grok/bin": join(grokHome, "bin") },
  // the summary of a turn would be cut off by the end of the client
  env: { GROK_DISABLE_AUTOUPDATER: "1", GROK_TELEMETRY_ENABLED: "0", GROK_TURN_SUMMARY: "0" },
  args: ["--model", "edgelingua", "--output-format", "json", "--always-approve", "--single", prompt(marker)],
});

const copilot = (provider) => (url, marker) => ({
  files: {},
  env: {
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
    COPILOT_CACHE_HOME: copilotCache,
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: CLIENT_KEY,
    COPILOT_MODEL: "gpt-5.5",
    ...provider(url),
  },
  args: ["--prompt", prompt(marker), "--allow-all-tools", "--no-color"],
});

const claude =
  (more = {}) =>
  (url, marker) => ({
    files: {},
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: CLIENT_KEY,
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ...more,
    },
    args: [
      "--print",
      "--output-format",
      "json",
      "--model",
      "claude-opus-5-5",
      "--allowed-tools",
      "Bash,WebSearch,WebFetch",
      "--",
      prompt(marker),
    ],
  });

// gemini-cli 0.61 reads the kind of login only from a file: with GOOGLE_GEMINI_BASE_URL but without
// the file, gemini-cli chooses a kind and then refuses the kind.
const gemini = (url, marker) => ({
  files: {
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      model: { name: "claude-opus-5-5" },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  },
  env: { GEMINI_API_KEY: CLIENT_KEY, GOOGLE_GEMINI_BASE_URL: url },
  args: ["--yolo", "--skip-trust", "--output-format", "json", "--prompt", prompt(marker)],
});

// Each client's tool for shell commands: the name, the argument for the command, and other required
// arguments.
const exec = { name: "exec_command", argument: "cmd" };
const terminal = { name: "run_terminal_command", argument: "command", description: "Runs it." };
const bash = { ...terminal, name: "bash" };
const geminiShell = { ...terminal, name: "run_shell_command" };
const claudeBash = { ...terminal, name: "Bash" };

// compacting makes Codex summarize a conversation longer than the limit.
export const COMPACT_LIMIT = 20_000;
const compacting = `model_auto_compact_token_limit = ${COMPACT_LIMIT}\n`;

// translated has OPTIONS for translating requests even if both sides have the same API. The schema
// of Grok Build's tool use_tool has a oneOf at its root, which OpenAI refuses; Copilot CLI offers a
// GPT model a tool of the type custom, which only OpenAI knows.
const translated = '{"strict":"off"}';

// clients has all clients, with their ways of using edgelingua: the API, the tested feature
// (suite), and the configuration (setUp). sameAPI has OPTIONS for an upstream of the same API. A
// client with forgets does not send back unreadable reasoning.
export const clients = [
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    bin: "claude",
    ways: [{ protocol: "anthropic", suite: "tools", tool: claudeBash, setUp: claude() }],
  },
  {
    name: "Codex",
    package: "@openai/codex",
    bin: "codex",
    ways: [
      { protocol: "responses", suite: "tools", tool: exec, setUp: codex() },
      {
        protocol: "responses",
        suite: "tools, by WebSocket",
        socket: true,
        tool: exec,
        setUp: codex({ more: "supports_websockets = true\n" }),
      },
      {
        protocol: "responses",
        suite: "compaction by Codex",
        compacts: true,
        tool: exec,
        setUp: codex({ top: compacting }),
      },
      {
        protocol: "responses",
        suite: "compaction by the server",
        compacts: true,
        socket: true,
        tool: exec,
        setUp: codex({ provider: "openai", top: compacting }),
      },
    ],
  },
  {
    name: "Gemini CLI",
    package: "@google/gemini-cli",
    bin: "gemini",
    ways: [
      {
        protocol: "gemini",
        suite: "tools",
        tool: geminiShell,
        setUp: gemini,
        command: (n) => `expr 6 '*' 7 | sed s/$/-${n}/`,
      },
    ], // the client's shell refuses $(
  },
  {
    name: "Grok Build",
    package: "@xai-official/grok",
    bin: "grok",
    ways: [
      { protocol: "anthropic", suite: "tools", tool: terminal, setUp: grok("messages") },
      {
        protocol: "chat",
        suite: "tools",
        tool: terminal,
        setUp: grok("chat_completions"),
        sameAPI: translated,
        forgets: true,
      },
      {
        protocol: "responses",
        suite: "tools",
        tool: terminal,
        setUp: grok("responses"),
        sameAPI: translated,
      },
    ],
  },
  {
    name: "Copilot CLI",
    package: "@github/copilot",
    bin: "copilot",
    ways: [
      {
        protocol: "anthropic",
        suite: "tools",
        tool: bash,
        setUp: copilot((url) => ({
          COPILOT_PROVIDER_TYPE: "anthropic",
          COPILOT_PROVIDER_BASE_URL: url,
          COPILOT_MODEL: "claude-opus-5-5",
        })),
      },
      {
        protocol: "chat",
        suite: "tools",
        tool: bash,
        setUp: copilot(() => ({ COPILOT_PROVIDER_WIRE_API: "completions" })),
        sameAPI: translated,
      },
      {
        protocol: "responses",
        suite: "tools",
        tool: bash,
        setUp: copilot(() => ({ COPILOT_PROVIDER_WIRE_API: "responses" })),
      },
      {
        protocol: "responses",
        suite: "tools, by WebSocket",
        socket: true,
        tool: bash,
        setUp: copilot(() => ({
          COPILOT_PROVIDER_WIRE_API: "responses",
          COPILOT_PROVIDER_TRANSPORT: "websockets",
        })),
      },
    ],
  },
];

// lacking says why a client can't be run, or nothing.
export function lacking({ bin }) {
  if (!existsSync(program(bin)))
    return "npm has not installed it: npm install --prefix e2e/clients --no-save --ignore-scripts";
}

// unpack makes the installed clients ready to run. build.sh calls unpack first, because the tests
// of two runtimes would otherwise unpack at the same time.
export async function unpack() {
  const { PATH } = process.env;
  const version = (name, env) =>
    promisify(execFile)(program(name), ["--version"], { env: { PATH, HOME: packages, ...env } });
  await Promise.all([
    existsSync(program("claude")) &&
      (await stat(program("claude"))).size < STUB &&
      promisify(execFile)(process.execPath, ["install.cjs"], {
        cwd: join(packages, "node_modules/@anthropic-ai/claude-code"),
      }),
    existsSync(program("grok")) && version("grok", { GROK_HOME: grokHome }),
    existsSync(program("copilot")) && version("copilot", { COPILOT_CACHE_HOME: copilotCache }),
  ]);
}

// run runs a client once, in a new home and a new folder, and resolves with the exit code and the
// output. Every request beyond loopback fails: the proxy's port refuses connections. When run
// resolves, all processes of the client have ended.
export async function run({ bin }, { setUp }, url, marker) {
  const home = await mkdtemp(join(tmpdir(), "cli-"));
  const work = join(home, "work");
  const nobody = "http://127.0.0.1:9";
  const { files, links = {}, env, args } = setUp(url, marker);
  try {
    await mkdir(work);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text);
    }
    for (const [name, at] of Object.entries(links)) await symlink(at, join(home, name));
    const child = spawn(program(bin), args, {
      cwd: work,
      detached: true, // a new process group, for ending the child processes too
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: home,
        CI: "true",
        HTTP_PROXY: nobody,
        HTTPS_PROXY: nobody,
        ALL_PROXY: nobody,
        NO_PROXY: "127.0.0.1",
        DISABLE_TELEMETRY: "1",
        ...env,
      },
    });
    const kill = () => {
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {} // all processes have ended
    };
    process.on("exit", kill);
    const timer = setTimeout(kill, PATIENCE);
    const over = ended(child);
    await once(child, "exit");
    clearTimeout(timer);
    kill(); // child processes of the client may keep its outputs open
    const { code, printed } = await over;
    process.off("exit", kill);
    return { code, printed };
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}
