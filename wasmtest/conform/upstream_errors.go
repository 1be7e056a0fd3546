package conform

import (
	"net/http"
	"strings"
)

// fail sends an error in the vendor's form.
func (u *Upstream) fail(w http.ResponseWriter, status int, message string, head http.Header) {
	for name, values := range head {
		w.Header()[name] = values
	}
	reply(w, status, failure(u.name, status, message))
}

var (
	messagesWords = map[int]string{400: "invalid_request_error", 401: "authentication_error",
		402: "billing_error", 403: "permission_error", 404: "not_found_error", 405: "invalid_request_error",
		413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 503: "overloaded_error",
		504: "timeout_error", 529: "overloaded_error"}
	googleWords = map[int]string{400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED",
		404: "NOT_FOUND", 405: "UNIMPLEMENTED", 429: "RESOURCE_EXHAUSTED", 500: "INTERNAL",
		503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED"}
	openAIWords = map[int]string{429: "rate_limit_error", 500: "server_error", 503: "server_error"}
	openAICodes = map[int]string{401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded",
		503: "server_is_overloaded"}
)

// failure returns the body of an error of an API.
func failure(name string, status int, message string) any {
	switch name {
	case "messages":
		return object{"type": "error", "error": object{"type": messagesWords[status], "message": message},
			"request_id": "req_conform"}
	case "gemini":
		return object{"error": object{"code": status, "message": message, "status": googleWords[status]}}
	case "interactions":
		return object{"error": object{"code": strings.ToLower(googleWords[status]), "message": message}}
	}
	kind := openAIWords[status]
	if kind == "" {
		kind = "invalid_request_error"
	}
	var code any
	if word := openAICodes[status]; word != "" {
		code = word
	}
	return object{"error": object{"message": message, "type": kind, "param": nil, "code": code}}
}

// failingEvents returns the events with which a stream of an API fails. n is the number of events
// before.
func failingEvents(name string, n int, message string) []string {
	event := func(kind string, v any) string { return "event: " + kind + "\ndata: " + encode(v) + "\n\n" }
	switch name {
	case "messages":
		return []string{event("error", failure(name, 529, message))}
	case "responses":
		return []string{event("error", object{"type": "error", "code": "server_error", "message": message,
			"param": nil, "sequence_number": n}), event("response.failed", object{"type": "response.failed",
			"sequence_number": n + 1, "response": object{"id": "resp_e2e_1", "object": "response",
				"created_at": 1, "status": "failed", "model": "upstream-model", "output": []any{},
				"error": object{"code": "server_error", "message": message}, "incomplete_details": nil,
				"usage": nil}})}
	case "interactions":
		return []string{event("error", object{"event_type": "error", "error": object{"code": "internal",
			"message": message}})}
	}
	return []string{"data: " + encode(failure(name, 500, message)) + "\n\n"}
}
