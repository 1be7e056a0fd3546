// Shared code for the tests of attacks: a worker with personal endpoints, and a client that holds
// requests back.
import assert from "node:assert/strict";
import http from "node:http";
import { after, before, beforeEach } from "node:test";
import { answer } from "./chat.mjs";
import { open, params } from "./client.mjs";
import { defaults } from "./fixture.mjs";
import { stateAt } from "./state.mjs";
import { start } from "./target.mjs";
import { upstream } from "./upstream.mjs";

export const ADMIN_KEY = "admin-key-of-the-tests";
export const SEAL_KEY = Buffer.alloc(32, 7).toString("base64");
export const config = { ADMIN_KEY, SEAL_KEY, ALLOW_HTTP_UPSTREAM: "true" };
export const ENDPOINTS = "/admin/api/endpoints";

// attacked gives the surrounding suite an upstream that answers "hello", and a worker with personal
// endpoints. The upstream is also the upstream of the deployment. more is additional configuration,
// and options are the options of start.
export function attacked(more, options) {
  const f = {};
  let target;
  before(async () => {
    f.up = await upstream();
    target = await start(
      { ...defaults(f.up.url), ...config, ...more },
      { faults: true, state: true, ...options },
    );
    f.url = target.url;
    f.state = stateAt(f.url);
    f.log = () => target.log;
    f.lines = () => target.lines.all;
  });
  beforeEach(() => {
    f.up.renew();
    f.up.serve((x) => answer(x, "hello"));
  });
  after(async () => {
    await target?.close();
    await f.up?.close();
  });

  // call resolves with the status and the JSON of an answer.
  f.call = async (method, path, { key = ADMIN_KEY, body, headers } = {}) => {
    const reply = await open(f.url, { method, path, body, headers: { "x-api-key": key, ...headers } }).reply;
    let text = "";
    for await (const part of reply.body) text += part;
    return { status: reply.status, headers: reply.headers, text, json: text && JSON.parse(text) };
  };
  f.admin = async (method, path, body, headers) => {
    const got = await f.call(method, ENDPOINTS + path, { body, headers });
    assert.ok(got.status < 300, got.text);
    return got.json;
  };
  f.make = (name, more) =>
    f.admin("POST", "", {
      name,
      upstreams: [{ name: "a", protocol: "chat", url: f.up.url, key: "sk-of-the-upstream" }],
      ...more,
    });
  f.ask = (name, key) => f.call("POST", `/u/${name}/v1/messages`, { key, body: params() });
  return f;
}

// hold sends a request without the last byte of the body. It returns a function that sends the last
// byte, and resolves with the answer.
export function hold(url, method, path, key, body) {
  const text = JSON.stringify(body);
  const request = http.request(new URL(path, url), {
    method,
    agent: false,
    headers: { "x-api-key": key, "content-length": text.length },
  });
  const reply = new Promise((resolve, reject) => request.on("response", resolve).on("error", reject));
  const sent = new Promise((resolve) => request.write(text.slice(0, -1), resolve));
  return async () => {
    await sent;
    request.end(text.slice(-1));
    const response = await reply;
    let got = "";
    for await (const part of response) got += part;
    return { status: response.statusCode, json: got && JSON.parse(got) };
  };
}

// raw sends a request with an unchanged path, which URL would normalize, and reads the answer.
export function raw(url, { agent = false, method, path, headers, body = "" }) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const about = { "content-type": "application/json", "content-length": body.length };
    const request = http.request(
      { hostname, port, agent, method, path, headers: { ...about, ...headers } },
      async (response) => {
        let text = "";
        for await (const part of response.setEncoding("utf8")) text += part;
        resolve({ status: response.statusCode, headers: response.headers, text });
      },
    );
    request.on("error", reject).end(body);
  });
}
