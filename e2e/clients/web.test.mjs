// The tools of Claude Code and Codex for searching the web and reading pages, and Claude Code's advisor,
// with upstreams that have none of them. edgelingua searches with a scripted provider.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import https from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe } from "node:test";
import { promisify } from "node:util";
import { CLIENT_KEY, UPSTREAM_KEY } from "../lib/client.mjs";
import { clients, lacking, run, unpack } from "../lib/clis.mjs";
import { test } from "../lib/fixture.mjs";
import { HOSTS } from "../lib/results.mjs";
import { TARGET, start } from "../lib/target.mjs";
import { upstreams } from "../lib/turns.mjs";
import { upstream } from "../lib/upstream.mjs";
import { until } from "../lib/waiting.mjs";

const [claude, codex] = ["claude", "codex"].map((bin) => clients.find((client) => client.bin === bin));
const usage = { input: 100, cached: 0, output: 7 };
const found = {
  results: [
    { url: "https://tides.example/today", title: "Tides of today", content: "High water is at 06:12." },
  ],
};
const cited = "High water is at [06:12](https://tides.example/today).";
const PAGE = "<html><head><title>Tides</title></head><body><p>High water is at 18:40.</p></body></html>";
const END = "That was the tide.";

// by returns a client's first way, with more variables and files in its configuration.
const by = (client, { env, files } = {}) => ({
  setUp(...task) {
    const setUp = client.ways[0].setUp(...task);
    return { ...setUp, env: { ...setUp.env, ...env }, files: { ...setUp.files, ...files } };
  },
});

