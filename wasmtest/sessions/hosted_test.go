package sessions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/pair"
	"edgelingua/wasmtest/vendors"
)

// Hosted tools of one vendor for clients of the other: a search for deferred tools, and an MCP
// server.

const (
	mcpToken = "token-of-the-mcp-server"
	mcpURL   = "https://dice.example/mcp"
)

var noParameters = object{"type": "object", "properties": object{}}

// hostedBy has the request of an API's client, and the first answer of the API's vendor.
type hostedBy struct {
	path    string
	request func(history list) object
	next    func(answer object) list // an answer as history, with a new question
	answer  object
	// types of the answer's parts that must come back to the vendor in the second request
	kinds []string
}

var hostedByMessages = hostedBy{
	path: "/v1/messages",
	request: func(messages list) object {
		return object{
			"model": "claude-sonnet-4-5", "max_tokens": 1000, "messages": messages,
			"mcp_servers": list{
				object{"type": "url", "name": "dice", "url": mcpURL, "authorization_token": mcpToken},
			},
			"tools": list{
				object{"type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25"},
				object{"name": "tides", "input_schema": noParameters, "defer_loading": true},
				object{"type": "mcp_toolset", "mcp_server_name": "dice"},
			},
		}
	},
	next: func(answer object) list {
		return list{
			object{"role": "assistant", "content": answer["content"]},
			object{"role": "user", "content": "Go on."},
		}
	},
	answer: object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
		"stop_sequence": nil,
		"usage":         object{"input_tokens": 1, "output_tokens": 1},
		"content": list{
			object{
				"type":  "server_tool_use",
				"id":    "srvtoolu_1",
				"name":  "tool_search_tool_bm25",
				"input": object{"query": "tides"},
			},
			object{"type": "tool_search_tool_result", "tool_use_id": "srvtoolu_1", "content": object{
				"type":            "tool_search_tool_search_result",
				"tool_references": list{object{"type": "tool_reference", "tool_name": "tides"}},
			}},
			object{
				"type":        "mcp_tool_use",
				"id":          "mcptoolu_1",
				"name":        "roll",
				"server_name": "dice",
				"input":       object{"sides": 6},
			},
			object{
				"type":        "mcp_tool_result",
				"tool_use_id": "mcptoolu_1",
				"is_error":    false,
				"content":     list{object{"type": "text", "text": "4"}},
			},
			object{"type": "text", "text": "Done."},
		},
	},
	kinds: []string{"tool_search_tool_result", "mcp_tool_result"},
}

var tidesFunction = object{
	"type":          "function",
	"name":          "tides",
	"parameters":    noParameters,
	"strict":        false,
	"defer_loading": true,
}

var hostedByResponses = hostedBy{
	path: "/v1/responses",
	request: func(input list) object {
		server := object{
			"type":             "mcp",
			"server_label":     "dice",
			"server_url":       mcpURL,
			"authorization":    mcpToken,
			"require_approval": "never",
		}
		return object{
			"model": "gpt-5.5",
			"input": input,
			"store": false,
			"tools": list{object{"type": "tool_search"}, tidesFunction, server},
		}
	},
	next: func(answer object) list {
		return append(answer["output"].(list), object{"role": "user", "content": "Go on."})
	},
	answer: object{
		"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
		"output": list{
			object{
				"id":        "tsc_1",
				"type":      "tool_search_call",
				"execution": "server",
				"call_id":   nil,
				"status":    "completed",
				"arguments": object{"paths": list{"tides"}},
			},
			object{
				"id":        "tso_1",
				"type":      "tool_search_output",
				"execution": "server",
				"call_id":   nil,
				"status":    "completed",
				"tools":     list{tidesFunction},
			},
			object{
				"id": "mcp_1", "type": "mcp_call", "server_label": "dice", "name": "roll",
				"arguments": `{"sides":6}`, "output": "4", "error": nil,
				"status": "completed",
			},
			object{
				"id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
				"content": list{object{"type": "output_text", "text": "Done.", "annotations": list{}}},
			},
		},
	},
	kinds: []string{"tool_search_output", "mcp_call"},
}

func TestHostedTools(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		client, vendor hostedBy
		upstream       *upstream
	}{{hostedByResponses, hostedByMessages, sonnet}, {hostedByMessages, hostedByResponses, gpt}} {
		parallel(t, "a client of "+row.client.path, func(t *testing.T) {
			s := row.upstream.serve(t, answering(vendors.Plain(200, row.vendor.answer)), said("Bye."))
			history := list{object{"role": "user", "content": "Roll."}}
			for range 2 {
				status, header, text := s.post(t, row.client.path, row.client.request(history))
				require.Equal(t, 200, status, text)
				require.Empty(t, header.Get(pair.Lost))
				require.NotContains(t, text, mcpToken)
				if len(history) == 1 {
					history = append(history, row.client.next(decoded([]byte(text)))...)
				}
			}
			s.done(t)
			holds(t, s.body(0), mcpToken)
			second := s.body(1)
			conversation := second["messages"]
			if conversation == nil {
				conversation = second["input"]
			}
			holds(t, conversation, row.vendor.kinds...)
		})
	}
}

func TestHostedToolsWithoutAHost(t *testing.T) {
	t.Parallel()
	for _, client := range []hostedBy{hostedByMessages, hostedByResponses} {
		parallel(t, "a client of "+client.path, func(t *testing.T) {
			s := anyChat.serve(t, said("Bye."))
			status, header, text := s.post(t, client.path,
				client.request(list{object{"role": "user", "content": "Roll."}}))
			require.Equal(t, 200, status, text)
			require.Equal(t, "tools[0],tools[2]", header.Get(pair.Lost))
			tools := s.body(0)["tools"].(list)
			require.Len(t, tools, 1)
			require.Equal(t, "tides", tools[0].(object)["function"].(object)["name"])
		})
	}
}
