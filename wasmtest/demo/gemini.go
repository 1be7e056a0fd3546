package demo

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
)

// Ends of the paths of generateContent. The model's name is before them.
const (
	generate       = ":generateContent"
	streamGenerate = ":streamGenerateContent"
)

// readGemini reads a request of generateContent. A call has no id: its result is matched by the
// tool's name.
func readGemini(path string, body []byte) (*turn, error) {
	type part struct {
		Text     string
		Call     *struct{ Name string } `json:"functionCall"`
		Response *struct {
			Name     string
			Response struct{ Output string }
		} `json:"functionResponse"`
	}
	var r struct {
		Contents []struct {
			Role  string
			Parts []part
		}
		Tools []struct {
			Functions []struct {
				Name       string
				Parameters any
				Schema     any `json:"parametersJsonSchema"`
			} `json:"functionDeclarations"`
		}
		ToolConfig struct {
			Calling struct {
				Mode  string
				Names []string `json:"allowedFunctionNames"`
			} `json:"functionCallingConfig"`
		}
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	name, stream := strings.CutSuffix(path[strings.LastIndexByte(path, '/')+1:], streamGenerate)
	name = strings.TrimSuffix(name, generate)
	if name == "" || len(r.Contents) == 0 {
		return nil, errors.New("a model and contents are required")
	}
	t := &turn{model: name, stream: stream}
	for _, c := range r.Contents {
		if c.Role == "model" {
			t.answered = false
		}
		for _, p := range c.Parts {
			switch {
			case p.Call != nil:
				t.takeCall(p.Call.Name)
			case p.Response != nil:
				if err := t.takeResult(p.Response.Name, p.Response.Response.Output); err != nil {
					return nil, err
				}
			case c.Role == "user":
				t.takeWords(p.Text)
			}
		}
	}
	calling := r.ToolConfig.Calling
	if calling.Mode == "NONE" {
		return t, nil
	}
	if t.forced = calling.Mode == "ANY"; t.forced && len(calling.Names) == 1 {
		t.forcedTool = calling.Names[0]
	}
	for _, offered := range r.Tools {
		for _, f := range offered.Functions {
			schema := f.Schema
			if schema == nil {
				schema = f.Parameters
			}
			t.tools = append(t.tools, tool{f.Name, schema})
		}
	}
	return t, nil
}

// geminiChunk returns an answer, or a chunk of an answer, with parts.
func geminiChunk(t *turn, reason string, parts ...any) object {
	candidate := object{"content": object{"role": "model", "parts": parts}, "index": 0}
	if reason != "" {
		candidate["finishReason"] = reason
	}
	return object{"candidates": []any{candidate}, "modelVersion": t.model, "responseId": t.id}
}

func geminiUsage(t *turn, r *reply) any {
	return object{"promptTokenCount": t.inputTokens, "candidatesTokenCount": r.outputTokens(),
		"totalTokenCount": t.inputTokens + r.outputTokens()}
}

func geminiCalls(r *reply) (parts []any) {
	for _, c := range r.calls {
		parts = append(parts, object{"functionCall": object{"name": c.tool,
			"args": json.RawMessage(c.arguments)}})
	}
	return parts
}

func plainGemini(t *turn, r *reply) any {
	parts := geminiCalls(r)
	if parts == nil {
		parts = []any{object{"text": r.text}}
	}
	answer := geminiChunk(t, "STOP", parts...)
	answer["usageMetadata"] = geminiUsage(t, r)
	return answer
}

func streamGemini(e *events, t *turn, r *reply) {
	for _, call := range geminiCalls(r) {
		e.send("", geminiChunk(t, "", call))
	}
	for _, piece := range pieces(r.text, 12) {
		e.send("", geminiChunk(t, "", object{"text": piece}))
	}
	last := geminiChunk(t, "STOP", object{"text": ""})
	last["usageMetadata"] = geminiUsage(t, r)
	e.send("", last)
}

// geminiStatuses are Google's names of HTTP statuses.
var geminiStatuses = map[failure]string{
	invalid: "INVALID_ARGUMENT", unauthorized: "UNAUTHENTICATED", http.StatusForbidden: "PERMISSION_DENIED",
	notFound:                   "NOT_FOUND",
	http.StatusTooManyRequests: "RESOURCE_EXHAUSTED", http.StatusServiceUnavailable: "UNAVAILABLE",
	http.StatusGatewayTimeout: "DEADLINE_EXCEEDED",
}

func geminiFailure(kind failure, message string) any {
	status, ok := geminiStatuses[kind]
	if !ok {
		status = "INTERNAL"
	}
	return object{"error": object{"code": int(kind), "message": message, "status": status}}
}

func breakGemini(e *events, _ *turn, message string) {
	e.send("", geminiFailure(http.StatusInternalServerError, message))
}
