// The members of the newest SDKs' types against wasmtest/ledger/schemas.json. A difference means
// that an SDK has changed: UPDATE=1 writes the file, and then the tests of wasmtest/ledger name the
// members without an entry in the ledger.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { format } from "prettier";
import { schemas } from "../lib/schemas.mjs";

const file = join(fileURLToPath(new URL("../..", import.meta.url)), "wasmtest/ledger/schemas.json");

test("members of the newest SDKs", async () => {
  const now = schemas();
  if (process.env.UPDATE) await writeFile(file, await format(JSON.stringify(now), { parser: "json" }));
  const stored = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual(now.roots, stored.roots);
  for (const [name, members] of Object.entries(now.types))
    assert.deepEqual(members, stored.types[name], `the SDKs have another type ${name} than schemas.json`);
  assert.deepEqual(Object.keys(now.types), Object.keys(stored.types));
});

test("a new member is found", () => {
  const { roots, types } = schemas(
    { root: "Grown" },
    `interface Base { base: string }
     interface Grown extends Base { old?: 'a' | 'b' | null; inner: (C | string)[]; 'x-y'?: { deep: 1 } }
     interface C { kind: 'c'; brand_new?: boolean }`,
  );
  assert.deepEqual(roots, { root: "root" });
  assert.deepEqual(types, {
    root: { "old?": "=a|=b|null", inner: "[C|string]", "x-y?": "Anonymous", base: "string" },
    C: { kind: "=c", "brand_new?": "boolean" },
    Anonymous: { deep: "=1" },
  });
});
