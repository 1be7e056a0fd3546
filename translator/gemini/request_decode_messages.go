package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Forms of ir.Pos for parts.
const (
	messagePart = "contents[].parts[]"
	promptPart  = "systemInstruction.parts[]"
	resultPart  = "contents[].parts[].functionResponse.parts[]"
)

// contents reads contents: a list, or a single content, which Google's servers accept too.
func (d *requestDecoder) contents(r *jsonr.Reader) *ir.Error {
	if r.Kind() == jsonr.Object {
		if err := d.Items.Meet(1); err != nil {
			return err
		}
		d.request.Messages, d.turn = make([]ir.Message, 0, 1), run{}
		if err := d.content(r, 0); err != nil {
			return err
		}
		d.turnTo(0)
		return nil
	}
	n, err := d.List(r, "contents")
	if err != nil {
		return err
	}
	d.request.Messages = make([]ir.Message, 0, n)
	d.calls, d.made, d.turn, n = answers{}, 0, run{}, 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.content(r, n); err != nil {
			return err
		}
	}
	d.turnTo(0)
	if n == 0 && !d.counts {
		return google.Invalid("contents", "contents is not specified")
	}
	return nil
}

// content reads the nth content. A content without a role is the user's. The role of results is
// "function" in the API's first version.
func (d *requestDecoder) content(r *jsonr.Reader, n int) *ir.Error {
	at := ir.Pos{Form: "contents[]", Index: ir.Index{n}}
	if err := google.CheckObjectAt(r, at, ""); err != nil {
		return err
	}
	role := ir.User
	var parts jsonr.Reader
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "role":
			v := r.Value()
			switch name, _ := jsonr.Text(v); name {
			case "model":
				role = ir.Assistant
			case "user", "function", "":
			default:
				return google.Invalid(at.Path(".role"),
					"Please use a valid role: user, model."+ir.WrongValue(v, "user, model"))
			}
		case "parts":
			parts = r.Here()
		default:
			d.lost.AddMemberAt(at, "", r)
		}
	}
	d.turnTo(role)
	return d.parts(&parts, ir.Pos{Form: messagePart, Index: ir.Index{n}})
}

// turnTo begins a message of another role. Contents of the model in a row are one message: a chat
// of Google's SDKs stores each chunk of a stream as a content of its own (@google/genai, chats.ts).
func (d *requestDecoder) turnTo(role ir.Role) {
	if d.turn.role == ir.Assistant && role == ir.Assistant {
		return
	}
	if d.turn.endThought(); len(d.turn.list) > 0 {
		d.request.Messages = append(d.request.Messages, ir.Message{Role: d.turn.role, Content: d.turn.list})
	}
	if d.turn = (run{decoder: d, role: role}); role == ir.Assistant {
		d.calls = answers{}
	}
}

// systemInstruction reads systemInstruction, a content. Its role is ignored.
func (d *requestDecoder) systemInstruction(r *jsonr.Reader) (err *ir.Error) {
	const path = "systemInstruction"
	if err = google.CheckObject(r, path); err != nil {
		return err
	}
	var parts jsonr.Reader
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "role":
			r.Value()
		case "parts":
			parts = r.Here()
		default:
			d.lost.AddMember(path, r)
		}
	}
	before := d.turn
	d.turn = run{decoder: d, role: ir.System}
	err = d.parts(&parts, ir.Pos{Form: promptPart})
	d.turn.endThought()
	d.system, d.turn = d.turn.list, before
	return err
}

// parts reads the parts of a content: a list, or one part.
func (d *requestDecoder) parts(r *jsonr.Reader, at ir.Pos) *ir.Error {
	switch r.Kind() {
	case jsonr.Missing, jsonr.Null:
		return nil
	case jsonr.Object:
		if err := d.Items.Meet(1); err != nil {
			return err
		}
		return d.turn.part(r, at)
	}
	n, err := d.ListAt(r, at)
	if err != nil {
		return err
	}
	if d.turn.list == nil {
		d.turn.list = make([]ir.Content, 0, n)
	}
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.turn.part(r, at.Element(n)); err != nil {
			return err
		}
	}
	return nil
}

// run is the message being read. A text of the model continues the preceding text, since each chunk
// of a stream is a part of its own.
type run struct {
	decoder *requestDecoder
	role    ir.Role
	list    []ir.Content
	thought []byte            // the joined texts of an open thought with several parts
	open    bool              // the last element of list is an open thought
	step    int               // the index in list where the model's current step begins: after its last call
	seen    map[envelope]bool // the envelopes in list; nil: none was looked for
}

