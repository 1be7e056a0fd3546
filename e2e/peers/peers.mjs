// Runs the conformance suite on other gateways: node e2e/peers/peers.mjs [NAME ...]. npm installs the
// peers in the versions below; everything else is loopback. Prints the table of
// docs/contributing/conformance.md. Build the module first (./build.sh).
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goProgram } from "../lib/programs.mjs";
import { free, listening } from "./ports.mjs";

const CLIENT_KEY = "client-key-of-the-suite-0123456789";
const APIS = ["messages", "chat", "responses", "gemini"];
const NONE = "none"; // the upstream of a server that answers by itself

// The subjects, and for each upstream the client APIs that their documents name.
const all = Object.fromEntries([...APIS, "interactions"].map((api) => [api, APIS]));
const same = Object.fromEntries(APIS.map((api) => [api, [api]]));
const SUBJECTS = {
  workerd: { title: "edgelingua on workerd", serves: all },
  wazero: { title: "edgelingua on wazero", serves: all },
  forwarder: { title: "a plain forwarder (control)", serves: same },
  portkey: {
    title: "@portkey-ai/gateway 1.15.2",
    // With @hono/node-server 1.19.5 and later each stream ends in an error (see conformance.md).
    packages: { "@portkey-ai/gateway": "1.15.2" },
    overrides: { "@hono/node-server": "1.14.0" },
    serves: { messages: ["messages", "chat"], chat: ["chat"], responses: ["responses"], gemini: ["chat"] },
  },
  llms: {
    title: "@musistudio/llms 1.0.53",
    packages: { "@musistudio/llms": "1.0.53" },
    serves: {
      messages: ["messages"],
      chat: ["messages", "chat"],
      responses: ["messages"],
      gemini: ["messages"],
    },
  },
  aimock: {
    title: "@copilotkit/aimock 1.43.0",
    packages: { "@copilotkit/aimock": "1.43.0" },
    serves: { [NONE]: APIS },
  },
};

const usage = `usage: node e2e/peers/peers.mjs [NAME ...]

Runs the conformance suite on ${Object.keys(SUBJECTS).join(", ")}, or on those named, and
prints a table in Markdown. npm installs the peers into a temporary folder.`;

async function main(names) {
  if (names.some((name) => name === "-h" || name === "--help")) {
    console.log(usage);
    return 0;
  }
  const unknown = names.find((name) => !(name in SUBJECTS));
  if (unknown) {
    console.error(`there is no subject ${unknown}\n\n${usage}`);
    return 2;
  }
  const program = await goProgram("PROGRAM", "edgelingua", "./wasmtest");
  console.log(
    "| server | upstream | client | passed | failed | fails most in |\n|---|---|---|---:|---:|---|",
  );
  for (const name of names.length > 0 ? names : Object.keys(SUBJECTS)) await measure(program, name);
  return 0;
}

// measure prints a subject's rows.
async function measure(program, name) {
  const { title, packages, overrides, serves } = SUBJECTS[name];
  const folder = mkdtempSync(join(tmpdir(), "peers-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: packages ?? {}, overrides }));
    if (packages) execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent"], { cwd: folder });
    for (const [upstream, clients] of Object.entries(serves))
      print(title, upstream, clients, await check(program, name, folder, upstream, clients));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// check resolves with the report of the suite for an upstream, or NONE for a server that answers by
// itself, and clients' APIs.
async function check(program, name, folder, upstream, clients) {
  const port = await free();
  const url = `http://127.0.0.1:${port}`;
  const gateway = [fileURLToPath(new URL("gateway.mjs", import.meta.url)), name, folder, String(port)];
  const env = { ...process.env, EDGELINGUA_KEY: CLIENT_KEY };
  const suite = (args, stdout) =>
    spawn(program, ["check", ...args], { env, stdio: ["ignore", stdout, "inherit"] });
  const args = ["--json", "--only", clients.join(",")];
  let child;
  if (upstream === NONE) {
    const server = spawn(process.execPath, [...gateway, NONE], {
      env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    await listening(port);
    child = suite([...args, "--yes", "--model", "m", url], "pipe");
    child.on("close", () => server.kill());
  } else {
    const command = ["--", process.execPath, ...gateway, "{api}", "{url}", "{key}", "{model}"];
    child = suite([...args, "--upstream", upstream, url, ...command], "pipe");
  }
  let text = "";
  for await (const part of child.stdout) text += part;
  return JSON.parse(text).reports[0];
}

// print prints a row for each client's API: the numbers of passed and failed cases, and the areas
// with the most failures.
function print(title, upstream, clients, { results, stopped }) {
  for (const client of clients) {
    const own = results.filter((result) => result.client === client);
    const count = (state) => own.filter((result) => result.state === state);
    const areas = new Map();
    for (const { id } of count("failed")) {
      const area = id.split("/")[1];
      areas.set(area, (areas.get(area) ?? 0) + 1);
    }
    const most = [...areas].sort(([, a], [, b]) => b - a).slice(0, 4);
    const notes = [
      ...most.map(([area, n]) => `${area} ${n}`),
      ...(stopped ? [`ended early: ${stopped}`] : []),
    ];
    const cells = [title, upstream, client, count("passed").length, count("failed").length, notes.join(", ")];
    console.log(`| ${cells.join(" | ")} |`);
  }
}

process.exitCode = await main(process.argv.slice(2));
