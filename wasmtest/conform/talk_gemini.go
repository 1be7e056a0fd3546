package conform

import (
	"encoding/json"
	"net/url"
)

var geminiAPI = &api{
	name: "gemini", double: "gemini", paths: []string{"/v1beta/models", "/v1/models"},
	path: func(prefix, model string, stream bool) string {
		if stream {
			return prefix + "/models/" + url.PathEscape(model) + ":streamGenerateContent?alt=sse"
		}
		return prefix + "/models/" + url.PathEscape(model) + ":generateContent"
	},
	head: func(key string) map[string]string {
		if key == "" {
			return map[string]string{}
		}
		return map[string]string{"x-goog-api-key": key}
	},
	user: func(parts ...part) any {
		var all []any
		for _, p := range parts {
			switch {
			case p.image != "":
				all = append(all, object{"inlineData": object{"mimeType": "image/png", "data": p.image}})
			case p.document != "":
				all = append(all, object{"inlineData": object{"mimeType": "application/pdf",
					"data": p.document}})
			default:
				all = append(all, object{"text": p.text})
			}
		}
		return object{"role": "user", "parts": all}
	},
	results: func(calls []Call, outputs []string) []any {
		var parts []any
		for i, c := range calls {
			response := object{"name": c.Name, "response": object{"output": outputs[i]}}
			if c.ID != "" {
				response["id"] = c.ID
			}
			parts = append(parts, object{"functionResponse": response})
		}
		return []any{object{"role": "user", "parts": parts}}
	},
	calls: geminiCalls,
	back:  func(r *Reply) []any { return []any{object{"role": "model", "parts": r.items}} },
	body:  geminiBody,
	read:  readGemini,
	error: func(v value) string {
		e := v.get("error")
		e.get("code").count()
		e.get("status").name()
		return e.get("message").name()
	},
}

func geminiBody(q *question) object {
	config := object{"maxOutputTokens": q.maxTokens}
	body := object{"contents": q.history, "generationConfig": config}
	if q.system != "" {
		body["systemInstruction"] = object{"parts": []any{object{"text": q.system}}}
	}
	var functions []any
	for _, t := range q.tools {
		functions = append(functions, object{"name": t.Name, "description": t.Description,
			"parametersJsonSchema": t.Schema})
	}
	if functions != nil {
		body["tools"] = []any{object{"functionDeclarations": functions}}
	}
	switch {
	case q.forced != "":
		body["toolConfig"] = object{"functionCallingConfig": object{"mode": "ANY",
			"allowedFunctionNames": []any{q.forced}}}
	case q.any:
		body["toolConfig"] = object{"functionCallingConfig": object{"mode": "ANY"}}
	}
	if q.schema != nil {
		config["responseMimeType"], config["responseJsonSchema"] = "application/json", q.schema
	}
	if q.thinking {
		config["thinkingConfig"] = object{"includeThoughts": true}
	}
	if q.stop != "" {
		config["stopSequences"] = []any{q.stop}
	}
	if q.sampling {
		config["temperature"] = 0.5
	}
	return body
}

func readGemini(r *Reply) {
	chunks := []object{r.JSON}
	if r.Stream {
		chunks = nil
		for _, e := range r.Events {
			chunks = append(chunks, e.JSON)
		}
	}
	for _, chunk := range chunks {
		if u := member[object](chunk, "usageMetadata"); len(u) > 0 {
			r.Usage = Usage{Input: number(u, "promptTokenCount"), Cached: number(u,
				"cachedContentTokenCount"),
				Output: number(u, "candidatesTokenCount") + number(u, "thoughtsTokenCount"),
				Total:  number(u, "totalTokenCount")}
			r.Counted = true
		}
		for _, candidate := range elements(chunk, "candidates") {
			if word := member[string](candidate, "finishReason"); word != "" {
				r.Stop = word
			}
			for _, p := range elements(member[object](candidate, "content"), "parts") {
				r.geminiPart(p)
			}
		}
	}
}

func (r *Reply) geminiPart(p object) {
	r.items = append(r.items, p)
	if call := member[object](p, "functionCall"); call != nil {
		arguments, _ := json.Marshal(call["args"])
		r.Calls = append(r.Calls, Call{ID: member[string](call, "id"), Name: member[string](call, "name"),
			Arguments: string(arguments), Signature: member[string](p, "thoughtSignature")})
	} else if member[bool](p, "thought") {
		r.thinking.WriteString(member[string](p, "text"))
	} else {
		r.text.WriteString(member[string](p, "text"))
	}
}
