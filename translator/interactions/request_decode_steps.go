package interactions

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Forms of ir.Pos for the parts of the input.
const (
	stepForm    = "input[]"
	contentForm = "input[].content[]"
	resultForm  = "input[].result[]"
)

// input reads input: a text, a content, or a list of contents and steps (InteractionsInput of
// @google/genai).
func (d *requestDecoder) input(r *jsonr.Reader) *ir.Error {
	d.request.Messages = nil
	switch r.Kind() {
	case jsonr.String:
		text, _ := jsonr.Text(r.Value())
		d.add(ir.User, &ir.Content{Kind: ir.TextContent, At: ir.Pos{Form: "input"}, Text: text})
		return nil
	case jsonr.Object:
		return d.step(r, ir.Pos{Form: "input"})
	}
	n, err := d.List(r, "input")
	if err != nil {
		return err
	}
	d.request.Messages = make([]ir.Message, 0, n)
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.step(r, ir.Pos{Form: stepForm, Index: ir.Index{n}}); err != nil {
			return err
		}
	}
	if n == 0 {
		return google.Invalid("input", "The input is empty.")
	}
	return nil
}

// add adds a block to the last message, or to a new message if the role changes.
func (d *requestDecoder) add(role ir.Role, c *ir.Content) {
	n := len(d.request.Messages)
	if n == 0 || d.request.Messages[n-1].Role != role {
		d.request.Messages = append(d.request.Messages, ir.Message{Role: role})
		n++
	}
	m := &d.request.Messages[n-1]
	m.Content = append(m.Content, *c)
}

// inputStep holds the members of a step of the input.
type inputStep struct {
	kind, id, callID, name, signature ir.Escaped
	arguments                         ir.Raw
	isError                           bool
	content, summary, result          jsonr.Reader
}

// step reads the next value of r: a step, or a content, which is the user's.
func (d *requestDecoder) step(r *jsonr.Reader, at ir.Pos) (err *ir.Error) {
	if err = google.CheckObjectAt(r, at, ""); err != nil {
		return err
	}
	whole, again := *r, *r
	var s inputStep
	s.kind, err = google.ReadWordAt(typeReader(&again), at, ".type")
	if err != nil {
		return err
	}
	switch s.kind {
	case "text", "image", "audio", "video", "document":
		return d.content(r, ir.User, at)
	}
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
		case "role": // of a turn in the API's first versions, which has no type
			if v := r.Value(); s.kind == "" && v == `"user"` {
				s.kind = "user_input"
			} else if s.kind == "" && v == `"model"` {
				s.kind = "model_output"
			}
		case "id":
			s.id, err = google.ReadTextAt(r, at, ".id")
		case "call_id":
			s.callID, err = google.ReadTextAt(r, at, ".call_id")
		case "name":
			s.name, err = google.ReadTextAt(r, at, ".name")
		case "signature":
			s.signature, err = google.ReadWordAt(r, at, ".signature")
		case "arguments":
			if err = google.CheckObjectAt(r, at, ".arguments"); err == nil {
				s.arguments = r.Value()
			}
		case "is_error":
			s.isError, err = google.ReadFlagAt(r, at, ".is_error")
		case "content":
			s.content = r.Here()
		case "summary":
			s.summary = r.Here()
		case "result":
			s.result = r.Here()
		default:
			d.lost.AddMemberAt(at, "", r)
		}
	}
	if err != nil {
		return err
	}
	d.misplaced(&s, at)
	switch s.kind {
	case "user_input":
		return d.contents(&s.content, ir.User, at)
	case "model_output":
		return d.contents(&s.content, ir.Assistant, at)
	case "thought":
		return d.thought(&s, at)
	case "function_call":
		return d.call(&s, at)
	case "function_result":
		return d.functionResult(&s, at)
	case "google_search_call", "google_search_result", "url_context_call", "url_context_result":
		// searches and fetches that ran before: the texts after them have what the model found
		if !d.hosted {
			d.hosted = true
			d.lost.Add(at.String())
		}
	case "":
		return google.Invalid(at.Path(".type"), "The type of the step is missing.")
	default:
		d.add(ir.Assistant, &ir.Content{Kind: ir.OpaqueContent, At: at, Raw: whole.Value()})
	}
	return nil
}

// misplaced reports the members of other steps. Steps that are lost or opaque as a whole have none.
func (d *requestDecoder) misplaced(s *inputStep, at ir.Pos) {
	calls, results, thinks := s.kind == "function_call", s.kind == "function_result", s.kind == "thought"
	speaks := s.kind == "user_input" || s.kind == "model_output"
	if !calls && !results && !thinks && !speaks {
		return
	}
	for _, m := range [...]struct {
		misplaced bool
		field     string
	}{
		{s.id != "" && !calls, ".id"},
		{s.callID != "" && !results, ".call_id"},
		{s.name != "" && !calls && !results, ".name"},
		{s.signature != "" && !calls && !thinks, ".signature"},
		{s.arguments != "" && !calls, ".arguments"},
		{s.isError && !results, ".is_error"},
		{s.content.Kind() != jsonr.Missing && !speaks, ".content"},
		{s.summary.Kind() != jsonr.Missing && !thinks, ".summary"},
		{s.result.Kind() != jsonr.Missing && !results, ".result"},
	} {
		if m.misplaced {
			d.lost.Add(at.Path(m.field))
		}
	}
}

