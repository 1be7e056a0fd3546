// The program's operations with secrets, through the hook in the tests' module, and the same
// operations with Node's own crypto.
import { createCipheriv, createDecipheriv, createHash } from "node:crypto";
import { operationsAt } from "./state.mjs";

// sealAt returns the operations of worker/faults/seal.go.
export function sealAt(url) {
  const run = operationsAt(url);
  const text = async (...args) => (await run(...args)).bytes.toString();
  return {
    digest: (body) => text("digest", {}, body),
    seal: (context, secret) => text("seal", { context }, secret),
    // open resolves with null, or { secret, stale }.
    open: async (context, sealed) => {
      const { found, bytes, headers } = await run("open", { context }, sealed);
      return found ? { secret: bytes.toString(), stale: headers["x-stale"] === "1" } : null;
    },
    settings: () => text("settings", {}),
    env: () => text("env", {}),
    // memory seals and opens a secret, and resolves with all of the program's memory.
    memory: async (context, secret) => (await run("memory", { context }, secret)).bytes,
  };
}

export const digest = (bytes) => createHash("sha256").update(bytes).digest("base64url");

// idOf returns the id of a master key of 32 bytes.
export const idOf = (key) =>
  digest(Buffer.concat([Buffer.from("edgelingua SEAL_KEY v1\0"), key])).slice(0, 8);

export function seal(key, nonce, context, secret) {
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(secret), cipher.final(), cipher.getAuthTag()]);
  return `v1.${idOf(key)}.${nonce.toString("base64url")}.${sealed.toString("base64url")}`;
}

export function open(key, context, sealed) {
  const [nonce, ciphertext] = sealed
    .split(".")
    .slice(2)
    .map((part) => Buffer.from(part, "base64url"));
  const decipher = createDecipheriv("aes-256-gcm", key, nonce)
    .setAAD(Buffer.from(context))
    .setAuthTag(ciphertext.subarray(-16));
  return Buffer.concat([decipher.update(ciphertext.subarray(0, -16)), decipher.final()]).toString();
}
