package golden

import (
	"errors"

	"github.com/tidwall/gjson"
)

// interaction returns the answer that a client of Interactions assembles from a stream: the resource of
// the last event, with the steps of all events.
func interaction(events []event) (fields, error) {
	var answer fields
	var steps []fields
	for _, e := range events {
		switch e.name {
		case "interaction.completed":
			answer = fieldsOf(e.fields.get("interaction"))
		case "step.start":
			steps = append(steps, fieldsOf(e.fields.get("step")))
		case "step.delta":
			if len(steps) == 0 {
				return nil, errors.New("a delta before the first step")
			}
			addToStep(&steps[len(steps)-1], fieldsOf(e.fields.get("delta")))
		}
	}
	if answer == nil {
		return nil, errors.New("the stream has no interaction.completed")
	}
	for i := range steps {
		if arguments := steps[i].get("arguments"); isString(arguments) {
			steps[i].set("arguments", gjson.Parse(arguments).Str)
		}
	}
	body := fields{{"object", answer.get("object")}, {"model", answer.get("model")}, {"steps", listOf(steps)},
		{"status", answer.get("status")}}
	if answer.get("status") == `"failed"` {
		body.set("errors", `[{"code":"content_blocked","message":"A filter stopped the answer."}]`)
	}
	for _, f := range answer {
		if f.name != "id" && f.name != "previous_interaction_id" {
			body.set(f.name, f.value)
		}
	}
	return body, nil
}

// addToStep adds a delta to a step.
func addToStep(step *fields, delta fields) {
	switch delta.get("type") {
	case `"text"`, `"text_annotation_delta"`:
		content := fieldsOf(first(step.get("content")))
		if content == nil {
			content = fields{{"type", `"text"`}, {"text", `""`}}
		}
		_ = content.addTexts(delta, "text")
		if list := delta.get("annotations"); list != "" {
			content.set("annotations", extended(content.get("annotations"), list))
		}
		step.set("content", listOf([]fields{content}))
	case `"thought_summary"`:
		summary := fieldsOf(first(step.get("summary")))
		if summary == nil {
			summary = fields{{"type", `"text"`}, {"text", `""`}}
		}
		_ = summary.addTexts(fieldsOf(delta.get("content")), "text")
		step.set("summary", listOf([]fields{summary}))
	case `"arguments_delta"`:
		if !isString(step.get("arguments")) {
			step.set("arguments", `""`)
		}
		_ = step.addTexts(delta, "arguments")
	default:
		for _, member := range delta.without("type") {
			step.set(member.name, member.value)
		}
	}
}
