package gemini

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// turn says who speaks in a content, an element of contents.
type turn uint8

const (
	userTurn   turn = iota + 1
	modelTurn       // text, thoughts and calls
	resultTurn      // functionResponse parts and nothing else, whose role is the user's
)

// messages writes systemInstruction and contents. The system messages at the beginning of the history become the former, later ones text of the
// user's between <system-reminder> tags, as Claude Code does. The results of a turn's calls stand right behind the turn, as many as calls, in a
// content of their own: Google refuses anything else ("Please ensure that the number of function response parts is equal to the number of
// function call parts of the function call turn.", and anomalyco/opencode#43479 for text beside them).
func (w *requestWriter) messages() *ir.Error {
	system, list := ir.SystemPrompt(w.Request.Messages)
	prompt, err := w.prompt(system)
	if err != nil {
		return err
	}
	w.Raw(`"contents":[`)
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
	case w.turn == 0:
		w.Raw(missing)
		w.Raw(`]`)
		return nil
	case w.turn == modelTurn && w.Target.Prefill == ir.NoPrefill:
		w.Raw(`]},`)
		w.Raw(missing)
		w.Raw(`]`)
		return nil
	}
	w.Raw(`]}]`)
	return nil
}

// missing is a content of the user's where Google wants one and the client has none: as the first one ("Please ensure that function call turn comes
// immediately after a user turn or after a function response turn."), or as the last one ("Requests ending with a model turn are not
// supported."). Its text is not empty: Google refuses that.
const missing = `{"role":"user","parts":[{"text":"."}]}`

// prompt writes systemInstruction, a comma behind it, and reports whether the system messages hold any text.
func (w *requestWriter) prompt(list []ir.Message) (written bool, err *ir.Error) {
	separator := `"systemInstruction":{"parts":[`
	for m := range list {
		for i := range list[m].Content {
			c := &list[m].Content[i]
			text, err := w.SystemText(c)
			if err != nil {
				return false, err
			}
			if text {
				w.Next(&separator)
				w.text(c.Text)
			}
		}
	}
	if written = separator == `,`; written {
		w.Raw(`]},`)
	}
	return written, nil
}

// open writes what stands in front of the next part of a turn: a comma in the open content, where that is of the same kind, else the beginning of a
// new one.
func (w *requestWriter) open(t turn) {
	if w.turn == t {
		w.Raw(`,`)
		return
	}
	switch {
	case w.turn != 0:
		w.Raw(`]},`)
	case t == modelTurn:
		w.Raw(missing + `,`)
	}
	if w.turn = t; t == modelTurn {
		w.Raw(`{"role":"model","parts":[`)
	} else {
		w.Raw(`{"role":"user","parts":[`)
	}
}

// text writes a part that is text.
func (w *requestWriter) text(e ir.Escaped) {
	w.Raw(`{"text":`)
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
					w.open(userTurn)
					w.Raw(`{"text":"<system-reminder>\n`)
					w.Raw(string(c.Text))
					w.Raw(`\n</system-reminder>"}`)
				}
				continue
			}
			if _, err := w.block(userTurn, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// model writes one turn of the model, and the results of its calls.
func (w *requestWriter) model(run []ir.Message) *ir.Error {
	s := reply{signed: w.isSigned(run)}
	for m := range run {
		for i := range run[m].Content {
			c := &run[m].Content[i]
			switch {
			case c.Kind.IsReasoning():
				w.reasoning(&s, c)
			case c.Kind.IsCall():
				w.call(&s, c)
			default:
				said, err := w.block(modelTurn, c)
				if err != nil {
					return err
				}
				if s.said = s.said || said; said {
					w.signTexts(&s)
				}
			}
		}
	}
	w.endStep(&s)
	for _, call := range s.calls {
		if err := w.result(call); err != nil {
			return err
		}
	}
	return w.show()
}
