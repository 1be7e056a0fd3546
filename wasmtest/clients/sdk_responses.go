package clients

import (
	"strings"

	"edgelingua/wasmtest/answers"
)

var responsesAPI = api{
	path:   func(string, bool) string { return "/v1/responses" },
	header: bearer,
	user:   func(words any) object { return object{"role": "user", "content": words} },
	results: func(_ *SDK, results []Result) (items list) {
		for _, r := range results {
			items = append(items, object{"type": "function_call_output", "call_id": r.ID, "output": r.Output})
		}
		return items
	},
	request: func(s *SDK, forced string) object {
		body := object{"model": "claude-test", "store": false, "input": s.History}
		with(body, "tools", s.offer(func(t Tool) object {
			return object{"type": "function", "name": t.Name, "parameters": t.Schema, "strict": false}
		}))
		if forced != "" {
			body["tool_choice"] = object{"type": "function", "name": forced}
		}
		return copied(body, s.More)
	},
	plain: func(body []byte) object { return answers.Decoded(strict{}, body) },
	stream: func(stream []byte) answer {
		return answer{whole: withParsed(responseOf(answers.Frames(strict{}, stream)))}
	},
	said: func(a answer) *Said {
		s := &Said{Stop: text(a.whole, "status")}
		for _, item := range objects(a.whole["output"]) {
			for _, part := range objects(item["content"]) {
				if part["type"] == "output_text" {
					s.Text += text(part, "text")
				}
			}
			if item["type"] == "function_call" {
				s.call(text(item, "call_id"), text(item, "name"), parsed(text(item, "arguments")))
			}
		}
		switch {
		case s.Stop == "completed" && len(s.Calls) > 0:
			s.Stop = "tool"
		case s.Stop == "completed":
			s.Stop = "end"
		}
		usage := member(a.whole, "usage")
		demand(usage != nil, "an answer without usage: %v", a.whole)
		s.Usage.Cached = count(member(usage, "input_tokens_details"), "cached_tokens")
		s.Usage.Input, s.Usage.Output = count(usage, "input_tokens")-s.Usage.Cached, count(usage,
			"output_tokens")
		return s
	},
	back:    func(a answer) list { return a.whole["output"].(list) },
	failure: openAIFailure,
}

// responseOf returns the response in the last event of a stream.
func responseOf(frames []answers.Frame) object {
	var id any
	for _, f := range frames {
		demand(f.JSON["type"] == f.Name, "event: line and data.type differ: %s", f.Data)
		response := member(f.JSON, "response")
		if f.Name == "error" {
			panic(inStream(text(f.JSON, "message")))
		}
		if response == nil {
			continue
		}
		if id == nil {
			id = response["id"]
		}
		demand(id != nil && response["id"] == id, "the response has another id: %s", f.Data)
	}
	last := frames[len(frames)-1]
	response := member(last.JSON, "response")
	demand(response != nil && strings.TrimPrefix(last.Name, "response.") == response["status"],
		"a stream that ends with %s", last.Data)
	if failure := member(response, "error"); failure != nil {
		panic(inStream(text(failure, "message")))
	}
	return response
}

// withParsed adds members to a response in place, as OpenAI's stream helper does (openai-node,
// lib/ResponsesParser.ts), and returns the response.
func withParsed(response object) object {
	for _, item := range objects(response["output"]) {
		if item["type"] == "function_call" {
			item["parsed_arguments"] = nil
		}
		if item["type"] == "message" {
			for _, part := range objects(item["content"]) {
				part["parsed"] = nil
			}
		}
	}
	return response
}
