// The scheduled job that proposes a newer price table, with a double of npm's registry, a double of
// GitHub's program gh, and a bare repository instead of GitHub's. toolchain/lint.sh checks the
// workflow itself.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const PACKAGE = "@pydantic/genai-prices";
const FILES = ["refresh.mjs", "propose.sh", "generate.mjs", "newer.json", "table.json"].map(
  (name) => `worker/prices/${name}`,
);
const [NEXT, DAY] = ["99.0.1", "2031-02-03"];

describe("the job of prices", { skip: TARGET !== "workerd" && "nothing of it depends on TARGET" }, () => {
  let folder, clone, env, known;
  const text = (name) => readFile(join(clone, name), "utf8");
  const git = async (...args) => (await run("git", ["-C", clone, ...args], { env })).stdout.trim();
  const refresh = async () =>
    (await run(process.execPath, [join(clone, "worker/prices/refresh.mjs")], { env })).stdout.trim();
  const propose = () => run(join(clone, "worker/prices/propose.sh"), { env });
  const calls = async (name) => {
    const lines = (await readFile(join(folder, name), "utf8").catch(() => "")).split("\n").filter(Boolean);
    await rm(join(folder, name), { force: true });
    return lines;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "prices-"));
    clone = join(folder, "clone");
    for (const name of [...FILES, "e2e/package.json", "docs/endpoints.md"]) {
      await mkdir(dirname(join(clone, name)), { recursive: true });
      await cp(join(root, name), join(clone, name));
    }
    // The registry's next version has a model of newer.json, with the entry of an older model.
    const next = join(folder, "next");
    await cp(join(root, "e2e/node_modules", PACKAGE), next, { recursive: true });
    const manifest = JSON.parse(await readFile(join(next, "package.json"), "utf8"));
    await writeFile(join(next, "package.json"), JSON.stringify({ ...manifest, version: NEXT }));
    known = JSON.parse(await text("worker/prices/newer.json")).at(-1).model;
    const source = await readFile(join(next, "dist/index.js"), "utf8");
    const [, older] = /id: "(gemini-2\.5-pro)"/.exec(source);
    await writeFile(
      join(next, "dist/index.js"),
      source
        .replaceAll(`id: "${older}"`, `id: "${known}"`)
        .replaceAll(`equals: "${older}"`, `equals: "${known}"`),
    );
    const bin = join(folder, "bin");
    await mkdir(bin);
    const programs = {
      npm: `
        const { cpSync, mkdirSync, readFileSync, writeFileSync } = require("node:fs");
        const args = process.argv.slice(2);
        const prefix = args[args.indexOf("--prefix") + 1];
        if (args.join(" ") === "view ${PACKAGE} version") console.log("${NEXT}");
        else if (args.join(" ") === "view ${PACKAGE} time --json")
          console.log(JSON.stringify({ created: "2025", "${NEXT}": "${DAY}T04:05:06.000Z" }));
        else if (args[0] !== "install" || args.at(-1) !== "${PACKAGE}@${NEXT}") process.exit(1);
        else if (args.includes("--package-lock-only")) {
          const json = JSON.parse(readFileSync(prefix + "/package.json", "utf8"));
          json.devDependencies["${PACKAGE}"] = "${NEXT}";
          writeFileSync(prefix + "/package.json", JSON.stringify(json, null, 2) + "\\n");
        } else {
          mkdirSync(prefix + "/node_modules/@pydantic", { recursive: true });
          cpSync("${next}", prefix + "/node_modules/${PACKAGE}", { recursive: true });
        }`,
      gh: `
        const { appendFileSync, existsSync, writeFileSync } = require("node:fs");
        const args = process.argv.slice(2);
        appendFileSync("${folder}/gh", args.slice(0, 6).join(" ") + "\\n");
        if (args[1] === "list") console.log(existsSync("${folder}/open") ? 1 : 0);
        if (args[1] === "create") writeFileSync("${folder}/open", "");`,
    };
    for (const [name, code] of Object.entries(programs)) {
      await writeFile(join(bin, name), `#!${process.execPath}\n${code}`);
      await chmod(join(bin, name), 0o755);
    }
    env = {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      GIT_CONFIG_GLOBAL: "/dev/null",
    };
    await run("git", ["init", "-q", "--bare", join(folder, "origin")], { env });
    await git("init", "-q", "-b", "main");
    await git("remote", "add", "origin", join(folder, "origin"));
    await git("add", ".");
    await git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "The table so far");
    await git("push", "-q", "origin", "main");
  });
  after(() => rm(folder, { recursive: true }));

  test("nothing newer, nothing proposed", async () => {
    await propose();
    assert.deepEqual(await calls("gh"), []);
    assert.equal(await git("branch", "--show-current"), "main");
  });

  test("a newer version is pinned, tabled, named and proposed with its tests", async () => {
    const was = JSON.parse(await text("worker/prices/table.json"));
    const before = JSON.parse(await text("worker/prices/newer.json"));
    const { devDependencies } = JSON.parse(await text("e2e/package.json"));
    assert.equal(
      await refresh(),
      `${known} leaves newer.json\n${PACKAGE} ${devDependencies[PACKAGE]} -> ${NEXT} of ${DAY}`,
    );
    const table = JSON.parse(await text("worker/prices/table.json"));
    assert.deepEqual([table.source, table.date], [`${PACKAGE} ${NEXT}`, DAY]);
    assert.equal(table.providers.length, was.providers.length);
    assert.deepEqual(JSON.parse(await text("worker/prices/newer.json")), before.slice(0, -1));
    assert.match(await text("docs/endpoints.md"), new RegExp(`\\) ${NEXT} of ${DAY} and`));
    await propose();
    assert.deepEqual(await calls("gh"), [
      "pr list --head prices --state open",
      "pr create --head prices --base main",
      "workflow run test.yml --ref prices",
    ]);
    assert.equal(
      await git("log", "-1", "--format=%an: %s", "origin/prices"),
      `github-actions[bot]: Take the prices of ${PACKAGE} ${NEXT}`,
    );
    assert.deepEqual((await git("diff", "--name-only", "main", "origin/prices")).split("\n"), [
      "docs/endpoints.md",
      "e2e/package.json",
      "worker/prices/newer.json",
      "worker/prices/table.json",
    ]);
    assert.equal(await refresh(), `${PACKAGE} ${NEXT} is pinned already`);
  });

  test("the next week changes the same pull request", async () => {
    await git("switch", "-q", "main");
    await refresh();
    await propose();
    assert.deepEqual(await calls("gh"), [
      "pr list --head prices --state open",
      "workflow run test.yml --ref prices",
    ]);
  });
});
