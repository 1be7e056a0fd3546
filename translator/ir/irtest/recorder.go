package irtest

import (
	"reflect"
	"strings"
	"testing"

	"edgelingua/translator/ir"
)

// Recorder is a sink that records copies of all events. The zero value accepts events in any order;
// a Recorder from Record checks the grammar.
type Recorder struct {
	Events  []ir.Event // deep copies, without views of buffers
	checked *Checked
	taken   int // the number of events returned by Take
}

// Record returns a Recorder that fails the test at the first event that breaks the grammar.
func Record(t testing.TB) *Recorder { return &Recorder{checked: Check(t, Discard)} }

// Event records a deep copy of ev.
func (r *Recorder) Event(ev *ir.Event) {
	if r.checked != nil {
		r.checked.t.Helper()
		r.checked.Event(ev)
	}
	kept := *ev
	own(reflect.ValueOf(&kept).Elem())
	r.Events = append(r.Events, kept)
}

// own replaces all memory referenced by v with copies.
func own(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(strings.Clone(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			own(v.Field(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c := reflect.New(v.Type().Elem())
			c.Elem().Set(v.Elem())
			own(c.Elem())
			v.Set(c)
		}
	case reflect.Slice:
		if !v.IsNil() {
			c := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(c, v)
			for i := range c.Len() {
				own(c.Index(i))
			}
			v.Set(c)
		}
	}
}

// RequireEnd fails the test if the answer has no end. The Recorder must come from Record.
func (r *Recorder) RequireEnd() {
	r.checked.t.Helper()
	r.checked.RequireEnd()
}

// Last returns the last event so far, or a zero Event.
func (r *Recorder) Last() ir.Event {
	if len(r.Events) == 0 {
		return ir.Event{}
	}
	return r.Events[len(r.Events)-1]
}

// Failure returns the error of a failed answer, or nil.
func (r *Recorder) Failure() *ir.Error { return r.Last().Err }

// Text returns the text of all blocks, still escaped.
func (r *Recorder) Text() (text ir.Escaped) {
	for i := range r.Events {
		if r.Events[i].Delta == ir.TextDelta {
			text += r.Events[i].Text
		}
	}
	return text
}

// Lines returns a line for each event, see Line.
func (r *Recorder) Lines() []string { return lines(r.Events) }

// Joined returns the lines of all events, with consecutive pieces of text in one line. Tests use
// Joined to ignore where a text is split.
func (r *Recorder) Joined() (joined []string) {
	for i, line := range r.Lines() {
		if i > 0 && r.Events[i].Delta == ir.TextDelta && r.Events[i-1].Delta == ir.TextDelta {
			joined[len(joined)-1] += line[len("+"):]
		} else {
			joined = append(joined, line)
		}
	}
	return joined
}

// Phases returns the phase of each BlockStop.
func (r *Recorder) Phases() (list []ir.Phase) {
	for _, ev := range r.Events {
		if ev.Kind == ir.BlockStop {
			list = append(list, ev.Phase)
		}
	}
	return list
}

// Take returns the lines of the events since its last call.
func (r *Recorder) Take() []string {
	since := r.Events[r.taken:]
	r.taken = len(r.Events)
	return lines(since)
}

// LastLine returns the line of the last event.
func (r *Recorder) LastLine() string {
	last := r.Last()
	return Line(&last)
}

// Block is one block of an answer.
type Block struct {
	Start  ir.Event
	Deltas []ir.Event
	Stop   ir.Event // the zero Event if the block has no BlockStop
}

// Text returns the text of a block, still escaped.
func (b *Block) Text() (text ir.Escaped) {
	for i := range b.Deltas {
		if b.Deltas[i].Delta == ir.TextDelta {
			text += b.Deltas[i].Text
		}
	}
	return text
}

// Blocks returns the blocks of the answer so far.
func (r *Recorder) Blocks() (list []Block) {
	for _, ev := range r.Events {
		switch ev.Kind {
		case ir.BlockStart:
			list = append(list, Block{Start: ev})
		case ir.Delta:
			b := &list[len(list)-1]
			b.Deltas = append(b.Deltas, ev)
		case ir.BlockStop:
			list[len(list)-1].Stop = ev
		}
	}
	return list
}
