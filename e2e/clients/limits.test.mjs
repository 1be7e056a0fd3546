// The limits of models, as the real clients see them: `edgelingua claude` and `edgelingua codex`
// with an upstream whose list of models has a context window, and Claude Code's discovery of models.
// Gemini CLI requests no list: its window is a constant for each of Gemini's models.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { textStream } from "../lib/chat.mjs";
import { clients, lacking, program } from "../lib/clis.mjs";
import { test } from "../lib/fixture.mjs";
import { hostProgram, TARGET } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { ended } from "../lib/waiting.mjs";

const WINDOW = 131072;
const list = {
  object: "list",
  data: [
    { id: "qwen3:8b", object: "model", created: 1, owned_by: "v", context_length: WINDOW },
    { id: "anthropic/claude-next", object: "model", created: 1, owned_by: "v", name: "Claude Next" },
    { id: "gpt-5.5", object: "model", created: 1, owned_by: "v" },
  ],
};

// run launches a client with an upstream, and resolves with the output, the requests and home.
async function run(name, bin, flags, args, use) {
  const home = await mkdtemp(join(tmpdir(), "limits-"));
  const up = await upstream();
  try {
    await mkdir(join(home, ".codex"));
    up.serve((x) => (x.method === "GET" ? x.answer(200, list) : x.stream(textStream("It is done."))));
    const child = spawn(await hostProgram(), [name, ...flags(new URL(up.url)), "--", ...args], {
      cwd: home,
      env: {
        PATH: `${join(program(bin), "..")}:${process.env.PATH}`,
        HOME: home,
        CI: "true",
        DISABLE_AUTOUPDATER: "1",
        HTTP_PROXY: "http://127.0.0.1:9",
        HTTPS_PROXY: "http://127.0.0.1:9",
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const { code, printed } = await ended(child);
    assert.equal(code, 0, printed);
    await use({ printed, home, requests: up.requests });
  } finally {
    await up.close();
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

const client = (name) => clients.find((c) => c.name === name);
const skip = (name) => ({
  skip: (TARGET !== "wazero" && "the local host alone runs clients") || lacking(client(name)),
});
const ollama = ({ host }) => ["--upstream", "ollama", "--model", "qwen3:8b", "--connect", host];

test("Claude Code uses the model's window", skip("Claude Code"), () =>
  run("claude", "claude", ollama, ["--print", "--output-format", "json", "Do it."], ({ printed }) => {
    const [, window] = /"contextWindow":(\d+)/.exec(printed) ?? [];
    assert.equal(Number(window), WINDOW, printed);
  }),
);

test("Codex uses the model's window", skip("Codex"), () =>
  run(
    "codex",
    "codex",
    ollama,
    ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "Do it."],
    async ({ home }) => {
      const sessions = join(home, ".codex/sessions");
      const files = (await readdir(sessions, { recursive: true })).filter((f) => f.endsWith(".jsonl"));
      const text = await readFile(join(sessions, files[0]), "utf8");
      const [, window] = /"model_context_window":(\d+)/.exec(text);
      assert.equal(Number(window), Math.floor(WINDOW * 0.95)); // Codex leaves 5 % unused
    },
  ),
);

test("Claude Code discovers the upstream's models", skip("Claude Code"), () =>
  run(
    "claude",
    "claude",
    ({ host }) => [
      ...["--var", "UPSTREAM_PROTOCOL=chat", "--var", `UPSTREAM_URL=http://${host}/v1`],
      ...["--var", 'MODELS={"claude-opus*":"qwen3:8b","claude-*":"qwen3:8b"}'],
    ],
    ["--print", "--output-format", "json", "Do it."],
    async ({ home, requests }) => {
      const cached = JSON.parse(await readFile(join(home, ".claude/cache/gateway-models.json"), "utf8"));
      assert.deepEqual(cached.models, [{ id: "anthropic/claude-next", display_name: "Claude Next" }]);
      assert.ok(requests.some(({ method }) => method === "GET"));
    },
  ),
);
