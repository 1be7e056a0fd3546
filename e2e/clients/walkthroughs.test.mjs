// The documented ways to set a client up, run as documented: each on a port of its own, with a
// strict upstream without TLS instead of the vendor. docs/clients.md and docs/upstreams.md must
// show what the page shows.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe } from "node:test";
import { promisify } from "node:util";
import { presets } from "../../worker/page/operator/presets.mjs";
import { settingsFor } from "../../worker/page/lib/settings.mjs";
import { CLIENT_KEY } from "../lib/client.mjs";
import { documents } from "../lib/documents.mjs";
import { test } from "../lib/fixture.mjs";
import { session } from "../lib/session.mjs";
import { hostProgram, start, startRun } from "../lib/target.mjs";
import { openai } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { vendor } from "../lib/vendor.mjs";

const texts = await documents();
const PLACEHOLDER = "a-key-of-yours";

// section returns the text under a heading of a document.
const section = (title, path = "README.md") =>
  texts[path].split(/^## /m).find((part) => part.startsWith(`${title}\n`));

// block returns the first matching code block in a language.
const block = (text, language, pattern) =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))]
    .map(([, code]) => code.trim())
    .find((code) => pattern.test(code));

// words splits a command into words by the rules of a shell.
const words = async (command) =>
  (await promisify(execFile)("bash", ["-c", `printf '%s\\0' ${command}`])).stdout.split("\0").slice(0, -1);

// typed writes the answer for each --secret NAME into a file, because there is no terminal for
// typing. It resolves with arguments that read the files of a folder.
async function typed(args, answers, folder) {
  const names = args.flatMap((arg, i) => (args[i - 1] === "--secret" ? [arg] : []));
  assert.deepEqual(names, Object.keys(answers));
  for (const name of names) await writeFile(join(folder, name), `${answers[name]}\n`, { mode: 0o600 });
  return args.map((arg) => (names.includes(arg) ? `${arg}=@${join(folder, arg)}` : arg));
}

// served runs the serving command of a section, with an upstream that replaces host.
function served(text) {
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    f.folder = await mkdtemp(join(tmpdir(), "served-"));
    const [, , ...args] = await words(block(text, "sh", /^\.\/build\.sh run /));
    target = await startRun(
      (await typed(args, { UPSTREAM_KEY: "sk-ant-0123456789abcdef", CLIENT_KEY }, f.folder)).map(plain),
      f.up,
    );
    f.url = target.url;
  });
  after(async () => {
    await target?.close();
    await f.up?.close();
    await rm(f.folder, { recursive: true });
  });
  return f;
}

// launched runs the command of a section that starts a client. An upstream replaces the server of a
// preset. The client is a program that prints its arguments and variables, and ends with its input.
function launched(text, client) {
  const f = {};
  let child, exited;
  before(async () => {
    f.up = await upstream();
    f.up.serve((x) => x.answer(404, { error: { message: "no list of models" } })); // before the client starts
    f.folder = await mkdtemp(join(tmpdir(), "launched-"));
    await writeFile(
      join(f.folder, client),
      `#!${process.execPath}\nconsole.log(JSON.stringify({ args: process.argv.slice(2), env: process.env })); process.stdin.resume();\n`,
      { mode: 0o700 },
    );
    const [, name, ...args] = await words(block(text, "sh", /^edgelingua /));
    assert.equal(name, client);
    const { url } = presets.find(({ id }) => id === args[args.indexOf("--upstream") + 1]);
    const more = ["--connect", new URL(f.up.url).host, "--var", `UPSTREAM_URL=${plain(url)}`];
    child = spawn(
      await hostProgram(),
      [name, ...(await typed(args, { UPSTREAM_KEY: "sk-0123456789abcdef" }, f.folder)), ...more],
      {
        cwd: f.folder,
        env: { PATH: f.folder, HOME: f.folder },
        stdio: ["pipe", "pipe", "inherit"],
      },
    );
    exited = once(child, "exit");
    const ended = exited.then(([code]) => assert.fail(`it ended with ${code}`));
    const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended]);
    Object.assign(f, JSON.parse(line));
  });
  after(async () => {
    child?.stdin.end();
    if (child) assert.deepEqual(await exited, [0, null]);
    await f.up?.close();
    await rm(f.folder, { recursive: true });
  });
  return f;
}

// plain makes URLs http, because the upstream on loopback has no certificate.
const plain = (text) => text.replace("https://", "http://");

const usage = { input: 11, cached: 0, output: 7 };
const said = (text) => ({ text, calls: [], usage });
const calling = (name, input) => ({ text: "One moment.", calls: [{ id: "call_1", name, input }], usage });

describe("Claude Code on any model", () => {
  const f = launched(section("Claude Code on any model"), "claude");

  test("a session", async () => {
    const { ANTHROPIC_BASE_URL: url, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: model } = f.env;
    assert.equal(model, "openai/gpt-oss-120b");
    const { asked, left } = vendor(f.up, "chat", [calling("Bash", { command: "ls" }), said("Two files.")]);
    const steps = {
      client: "claude code",
      version: "of an unknown model",
      urls: [url],
      key,
      results: { ls: "Bash ran ls" },
    };
    assert.deepEqual((await session({ ...steps, say: ["What is here?"] })).said, ["Two files."]);
    assert.equal(left.length, 0);
    assert.deepEqual(
      asked.map(({ model }) => model),
      [model, model],
    );
    assert.match(JSON.stringify(asked[1]), /Bash ran ls/);
  });
});

