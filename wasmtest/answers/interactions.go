package answers

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const (
	aboutInteraction = "object:'interaction' model:string "
	endOfInteraction = "[usage]:usage created:string updated:string " +
		"service_tier:'standard'|'flex'|'priority'"
	aStatus = "status:'completed'|'requires_action'|'incomplete'|'failed' "
)

// interactionsShapes are the shapes of the answers of Interactions: Interaction, Step and
// InteractionSSEEvent of @google/genai 3.3.0. A member with the value of one type is a member of the
// SDK's types, and required there if it is required here.
var interactionsShapes = Shapes{
	"answer": "[id]:string " + aboutInteraction + "steps:[]step.* " + aStatus + "[errors]:[]error " +
		"[previous_interaction_id]:string " + endOfInteraction,
	"usage": "total_tokens:integer total_input_tokens:integer total_cached_tokens:integer " +
		"total_output_tokens:integer total_tool_use_tokens:integer total_thought_tokens:integer " +
		"...", // Google's own answers have more
	"error":   "message:string code:string",
	"failure": "error:error",

	"step.model_output":         "type:string content:[]content.*",
	"step.thought":              "type:string [summary]:[]content.text [signature]:string",
	"step.function_call":        "type:string id:string name:string arguments:object",
	"step.google_search_call":   "type:string id:string arguments:queries",
	"step.google_search_result": "type:string call_id:string result:[]found [is_error]:bool",
	"content.text":              "type:string text:string [annotations]:[]annotation.*",
	"annotation.url_citation": "type:string url:string [title]:string [start_index]:integer " +
		"[end_index]:integer",
	"queries": "queries:[]string",
	"found":   "search_suggestions:string",

	"interaction.created":       "event_type:string interaction:begun",
	"interaction.status_update": "event_type:string interaction_id:string status:'in_progress'",
	"interaction.completed":     "event_type:string interaction:ended",
	"step.start":                "event_type:string index:integer step:start.*",
	"step.delta":                "event_type:string index:integer delta:delta.*",
	"step.stop":                 "event_type:string index:integer",
	"error event":               "event_type:string error:error",

	"begun": "id:string status:'in_progress' object:'interaction' model:string",
	"ended": "id:string " + aboutInteraction + aStatus + endOfInteraction,

	"start.model_output":         "type:string",
	"start.thought":              "type:string",
	"start.function_call":        "type:string id:string name:string arguments:object",
	"start.google_search_call":   "type:string id:string",
	"start.google_search_result": "type:string call_id:string",

	"delta.text":                  "type:string text:string",
	"delta.text_annotation_delta": "type:string annotations:[]annotation.*",
	"delta.thought_summary":       "type:string content:content.text",
	"delta.thought_signature":     "type:string signature:string",
	"delta.arguments_delta":       "type:string arguments:string",
	"delta.google_search_call":    "type:string arguments:queries",
	"delta.google_search_result":  "type:string result:[]found [is_error]:bool",
}

// deltasOf has the types of the deltas that a step of a type can have.
var deltasOf = map[string][]string{
	"model_output":         {"text", "text_annotation_delta"},
	"thought":              {"thought_summary", "thought_signature"},
	"function_call":        {"arguments_delta"},
	"google_search_call":   {"google_search_call"},
	"google_search_result": {"google_search_result"},
}

// checkInteractions checks a stream of POST /v1beta/interactions. Steps come one after another, each
// with its start, its deltas and its stop. After the signature of a thought nothing more of the thought
// follows. A stream ends with interaction.completed and [DONE], or with an error. A failed interaction
// ends with an error, interaction.completed and [DONE].
func checkInteractions(t T, frames []Frame) {
	require.NotEmpty(t, frames)
	c := interactionStream{T: t, open: -1}
	for i, f := range frames {
		require.False(t, c.ended, f.Data)
		require.True(t, !c.failed || c.completed || f.Name == "interaction.completed", f.Data)
		if f.Data == "[DONE]" {
			require.Equal(t, "done", f.Name)
			require.True(t, c.completed, "[DONE] follows interaction.completed")
			c.ended = true
			continue
		}
		require.False(t, c.completed, f.Data)
		require.Equal(t, f.Name, f.JSON["event_type"], f.Data)
		if f.Name == "error" {
			fits(t, interactionsShapes, "error event", f.JSON)
			require.NotEmpty(t, object(t, f.JSON, "error")["message"])
			c.failed = true
			continue
		}
		require.Empty(t, (Validator{Shapes: interactionsShapes}).Misfit(f.Name, f.JSON), f.Data)
		require.Equal(t, i == 0, f.Name == "interaction.created", f.Data)
		require.Equal(t, i == 1, f.Name == "interaction.status_update", f.Data)
		c.event(f)
	}
	require.True(t, c.ended || c.failed && !c.completed, "the stream has no end")
}

