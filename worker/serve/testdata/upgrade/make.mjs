// Makes the data folder of TestUpgrade with the program of a release:
//
//	node make.mjs PATH/TO/edgelingua
//
// It writes data.sqlite.gz, the file of the folder, and past.json, what clients have of that time.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";

const program = process.argv[2];
const folder = mkdtempSync(join(tmpdir(), "upgrade-"));
const secrets = {
  ADMIN_KEY: "admin-key-of-43-characters-aaaaaaaaaaaaaaaa",
  CLIENT_KEY: "client-key-of-43-characters-bbbbbbbbbbbbbbb",
  SEAL_KEY: "A".repeat(43),
};

const upstream = createServer((_, response) => {
  response.setHeader("content-type", "application/json");
  const message = { role: "assistant", content: "A sealed summary." };
  const usage = { prompt_tokens: 40, completion_tokens: 7, total_tokens: 47 };
  response.end(
    JSON.stringify({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage,
    }),
  );
}).listen(0, "127.0.0.1");
await new Promise((resolve) => upstream.on("listening", resolve));
const host = `127.0.0.1:${upstream.address().port}`;

const settings = {
  ...secrets,
  ALLOW_HTTP_UPSTREAM: "true",
  UPSTREAM_PROTOCOL: "chat",
  UPSTREAM_URL: "http://up.test/v1",
  UPSTREAM_KEY: "sk-up",
};
const vars = join(folder, ".dev.vars");
writeFileSync(
  vars,
  Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join(""),
);
const args = ["serve", "--addr", "127.0.0.1:0", "--data", folder, "--dev-vars", vars, "--connect", host];
const served = spawn(program, args, { stdio: ["ignore", "inherit", "pipe"] });
let url;
for await (const line of createInterface({ input: served.stderr })) {
  console.error(line);
  if ((url = /listening on (http:\S+)/.exec(line)?.[1])) break;
}
served.stderr.resume();

const ask = async (method, path, key, body, headers = {}) => {
  const authorization = key && { authorization: `Bearer ${key}` };
  const answer = await fetch(url + path, {
    method,
    headers: { ...authorization, "content-type": "application/json", ...headers },
    body: body && JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return { json: text && JSON.parse(text), cookie: answer.headers.get("set-cookie")?.split(";")[0] };
};
const make = async (name, more) => {
  const up = { name: "a", protocol: "chat", url: "http://up.test/v1", key: `sk-of-${name}-0123456789` };
  const { json } = await ask("POST", "/admin/api/endpoints", secrets.ADMIN_KEY, {
    name,
    upstreams: [up],
    ...more,
  });
  return json.key;
};

const past = { time: Math.floor(Date.now() / 1000), origin: url, page: `${url} secret-of-the-page` };
past.keys = {
  anna: await make("anna", {
    usage: true,
    request_log: { ttl: 86400 },
    options: { store: "on", web_search: { provider: "brave", key: "search-key-0123456789" } },
    limits: { tokens_per_day: 100000, concurrent_requests: 3 },
  }),
  pool: await make("pool", {
    upstreams: [
      {
        name: "a",
        protocol: "chat",
        url: "http://up.test/v1",
        keys: ["sk-pool-1-0123456", "sk-pool-2-0123456"],
      },
    ],
  }),
  off: await make("off", { disabled: true }),
  gone: await make("gone", {}),
};
const respond = async (name, input, more) =>
  (await ask("POST", `/u/${name}/v1/responses`, past.keys[name], { model: "m", input, ...more })).json;
past.response = (await respond("anna", "Remember the word Zwetschge.")).id;
const trigger = [{ type: "message", role: "user", content: "x" }, { type: "compaction_trigger" }];
past.summaries = {
  anna: (await respond("anna", trigger, { store: false })).output,
  gone: (await respond("gone", trigger, { store: false })).output,
};
await respond("pool", "hi");
await ask("DELETE", "/admin/api/endpoints/gone", secrets.ADMIN_KEY);
const page = { "x-edgelingua-page": past.page, origin: url };
past.cookies = {
  admin: (await ask("POST", "/admin/api/session", secrets.ADMIN_KEY, undefined, page)).cookie,
  anna: (await ask("POST", "/u/anna/api/session", past.keys.anna, undefined, page)).cookie,
};
served.kill("SIGTERM");
await new Promise((resolve) => served.on("exit", resolve));
upstream.close();
upstream.closeAllConnections();
past.program = execFileSync(program, ["version"], { encoding: "utf8" }).split("\n")[0];
const here = new URL(".", import.meta.url);
writeFileSync(
  new URL("data.sqlite.gz", here),
  gzipSync(readFileSync(join(folder, "edgelingua.sqlite")), { level: 9 }),
);
writeFileSync(new URL("past.json", here), JSON.stringify(past, null, 1) + "\n");
rmSync(folder, { recursive: true });
