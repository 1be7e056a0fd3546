package translator_test

import (
	"encoding/json"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

// checkAgree puts a client's stream together as its SDK does and sees that this is the plain answer that the client would have
// got, member by member, and that a failure has the same words in both. No object of either has a key twice. Differences by
// design:
//
//   - Messages: a tool's input that is no JSON object reaches a streaming client as the model wrote it. A plain body can only
//     hold an object, and has the input inside one.
//   - Chat: an answer without content has content null in chunks and "" in a body. A stream has usage where the client asked for
//     it and the upstream counted; a body always has it, since clients read it unasked, with 0 for what is unknown.
//   - Where the translator watches for stop sequences, a stream ends at the sequence, without the usage that would come at its
//     end.
func checkAgree(t *testing.T, x *translator.Exchange, stream, body []byte, failure *ir.Error) {
	frames := framesOf(t, halvesKept(stream))
	for _, f := range frames {
		if f.json != nil {
			checkKeys(t, []byte(f.data))
		}
	}
	client := x.Request.API.Name
	require.Equal(t, failure != nil, isFailure(x, frames), "%s\n%s", stream, body)
	if failure != nil {
		want := decoded(t, translator.API(client).Client.AppendError(nil, failure))
		got := frames[len(frames)-1].json
		if client == "responses" {
			got = map[string]any{"error": frames[len(frames)-2].json["error"]}
		}
		require.Equal(t, want, got)
		return
	}
	want, got := decoded(t, halvesKept(body)), map[string]any{}
	switch client {
	case "anthropic":
		got = messageOf(t, frames)
		if child(want, "usage")["input_tokens"] == 0.0 { // the upstream did not say: the stream's estimate stands
			child(got, "usage")["input_tokens"] = 0.0
		}
		for i, block := range want["content"].([]any) {
			if _, ok := child(block.(map[string]any), "input")["invalid_arguments"]; ok {
				input := got["content"].([]any)[i].(map[string]any)["input"]
				require.Equal(t, map[string]any{"invalid_arguments": input}, child(block.(map[string]any), "input"))
				got["content"].([]any)[i] = block
			}
		}
	case "chat":
		got = completionOf(t, frames)
		for _, answer := range []map[string]any{want, got} {
			message := child(answer["choices"].([]any)[0].(map[string]any), "message")
			if message["content"] == "" {
				message["content"] = nil
			}
		}
		counted := number(t, child(want, "usage"), "total_tokens") > 0
		if got["usage"] == nil && !(counted && x.Request.StreamUsage) {
			got["usage"] = want["usage"]
		}
	case "gemini":
		got = contentOf(t, frames, want)
	case "responses":
		got = child(frames[len(frames)-1].json, "response")
	}
	if x.WatchesStops() {
		for _, key := range []string{"usage", "usageMetadata"} {
			if delete(got, key); want[key] != nil {
				got[key] = want[key]
			}
		}
	}
	require.Equal(t, want, got)
}

var halves = regexp.MustCompile(`\\\\|\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// halvesKept escapes the escapes of surrogates in JSON, so that encoding/json keeps them: a delta may hold half of a surrogate
// pair, which encoding/json would replace.
func halvesKept(text []byte) []byte {
	return halves.ReplaceAllFunc(text, func(escape []byte) []byte {
		if escape[1] == '\\' {
			return escape
		}
		return append([]byte{'\\'}, escape...)
	})
}

func decoded(t *testing.T, body []byte) (o map[string]any) {
	require.NoError(t, json.Unmarshal(body, &o), string(body))
	return o
}

// messageOf returns the message that a Messages client puts together from a stream.
func messageOf(t *testing.T, frames []frame) map[string]any {
	message := child(frames[0].json, "message")
	var content []any
	input := ""
	for _, f := range frames[1:] {
		switch f.name {
		case "content_block_start":
			content, input = append(content, child(f.json, "content_block")), ""
		case "content_block_delta":
			block, delta := content[len(content)-1].(map[string]any), child(f.json, "delta")
			for _, key := range []string{"text", "thinking", "signature"} {
				if piece := text(delta, key); piece != "" {
					block[key] = text(block, key) + piece
				}
			}
			if delta["type"] == "compaction_delta" {
				block["content"], block["encrypted_content"] = delta["content"], delta["encrypted_content"]
			}
			if citation := delta["citation"]; citation != nil {
				list, _ := block["citations"].([]any)
				block["citations"] = append(list, citation)
			}
			input += text(delta, "partial_json")
		case "content_block_stop":
			if block := content[len(content)-1].(map[string]any); input != "" {
				var object map[string]any
				if json.Unmarshal([]byte(input), &object) == nil && object != nil {
					block["input"] = object
				} else {
					block["input"] = input
				}
			}
		case "message_delta":
			for key, value := range child(f.json, "delta") {
				message[key] = value
			}
			for key, value := range child(f.json, "usage") {
				child(message, "usage")[key] = value
			}
			if edits := f.json["context_management"]; edits != nil {
				message["context_management"] = edits
			}
		}
	}
	message["content"] = append([]any{}, content...)
	return message
}

// completionOf returns the completion that a Chat client puts together from a stream.
func completionOf(t *testing.T, frames []frame) map[string]any {
	first := frames[0].json
	message := map[string]any{"role": "assistant", "content": nil, "refusal": nil, "annotations": []any{}}
	choice := map[string]any{"index": 0.0, "message": message, "logprobs": nil}
	completion := map[string]any{"id": first["id"], "object": "chat.completion", "created": first["created"], "model": first["model"], "choices": []any{choice}}
	var calls []any
	for _, f := range frames {
		if f.json["usage"] != nil {
			completion["usage"] = f.json["usage"]
		}
		if f.json["service_tier"] != nil {
			completion["service_tier"] = f.json["service_tier"]
		}
		choices, _ := f.json["choices"].([]any)
		if len(choices) == 0 {
			continue
		}
		if finish := choices[0].(map[string]any)["finish_reason"]; finish != nil {
			choice["finish_reason"] = finish
		}
		if more := child(choices[0].(map[string]any), "logprobs"); more != nil {
			if choice["logprobs"] == nil {
				choice["logprobs"] = map[string]any{"content": []any{}, "refusal": nil}
			}
			all := child(choice, "logprobs")
			all["content"] = append(all["content"].([]any), more["content"].([]any)...)
		}
		delta := child(choices[0].(map[string]any), "delta")
		added(t, message, delta, "content", "refusal", "reasoning_content")
		for _, key := range []string{"annotations", "reasoning_details"} {
			if more, ok := delta[key].([]any); ok {
				list, _ := message[key].([]any)
				message[key] = append(list, more...)
			}
		}
		if piece := child(delta, "function_call"); piece != nil {
			if message["function_call"] == nil {
				message["function_call"] = map[string]any{}
			}
			added(t, child(message, "function_call"), piece, "name", "arguments")
		}
		pieces, _ := delta["tool_calls"].([]any)
		for _, element := range pieces {
			piece := element.(map[string]any)
			if number(t, piece, "index") == len(calls) {
				delete(piece, "index")
				calls = append(calls, piece)
				continue
			}
			call := calls[number(t, piece, "index")].(map[string]any)
			for key, member := range map[string]string{"function": "arguments", "custom": "input"} {
				if more := child(piece, key); more != nil {
					added(t, child(call, key), more, member)
				}
			}
		}
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return completion
}

// added appends the texts under keys of a delta to those that came before.
func added(t *testing.T, to, delta map[string]any, keys ...string) {
	for _, key := range keys {
		if delta[key] != nil {
			require.IsType(t, "", delta[key])
			to[key] = text(to, key) + text(delta, key)
		}
	}
}
