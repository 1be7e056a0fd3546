package host

import (
	"fmt"
	"log"
	"strconv"
	"strings"

	"edgelingua/wasmtest/host/js"
)

// trace is the call log of an instance. It has a line for each call of an import, with the member
// of the Web API, and for each export called by the host. The line of a call follows the lines of
// its inner calls, which have a deeper indentation. Lines show names of properties and methods, but
// only the length of strings, bytes and errors, because their text may contain a key or a part of a
// body.
type trace struct {
	logger *log.Logger
	number uint64 // the number of the instance
	depth  int
}

// exports are the module's exports that the host calls, and the names of their parameters
// (worker/bridge/doc.go).
var exports = map[string][]string{
	"_start":          nil,
	"account":         nil,
	"go_scheduler":    nil,
	"remember":        nil,
	"report":          nil,
	"describe":        nil,
	"resume":          nil,
	"settle":          {"code", "n"},
	"stream_close":    {"cause"},
	"stream_complete": nil,
	"stream_end":      nil,
	"stream_ended":    {"code", "n"},
	"stream_head":     {"status", "n"},
	"stream_push":     {"n"},
	"stream_reserve":  {"n"},
}

// call runs do at the next level and logs it as call, with the text of result, or with a note that
// the instance ended.
func (t *trace) call(call string, do func(), result func() string) {
	defer func() {
		t.depth--
		outcome := ""
		r := recover()
		if r != nil {
			outcome = " ended the instance"
		} else if text := result(); text != "" {
			outcome = " = " + text
		}
		t.logger.Printf("trace %d: %s%s%s", t.number, strings.Repeat("  ", t.depth), call, outcome)
		if r != nil {
			panic(r)
		}
	}()
	t.depth++
	do()
}

// entered logs the call of an export, which do makes.
func (t *trace) entered(name string, params []uint64, do func() uint64) (result uint64) {
	named := make([]string, len(params))
	for i, p := range params {
		named[i] = exports[name][i] + "=" + strconv.Itoa(int(int32(p)))
	}
	t.call("> "+name+"("+strings.Join(named, ", ")+")", func() { result = do() }, func() string {
		if result == 0 {
			return ""
		}
		return strconv.Itoa(int(int32(result)))
	})
	return result
}

// traced returns f with a line in the calling instance's trace.
func traced(module string, f hostFunction) func(in *instance, stack []uint64) {
	names, _ := parseParams(f.params)
	return func(in *instance, stack []uint64) {
		params := map[string]uint64{}
		for i, name := range names {
			params[name] = stack[i]
		}
		call := module + "." + f.name + "(" + in.showParams(names, params) + ")"
		in.trace.call(call, func() { f.call(in, stack) }, func() string {
			switch f.result {
			case "i64":
				if f.name == "runtime.ticks" {
					return strconv.FormatUint(stack[0], 10)
				}
				return in.showRef(stack[0])
			case "i32":
				return strconv.Itoa(int(int32(stack[0])))
			}
			return in.showOutcome(f.name, params["ret"])
		})
	}
}

// showParams returns parameters as name=value. An address is shown as the name at that address, or
// as a length.
func (in *instance) showParams(names []string, params map[string]uint64) string {
	var shown []string
	for _, name := range names {
		v := params[name]
		switch {
		case name == "key_at":
			shown = append(shown, "key="+strconv.Quote(in.peek(v, params["key_len"])))
		case name == "args_at":
			shown = append(shown, "args=["+in.showArguments(v, params)+"]")
		case name == "v" || name == "x" || name == "from" || name == "to" || name == "class":
			shown = append(shown, name+"="+in.showRef(v))
		case strings.HasSuffix(name, "at"), strings.HasSuffix(name, "cap"), name == "key_len",
			name == "args_len", name == "ret":
		default:
			shown = append(shown, name+"="+strconv.Itoa(int(int32(v))))
		}
	}
	return strings.Join(shown, ", ")
}

// showArguments returns the arguments of a call as JavaScript. Arguments of the bridge's methods
// have names.
func (in *instance) showArguments(at uint64, params map[string]uint64) string {
	var names []string
	if r, ok := in.table.Peek(params["v"]).(js.Receiver); ok {
		member, _ := r.Get(in.peek(params["key_at"], params["key_len"]))
		if f, ok := member.(*js.Function); ok {
			names = f.Params
		}
	}
	shown := make([]string, 0, 8)
	for i := range uint32(params["args_len"]) {
		ref, ok := in.module.Memory().ReadUint64Le(uint32(at) + 8*i)
		if !ok {
			break
		}
		arg := in.showRef(ref)
		if int(i) < len(names) {
			arg = names[i] + "=" + arg
		}
		shown = append(shown, arg)
	}
	return strings.Join(shown, ", ")
}

// showOutcome returns the result of a call at ret.
func (in *instance) showOutcome(name string, ret uint64) string {
	switch name {
	case "syscall/js.valueCall", "syscall/js.valueInvoke", "syscall/js.valueNew":
		result := in.showRef(in.readUint64(ret))
		if in.bytes(ret+8, 1)[0] == 0 {
			return "throw " + result
		}
		return result
	case "syscall/js.valuePrepareString":
		return in.showRef(in.readUint64(ret))
	case "syscall/js.copyBytesToGo", "syscall/js.copyBytesToJS":
		return strconv.Itoa(int(in.readUint32(ret)))
	}
	return ""
}

// peek returns a name in the program's memory, or "" for an address outside.
func (in *instance) peek(at, length uint64) string {
	b, _ := in.module.Memory().Read(uint32(at), uint32(length))
	return string(b)
}

func (in *instance) showRef(ref uint64) string { return show(in.table.Peek(ref)) }

// show returns a value without its contents.
func show(v js.Value) string {
	switch v := v.(type) {
	case nil, bool, js.Null, float64:
		return js.Text(v)
	case string:
		return fmt.Sprintf("string(%d)", len(v))
	case *js.Uint8Array:
		return fmt.Sprintf("Uint8Array(%d)", len(v.Data))
	case *js.Array:
		return fmt.Sprintf("Array(%d)", len(v.Items))
	case *js.Error:
		return fmt.Sprintf("%s(%d)", v.Name, len(v.Message))
	}
	return js.Describe(v)
}
