package sessions_test

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/vendors"
)

// elsewhere is an envelope with another vendor's reasoning.
const elsewhere = "el1:elsewhere:t::blob"

// step returns messages of a client for position n of the conversation.
type step func(n int) list

// steps has messages of each client by kind: of the user, of the system, of the assistant with
// another vendor's reasoning, and a call with its result. The result has an image if the API allows
// images. In Chat, the assistant speaks between the call and the result, as allowed by older
// versions of Codex. Gemini has no system messages.
var steps = map[string]map[string]step{
	"anthropic": {
		"user":   func(int) list { return list{object{"role": "user", "content": "u"}} },
		"system": func(int) list { return list{object{"role": "system", "content": "s"}} },
		"assistant": func(int) list {
			thought := object{"type": "thinking", "thinking": "t", "signature": elsewhere}
			return list{
				object{"role": "assistant", "content": list{thought, object{"type": "text", "text": "a"}}},
			}
		},
		"call": func(n int) list {
			id := fmt.Sprintf("toolu_%d", n)
			image := object{
				"type":   "image",
				"source": object{"type": "base64", "media_type": "image/png", "data": png},
			}
			return list{
				object{
					"role":    "assistant",
					"content": list{object{"type": "tool_use", "id": id, "name": "look", "input": object{}}},
				},
				object{
					"role":    "user",
					"content": list{object{"type": "tool_result", "tool_use_id": id, "content": list{image}}},
				},
			}
		},
	},
	"chat": {
		"user":   func(int) list { return list{object{"role": "user", "content": "u"}} },
		"system": func(int) list { return list{object{"role": "system", "content": "s"}} },
		"assistant": func(int) list {
			detail := object{"type": "reasoning.text", "text": "t", "signature": elsewhere}
			return list{object{"role": "assistant", "content": "a", "reasoning_details": list{detail}}}
		},
		"call": func(n int) list {
			id := fmt.Sprintf("call_%d", n)
			made := object{
				"id":       id,
				"type":     "function",
				"function": object{"name": "look", "arguments": "{}"},
			}
			return list{
				object{"role": "assistant", "content": nil, "tool_calls": list{made}},
				object{"role": "assistant", "content": "t"},
				object{"role": "tool", "tool_call_id": id, "content": "r"},
			}
		},
	},
	"responses": {
		"user":   func(int) list { return list{object{"role": "user", "content": "u"}} },
		"system": func(int) list { return list{object{"role": "developer", "content": "s"}} },
		"assistant": func(n int) list {
			return list{
				object{
					"type": "reasoning", "id": fmt.Sprintf("rs_%d", n), "encrypted_content": elsewhere,
					"summary": list{object{"type": "summary_text", "text": "t"}},
				},
				object{"role": "assistant", "content": "a"},
			}
		},
		"call": func(n int) list {
			id := fmt.Sprintf("call_%d", n)
			image := object{"type": "input_image", "image_url": "data:image/png;base64," + png}
			return list{
				object{"type": "function_call", "call_id": id, "name": "look", "arguments": "{}"},
				object{"type": "function_call_output", "call_id": id, "output": list{image}},
			}
		},
	},
	"gemini": {
		"user": func(int) list { return list{object{"role": "user", "parts": list{object{"text": "u"}}}} },
		"assistant": func(int) list {
			thought := object{
				"text":             "t",
				"thought":          true,
				"thoughtSignature": base64.StdEncoding.EncodeToString([]byte(elsewhere)),
			}
			return list{object{"role": "model", "parts": list{thought, object{"text": "a"}}}}
		},
		"call": func(int) list {
			image := object{"inlineData": object{"mimeType": "image/png", "data": png}}
			result := object{"name": "look", "response": object{"output": "r"}, "parts": list{image}}
			return list{
				object{
					"role":  "model",
					"parts": list{object{"functionCall": object{"name": "look", "args": object{}}}},
				},
				object{"role": "user", "parts": list{object{"functionResponse": result}}},
			}
		},
	},
}

// orderRequest returns a client's request with the given messages.
func orderRequest(client, model string, messages list) object {
	schema := object{"type": "object", "properties": object{}}
	switch client {
	case "anthropic":
		return object{
			"model": model, "max_tokens": 99, "system": "Be brief.", "messages": messages,
			"tools": list{object{"name": "look", "input_schema": schema}},
		}
	case "chat":
		return object{
			"model": model, "messages": messages,
			"tools": list{
				object{"type": "function", "function": object{"name": "look", "parameters": schema}},
			},
		}
	case "responses":
		return object{
			"model": model, "store": false, "instructions": "Be brief.", "input": messages,
			"tools": list{object{"type": "function", "name": "look", "strict": false, "parameters": schema}},
		}
	}
	return object{
		"systemInstruction": object{"parts": list{object{"text": "Be brief."}}}, "contents": messages,
		"tools": list{
			object{"functionDeclarations": list{object{"name": "look", "parametersJsonSchema": schema}}},
		},
	}
}

// orders returns all sequences of 1 to length kinds.
func orders(kinds []string, length int) (all [][]string) {
	last := [][]string{nil}
	for range length {
		var next [][]string
		for _, list := range last {
			for _, kind := range kinds {
				next = append(next, append(slices.Clone(list), kind))
			}
		}
		all, last = append(all, next...), next
	}
	return all
}

// TestMessagesInAnyOrder sends conversations of up to four steps in all orders, especially with
// system messages in the middle. The upstream must accept each request.
func TestMessagesInAnyOrder(t *testing.T) {
	t.Parallel()
	for _, client := range corpus.Protocols {
		for _, u := range all {
			models := []string{"m"}
			if u == anthropic {
				models = []string{"claude-opus-5-5", "claude-sonnet-4-5"}
			}
			for _, model := range models {
				parallel(t, client+" to "+u.name+", "+model,
					func(t *testing.T) { inAnyOrder(t, u, client, model) })
			}
		}
	}
}

func inAnyOrder(t *testing.T, u *upstream, client, model string) {
	s := u.play(t, func() *vendors.Turn { return said("Done.") })
	var kinds []string
	for _, kind := range []string{"user", "system", "assistant", "call"} {
		if steps[client][kind] != nil {
			kinds = append(kinds, kind)
		}
	}
	sent := 0
	for _, order := range orders(kinds, 4) {
		if client == u.protocol && !slices.Contains(order, "assistant") {
			// passthrough: only assistant steps, with another vendor's reasoning, require a
			// translation
			continue
		}
		var messages list
		for n, kind := range order {
			messages = append(messages, steps[client][kind](n)...)
		}
		status, _, text := s.post(t, corpus.Path(client, model, false), orderRequest(client, model, messages))
		require.Equal(t, 200, status, "%v: %s", order, text)
		sent++
	}
	require.Empty(t, s.Refused())
	require.Len(t, s.Asked(), sent)
	if u == anthropic {
		_, speaks := steps[client]["system"]
		keeps := slices.ContainsFunc(s.Asked(), func(a vendors.Asked) bool {
			messages := decoded(a.Body)["messages"].(list)
			return slices.ContainsFunc(messages, func(m any) bool { return m.(object)["role"] == "system" })
		})
		require.Equal(t, speaks && model == "claude-opus-5-5", keeps,
			"system messages keep their role if the model allows it")
	}
}
