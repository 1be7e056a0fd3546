// Personal endpoints for tests: keys, and records written directly into KV.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { stateAt } from "./state.mjs";

export const hashOf = (key) => createHash("sha256").update(key).digest("base64url");

export const keyOf = (name) => `el_${name}_${randomBytes(32).toString("base64url")}`;

// enroll writes the record of an endpoint, and returns the endpoint's key. The worker must have the
// tests' hooks. The record must have no keys of upstreams, because these would have to be sealed.
export async function enroll(url, name, record) {
  const key = keyOf(name);
  await plant(url, name, { version: 1, rev: 1, keys: [{ hash: hashOf(key) }], ...record });
  return key;
}

// plant writes a record, or bytes instead of a record, directly into KV, and deletes the copy of
// the record in the endpoint's object.
export async function plant(url, name, record, options) {
  const { put, batch } = stateAt(url);
  await put(`endpoint:${name}`, record.version ? JSON.stringify(record) : record, options);
  await batch(`endpoint:${name}`, ["DROP TABLE IF EXISTS endpoint_record"]).catch(({ message }) =>
    assert.match(message, /no binding/),
  );
}
