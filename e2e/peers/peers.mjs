// Runs the conformance suite on other gateways: node e2e/peers/peers.mjs [NAME ...]. npm installs the
// peers in the versions below; everything else is loopback. Prints tables in Markdown, for
// docs/contributing/peers.md. Build the module first (./build.sh).
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { goProgram } from "../lib/programs.mjs";

const CLIENT_KEY = "client-key-of-the-suite-0123456789";
const APIS = ["messages", "chat", "responses", "gemini"];

// The subjects, and for each upstream the client APIs that their documents name.
const all = Object.fromEntries([...APIS, "interactions"].map((api) => [api, APIS]));
const same = Object.fromEntries(APIS.map((api) => [api, [api]]));
const SUBJECTS = {
  workerd: { title: "edgelingua on workerd", serves: all },
  wazero: { title: "edgelingua on wazero", serves: all },
  forwarder: { title: "a plain forwarder (control)", serves: same },
  portkey: {
    title: "@portkey-ai/gateway 1.15.2",
    // With @hono/node-server 1.19.5 and later each stream ends in an error (see peers.md).
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
};

const usage = `usage: node e2e/peers/peers.mjs [NAME ...]

Runs the conformance suite on ${Object.keys(SUBJECTS).join(", ")}, or on those named, and
prints a table of each in Markdown. npm installs the peers into a temporary folder.`;

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
  for (const name of names.length > 0 ? names : Object.keys(SUBJECTS)) await measure(program, name);
  return 0;
}

// measure prints a subject's table and failures.
async function measure(program, name) {
  const { title, packages, overrides, serves } = SUBJECTS[name];
  const folder = mkdtempSync(join(tmpdir(), "peers-"));
  try {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ dependencies: packages ?? {}, overrides }));
    if (packages) execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent"], { cwd: folder });
    const columns = [];
    for (const [upstream, clients] of Object.entries(serves))
      columns.push(
        ...(await columnsOf(await check(program, name, folder, upstream, clients), upstream, clients)),
      );
    print(title, columns);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// check resolves with the results of the suite for an upstream and clients' APIs.
async function check(program, name, folder, upstream, clients) {
  const port = await free();
  const gateway = [fileURLToPath(new URL("gateway.mjs", import.meta.url)), name, folder, String(port)];
  const child = spawn(
    program,
    [
      ...["check", "--json", "--upstream", upstream, "--only", clients.join(","), `http://127.0.0.1:${port}`],
      ...["--", process.execPath, ...gateway, "{api}", "{url}", "{key}", "{model}"],
    ],
    { env: { ...process.env, EDGELINGUA_KEY: CLIENT_KEY }, stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  for await (const part of child.stdout) text += part;
  return JSON.parse(text).reports[0];
}

// columnsOf returns a column for each client's API: the numbers of passed and judged cases by area,
// and the failures.
function columnsOf({ results, stopped }, upstream, clients) {
  return clients.map((client) => {
    const areas = new Map();
    const failures = [];
    for (const result of results.filter((result) => result.client === client)) {
      const area = result.id.split("/")[1];
      const [passed, judged] = areas.get(area) ?? [0, 0];
      if (result.state !== "passed" && result.state !== "failed") continue;
      areas.set(area, [passed + (result.state === "passed"), judged + 1]);
      if (result.state === "failed") failures.push(result);
    }
    return { name: `${client} to ${upstream}`, areas, failures, stopped };
  });
}

function print(title, columns) {
  const areas = [...new Set(columns.flatMap(({ areas }) => [...areas.keys()]))];
  const row = (cells) => console.log(`| ${cells.join(" | ")} |`);
  console.log(`### ${title}\n`);
  row(["client to upstream", ...areas]);
  console.log(`|---|${areas.map(() => "---:|").join("")}`);
  for (const { name, areas: those } of columns)
    row([name, ...areas.map((area) => (those.has(area) ? those.get(area).join(" of ") : ""))]);
  console.log();
  for (const { name, failures, stopped } of columns) {
    if (stopped) console.log(`${name} ended early: ${stopped}\n`);
    if (failures.length > 0) console.log(`${name} fails: ${failures.map(({ id }) => id).join(", ")}\n`);
  }
}

async function free() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

process.exitCode = await main(process.argv.slice(2));
