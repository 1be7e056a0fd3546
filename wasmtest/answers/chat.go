package answers

import (
	"strings"

	"github.com/stretchr/testify/require"
)

const (
	tier      = "[service_tier]:'auto'|'default'|'flex'|'scale'|'priority'"
	chunkHead = "id:string object:string created:integer model:string "
	finishes  = "'stop'|'length'|'tool_calls'|'content_filter'|'function_call'"
	reasoning = " [reasoning_content]:string [reasoning_details]:[]detail.*"
)

var chatShapes = Shapes{
	"chunk":    chunkHead + "choices:[]choice [usage]:usage|null [system_fingerprint]:string|null " + tier,
	"choice":   "index:integer delta:delta [logprobs]:logprobs finish_reason:null|" + finishes,
	"logprobs": "content:[]object refusal:null",
	"delta": "[role]:'assistant' [content]:string|null [refusal]:string [tool_calls]:[]object " +
		"[function_call]:legacy_piece " +
		"[annotations]:[]annotation.*" + reasoning,
	"first call":   "index:integer id:string type:'function'|'custom' [function]:function [custom]:custom",
	"later call":   "index:integer [function]:arguments [custom]:input",
	"arguments":    "arguments:string",
	"input":        "input:string",
	"legacy_piece": "[name]:string arguments:string",
	"usage": "prompt_tokens:integer completion_tokens:integer total_tokens:integer " +
		"[prompt_tokens_details]:prompt " +
		"[completion_tokens_details]:completion ...", // an upstream with the same protocol may send more
	"prompt":     "cached_tokens:integer [cache_write_tokens]:integer ...",
	"completion": "reasoning_tokens:integer ...",
	"error":      "message:string type:string param:string|null code:string|null",
	"failure":    "error:error",

	"answer":        chunkHead + "choices:[]answer_choice usage:usage " + tier,
	"answer_choice": "index:integer message:message logprobs:null|logprobs finish_reason:" + finishes,
	"message": "role:'assistant' content:string|null refusal:string|null annotations:[]annotation.* " +
		"[tool_calls]:[]call.* " +
		"[function_call]:function" + reasoning,
	"call.function": "type:string id:string function:function",
	"call.custom":   "type:string id:string custom:custom",
	"function":      "name:string arguments:string",
	"custom":        "name:string input:string",

	"annotation.url_citation":    "type:string url_citation:place",
	"place":                      "start_index:integer end_index:integer url:string title:string",
	"detail.reasoning.text":      "type:string text:string signature:string [id]:string index:integer",
	"detail.reasoning.encrypted": "type:string data:string [id]:string index:integer",
}

