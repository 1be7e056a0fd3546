// A deployment's state: KV and objects with SQL, the same on every host.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import { stateAt } from "../lib/state.mjs";
import { TARGET, start } from "../lib/target.mjs";

// suite gives the surrounding suite a worker with state.
function suite() {
  const f = {};
  let target;
  before(async () => {
    target = await start({}, { faults: true, state: true });
    Object.assign(f, stateAt(target.url));
  });
  after(() => target?.close());
  return f;
}

describe("KV", () => {
  const kv = suite();

  test("a key that is not there", async () => {
    assert.equal(await kv.get("absent"), null);
    await kv.remove("absent");
    assert.deepEqual(await kv.list({ prefix: "absent" }), { keys: [], cursor: "" });
  });

  for (const [name, value] of [
    ["text", "some text"],
    ["nothing", ""],
    ["bytes that are no text", Buffer.from([0, 255, 254, 128, 10, 13, 0])],
    ["each byte", Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    ["3 MB", Buffer.alloc(3 << 20, "0123456789abcdé")],
  ]) {
    test(`a value of ${name}`, async () => {
      await kv.put("value", value);
      assert.deepEqual(await kv.get("value"), { value: Buffer.from(value), metadata: null });
    });
  }

  test("a new value takes the old one's metadata and expiration along", async () => {
    const expiration = Math.floor(Date.now() / 1000) + 3600;
    await kv.put("over:1", "a", { metadata: 1, expiration });
    await kv.put("over:1", "b");
    assert.deepEqual(await kv.get("over:1"), { value: Buffer.from("b"), metadata: null });
    assert.deepEqual(await kv.list({ prefix: "over:" }), { keys: [{ name: "over:1" }], cursor: "" });
    await kv.remove("over:1");
    assert.equal(await kv.get("over:1"), null);
  });

  test("metadata of every kind", async () => {
    for (const metadata of [{ a: [1, "é\u{1f600}", null, true] }, "text", 1.5, false, []]) {
      await kv.put("metadata", "v", { metadata });
      const [{ metadata: listed }] = (await kv.list({ prefix: "metadata" })).keys;
      assert.deepEqual(listed, metadata);
    }
    await kv.put("metadata", "v", { metadata: { a: [1] } });
    assert.deepEqual((await kv.get("metadata")).metadata, { a: [1] });
  });

  test("keys of any characters, up to 512 bytes", async () => {
    for (const key of ["ключ", "\u{1f600}", "a b&c=d?e/../f%20#", "...", "\u0001", "é".repeat(256)]) {
      await kv.put(key, `of ${key}`);
      assert.equal((await kv.get(key)).value.toString(), `of ${key}`);
    }
  });

  test("a list, page by page, in the order of the bytes", async () => {
    const names = Array.from({ length: 25 }, (_, i) => `list:${i}`).concat(
      "list:\u{1f600}",
      "list:\uffee",
      "list:Z",
      "list:a",
      "list:é",
    );
    for (const name of names) await kv.put(name, "v", { metadata: { of: name } });
    for (const name of ["list", "list;", "lisu"]) await kv.put(name, "v");
    const seen = [];
    let cursor = "";
    do {
      const page = await kv.list({ prefix: "list:", limit: 7, cursor });
      assert.ok(page.keys.length <= 7);
      for (const { name, metadata } of page.keys) {
        assert.deepEqual(metadata, { of: name });
        seen.push(name);
      }
      cursor = page.cursor;
    } while (cursor !== "");
    assert.deepEqual(
      seen,
      names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
    );
  });

  test("1,000 keys in one list, with metadata and expiration", async () => {
    const expiration = Math.floor(Date.now() / 1000) + 3600;
    const names = Array.from({ length: 1001 }, (_, i) => `many:${String(i).padStart(4, "0")}`);
    for (let i = 0; i < names.length; i += 91) {
      await Promise.all(
        names.slice(i, i + 91).map((name) => kv.put(name, "v", { metadata: { name }, expiration })),
      );
    }
    const { keys, cursor } = await kv.list({ prefix: "many:" });
    assert.deepEqual(
      keys,
      names.slice(0, 1000).map((name) => ({ name, expiration, metadata: { name } })),
    );
    assert.deepEqual(
      (await kv.list({ prefix: "many:", cursor })).keys.map(({ name }) => name),
      [names[1000]],
    );
  });

  // The expiry of keys takes a minute and is not tested here. The tests of wasmtest/store have
  // their own clock.
  test("limits, in Cloudflare's words", async () => {
    const now = Math.floor(Date.now() / 1000);
    await assert.rejects(kv.put("", "v"), /Key name cannot be empty/);
    await assert.rejects(kv.get(""), /Key name cannot be empty/);
    await assert.rejects(kv.put("..", "v"), /"\.\." is not allowed as a key name/);
    await assert.rejects(
      kv.put("é".repeat(256) + "a", "v"),
      /414 UTF-8 encoded length of 513 exceeds key length limit of 512/,
    );
    await assert.rejects(kv.get("a".repeat(513)), /414 UTF-8 encoded length of 513/);
    await assert.rejects(
      kv.put("k", Buffer.alloc((25 << 20) + 1)),
      /413 Value length of 26214401 exceeds limit of 26214400/,
    );
    await assert.rejects(
      kv.put("k", "v", { metadata: "m".repeat(1023) }),
      /413 Metadata length of 1025 exceeds limit of 1024/,
    );
    await assert.rejects(
      kv.put("k", "v", { expiration: now + 30 }),
      /Expiration times must be at least 60 seconds in the future/,
    );
    await assert.rejects(kv.list({ limit: 1001 }), /400 Invalid key_count_limit of 1001/);
    assert.equal(await kv.get("k"), null);
  });
});

describe("objects", () => {
  const state = suite();
  const batch = (...args) => state.batch(...args);

  test("rows of all types", async () => {
    const blob = Buffer.from([0, 255, 10]);
    assert.deepEqual(
      await batch(
        "types",
        ["CREATE TABLE t (a, b); CREATE TABLE u (a INTEGER)"],
        [
          "INSERT INTO t VALUES (?, ?), (?, ?), (?, ?)",
          null,
          1,
          "te\u0000xt é\u{1f600} \ufeff",
          blob,
          "",
          Buffer.alloc(0),
        ],
        ["INSERT INTO u VALUES (?), (?)", 5, 1.5],
        ["SELECT a, b, typeof(b) FROM t"],
        ["SELECT a, typeof(a) FROM u"],
        ["SELECT a FROM u WHERE 0"],
        ["UPDATE u SET a = ? WHERE a = 5 RETURNING a, 9007199254740991", 7],
        ["SELECT ?1 || ?1, -0.1, ?2", "a", "\ufeffmark"],
      ),
      [
        [],
        [],
        [],
        [
          [null, 1, "real"],
          ["te\u0000xt é\u{1f600} \ufeff", blob, "blob"],
          ["", Buffer.alloc(0), "blob"],
        ],
        [
          [5, "integer"],
          [1.5, "real"],
        ],
        [],
        [[7, 9007199254740991]],
        [["aa", -0.1, "\ufeffmark"]],
      ],
    );
    assert.deepEqual(
      await batch("types", ["SELECT count(*) FROM t"]),
      [[[3]]],
      "what one request wrote the next one reads",
    );
  });

  test("no statements", async () => {
    assert.deepEqual(await batch("none"), []);
  });

  test("all statements happen, or none", async () => {
    await batch("atomic", ["CREATE TABLE t (a UNIQUE)"], ["INSERT INTO t VALUES ('first')"]);
    const failed = batch(
      "atomic",
      ["INSERT INTO t VALUES ('second')"],
      ["CREATE TABLE u (a)"],
      ["INSERT INTO t VALUES (?)", "first"],
    );
    await assert.rejects(failed, (error) => {
      assert.match(error.message, /^statement 2: (constraint failed: )?UNIQUE constraint failed: t\.a/);
      assert.doesNotMatch(error.message, /first/);
      return true;
    });
    assert.deepEqual(
      await batch(
        "atomic",
        ["SELECT a FROM t"],
        ["SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'u'"],
      ),
      [[["first"]], []],
    );
  });

  test("a text that creates tables runs once, until tables are dropped or a batch fails", async () => {
    const text = "CREATE TABLE IF NOT EXISTS once (a); INSERT INTO once VALUES (1)";
    const count = async (...more) =>
      (await batch("once", [text], ...more, ["SELECT count(*) FROM once"])).at(-1)[0][0];
    assert.deepEqual([await count(), await count()], [1, 1]);
    assert.equal(await count(["DROP TABLE once"], [text]), 1);
    assert.equal(await count(), 1);
    await assert.rejects(batch("once", ["DROP TABLE once"], ["no SQL"]));
    assert.equal(await count(), 2);
  });

  test("200 requests count to 200", async () => {
    await batch("counter", ["CREATE TABLE c (n INTEGER)"], ["INSERT INTO c VALUES (0)"]);
    const counts = await Promise.all(
      Array.from({ length: 200 }, () => batch("counter", ["UPDATE c SET n = n + 1"], ["SELECT n FROM c"])),
    );
    assert.deepEqual(
      counts.map(([, [[n]]]) => n).sort((a, b) => a - b),
      Array.from({ length: 200 }, (_, i) => i + 1),
    );
  });

  test("two objects know nothing of each other", async () => {
    await batch("left", ["CREATE TABLE t (a)"], ["INSERT INTO t VALUES ('left')"]);
    await assert.rejects(batch("right", ["SELECT a FROM t"]), /^Error: statement 0: .*no such table: t/);
    await batch("right", ["CREATE TABLE t (a)"], ["INSERT INTO t VALUES ('right')"]);
    await batch("right", ["UPDATE t SET a = 'changed'"], ["DELETE FROM t"], ["DROP TABLE t"]);
    assert.deepEqual(await batch("left", ["SELECT * FROM t"]), [[["left"]]]);
    for (const table of ["pages", "objects", "kv"])
      await assert.rejects(batch("right", [`SELECT * FROM ${table}`]), /no such table/);
  });

  for (const sql of [
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT a",
    "RELEASE a",
    "PRAGMA user_version",
    "PRAGMA journal_mode = DELETE",
    "ATTACH ':memory:' AS b",
    "ATTACH 'other' AS b",
    "DETACH main",
    "VACUUM",
    "VACUUM INTO 'other'",
    "CREATE TEMP TABLE t (a)",
    "CREATE TABLE _cf_KV (a)",
    "SELECT load_extension('x')",
    "SELECT sqlite_version()",
    "SELECT decimal('1')",
    "",
    "SELECT ?",
    "SELECT ?; SELECT 1",
    "SELECT 1; COMMIT",
    "SELECT 1 UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6",
  ]) {
    test(`refused: ${sql}`, async () => {
      await batch("refused", ["CREATE TABLE IF NOT EXISTS t (a)"], ["DELETE FROM t"]);
      await assert.rejects(batch("refused", ["INSERT INTO t VALUES (1)"], [sql]), /^Error: statement 1: /);
      assert.deepEqual(
        await batch("refused", ["SELECT count(*) FROM t"]),
        [[[0]]],
        "a refused statement undoes the batch",
      );
    });
  }

  test("the rows of a batch are bounded", async () => {
    const rows =
      "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT ?) SELECT x, zeroblob(100000) FROM c";
    const [whole] = await batch("large", [rows, 80]);
    assert.equal(whole.length, 80);
    await assert.rejects(
      batch("large", ["SELECT 1"], [rows, 300]),
      /^Error: statement 1: the rows take more than 16 MB$/,
    );
  });

  test("large values", async () => {
    const text = 'é\u0001"'.repeat(300_000);
    assert.deepEqual(await batch("large", ["SELECT ?, length(?)", text, text]), [[[text, 900_000]]]);
  });
});

test(
  "without its binding, a call says what to add to wrangler.toml",
  { skip: TARGET === "wazero" && "the wazero host has them all" },
  async (t) => {
    const target = await start({}, { faults: true });
    t.after(() => target.close());
    const { get, batch } = stateAt(target.url);
    await assert.rejects(
      get("k"),
      /no binding ENDPOINTS\. Add to wrangler\.toml: \[\[kv_namespaces\]\] binding = "ENDPOINTS"/,
    );
    await assert.rejects(
      batch("o", ["SELECT 1"]),
      /no binding ENDPOINT_STATE\. Add to wrangler\.toml: .*new_sqlite_classes = \["EndpointState"\]/,
    );
  },
);

test(
  "what is stored is there after a restart",
  { skip: TARGET === "workerd" && "Cloudflare keeps it" },
  async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "state-"));
    t.after(() => rm(folder, { recursive: true }));
    const data = join(folder, "data");
    const first = await start({}, { faults: true, data });
    await stateAt(first.url).put("k", "kept", { metadata: 1 });
    await stateAt(first.url).batch("o", ["CREATE TABLE t (a)"], ["INSERT INTO t VALUES ('kept')"]);
    await first.close();
    const second = await start({}, { faults: true, data });
    t.after(() => second.close());
    assert.deepEqual(await stateAt(second.url).get("k"), { value: Buffer.from("kept"), metadata: 1 });
    assert.deepEqual(await stateAt(second.url).batch("o", ["SELECT a FROM t"]), [[["kept"]]]);
  },
);
