package vendors

import (
	"fmt"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

const upstreamModel = "upstream-model"

// searchToken is the encrypted content of a search result. Only the vendor can read the content.
const searchToken = "RW5j"

func messagesEvent(name string, pairs ...any) string {
	return namedEvent(name, append(fields("type", name), fields(pairs...)...))
}

// playMessages returns the answer of Anthropic's Messages API with a turn.
func playMessages(v *Vendor, r *parsed, turn *Turn) *Answer {
	blocks := list[members]()
	for _, thought := range turn.Reasoning {
		if thought.Redacted {
			blocks = append(blocks, fields("type", "redacted_thinking", "data", thought.Blob))
		} else {
			blocks = append(blocks,
				fields("type", "thinking", "thinking", thought.Text, "signature", thought.Blob))
		}
	}
	if turn.Search != nil {
		blocks = append(blocks, searchBlocks(r.body, turn.Search)...)
	}
	if turn.Refusal != "" {
		blocks = append(blocks, fields("type", "text", "text", turn.Refusal))
	}
	if turn.Text != "" {
		block := fields("type", "text", "text", turn.Text)
		blocks = append(blocks,
			block.withIf(turn.Search != nil, "citations", list(messagesCitation(turn.Search))))
	}
	tools := offeredMessages(r.body)
	for _, call := range turn.Calls {
		call = tools.form(call)
		blocks = append(blocks,
			fields("type", "tool_use", "id", call.ID, "name", call.Name, "input", call.Input))
	}
	// The id is unique for each turn of a conversation.
	id := fmt.Sprintf("msg_e2e_%d", len(objects(r.body, "messages")))
	message := func(content []members, stop any, output int) members {
		usage := fields("input_tokens", turn.Usage.Input, "cache_creation_input_tokens", 0,
			"cache_read_input_tokens", turn.Usage.Cached, "output_tokens", output).
			withIf(turn.Tier != "", "service_tier", turn.Tier).
			withIf(turn.Tier == "" && has(r.body, "speed"), "service_tier", "standard").
			withIf(has(r.body, "speed"), "speed", r.body["speed"])
		return fields("id", id, "type", "message", "role", "assistant", "model", upstreamModel,
			"content", content, "stop_reason", stop, "stop_sequence", nil, "usage", usage)
	}
	stop := turn.end(stopReason(turn))
	if !get[bool](r.body, "stream") {
		return Plain(200, message(blocks, stop, turn.Usage.Output))
	}
	events := []string{messagesEvent("message_start", "message", message(list[members](), nil, 1))}
	for i, block := range blocks {
		events = append(events, blockEvents(block, i)...)
	}
	return Stream(append(events,
		messagesEvent("message_delta", "delta", fields("stop_reason", stop, "stop_sequence", nil),
			"usage", fields("output_tokens", turn.Usage.Output)),
		messagesEvent("message_stop"))...)
}

func stopReason(turn *Turn) string {
	switch {
	case turn.Stop == "length":
		return "max_tokens"
	case turn.Refusal != "":
		return "refusal"
	case len(turn.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

// searchBlocks returns the blocks of a web search by the API.
func searchBlocks(body object, search *Search) []members {
	isSearch := func(tool object) bool { return text(tool, "name") == "web_search" }
	if !slices.ContainsFunc(objects(body, "tools"), isSearch) {
		shape.Refuse("", "there is no search to run")
	}
	id := fmt.Sprintf("srvtoolu_%d", len(objects(body, "messages")))
	hit := fields("type", "web_search_result", "title", search.Title, "url", search.URL,
		"encrypted_content", searchToken, "page_age", nil)
	return []members{
		fields("type", "server_tool_use", "id", id, "name", "web_search",
			"input", fields("query", search.Query)),
		fields("type", "web_search_tool_result", "tool_use_id", id, "content", list(hit)),
	}
}

func messagesCitation(search *Search) members {
	if search == nil {
		return nil
	}
	return fields("type", "web_search_result_location", "cited_text", "It is.",
		"encrypted_index", searchToken, "title", search.Title, "url", search.URL)
}

// offeredMessages returns the tools that the model can see. A tool with defer_loading is visible
// only if a tool_reference names the tool.
func offeredMessages(body object) offers {
	found := map[string]bool{}
	walk(body["messages"], func(o object) { found[text(o, "tool_name")] = true })
	all := offers{}
	for _, tool := range objects(body, "tools") {
		name, kind := text(tool, "name"), text(tool, "type")
		if (kind == "" || kind == "custom") && (!get[bool](tool, "defer_loading") || found[name]) {
			all[name] = "function"
		}
	}
	return all
}

// blockEvents returns the stream events of a content block.
func blockEvents(block members, index int) []string {
	start := func(block members) string {
		return messagesEvent("content_block_start", "index", index, "content_block", block)
	}
	var deltas []string
	delta := func(kind, name string, value any) {
		deltas = append(deltas, messagesEvent("content_block_delta", "index", index,
			"delta", fields("type", kind, name, value)))
	}
	begin := block
	switch block.get("type") {
	case "text":
		begin = fields("type", "text", "text", "")
		if cited, ok := block.get("citations").([]members); ok {
			delta("citations_delta", "citation", cited[0])
		}
		for _, half := range halves(block.get("text").(string)) {
			delta("text_delta", "text", half)
		}
	case "thinking":
		begin = fields("type", "thinking", "thinking", "", "signature", "")
		for _, half := range halves(block.get("thinking").(string)) {
			delta("thinking_delta", "thinking", half)
		}
		delta("signature_delta", "signature", block.get("signature"))
	case "tool_use", "server_tool_use":
		begin = block.with("input", fields())
		for _, half := range halves(encode(block.get("input"))) {
			delta("input_json_delta", "partial_json", half)
		}
	}
	events := append([]string{start(begin)}, deltas...)
	return append(events, messagesEvent("content_block_stop", "index", index))
}
