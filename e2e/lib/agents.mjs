// The coding agents of neither a vendor of models nor GitHub, and the Claude Agent SDK: their
// configuration for edgelingua. As in clis.mjs, each function below returns the configuration for a
// worker's URL and for the text of a task.
import { CLIENT_KEY } from "./client.mjs";

const MODEL = "claude-opus-5-5";

// base returns the URL with the API's version, which the AI SDK needs for every API.
const base = (protocol, url) => `${url}/${protocol === "gemini" ? "v1beta" : "v1"}`;

// Qwen Code sends its telemetry to Alibaba unless usageStatisticsEnabled is off.
const qwen = (type, env) => (url, prompt) => ({
  files: {
    ".qwen/settings.json": JSON.stringify({
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
      // Without a terminal Qwen Code 0.24 takes the exit of a command for the end of its output.
      tools: { shell: { enableInteractiveShell: true } },
    }),
  },
  env: env(url),
  args: ["--auth-type", type, "--model", MODEL, "--yolo", "--output-format", "json", "--prompt", prompt],
});

const continued = (provider, protocol) => (url, prompt) => ({
  files: {
    "config.yaml": `name: edgelingua
version: 1.0.0
schema: v1
models:
  - name: edgelingua
    provider: ${provider}
    model: ${MODEL}
    apiBase: ${base(protocol, url)}/
    apiKey: ${CLIENT_KEY}
    roles: [chat]
    capabilities: [tool_use, image_input]
`,
  },
  // Continue hands apiBase to no stream of Google's SDK.
  env: { CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_CLI_ENABLE_TELEMETRY: "0", GOOGLE_GEMINI_BASE_URL: url },
  args: ["--config", "../config.yaml", "--auto", "--print", prompt],
});

const pi = (api, address, compat) => (url, prompt) => ({
  files: {
    ".pi/agent/models.json": JSON.stringify({
      providers: {
        edgelingua: {
          baseUrl: address(url),
          api,
          apiKey: CLIENT_KEY,
          models: [{ id: MODEL, reasoning: true, input: ["text", "image"], compat }],
        },
      },
    }),
  },
  env: { PI_OFFLINE: "1" },
  args: ["--offline", "--model", `edgelingua/${MODEL}`, "--thinking", "low", "--print", prompt],
});

const opencode = (npm, protocol) => (url, prompt) => ({
  files: {
    "work/opencode.json": JSON.stringify({
      model: `edgelingua/${MODEL}`,
      small_model: `edgelingua/${MODEL}`,
      autoupdate: false,
      share: "disabled",
      provider: {
        edgelingua: {
          npm,
          name: "edgelingua",
          options: { baseURL: base(protocol, url), apiKey: CLIENT_KEY },
          models: {
            [MODEL]: {
              name: MODEL,
              reasoning: true,
              attachment: true,
              modalities: { input: ["text", "image"], output: ["text"] },
            },
          },
        },
      },
    }),
  },
  env: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_AUTOUPDATE: "1" },
  args: ["run", "--auto", prompt],
});

const cline =
  (provider, protocol, model = MODEL) =>
  (url, prompt) => ({
    files: {
      ".cline/data/settings/providers.json": JSON.stringify({
        version: 1,
        lastUsedProvider: provider,
        modes: {},
        providers: {
          [provider]: {
            settings: { provider, apiKey: CLIENT_KEY, model, baseUrl: base(protocol, url) },
            updatedAt: "2026-11-01T00:00:00.000Z",
            tokenSource: "manual",
          },
        },
      }),
    },
    // Without this backend a daemon runs the session, and outlives the client.
    env: { CLINE_SESSION_BACKEND_MODE: "local", CLINE_NO_AUTO_UPDATE: "1" },
    args: ["--provider", provider, "--model", model, "--auto-approve", "true", "--json", prompt],
  });

const sdk = (url, prompt) => ({
  files: {},
  env: {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: CLIENT_KEY,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  },
  args: [MODEL, prompt],
});

// translated has OPTIONS for translating requests even if both sides have the same API. The schema
// of Grok Build's tool use_tool has a oneOf at its root, which OpenAI refuses, and Grok Build forces
// a tool for the title of a session, which Claude Opus 5.5 refuses. Copilot CLI offers a GPT model a
// tool of the type custom, which only OpenAI knows. Qwen Code and pi return reasoning_content, as
// Cline does, pi sends store, and opencode marks messages of Claude with cache_control: not every
// server with Chat Completions accepts these. Cline's tools at Responses lack strict, which the
// double requires. Gemini CLI puts a picture beside a result, not into the result, unless the model
// has the name of a Gemini 3.
export const translated = '{"strict":"off"}';

