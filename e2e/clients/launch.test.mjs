// edgelingua codex with the real Codex, while Codex's settings name another server: from the
// command line to an upstream of another protocol, and back with a tool that Codex runs.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clients, lacking, program } from "../lib/clis.mjs";
import { test } from "../lib/fixture.mjs";
import { hostProgram, TARGET } from "../lib/target.mjs";
import { upstream } from "../lib/upstream.mjs";
import { vendor } from "../lib/vendor.mjs";
import { ended } from "../lib/waiting.mjs";

const codex = clients.find(({ name }) => name === "Codex");
const elsewhere =
  'model = "gpt-9"\nmodel_provider = "other"\ncheck_for_update_on_startup = false\nanalytics.enabled = false\n[model_providers.other]\nname = "other"\nbase_url = "http://127.0.0.1:9/v1"\nwire_api = "responses"\n';
const usage = { input: 1100, cached: 0, output: 7 };

test(
  "Codex runs a command",
  { skip: (TARGET !== "wazero" && "the local host alone runs clients") || lacking(codex) },
  async () => {
    const home = await mkdtemp(join(tmpdir(), "launch-"));
    const up = await upstream();
    try {
      await mkdir(join(home, ".codex"));
      await writeFile(join(home, ".codex/config.toml"), elsewhere);
      const { asked, left } = vendor(up, "chat", [
        {
          text: "One moment.",
          calls: [
            {
              id: "call_1",
              name: "exec_command",
              input: { cmd: "echo $((6*7))-$OPENAI_API_KEY$EDGELINGUA_SET_UPSTREAM_KEY-" },
            },
          ],
          usage,
        },
        { text: "It printed something.", calls: [], usage },
      ]);
      const flags = ["--upstream", "ollama", "--model", "qwen3:8b", "--connect", new URL(up.url).host];
      const args = ["exec", "--skip-git-repo-check", "--sandbox", "danger-full-access", "Do it."];
      const child = spawn(await hostProgram(), ["codex", ...flags, "--", ...args], {
        cwd: home,
        env: {
          PATH: `${join(program("codex"), "..")}:${process.env.PATH}`,
          HOME: home,
          CI: "true",
          HTTP_PROXY: "http://127.0.0.1:9",
          HTTPS_PROXY: "http://127.0.0.1:9",
          OPENAI_API_KEY: "sk-of-a-vendor",
          EDGELINGUA_SET_UPSTREAM_KEY: "sk-of-an-upstream",
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { code, printed } = await ended(child);
      assert.equal(code, 0, printed);
      assert.match(printed, /It printed something\./);
      assert.equal(left.length, 0);
      assert.deepEqual(
        asked.map(({ model }) => model),
        ["qwen3:8b", "qwen3:8b"],
      );
      assert.match(asked[1].messages.at(-1).content, /\b42--/, "the command has neither key");
      assert.doesNotMatch(JSON.stringify(asked), /sk-of-a/);
    } finally {
      await up.close();
      await rm(home, { recursive: true, force: true, maxRetries: 3 });
    }
  },
);
