// Tools that one vendor runs by itself, asked for by clients of the other one: a search for deferred tools, and an MCP server.
import assert from "node:assert/strict";
import { ask, CLIENT_KEY } from "../../lib/client.mjs";
import { test } from "../../lib/fixture.mjs";

const parameters = { type: "object", properties: {} };
const token = "token-of-the-mcp-server";
const headers = { authorization: `Bearer ${CLIENT_KEY}` };
const url = "https://dice.example/mcp";

// ofMessages and ofResponses are what each API's client offers, and what each vendor answers at first.
const ofMessages = {
  path: "/v1/messages",
  request: (messages) => ({
    model: "claude-sonnet-4-5", max_tokens: 1000, messages,
    mcp_servers: [{ type: "url", name: "dice", url, authorization_token: token }],
    tools: [
      { type: "tool_search_tool_bm25_20251119", name: "tool_search_tool_bm25" },
      { name: "tides", input_schema: parameters, defer_loading: true },
      { type: "mcp_toolset", mcp_server_name: "dice" },
    ],
  }),
  next: ({ content }) => [{ role: "assistant", content }, { role: "user", content: "Go on." }],
  answer: {
    id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 },
    content: [
      { type: "server_tool_use", id: "srvtoolu_1", name: "tool_search_tool_bm25", input: { query: "tides" } },
      { type: "tool_search_tool_result", tool_use_id: "srvtoolu_1", content: { type: "tool_search_tool_search_result", tool_references: [{ type: "tool_reference", tool_name: "tides" }] } },
      { type: "mcp_tool_use", id: "mcptoolu_1", name: "roll", server_name: "dice", input: { sides: 6 } },
      { type: "mcp_tool_result", tool_use_id: "mcptoolu_1", is_error: false, content: [{ type: "text", text: "4" }] },
      { type: "text", text: "Done." },
    ],
  },
};
const definition = { type: "function", name: "tides", parameters, strict: false, defer_loading: true };
const ofResponses = {
  path: "/v1/responses",
  request: (input) => ({
    model: "gpt-5.5", input, store: false,
    tools: [{ type: "tool_search" }, definition, { type: "mcp", server_label: "dice", server_url: url, authorization: token, require_approval: "never" }],
  }),
  next: ({ output }) => [...output, { role: "user", content: "Go on." }],
  answer: {
    id: "resp_1", object: "response", created_at: 1, model: "m", status: "completed",
    output: [
      { id: "tsc_1", type: "tool_search_call", execution: "server", call_id: null, status: "completed", arguments: { paths: ["tides"] } },
      { id: "tso_1", type: "tool_search_output", execution: "server", call_id: null, status: "completed", tools: [definition] },
      { id: "mcp_1", type: "mcp_call", server_label: "dice", name: "roll", arguments: '{"sides":6}', output: "4", error: null, status: "completed" },
      { id: "msg_1", type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: "Done.", annotations: [] }] },
    ],
  },
};

export function hosted({ anthropic, responses, chat }) {
  const said = { text: "Bye.", calls: [], usage: { input: 11, cached: 0, output: 7 } };
  for (const [client, upstream, vendor] of [[ofResponses, anthropic, ofMessages], [ofMessages, responses, ofResponses]]) {
    test(`a client of ${client.path} has ${upstream.name} search tools and call an MCP server`, async () => {
      const { asked, refused } = upstream.serve([(x) => x.answer(200, vendor.answer), said]);
      const history = [{ role: "user", content: "Roll." }];
      for (const last of [false, true]) {
        const { status, text, headers: got } = await ask(upstream.url, { path: client.path, headers, body: client.request(history) });
        assert.equal(status, 200, text);
        assert.equal(got["x-edgelingua-lost"], undefined);
        assert.ok(!text.includes(token), "the answer has the server's token");
        if (!last) history.push(...client.next(JSON.parse(text)));
      }
      assert.deepEqual(refused, []);
      assert.match(JSON.stringify(asked[0]), new RegExp(token));
      const kinds = JSON.stringify(asked[1].messages ?? asked[1].input);
      for (const kind of vendor === ofMessages ? ["tool_search_tool_result", "mcp_tool_result"] : ["tool_search_output", "mcp_call"]) assert.match(kinds, new RegExp(kind));
    });
  }

  for (const client of [ofMessages, ofResponses]) {
    test(`a client of ${client.path} shows ${chat.name} all its functions at once`, async () => {
      const { asked } = chat.serve([said]);
      const { status, headers: got } = await ask(chat.url, { path: client.path, headers, body: client.request([{ role: "user", content: "Roll." }]) });
      assert.deepEqual([status, asked[0].tools.map((tool) => tool.function.name), got["x-edgelingua-lost"]], [200, ["tides"], "tools[0],tools[2]"]);
    });
  }
}
