// The program's operations with the state of its deployment, through the hook in the tests' module.
import assert from "node:assert/strict";
import { open } from "./client.mjs";

// operationsAt returns a function that runs an operation. If the operation fails in the program,
// the function rejects with the program's error.
export function operationsAt(url) {
  return async function run(operation, query, body = "") {
    const answer = await open(url, {
      path: "/?" + new URLSearchParams(query),
      method: "POST",
      headers: { "x-test-state": operation, "content-type": "application/octet-stream" },
      body,
    }).reply;
    const parts = [];
    for await (const part of answer.body) parts.push(part);
    const bytes = Buffer.concat(parts);
    if (answer.status === 404) return { found: false };
    if (answer.status === 400) throw new Error(bytes.toString());
    assert.equal(answer.status, 200, bytes.toString());
    return { found: true, bytes, headers: answer.headers };
  };
}

// stateAt returns the operations of worker/faults/state.go.
export function stateAt(url) {
  const run = operationsAt(url);
  return {
    // get resolves with null, or { value, metadata }: bytes, and parsed JSON.
    get: async (key) => {
      const { found, bytes, headers } = await run("get", { key });
      return found
        ? { value: bytes, metadata: headers["x-metadata"] ? JSON.parse(headers["x-metadata"]) : null }
        : null;
    },
    put: async (key, value, { metadata, expiration = 0 } = {}) => {
      await run(
        "put",
        { key, expiration, metadata: metadata === undefined ? "" : JSON.stringify(metadata) },
        Buffer.from(value),
      );
    },
    remove: async (key) => void (await run("delete", { key })),
    list: async (query) => JSON.parse((await run("list", { limit: 1000, ...query })).bytes),
    // batch takes statements as [sql, ...arguments] and resolves with the rows of each. A blob is a
    // Buffer.
    batch: async (object, ...statements) => {
      const packed = JSON.stringify(statements, (_, v) =>
        v?.type === "Buffer" ? { blob: Buffer.from(v.data).toString("base64") } : v,
      );
      return JSON.parse((await run("batch", { object }, packed)).bytes, (_, v) =>
        v?.blob === undefined ? v : Buffer.from(v.blob, "base64"),
      );
    },
  };
}
