package events

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/jsonr"
)

// numbered is a decoder that records its calls.
type numbered struct {
	out   Indexed
	calls []string
}

func newNumbered() *numbered {
	d := &numbered{}
	d.out.Init(irtest.Discard, d, `"missing"`, "too much")
	return d
}

func (d *numbered) OpenBlock(n int, start ir.Raw) { d.note(n, string(start)) }

func (d *numbered) ReadDelta(n int, delta *jsonr.Reader) { d.note(n, string(delta.Value())) }

func (d *numbered) EndBlock(n int) { d.note(n, "end") }

func (d *numbered) note(n int, call string) {
	d.calls = append(d.calls, string(rune('0'+n))+" "+call)
}

// play passes events to the decoder: "5 start JSON", "5 delta JSON" and "5 stop" for the index 5,
// and - for no index. It returns the calls of the decoder.
func (d *numbered) play(events ...string) []string {
	for _, event := range events {
		index, event, _ := strings.Cut(event, " ")
		kind, value, _ := strings.Cut(event, " ")
		n := int64(-1)
		if index != "-" {
			n = int64(index[0] - '0')
		}
		switch kind {
		case "start":
			d.out.BlockStart(n, ir.Raw(value))
		case "delta":
			r := jsonr.NewReader(value)
			d.out.BlockDelta(n, &r)
		case "stop":
			d.out.BlockStop(n)
		}
	}
	d.out.CompleteAll()
	return d.calls
}

// TestIndexed has the events of an upstream, and the calls of its decoder.
func TestIndexed(t *testing.T) {
	for name, c := range map[string]struct{ events, want []string }{
		"in order": {
			[]string{"5 start 1", "5 delta 2", "5 stop", "6 start 3", "6 stop"},
			[]string{"0 1", "0 2", "0 end", "1 3", "1 end"},
		},
		"mixed": {
			[]string{"0 start 1", "1 start 2", "1 delta 3", "0 delta 4", "1 stop", "0 delta 5", "0 stop",
				"2 start 6"},
			[]string{"0 1", "0 4", "0 5", "0 end", "1 2", "1 3", "1 end", "2 6", "2 end"},
		},
		"no start": {
			[]string{"3 delta 1", "3 delta 2", "4 delta 3"},
			[]string{`0 "missing"`, "0 1", "0 2", "0 end", `1 "missing"`, "1 3", "1 end"},
		},
		"no end": {
			[]string{"0 start 1", "0 start 2", "0 delta 3"},
			[]string{"0 1", "0 end", "1 2", "1 3", "1 end"},
		},
		"no index": {
			[]string{"- start 1", "- start 2", "- delta 3", "- stop", "- delta 4"},
			[]string{"0 1", "0 4", "0 end", "1 2", "1 3", "1 end"},
		},
		"an end alone": {[]string{"0 stop", "- stop"}, nil},
	} {
		d := newNumbered()
		require.Equal(t, c.want, d.play(c.events...), name)
		require.Zero(t, d.out.Buffered(), name)
	}
}

// TestIndexedBounds: a block too long for the buffer ends the answer.
func TestIndexedBounds(t *testing.T) {
	d := newNumbered()
	long := `"` + strings.Repeat("x", ir.MaxBuffered) + `"`
	require.Equal(t, []string{"0 1"}, d.play("0 start 1", "1 start "+long, "1 delta 2", "0 stop"))
	require.Equal(t, 2, d.out.Len())
	require.Equal(t, -1, d.out.BlockStart(2, `3`))
}

// TestHold: after Hold, the deltas and the end of the open block pass, and later blocks wait.
func TestHold(t *testing.T) {
	d := newNumbered()
	d.out.BlockStart(0, `"a"`)
	d.out.Hold(true)
	d.out.BlockStop(0)
	d.out.BlockStart(1, `"b"`)
	delta := jsonr.NewReader(`"c"`)
	d.out.BlockDelta(1, &delta)
	require.Equal(t, []string{`0 "a"`, "0 end"}, d.calls)
	d.out.Hold(false)
	require.Equal(t, []string{`0 "a"`, "0 end", `1 "b"`, `1 "c"`}, d.calls)
}
