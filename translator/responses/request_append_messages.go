package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// instructions writes the prompt that stands in front of everything. Servers put it where their models want a system prompt,
// which not all of them do with a developer message.
func (w *requestWriter) instructions(content []ir.Content) *ir.Error {
	if err := w.checkContent(content, ir.System); err != nil {
		return err
	}
	if holds(content, isText) {
		w.raw(`,"instructions":"`)
		w.joined(content)
		w.raw(`"`)
	}
	return nil
}

// input writes the history as items. The results of a turn's calls stand right behind it, in the order of the calls, wherever
// the client put them.
func (w *requestWriter) input(list []ir.Message) *ir.Error {
	for i := 0; i < len(list); {
		var err *ir.Error
		if list[i].Role == ir.Assistant {
			n := i + 1
			for n < len(list) && list[n].Role == ir.Assistant {
				n++
			}
			err = w.assistant(list[i:n])
			i = n
		} else {
			err = w.message(&list[i])
			i++
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// item begins an item of a type.
func (w *requestWriter) item(kind string) {
	w.separate()
	w.raw(`{"type":"`)
	w.raw(kind)
	w.raw(`"`)
}

// separate puts a comma in front of all items but the first.
func (w *requestWriter) separate() {
	if w.begun {
		w.raw(`,`)
	}
	w.begun = true
}

// message writes a user or system message; what holds nothing but tool results becomes none. Items of this protocol's own go
// as they stand.
func (w *requestWriter) message(m *ir.Message) *ir.Error {
	if err := w.checkContent(m.Content, m.Role); err != nil {
		return err
	}
	for i := range m.Content {
		if c := &m.Content[i]; w.isItem(c) {
			w.separate()
			w.raw(string(c.Raw))
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
	w.raw(`,"role":"`)
	w.raw(role)
	w.raw(`","content":[`)
	w.parts(m.Content, m.Role, false)
	w.raw(`]}`)
	return nil
}

// assistant writes the items of a run of assistant messages, and the results of its calls behind them.
func (w *requestWriter) assistant(run []ir.Message) *ir.Error {
	results := w.results
	w.answers = 0
	for i := range run {
		for c := range run[i].Content {
			if isAnswer(&run[i].Content[c]) {
				w.answers++
			}
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
				for n < len(content) && isText(&content[n]) {
					n++
				}
				w.answer(content[c:n])
				w.answers -= n - c
			case isCall(&content[c]):
				w.call(&content[c])
				w.answers--
				w.results = w.results[1:]
			case isReasoning(&content[c]):
				w.thought(&content[c])
			case w.isItem(&content[c]):
				w.separate()
				w.raw(string(content[c].Raw))
			}
			c = n
		}
	}
	for i := range run {
		for c := range run[i].Content {
			if call := &run[i].Content[c]; isCall(call) {
				if err := w.result(call, results[0]); err != nil {
					return err
				}
				results = results[1:]
			}
		}
	}
	return nil
}

// answer writes one message of the model. Its content is a string: an array of output_text needs an id and a status where
// servers check what they get. Refusals are parts of their own for OpenAI, and text for all others.
func (w *requestWriter) answer(content []ir.Content) {
	w.item("message")
	w.raw(`,"role":"assistant","content":`)
	if !w.t.OpenAI || !holds(content, isRefusal) {
		w.raw(`"`)
		w.joined(content)
		w.raw(`"}`)
		return
	}
	for i := range content {
		if i == 0 {
			w.raw(`[`)
		} else {
			w.raw(`,`)
		}
		if isRefusal(&content[i]) {
			w.raw(`{"type":"refusal","refusal":"`)
			w.textOf(&content[i])
			w.raw(`"}`)
		} else {
			w.raw(`{"type":"output_text","text":"`)
			w.textOf(&content[i])
			w.raw(`","annotations":[]}`)
		}
	}
	w.raw(`]}`)
}

func (w *requestWriter) call(c *ir.Content) {
	if c.Kind == ir.CustomCallContent {
		w.item("custom_tool_call")
	} else {
		w.item("function_call")
	}
	w.raw(`,"call_id":`)
	w.literal(openai.ShortID(c.ID, openai.MaxIdentifier))
	w.raw(`,"name":`)
	w.literal(openai.ToolName(c.Name))
	if c.Kind == ir.CustomCallContent {
		w.raw(`,"input":`)
		w.literal(c.Text)
		w.raw(`}`)
		return
	}
	w.raw(`,"arguments":"`)
	w.dst = jsonw.AppendQuotedRaw(w.dst, c.Input)
	w.raw(`"}`)
}

// thought writes a reasoning item that an upstream of this protocol has given, with its id: the two belong together. The API
// refuses one that nothing of the same turn follows.
func (w *requestWriter) thought(c *ir.Content) {
	if c.Origin != Name || c.Signature == "" || w.answers == 0 {
		if !w.reasons { // the upstream reasons anew; a long history would fill the list
			w.reasons = true
			w.lost.Add(w.r.Path(c.At))
		}
		return
	}
	w.item("reasoning")
	if c.ItemID != "" {
		w.raw(`,"id":`)
		w.literal(c.ItemID)
	}
	w.raw(`,"summary":[`)
	if c.Text != "" {
		w.raw(`{"type":"summary_text","text":`)
		w.literal(c.Text)
		w.raw(`}`)
	}
	w.raw(`],"encrypted_content":`)
	w.literal(c.Signature)
	w.raw(`}`)
}

// result writes the result of one call: a string, which all servers take, or parts where it holds more than text. A call
// without a result, which the API refuses, gets a note in its place.
func (w *requestWriter) result(call, result *ir.Content) *ir.Error {
	if call.Kind == ir.CustomCallContent {
		w.item("custom_tool_call_output")
	} else {
		w.item("function_call_output")
	}
	w.raw(`,"call_id":`)
	w.literal(openai.ShortID(call.ID, openai.MaxIdentifier))
	w.raw(`,"output":`)
	if result == nil {
		w.raw(`"(no result)"}`)
		w.lost.Add(w.r.Path(call.At))
		return nil
	}
	if err := w.checkContent(result.Parts, ir.User); err != nil {
		return err
	}
	if holds(result.Parts, isMedia) || w.holdsOwnPart(result.Parts) {
		w.raw(`[`)
		w.parts(result.Parts, ir.User, result.IsError)
		w.raw(`]}`)
		return nil
	}
	w.raw(`"`)
	if result.IsError {
		w.raw(errorLead)
	}
	w.joined(result.Parts)
	w.raw(`"}`)
	return nil
}

// errorLead marks the result of a call that has failed, which the API has no member for.
const errorLead = `Error: `

// checkContent refuses or reports what a message or a result can't carry. Tool calls, results and reasoning are dealt with where
// they are written.
func (w *requestWriter) checkContent(list []ir.Content, role ir.Role) *ir.Error {
	for i := range list {
		c := &list[i]
		var err *ir.Error
		switch {
		case isText(c), isMedia(c) && role == ir.User:
			if c.Kind == ir.DocumentContent && holds(c.Parts, isOpaque) {
				err = w.refuseOrLose(w.r.Path(c.At), "what is no text in a document")
			}
		case isCall(c) && role == ir.Assistant, c.Kind == ir.ToolResultContent && role == ir.User:
		case isReasoning(c) && role == ir.Assistant:
		case w.isItem(c), w.isOwnPart(c) && role != ir.Assistant:
		case isMedia(c):
			err = w.refuseOrLose(w.r.Path(c.At), "an image or a file outside a user message")
		default:
			err = w.refuseOrLose(w.r.Path(c.At), "a block of this type here")
		}
		if err != nil {
			return err
		}
	}
	return nil
}
