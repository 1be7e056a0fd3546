// Starts one subject of peers.mjs on a port: node gateway.mjs NAME FOLDER PORT API URL KEY MODEL. FOLDER
// has the packages of peers, and URL is an upstream with API. A server before the gateway adds
// what the gateway wants in each request, such as its headers; answers pass unchanged.
import { spawn } from "node:child_process";
import http from "node:http";
import { createRequire } from "node:module";
import net from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { start } from "../lib/target.mjs";
import { free, listening } from "./ports.mjs";

const [name, folder, port, api, url, key, model] = process.argv.slice(2);
const CLIENT_KEY = process.env.EDGELINGUA_KEY;
const require = createRequire(join(folder, "index.js"));

// The subjects resolve with the gateway's address, and what changes in each request: headers, where
// undefined removes one, the path, and the body, an object.
const subjects = {
  // control: a plain forwarder, which replaces the right key of a client by the upstream's
  forwarder: async () => ({ at: new URL(url), key }),

  workerd: () => edgelingua("workerd"),
  wazero: () => edgelingua("wazero"),

  aimock: mock,

  async portkey() {
    const at = new URL(`http://127.0.0.1:${await free()}`);
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
    const at = new URL(`http://127.0.0.1:${await free()}`);
    const { default: Server } = require("@musistudio/llms");
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

// A mock server: an answer or a call for each of the suite's questions.
async function mock() {
  const { LLMock } = await import(pathToFileURL(require.resolve("@copilotkit/aimock")));
  const server = new LLMock({ port: 0, host: "127.0.0.1" });
  server.onMessage("weather", { toolCalls: [{ name: "get_weather", arguments: '{"town":"Paris"}' }] });
  server.on({}, { content: "Hello there." });
  await server.start();
  return { at: new URL(server.url) };
}

async function edgelingua(on) {
  const protocol = api === "messages" ? "anthropic" : api;
  const base = protocol === "chat" || protocol === "responses" ? `${url}/v1` : url;
  const config = { UPSTREAM_PROTOCOL: protocol, UPSTREAM_URL: base, UPSTREAM_KEY: key, CLIENT_KEY };
  const target = await start(config, { on });
  return { at: new URL(target.url) };
}

for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => process.exit());
const { at, key: own, headers = {}, body: change } = await subjects[name]();
http
  .createServer(async (req, res) => {
    const parts = [];
    for await (const part of req) parts.push(part);
    const body = changed(Buffer.concat(parts));
    if (own)
      for (const [name, value] of Object.entries(req.headers))
        if (typeof value === "string") req.headers[name] = value.replaceAll(CLIENT_KEY, own);
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
  .on("upgrade", (req, socket, head) => {
    const inner = net.connect(at.port, at.hostname, () => {
      const lines = req.rawHeaders.map((text, i) => (i % 2 ? `: ${text}\r\n` : text)).join("");
      inner.write(`${req.method} ${req.url} HTTP/1.1\r\n${lines}\r\n`);
      inner.write(head);
      socket.pipe(inner).pipe(socket);
    });
    for (const one of [socket, inner]) one.on("error", () => (socket.destroy(), inner.destroy()));
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
