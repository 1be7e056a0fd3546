// Starts one subject of peers.mjs on a port: node gateway.mjs NAME FOLDER PORT API URL KEY MODEL. FOLDER
// has the packages of peers, and URL is an upstream with API. A server in front of the gateway adds
// what the gateway wants in each request, such as its headers; answers pass unchanged.
import { spawn } from "node:child_process";
import { once } from "node:events";
import http from "node:http";
import { createRequire } from "node:module";
import net from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { start } from "../lib/target.mjs";

const [name, folder, port, api, url, key, model] = process.argv.slice(2);
const CLIENT_KEY = process.env.EDGELINGUA_KEY;

// The subjects resolve with the gateway's address, and what changes in each request: headers, where
// undefined removes one, the path, and the body, an object.
const subjects = {
  // control: a plain forwarder
  forwarder: async () => ({
    at: new URL(url),
    headers: { authorization: `Bearer ${key}`, "x-api-key": key, "x-goog-api-key": key },
  }),

  workerd: () => edgelingua("workerd"),
  wazero: () => edgelingua("wazero"),

  async portkey() {
    const at = await free();
    const program = join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js");
    const child = spawn(process.execPath, [program, `--port=${at.port}`, "--headless"], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    process.on("exit", () => child.kill());
    await listening(at.port);
    return {
      at,
      headers: {
        "x-portkey-provider": {
          chat: "openai",
          responses: "openai",
          messages: "anthropic",
          gemini: "google",
        }[api],
        "x-portkey-custom-host": api === "gemini" ? url : `${url}/v1`,
        authorization: `Bearer ${key}`,
        "x-api-key": undefined,
        "x-goog-api-key": undefined,
      },
    };
  },

  async llms() {
    const at = await free();
    const { default: Server } = createRequire(join(folder, "index.js"))("@musistudio/llms");
    const [path, use] = {
      chat: ["/v1/chat/completions", []],
      messages: ["/v1/messages", ["Anthropic"]],
      responses: ["/v1/responses", ["openai-responses"]],
      gemini: ["/v1beta/models/", ["gemini"]],
    }[api];
    const provider = {
      ...{ name: "up", api_base_url: url + path, api_key: key, models: [model] },
      transformer: { use },
    };
    new Server({
      initialConfig: { providers: [provider], HOST: "127.0.0.1", PORT: at.port },
      logger: false,
    }).start();
    await listening(at.port);
    return { at, body: (body) => (body.model ? { ...body, model: `up,${body.model}` } : body) };
  },
};

async function edgelingua(on) {
  const protocol = api === "messages" ? "anthropic" : api;
  const base = protocol === "chat" || protocol === "responses" ? `${url}/v1` : url;
  const config = { UPSTREAM_PROTOCOL: protocol, UPSTREAM_URL: base, UPSTREAM_KEY: key, CLIENT_KEY };
  const target = await start(config, { on });
  return { at: new URL(target.url) };
}

// free resolves with the address of a free port.
async function free() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return new URL(`http://127.0.0.1:${port}`);
}

// listening resolves once a port accepts connections.
async function listening(port) {
  for (;;) {
    const socket = net.connect(port, "127.0.0.1");
    const [event] = await Promise.race(
      ["connect", "error"].map((event) =>
        once(socket, event).then(
          () => [event],
          () => ["error"],
        ),
      ),
    );
    socket.destroy();
    if (event === "connect") return;
    await setTimeout(50);
  }
}

for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit());
const { at, headers = {}, body: change } = await subjects[name]();
http
  .createServer(async (req, res) => {
    const parts = [];
    for await (const part of req) parts.push(part);
    const body = changed(Buffer.concat(parts));
    const sent = { ...req.headers, ...headers, host: at.host, "content-length": Buffer.byteLength(body) };
    delete sent["transfer-encoding"];
    for (const [name, value] of Object.entries(sent)) if (value === undefined) delete sent[name];
    const inner = http.request(new URL(req.url, at), { method: req.method, headers: sent }, (answer) => {
      res.writeHead(answer.statusCode, answer.headers);
      answer.pipe(res);
      answer.on("error", () => res.destroy());
    });
    inner.on("error", () => (res.headersSent ? res.destroy() : res.writeHead(502).end()));
    res.on("close", () => inner.destroy());
    inner.end(body);
  })
  .listen(Number(port), "127.0.0.1");

// changed returns the body for the gateway. A body that is not JSON passes: the gateway is to refuse it.
function changed(body) {
  if (!change || body.length === 0) return body;
  try {
    return JSON.stringify(change(JSON.parse(body)));
  } catch {
    return body;
  }
}
