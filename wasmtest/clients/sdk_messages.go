package clients

import (
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/vendors"
)

var messagesAPI = api{
	path: func(string, bool) string { return "/v1/messages" },
	header: func(key string) object {
		return object{"x-api-key": key, "anthropic-version": "2023-06-01"}
	},
	user: func(words any) object { return object{"role": "user", "content": words} },
	results: func(_ *SDK, results []Result) list {
		var content list
		for _, r := range results {
			content = append(content, object{"type": "tool_result", "tool_use_id": r.ID, "content": r.Output})
		}
		return list{object{"role": "user", "content": content}}
	},
	request: func(s *SDK, forced string) object {
		body := object{"model": "claude-test", "max_tokens": 64, "messages": s.History}
		with(body, "tools",
			s.offer(func(t Tool) object { return object{"name": t.Name, "input_schema": t.Schema} }))
		if forced != "" {
			body["tool_choice"] = object{"type": "tool", "name": forced}
		}
		return copied(body, s.More)
	},
	plain: func(body []byte) object { return answers.ReadMessage(strict{}, body) },
	stream: func(stream []byte) answer {
		message, failure, _ := answers.ReadMessages(strict{}, stream)
		if failure != nil {
			panic(inStream(text(failure, "message")))
		}
		return answer{whole: message}
	},
	said: func(a answer) *Said {
		s := &Said{Stop: text(a.whole, "stop_reason")}
		if word := map[string]string{"tool_use": "tool", "end_turn": "end"}[s.Stop]; word != "" {
			s.Stop = word
		}
		for _, block := range objects(a.whole["content"]) {
			s.Text += text(block, "text")
			if block["type"] == "tool_use" {
				s.call(text(block, "id"), text(block, "name"), block["input"])
			}
		}
		usage := member(a.whole, "usage")
		s.Usage = vendors.Usage{
			Input: count(usage, "input_tokens"), Cached: count(usage, "cache_read_input_tokens"),
			Output: count(usage, "output_tokens"),
		}
		return s
	},
	back:    func(a answer) list { return list{object{"role": "assistant", "content": a.whole["content"]}} },
	failure: func(body []byte) string { return text(answers.ReadMessagesError(strict{}, body), "message") },
}
