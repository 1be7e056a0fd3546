package interactions

import (
	"edgelingua/translator/events"
	"edgelingua/translator/failure"
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// decoder reads one answer: a stream (ai.google.dev/gemini-api/docs/interactions/streaming;
// InteractionSSEEvent of @google/genai) or a plain body, an Interaction. Both share the functions
// for steps: a step of a body is read as a step.start with the whole step inside.
type decoder struct {
	index   jsonr.Index // of the event or body being read
	request *ir.Request
	lost    *ir.Lost
	out     events.Indexed // block n is steps[n]
	steps   []step
	names   google.RenamedTools

	// the open hub block, 0 for none. A text block stays open after the end of its step, until
	// another block begins
	open   ir.BlockKind
	hidden bool     // the client's API has no form for the open block
	phase  ir.Phase // the phase of a text when its block ends
	called bool     // a call has been yielded
	id     []byte   // the upstream's id of the answer

	stop    ir.StopReason // 0 until the answer's status is known
	usage   ir.Usage
	sources sources
}

// missingStart replaces the missing start of a step. The step can have text and thoughts.
const missingStart = `{}`

// tooMuch completes the error message for an answer that needs more than ir.MaxBuffered bytes of
// buffer, because its steps are interleaved or have signatures.
const tooMuch = "it has more than 8 MB of steps to buffer"

func newDecoder(r *ir.Request, lost *ir.Lost, sink ir.Sink) *decoder {
	d := &decoder{request: r, lost: lost, usage: ir.NoUsage, names: google.Renamed(r)}
	d.sources.shown = r.API.Client.Shows(ir.WebSearchBlock)
	d.sources.text = google.NewCitedText(r)
	d.out.Init(sink, d, missingStart, tooMuch)
	return d
}

// event holds the members of an event's data, unread.
type event struct {
	kind        ir.Escaped
	index       int64 // -1 for none
	step        ir.Raw
	delta       jsonr.Reader
	interaction jsonr.Reader
	failed      bool // an error came instead of the event
}

// Event reads one event. The data contains the event's type, and name repeats the type. After the
// last event comes an event named done, with the data [DONE].
//
//go:noinline
func (d *decoder) Event(name, data string) {
	switch {
	case d.out.Ended():
		return
	case data == "[DONE]":
		d.Close(nil)
		return
	case d.index.Check(data) != nil:
		if name == "error" {
			d.out.Fail(google.DecodeEvent(data))
		} else {
			d.out.Fail(failure.Unreadable("an event is not JSON"))
		}
		return
	}
	e := event{index: -1}
	r := d.index.Reader()
	e.failed = google.IsListOfErrors(r)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "event_type":
			e.kind, _ = jsonr.Text(r.Value())
		case "index":
			e.index = jsonr.Count(r.Value())
		case "step":
			e.step = r.Value()
		case "delta":
			e.delta = r.Here()
		case "interaction":
			e.interaction = r.Here()
		case "error":
			e.failed = !jsonr.IsNothing(r.Value()) || e.failed
		}
	}
	if e.kind == "" {
		e.kind = ir.Escaped(name)
	}
	if e.failed || e.kind == "error" {
		d.out.Fail(google.DecodeEvent(data))
		return
	}
	d.event(&e)
}

func (d *decoder) event(e *event) {
	switch e.kind {
	case "interaction.created":
		h := d.header(&e.interaction)
		d.start(&h)
	case "interaction.status_update": // the last event repeats the status
	case "step.start":
		d.begun()
		d.out.BlockStart(e.index, e.step)
	case "step.delta":
		d.begun()
		d.out.BlockDelta(e.index, &e.delta)
	case "step.stop":
		d.out.BlockStop(e.index)
	case "interaction.completed":
		h := d.header(&e.interaction)
		d.start(&h)
		// "The steps that make up the interaction, if included in this event"
		// (InteractionSseEventInteraction)
		if d.out.Len() == 0 {
			d.whole(h.steps)
		}
		d.finish(&h)
	default:
		d.lost.AddNamed("event:", e.kind)
	}
}

