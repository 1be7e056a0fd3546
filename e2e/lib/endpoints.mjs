// Personal endpoints for tests: their records, written straight into KV, and keys.
import { createHash, randomBytes } from "node:crypto";
import { stateAt } from "./state.mjs";

export const hashOf = (key) => createHash("sha256").update(key).digest("base64url");

export const keyOf = (name) => `el_${name}_${randomBytes(32).toString("base64url")}`;

// enroll writes the record of an endpoint at a worker that has the hooks of the tests, and returns its key. The upstreams need no
// keys of their own: those are sealed.
export async function enroll(url, name, record) {
  const key = keyOf(name);
  const whole = { version: 1, rev: 1, keys: [{ hash: hashOf(key) }], ...record };
  await stateAt(url).put(`endpoint:${name}`, JSON.stringify(whole));
  return key;
}