// way returns a way of using edgelingua: the API, the client's tool, and the configuration. With a
// tool for pictures, the task has a picture too.
const way = (protocol, { picture, ...tool }, setUp, more) => ({
  protocol,
  suite: picture ? "tools, a picture" : "tools",
  tool,
  picture,
  setUp,
  ...more,
});

const shell = (name, argument, more) => ({ name, argument, ...more });
// picture is a tool that shows a picture. bytes begin the picture in a request, in base64, if the
// client does not send the file's own.
const picture = (name, argument, bytes) => ({ picture: { name, argument, bytes } });
const qwenShell = shell("run_shell_command", "command", {
  is_background: false,
  ...picture("read_file", "file_path", "/9j/"), // as a JPEG
});
const openShell = shell("bash", "command", { description: "Runs it.", ...picture("read", "filePath") });
const piShell = shell("bash", "command", picture("read", "path"));
const continueShell = shell("Bash", "command");
const clineShell = shell("run_commands", "commands", picture("read_files", "files"));

export const agents = [
  {
    name: "Claude Agent SDK",
    package: "@anthropic-ai/claude-agent-sdk",
    script: "agent.mjs",
    full: true,
    ways: [way("anthropic", shell("mcp__shell__run", "command"), sdk)],
  },
  {
    name: "Qwen Code",
    package: "@qwen-code/qwen-code",
    bin: "qwen",
    ways: [
      way(
        "anthropic",
        qwenShell,
        qwen("anthropic", (url) => ({
          ANTHROPIC_API_KEY: CLIENT_KEY,
          ANTHROPIC_BASE_URL: url,
          ANTHROPIC_MODEL: MODEL,
        })),
      ),
      way(
        "chat",
        qwenShell,
        qwen("openai", (url) => ({
          OPENAI_API_KEY: CLIENT_KEY,
          OPENAI_BASE_URL: `${url}/v1`,
          OPENAI_MODEL: MODEL,
        })),
        { sameAPI: translated, forgets: true, full: true },
      ),
      way(
        "gemini",
        qwenShell,
        qwen("gemini", (url) => ({
          GEMINI_API_KEY: CLIENT_KEY,
          GEMINI_MODEL: MODEL,
          GOOGLE_GEMINI_BASE_URL: url,
        })),
        { full: true },
      ),
    ],
  },
  {
    name: "Continue",
    package: "@continuedev/cli",
    bin: "cn",
    ways: [
      way("anthropic", continueShell, continued("anthropic", "anthropic"), { forgets: true, full: true }),
      way("chat", continueShell, continued("openai", "chat"), { forgets: true }),
      way("gemini", continueShell, continued("gemini", "gemini"), { full: true }),
    ],
  },
  {
    name: "pi",
    package: "@earendil-works/pi-coding-agent",
    bin: "pi",
    full: true,
    ways: [
      way(
        "anthropic",
        piShell,
        pi("anthropic-messages", (url) => url, { forceAdaptiveThinking: true }),
      ),
      way(
        "chat",
        piShell,
        pi("openai-completions", (url) => `${url}/v1`),
        { sameAPI: translated },
      ),
      way(
        "responses",
        piShell,
        pi("openai-responses", (url) => `${url}/v1`, { supportsStrictMode: true }),
      ),
      way(
        "gemini",
        piShell,
        pi("google-generative-ai", (url) => `${url}/v1beta`),
      ),
    ],
  },
  {
    name: "opencode",
    package: "opencode-ai",
    bin: "opencode",
    full: true,
    place: "postinstall.mjs",
    ways: [
      way("anthropic", openShell, opencode("@ai-sdk/anthropic", "anthropic")),
      way("chat", openShell, opencode("@ai-sdk/openai-compatible", "chat"), {
        sameAPI: translated,
        forgets: true,
      }),
      way("responses", openShell, opencode("@ai-sdk/openai", "responses")),
      way("gemini", openShell, opencode("@ai-sdk/google", "gemini")),
    ],
  },
  {
    name: "Cline",
    package: "cline",
    bin: "cline",
    full: true,
    ways: [
      way("anthropic", clineShell, cline("anthropic", "anthropic"), { forgets: true }),
      way("chat", clineShell, cline("openai-compatible", "chat"), { sameAPI: translated, forgets: true }),
      way("responses", clineShell, cline("openai-native", "responses", "gpt-5.5"), {
        sameAPI: translated,
        forgets: true,
      }),
      way("gemini", clineShell, cline("gemini", "gemini", "gemini-3.1-pro-preview")),
    ],
  },
];
