package interactions

import (
	"strings"

	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// form is the type of a step, as far as it says which deltas the step takes.
type form uint8

const (
	wordsForm  form = iota + 1 // model_output and thought: each delta says which
	callForm                   // function_call
	searchForm                 // google_search_call and google_search_result
	lostForm                   // a step that has no form in the hub. Its deltas are ignored
)

// step is a step as the upstream numbers them (Step of @google/genai). It may become several blocks of the hub, or none.
type step struct {
	index     int64 // -1 where the upstream gave none
	form      form
	blocks    int         // that it has become
	call      events.Call // of a callForm
	arguments string      // of a call: those that its start has
	streamed  bool        // of a call: arguments have come in deltas
	signature []byte      // of a thought, which goes out where the step ends
}

// stepStart takes step.start and returns the step's number, -1 after a failure. A step with the same index that is open ends.
func (d *decoder) stepStart(index int64, start ir.Raw) int {
	if index >= 0 {
		d.stepStop(index)
	}
	n := d.out.Add()
	if n < 0 {
		return -1
	}
	d.steps = append(d.steps, step{index: index})
	if d.out.Advance(); d.out.HasTurn(n) {
		d.openStep(&d.steps[n], start)
	} else {
		d.out.HoldPiece(n, string(start))
	}
	return n
}

// stepDelta takes step.delta. Where the step's start is missing one for words begins.
func (d *decoder) stepDelta(index int64, delta *jsonr.Reader) {
	n := d.find(index)
	if n < 0 {
		n = d.stepStart(index, `{}`)
	}
	switch {
	case n < 0:
	case d.out.HasTurn(n):
		d.delta(&d.steps[n], delta)
	default:
		d.out.HoldPiece(n, string(delta.Value()))
	}
}

// stepStop takes step.stop.
func (d *decoder) stepStop(index int64) {
	if n := d.find(index); n >= 0 {
		d.out.Complete(n)
		d.out.Advance()
	}
}

// find returns the number of the last open step with an index; for the index -1, which is none, the number of the last open step. It returns -1 where
// no such step is open.
func (d *decoder) find(index int64) int {
	for n := len(d.steps) - 1; n >= 0; n-- {
		if !d.out.IsComplete(n) && (index < 0 || d.steps[n].index == index) {
			return n
		}
	}
	return -1
}

// MayBegin tells the queue that any step may begin.
func (d *decoder) MayBegin(int) bool { return true }

// BeginTurn takes what was held of step n: its start, then its deltas.
func (d *decoder) BeginTurn(n int, _ ir.Escaped, pieces []string) {
	for i, v := range pieces {
		switch {
		case d.out.Ended():
			return
		case i == 0:
			d.openStep(&d.steps[n], ir.Raw(v))
		default:
			delta := jsonr.NewReader(v)
			d.delta(&d.steps[n], &delta)
		}
	}
}

// EndTurn yields what is known of step n only at its end, and frees what was kept of it.
func (d *decoder) EndTurn(n int) {
	s := &d.steps[n]
	switch s.form {
	case wordsForm:
		d.sign(s)
	case callForm:
		d.endCall(s)
	}
	d.out.Release(len(s.arguments) + len(s.signature))
	*s = step{index: s.index}
}

// start is what a step.start, or a step of a plain body, says.
type start struct {
	kind, id, name, signature   ir.Escaped
	arguments, failure, isError ir.Raw
	content, summary, result    jsonr.Reader
}

// openStep takes the start of a step, in a plain body all of it.
func (d *decoder) openStep(s *step, v ir.Raw) {
	var f start
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			f.kind, _ = jsonr.Text(r.Value())
		case "id":
			f.id, _ = jsonr.Text(r.Value())
		case "name":
			f.name, _ = jsonr.Text(r.Value())
		case "signature":
			f.signature, _ = jsonr.Text(r.Value())
		case "arguments":
			f.arguments = r.Value()
		case "content":
			f.content = r.Here()
		case "summary":
			f.summary = r.Here()
		case "result":
			f.result = r.Here()
		case "is_error":
			f.isError = r.Value()
		case "error":
			f.failure = r.Value()
		}
	}
	switch f.kind {
	case "", "model_output", "thought":
		s.form = wordsForm
		for f.summary.OpenArray(); f.summary.Element() && !d.out.Ended(); {
			d.content(s, ir.ReasoningBlock, &f.summary)
		}
		for f.content.OpenArray(); f.content.Element() && !d.out.Ended(); {
			d.close()
			d.content(s, ir.TextBlock, &f.content)
		}
		d.keepSignature(s, f.signature)
		if !jsonr.IsNothing(f.failure) {
			d.out.Fail(google.DecodeEvent(`{"error":` + string(f.failure) + `}`))
		}
	case "function_call":
		s.form = callForm
		d.beginCall(s, &f)
	case "google_search_call", "google_search_result":
		s.form = searchForm
		d.loseSignature(f.signature)
		d.searched(f.arguments, &f.result, f.isError)
	default:
		s.form = lostForm
		d.lost.AddNamed(lostStep, f.kind)
	}
}