// envelope is another vendor's signature from a client: in a part of its own, on the following
// call, or both.
type envelope struct {
	origin    string
	signature ir.Escaped
}

// part holds the members of an element of parts, except unknown ones.
type part struct {
	at                                          ir.Pos
	text, signature                             ir.Escaped
	hasText, thought, hosted                    bool
	call, response, inline, file, code, outcome ir.Raw
}

// part reads the next value of r, the part at at (Gemini API, "Part").
func (s *run) part(r *jsonr.Reader, at ir.Pos) (err *ir.Error) {
	d := s.decoder
	if err = google.CheckObjectAt(r, at, ""); err != nil {
		return err
	}
	p := part{at: at}
	whole := *r
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "text":
			p.hasText = true
			p.text, err = google.ReadTextAt(r, at, ".text")
		case "thought":
			p.thought, err = google.ReadFlagAt(r, at, ".thought")
		case "thoughtSignature", "thought_signature":
			p.signature, err = google.ReadWordAt(r, at, ".thoughtSignature")
		case "functionCall", "function_call":
			p.call = r.Value()
		case "functionResponse", "function_response":
			p.response = r.Value()
		case "inlineData", "inline_data":
			p.inline = r.Value()
		case "fileData", "file_data":
			p.file = r.Value()
		case "executableCode", "executable_code":
			p.code = r.Value()
		case "codeExecutionResult", "code_execution_result":
			p.outcome = r.Value()
		case "toolCall", "tool_call", "toolResponse", "tool_response":
			p.hosted = r.Kind() == jsonr.Object
			r.Value()
		default:
			d.lost.AddMemberAt(at, "", r)
		}
	}
	if err != nil {
		return err
	}
	c := ir.Content{At: at}
	switch {
	case p.thought && p.call == "" && (p.hasText || p.signature != ""):
		// Google's SDK for Go leaves an empty text out
		s.think(&p)
		return nil
	case p.hosted:
		s.endThought()
		s.list = append(s.list, ir.Content{Kind: ir.RedactedContent, At: at, Origin: Name,
			Signature: partMark + jsonw.Escape(string(whole.Value()))})
		return nil
	case p.call != "":
		err = d.call(&c, p.call)
	case p.response != "":
		err = d.response(&c, p.response)
	case p.inline != "":
		err = inlineData(&c, p.inline)
	case p.file != "":
		err = fileData(&c, p.file)
	case p.code != "", p.outcome != "": // code that ran on Google's servers
		c.Kind, c.Raw = ir.OpaqueContent, whole.Value()
	case p.text != "":
		c.Kind, c.Text = ir.TextContent, p.text
	case p.signature == "":
		// for example a keep-alive: a chat of Google's SDKs stores it in the middle of a thought
		return nil
	}
	s.endThought()
	if err == nil && (c.Kind.IsCall() || c.Kind == 0 || google.Sealed(p.signature)) {
		err = s.sign(&p)
	}
	if c.Kind == 0 || err != nil {
		return err
	}
	if n := len(s.list); c.Kind == ir.TextContent && s.role == ir.Assistant && n > 0 &&
		s.list[n-1].Kind == ir.TextContent {
		c.Continues = true
	}
	if s.list = append(s.list, c); c.Kind.IsCall() {
		s.step = len(s.list)
	} else if !google.Sealed(p.signature) {
		return s.sign(&p)
	}
	return nil
}

// think reads a part with a thought. In a stream a thought comes in several parts, and the last one
// has the signature.
func (s *run) think(p *part) {
	if !s.open {
		s.list = append(s.list, ir.Content{Kind: ir.ReasoningContent, At: p.at, Text: p.text})
		s.open, s.thought = true, nil
	} else if p.text != "" {
		last := &s.list[len(s.list)-1]
		if s.thought == nil {
			s.thought = append(make([]byte, 0, len(last.Text)+4*len(p.text)), last.Text...)
		}
		s.thought = append(s.thought, p.text...)
		last.Text = jsonw.View(s.thought)
	}
	if signature := google.Given(p.signature); signature != "" {
		last := &s.list[len(s.list)-1]
		if s.seal(last, signature); s.seen != nil {
			s.seen[envelope{last.Origin, last.Signature}] = true
		}
		s.endThought()
	}
}

