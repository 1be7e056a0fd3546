// What somebody without any key could try.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import http from "node:http";
import { describe } from "node:test";
import { ask } from "../lib/client.mjs";
import { hashOf, keyOf } from "../lib/endpoints.mjs";
import { test } from "../lib/fixture.mjs";
import { TARGET } from "../lib/target.mjs";
import { PATHS, smallest } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { plain } from "../lib/usage.mjs";
import { serveWorkerd } from "../lib/workerd.mjs";

describe("workerd's network", { skip: TARGET !== "workerd" }, () => {
  // The configuration that docs/self-hosting.md shows, and one of a network that leads everywhere.
  const shown = async () => {
    const page = await readFile(new URL("../../docs/self-hosting.md", import.meta.url), "utf8");
    const [services, worker] = [...page.matchAll(/^```capnp\n(.*?)^```/gms)].map(([, text]) => text);
    return { services, worker };
  };
  const open = async () => {
    const { services, worker } = await shown();
    return { services: services.replace('["public"]', '["public", "private"]'), worker };
  };

  for (const [name, config, reached] of [
    ["of public addresses: no private one is reached", shown, false],
    ["of all addresses: loopback is reached, so it is the network that keeps workers from it", open, true],
  ]) {
    test(name, async (t) => {
      const up = await upstream();
      t.after(() => up.close());
      const sixth = http.createServer(up.handle).listen(0, "::1");
      t.after(() => sixth.close());
      const six = await new Promise((resolve) => sixth.on("listening", () => resolve(true)).on("error", () => resolve(false)));
      up.serve((x) => x.answer(200, plain.chat()));
      const { port } = new URL(up.url);
      const hosts = {
        loopback: [`127.0.0.1:${port}`, true],
        name: [`localhost:${port}`, true],
        mapped: [`[::ffff:127.0.0.1]:${port}`, true],
        ...(six && { six: [`[::1]:${sixth.address().port}`, true] }),
        any: [`0.0.0.0:${port}`, true],
        // Nobody may answer here, so these are asked only where the network refuses them at once.
        ...(!reached && { ten: ["10.0.0.1:80"], private: ["192.168.0.1"], metadata: ["169.254.169.254"], local: ["[fe80::1]"], unique: ["[fd00::1]"] }),
      };
      const keys = Object.fromEntries(Object.keys(hosts).map((host) => [host, keyOf(host)]));
      const records = Object.fromEntries(
        Object.entries(hosts).map(([name, [host]]) => [
          `endpoint:${name}`,
          { version: 1, rev: 1, keys: [{ hash: hashOf(keys[name]) }], upstreams: [{ name: "up", protocol: "chat", url: `http://${host}/v1` }] },
        ]),
      );
      const target = await serveWorkerd({ ...(await config()), env: { ALLOW_HTTP_UPSTREAM: "true" }, records });
      t.after(() => target.close());
      for (const host of Object.keys(hosts)) {
        const { status, text } = await ask(target.url, { path: `/u/${host}${PATHS.chat}`, headers: { "x-api-key": keys[host] }, body: smallest.chat() });
        assert.equal(status, reached ? 200 : 502, `${host}: ${text}`);
        if (!reached) assert.match(text, /The upstream can't be reached/);
      }
      assert.equal(up.requests.length, reached ? Object.keys(hosts).length : 0);
    });
  }
});