// delta takes a step.delta (StepDeltaData of @google/genai).
func (d *decoder) delta(s *step, r *jsonr.Reader) {
	var kind, text, signature ir.Escaped
	var arguments, isError ir.Raw
	var content, annotations, result jsonr.Reader
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "text":
			text, _ = jsonr.Text(r.Value())
		case "signature":
			signature, _ = jsonr.Text(r.Value())
		case "arguments":
			arguments = r.Value()
		case "content":
			content = r.Here()
		case "annotations":
			annotations = r.Here()
		case "result":
			result = r.Here()
		case "is_error":
			isError = r.Value()
		}
	}
	switch {
	case s.form == lostForm:
	case s.form == searchForm:
		d.loseSignature(signature)
		d.searched(arguments, &result, isError)
	case kind == "arguments_delta":
		d.moreArguments(s, arguments)
	case s.form == callForm:
		d.lost.AddNamed(lostDelta, kind)
	case kind == "text":
		d.words(s, ir.TextBlock, text)
	case kind == "text_annotation_delta":
		d.annotations(&annotations)
	case kind == "thought_summary":
		d.content(s, ir.ReasoningBlock, &content)
	case kind == "thought_signature":
		d.keepSignature(s, signature)
	default: // an image that the model has made, and the like
		d.lost.AddNamed(lostDelta, kind)
	}
}

// content takes an element of a step's content, or of a thought's summary (Content of @google/genai).
func (d *decoder) content(s *step, kind ir.BlockKind, r *jsonr.Reader) {
	var typ, text ir.Escaped
	var annotations jsonr.Reader
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			typ, _ = jsonr.Text(r.Value())
		case "text":
			text, _ = jsonr.Text(r.Value())
		case "annotations":
			annotations = r.Here()
		}
	}
	if typ != "text" {
		d.lost.AddNamed(lostDelta, typ)
		return
	}
	d.words(s, kind, text)
	d.annotations(&annotations)
}

// words yields text or reasoning: more of the open block where that is of the same kind and of the same step, else a new block.
func (d *decoder) words(s *step, kind ir.BlockKind, text ir.Escaped) {
	if text == "" {
		return
	}
	if d.open != kind || s.blocks == 0 {
		if !d.next(s, kind) {
			return
		}
		d.sources.said = d.sources.said[:0]
		if !d.hidden {
			d.out.Begin(kind, "")
		}
	}
	if d.hidden {
		return
	}
	if kind == ir.TextBlock {
		d.sources.hear(text)
	}
	d.out.Text(text)
}

// next ends the open block and counts another one of a step. It is false after a failure. hidden says whether the client is shown the new one.
func (d *decoder) next(s *step, kind ir.BlockKind) bool {
	d.close()
	if s.blocks++; d.out.Ended() || s.blocks > 1 && !d.out.Count() {
		return false
	}
	d.open, d.hidden = kind, !d.request.API.Client.Shows(kind)
	if d.hidden {
		d.lost.Add(lostOfBlock[kind])
	}
	return true
}