// checkChat checks a stream of Chat Completions. All chunks have the same id, and the first one has
// the role. Tool calls have dense indexes; each call has its id, type and name exactly once. One
// finish_reason follows, then the usage if the client asked for it, then [DONE]. A stream may also
// end with an error, followed by nothing.
func checkChat(t T, asked bool, frames []Frame) {
	require.NotEmpty(t, frames)
	state, counted := "before", false
	var head map[string]any // id, created and model, equal in all chunks
	var ids []any
	var arguments []string
	legacy := 0
	for _, f := range frames {
		require.Empty(t, f.Name)
		require.NotEqual(t, "ended", state, f.Data)
		if f.Data == "[DONE]" {
			require.Equal(t, "finished", state)
			state = "ended"
			continue
		}
		if f.JSON["error"] != nil {
			fits(t, chatShapes, "error", object(t, f.JSON, "error"))
			require.NotEmpty(t, object(t, f.JSON, "error")["message"])
			require.Len(t, f.JSON, 1)
			require.NotEqual(t, "finished", state)
			state = "ended"
			continue
		}
		fits(t, chatShapes, "chunk", f.JSON)
		require.Equal(t, "chat.completion.chunk", f.JSON["object"])
		Number(t, f.JSON, "created")
		require.NotEmpty(t, f.JSON["id"])
		own := map[string]any{"id": f.JSON["id"], "created": f.JSON["created"], "model": f.JSON["model"]}
		if state == "before" {
			head = own
		}
		require.Equal(t, head, own)
		choices := f.JSON["choices"].([]any)
		if len(choices) == 0 {
			require.Equal(t, "finished", state)
			require.True(t, asked, "usage that was not asked for")
			require.False(t, counted, "usage twice")
			counted = true
			usage := object(t, f.JSON, "usage")
			fits(t, chatShapes, "usage", usage)
			checkCounts(t, usage)
			require.Equal(t, Number(t, usage, "prompt_tokens")+Number(t, usage, "completion_tokens"),
				Number(t, usage, "total_tokens"))
			if details, ok := usage["prompt_tokens_details"].(map[string]any); ok {
				fits(t, chatShapes, "prompt", details)
				written, _ := details["cache_write_tokens"].(float64)
				require.LessOrEqual(t, Number(t, details, "cached_tokens")+int(written),
					Number(t, usage, "prompt_tokens"))
			}
			if details, ok := usage["completion_tokens_details"].(map[string]any); ok {
				fits(t, chatShapes, "completion", details)
			}
			continue
		}
		usage, has := f.JSON["usage"]
		require.Equal(t, asked, has, f.Data)
		require.Nil(t, usage)
		require.Len(t, choices, 1)
		choice := choices[0].(map[string]any)
		fits(t, chatShapes, "choice", choice)
		require.Equal(t, 0, Number(t, choice, "index"))
		delta := object(t, choice, "delta")
		fits(t, chatShapes, "delta", delta)
		if state == "before" {
			require.Equal(t, "assistant", delta["role"])
			state = "open"
		} else {
			require.NotContains(t, delta, "role")
			for _, key := range []string{"content", "refusal", "reasoning_content"} {
				if v, ok := delta[key]; ok {
					require.IsType(t, "", v, f.Data)
				}
			}
		}
		require.Equal(t, "open", state, f.Data)
		if call, ok := delta["function_call"].(map[string]any); ok {
			require.IsType(t, "", call["arguments"])
			if legacy++; legacy == 1 {
				require.NotEmpty(t, call["name"])
			} else {
				require.NotContains(t, call, "name")
			}
		}
		list, _ := delta["tool_calls"].([]any)
		for _, element := range list {
			call := element.(map[string]any)
			kind, piece := "function", "arguments"
			if call["custom"] != nil {
				kind, piece = "custom", "input"
			}
			callee := object(t, call, kind)
			text, ok := callee[piece].(string)
			require.True(t, ok, f.Data)
			if index := Number(t, call, "index"); index == len(ids) {
				fits(t, chatShapes, "first call", call)
				require.NotEmpty(t, call["id"])
				require.NotContains(t, ids, call["id"])
				require.Equal(t, kind, call["type"])
				require.NotEmpty(t, callee["name"])
				require.Len(t, callee, 2)
				ids, arguments = append(ids, call["id"]), append(arguments, text)
				if kind == "custom" {
					arguments[index] = "custom"
				}
			} else {
				require.Equal(t, len(ids)-1, index)
				fits(t, chatShapes, "later call", call)
				require.Len(t, callee, 1)
				arguments[index] += text
			}
		}
		if finish := choice["finish_reason"]; finish != nil {
			require.Empty(t, delta)
			require.Contains(t,
				[]any{"stop", "length", "tool_calls", "content_filter", "function_call"}, finish)
			require.Equal(t, finish == "function_call",
				finish != "length" && finish != "content_filter" && legacy > 0)
			if len(ids) > 0 {
				require.NotEqual(t, "stop", finish)
			} else {
				require.NotEqual(t, "tool_calls", finish)
			}
			state = "finished"
		}
	}
	require.Equal(t, "ended", state)
	for _, text := range arguments[:max(len(arguments)-1, 0)] {
		require.NotEmpty(t, strings.TrimSpace(text), "a call without arguments")
	}
}
