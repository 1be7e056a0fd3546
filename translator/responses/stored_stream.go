package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// replay writes a stored response as a stream: the same events that its encoder would have written
// for texts of a single delta each. It uses the encoder's counters, and its members for the
// position of an item and its part.
type replay struct {
	encoder
	dst []byte
}

// AppendStream appends a stored response as a stream. head, output and tail joined are the
// response's JSON. head ends where the output begins. output has the items as shown to the client,
// separated by commas.
func AppendStream(dst []byte, head, output, tail string) []byte {
	p := replay{dst: dst}
	response := head + tail
	for _, name := range [...]string{"response.created", "response.in_progress"} {
		p.event(name, `,"response":`)
		p.object(response, begun)
		p.end()
	}
	for r := jsonr.NewElements(output); r.Element(); p.count++ {
		p.item(string(r.Value()))
	}
	status := memberText(response, "status")
	if status == "cancelled" { // OpenAI names no event for it
		status = "failed"
	}
	if action := memberOf(response, "required_action"); action != "" {
		p.event("response.required_action", `,"response":`)
		p.raw(head, output, tail, `,"required_action":`, action)
		p.end()
		status = "completed"
	}
	p.event("response."+string(status), `,"response":`)
	p.raw(head, output, tail)
	p.end()
	return p.dst
}

// StreamSize estimates how many bytes AppendStream appends. The response's members outside the
// output appear three times, and each text five times. frame is the size of head and tail, output
// the size of output.
func StreamSize(frame, output int) int { return 3*frame + 5*output + output/2 + 4<<10 }

// Values at the beginning of a response, an item or a part, which replace the stored final values.
// "" removes the member.
var (
	begun = []ir.Member{{Key: "status", Value: `"in_progress"`}, {Key: "completed_at", Value: "null"},
		{Key: "error", Value: "null"},
		{Key: "incomplete_details", Value: "null"}, {Key: "usage", Value: "null"}, {Key: "required_action"}}
	begunItem = []ir.Member{{Key: "status", Value: `"in_progress"`}, {Key: "encrypted_content"},
		{Key: "content", Value: "[]"}, {Key: "summary", Value: "[]"},
		{Key: "arguments", Value: `""`}, {Key: "input", Value: `""`}}
	begunObject = begunItem[:1]
	begunPart   = []ir.Member{{Key: "text", Value: `""`}, {Key: "refusal", Value: `""`}, {Key: "annotations",
		Value: "[]"}, {Key: "logprobs", Value: "[]"}}
)

// raw appends texts.
func (p *replay) raw(texts ...string) {
	for _, s := range texts {
		p.dst = append(p.dst, s...)
	}
}

func (p *replay) end() { p.dst = appendEnd(p.dst) }

// event begins an event with the response.
func (p *replay) event(name, lead string) { p.dst = raw(p.appendName(p.dst, name), lead) }

// about begins an event about the item, or about its part if it has parts.
func (p *replay) about(name string) { p.dst = p.appendPartIndex(p.appendItemName(p.dst, name)) }

// object appends an object with some values replaced by others.
func (p *replay) object(text string, others []ir.Member) {
	lead := `{`
	r := jsonr.NewReader(text)
	for r.OpenObject(); r.Member(); {
		key, v := r.Key(), r.Value()
		for i := range others {
			if others[i].Key == key {
				v = others[i].Value
			}
		}
		if v != "" {
			p.raw(lead)
			p.dst = appendMember(p.dst, key, v)
			lead = `,`
		}
	}
	p.raw(`}`)
}

// item appends the events of an item. As in the original stream, a call that was cut gets no done
// events.
func (p *replay) item(item string) {
	kind, status := memberText(item, "type"), memberText(item, "status")
	p.itemID, p.parts = append(p.itemID[:0], memberText(item, "id")...), 0
	// an item with another id is the upstream's, passed on unchanged
	if _, own := ParseItemID(string(jsonw.View(p.itemID))); !own {
		kind = ""
	}
	grows, others := "", begunItem // grows is the member built up by the deltas
	p.family = opaqueFamily
	switch kind {
	case "message":
		p.family, grows = textFamily, "content"
	case "reasoning":
		p.family, grows = reasoningFamily, "summary"
	case "function_call":
		p.family, grows = functionFamily, "arguments"
	case "custom_tool_call":
		p.family, grows = customFamily, "input"
	case "web_search_call":
		p.family = searchFamily
	case toolSearch + "_call", localShell + "_call", shell + "_call", applyPatch + "_call",
		computer + "_call":
		p.family, others = objectFamily, begunObject
	default:
		others = nil
	}
	cut := p.isCall() && status != "completed"
	if cut && p.family == objectFamily {
		return
	}
	p.itemEvent("response.output_item.added")
	p.object(item, others)
	p.end()
	switch p.family {
	case textFamily, reasoningFamily:
		p.partsOf(memberOf(item, grows))
	case functionFamily, customFamily:
		p.text(memberOf(item, grows), cut, "")
	case searchFamily:
		for _, name := range [...]string{"response.web_search_call.in_progress",
			"response.web_search_call.searching", "response.web_search_call.completed"} {
			if name != "response.web_search_call.completed" || status == "completed" {
				p.about(name)
				p.end()
			}
		}
	}
	if !cut {
		p.itemEvent("response.output_item.done")
		p.raw(item)
		p.end()
	}
}

// itemEvent begins an event with the item.
func (p *replay) itemEvent(name string) {
	p.event(name, "")
	p.dst = raw(jsonw.AppendIntMember(p.dst, `,"output_index":`, p.count), `,"item":`)
}

// partsOf appends the events for the parts of a message, or of the summary of reasoning.
func (p *replay) partsOf(list string) {
	r := jsonr.NewReader(list)
	for r.OpenArray(); r.Element(); p.parts++ {
		part, key := string(r.Value()), "text"
		if p.family != reasoningFamily {
			p.family = textFamily
			if memberText(part, "type") == "refusal" {
				p.family, key = refusalFamily, "refusal"
			}
		}
		p.about(families[p.family].partBegun)
		p.raw(`,"part":`)
		p.object(part, begunPart)
		p.end()
		p.text(memberOf(part, key), false, part)
		p.about(families[p.family].partEnd)
		p.raw(`,"part":`, part)
		p.end()
	}
}

// text appends the events of a text: the text as one delta, its annotations, and, unless it was
// cut, the done events. part is the JSON of the text's part, or "".
func (p *replay) text(text string, cut bool, part string) {
	names := &families[p.family]
	rest := ""
	if p.family == textFamily {
		rest = `,"logprobs":` + memberOf(part, "logprobs")
	}
	if text != `""` {
		p.about(names.delta)
		p.raw(`,"delta":`, text, rest)
		p.end()
	}
	if cut {
		return
	}
	r := jsonr.NewReader(memberOf(part, "annotations"))
	i := int64(0)
	for r.OpenArray(); r.Element(); i++ {
		p.about("response.output_text.annotation.added")
		p.dst = jsonw.AppendIntMember(p.dst, `,"annotation_index":`, i)
		p.raw(`,"annotation":`, string(r.Value()))
		p.end()
	}
	p.about(names.done)
	p.raw(names.member[:len(names.member)-1], text, rest)
	p.end()
}

// memberOf returns the value of a member of an object, or "".
func memberOf(object, key string) string {
	v, _, _ := jsonr.LastMember(object, key)
	return string(v)
}