// site serves a page at https://pages.test, through a proxy on loopback. The site's certificate is
// made for the run, and saved in the file authority.
async function site() {
  const folder = await mkdtemp(join(tmpdir(), "site-"));
  const { stdout: root } = await promisify(execFile)("go", ["env", "GOROOT"]);
  await promisify(execFile)(
    "go",
    [
      "run",
      join(root.trim(), "src/crypto/tls/generate_cert.go"),
      "-host",
      "pages.test",
      "-ca",
      "-ecdsa-curve",
      "P256",
    ],
    { cwd: folder },
  );
  const [cert, key] = await Promise.all(["cert.pem", "key.pem"].map((name) => readFile(join(folder, name))));
  const asked = [];
  const pages = https.createServer({ cert, key }, (req, res) => {
    asked.push(req.headers.host + req.url);
    res.setHeader("content-type", "text/html").end(PAGE);
  });
  const proxy = http.createServer();
  proxy.on("connect", (req, socket, head) => {
    socket.on("error", () => {}); // the client has left
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.unshift(head);
    pages.emit("connection", socket);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  return {
    asked,
    authority: join(folder, "cert.pem"),
    proxy: `http://127.0.0.1:${proxy.address().port}`,
    close: async () => {
      proxy.close();
      proxy.closeAllConnections();
      await once(proxy, "close");
      await rm(folder, { recursive: true });
    },
  };
}

let pages;
before(async () => (pages = await site()));
after(() => pages?.close());

// ./build.sh test --full sets FULL. Without FULL each tool runs with one upstream on each host, a
// different upstream per host.
const protocols = Object.keys(upstreams);
const beyond = (tool, protocol) => {
  const chosen = protocols[(tool + 2 * HOSTS.indexOf(TARGET)) % protocols.length];
  return !process.env.FULL && chosen !== protocol && "./build.sh test --full runs it";
};

for (const protocol of protocols) {
  describe(`an upstream of ${protocol}`, () => {
    let up, provider, target;
    const asked = []; // the names of the tools and the results in each request

    before(async () => {
      await unpack();
      [up, provider] = await Promise.all([upstream(), upstream()]);
      target = await start({
        UPSTREAM_PROTOCOL: protocol,
        UPSTREAM_URL: ["anthropic", "interactions"].includes(protocol) ? up.url.replace(/\/v1$/, "") : up.url,
        UPSTREAM_KEY,
        CLIENT_KEY,
        ALLOW_HTTP_UPSTREAM: "true",
        // later Gemini models search with Google
        ...(["gemini", "interactions"].includes(protocol) && { MODELS: '{"*":"gemini-1.5-pro"}' }),
        OPTIONS: JSON.stringify({
          web_search: { provider: "searxng", url: provider.url.replace(/\/v1$/, "") },
          advisor: { model: "the-advisor" },
        }),
      });
    });
    beforeEach(() => {
      for (const one of [up, provider]) one.renew();
      asked.length = pages.asked.length = 0;
      provider.serve((exchange) => exchange.answer(200, found));
    });
    after(() => Promise.all([target, up, provider].map((one) => one?.close())));

    // answer makes the upstream answer with the result of turn(tools, results): a text, or a call.
    const answer = (turn) =>
      up.serve((exchange) => {
        const { tools, results } = upstreams[protocol].read(exchange.json, exchange.path);
        const names = tools.map(({ name }) => name);
        asked.push({ names, results });
        const said = turn(
          names,
          results.map(({ text }) => text),
          JSON.stringify(exchange.json),
        );
        const calls = typeof said === "string" ? [] : [{ id: `call_${asked.length}`, ...said }];
        return upstreams[protocol].play(exchange, { text: calls.length > 0 ? "" : said, calls, usage });
      });
    const perform = async (client, more) => {
      const { code, printed } = await run(client, by(client, more), target.url, "tide");
      assert.equal(code, 0, printed);
      assert.ok(printed.includes(END), printed);
      const failed = target.lines.all.filter((line) => JSON.parse(line).status >= 400);
      assert.deepEqual(failed, []);
      return printed;
    };

    test("Claude Code's WebSearch", { skip: lacking(claude) || beyond(0, protocol) }, async () => {
      // Claude Code runs the search in a separate request, and gives its model the result.
      answer((names, results) => {
        if (names.includes("WebSearch"))
          return results.length === 0 ? { name: "WebSearch", input: { query: "high water" } } : END;
        assert.deepEqual(names, ["web_search"]);
        return results.length === 0 ? { name: "web_search", input: { query: "high water today" } } : cited;
      });
      await perform(claude, { env: { ENABLE_TOOL_SEARCH: "false" } });
      assert.equal(provider.requests.length, 1);
      assert.match(provider.requests[0].path, /^\/search\?format=json&q=high\+water\+today/);
      assert.match(
        asked.find(({ names, results }) => names.length === 1 && results.length > 0).results[0].text,
        /High water is at 06:12\./,
      );
      const told = asked.at(-1).results[0].text;
      assert.match(told, /Tides of today/);
      assert.match(told, /https:\/\/tides\.example\/today/);
      assert.match(told, /06:12/);
    });

    test("Claude Code's WebFetch", { skip: lacking(claude) || beyond(1, protocol) }, async () => {
      // Claude Code reads the page by itself, and has a model summarize the page.
      answer((names, results) => {
        if (!names.includes("WebFetch")) return "The page says 18:40.";
        return results.length === 0
          ? { name: "WebFetch", input: { url: "https://pages.test/tides", prompt: "When is high water?" } }
          : END;
      });
      await perform(claude, {
        env: { ENABLE_TOOL_SEARCH: "false", HTTPS_PROXY: pages.proxy, NODE_EXTRA_CA_CERTS: pages.authority },
        // without the setting Claude Code first asks its vendor about the host
        files: { ".claude/settings.json": JSON.stringify({ skipWebFetchPreflight: true }) },
      });
      assert.deepEqual(pages.asked, ["pages.test/tides"]);
      assert.equal(provider.requests.length, 0);
      assert.match(asked.at(-1).results[0].text, /18:40/);
    });

    test("Claude Code's advisor", { skip: lacking(claude) || beyond(3, protocol) }, async () => {
      answer((names, results, body) => {
        if (body.includes("You are not the assistant")) return "Wait for high water.";
        if (!names.includes("advisor")) return "A title.";
        return results.length === 0 ? { name: "advisor", input: {} } : END;
      });
      await perform(claude, {
        env: { ENABLE_TOOL_SEARCH: "false", CLAUDE_CODE_ENABLE_EXPERIMENTAL_ADVISOR_TOOL: "1" },
        files: { ".claude/settings.json": JSON.stringify({ advisorModel: "claude-opus-5-5" }) },
      });
      assert.match(asked.at(-1).results[0].text, /Wait for high water\./);
      await until(() => target.lines.all.some((line) => JSON.parse(line).tokens?.advice > 0));
    });

    test("Codex' web_search", { skip: lacking(codex) || beyond(2, protocol) }, async () => {
      answer((names, results) => {
        assert.ok(names.includes("web_search"), names.join());
        return results.length === 0
          ? { name: "web_search", input: { query: "high water today" } }
          : `${cited} ${END}`;
      });
      const printed = await perform(codex);
      assert.match(printed, /web_search/);
      assert.equal(provider.requests.length, 1);
      assert.match(asked.at(-1).results[0].text, /High water is at 06:12\./);
    });
  });
}
