// Runs the conformance suite offline at other gateways and servers of npm, and at a plain forwarder as a
// control. Prints a table in Markdown, and with --json DIR writes each run's JSON:
//
//   npm install --prefix /tmp/peers @portkey-ai/gateway@1.15.2 @musistudio/llms@1.0.53 \
//     @copilotkit/aimock@1.43.0
//   node e2e/peers.mjs /tmp/peers
//
// A gateway that is not on npm is one more entry of peers: how to start it with an upstream.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import http from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { goProgram } from "./lib/programs.mjs";

const [packages, , results] = process.argv.slice(2);
if (!packages) throw new Error("usage: node e2e/peers.mjs FOLDER [--json FOLDER]; FOLDER has the packages");

const root = fileURLToPath(new URL("..", import.meta.url));

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

// forward serves a forwarder to a port. head has more headers for each request.
async function forward(port, to, head = {}) {
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request;
    const onward = http.request(
      { host: "127.0.0.1", port: to, method, path: url, headers: { ...headers, ...head }, agent },
      (answer) => {
        response.writeHead(answer.statusCode, answer.headers);
        answer.pipe(response);
        answer.on("error", () => response.destroy());
        answer.on("aborted", () => response.destroy());
      },
    );
    onward.on("error", () => response.destroy());
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  server.on("upgrade", (_, socket) =>
    socket.end("HTTP/1.1 426 Upgrade Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"),
  );
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return () => {
    server.closeAllConnections();
    server.close();
    agent.destroy();
  };
}

// run starts a program of Node 22 in the folder of the packages, and waits until it listens at a port.
async function run(port, ...args) {
  const child = spawn(join(root, "e2e/node_modules/.bin/node"), args, { cwd: packages, stdio: "ignore" });
  for (let i = 0; i < 300; i++) {
    const up = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (up) return () => child.kill();
    if (child.exitCode !== null) throw new Error(`${args[0]} ended with ${child.exitCode}`);
    await new Promise((later) => setTimeout(later, 100));
  }
  throw new Error(`${args[0]} does not listen`);
}

const version = async (name) =>
  JSON.parse(await readFile(join(packages, "node_modules", name, "package.json"), "utf8")).version;

const peers = [
  {
    name: "a plain forwarder (control)",
    upstreams: ["messages", "chat", "responses", "gemini"],
    start: forward,
  },
  {
    name: "@portkey-ai/gateway",
    upstreams: ["messages", "chat", "responses"],
    async start(port, upstream, api) {
      const inner = await freePort();
      const stop = await run(
        inner,
        "node_modules/@portkey-ai/gateway/build/start-server.js",
        `--port=${inner}`,
        "--headless",
      );
      const shut = await forward(port, inner, {
        "x-portkey-provider": api === "messages" ? "anthropic" : "openai",
        "x-portkey-custom-host": `http://127.0.0.1:${upstream}/v1`,
      });
      return () => (shut(), stop());
    },
  },
  {
    name: "@musistudio/llms",
    upstreams: ["chat"],
    model: "peer,some-model",
    start: (port, upstream) =>
      run(
        port,
        "-e",
        `const Server = require("@musistudio/llms").default;
        const providers = [{ name: "peer", api_key: "key", models: ["some-model"],
          api_base_url: "http://127.0.0.1:${upstream}/v1/chat/completions" }];
        const initialConfig = { providers, HOST: "127.0.0.1", PORT: ${port}, LOG: false };
        new Server({ initialConfig, logger: false }).start();`,
      ),
  },
  {
    name: "@copilotkit/aimock",
    upstreams: [null],
    start: (port) =>
      run(
        port,
        "--input-type=module",
        "-e",
        `import { LLMock } from "@copilotkit/aimock";
        const mock = new LLMock({ port: ${port}, host: "127.0.0.1" });
        mock.onMessage("hello", { content: "Hello there." });
        mock.onMessage("weather", { toolCalls: [{ name: "get_weather", arguments: '{"town":"Paris"}' }] });
        mock.on({}, { content: "Hello there." });
        await mock.start();`,
      ),
  },
];

const program = await goProgram("PROGRAM", "edgelingua", "./wasmtest");
console.log("| server | upstream | client | passed | failed | fails most in |\n|---|---|---|---:|---:|---|");
for (const peer of peers) {
  const title = peer.name.startsWith("@") ? `${peer.name} ${await version(peer.name)}` : peer.name;
  for (const api of peer.upstreams) {
    const [port, upstream] = [await freePort(), await freePort()];
    const stop = await peer.start(port, upstream, api);
    const args = api ? ["--upstream", api, "--listen", `127.0.0.1:${upstream}`] : ["--yes", "--model", "m"];
    const { stdout, stderr } = await promisify(execFile)(
      program,
      [
        "check",
        "--json",
        ...args,
        ...(peer.model ? ["--model", peer.model] : []),
        `http://127.0.0.1:${port}`,
      ],
      { env: { ...process.env, EDGELINGUA_KEY: "key-of-a-peer-77b2" }, maxBuffer: 1 << 26 },
    ).catch((error) => error);
    stop();
    if (!stdout) {
      console.log(`| ${title} | ${api ?? ""} | | | | ${stderr.trim().split("\n").pop()} |`);
      continue;
    }
    if (results) await writeFile(join(results, `${peer.name.replaceAll("/", "-")}-${api}.json`), stdout);
    const [report] = JSON.parse(stdout).reports;
    for (const { name, served } of report.apis) {
      const own = report.results.filter(({ client }) => client === name);
      const failed = own.filter(({ state }) => state === "failed");
      const areas = Object.groupBy
        ? Object.groupBy(failed, ({ id }) => id.split("/")[1])
        : failed.reduce((all, one) => ((all[one.id.split("/")[1]] ??= []).push(one), all), {});
      const most = Object.entries(areas).sort(([, a], [, b]) => b.length - a.length);
      const passed = own.filter(({ state }) => state === "passed").length;
      if (served)
        console.log(
          `| ${title} | ${api ?? "none"} | ${name} | ${passed} | ${failed.length} | ` +
            `${most
              .slice(0, 4)
              .map(([area, list]) => `${area} ${list.length}`)
              .join(", ")}${report.stopped ? `; ended early: ${report.stopped}` : ""} |`,
        );
    }
  }
}
process.exit();
