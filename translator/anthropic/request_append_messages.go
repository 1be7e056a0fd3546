package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// messages writes "system" and "messages". The system messages at the beginning of the history
// become "system". The roles of messages alternate: messages in a row with the same role become
// one. The results of a turn's calls come first in the next message (FAULTS 52).
func (w *requestWriter) messages() *ir.Error {
	system, list := ir.SystemPrompt(w.Request.Messages)
	prompt, err := w.prompt(system)
	if err != nil {
		return err
	}
	w.Raw(`,"messages":[`)
	w.notePrograms(list)
	for len(list) > 0 {
		var run []ir.Message
		if run, list = ir.NextSpeaker(list); run[0].Role == ir.Assistant {
			err = w.assistant(run)
		} else {
			err = w.user(run)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case w.role != 0:
		w.trim()
		w.endTurn()
		w.placeInTurns()
		w.Raw(`]}]`)
	case prompt:
		w.Raw(missing)
		w.Raw(`]`)
	default:
		return w.Request.Empty()
	}
	return nil
}

// missing is the first user message, which the API requires, if the client has none. The text is a
// dot, since the API rejects an empty text.
const missing = `{"role":"user","content":[{"type":"text","text":"."}]}`

// silent is the turn of the assistant between a system message and a user message if the client's
// turn has nothing that can be sent. The API requires one there ("Mid-conversation system messages",
// "Limitations").
const silent = `{"role":"assistant","content":[{"type":"text","text":"."}]}`

// prompt writes the system messages as "system", and reports whether they have any text.
func (w *requestWriter) prompt(list []ir.Message) (written bool, err *ir.Error) {
	for m := range list {
		for i := range list[m].Content {
			c := &list[m].Content[i]
			if text, err := w.SystemText(c); err != nil {
				return false, err
			} else if !text {
				continue
			}
			if written {
				w.Raw(`,`)
			} else {
				w.Raw(`,"system":[`)
			}
			written = true
			w.textBlock(c)
		}
	}
	if written {
		w.place(len(w.Dst) - 1)
		w.Raw(`]`)
	}
	return written, nil
}

// open writes what precedes the next block of a message of a role: a comma if the open message has
// the role, otherwise the beginning of a new message. In an open tool result it begins the next
// part.
func (w *requestWriter) open(role ir.Role) {
	if w.inside {
		if w.parts == 0 {
			w.Raw(`,"content":[`)
		} else {
			w.Raw(`,`)
		}
		w.parts++
		return
	}
	w.textAt = 0
	if w.role == role {
		w.blocks++
		w.Raw(`,`)
		return
	}
	switch {
	case w.role != 0:
		w.endTurn()
		w.Raw(`]},`)
		if w.role == ir.System && role == ir.User {
			w.Raw(silent + `,`)
		}
	case role != ir.User && !w.summed:
		w.Raw(missing + `,`)
	}
	w.role, w.blocks = role, 1
	switch role {
	case ir.User:
		w.Raw(`{"role":"user","content":[`)
	case ir.System:
		w.Raw(`{"role":"system","content":[`)
	default:
		w.thought = false
		w.Raw(`{"role":"assistant","content":[`)
	}
}

// user writes the messages between two turns of the assistant. If the upstream accepts system
// messages there, a system message after the user's last message keeps its role ("Mid-conversation
// system messages", "Limitations"). Otherwise it becomes text in the user message between
// <system-reminder> tags, which Claude knows from Claude Code.
func (w *requestWriter) user(run []ir.Message) *ir.Error {
	last := -1
	for m := range run {
		if run[m].Role == ir.User && w.holds(run[m].Content) {
			last = m
		}
	}
	for m := range run {
		role := run[m].Role
		system := role == ir.System
		if !w.Target.SystemTurns || m < last || w.role != ir.User && w.role != ir.System {
			role = ir.User
		}
		for i := range run[m].Content {
			c := &run[m].Content[i]
			if system && role == ir.User && c.Kind == ir.TextContent && !jsonr.IsBlank(c.Text) {
				w.open(role)
				w.Raw(`{"type":"text","text":"<system-reminder>\n`)
				w.Raw(string(c.Text))
				w.Raw(`\n</system-reminder>"`)
				w.breakpoint(c.Cache)
				w.Raw(`}`)
			} else if err := w.block(role, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// assistant writes one turn of the assistant, and the results of its calls. Thinking at the end of
// a turn is lost, since the API rejects a turn that ends with thinking (FAULTS 72).
//
//go:noinline
func (w *requestWriter) assistant(run []ir.Message) *ir.Error {
	left := 0 // how many blocks other than reasoning are still to be written
	for m := range run {
		for i := range run[m].Content {
			if w.says(&run[m].Content[i]) {
				left++
			}
		}
	}
	start, before, container := len(w.Dst), len(w.calls), w.container
	w.calls, w.container = w.calls[:0], ""
	for m := range run {
		for i := range run[m].Content {
			c := &run[m].Content[i]
			if w.says(c) {
				left--
			} else if left == 0 && c.Kind.IsReasoning() {
				w.LoseReasoning(c)
				continue
			}
			if err := w.block(ir.Assistant, c); err != nil {
				return err
			}
		}
	}
	for n := range w.calls {
		if err := w.result(w.calls[n], w.NextResult()); err != nil {
			return err
		}
	}
	if len(w.Dst) == start { // the calls of the turn before are still the last
		w.calls, w.container = w.calls[:before], container
	}
	return nil
}
