// A deployment's secrets are hashed, sealed and opened in the same way on every host.
import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { test } from "../lib/fixture.mjs";
import * as node from "../lib/seal.mjs";
import { NATIVE, start, TARGET } from "../lib/target.mjs";
import { until } from "../lib/waiting.mjs";

// The key's base64 has + and /, and its base64url has - and _.
const key = Buffer.from(Array.from({ length: 32 }, (_, i) => 251 + 3 * i));
const other = Buffer.alloc(32, 7);
const nonce = Buffer.from("00112233445566778899aabb", "hex");
const url64 = (bytes) => bytes.toString("base64url");
const context = "alice/openai";

// wasmtest/seal seals the same text, too.
const known = "v1.4-hivQZL.ABEiM0RVZneImaq7.I-eakm5kFYGpswxc84LmU51_AcKhmFbKUvBwD-EjbDB5Dg_k4WLH";

const secrets = {
  "a key": "sk-proj-0123456789_-abc",
  nothing: "",
  "one character": "a",
  "characters of every length": "\ufeffключ \u{1f600} é \u0000\r\n\ufeff",
  "64 KB": "é".repeat(32768),
};

// sealing starts a worker with master keys for the surrounding suite.
function sealing(config, options) {
  const f = { log: () => f.target.log.map((line) => JSON.stringify(line)).join("\n") };
  before(async () => {
    f.target = await start(config, { faults: true, ...options });
    Object.assign(f, node.sealAt(f.target.url));
  });
  after(() => f.target?.close());
  return f;
}