// codexSession runs Codex with Claude as its model, through a server at url with a key.
async function codexSession(f, url, key, model) {
  const { asked, left } = vendor(f.up, "anthropic", [
    calling("exec_command", { cmd: "ls" }),
    said("Two files."),
  ]);
  const steps = { client: "codex", version: "gpt-5.5", urls: [url], key, more: { model } };
  assert.deepEqual((await session({ ...steps, say: ["What is here?"] })).said, ["Two files."]);
  assert.equal(left.length, 0);
  assert.deepEqual(
    asked.map(({ model }) => model),
    [model, model],
  );
  assert.match(JSON.stringify(asked[1]), /exec_command ran/);
}

describe("Codex on Claude", () => {
  const f = launched(section("Codex on Claude"), "codex");

  test("a session", async () => {
    const settings = Object.fromEntries(f.args.filter((arg) => arg !== "-c").map((arg) => arg.split("=")));
    const provider = (name) => settings[`model_providers.edgelingua.${name}`];
    assert.equal(provider("wire_api"), "responses");
    await codexSession(
      f,
      provider("base_url").replace("/v1", ""),
      f.env[provider("env_key")],
      JSON.parse(settings.model),
    );
  });
});

describe("One server for all clients", () => {
  const text = section("One server for all clients", "docs/self-hosting.md");
  const f = served(text);

  test("Claude Code's settings", async () => {
    const settings = Object.fromEntries(
      (await words(block(text, "sh", /claude$/))).slice(0, -1).map((word) => word.split("=")),
    );
    assert.deepEqual(settings, {
      ANTHROPIC_BASE_URL: "http://127.0.0.1:8787",
      ANTHROPIC_AUTH_TOKEN: PLACEHOLDER,
    });
  });

  test("a session of Codex", () => codexSession(f, f.url, CLIENT_KEY, "claude-opus-5-5"));
});

describe("Cursor", () => {
  const text = section("Cursor", "docs/clients.md");
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    const vars = Object.fromEntries(
      [...text.matchAll(/`(\w+) = "(.*?)"`/g)].map(([, name, value]) => [name, value]),
    );
    assert.deepEqual(Object.keys(vars), ["UPSTREAM_PROTOCOL", "UPSTREAM_URL"]);
    target = await start(
      {
        ...vars,
        UPSTREAM_URL: plain(vars.UPSTREAM_URL),
        CLIENT_KEY,
        UPSTREAM_KEY: "sk-ant-0123456789abcdef",
      },
      { connect: f.up },
    );
    f.url = target.url;
  });
  after(async () => {
    await target?.close();
    await f.up?.close();
  });

  test("a conversation with a tool", async () => {
    const [, model] = /add the model\n?\s*`([^`]+)`/.exec(text);
    const { asked, left } = vendor(f.up, "anthropic", [
      calling("read_file", { path: "a" }),
      said("It is empty."),
    ]);
    const messages = [
      { role: "system", content: "You pair with a user." },
      { role: "user", content: "What is in a?" },
    ];
    const tools = [
      {
        type: "function",
        function: {
          name: "read_file",
          parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        },
      },
    ];
    const ask = async () =>
      (await openai(f.url).chat.completions.stream({ model, messages, tools }).finalChatCompletion())
        .choices[0].message;
    const first = await ask();
    assert.deepEqual(JSON.parse(first.tool_calls[0].function.arguments), { path: "a" });
    messages.push(first, { role: "tool", tool_call_id: first.tool_calls[0].id, content: "" });
    assert.equal((await ask()).content, "It is empty.");
    assert.equal(left.length, 0);
    assert.deepEqual(
      asked.map(({ model }) => model),
      [model, model],
    );
  });
});

describe("docs/clients.md", () => {
  const at = { base: "http://127.0.0.1:8787", key: PLACEHOLDER };
  const page = texts["docs/clients.md"];
  const codes = [
    { model: "claude-opus-5-5", claude: true },
    { model: "qwen3-coder", claude: false },
  ].map((asked) =>
    settingsFor({ ...at, ...asked }).map(({ id, steps }) => [id, steps.map(({ code }) => code)]),
  );

  test("has the page's settings of each client", () => {
    for (const [id, list] of codes[0]) {
      if (id === "cursor" || id === "curl") continue; // without blocks in the page; docs/api.md has curl
      for (const code of list) assert.ok(page.includes(`\n${code}\n\`\`\`\n`), `${id}:\n${code}`);
    }
  });

  test("has no others", () => {
    const known = codes.flatMap((clients) => clients.flatMap(([, list]) => list));
    const blocks = [...page.matchAll(/^```\w+\n(.*?)\n```$/gms)].map(([, code]) => code);
    for (const code of blocks) if (!code.startsWith("edgelingua ")) assert.ok(known.includes(code), code);
  });
});

test("docs/upstreams.md has the page's addresses", () => {
  for (const { id, title, protocol, url } of presets)
    if (id !== "other")
      assert.ok(texts["docs/upstreams.md"].includes(`| ${title} | \`${protocol}\` | \`${url}\` |`), title);
});
