// The workers for comparison with the project's worker.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { UPSTREAM_KEY, ask } from "../lib/client.mjs";

const source = (name) => readFileSync(new URL(name, import.meta.url), "utf8");

// pump passes a stream on, chunk by chunk, with as many awaits as the worker has.
export const pump = `
export default {
  async fetch(request, env) {
    const body = await request.text();
    const response = await fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", body });
    const { readable, writable } = new IdentityTransformStream();
    const reader = response.body.getReader();
    const writer = writable.getWriter();
    (async () => {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        await writer.write(value);
      }
      await writer.close();
    })();
    return new Response(readable, { headers: { "content-type": "text/event-stream" } });
  },
};`;

// asItIs returns the upstream's body unchanged.
export const asItIs = `
export default {
  async fetch(request, env) {
    const body = await request.text();
    const response = await fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", body });
    return new Response(response.body, { headers: { "content-type": "text/event-stream" } });
  },
};`;

// forward passes the request on and returns the upstream's response.
export const forward = `
export default {
  async fetch(request, env) {
    const { headers, body } = request;
    return fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", headers, body });
  },
};`;

// buffer is forward, but reads both bodies whole.
export const buffer = `
export default {
  async fetch(request, env) {
    const [headers, body] = [[...request.headers], await request.arrayBuffer()];
    const options = { method: "POST", headers, body, signal: request.signal };
    const response = await fetch(env.UPSTREAM_URL + "/chat/completions", options);
    return new Response(await response.arrayBuffer(), { headers: [...response.headers] });
  },
};`;

// lookup is forward, but reads a key of KV first, unless the request's path is "/".
export const lookup = `
export { EndpointState } from "./state.mjs";
export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== "/") await env.ENDPOINTS.get("endpoint:bench", "arrayBuffer");
    const { headers, body } = request;
    return fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", headers, body });
  },
};`;

// instance is forward, but also starts an instance of the module.
export const instance = `
import { Go } from "./gojs.mjs";
import { createRuntimeContext, loadModule } from "./runtime.mjs";
export default {
  async fetch(request, env, ctx) {
    const go = new Go({ ...createRuntimeContext({ env, ctx, binding: {} }), host: {} });
    const imports = { ...go.imports, workers: { ready() {} } };
    const { exports } = new WebAssembly.Instance(await loadModule(), imports);
    go.run(exports, exports.resume, exports.go_scheduler);
    const { headers, body } = request;
    return fetch(env.UPSTREAM_URL + "/chat/completions", { method: "POST", headers, body });
  },
};`;

// script translates in plain JS.
export const script = source("translator.mjs");

// observed is the worker with an additional path, which returns the memory of the worker's
// instances.
export const observed = source("observed.mjs");

const ADMIN_KEY = "admin-key-of-the-benchmark";

// persons are the settings of a worker with personal endpoints.
export const persons = {
  ADMIN_KEY,
  SEAL_KEY: Buffer.alloc(32, 5).toString("base64"),
  ALLOW_HTTP_UPSTREAM: "true",
};

// personal makes a personal endpoint for an upstream, with more settings, and returns a subject
// that sends requests to the endpoint. Usage is not counted unless more says so.
export async function personal(at, url, name = "bench", more = {}) {
  const { status, text } = await ask(at.url, {
    path: "/admin/api/endpoints",
    headers: { "x-api-key": ADMIN_KEY },
    body: {
      name,
      upstreams: [{ name: "up", protocol: "chat", url, key: UPSTREAM_KEY }],
      usage: false,
      ...more,
    },
  });
  assert.equal(status, 201, text);
  return { at, path: `/u/${name}/v1/messages`, key: JSON.parse(text).key };
}