test("digests", async (t) => {
  const target = await start({}, { faults: true });
  t.after(() => target.close());
  const { digest } = node.sealAt(target.url);
  assert.equal(await digest(""), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
  // the example of FIPS 180-4
  assert.equal(await digest("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  for (const text of ["\ufeffabc", "\u{1f600}\u0000é", "a".repeat(100_000), Buffer.from([0xff, 0xfe, 0])]) {
    assert.equal(await digest(text), node.digest(text));
  }
});

describe("a sealed text", () => {
  const w = sealing({ SEAL_KEY: url64(key), CLIENT_KEY: "visible" });

  for (const [name, secret] of Object.entries(secrets)) {
    test(`of ${name} opens, here and elsewhere`, async () => {
      const sealed = await w.seal(context, secret);
      assert.match(sealed, new RegExp(`^v1\\.${node.idOf(key)}\\.[\\w-]{16}\\.[\\w-]+$`));
      assert.ok(sealed.length <= 88 << 10, `${sealed.length}`);
      assert.deepEqual(await w.open(context, sealed), { secret, stale: false });
      assert.equal(node.open(key, context, sealed), secret);
      assert.deepEqual(await w.open(context, node.seal(key, nonce, context, secret)), {
        secret,
        stale: false,
      });
    });
  }

  test("that is known opens", async () => {
    assert.equal(node.seal(key, nonce, context, secrets["a key"]), known);
    assert.deepEqual(await w.open(context, known), { secret: secrets["a key"], stale: false });
  });

  test("is another one each time", async () => {
    const sealed = await Promise.all(Array.from({ length: 50 }, () => w.seal(context, "s")));
    assert.equal(new Set(sealed.map((text) => text.split(".")[2])).size, 50);
  });

  test("opens for its context only", async () => {
    for (const context of ["", "alice/openai", "\ufeffalice/é\u0000"]) {
      const sealed = await w.seal(context, "s");
      assert.deepEqual(await w.open(context, sealed), { secret: "s", stale: false });
      for (const wrong of [
        "bob/openai",
        "alice/openai2",
        "alice/opena",
        "Alice/openai",
        "alice/é\u0000",
        "\u0000",
      ]) {
        assert.equal(await w.open(wrong, sealed), null, wrong);
      }
    }
  });

  test("does not open when any bit of it is another", async () => {
    const sealed = await w.seal(context, "a secret!"); // the base64 has unused bits
    const changed = [];
    for (let i = 0; i < sealed.length; i++) {
      for (let bit = 0; bit < 7; bit++) {
        changed.push(
          sealed.slice(0, i) + String.fromCharCode(sealed.charCodeAt(i) ^ (1 << bit)) + sealed.slice(i + 1),
        );
      }
    }
    while (changed.length > 0) {
      await Promise.all(
        changed.splice(-50).map(async (text) => assert.equal(await w.open(context, text), null, text)),
      );
    }
  });

  test("does not open when it is cut, or longer", async () => {
    const sealed = await w.seal(context, "a secret");
    for (let n = 0; n < sealed.length; n++)
      assert.equal(await w.open(context, sealed.slice(0, n)), null, `${n}`);
    for (const more of ["A", "AA", "=", ".", "\n", " ", "\u0000", "A".repeat(8192)])
      assert.equal(await w.open(context, sealed + more), null, more);
  });

  test("does not open when it is written in another way", async () => {
    const sealed = node.seal(key, nonce, context, secrets["a key"]);
    const [v, id, n, ciphertext] = sealed.split(".");
    for (const text of [
      sealed.replaceAll("-", "+").replaceAll("_", "/"),
      ` ${sealed}`,
      `v2.${id}.${n}.${ciphertext}`,
      `${v}.${id}.${n}.`,
      `${v}.${id}.${n}`,
      `${v}.${id}.${n}.${ciphertext}.`,
      `${v}.${id}.${n}.${ciphertext.slice(0, 5)}\n${ciphertext.slice(5)}`,
      `${v}.${id}.${n}.${Buffer.from(ciphertext, "base64url").toString("base64")}`,
      node.seal(other, nonce, context, "s"),
      node.seal(other, nonce, context, "s").replace(node.idOf(other), id),
      "ключ",
    ]) {
      assert.equal(await w.open(context, text), null, text);
    }
  });

  test("that is too long does not open, and a longer secret is refused", async () => {
    assert.equal(await w.open(context, node.seal(key, nonce, context, "a".repeat(68_000))), null);
    await assert.rejects(
      w.seal(context, "é".repeat(32768) + "a"),
      /^Error: A secret may have up to 65536 bytes, and this one has 65537\.$/,
    );
  });

  test(
    "the program never holds the master key",
    { skip: NATIVE && "the host's own process has it" },
    async () => {
      const secret = "the program does hold this";
      assert.match(await w.settings(), /(^|\0)CLIENT_KEY\0visible\0/);
      assert.doesNotMatch(await w.settings(), /SEAL_KEY/);
      assert.equal(await w.env(), "0");
      const memory = await w.memory(context, secret);
      for (const held of [secret, "CLIENT_KEY\0visible"]) assert.ok(memory.includes(held), held);
      for (const [form, bytes] of Object.entries({
        url: url64(key),
        standard: key.toString("base64").slice(0, 43),
        bytes: key,
        half: key.subarray(16),
      })) {
        assert.ok(!memory.includes(bytes), form);
      }
    },
  );

  test("the log says why one does not open, and nothing of it", async () => {
    const sealed = node.seal(key, nonce, context, "the content");
    await w.open("elsewhere", sealed);
    await w.open(context, "some text");
    await w.open(context, node.seal(other, nonce, context, "the content"));
    const said = [
      "edgelingua: a sealed text does not open: it was changed, or is not where it was sealed for",
      "edgelingua: a sealed text does not open: it is not of their form",
      `edgelingua: a sealed text does not open: its key ${node.idOf(other)} is neither SEAL_KEY nor SEAL_KEY_PREVIOUS`,
    ];
    await until(() => said.every((line) => w.log().includes(line)));
    for (const kept of [
      "the content",
      "some text",
      "elsewhere",
      sealed.split(".")[3],
      url64(key),
      key.toString("base64"),
    ]) {
      assert.ok(!w.log().includes(kept), kept);
    }
  });
});

describe("a master key that takes the place of another", () => {
  const w = sealing({ SEAL_KEY: other.toString("base64"), SEAL_KEY_PREVIOUS: key.toString("base64") });

  test("opens what was sealed with the previous one, and says so", async () => {
    assert.deepEqual(await w.open(context, known), { secret: secrets["a key"], stale: true });
    assert.equal(await w.open("bob/openai", known), null);
    const anew = await w.seal(context, "s");
    assert.equal(node.open(other, context, anew), "s");
    assert.deepEqual(await w.open(context, anew), { secret: "s", stale: false });
    assert.equal(await w.open(context, node.seal(Buffer.alloc(32), nonce, context, "s")), null);
  });
});

describe("a master key that is no key", () => {
  for (const [wrong, config] of [
    ["is missing", {}],
    ["is missing", { SEAL_KEY: "" }],
    ["is not 32 bytes in base64", { SEAL_KEY: "choose-a-long-random-key" }],
    ["is not 32 bytes in base64", { SEAL_KEY: url64(key) + "A" }],
    ["is not 32 bytes in base64", { SEAL_KEY: url64(key).slice(0, 42) + "9" }],
  ]) {
    test(`${JSON.stringify(config)} ${wrong}`, async (t) => {
      if (TARGET === "wazero" && config.SEAL_KEY) {
        // the local host does not start
        await assert.rejects(
          start(config, { faults: true }),
          new RegExp(`The secret SEAL_KEY ${wrong}\\. This makes one: openssl rand -base64 32`),
        );
        return;
      }
      const target = await start(config, { faults: true });
      t.after(() => target.close());
      const w = node.sealAt(target.url);
      const words = { message: `The secret SEAL_KEY ${wrong}. This makes one: openssl rand -base64 32` };
      await assert.rejects(w.seal(context, "s"), words);
      await assert.rejects(w.open(context, known), words);
    });
  }

  test(
    "SEAL_KEY_PREVIOUS matters where it is needed",
    { skip: TARGET === "wazero" && "this host does not start with one that is none" },
    async (t) => {
      const target = await start({ SEAL_KEY: url64(key), SEAL_KEY_PREVIOUS: "x" }, { faults: true });
      t.after(() => target.close());
      const w = node.sealAt(target.url);
      assert.equal((await w.open(context, await w.seal(context, "s"))).secret, "s");
      const words = {
        message:
          "The secret SEAL_KEY_PREVIOUS is not 32 bytes in base64. This makes one: openssl rand -base64 32",
      };
      await assert.rejects(w.open(context, node.seal(other, nonce, context, "s")), words);
    },
  );
});

describe("two hosts", { skip: TARGET === "wazero" && "the run for workerd starts both" }, () => {
  const [workerd, wazero] = ["workerd", "wazero"].map((on) =>
    sealing({ SEAL_KEY: key.toString("base64") }, { on }),
  );

  for (const [name, secret] of Object.entries(secrets)) {
    test(`open what the other sealed: ${name}`, async () => {
      assert.deepEqual(await wazero.open(context, await workerd.seal(context, secret)), {
        secret,
        stale: false,
      });
      assert.deepEqual(await workerd.open(context, await wazero.seal(context, secret)), {
        secret,
        stale: false,
      });
    });
  }
});
