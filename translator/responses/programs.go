package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// programTool is the type of the tool that runs programs (guide "Programmatic tool calling").
const programTool = "programmatic_tool_calling"

// madeProgram is the prefix of the call_id of another vendor's program.
const madeProgram = "el1_"

// maxPlainID is the length of the longest id in a call_id of another vendor's program.
const maxPlainID = openai.MaxIdentifier - len(madeProgram)

// maxFingerprint is the length of the longest fingerprint that clients of another API get: it is in the id
// of the program, which comes again with each of its calls. Without the fingerprint, the next request has
// the calls as the model's own.
const maxFingerprint = 16 << 10

// programFields are the members of the items program and program_output.
type programFields struct {
	kind, id, callID, fingerprint, result ir.Escaped
	code                                  ir.Raw
	incomplete                            bool
}

func readProgram(item ir.Raw) (f programFields) {
	text := string(item)
	f.kind, f.id, f.callID = memberText(text, "type"), memberText(text, "id"), memberText(text, "call_id")
	f.fingerprint, f.result = memberText(text, "fingerprint"), memberText(text, "result")
	f.code, _, _ = jsonr.LastMember(text, "code")
	f.incomplete = memberText(text, "status") == "incomplete"
	return f
}

// input returns Hosted.Input of a program.
func (f *programFields) input() ir.Raw {
	if jsonr.KindOf(f.code) != jsonr.String {
		return `{"code":""}`
	}
	return `{"code":` + f.code + `}`
}

// programCallID returns the client's call_id of another vendor's program.
func programCallID(h *ir.Hosted) ir.Escaped {
	return ir.Identifier(madeProgram+h.ID, openai.MaxIdentifier)
}

// program reads a program of another vendor, or its result. It returns false for OpenAI's own.
func (d *requestDecoder) program(whole jsonr.Reader, at ir.Pos) bool {
	f := readProgram(whole.Value())
	c := ir.Content{Kind: ir.OpaqueContent, At: at}
	switch {
	case f.kind == "program" && ir.IsEnvelope(f.fingerprint):
		h := &ir.Hosted{Kind: ir.ProgramTool, Input: f.input()}
		h.OpenProgram(f.fingerprint)
		d.request.Programs = append(d.request.Programs, h)
		c.Hosted = h
	case f.kind == "program_output" && strings.HasPrefix(string(f.callID), madeProgram):
		if h := d.programCalled(f.callID); h != nil {
			h.Output, h.Failed, h.Done = f.result, f.incomplete, true
			c.Hosted, c.Returned = h, true
		}
	default:
		return false
	}
	d.take(modelSpeaker)
	d.content = append(d.content, c)
	return true
}

// programCalled returns the last program of another vendor with a client's call_id, or nil.
func (d *requestDecoder) programCalled(callID ir.Escaped) *ir.Hosted {
	id, ok := strings.CutPrefix(string(callID), madeProgram)
	if !ok {
		return nil
	}
	list := d.request.LatestPrograms()
	for i := len(list) - 1; i >= 0; i-- {
		if h := list[i]; string(h.ID) == id || len(h.ID) > maxPlainID && programCallID(h) == callID {
			return h
		}
	}
	return nil
}

// programOf returns the program of another vendor that a caller names; nil for OpenAI's own programs.
func (d *requestDecoder) programOf(caller ir.Raw) *ir.Hosted {
	id := callerID(caller)
	h := d.programCalled(id)
	if h == nil && strings.HasPrefix(string(id), madeProgram) {
		h = &ir.Hosted{Kind: ir.ProgramTool} // lost by the client: no upstream is sent the caller
	}
	return h
}

// callerID returns the id of the program in a caller.
func callerID(caller ir.Raw) ir.Escaped { return memberText(string(caller), "caller_id") }

