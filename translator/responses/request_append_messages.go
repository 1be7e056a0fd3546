package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// instructions writes the system prompt: the first message, if it is a system message. Every server
// puts instructions where its model expects a system prompt. A developer message would only reach
// models with a developer role in their chat template.
func (w *requestWriter) instructions(content []ir.Content) *ir.Error {
	if err := w.checkContent(content, ir.System); err != nil {
		return err
	}
	if holds(content, isText) {
		w.Raw(`,"instructions":"`)
		w.joined(content)
		w.Raw(`"`)
	}
	return nil
}

// input writes the history as items. The results of a turn's calls directly follow the turn, in the
// order of the calls; the client's order does not matter.
func (w *requestWriter) input(list []ir.Message) *ir.Error {
	list = withoutBlank(list)
	for len(list) > 0 {
		var run []ir.Message
		if run, list = ir.NextSpeaker(list); run[0].Role == ir.Assistant {
			if err := w.assistant(run, len(list) == 0); err != nil {
				return err
			}
			continue
		}
		for i := range run {
			if err := w.message(&run[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// withoutBlank returns messages without those of the user and the system that are blank and so are not
// written: the assistant's messages around one are one turn.
func withoutBlank(list []ir.Message) []ir.Message {
	var out []ir.Message
	for i := range list {
		blank := list[i].Role != ir.Assistant
		for c := range list[i].Content {
			part := &list[i].Content[c]
			blank = blank && part.Kind == ir.TextContent && jsonr.IsBlank(part.Text)
		}
		if blank && out == nil {
			out = append(make([]ir.Message, 0, len(list)), list[:i]...)
		} else if !blank && out != nil {
			out = append(out, list[i])
		}
	}
	if out == nil {
		return list
	}
	return out
}

// item begins an item of a type, with a comma before it unless it is the first.
func (w *requestWriter) item(kind string) {
	w.separate()
	w.Raw(`{"type":"`)
	w.Raw(kind)
	w.Raw(`"`)
}

// separate writes a comma before each item except the first.
func (w *requestWriter) separate() {
	if w.begun {
		w.Raw(`,`)
	}
	w.begun = true
}

// message writes a user or system message, after its items unknown to the hub. A message with only
// tool results is left out.
func (w *requestWriter) message(m *ir.Message) *ir.Error {
	if err := w.checkContent(m.Content, m.Role); err != nil {
		return err
	}
	for i := range m.Content {
		if c := &m.Content[i]; w.isItem(c) {
			w.separate()
			w.Raw(string(c.Raw))
		}
	}
	role, is := "developer", isText
	if m.Role == ir.User {
		role, is = "user", isPart
	}
	if !holds(m.Content, is) && !w.holdsOwnPart(m.Content) {
		return nil
	}
	w.item("message")
	w.Raw(`,"role":"`)
	w.Raw(role)
	w.Raw(`","content":[`)
	w.parts(m.Content, m.Role, false)
	w.Raw(`]}`)
	return nil
}

// assistant writes the items of a run of assistant messages, and then the results of their calls.
// isLast means that the model is asked to continue the run.
func (w *requestWriter) assistant(run []ir.Message, isLast bool) *ir.Error {
	w.answers, w.goesOn, w.sent = 0, isLast, w.sent[:0]
	for i := range run {
		for c := range run[i].Content {
			if isAnswer(&run[i].Content[c]) {
				w.answers++
			}
			w.goesOn = w.goesOn || run[i].Content[c].Kind.IsCall()
		}
	}
	for i := range run {
		if err := w.checkContent(run[i].Content, ir.Assistant); err != nil {
			return err
		}
		content := run[i].Content
		for c := 0; c < len(content); {
			n := c + 1
			switch {
			case isText(&content[c]):
				for n < len(content) && isText(&content[n]) && (!w.Target.Phases ||
					content[n].At.Index[0] == content[c].At.Index[0]) {
					n++
				}
				w.answers -= n - c
				w.answer(content[c:n])
			case content[c].Kind.IsCall():
				w.call(&content[c])
				w.answers--
			case content[c].Kind.IsReasoning():
				w.thought(&content[c])
			case w.isProgram(&content[c]):
				if err := w.program(&content[c]); err != nil {
					return err
				}
			case w.isItem(&content[c]) && content[c].Returned && content[c].Hosted.Named:
				w.found(content[c].Hosted)
			case w.isItem(&content[c]):
				w.separate()
				w.Raw(string(content[c].Raw))
			case content[c].Returned && w.carries(&content[c]):
				w.hosted(content[c].Hosted)
			}
			c = n
		}
	}
	n := 0
	for i := range run {
		for c := range run[i].Content {
			if call := &run[i].Content[c]; call.Kind.IsCall() {
				if err := w.result(call, w.NextResult(), w.sent[n]); err != nil {
					return err
				}
				n++
			}
		}
	}
	return nil
}

// answer writes one message of the model. The content is a string, because OpenAI's description of
// an output message with an array of output_text requires an id and a status (openai-openapi,
// OutputMessage), and the hub has neither. Only OpenAI's own service gets an array, and only for a
// refusal or a citation. For all other upstreams a refusal is text, and citations are lost.
func (w *requestWriter) answer(content []ir.Content) {
	w.item("message")
	w.Raw(`,"role":"assistant"`)
	if w.Target.Phases {
		w.Dst = appendPhase(w.Dst, w.phase(&content[0]))
	}
	w.Raw(`,"content":`)
	if !w.Target.OpenAI || !holds(content, isRefusal) && !holds(content, isCited) {
		for i := range content {
			w.LoseCitations(&content[i])
		}
		w.Raw(`"`)
		w.joined(content)
		w.Raw(`"}`)
		return
	}
	for i := range content {
		if i == 0 {
			w.Raw(`[`)
		} else {
			w.Raw(`,`)
		}
		if isRefusal(&content[i]) {
			w.Raw(`{"type":"refusal","refusal":"`)
			w.TextOf(&content[i])
			w.Raw(`"}`)
		} else {
			w.Raw(`{"type":"output_text","text":"`)
			w.TextOf(&content[i])
			w.Raw(`","annotations":`)
			if isCited(&content[i]) {
				w.Raw(string(content[i].Raw))
			} else {
				w.Raw(`[]`)
			}
			w.Raw(`}`)
		}
	}
	w.Raw(`]}`)
}

// phase returns the phase of a message that begins with c: the client's, or one derived from the
// turn. A text followed by more of its turn is commentary; the last text of a turn without calls is
// the final answer. Later messages never change the phase, so the prompt cache stays valid. A turn
// that the model is asked to continue has no final answer yet.
func (w *requestWriter) phase(c *ir.Content) ir.Phase {
	switch {
	case c.Phase != ir.NoPhase:
		return c.Phase
	case w.answers > 0 || w.goesOn:
		return ir.Commentary
	}
	return ir.FinalAnswer
}
