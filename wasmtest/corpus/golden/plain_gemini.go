package golden

import "errors"

// generated returns the answer that a client of Gemini assembles from a stream: the last chunk,
// with the parts of all chunks.
func generated(events []event) (fields, error) {
	answer := events[len(events)-1].fields
	last := fieldsOf(first(answer.get("candidates")))
	if last == nil {
		return nil, errors.New("the last event has no candidate")
	}
	var parts []fields
	chosen, top := "", ""
	for _, e := range events {
		candidate := fieldsOf(first(e.fields.get("candidates")))
		for _, part := range elements(fieldsOf(candidate.get("content")).get("parts")) {
			parts = addPart(parts, fieldsOf(part))
		}
		if logprobs := fieldsOf(candidate.get("logprobsResult")); logprobs != nil {
			chosen = extended(chosen, logprobs.get("chosenCandidates"))
			top = extended(top, logprobs.get("topCandidates"))
		}
	}
	if parts == nil {
		parts = []fields{{{"text", `""`}}}
	}
	last.set("content", fields{{"parts", listOf(parts)}, {"role", `"model"`}}.String())
	if chosen != "" {
		logprobs := fields{{"chosenCandidates", chosen}, {"topCandidates", top}}
		last.set("logprobsResult", logprobs.String())
	}
	answer.set("candidates", listOf([]fields{last}))
	return answer, nil
}

// addPart appends a part to parts. An empty part is left out. A piece of text continues the
// previous part, unless the piece has a signature, or the previous part is a call or a signature
// without a text.
func addPart(parts []fields, part fields) []fields {
	if len(part) == 1 && part.get("text") == `""` {
		return parts
	}
	isPiece := func(p fields) bool { return p.get("functionCall") == "" && p.get("text") != `""` }
	n := len(parts)
	if n > 0 && isPiece(part) && isPiece(parts[n-1]) && part.get("thoughtSignature") == "" {
		before := &parts[n-1]
		isSame := before.get("thought") == part.get("thought")
		if isSame && before.addTexts(part, "text") == nil {
			return parts
		}
	}
	return append(parts, part)
}