// close ends the open block, if one is open.
func (d *decoder) close() {
	switch {
	case d.open == 0 || d.out.Ended():
		return
	case d.open == ir.TextBlock:
		d.out.StopMessage(d.phase)
	default:
		d.out.Stop()
	}
	d.open = 0
}

// keepSignature keeps the signature of a thought until its step ends: it may come before the summary, and is the last thing in a block of the hub.
func (d *decoder) keepSignature(s *step, signature ir.Escaped) {
	if d.out.Keep(len(signature), tooMuch) {
		s.signature = append(s.signature, signature...)
	}
}

// loseSignature notes a signature of what is no thought as lost: the step does not go back.
func (d *decoder) loseSignature(signature ir.Escaped) {
	if signature != "" {
		d.lost.Add(lostOfBlock[ir.RedactedBlock])
	}
}

// sign yields the signature of a thought that ends, in a block of its own where the upstream shows nothing of the thought.
func (d *decoder) sign(s *step) {
	signed := len(s.signature) > 0
	switch {
	case signed && d.open == ir.ReasoningBlock && s.blocks > 0:
		if !d.hidden {
			d.out.Sign(jsonw.View(s.signature), Name)
		}
		d.close()
	case signed:
		if d.next(s, ir.RedactedBlock) && !d.hidden {
			d.out.Begin(ir.RedactedBlock, "")
			d.out.Sign(jsonw.View(s.signature), Name)
		}
		d.close()
	case d.open == ir.ReasoningBlock:
		d.close()
	}
}

// maxIDPart is how much of the answer's id the id of a call has that the upstream gave none.
const maxIDPart = 32

// beginCall opens a call. Its arguments come in deltas, or are in its start. Calls have no signatures, thoughts and Google's own tools alone
// (ai.google.dev/gemini-api/docs/thinking): there is an empty one (recorded in tool-call-step1).
func (d *decoder) beginCall(s *step, f *start) {
	if f.name == "" {
		d.out.Fail(failure.Unreadable("a tool call without a name"))
		return
	}
	d.loseSignature(f.signature)
	if !d.next(s, ir.ToolCallBlock) {
		return
	}
	d.called = true
	number := len(d.steps)
	if f.id != "" {
		d.out.GiveID(&s.call, f.id, number)
	} else {
		d.out.MakeID(&s.call, jsonw.View(d.id), maxIDPart, number)
	}
	if jsonr.Asks(f.arguments) && d.out.Keep(len(f.arguments), tooMuch) {
		s.arguments = strings.Clone(string(f.arguments))
	}
	if !d.hidden {
		d.out.BeginCall(ir.ToolCallBlock, "", jsonw.View(s.call.ID), d.names.Restore(f.name))
	}
}

// moreArguments takes a part of the JSON text of a call's arguments.
func (d *decoder) moreArguments(s *step, v ir.Raw) {
	text, isText := jsonr.Text(v)
	switch {
	case s.form != callForm:
		d.out.Fail(failure.Unreadable("arguments of a step that is no tool call"))
	case !isText && !jsonr.IsNothing(v):
		d.out.Fail(failure.Unreadable("arguments of a tool call that are no text"))
	case text != "":
		s.streamed = true
		if !d.hidden {
			d.out.Text(text)
		}
	}
}

// endCall yields the arguments that did not come in deltas, and ends the call.
func (d *decoder) endCall(s *step) {
	arguments := ir.Raw(s.arguments)
	switch {
	case d.open != ir.ToolCallBlock: // it has failed
		return
	case d.hidden, s.streamed:
	case arguments != "" && jsonr.KindOf(arguments) != jsonr.Object:
		d.out.Fail(failure.Unreadable("the arguments of a tool call are no object"))
		return
	case arguments == "":
		d.out.Text(`{}`)
	default:
		d.out.Text(jsonw.View(jsonw.AppendQuotedRaw(make([]byte, 0, len(arguments)+len(arguments)/8), arguments)))
	}
	d.close()
}
