package vendors

// itemStream collects the events of a Responses stream.
type itemStream struct{ events []string }

func (s *itemStream) send(name string, pairs ...any) {
	event := append(fields("type", name), fields(pairs...)...)
	s.events = append(s.events, namedEvent(name, event.with("sequence_number", len(s.events))))
}

// item adds the events of an output item.
func (s *itemStream) item(item members, index int) {
	// at adds an event with the id and the index of the item.
	at := func(name string, pairs ...any) {
		s.send(name, append([]any{"item_id", item.get("id"), "output_index", index}, pairs...)...)
	}
	added := func(pairs ...any) {
		begun := item
		for i := 0; i < len(pairs); i += 2 {
			begun = begun.with(pairs[i].(string), pairs[i+1])
		}
		s.send("response.output_item.added",
			"output_index", index, "item", begun.with("status", "in_progress"))
	}
	switch item.get("type") {
	case "function_call":
		arguments := item.get("arguments").(string)
		added("arguments", "")
		for _, half := range halves(arguments) {
			at("response.function_call_arguments.delta", "delta", half)
		}
		at("response.function_call_arguments.done", "name", item.get("name"), "arguments", arguments)
	case "custom_tool_call":
		input := item.get("input").(string)
		added("input", "")
		for _, half := range halves(input) {
			at("response.custom_tool_call_input.delta", "delta", half)
		}
		at("response.custom_tool_call_input.done", "input", input)
	case "reasoning":
		added("summary", list[any](), "encrypted_content", "")
		for _, part := range item.get("summary").([]members) {
			s.summary(part, at)
		}
	case "message":
		added("content", list[any]())
		s.content(item.get("content").([]members)[0], at)
	default:
		added()
	}
	s.send("response.output_item.done", "output_index", index, "item", item)
}

// summary adds the events of a part of a reasoning item's summary.
func (s *itemStream) summary(part members, at func(name string, pairs ...any)) {
	said := part.get("text").(string)
	at("response.reasoning_summary_part.added", "summary_index", 0, "part", part.with("text", ""))
	for _, half := range halves(said) {
		at("response.reasoning_summary_text.delta", "summary_index", 0, "delta", half)
	}
	at("response.reasoning_summary_text.done", "summary_index", 0, "text", said)
	at("response.reasoning_summary_part.done", "summary_index", 0, "part", part)
}

// content adds the events of a part of a message.
func (s *itemStream) content(part members, at func(name string, pairs ...any)) {
	if refusal, ok := part.get("refusal").(string); ok {
		at("response.content_part.added", "content_index", 0, "part", part.with("refusal", ""))
		for _, half := range halves(refusal) {
			at("response.refusal.delta", "content_index", 0, "delta", half)
		}
		at("response.refusal.done", "content_index", 0, "refusal", refusal)
		at("response.content_part.done", "content_index", 0, "part", part)
		return
	}
	said := part.get("text").(string)
	at("response.content_part.added", "content_index", 0, "part", outputText("", list[members]()))
	for _, half := range halves(said) {
		at("response.output_text.delta", "content_index", 0, "delta", half, "logprobs", list[any]())
	}
	for i, annotation := range part.get("annotations").([]members) {
		at("response.output_text.annotation.added", "content_index", 0, "annotation_index", i,
			"annotation", annotation)
	}
	at("response.output_text.done", "content_index", 0, "text", said, "logprobs", list[any]())
	at("response.content_part.done", "content_index", 0, "part", part)
}