// typeReader returns a Reader at the last member "type" of the object that r is at.
func typeReader(r *jsonr.Reader) *jsonr.Reader {
	t := jsonr.NewReader(`""`)
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" {
			t = r.Here()
		}
	}
	return &t
}

// thought reads a thought: its signature, which may be an envelope, and its summary. A thought with
// neither is left out: @google/adk 2.0 sends such thoughts.
func (d *requestDecoder) thought(s *inputStep, at ir.Pos) *ir.Error {
	c := ir.Content{Kind: ir.ReasoningContent, At: at}
	var text []byte // the joined texts, if there are several
	for s.summary.OpenArray(); s.summary.Element(); {
		for s.summary.OpenObject(); s.summary.Member(); {
			switch s.summary.Key() {
			case "type":
				s.summary.Value()
			case "text":
				one, _ := jsonr.Text(s.summary.Value())
				switch {
				case c.Text == "":
					c.Text = one
				case text == nil:
					text = append(append(text, c.Text...), one...)
				default:
					text = append(text, one...)
				}
			default:
				d.lost.AddMemberAt(at, ".summary", &s.summary)
			}
		}
	}
	if text != nil {
		c.Text = jsonw.View(text)
	}
	if signature := google.Given(s.signature); google.Sealed(signature) {
		one, _, _ := strings.Cut(string(google.Unsealed(signature)), "\n")
		c.Signature = ir.Escaped(one)
		c.Open()
	} else if signature != "" {
		c.Origin, c.Signature = Name, signature
	}
	if c.Text == "" && c.Signature == "" {
		return nil
	}
	d.add(ir.Assistant, &c)
	return nil
}

// call reads a function_call.
func (d *requestDecoder) call(s *inputStep, at ir.Pos) *ir.Error {
	switch {
	case s.id == "":
		return google.Invalid(at.Path(".id"), "The id of the call is missing.")
	case s.name == "":
		return google.Invalid(at.Path(".name"), "The name of the function is missing.")
	case s.arguments == "":
		s.arguments = "{}"
	}
	if google.Given(s.signature) != "" { // of earlier versions of the API
		d.lost.Add(at.Path(".signature"))
	}
	d.add(ir.Assistant, &ir.Content{Kind: ir.ToolCallContent, At: at, ID: s.id, Name: s.name,
		Input: s.arguments})
	return nil
}

// functionResult reads a function_result: a text, a list of contents, or an object. A list of other
// things, such as the rows of a table, becomes text.
func (d *requestDecoder) functionResult(s *inputStep, at ir.Pos) *ir.Error {
	if s.callID == "" {
		return google.Invalid(at.Path(".call_id"), "The id of the call is missing.")
	}
	c := ir.Content{Kind: ir.ToolResultContent, At: at, ID: s.callID}
	switch kind := s.result.Kind(); {
	case kind == jsonr.Array && listsContents(s.result):
		at.Form = resultForm
		n, err := d.ListAt(&s.result, at)
		if err != nil {
			return err
		}
		c.Parts = make([]ir.Content, 0, n)
		n = 0
		for s.result.OpenArray(); s.result.Element(); n++ {
			part, err := d.part(&s.result, at.Element(n))
			if err != nil {
				return err
			}
			c.Parts = append(c.Parts, part)
		}
	case kind == jsonr.Object:
		google.ReadOutput(&c, s.result.Value())
	case kind == jsonr.String:
		if text, _ := jsonr.Text(s.result.Value()); text != "" {
			c.Parts = []ir.Content{{Kind: ir.TextContent, At: at, Text: text}}
		}
	case kind == jsonr.Missing:
		return google.Invalid(at.Path(".result"), "The result is missing.")
	default:
		c.Parts = []ir.Content{{Kind: ir.TextContent, At: at, Text: jsonw.View(
			jsonw.AppendQuotedRaw(nil, s.result.Value()))}}
	}
	c.IsError = c.IsError || s.isError
	d.add(ir.User, &c)
	return nil
}

// listsContents reports whether all elements of a list are contents.
func listsContents(r jsonr.Reader) bool {
	for r.OpenArray(); r.Element(); {
		if r.Kind() != jsonr.Object {
			return false
		}
		kind, _ := jsonr.Text(typeReader(&r).Value())
		switch google.Simple(kind) {
		case "text", "image", "audio", "video", "document":
		default:
			return false
		}
	}
	return true
}
