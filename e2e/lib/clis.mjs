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
import { agents, translated } from "./agents.mjs";
import { CLIENT_KEY } from "./client.mjs";
import { PATIENCE, ended } from "./waiting.mjs";

const packages = fileURLToPath(new URL("../clients/", import.meta.url));
// The clients that only ./build.sh test --full runs, because npm needs minutes for them.
const heavy = join(packages, "full");
// program returns the path of a client's program, by name.
export const program = (name) => join(packages, "node_modules/.bin", name);
// folderOf returns the folder whose package.json has a client.
const folderOf = ({ full }) => (full ? heavy : packages);
// programOf returns the path of a client's program. An SDK has a script instead of a program.
const programOf = (client) =>
  client.script
    ? join(folderOf(client), client.script)
    : join(folderOf(client), "node_modules/.bin", client.bin);
// The launchers of Grok Build and Copilot CLI unpack their programs into these folders, once for
// all runs.
const grokHome = join(packages, "node_modules/.grok");
const copilotCache = join(packages, "node_modules/.copilot");
// The minimum size of a client's program, in bytes, if npm installs a placeholder. A smaller file is
// the placeholder, which the package's own script (place) replaces by the program.
const STUB = 1 << 20;

// versions has the versions in the package.json of both folders, by package.
export const versions = Object.assign(
  {},
  ...(await Promise.all(
    [packages, heavy].map(
      async (folder) => JSON.parse(await readFile(join(folder, "package.json"), "utf8")).dependencies,
    ),
  )),
);

// PICTURE is a screenshot, of a size that clients do not shrink.
export const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAUElEQVR42u3PQQkAAAgEsItiBPunMJIRfAuDFVim67UICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICFwWpBwBD0qxT8sAAAAASUVORK5CYII=",
  "base64",
);

// The functions below return a client's configuration for a worker's URL and for the text of a task.
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
  (url, prompt) => ({
    files: {
      ".codex/config.toml": `model = "gpt-5.5"
check_for_update_on_startup = false
analytics.enabled = false
${codexConfig[provider](url, top)}${more}`,
    },
    env: { EDGELINGUA_KEY: CLIENT_KEY, CODEX_API_KEY: CLIENT_KEY },
    args: ["exec", "--skip-git-repo-check", "--json", "--sandbox", "danger-full-access", prompt],
  });

const grok = (backend) => (url, prompt) => ({
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
  args: ["--model", "edgelingua", "--output-format", "json", "--always-approve", "--single", prompt],
});

const copilot = (provider) => (url, prompt) => ({
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
  args: ["--prompt", prompt, "--allow-all-tools", "--no-color"],
});

const claude =
  (more = {}) =>
  (url, prompt) => ({
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
      prompt,
    ],
  });

// gemini-cli 0.61 reads the kind of login only from a file: with GOOGLE_GEMINI_BASE_URL but without
// the file, gemini-cli chooses a kind and then refuses the kind.
const gemini = (url, prompt) => ({
  files: {
    ".gemini/settings.json": JSON.stringify({
      security: { auth: { selectedType: "gemini-api-key" } },
      model: { name: "claude-opus-5-5" },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  },
  env: { GEMINI_API_KEY: CLIENT_KEY, GOOGLE_GEMINI_BASE_URL: url },
  args: ["--yolo", "--skip-trust", "--output-format", "json", "--prompt", prompt],
});

// Each client's tool for shell commands: the name, the argument for the command, and other required
// arguments.
const exec = { name: "exec_command", argument: "cmd" };
const terminal = { name: "run_terminal_command", argument: "command", description: "Runs it." };
const bash = { ...terminal, name: "bash" };
const geminiShell = { ...terminal, name: "run_shell_command" };
const claudeBash = { ...terminal, name: "Bash" };

// Each client's tool that shows a picture to the model.
const picture = (name, argument) => ({ name, argument });

// compacting makes Codex summarize a conversation longer than the limit.
export const COMPACT_LIMIT = 20_000;
const compacting = `model_auto_compact_token_limit = ${COMPACT_LIMIT}\n`;

// clients has all clients, with their ways of using edgelingua: the API, the tested feature
// (suite), and the configuration (setUp). sameAPI has OPTIONS for an upstream of the same API. A
// client with forgets does not send back unreadable reasoning. A client or a way with full runs only
// with ./build.sh test --full.
export const clients = [
  {
    name: "Claude Code",
    package: "@anthropic-ai/claude-code",
    bin: "claude",
    place: "install.cjs",
    ways: [
      {
        protocol: "anthropic",
        suite: "tools, a picture",
        tool: claudeBash,
        picture: picture("Read", "file_path"),
        setUp: claude(),
      },
    ],
  },
  {
    name: "Codex",
    package: "@openai/codex",
    bin: "codex",
    ways: [
      {
        protocol: "responses",
        suite: "tools, a picture",
        tool: exec,
        picture: picture("view_image", "path"),
        setUp: codex(),
      },
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
        suite: "tools, a picture",
        tool: geminiShell,
        picture: picture("read_file", "file_path"),
        sameAPI: translated,
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
      {
        protocol: "anthropic",
        suite: "tools",
        tool: terminal,
        setUp: grok("messages"),
        sameAPI: translated,
      },
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
  ...agents,
];

// lacking says why a client can't be run, or nothing.
export function lacking(client) {
  if (existsSync(join(folderOf(client), "node_modules", client.package))) return;
  const folder = client.full ? "e2e/clients/full" : "e2e/clients";
  return `npm has not installed it: npm install --prefix ${folder} --no-save --ignore-scripts`;
}

// unpack makes the installed clients ready to run. build.sh calls unpack first, because the tests
// of two runtimes would otherwise unpack at the same time.
export async function unpack() {
  const { PATH } = process.env;
  const version = (name, env) =>
    promisify(execFile)(program(name), ["--version"], { env: { PATH, HOME: packages, ...env } });
  const place = async (client) =>
    (await stat(programOf(client))).size < STUB &&
    promisify(execFile)(process.execPath, [client.place], {
      cwd: join(folderOf(client), "node_modules", client.package),
    });
  await Promise.all([
    ...clients.filter((client) => client.place && !lacking(client)).map(place),
    existsSync(program("grok")) && version("grok", { GROK_HOME: grokHome }),
    existsSync(program("copilot")) && version("copilot", { COPILOT_CACHE_HOME: copilotCache }),
  ]);
}

// run runs a client once, in a new home and a new folder, and resolves with the exit code and the
// output. Every request beyond loopback fails: the proxy's port refuses connections. When run
// resolves, all processes of the client have ended.
export async function run(client, { setUp, picture }, url, marker) {
  const home = await mkdtemp(join(tmpdir(), "cli-"));
  const work = join(home, "work");
  const nobody = "http://127.0.0.1:9";
  const shown = picture ? ` The picture is ${join(work, "shot.png")}.` : "";
  const { files, links = {}, env, args } = setUp(url, `Do the task ${marker}.${shown}`);
  try {
    await mkdir(work);
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text);
    }
    if (picture) await writeFile(join(work, "shot.png"), PICTURE);
    for (const [name, at] of Object.entries(links)) await symlink(at, join(home, name));
    const child = spawn(programOf(client), args, {
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
    await rm(home, { recursive: true, force: true, maxRetries: 20 });
  }
}
