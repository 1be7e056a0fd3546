package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// blockStart begins a block. The result of a program shows that the program waits for no call.
func (d *decoder) blockStart(index int64, block ir.Raw) {
	if d.waiting != nil && jsonr.LastText(string(block), "type") == codeResult {
		d.release()
	}
	d.out.BlockStart(index, block)
}

// closeProgram ends the block of a program. A waiting program goes on only in its container, and a
// stream names the container in its last event: the program and what follows are buffered up to there,
// or up to the program's result. Nothing of the answer follows the calls of a waiting program.
func (d *decoder) closeProgram(c *block) {
	var f startFields
	f.read(ir.Raw(strings.Clone(string(c.raw()))))
	d.waiting = &ir.Hosted{Kind: ir.ProgramTool, Origin: Name, ID: f.id, Input: f.input}
	d.programs = append(d.programs, d.waiting)
	d.out.Hold(true)
}

// release yields the waiting program and what follows, up to the next program.
func (d *decoder) release() {
	h := d.waiting
	d.waiting, h.State = nil, ir.Escaped(d.container)
	d.out.Hosted(h)
	d.out.Hold(false)
}

// programResult yields the result of a program of this answer or of the history.
func (d *decoder) programResult(f *startFields) {
	program := d.programCalled(f.toolUseID)
	if program == nil {
		d.lost.AddNamed("block:", f.kind)
		return
	}
	h := *program
	h.Input = ""
	readCodeResult(&h, f.content, d.lost)
	d.out.Hosted(&h)
}

// programCalled returns the program of the answer or of the history with an id, or nil.
func (d *decoder) programCalled(id ir.Escaped) *ir.Hosted { return d.r.Program(d.programs, Name, id) }

// setCaller sets the caller of the next call. A client of another API gets the call of an unknown
// program as the model's own.
func (d *decoder) setCaller(caller ir.Raw) {
	switch {
	case caller == "":
	case d.own:
		d.out.SetCaller(caller)
	default:
		id, _ := jsonr.Text(toolID(caller))
		h := d.programCalled(id)
		if h == nil {
			d.lost.Add("content[].caller")
		}
		d.out.SetProgram(h)
	}
}

// contain stores the container that ran code: for clients of this API, and for programs.
//
//go:noinline
func (d *decoder) contain(v ir.Raw) {
	switch {
	case isEmpty(v):
	case d.own && len(v) <= maxDetails:
		d.out.SetContainer(ir.Raw(jsonw.AppendFlat(nil, v)))
	default:
		id := jsonr.LastText(string(v), "id")
		if d.runs && id != "" && isPlain(id) {
			d.container = id
		} else {
			d.lost.Add("container")
		}
	}
}
