package clients

import (
	"slices"

	"edgelingua/wasmtest/answers"
)

func bearer(key string) object { return object{"authorization": "Bearer " + key} }

var chatAPI = api{
	path:   func(string, bool) string { return "/v1/chat/completions" },
	header: bearer,
	user:   func(words any) object { return object{"role": "user", "content": words} },
	results: func(_ *SDK, results []Result) (messages list) {
		for _, r := range results {
			messages = append(messages, object{"role": "tool", "tool_call_id": r.ID, "content": r.Output})
		}
		return messages
	},
	request: func(s *SDK, forced string) object {
		body := object{"model": "claude-test", "messages": s.History}
		with(body, "tools", s.offer(func(t Tool) object {
			return object{"type": "function", "function": object{"name": t.Name, "parameters": t.Schema}}
		}))
		if forced != "" {
			body["tool_choice"] = object{"type": "function", "function": object{"name": forced}}
		}
		if s.Stream { // More may override the options
			body["stream_options"] = object{"include_usage": true}
		}
		return copied(body, s.More)
	},
	plain: func(body []byte) object { return answers.Decoded(strict{}, body) },
	stream: func(stream []byte) answer {
		return answer{whole: completionOf(answers.Frames(strict{}, stream))}
	},
	said: func(a answer) *Said {
		choice := objects(a.whole["choices"])[0]
		message := member(choice, "message")
		s := &Said{Text: text(message, "content"), Stop: text(choice, "finish_reason")}
		if word := map[string]string{"tool_calls": "tool", "stop": "end"}[s.Stop]; word != "" {
			s.Stop = word
		}
		for _, call := range objects(message["tool_calls"]) {
			if f := member(call, "function"); f != nil {
				s.call(text(call, "id"), text(f, "name"), parsed(text(f, "arguments")))
			}
		}
		usage := member(a.whole, "usage")
		s.Usage.Cached = count(member(usage, "prompt_tokens_details"), "cached_tokens")
		s.Usage.Input, s.Usage.Output = count(usage, "prompt_tokens")-s.Usage.Cached, count(usage,
			"completion_tokens")
		return s
	},
	back:    func(a answer) list { return list{objects(a.whole["choices"])[0]["message"]} },
	failure: openAIFailure,
}

// openAIFailure returns the message in an error body of Chat Completions or Responses.
func openAIFailure(body []byte) string {
	failure := member(answers.Decoded(strict{}, body), "error")
	demand(text(failure, "message") != "", "an error without a message: %s", body)
	return text(failure, "message")
}

// completionOf assembles a completion from a stream as OpenAI's helper does (openai-node,
// lib/ChatCompletionStream.ts). For an unknown member of a delta, the helper keeps only the last
// piece. It also adds the member parsed.
func completionOf(frames []answers.Frame) object {
	demand(frames[len(frames)-1].Data == "[DONE]" || frames[len(frames)-1].JSON["error"] != nil,
		"a stream that ends with %s", frames[len(frames)-1].Data)
	message := object{}
	choice := object{"index": 0, "message": message}
	completion := object{"choices": list{choice}}
	for _, f := range frames {
		if failure := member(f.JSON, "error"); failure != nil {
			panic(inStream(text(failure, "message")))
		}
		for name, value := range f.JSON {
			if name != "choices" {
				completion[name] = value
			}
		}
		for _, part := range objects(f.JSON["choices"]) {
			if part["finish_reason"] != nil {
				choice["finish_reason"] = part["finish_reason"]
			}
			addDelta(message, member(part, "delta"))
		}
	}
	demand(choice["finish_reason"] != nil && message["role"] != nil,
		"an answer without an end, or without a role: %v", completion)
	for _, name := range []string{"content", "refusal", "parsed"} {
		if message[name] == nil {
			message[name] = nil
		}
	}
	return completion
}

func addDelta(message, delta object) {
	for name, value := range delta {
		switch name {
		case "content", "refusal":
			if more, ok := value.(string); ok && (more != "" || name == "content") {
				message[name] = text(message, name) + more
			}
		case "tool_calls":
			for _, piece := range objects(value) {
				addCall(message, piece)
			}
		default:
			message[name] = value
		}
	}
}

func addCall(message, piece object) {
	calls, _ := message["tool_calls"].(list)
	index := count(piece, "index")
	demand(index <= len(calls), "a call with the index %v", piece["index"])
	if index == len(calls) {
		calls = append(slices.Clip(calls), object{})
		message["tool_calls"] = calls
	}
	call := calls[index].(object)
	for name, value := range piece {
		switch name {
		case "index":
		case "function", "custom":
			part := member(call, name)
			if part == nil {
				part = object{"name": ""}
				call[name] = part
			}
			for key, value := range value.(object) {
				if more, ok := value.(string); ok && key != "name" {
					part[key] = text(part, key) + more
				} else {
					part[key] = value
				}
			}
		default:
			call[name] = value
		}
	}
}