// header holds the members of an Interaction other than its steps.
type header struct {
	id, model, status ir.Escaped
	steps             jsonr.Reader
	errors            jsonr.Reader
	failed            bool // an error came instead of the answer
}

// header reads an Interaction except its steps, and counts its tokens.
func (d *decoder) header(r *jsonr.Reader) (h header) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "id":
			h.id, _ = jsonr.Text(r.Value())
		case "model":
			h.model, _ = jsonr.Text(r.Value())
		case "status":
			h.status, _ = jsonr.Text(r.Value())
		case "steps":
			h.steps = r.Here()
		case "usage":
			if d.request.API.Name == Name {
				usage := r.Copy()
				d.out.OwnUsage(usage.Value(), d.lost)
			}
			d.count(r)
		case "service_tier":
			tier, _ := jsonr.Text(r.Value())
			d.out.SetTier(ir.TierOf(tier))
		case "errors":
			h.errors = r.Here()
		case "error":
			h.failed = !jsonr.IsNothing(r.Value())
		default:
			d.out.Own(d.request.API.Name == Name, writtenMembers, r, d.lost)
		}
	}
	return h
}

// writtenMembers has the other members of an Interaction that answer_append_finish.go writes, or that repeat
// the request.
const writtenMembers = " object created updated previous_interaction_id input tools system_instruction" +
	" generation_config response_format response_mime_type response_modalities safety_settings labels" +
	" webhook_config agent_config output_text "

// start yields Start, once. If the answer is not stored, its id is missing or empty (recorded in
// multi-turn-stateless-turn1).
func (d *decoder) start(h *header) {
	if d.out.Started() {
		return
	}
	id := h.id
	if id == "" {
		id = ir.MadeID(d.request)
	}
	d.id = append(d.id, id...)
	d.out.Start(id, h.model, 0, d.usage)
}

// begun yields Start if interaction.created is missing.
func (d *decoder) begun() {
	if !d.out.Started() {
		d.start(&header{})
	}
}

// Body reads a whole plain answer.
//
//go:noinline
func (d *decoder) Body(body string) {
	if d.out.Ended() {
		return
	}
	if d.index.Check(body) != nil {
		d.out.Fail(failure.NotJSON(body))
		return
	}
	r := d.index.Reader()
	listed := google.IsListOfErrors(r)
	h := d.header(&r)
	if listed || h.failed {
		d.out.Fail(google.DecodeEvent(body))
		return
	}
	if h.status == "" && h.steps.Kind() != jsonr.Array {
		d.out.Fail(failure.Unreadable("the body has no steps"))
		return
	}
	d.start(&h)
	d.whole(h.steps)
	d.finish(&h)
}

// whole reads the steps of an Interaction. The answer begins after the user's last step: the API
// once repeated the input before the answer
// (ai.google.dev/gemini-api/docs/interactions-breaking-changes-may-2026, as it was at first).
func (d *decoder) whole(steps jsonr.Reader) {
	repeated := repeatedSteps(steps)
	for steps.OpenArray(); !d.out.Ended() && steps.Element(); repeated-- {
		if v := steps.Value(); repeated <= 0 {
			d.out.BlockStart(-1, v)
			d.out.BlockStop(-1)
		}
	}
}

// repeatedSteps returns how many steps at the beginning of a list are the input.
func repeatedSteps(r jsonr.Reader) (n int) {
	place := 0
	for r.OpenArray(); r.Element(); {
		place++
		if kind := typeOf(r.Value()); kind == "user_input" || kind == "function_result" {
			n = place
		}
	}
	return n
}

// typeOf returns the type of a step.
func typeOf(v ir.Raw) (kind ir.Escaped) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" {
			kind, _ = jsonr.Text(r.Value())
		}
	}
	return kind
}

// Complete reports whether the answer has ended: later input does not change it.
func (d *decoder) Complete() bool { return d.out.Ended() }

// Close ends the stream. Before interaction.completed the end is a failure: cause, or an incomplete
// answer if cause is nil.
func (d *decoder) Close(cause *ir.Error) {
	switch {
	case d.out.Ended():
	case cause != nil:
		d.out.Fail(cause)
	default:
		d.out.Fail(failure.Incomplete())
	}
}
