package gemini

import (
	"strings"

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

// contents reads contents: a list, or one content, which Google's servers take for a list of one.
func (d *requestDecoder) contents(r *jsonr.Reader) *ir.Error {
	if r.Kind() == jsonr.Object {
		if err := d.items.Meet(1); err != nil {
			return err
		}
		d.request.Messages, d.turn = make([]ir.Message, 0, 1), run{}
		if err := d.content(r, 0); err != nil {
			return err
		}
		d.turnTo(0)
		return nil
	}
	n, err := d.list(r, "contents")
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
		return invalid("contents", "contents is not specified")
	}
	return nil
}

// content reads the nth content. What has no role is the user's; "function" is the role of results
// in the API's first version.
func (d *requestDecoder) content(r *jsonr.Reader, n int) *ir.Error {
	at := ir.Pos{Form: "contents[]", Index: ir.Index{n}}
	if err := objectAt(r, at, ""); err != nil {
		return err
	}
	role := ir.User
	var parts jsonr.Reader
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "role":
			switch name, _ := jsonr.Text(r.Value()); name {
			case "model":
				role = ir.Assistant
			case "user", "function", "":
			default:
				return invalid(at.Path(".role"), "Please use a valid role: user, model.")
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

// turnTo begins a message of another role, unless the model goes on: a chat of Google's SDKs keeps
// each chunk of a stream as a content of its own (@google/genai, chats.ts), and all of them are one
// message.
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

// systemInstruction reads systemInstruction, a content whose role means nothing.
func (d *requestDecoder) systemInstruction(r *jsonr.Reader) (err *ir.Error) {
	const path = "systemInstruction"
	if err = object(r, path); err != nil {
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
		if err := d.items.Meet(1); err != nil {
			return err
		}
		return d.turn.part(r, at)
	}
	n, err := d.listAt(r, at)
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

// run is a message while its parts are read. A text of the model's that follows another one goes on
// with it: each chunk of a stream is a part of its own.
type run struct {
	decoder *requestDecoder
	role    ir.Role
	list    []ir.Content
	thought []byte // the texts of thoughts that have not ended, of which there are several
	open    bool   // the last element of list is a thought that goes on
	step    int    // where in list the step begins that the model is in: behind its last call
	seen    map[envelope]bool
}

// envelope is what another vendor has signed, and a client gives back: in a part of its own, on the
// call that follows, or in both.
type envelope struct {
	origin    string
	signature ir.Escaped
}

// part is one element of parts, as far as it says what it is.
type part struct {
	at                                          ir.Pos
	text, signature                             ir.Escaped
	hasText, thought, hosted                    bool
	call, response, inline, file, code, outcome ir.Raw
}

// part reads the part at at, which r stands before (Gemini API, "Part").
func (s *run) part(r *jsonr.Reader, at ir.Pos) (err *ir.Error) {
	d := s.decoder
	if err = objectAt(r, at, ""); err != nil {
		return err
	}
	p := part{at: at}
	whole := *r
	for r.OpenObject(); r.Member() && err == nil; {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "text":
			p.hasText = true
			p.text, err = readTextAt(r, at, ".text")
		case "thought":
			p.thought, err = readFlagAt(r, at, ".thought")
		case "thoughtSignature", "thought_signature":
			p.signature, err = readWordAt(r, at, ".thoughtSignature")
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
	case p.code != "", p.outcome != "": // what Google's servers have run
		c.Kind, c.Raw = ir.OpaqueContent, whole.Value()
	case p.text != "":
		c.Kind, c.Text = ir.TextContent, p.text
	case p.signature == "": // as a keep-alive, which a chat of Google's SDKs keeps in the middle of a thought
		return nil
	}
	s.endThought()
	if err == nil && (c.Kind.IsCall() || c.Kind == 0 || sealed(p.signature)) {
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
		s.step, s.seen = len(s.list), nil
	} else if !sealed(p.signature) {
		return s.sign(&p)
	}
	return nil
}

// think reads a part that is a thought. The thoughts of a stream come in several parts, of which
// the last one has the signature.
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
	if signature := given(p.signature); signature != "" {
		last := &s.list[len(s.list)-1]
		if s.seal(last, signature); s.seen != nil {
			s.seen[envelope{last.Origin, last.Signature}] = true
		}
		s.endThought()
	}
}

// endThought ends a thought that goes on. One without text and signature is none.
func (s *run) endThought() {
	if n := len(s.list); s.open && s.list[n-1].Text == "" && s.list[n-1].Signature == "" {
		s.list = s.list[:n-1]
	}
	s.open, s.thought = false, nil
}

// sign adds the signature of a part that is no thought as a block of its own, if the part has one.
// Google's own of a text is marked as such.
func (s *run) sign(p *part) *ir.Error {
	signature := given(p.signature)
	switch {
	case signature == "":
	case sealed(signature) && p.call != "":
		return s.unsealCall(p, unsealed(signature))
	case sealed(signature):
		return s.unseal(p, unsealed(signature))
	case p.call == "":
		s.list = append(s.list, ir.Content{Kind: ir.RedactedContent, At: p.at, Origin: Name,
			Signature: textMark + signature})
	default:
		s.list = append(s.list, ir.Content{Kind: ir.RedactedContent, At: p.at, Origin: Name,
			Signature: signature})
	}
	return nil
}

// opened returns what envelopes hold, one a line, but for what the step has already: what stands
// right in front of the part, and what stands further in front.
func (s *run) opened(p *part, envelopes ir.Escaped) (near, far []ir.Content, err *ir.Error) {
	if s.seen == nil {
		s.seen = map[envelope]bool{}
		for i := s.step; i < len(s.list); i++ {
			s.seen[envelope{s.list[i].Origin, s.list[i].Signature}] = true
		}
	}
	list := &near
	for rest, more := string(envelopes), true; more; {
		var one string
		if one, rest, more = strings.Cut(rest, "\n"); one == "" {
			list = &far
		}
		if one == "" || one == noSignature {
			continue
		}
		if err = s.decoder.items.Meet(1); err != nil {
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

// unseal adds what the envelopes of a text, or of a part with nothing else, hold.
func (s *run) unseal(p *part, envelopes ir.Escaped) *ir.Error {
	near, far, err := s.opened(p, envelopes)
	s.list = append(append(s.list, far...), near...)
	return err
}

// unsealCall adds what the envelopes of a call hold, where the client has not given it back in
// parts of its own: right in front of the call, or in front of the step's texts, and in place of
// thoughts whose signatures the client does not know.
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

// maxLooked bounds, in bytes, what is searched for the thoughts of a step.
const maxLooked = 64 << 20

// seal gives a thought its signature: Google's own, or what an envelope says.
func (s *run) seal(c *ir.Content, signature ir.Escaped) {
	c.Origin, c.Signature = Name, signature
	if sealed(signature) {
		one, rest, _ := strings.Cut(string(unsealed(signature)), "\n")
		c.Kind, c.Signature = ir.ReasoningContent, ir.Escaped(one)
		if c.Open(); rest != "" { // a thought has one
			s.decoder.lost.Add(c.At.Path(".thoughtSignature"))
		}
	}
}
