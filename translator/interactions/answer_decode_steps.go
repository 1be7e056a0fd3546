package interactions

import (
	"edgelingua/translator/events"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// form groups the types of steps by the deltas that they can have.
type form uint8

const (
	wordsForm  form = iota + 1 // model_output and thought: each delta has a type
	callForm                   // function_call
	searchForm                 // google_search_call and google_search_result
	lostForm                   // a step without a form in the hub. Its deltas are ignored
)

// step is a step of the upstream (Step of @google/genai). A step becomes any number of hub blocks.
type step struct {
	form      form
	blocks    int         // the number of its hub blocks so far
	call      events.Call // of a callForm
	arguments string      // of a call: the arguments in its start
	streamed  bool        // of a call: arguments have come in deltas
	signature []byte      // of a thought, yielded at the end of the step
}

// OpenBlock adds step n and reads its start.
func (d *decoder) OpenBlock(n int, start ir.Raw) {
	d.steps = append(d.steps, step{})
	d.openStep(&d.steps[n], start)
}

// ReadDelta reads a delta of step n.
func (d *decoder) ReadDelta(n int, delta *jsonr.Reader) { d.delta(&d.steps[n], delta) }

// EndBlock yields the parts of step n that are known only at its end, and frees its memory.
func (d *decoder) EndBlock(n int) {
	s := &d.steps[n]
	switch s.form {
	case wordsForm:
		d.sign(s)
	case callForm:
		d.endCall(s)
	}
	d.out.Release(len(s.arguments) + len(s.signature))
	*s = step{}
}

// start holds the members of a step.start, or of a step of a plain body.
type start struct {
	kind, id, name, signature   ir.Escaped
	arguments, failure, isError ir.Raw
	content, summary, result    jsonr.Reader
}

// openStep reads the start of a step. In a plain body the start is the whole step.
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
		case "search_type":
			d.lost.AddMember("steps[]", &r)
		}
	}
	switch f.kind {
	case "", "model_output", "thought":
		s.form = wordsForm
		for f.summary.OpenArray(); !d.out.Ended() && f.summary.Element(); {
			d.content(s, ir.ReasoningBlock, &f.summary)
		}
		for f.content.OpenArray(); !d.out.Ended() && f.content.Element(); {
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
	case "user_input", "function_result": // of the request
		s.form = lostForm
	default:
		s.form = lostForm
		d.lost.AddNamed(lostStep, f.kind)
	}
}

// delta reads a step.delta (StepDeltaData of @google/genai).
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
	default: // for example an image that the model made
		d.lost.AddNamed(lostDelta, kind)
	}
}
