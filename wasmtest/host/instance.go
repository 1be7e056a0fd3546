package host

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"edgelingua/wasmtest/host/js"
)

// instanceKey is the key of the instance in the context of a call into the module.
type instanceKey struct{}

// instance is a running module: a Go program, started for a single request.
type instance struct {
	ctx    context.Context // for every call into the module
	module api.Module
	loop   *js.Loop
	table  *js.Table
	logf   func(format string, args ...any)
	now    func() time.Time
	trace  *trace // nil: no trace

	binding *js.Object // the program sets handleRequest in this object
	entries map[string]*entry
	pending js.Value       // _pendingEvent of the Go object: the call that the next resume handles
	dead    error          // the reason why the module may not be entered again, or nil
	exit    *sys.ExitError // the module's call of proc_exit, or nil
	printed []byte
	last    string // the last complete line of the program's output
}

// entry is an export of the module. wazero does not allow recursive calls of an api.Function, so an
// entry has a function for each depth of nesting.
type entry struct {
	frames []*frame
	depth  int
}

// frame is the function of an entry for a depth.
type frame struct {
	function api.Function
	returns  bool
	stack    [2]uint64 // the parameters; after the call the result
}

// newInstance instantiates the module of h without running the program.
func newInstance(h *Host, l *js.Loop) (*instance, error) {
	in := &instance{loop: l, logf: h.config.Log.Printf, now: h.config.Now, binding: js.NewObject(),
		entries: map[string]*entry{}, pending: js.Null{}}
	in.ctx = context.WithValue(context.Background(), instanceKey{}, in)
	var err error
	in.module, err = h.runtime.InstantiateModule(experimental.WithMemoryAllocator(in.ctx, h.memories),
		h.module, h.moduleConfig)
	return in, err
}

// start runs the program until it waits for requests. members are the members of its runtime
// context; start adds binding.
func (in *instance) start(members map[string]js.Value) {
	members["binding"] = in.binding
	runtimeContext := &js.Namespace{Name: "context", Members: members}
	in.table = js.NewTable(js.NewGlobal(in.loop, in.logf, runtimeContext), &goObject{in})
	in.enter("_start")
}

// close frees the memory of the instance and releases its references to the host's values.
func (in *instance) close() {
	if len(in.printed) > 0 {
		in.print([]byte("\n"))
	}
	in.module.Close(in.ctx)
	in.binding, in.pending = js.NewObject(), js.Null{}
	if in.table != nil {
		in.table.ReleaseAll()
	}
}

// enter calls an export and returns the result, or 0 for an export without a result. A trap ends
// the instance; proc_exit only ends the call.
func (in *instance) enter(name string, params ...uint64) uint64 {
	if in.dead != nil {
		panic(&js.Fatal{Err: in.dead})
	}
	if in.exit != nil {
		js.Stop("%s is called, but the program is over: %w", name, in.exit)
	}
	e := in.entries[name]
	if e == nil {
		e = &entry{}
		in.entries[name] = e
	}
	if e.depth == len(e.frames) {
		f := in.module.ExportedFunction(name)
		if f == nil {
			js.Stop("the module has no export %s", name)
		}
		e.frames = append(e.frames, &frame{function: f, returns: len(f.Definition().ResultTypes()) > 0})
	}
	if in.trace != nil {
		return in.trace.entered(name, params, func() uint64 { return in.call(name, e, params) })
	}
	return in.call(name, e, params)
}

func (in *instance) call(name string, e *entry, params []uint64) uint64 {
	f := e.frames[e.depth]
	e.depth++
	copy(f.stack[:], params)
	err := f.function.CallWithStack(in.ctx, f.stack[:])
	e.depth--
	switch {
	case errors.As(err, &in.exit):
		return 0
	case err != nil:
		in.die(name, err)
	case !f.returns:
		return 0
	}
	return f.stack[0]
}

// die ends the instance with the first error, together with the last panic message of the program.
func (in *instance) die(name string, err error) {
	if in.dead == nil {
		if f := (*js.Fatal)(nil); errors.As(err, &f) {
			in.dead = f.Err
		} else {
			reason, _, _ := strings.Cut(err.Error(), "\nwasm stack trace:")
			in.dead = fmt.Errorf("%s trapped: %s", name, reason)
			if strings.HasPrefix(in.last, "panic: ") {
				in.dead = fmt.Errorf("%w: %s", in.dead, in.last)
			}
		}
	}
	panic(&js.Fatal{Err: in.dead})
}

// print gets the program's standard output, and logs each complete line.
func (in *instance) print(p []byte) {
	in.printed = append(in.printed, p...)
	for {
		line, rest, found := bytes.Cut(in.printed, []byte("\n"))
		if !found {
			return
		}
		in.last = js.Decode(bytes.TrimSuffix(line, []byte("\r")))
		in.printed = rest
		in.logf("program: %s", in.last)
	}
}

// bytes returns a view of the module's memory, good until the module runs again.
func (in *instance) bytes(at, length uint64) []byte {
	view, ok := in.module.Memory().Read(uint32(at), uint32(length))
	if !ok {
		js.Stop("the program names %d bytes at %d, which is outside of its memory", uint32(length),
			uint32(at))
	}
	return view
}

// put copies b into the program's input buffer (stream_reserve) and returns its length.
func (in *instance) put(b []byte) (n uint64) {
	at := in.enter("stream_reserve", uint64(len(b)))
	copy(in.bytes(at, uint64(len(b))), b)
	return uint64(len(b))
}

func (in *instance) string(at, length uint64) string { return js.Decode(in.bytes(at, length)) }

func (in *instance) readUint32(at uint64) uint32 {
	return binary.LittleEndian.Uint32(in.bytes(at, 4))
}

func (in *instance) readUint64(at uint64) uint64 {
	return binary.LittleEndian.Uint64(in.bytes(at, 8))
}

func (in *instance) writeByte(at uint64, b byte) { in.bytes(at, 1)[0] = b }

func (in *instance) writeUint32(at uint64, v uint32) {
	binary.LittleEndian.PutUint32(in.bytes(at, 4), v)
}

func (in *instance) writeUint64(at uint64, v uint64) {
	binary.LittleEndian.PutUint64(in.bytes(at, 8), v)
}

// goObject is syscall/js's jsGo: the Go class of wasm_exec.js.
type goObject struct{ in *instance }

func (g *goObject) Kind() string { return "Go" }

func (g *goObject) Get(key string) (v js.Value, known bool) {
	switch key {
	case "_pendingEvent":
		return g.in.pending, true
	case "_makeFuncWrapper":
		return js.Method(key, func(args []js.Value) (js.Value, error) {
			return g.in.wrap(js.Argument(args, 0)), nil
		}), true
	}
	return nil, false
}

func (g *goObject) Set(key string, v js.Value) (known bool) {
	if key != "_pendingEvent" {
		return false
	}
	g.in.pending = v
	return true
}

// wrap returns a function that runs the js.Func with the given id.
func (in *instance) wrap(id js.Value) *js.Function {
	return &js.Function{Name: "js.Func", Call: func(this js.Value, args []js.Value) (js.Value, error) {
		event := js.NewObject()
		event.Set("id", id)
		event.Set("this", this)
		event.Set("args", &js.Array{Items: args})
		in.pending = event
		in.enter("resume")
		result, _ := event.Get("result")
		return result, nil
	}}
}
