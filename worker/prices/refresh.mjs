// Brings the price table to the newest version of @pydantic/genai-prices, or to the one named as the
// argument. The job "prices" of .github/workflows/release.yml runs it:
//
//   node worker/prices/refresh.mjs [VERSION]
//
// It pins the version in e2e/package.json and its lock, removes the lines of newer.json whose model
// the version has, writes table.json, and names the version and its day in docs/endpoints.md. If the
// version is pinned already, it changes nothing.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PACKAGE = "@pydantic/genai-prices";
const DOCUMENT = "docs/endpoints.md";
process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const run = (program, ...args) =>
  execFileSync(program, args, {
    encoding: "utf8",
    maxBuffer: 1 << 26,
    stdio: ["ignore", "pipe", "pipe"],
  });
const pinned = () => JSON.parse(readFileSync("e2e/package.json", "utf8")).devDependencies[PACKAGE];

// table returns table.json of the package in a folder. Models that the package now has leave
// newer.json: generate.mjs names one at a time.
function table(folder, date) {
  for (;;) {
    try {
      return run(process.execPath, "worker/prices/generate.mjs", folder, date);
    } catch (error) {
      const model = /^Error: newer\.json: the package has (\S+)$/m.exec(error.stderr)?.[1];
      if (!model) throw error;
      const lines = readFileSync("worker/prices/newer.json", "utf8").split("\n");
      const left = lines.filter((line) => !line.includes(`"model": ${JSON.stringify(model)},`));
      if (left.length === lines.length) throw error;
      const text = left.join("\n").replace(/,(\n\]\n?)$/, "$1"); // the last line may have gone
      writeFileSync("worker/prices/newer.json", text);
      console.log(`${model} leaves newer.json`);
    }
  }
}

const version = process.argv[2] ?? run("npm", "view", PACKAGE, "version").trim();
const before = pinned();
if (version === before) {
  console.log(`${PACKAGE} ${version} is pinned already`);
} else {
  const date = JSON.parse(run("npm", "view", PACKAGE, "time", "--json"))[version].slice(0, 10);
  const named = readFileSync(DOCUMENT, "utf8");
  const last = JSON.parse(readFileSync("worker/prices/table.json", "utf8")).date;
  if (!named.includes(`${before} of ${last}`))
    throw new Error(`${DOCUMENT} does not name ${before} of ${last}`);
  const folder = mkdtempSync(join(tmpdir(), "prices-"));
  try {
    run(
      "npm",
      "install",
      "--prefix",
      folder,
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      `${PACKAGE}@${version}`,
    );
    const text = table(join(folder, "node_modules", PACKAGE), date);
    const pin = ["--package-lock-only", "--save-dev", "--save-exact", "--ignore-scripts"];
    run("npm", "install", "--prefix", "e2e", ...pin, "--no-audit", "--no-fund", `${PACKAGE}@${version}`);
    writeFileSync("worker/prices/table.json", text);
    writeFileSync(DOCUMENT, named.replace(`${before} of ${last}`, `${version} of ${date}`));
  } finally {
    rmSync(folder, { recursive: true });
  }
  console.log(`${PACKAGE} ${before} -> ${version} of ${date}`);
}
