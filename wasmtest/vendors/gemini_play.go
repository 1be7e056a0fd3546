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
// an answer, or after the text of an answer without calls. A refusal's text comes before the stop.
func playGemini(v *Vendor, r *parsed, turn *Turn) *Answer {
	id := fmt.Sprintf("gem-%d", len(objects(r.body, "contents")))
	chunk := func(parts []members) members { return geminiChunk(id, parts, fields(), fields()) }
	parts := geminiParts(r.body, turn, geminiSigns(r))
	candidate := fields("finishReason", geminiFinish(turn))
	if turn.Search != nil {
		candidate = candidate.with("groundingMetadata", grounding(r.body, turn))
	}
	usage := fields("promptTokenCount", turn.Usage.prompt()).
		withIf(turn.Usage.Cached > 0, "cachedContentTokenCount", turn.Usage.Cached).
		with("candidatesTokenCount", turn.Usage.Output).with("totalTokenCount", turn.Usage.total())
	last := func(parts []members) members {
		return geminiChunk(id, parts, candidate, fields("usageMetadata", usage))
	}
	if !streamPath(r) {
		return Plain(200, last(parts))
	}
	var events []string
	for _, part := range parts {
		events = append(events, dataEvent(chunk(list(part))))
	}
	return Stream(append(events, dataEvent(last(list(fields("text", "")))))...)
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

// geminiParts returns the parts of an answer. If signs is true, the signature of the text ends a turn
// without calls, with or without visible thoughts (recorded in google-reasoning-gemini3).
func geminiParts(body object, turn *Turn, signs bool) []members {
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
	if len(turn.Calls) == 0 && (len(turn.Reasoning) > 0 || signs) {
		parts = append(parts, fields("text", "", "thoughtSignature", turn.blob()))
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
