package vendors

import (
	"cmp"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// playInteractions returns the answer of Google's Interactions API with a turn (types from
// @google/genai, streams as recorded). A turn with reasoning or calls begins with a thought. A
// refusal is sent as a text: the API has no special form for a refusal.
func playInteractions(v *Vendor, r *parsed, turn *Turn) *Answer {
	status := "completed"
	switch {
	case turn.Stop == "length":
		status = "incomplete"
	case len(turn.Calls) > 0:
		status = "requires_action"
	}
	status = turn.end(status)
	u := turn.Usage
	counts := fields("usage", fields("total_tokens", u.total(), "total_input_tokens", u.prompt(),
		"total_cached_tokens", u.Cached, "total_output_tokens", u.Output, "total_tool_use_tokens", 0,
		"total_thought_tokens", 0), "created", "2026-05-15T18:52:24Z", "updated", "2026-05-15T18:52:24Z",
		"service_tier", cmp.Or(turn.Tier, "standard"))
	steps := interactionSteps(r.body, turn)
	if !get[bool](r.body, "stream") {
		return Plain(200,
			slices.Concat(fields("status", status), counts, fields("steps", steps), interaction))
	}
	// An interaction has no id unless it is stored.
	about := func(status string, more members) members {
		return slices.Concat(fields("id", "", "status", status), more, interaction)
	}
	s := stepStream{}
	s.send("interaction.created", "interaction", about("in_progress", nil))
	s.send("interaction.status_update", "interaction_id", "", "status", "in_progress")
	for i, step := range steps {
		s.step(step, i)
	}
	s.send("interaction.completed", "interaction", about(status, counts))
	return Stream(append(s.events, "event: done\ndata: [DONE]\n\n")...)
}

var interaction = fields("object", "interaction", "model", upstreamModel)

// interactionSteps returns the steps of a turn.
func interactionSteps(body object, turn *Turn) []members {
	steps := list[members]()
	texts := func(said string) members { return fields("type", "text", "text", said) }
	if len(turn.Reasoning) > 0 || len(turn.Calls) > 0 {
		summary := list[members]()
		for _, thought := range turn.Reasoning {
			if thought.Text != "" {
				summary = append(summary, texts(thought.Text))
			}
		}
		steps = append(steps, fields("type", "thought", "signature", turn.blob()).
			withIf(len(summary) > 0, "summary", summary))
	}
	if said := turn.Text + turn.Refusal; said != "" {
		content := texts(said)
		if turn.Search != nil {
			content = content.with("annotations", list(fields("type", "url_citation",
				"title", turn.Search.Title, "url", turn.Search.URL,
				"start_index", 0, "end_index", len(said))))
		}
		steps = append(steps, fields("type", "model_output", "content", list(content)))
	}
	if turn.Search != nil {
		if len(ofType(objects(body, "tools"), "google_search")) == 0 {
			shape.Refuse("", "there is no search to run")
		}
		steps = append(steps,
			fields("type", "google_search_call", "id", "gs_1",
				"arguments", fields("queries", list(turn.Search.Query))),
			fields("type", "google_search_result", "call_id", "gs_1",
				"result", list(fields("search_suggestions", "<div></div>"))))
	}
	tools := offers{}
	for _, tool := range ofType(objects(body, "tools"), "function") {
		tools[text(tool, "name")] = "function"
	}
	for _, call := range turn.Calls {
		call = tools.form(call)
		steps = append(steps,
			fields("type", "function_call", "id", call.ID, "name", call.Name, "arguments", call.Input))
	}
	return steps
}

// stepStream collects the events of an Interactions stream.
type stepStream struct{ events []string }

func (s *stepStream) send(name string, pairs ...any) {
	s.events = append(s.events, namedEvent(name, append(fields(pairs...), fields("event_type", name)...)))
}

// step adds the events of a step.
func (s *stepStream) step(step members, index int) {
	start := func(step members) { s.send("step.start", "index", index, "step", step) }
	delta := func(pairs ...any) { s.send("step.delta", "index", index, "delta", fields(pairs...)) }
	switch kind := step.get("type"); kind {
	case "thought":
		start(fields("type", kind))
		summary, _ := step.get("summary").([]members)
		for _, part := range summary {
			for _, half := range halves(part.get("text").(string)) {
				delta("type", "thought_summary", "content", fields("type", "text", "text", half))
			}
		}
		delta("type", "thought_signature", "signature", step.get("signature"))
	case "model_output":
		start(fields("type", kind))
		content := step.get("content").([]members)[0]
		for _, half := range halves(content.get("text").(string)) {
			delta("type", "text", "text", half)
		}
		if annotations := content.get("annotations"); annotations != nil {
			delta("type", "text_annotation_delta", "annotations", annotations)
		}
	case "function_call":
		start(fields("type", kind, "id", step.get("id"), "name", step.get("name"), "signature", "",
			"arguments", fields()))
		for _, half := range halves(encode(step.get("arguments"))) {
			delta("type", "arguments_delta", "arguments", half)
		}
	case "google_search_call":
		start(fields("type", kind, "id", step.get("id"), "signature", ""))
		delta("type", kind, "arguments", step.get("arguments"))
	case "google_search_result":
		start(fields("type", kind, "call_id", step.get("call_id"), "signature", ""))
		delta("type", kind, "result", step.get("result"))
	}
	s.send("step.stop", "index", index)
}
