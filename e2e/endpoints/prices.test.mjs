// The prices of models: the table of worker/prices must agree with the npm package
// @pydantic/genai-prices, on both hosts.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { calcPrice, findProvider } from "@pydantic/genai-prices";
import { TARGET, build } from "../lib/target.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const read = async (path) => JSON.parse(await readFile(join(root, path), "utf8"));

describe("prices", { skip: TARGET !== "workerd" && "Go's tests hold the local host to them" }, () => {
  let folder, pricesOf;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "prices-"));
    for (const name of ["prices.mjs", "price_table.mjs"]) await cp(join(build, name), join(folder, name));
    ({ pricesOf } = await import(pathToFileURL(join(folder, "prices.mjs"))));
  });
  after(() => rm(folder, { recursive: true }));

  const rowsOf = (url, model, day) => new TextDecoder().decode(pricesOf(url, model, day)[1]);

  test("the table is what generate.mjs makes of the package", async () => {
    const { date } = await read("worker/prices/table.json");
    const { stdout } = await run(
      process.execPath,
      ["worker/prices/generate.mjs", "e2e/node_modules/@pydantic/genai-prices", date],
      { cwd: root, maxBuffer: 1 << 24 },
    );
    assert.ok(
      stdout === (await readFile(join(root, "worker/prices/table.json"), "utf8")),
      "worker/prices/generate.mjs says how to write it anew",
    );
  });

  test("the cases to which the local host is held", async () => {
    for (const { url, model, day, prices, known } of await read("worker/prices/testdata/cases.json")) {
      if (known) assert.notEqual(rowsOf(url, model, day), "", model);
      else assert.equal(rowsOf(url, model, day), prices, model);
    }
  });

  // For every model of the package the price must agree, for a small prompt and for a prompt of a
  // million tokens.
  for (const [id, url] of [
    ["anthropic", "https://api.anthropic.com"],
    ["openai", "https://api.openai.com/v1"],
    ["openrouter", "https://openrouter.ai/api/v1"],
    ["x-ai", "https://api.x.ai/v1"],
    ["google", "https://generativelanguage.googleapis.com/v1beta/openai"],
    ["mistral", "https://api.mistral.ai/v1"],
    ["groq", "https://api.groq.com/openai/v1"],
  ]) {
    test(`the models of ${id}`, () => {
      const at = new Date("2026-11-23T12:00:00Z");
      const names = (rule) =>
        Object.entries(rule).flatMap(([kind, value]) =>
          Array.isArray(value)
            ? value.flatMap(names)
            : kind === "equals"
              ? [value]
              : kind === "starts_with"
                ? [value, `${value}-x`]
                : [],
        );
      let checked = 0;
      for (const name of new Set(
        findProvider({ providerId: id }).models.flatMap(({ match }) => names(match)),
      )) {
        const rows = rowsOf(url, name, "2026-11-23")
          .trim()
          .split("\n")
          .map((line) => line.split(" ").map(Number));
        if (rows.length === 1 && rows[0].length === 1) continue; // the model has no price per token
        for (const input of [1000, 1_000_000]) {
          const [, inputs, outputs] = rows.findLast(([over]) => input > over);
          const told = calcPrice({ input_tokens: input, output_tokens: 1000 }, name, {
            providerId: id,
            timestamp: at,
          });
          assert.ok(
            Math.abs((input * inputs + 1000 * outputs) / 1e6 - told.total_price) < 1e-9,
            `${name}: ${told.total_price}`,
          );
        }
        checked++;
      }
      assert.ok(checked > 10, checked);
    });
  }
});