// program writes the item of a program of OpenAI's that another API's client sends back, or its result.
// OpenAI replays a program only by its fingerprint. The types of both items require an id; the id of a
// program_output is made, since no client of another API has a place for it.
func (w *requestWriter) program(c *ir.Content) *ir.Error {
	h := c.Hosted
	code, _, _ := jsonr.LastMember(string(h.Input), "code")
	switch {
	case c.Returned && w.HasProgram(h):
		w.separate()
		w.Dst = appendProgramOutput(w.Dst, h, "prog_out_"+ir.Digest(h.ID), h.ID)
	case !c.Returned && w.Programs && h.Origin == Name && h.ID != "" && h.State != "" &&
		jsonr.KindOf(code) == jsonr.String:
		w.SendProgram(h)
		w.item("program")
		w.Member(`,"id":`, h.Item)
		w.Raw(`,"call_id":`)
		w.Literal(h.ID)
		w.Raw(`,"code":`)
		w.Raw(string(code))
		w.Raw(`,"fingerprint":`)
		w.Literal(h.State)
		w.Raw(`}`)
	default:
		return w.RefuseOrLose(c.At.String(), "this type of content block here")
	}
	return nil
}

// isProgram reports whether c is a program of another API's client, or its result.
func (w *requestWriter) isProgram(c *ir.Content) bool {
	return isOpaque(c) && !w.own() && c.Hosted != nil && c.Hosted.Kind == ir.ProgramTool
}

// appendProgramOutput appends the item of a program's result.
func appendProgramOutput(dst []byte, h *ir.Hosted, id, callID ir.Escaped) []byte {
	dst = jsonw.AppendTextMember(dst, `{"type":"program_output","id":`, id)
	dst = jsonw.AppendTextMember(dst, `,"call_id":`, callID)
	dst = jsonw.AppendTextMember(dst, `,"result":`, h.Output)
	if h.Failed {
		return raw(dst, `,"status":"incomplete"}`)
	}
	return raw(dst, `,"status":"completed"}`)
}

// program writes the item of another vendor's program, or of its result, for a client.
func (w *itemWriter) program(h *ir.Hosted) {
	if h.Done {
		w.out = appendProgramOutput(w.out, h, w.hostedID("prog_out_", h), programCallID(h))
		return
	}
	w.member(`{"type":"program","id":`, w.hostedID("prog_", h))
	w.member(`,"call_id":`, programCallID(h))
	code, _, _ := jsonr.LastMember(string(h.Input), "code")
	if jsonr.KindOf(code) != jsonr.String {
		code = `""`
	}
	w.out = jsonw.AppendFlat(raw(w.out, `,"code":`), code)
	w.raw(`,"fingerprint":"`)
	w.out = ir.AppendProgram(w.out, h)
	w.raw(`"}`)
}

// program emits a program, or the result of one, for a client of another API.
func (d *decoder) program(it *item) {
	f := readProgram(ir.Raw(strings.Clone(string(jsonw.View(it.raw)))))
	if f.kind == "program" {
		h := &ir.Hosted{Kind: ir.ProgramTool, Origin: Name, Item: f.id, ID: f.callID, State: f.fingerprint,
			Input: f.input()}
		if len(h.State) > maxFingerprint {
			h.State = ""
			d.lost.Add("output[].fingerprint")
		}
		d.out.Reserve(len(it.raw), tooMuch) // the program stays in memory
		d.programs = append(d.programs, h)
		d.out.Hosted(h)
		return
	}
	program := d.programCalled(f.callID)
	if program == nil {
		d.loseItem(it)
		return
	}
	h := *program
	h.Input, h.Output, h.Failed, h.Done = "", f.result, f.incomplete, true
	d.resumes = true
	d.out.Hosted(&h)
}

// programCalled returns the program of the answer or of the history with a call_id, or nil.
func (d *decoder) programCalled(callID ir.Escaped) *ir.Hosted {
	return d.r.Program(d.programs, Name, callID)
}

// setCaller sets the caller of the next call. A client of another API gets the call of an unknown
// program as the model's own.
func (d *decoder) setCaller(caller ir.Raw) {
	switch {
	case caller == "":
	case d.own:
		d.out.SetCaller(caller)
	default:
		h := d.programCalled(callerID(caller))
		if h == nil {
			d.lost.Add(lostCaller)
		}
		d.out.SetProgram(h)
	}
}
