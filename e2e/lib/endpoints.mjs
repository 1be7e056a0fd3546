// Personal endpoints for tests: keys, and records that are written straight into KV.
import { createHash, randomBytes } from "node:crypto";
import { stateAt } from "./state.mjs";

export const hashOf = (key) => createHash("sha256").update(key).digest("base64url");

export const keyOf = (name) => `el_${name}_${randomBytes(32).toString("base64url")}`;

// enroll writes the record of an endpoint at a worker with the tests' hooks, and returns the endpoint's key. The record has no
// keys of upstreams, which would have to be sealed.
export async function enroll(url, name, record) {
  const key = keyOf(name);
  const whole = { version: 1, rev: 1, keys: [{ hash: hashOf(key) }], ...record };
  await stateAt(url).put(`endpoint:${name}`, JSON.stringify(whole));
  return key;
}
