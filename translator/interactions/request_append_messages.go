package interactions

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// turn says whose a step is.
type turn uint8

const (
	userTurn   turn = iota + 1 // user_input
	modelTurn                  // model_output, thought and function_call
	resultTurn                 // function_result
)

// messages writes system_instruction and input, a list of steps (Step of @google/genai). The system messages at the beginning of the history become the
// former, later ones text of the user's between <system-reminder> tags, as Claude Code does. The results of a turn's calls stand right behind the turn.
func (w *requestWriter) messages() *ir.Error {
	system, list := ir.SystemPrompt(w.Request.Messages)
	prompt, err := w.prompt(system)
	if err != nil {
		return err
	}
	w.Raw(`,"input":[`)
	for len(list) > 0 {
		var run []ir.Message
		if run, list = ir.NextSpeaker(list); run[0].Role == ir.Assistant {
			err = w.model(run)
		} else {
			err = w.user(run)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case w.turn == 0 && !prompt:
		return w.Request.Empty()
	case w.turn == 0, w.turn == modelTurn:
		w.missing()
	}
	w.end()
	w.Raw(`]`)
	return nil
}

// missing writes a step of the user's where the client has none: in front of a turn of the model's, or behind the last one, as generateContent wants it
// ("Requests ending with a model turn are not supported."). The models are the same. Its text is not empty, which Google refuses.
func (w *requestWriter) missing() {
	w.words(userTurn, ".")
}

// prompt writes system_instruction, one text, and reports whether the system messages hold any.
func (w *requestWriter) prompt(list []ir.Message) (written bool, err *ir.Error) {
	separator := `,"system_instruction":"`
	for m := range list {
		for i := range list[m].Content {
			c := &list[m].Content[i]
			text, err := w.SystemText(c)
			if err != nil {
				return false, err
			}
			if text {
				w.Raw(separator)
				w.Raw(string(c.Text))
				separator = `\n\n`
			}
		}
	}
	if written = separator == `\n\n`; written {
		w.Raw(`"`)
	}
	return written, nil
}

// end ends the step that has a list of content, if the last one has.
func (w *requestWriter) end() {
	if w.open {
		w.Raw(`]}`)
		w.open = false
	}
}

// step writes what stands in front of a step that has no list of content.
func (w *requestWriter) step(t turn) {
	if t == modelTurn && w.turn == 0 {
		w.missing()
	}
	if w.end(); w.turn != 0 {
		w.Raw(`,`)
	}
	w.turn = t
}

// part writes what stands in front of the next element of a content: a comma in the content of an open step of the same turn, else the beginning of a
// new step, user_input or model_output.
func (w *requestWriter) part(t turn) {
	if w.open && w.turn == t {
		w.Raw(`,`)
		return
	}
	w.step(t)
	w.open = true
	if t == modelTurn {
		w.Raw(`{"type":"model_output","content":[`)
	} else {
		w.Raw(`{"type":"user_input","content":[`)
	}
}

// words writes a text.
func (w *requestWriter) words(t turn, text ir.Escaped) {
	w.part(t)
	w.text(text)
}

// text writes a content that is text.
func (w *requestWriter) text(e ir.Escaped) {
	w.Raw(`{"type":"text","text":`)
	w.Literal(e)
	w.Raw(`}`)
}

// user writes the messages between two turns of the model. Results of tools are written elsewhere.
func (w *requestWriter) user(run []ir.Message) *ir.Error {
	for m := range run {
		for i := range run[m].Content {
			c := &run[m].Content[i]
			if run[m].Role == ir.System && c.Kind == ir.TextContent {
				if !jsonr.IsBlank(c.Text) {
					w.part(userTurn)
					w.Raw(`{"type":"text","text":"<system-reminder>\n`)
					w.Raw(string(c.Text))
					w.Raw(`\n</system-reminder>"}`)
				}
				continue
			}
			if err := w.block(userTurn, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// model writes one turn of the model, and the results of its calls.
func (w *requestWriter) model(run []ir.Message) *ir.Error {
	var s reply
	for m := range run {
		for i := range run[m].Content {
			c := &run[m].Content[i]
			switch {
			case c.Kind.IsReasoning():
				w.reasoning(&s, c)
			case c.Kind.IsCall():
				w.call(&s, c)
			default:
				if err := w.block(modelTurn, c); err != nil {
					return err
				}
			}
		}
	}
	for i := range s.calls {
		if err := w.result(&s.calls[i]); err != nil {
			return err
		}
	}
	return w.show()
}
