package clients

import (
	"net/url"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/vendors"
)

var geminiAPI = api{
	path: func(model string, stream bool) string {
		if stream {
			return "/v1beta/models/" + url.PathEscape(model) + ":streamGenerateContent?alt=sse"
		}
		return "/v1beta/models/" + url.PathEscape(model) + ":generateContent"
	},
	header: func(key string) object { return object{"x-goog-api-key": key} },
	user: func(words any) object {
		parts, ok := words.(list)
		if !ok {
			parts = list{object{"text": words}}
		}
		return object{"role": "user", "parts": parts}
	},
	results: func(s *SDK, results []Result) list {
		var parts list
		for _, r := range results {
			name := ""
			for _, call := range s.calls {
				if call.ID == r.ID {
					name = call.Name
				}
			}
			parts = append(
				parts,
				object{
					"functionResponse": object{
						"id":       r.ID,
						"name":     name,
						"response": object{"output": r.Output},
					},
				},
			)
		}
		return list{object{"role": "user", "parts": parts}}
	},
	request: func(s *SDK, forced string) object {
		body := object{"model": "claude-test", "contents": s.History}
		functions := s.offer(
			func(t Tool) object { return object{"name": t.Name, "parametersJsonSchema": t.Schema} },
		)
		if functions != nil {
			body["tools"] = list{object{"functionDeclarations": functions}}
		}
		if forced != "" {
			body["toolConfig"] = object{
				"functionCallingConfig": object{"mode": "ANY", "allowedFunctionNames": list{forced}},
			}
		}
		return copied(body, s.More)
	},
	plain: func(body []byte) object { return answers.Decoded(strict{}, body) },
	stream: func(stream []byte) (a answer) {
		for _, f := range answers.Frames(strict{}, stream) {
			demand(f.Name == "", "an event with the name %s", f.Name)
			if failure := member(f.JSON, "error"); failure != nil {
				panic(inStream(text(failure, "message")))
			}
			a.chunks = append(a.chunks, f.JSON)
		}
		a.whole = a.chunks[len(a.chunks)-1]
		return a
	},
	said: func(a answer) *Said {
		s := &Said{Stop: text(candidate(a.whole), "finishReason")}
		for _, chunk := range a.chunks {
			parts := objects(member(candidate(chunk), "content")["parts"])
			if len(parts) > 0 && parts[0]["text"] == "" {
				continue // @google/adk 2.0 takes such a chunk or body for an empty one
			}
			for _, part := range parts {
				if part["thought"] != true {
					s.Text += text(part, "text")
				}
				if call := member(part, "functionCall"); call != nil {
					s.call(text(call, "id"), text(call, "name"), call["args"])
				}
			}
		}
		switch {
		case s.Stop == "STOP" && len(s.Calls) > 0:
			s.Stop = "tool"
		case s.Stop == "STOP":
			s.Stop = "end"
		}
		usage := member(a.whole, "usageMetadata")
		demand(usage != nil, "an answer without usage: %v", a.whole)
		s.Usage.Cached = count(usage, "cachedContentTokenCount")
		s.Usage.Input = count(usage, "promptTokenCount") - s.Usage.Cached
		s.Usage.Output = count(usage, "candidatesTokenCount") + count(usage, "thoughtsTokenCount")
		return s
	},
	// back returns each chunk's content, as the SDK's chats do. A call without a signature gets the
	// signature before it, as @google/adk 2.0 does (utils/streaming_utils.ts).
	back: func(a answer) (contents list) {
		var signature any
		for _, chunk := range a.chunks {
			content := member(candidate(chunk), "content")
			for _, part := range objects(content["parts"]) {
				if part["thoughtSignature"] != nil {
					signature = part["thoughtSignature"]
				} else if part["functionCall"] != nil && signature != nil {
					part["thoughtSignature"] = signature
				}
			}
			contents = append(contents, content)
		}
		return contents
	},
	failure: openAIFailure,
}

// candidate returns the only candidate of an answer or a chunk.
func candidate(chunk object) object {
	all := objects(chunk["candidates"])
	demand(len(all) == 1 && member(all[0], "content") != nil, "one candidate with its content: %v", chunk)
	return all[0]
}

// call adds a call to the answer.
func (s *Said) call(id, name string, input any) {
	s.Calls = append(s.Calls, vendors.Call{ID: id, Name: name, Input: input})
}
