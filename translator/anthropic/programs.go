package anthropic

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
)

const (
	// codeExecution is the name of Anthropic's tool that runs programs, and codeTool its newest type. All
	// models with programs accept this type ("Code execution tool", "Tool versions").
	codeExecution = "code_execution"
	codeTool      = codeExecution + "_20260521"
	codeResult    = codeExecution + "_tool_result"

	// codeCaller is the type of a program as a caller, for all types of the tool ("Programmatic tool
	// calling", "The allowed_callers field").
	codeCaller = codeExecution + "_20260120"
)

// madeProgram is the prefix of ids of another vendor's programs. The rest of such an id has what the
// vendor needs to continue the program, since clients send ids back unchanged: the API's name, the item's
// id, the program's id and its state, with colons between. Each byte except letters and digits is "_" and
// two hex digits, since ids must match ^srvtoolu_[a-zA-Z0-9_]+$.
const madeProgram = madeSearch + "program_"

// madeContainer is the id of the container in an answer with calls of another vendor's program. Clients
// read the container's id from an answer with such calls without a check, and send the id back. The other
// vendor has no containers.
const madeContainer = "el1_none"

const hexDigits = "0123456789abcdef"

// appendProgramID appends the client's id of a program of another vendor.
func appendProgramID(dst []byte, h *ir.Hosted) []byte {
	dst = append(dst, madeProgram...)
	parts := [...]string{h.Origin, string(h.Item), string(h.ID), jsonw.Unescape(h.State)}
	if !isPlain(parts[1]) || !isPlain(parts[2]) { // no vendor has such ids
		parts = [...]string{h.Origin, "", "", ""}
	}
	for n, part := range parts {
		if n > 0 {
			dst = append(dst, "_3a"...)
		}
		for i := range len(part) {
			if c := part[i]; 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' {
				dst = append(dst, c)
			} else {
				dst = append(dst, '_', hexDigits[c>>4], hexDigits[c&15])
			}
		}
	}
	return dst
}

// openProgram returns the program of another vendor that an id names. If the id can't be read, the
// program has no Origin: no upstream is sent the program.
func openProgram(id ir.Escaped) *ir.Hosted {
	h := &ir.Hosted{Kind: ir.ProgramTool}
	coded := strings.TrimPrefix(jsonw.Unescape(id), madeProgram)
	text := make([]byte, 0, len(coded))
	for i := 0; i < len(coded); i++ {
		c := coded[i]
		if c == '_' {
			if i+2 >= len(coded) {
				return h
			}
			high, low := strings.IndexByte(hexDigits, coded[i+1]), strings.IndexByte(hexDigits, coded[i+2])
			if high < 0 || low < 0 {
				return h
			}
			c = byte(high<<4 | low)
			i += 2
		}
		text = append(text, c)
	}
	origin, rest, _ := strings.Cut(string(text), ":")
	item, rest, _ := strings.Cut(rest, ":")
	program, state, ok := strings.Cut(rest, ":")
	if !ok || !utf8.Valid(text) || !isPlain(item) || !isPlain(program) || program == "" {
		return h
	}
	h.Origin, h.Item, h.ID, h.State = origin, ir.Escaped(item), ir.Escaped(program), jsonw.Escape(state)
	return h
}

// isPlain reports whether a part of an id can be sent to a vendor.
func isPlain(part string) bool {
	return part == "" || len(part) <= 64 && string(ir.Identifier(ir.Escaped(part), 0)) == part
}

// isProgram reports whether an id, a JSON string, names another vendor's program.
func isProgram(id ir.Raw) bool { return strings.HasPrefix(string(id), `"`+madeProgram) }

// program reads a block about another vendor's program: the program, or its result.
func (d *requestDecoder) program(b *ir.Content, f *fields) {
	b.Kind = ir.OpaqueContent
	if f.kind != codeResult {
		id, _ := jsonr.Text(f.id)
		b.Hosted = openProgram(id)
		b.Hosted.Input = f.input
		d.request.Programs = append(d.request.Programs, b.Hosted)
		return
	}
	b.Hosted, b.Returned = d.programCalled(f.toolUseID), true
	readCodeResult(b.Hosted, f.content, d.lost)
}

// programCalled returns another vendor's program with an id, a JSON string.
func (d *requestDecoder) programCalled(id ir.Raw) *ir.Hosted {
	text, _ := jsonr.Text(id)
	h := openProgram(text)
	if known := d.request.Program(nil, h.Origin, h.ID); known != nil {
		return known
	}
	return h // the client has dropped the program: no upstream is sent its calls as such
}

// toolID returns the id of the program in a caller, a JSON string.
func toolID(caller ir.Raw) ir.Raw {
	id, _, _ := jsonr.LastMember(string(caller), "tool_id")
	return id
}

// readCodeResult reads the content of a code_execution_tool_result. Other vendors' programs have one
// output, which gets stdout and stderr.
func readCodeResult(h *ir.Hosted, content ir.Raw, lost *ir.Lost) {
	h.Output, h.Done = "", true
	var errors ir.Escaped
	r := jsonr.NewReader(string(content))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "stdout":
			h.Output, _ = jsonr.Text(r.Value())
		case "stderr":
			errors, _ = jsonr.Text(r.Value())
		case "return_code":
			h.Failed = r.Value() != "0"
		case "error_code":
			h.Failed = true
			errors, _ = jsonr.Text(r.Value())
		case "type":
		default: // files that the code has written; an output that only Anthropic can read
			lost.AddMember("content[].content", &r)
		}
	}
	if h.Output != "" && errors != "" && !strings.HasSuffix(string(h.Output), `\n`) {
		h.Output += `\n`
	}
	h.Output += errors
}

// appendCodeResult appends the block of a program's result.
func appendCodeResult(dst []byte, h *ir.Hosted, id []byte) []byte {
	dst = jsonw.AppendTextMember(dst, `{"type":"`+codeResult+`","tool_use_id":`, jsonw.View(id))
	dst = jsonw.AppendTextMember(dst, `,"content":{"type":"code_execution_result","stdout":`, h.Output)
	if h.Failed {
		return append(dst, `,"stderr":"","return_code":1,"content":[]}}`...)
	}
	return append(dst, `,"stderr":"","return_code":0,"content":[]}}`...)
}

// appendProgram appends the block of a program, or of its result, and leaves the block open.
func (w *blockWriter) appendProgram(dst []byte, h *ir.Hosted) []byte {
	id := appendProgramID(nil, h)
	if h.Done {
		return w.appendTail(appendCodeResult(w.appendHead(dst), h, id))
	}
	return w.appendOpenUse(dst, h, id, codeExecution)
}

// appendCaller appends the caller of a call that a program made.
func appendCaller(dst []byte, h *ir.Hosted) []byte {
	dst = append(dst, `{"type":"`+codeCaller+`","tool_id":"`...)
	return append(appendProgramID(dst, h), `"}`...)
}

// ended returns the answer's Finish, with a container if another vendor's program has made a call.
func (w *blockWriter) ended(ev *ir.Event) *ir.Event {
	if !w.programmed {
		return ev
	}
	e := *ev
	b := append([]byte(nil), `{"id":"`+madeContainer+`","expires_at":"`...)
	b = models.AppendTime(b, w.request.Time()+30*24*60*60) // no container of Anthropic's is older
	e.Container = ir.Raw(append(b, `","skills":null}`...))
	return &e
}
