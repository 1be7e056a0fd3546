package interactions

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/sse"
)

// The types of events (InteractionSSEEvent of @google/genai).
const (
	createdEvent   = "interaction.created"
	updatedEvent   = "interaction.status_update"
	completedEvent = "interaction.completed"
	stepStart      = "step.start"
	stepDelta      = "step.delta"
	stepStop       = "step.stop"
	errorEvent     = "error"

	// done follows the last event of a complete answer.
	done = "event: done\ndata: [DONE]\n\n"

	// keepAlive is a comment. No blank line follows it: the line would end an empty event.
	keepAlive = ": keep-alive\n"

	trap = "event: " + errorEvent + "\n" +
		`data: {"error":{"message":"The translator failed.","code":"internal"},"event_type":"error"}` + "\n\n"
)

// encoder writes one streamed answer (streams as recorded). It implements ir.Encoder.
type encoder struct {
	answerWriter
	body *bodyWriter // writes the answer's copy, if the answer is stored
	copy []byte
}

// AppendEvent appends the events for ev.
//
//go:noinline
func (e *encoder) AppendEvent(dst []byte, ev *ir.Event) []byte {
	if e.body != nil {
		e.copy = e.body.AppendEvent(e.copy, ev)
	}
	switch ev.Kind {
	case ir.Start:
		e.start()
		if e.request.AnswerCopy != nil {
			e.body = newBody(e.request, e.model)
			e.copy = e.body.AppendEvent(nil, ev)
		}
		dst = e.appendResource(append(open(dst, createdEvent), `"interaction":{`...), true)
		dst = shut(append(dst, `,"status":"in_progress"}`...), createdEvent)
		dst = jsonw.AppendTextMember(open(dst, updatedEvent), `"interaction_id":`, e.id)
		return shut(append(dst, `,"status":"in_progress"`...), updatedEvent)
	case ir.Finish:
		dst = e.appendLast(dst, ev)
		if e.status(ev) == "failed" { // the interaction of an event has no errors
			dst = shut(append(append(open(dst, errorEvent), `"error":`...), blocked...), errorEvent)
		}
		dst = e.appendResource(append(open(dst, completedEvent), `"interaction":{`...), true)
		return append(shut(append(e.appendState(append(dst, ','), ev), '}'), completedEvent), done...)
	case ir.Failure:
		return shut(appendError(open(dst, errorEvent), ev.Err), errorEvent)
	}
	return e.appendBlockEvent(dst, ev)
}

// KeepAlive returns a comment line, which clients ignore.
func (e *encoder) KeepAlive() string { return keepAlive }

// Trap returns the error that replaces an event after a crash of the translator.
func (e *encoder) Trap() string { return trap }

// open appends the beginning of an event.
func open(dst []byte, name string) []byte { return append(sse.AppendHead(dst, name), '{') }

// shut appends the end of an event.
func shut(dst []byte, name string) []byte {
	dst = append(append(dst, `,"event_type":"`...), name...)
	return sse.AppendTail(append(dst, `"}`...))
}

// shut appends the end of an event about the latest step.
func (w *answerWriter) shut(dst []byte, name string) []byte {
	if name != stepStop {
		dst = append(dst, ',')
	}
	return shut(jsonw.AppendIntMember(dst, `"index":`, w.steps-1), name)
}
