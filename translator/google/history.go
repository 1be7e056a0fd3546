package google

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Speaker is the speaker of a turn in the history.
type Speaker uint8

const (
	User    Speaker = iota + 1 // the user and the system
	Model                      // the model's texts, thoughts and calls
	Results                    // only the results of calls
)

// Messages writes the system prompt and the turns. The system messages at the beginning of the
// history are the system prompt. Later system messages become text of the user between
// <system-reminder> tags, as in Claude Code.
//
// Google rejects a history that begins with the model ("Please ensure that function call turn comes
// immediately after a user turn or after a function response turn."). New models reject one that
// ends with the model ("Requests ending with a model turn are not supported."): see Continues. At
// such a beginning or end, and in a history that has only a system prompt, Messages adds a user
// turn with a short text.
func (w *Writer) Messages() *ir.Error {
	system, history := ir.SystemPrompt(w.Request.Messages)
	prompt, err := w.prompt(system)
	if err != nil {
		return err
	}
	w.Raw(w.Syntax.Turns)
	for len(history) > 0 {
		var run []ir.Message
		if run, history = ir.NextSpeaker(history); run[0].Role == ir.Assistant {
			err = w.model(run)
		} else {
			err = w.user(run)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case w.speaker == 0 && !prompt:
		return w.Request.Empty()
	case w.speaker == 0, w.speaker == Model && !w.Continues:
		w.missing()
	}
	w.endTurn()
	w.Raw(`]`)
	return nil
}

// prompt writes the system prompt, and reports whether the system messages have any text.
func (w *Writer) prompt(list []ir.Message) (written bool, err *ir.Error) {
	for m := range list {
		for i := range list[m].Content {
			c := &list[m].Content[i]
			text, err := w.SystemText(c)
			if err != nil {
				return false, err
			}
			switch {
			case !text:
				continue
			case written:
				w.Raw(w.Syntax.PromptNext)
			default:
				w.Raw(w.Syntax.PromptStart)
			}
			w.Raw(string(c.Text))
			written = true
		}
	}
	if written {
		w.Raw(w.Syntax.PromptEnd)
	}
	return written, nil
}

// missing writes a user turn that the client's history lacks. The text is a dot, since Google
// rejects an empty text.
func (w *Writer) missing() {
	w.Part(User)
	w.Text(".")
}

// endTurn ends the last turn, if it is open.
func (w *Writer) endTurn() {
	if w.open {
		w.Raw(`]}`)
		w.open = false
	}
}

// Turn writes what precedes a turn without a list of parts.
func (w *Writer) Turn(s Speaker) {
	if s == Model && w.speaker == 0 {
		w.missing()
	}
	if w.endTurn(); w.speaker != 0 {
		w.Raw(`,`)
	}
	w.speaker = s
}

// Part writes what precedes a part: a comma if the speaker's turn is open, otherwise the start of a
// turn.
func (w *Writer) Part(s Speaker) {
	if w.open && w.speaker == s {
		w.Raw(`,`)
		return
	}
	w.Turn(s)
	w.open = true
	if s == Model {
		w.Raw(w.Syntax.Model)
	} else {
		w.Raw(w.Syntax.User)
	}
}

// Text writes a text as a part, without the comma before it.
func (w *Writer) Text(text ir.Escaped) {
	w.Raw(w.Syntax.Text)
	w.Raw(string(text))
	w.Raw(`"}`)
}

// user writes the messages between two turns of the model. It omits the results of tools: model
// writes results after their calls.
func (w *Writer) user(run []ir.Message) *ir.Error {
	for m := range run {
		for i := range run[m].Content {
			c := &run[m].Content[i]
			if run[m].Role != ir.System || c.Kind != ir.TextContent {
				if _, err := w.Block(User, c); err != nil {
					return err
				}
				continue
			}
			if !jsonr.IsBlank(c.Text) {
				w.Part(User)
				w.Raw(w.Syntax.Text)
				w.Raw(`<system-reminder>\n`)
				w.Raw(string(c.Text))
				w.Raw(`\n</system-reminder>"}`)
			}
		}
	}
	return nil
}

// model writes a turn of the model, then the results of its calls in their order.
func (w *Writer) model(run []ir.Message) *ir.Error {
	w.calls = w.calls[:0]
	if err := w.API.Model(run); err != nil {
		return err
	}
	for i := range w.calls {
		if err := w.API.Result(&w.calls[i]); err != nil {
			return err
		}
	}
	return w.show()
}

// AddCall notes a call in the model's turn. Its result is written after the turn.
func (w *Writer) AddCall(c *Call) { w.calls = append(w.calls, *c) }

// Block writes a block as parts of a speaker, and reports whether one of them is a text. It omits
// calls, results and reasoning.
func (w *Writer) Block(s Speaker, c *ir.Content) (text bool, err *ir.Error) {
	f, err := w.form(s, c)
	switch {
	case err != nil:
		return false, err
	case f == Attached:
		w.attach(s, c)
	case f == Textual:
		return w.textParts(s, c), nil
	}
	return false, nil
}

// textParts writes the texts of a block as parts, and reports whether there are any.
func (w *Writer) textParts(s Speaker, c *ir.Content) bool {
	texts := w.Texts(c)
	for _, text := range texts {
		w.Part(s)
		w.Text(text)
	}
	return len(texts) > 0
}

// attach writes an image, a file or audio after its texts.
func (w *Writer) attach(s Speaker, c *ir.Content) {
	w.textParts(s, c)
	w.Part(s)
	w.API.Media(c)
}

// Call is a tool call of the history, in the form for the upstream.
type Call struct {
	ID, Name ir.Escaped // ID is "" for none
	At       ir.Pos
}

// Arguments writes the arguments of a call, an object. The upstream gets a custom tool as a function
// with the argument "input".
func (w *Writer) Arguments(c *ir.Content) {
	if c.Kind != ir.CustomCallContent {
		w.Raw(string(c.Input))
		return
	}
	w.Raw(`{"input":`)
	w.Literal(c.Text)
	w.Raw(`}`)
}

// ShowLater has the files of a result written after all results.
func (w *Writer) ShowLater(result *ir.Content) { w.shown = append(w.shown, result) }

// show writes a turn of the user with the images and files that the results before it can't hold.
func (w *Writer) show() *ir.Error {
	for _, result := range w.shown {
		w.Part(User)
		w.Raw(w.Syntax.Text)
		w.Raw(`Returned by the tool call `)
		w.Raw(string(ir.Identifier(result.ID, 0)))
		w.Raw(`:"}`)
		for i := range result.Parts {
			c := &result.Parts[i]
			if f, err := w.ResultForm(c); err != nil {
				return err
			} else if f == Shown {
				w.attach(User, c)
			}
		}
	}
	w.shown = w.shown[:0]
	return nil
}
