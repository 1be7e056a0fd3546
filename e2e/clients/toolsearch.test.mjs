// Claude Code's own search for tools (ENABLE_TOOL_SEARCH), which the client runs: edgelingua leaves it
// to the client, and the model of a Chat upstream gets a tool of an MCP server only after a search.
import assert from "node:assert/strict";
import { describe } from "node:test";
import { clients, lacking, run, unpack } from "../lib/clis.mjs";
import { fixture, test } from "../lib/fixture.mjs";
import { upstreams } from "../lib/turns.mjs";
import { PATIENCE } from "../lib/waiting.mjs";

const claude = clients.find(({ bin }) => bin === "claude");
const usage = { input: 100, cached: 0, output: 7 };
const END = "That was the tide.";
const wanted = "mcp__tides__high_water";

// An MCP server with 30 tools, on standard input and output.
const server = `
import { createInterface } from "node:readline";
const schema = { type: "object", properties: { harbor: { type: "string" } } };
const names = ["high_water", ...Array.from({ length: 29 }, (_, n) => "thing_" + n)];
const tools = names.map((name) => ({ name, description: "Says " + name, inputSchema: schema }));
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "tides", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name }) => ({ content: [{ type: "text", text: name + ": 06:12" }] }),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) continue;
  const result = answers[method]?.(params);
  const error = { code: -32601, message: "no such method" };
  console.log(JSON.stringify({ jsonrpc: "2.0", id, ...(result ? { result } : { error }) }));
}
`;

describe("Claude Code's ToolSearch with a Chat upstream", () => {
  const f = fixture({ UPSTREAM_PROTOCOL: "chat" });

  test("finds a tool of an MCP server", { skip: lacking(claude) }, async () => {
    await unpack();
    const asked = [];
    f.up.serve((x) => {
      const { tools, results } = upstreams.chat.read(x.json, x.path);
      const names = tools.map(({ name }) => name);
      asked.push({ names, results });
      const said = [
        { name: "ToolSearch", input: { query: `select:${wanted}`, max_results: 5 } },
        { name: wanted, input: { harbor: "Brest" } },
      ][results.length];
      const calls = names.includes("ToolSearch") && said ? [{ id: `call_${asked.length}`, ...said }] : [];
      return upstreams.chat.play(x, { text: calls.length > 0 ? "" : END, calls, usage });
    });
    const way = {
      setUp(...task) {
        const { env, files, args } = claude.ways[0].setUp(...task);
        const config = { mcpServers: { tides: { command: process.execPath, args: ["../tides.mjs"] } } };
        return {
          // Without this wait Claude Code may send its first request before a slow MCP server has started
          // (anthropics/claude-code#76239).
          env: {
            ...env,
            ENABLE_TOOL_SEARCH: "true",
            CLAUDE_CODE_MCP_STARTUP_WAIT_MS: String(PATIENCE),
            MCP_TIMEOUT: String(PATIENCE),
          },
          files: { ...files, "tides.mjs": server, "mcp.json": JSON.stringify(config) },
          args: args
            .map((arg) => arg.replace(/^Bash,/, `${wanted},Bash,`))
            .toSpliced(-2, 0, "--mcp-config", "../mcp.json"),
        };
      },
    };
    const { code, printed } = await run(claude, way, f.url, "tide");
    assert.equal(code, 0, printed);
    assert.ok(printed.includes(END), printed);
    const turns = asked.filter(({ names }) => names.includes("ToolSearch"));
    assert.deepEqual(
      turns.map(({ names }) => names.filter((name) => name.startsWith("mcp__tides__"))),
      [[], [wanted], [wanted]],
    );
    assert.match(turns.at(-1).results[1].text, /high_water: 06:12/);
  });
});
