package conform

import "encoding/json"

// Ask is a request of a client in any API, for checks that have readers of their own. A second turn
// repeats the first turn's calls, and has their results.
type Ask struct {
	Model, Words string
	Tools        []Tool
	Forced       string // the name of the tool in tool_choice; "" for none
	MaxTokens    int
	Stream       bool
	NoUsage      bool // Chat Completions: does not ask for usage in a stream
	Calls        []Call
	Results      []string
}

// Body returns the request's body for an API of Cases, or for the API's name in package vendors.
func (a *Ask) Body(name string) map[string]any {
	api := clientOf(name)
	history := []any{api.user(texts(a.Words)...)}
	if a.Results != nil {
		history = append(history, api.calls(a.Calls)...)
		history = append(history, api.results(a.Calls, a.Results)...)
	}
	return api.body(&question{model: a.Model, history: history, tools: a.Tools, forced: a.Forced,
		maxTokens: a.MaxTokens, stream: a.Stream, noUsage: a.NoUsage})
}

// Path returns the request's path after a prefix such as /v1.
func (a *Ask) Path(name, prefix string) string { return clientOf(name).path(prefix, a.Model, a.Stream) }

func messagesCalls(calls []Call) []any {
	var content []any
	for _, c := range calls {
		content = append(content, object{"type": "tool_use", "id": c.ID, "name": c.Name,
			"input": json.RawMessage(c.Arguments)})
	}
	return []any{object{"role": "assistant", "content": content}}
}

func chatCalls(calls []Call) []any {
	var all []any
	for _, c := range calls {
		all = append(all, object{"id": c.ID, "type": "function", "function": object{"name": c.Name,
			"arguments": c.Arguments}})
	}
	return []any{object{"role": "assistant", "content": nil, "tool_calls": all}}
}

func responsesCalls(calls []Call) (all []any) {
	for _, c := range calls {
		all = append(all, object{"type": "function_call", "call_id": c.ID, "name": c.Name,
			"arguments": c.Arguments})
	}
	return all
}

func geminiCalls(calls []Call) []any {
	var parts []any
	for _, c := range calls {
		parts = append(parts, object{"functionCall": object{"id": c.ID, "name": c.Name,
			"args": json.RawMessage(c.Arguments)}})
	}
	return []any{object{"role": "model", "parts": parts}}
}