// interactionStream is the state of a stream's check.
type interactionStream struct {
	T
	id               any
	steps, open      int // how many steps have begun, and the index of the open one, -1 for none
	kind             string
	deltas           int    // of the open step
	arguments, text  string // of the open step
	signed, called   bool
	completed, ended bool
	failed           bool // there was an error
}

func (c *interactionStream) event(f Frame) {
	switch f.Name {
	case "interaction.created":
		c.id = object(c, f.JSON, "interaction")["id"]
	case "interaction.status_update":
		require.Equal(c, c.id, f.JSON["interaction_id"])
	case "step.start":
		require.Equal(c, -1, c.open, "a step begins in a step: %s", f.Data)
		require.Equal(c, c.steps, Number(c, f.JSON, "index"), f.Data)
		step := object(c, f.JSON, "step")
		c.open, c.steps, c.kind, c.deltas = c.steps, c.steps+1, step["type"].(string), 0
		c.arguments, c.text, c.signed = "", "", false
		if c.kind == "function_call" {
			c.called = true
			require.NotEmpty(c, step["id"])
			require.NotEmpty(c, step["name"])
			require.Empty(c, step["arguments"], "the arguments come in deltas")
		}
	case "step.delta":
		require.Equal(c, c.open, Number(c, f.JSON, "index"), f.Data)
		require.False(c, c.signed, "a delta after the signature: %s", f.Data)
		delta := object(c, f.JSON, "delta")
		require.Contains(c, deltasOf[c.kind], delta["type"], f.Data)
		c.deltas++
		c.signed = delta["type"] == "thought_signature"
		if text, ok := delta["arguments"].(string); ok {
			c.arguments += text
		}
		if text, ok := delta["text"].(string); ok {
			c.text += text
		}
		if list, ok := delta["annotations"].([]any); ok {
			checkCited(c, c.text, list)
		}
	case "step.stop":
		require.Equal(c, c.open, Number(c, f.JSON, "index"), f.Data)
		require.Positive(c, c.deltas, "a step without a delta")
		if c.kind == "function_call" {
			var o map[string]any
			require.NoError(c, json.Unmarshal([]byte(c.arguments), &o), "%q", c.arguments)
		}
		c.open = -1
	case "interaction.completed":
		require.Equal(c, -1, c.open, "a step has no end")
		i := object(c, f.JSON, "interaction")
		require.Equal(c, c.id, i["id"])
		require.Equal(c, c.failed, i["status"] == "failed", f.Data)
		if i["status"] == "requires_action" || i["status"] == "completed" {
			require.Equal(c, c.called, i["status"] == "requires_action")
		}
		if usage, ok := i["usage"].(map[string]any); ok {
			checkCounts(c, usage)
			require.Equal(c, Number(c, usage, "total_tokens"), Number(c, usage, "total_input_tokens")+
				Number(c, usage, "total_output_tokens")+Number(c, usage, "total_thought_tokens"))
		}
		c.completed = true
	}
}

// checkCited checks that the indexes of annotations count bytes of their text, and cut no character.
func checkCited(t T, text string, annotations []any) {
	for _, one := range annotations {
		annotation, _ := one.(map[string]any)
		if _, ok := annotation["end_index"]; !ok {
			continue
		}
		start, end := Number(t, annotation, "start_index"), Number(t, annotation, "end_index")
		require.True(t, start <= end && end <= len(text), "%q: %v", text, annotation)
		require.True(t, utf8.ValidString(text[start:end]), "%q: %v", text, annotation)
	}
}

// checkSteps checks the annotations of a plain answer.
func checkSteps(t T, steps any) {
	list, _ := steps.([]any)
	for _, one := range list {
		step, _ := one.(map[string]any)
		contents, _ := step["content"].([]any)
		for _, one := range contents {
			content, _ := one.(map[string]any)
			text, _ := content["text"].(string)
			annotations, _ := content["annotations"].([]any)
			checkCited(t, text, annotations)
		}
	}
}
