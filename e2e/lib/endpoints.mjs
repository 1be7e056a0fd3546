// Personal endpoints for tests: keys, and records that are written straight into KV.
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { stateAt } from "./state.mjs";

export const hashOf = (key) => createHash("sha256").update(key).digest("base64url");

export const keyOf = (name) => `el_${name}_${randomBytes(32).toString("base64url")}`;

// enroll writes the record of an endpoint at a worker with the tests' hooks, and returns the
// endpoint's key. The record has no keys of upstreams, which would have to be sealed.
export async function enroll(url, name, record) {
  const key = keyOf(name);
  await plant(url, name, { version: 1, rev: 1, keys: [{ hash: hashOf(key) }], ...record });
  return key;
}

// plant writes a record, or bytes in place of one, straight into KV, and takes what the endpoint's
// object knows of one away.
export async function plant(url, name, record, options) {
  const { put, batch } = stateAt(url);
  await put(`endpoint:${name}`, record.version ? JSON.stringify(record) : record, options);
  await batch(`endpoint:${name}`, ["DROP TABLE IF EXISTS endpoint_record"]).catch(({ message }) =>
    assert.match(message, /no binding/),
  );
}
