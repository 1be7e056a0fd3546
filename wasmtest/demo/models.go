package demo

import (
	"net/http"
	"strings"
)

// model is the name of the listed model. Requests may name any model.
const model = "demo"

// listing returns the API of the client that asks for a list: Chat Completions unless the path or a header
// is another API's.
func listing(r *http.Request) api {
	path := "/chat/completions"
	switch {
	case strings.Contains(r.URL.Path, "/v1beta/"), r.Header.Get("X-Goog-Api-Key") != "":
		path = generate
	case r.Header.Get("Anthropic-Version") != "":
		path = "/messages"
	}
	a, _ := route(path)
	return a
}

// listModels returns the list of models, or one model's entry, depending on the path of r. With the
// header anthropic-version the answer has Anthropic's shape, below /v1beta Google's.
func listModels(r *http.Request) any {
	entry := object{"id": model, "object": "model", "created": created, "owned_by": "edgelingua"}
	list := object{"object": "list", "data": []any{entry}}
	if r.Header.Get("Anthropic-Version") != "" {
		entry = object{"type": "model", "id": model, "display_name": "Demo",
			"created_at": "2025-06-15T15:06:40Z"}
		list = object{"data": []any{entry}, "has_more": false, "first_id": model, "last_id": model}
	}
	if strings.Contains(r.URL.Path, "/v1beta/") || r.Header.Get("X-Goog-Api-Key") != "" {
		entry = object{"name": "models/" + model, "displayName": "Demo",
			"supportedGenerationMethods": []any{"generateContent"}}
		list = object{"models": []any{entry}}
	}
	if strings.HasSuffix(r.URL.Path, "/"+model) {
		return entry
	}
	return list
}
