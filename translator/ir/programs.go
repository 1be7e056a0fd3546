package ir

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// A program is code of the model. The vendor runs the code, and the code calls tools of the client:
// "Programmatic tool calling" of Anthropic, in Python, and of OpenAI, in JavaScript. Clients never run
// the code, only the called tools. So a client of one API can run tools for programs of the other vendor:
//
//   - A ProgramTool runs the code. Tool.Callers says which tools the code may call.
//   - The program and the result of the program are a HostedBlock each. Calls name their program.
//   - The vendor continues a program only with the program's State. Clients of Messages get OpenAI's
//     fingerprint in the id of the program, and each call repeats the id (anthropic/programs.go). Clients
//     of Responses get Anthropic's container in the fingerprint (AppendProgram).
//
// An upstream gets no program of another vendor, and no program without State: the calls become the
// model's own. All of these losses are reported.

// codeTool is the name of Anthropic's ProgramTool.
const codeTool = "code_execution"

// CallersOf returns the value of a tool's allowed_callers for Tool.Callers: "" if only the model
// itself may call the tool, as is the default.
func CallersOf(v Raw) Raw {
	r := jsonr.NewReader(string(v))
	n, direct := 0, false
	for r.OpenArray(); r.Element(); n++ {
		direct = r.Value() == `"direct"`
	}
	if n == 0 && jsonr.KindOf(v) == jsonr.Array || n == 1 && direct || v == "null" {
		return ""
	}
	return v
}

// CallerOf returns the value of a call's caller for Content.Caller: "" for the model itself.
func CallerOf(v Raw) Raw {
	if v == "null" {
		return ""
	}
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" && r.Value() == `"direct"` {
			return ""
		}
	}
	return v
}

// CalledBy reports whether the model itself may call the tool, and whether code may.
func (t *Tool) CalledBy() (model, code bool) {
	if t.Callers == "" {
		return true, false
	}
	r := jsonr.NewReader(string(t.Callers))
	for r.OpenArray(); r.Element(); {
		if r.Value() == `"direct"` {
			model = true
		} else {
			code = true
		}
	}
	return model, code && t.Kind.RunByClient()
}

// StrictPath returns the path of the tool's member "strict", which is beside the schema.
func (t *Tool) StrictPath() string {
	return t.At.Path(t.Field[:max(strings.LastIndexByte(t.Field, '.'), 0)] + ".strict")
}

// SettlePrograms makes a ProgramTool a VendorTool if its code may call no tool of the client: other
// vendors' sandboxes can't replace each other.
func (r *Request) SettlePrograms() {
	for i := range r.Tools {
		if _, code := r.Tools[i].CalledBy(); code {
			return
		}
	}
	for i := range r.Tools {
		if t := &r.Tools[i]; t.Kind == ProgramTool {
			t.Kind = VendorTool
		}
	}
}

// RunsPrograms reports whether an upstream with target t runs programs for the request. A client's
// tool with the name of Anthropic's ProgramTool excludes programs, since names must be unique.
func (r *Request) RunsPrograms(t *Target) (runs bool) {
	for i := range r.Tools {
		switch tool := &r.Tools[i]; {
		case tool.Kind == ProgramTool:
			runs = runs || r.Allows(tool.Name)
		case tool.Name == codeTool:
			return false
		}
	}
	return runs && t.Programs
}

// ShowsPrograms reports whether an upstream with target t runs programs for the request, and the client
// speaks another API than the upstream's, one that shows programs.
func (r *Request) ShowsPrograms(upstream string, t *Target) bool {
	return r.API.Name != upstream && r.RunsPrograms(t) && r.API.Client.Shows(HostedBlock)
}

// Program returns the last program with an upstream's id, of the answer or else of the history, or nil.
//
//go:noinline
func (r *Request) Program(answer []*Hosted, origin string, id Escaped) *Hosted {
	for _, list := range [...][]*Hosted{answer, r.LatestPrograms()} {
		for i := len(list) - 1; i >= 0; i-- {
			if h := list[i]; h.ID == id && h.Origin == origin {
				return h
			}
		}
	}
	return nil
}

// LatestPrograms returns the last 256 programs of the history. A program's calls and its result follow
// it soon, and a client must not make the search for their program long.
func (r *Request) LatestPrograms() []*Hosted { return r.Programs[max(0, len(r.Programs)-256):] }

// LoseCallers notes allowed_callers of the request's tools and the callers in the history as lost. If
// the upstream runs programs for the request, LoseCallers notes only allowed_callers of tools that the
// client does not run, and the request's writer notes the losses of the history.
func (r *Request) LoseCallers(runs bool, lost *Lost) {
	for i := range r.Tools {
		if tool := &r.Tools[i]; tool.Callers != "" && !(runs && tool.Kind.RunByClient()) {
			lost.Add(tool.At.Path(".allowed_callers"))
		}
	}
	if runs {
		return
	}
	for i := range r.Messages {
		for j := range r.Messages[i].Content {
			if c := &r.Messages[i].Content[j]; c.Caller != "" {
				lost.Add(c.At.Path(".caller"))
			}
		}
	}
}

// SendProgram notes for ProgramOf that the upstream is sent a program of the history.
func (w *Writer) SendProgram(h *Hosted) {
	if w.sentPrograms == nil {
		w.sentPrograms = map[Escaped]bool{}
	}
	w.sentPrograms[h.ID] = true
}

// HasProgram reports whether the upstream has been sent a program.
func (w *Writer) HasProgram(h *Hosted) bool { return w.sentPrograms[h.ID] }

// ProgramOf returns the program that made a call of the history, if the upstream has been sent the
// program. Otherwise the caller is lost.
func (w *Writer) ProgramOf(call *Content) *Hosted {
	switch {
	case call.Program != nil && w.HasProgram(call.Program):
		return call.Program
	case call.Caller != "" && w.Programs:
		w.Lost.Add(call.At.Path(".caller"))
	}
	return nil
}

// maxProgramState is the maximum length of the id and of the state in an envelope of a program.
// Anthropic's ids have about 40 characters.
const maxProgramState = 256

// AppendProgram appends the envelope with the id and the state of a program. Both must be identifiers.
func AppendProgram(dst []byte, h *Hosted) []byte {
	return append(appendHead(dst, h.Origin, ":p:", h.ID), h.State...)
}

// OpenProgram sets the Origin, the ID and the State of a program from its envelope. If the envelope
// can't be read, Origin is "": no upstream is sent the program.
func (h *Hosted) OpenProgram(envelope Escaped) {
	version, rest, _ := strings.Cut(jsonw.Unescape(envelope), ":")
	origin, rest, _ := strings.Cut(rest, ":")
	kind, rest, _ := strings.Cut(rest, ":")
	id, state, _ := strings.Cut(rest, ":")
	if version != Envelope[:3] || kind != "p" || !isIdentifier(id) || state != "" && !isIdentifier(state) ||
		len(id) > maxProgramState || len(state) > maxProgramState {
		return
	}
	h.Origin, h.ID, h.State = origin, Escaped(id), Escaped(state)
}
