package vendors

import (
	"fmt"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// anySignature is the signature of a turn without a blob.
const anySignature = "c2lnbmF0dXJl"

// blob returns the blob of the turn's last reasoning, or anySignature.
func (t *Turn) blob() string {
	if n := len(t.Reasoning); n > 0 && t.Reasoning[n-1].Blob != "" {
		return t.Reasoning[n-1].Blob
	}
	return anySignature
}

// playGemini returns the answer of Google's Gemini with a turn. A signature is on the first call of
// an answer. In an answer without calls, the signature is on the text of a plain answer, and on the
// empty text in the last chunk of a stream (recorded from gemini-3-pro-preview). A refusal's text
// comes before the stop.
func playGemini(v *Vendor, r *parsed, turn *Turn) *Answer {
	id := fmt.Sprintf("gem-%d", len(objects(r.body, "contents")))
	chunk := func(parts []members) members { return geminiChunk(id, parts, fields(), fields()) }
	parts := geminiParts(r.body, turn)
	tail := fields("text", "")
	if len(turn.Calls) == 0 && (len(turn.Reasoning) > 0 || geminiSigns(r)) {
		tail = tail.with("thoughtSignature", turn.blob())
	}
	candidate := fields("finishReason", turn.end(geminiFinish(turn)))
	if turn.Search != nil {
		candidate = candidate.with("groundingMetadata", grounding(r.body, turn))
	}
	usage := fields("promptTokenCount", turn.Usage.prompt()).
		withIf(turn.Usage.Cached > 0, "cachedContentTokenCount", turn.Usage.Cached).
		with("candidatesTokenCount", turn.Usage.Output).with("totalTokenCount", turn.Usage.total()).
		withIf(turn.Tier != "", "serviceTier", turn.Tier).
		withIf(turn.Tier == "" && has(r.body, "serviceTier"), "serviceTier", r.body["serviceTier"])
	last := func(parts []members) members {
		return geminiChunk(id, parts, candidate, fields("usageMetadata", usage))
	}
	if !streamPath(r) {
		return Plain(200, last(signedAtEnd(parts, tail)))
	}
	var events []string
	for _, part := range parts {
		events = append(events, dataEvent(chunk(list(part))))
	}
	return Stream(append(events, dataEvent(last(list(tail))))...)
}

// signedAtEnd returns the parts of a plain answer: the signature of tail is on the last part if that
// part is a text, and in a part of its own otherwise.
func signedAtEnd(parts []members, tail members) []members {
	signature := tail.get("thoughtSignature")
	if signature == nil {
		return parts
	}
	if n := len(parts) - 1; n >= 0 && parts[n].get("thought") == nil {
		return append(parts[:n:n], parts[n].with("thoughtSignature", signature))
	}
	return append(parts, tail)
}

func geminiFinish(turn *Turn) string {
	switch {
	case turn.Stop == "length":
		return "MAX_TOKENS"
	case turn.Refusal != "":
		return "SAFETY"
	}
	return "STOP"
}

func geminiChunk(id string, parts []members, candidate, answer members) members {
	candidate = append(fields("content", fields("role", "model", "parts", parts), "index", 0), candidate...)
	about := fields("candidates", list(candidate), "modelVersion", upstreamModel, "responseId", id)
	return append(about, answer...)
}

// geminiParts returns the parts of an answer, without the signature of a text.
func geminiParts(body object, turn *Turn) []members {
	parts := list[members]()
	for _, thought := range turn.Reasoning {
		if thought.Text == "" {
			continue
		}
		for _, half := range halves(thought.Text) {
			parts = append(parts, fields("text", half, "thought", true))
		}
	}
	for _, said := range []string{turn.Text, turn.Refusal} {
		if said == "" {
			continue
		}
		for _, half := range halves(said) {
			parts = append(parts, fields("text", half))
		}
	}
	tools := offers{}
	for _, tool := range objects(body, "tools") {
		for _, f := range objects(tool, "functionDeclarations") {
			tools[text(f, "name")] = "function"
		}
	}
	for i, call := range turn.Calls {
		call = tools.form(call)
		made := fields().withIf(call.ID != "", "id", call.ID).with("name", call.Name).with("args", call.Input)
		parts = append(parts, fields("functionCall", made).withIf(i == 0, "thoughtSignature", turn.blob()))
	}
	return parts
}

// grounding returns the groundingMetadata of a search by Google: the turn's text with one source.
func grounding(body object, turn *Turn) members {
	isSearch := func(tool object) bool { return tool["googleSearch"] != nil }
	if !slices.ContainsFunc(objects(body, "tools"), isSearch) {
		shape.Refuse("", "there is no search to run")
	}
	page := fields("uri", turn.Search.URL, "title", turn.Search.Title)
	segment := fields("endIndex", len(turn.Text), "text", turn.Text)
	support := fields("segment", segment, "groundingChunkIndices", list(0))
	return fields("webSearchQueries", list(turn.Search.Query), "groundingChunks", list(fields("web", page)),
		"groundingSupports", list(support))
}