// endThought ends the open thought. It drops a thought without text and signature.
func (s *run) endThought() {
	if n := len(s.list); s.open && s.list[n-1].Text == "" && s.list[n-1].Signature == "" {
		s.list = s.list[:n-1]
	}
	s.open, s.thought = false, nil
}

// sign adds the signature of a part other than a thought as a block of its own, if the part has
// one. Google's signature of a text gets the prefix textMark.
func (s *run) sign(p *part) *ir.Error {
	signature := google.Given(p.signature)
	switch {
	case signature == "":
	case google.Sealed(signature) && p.call != "":
		return s.unsealCall(p, google.Unsealed(signature))
	case google.Sealed(signature):
		return s.unseal(p, google.Unsealed(signature))
	case p.call == "":
		s.list = append(s.list, ir.Content{Kind: ir.RedactedContent, At: p.at, Origin: Name,
			Signature: textMark + signature})
	default:
		s.list = append(s.list, ir.Content{Kind: ir.RedactedContent, At: p.at, Origin: Name,
			Signature: signature})
	}
	return nil
}

// opened opens envelopes, one per line, and omits those that the message already has: @google/adk
// 2.0 copies the signature of a call onto the parallel calls after it. near comes right before the
// part, far earlier in the step.
func (s *run) opened(p *part, envelopes ir.Escaped) (near, far []ir.Content, err *ir.Error) {
	if s.seen == nil {
		s.seen = map[envelope]bool{}
		for i := range s.list {
			s.seen[envelope{s.list[i].Origin, s.list[i].Signature}] = true
		}
	}
	list := &near
	for rest, more := string(envelopes), true; more; {
		var one string
		if one, rest, more = strings.Cut(rest, "\n"); one == "" {
			list = &far
		}
		if one == "" || one == google.NoSignature {
			continue
		}
		if err = s.decoder.Items.Meet(1); err != nil {
			return nil, nil, err
		}
		c := ir.Content{Kind: ir.ReasoningContent, At: p.at, Signature: ir.Escaped(one)}
		c.Open()
		if id := (envelope{c.Origin, c.Signature}); c.Signature == "" || !s.seen[id] {
			s.seen[id] = true
			*list = append(*list, c)
		}
	}
	return near, far, nil
}

// unseal adds the content of the envelopes of a text, or of a part with only a signature.
func (s *run) unseal(p *part, envelopes ir.Escaped) *ir.Error {
	near, far, err := s.opened(p, envelopes)
	s.list = append(append(s.list, far...), near...)
	return err
}

// unsealCall adds the content of a call's envelopes, unless the client has sent the envelopes back
// in parts of their own. The content's place is right before the call, or before the step's texts.
// It replaces thoughts without a signature if it contains their text.
func (s *run) unsealCall(p *part, envelopes ir.Escaped) *ir.Error {
	near, far, err := s.opened(p, envelopes)
	if len(near)+len(far) == 0 {
		return err
	}
	step := append([]ir.Content(nil), s.list[s.step:]...)
	s.list = s.list[:s.step]
	for len(step) > 0 && step[0].Kind.IsReasoning() && step[0].Signature != "" {
		s.list, step = append(s.list, step[0]), step[1:]
	}
	var texts []byte
	for _, list := range [...][]ir.Content{far, near} {
		for i := range list {
			texts = jsonw.AppendUnescaped(texts, list[i].Text)
		}
	}
	s.list = append(s.list, far...)
	said, looked := string(texts), 0
	for i := range step {
		c := &step[i]
		if looked < maxLooked && c.Kind == ir.ReasoningContent && c.Signature == "" {
			looked += len(said)
			if strings.Contains(said, jsonw.Unescape(c.Text)) {
				continue
			}
		}
		s.list = append(s.list, *c)
	}
	s.list = append(s.list, near...)
	return nil
}

// maxLooked bounds, in bytes, the texts that are searched for the thoughts of a step.
const maxLooked = 64 << 20

// seal sets the signature of a thought: Google's own, or the content of an envelope.
func (s *run) seal(c *ir.Content, signature ir.Escaped) {
	c.Origin, c.Signature = Name, signature
	if google.Sealed(signature) {
		one, rest, _ := strings.Cut(string(google.Unsealed(signature)), "\n")
		c.Kind, c.Signature = ir.ReasoningContent, ir.Escaped(one)
		if c.Open(); rest != "" { // a thought has only one
			s.decoder.lost.Add(c.At.Path(".thoughtSignature"))
		}
	}
}
