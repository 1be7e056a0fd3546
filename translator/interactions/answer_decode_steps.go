package interactions

import (
	"edgelingua/translator/events"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
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
