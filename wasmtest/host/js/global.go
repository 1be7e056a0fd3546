package js

// NewGlobal returns the globalThis of an instance. A global unknown to this host is undefined, as
// in JavaScript: packages look for optional globals. For example, net/http of TinyGo's releases
// looks for fetch and process.
func NewGlobal(l *Loop, logf func(format string, args ...any), runtimeContext Value) *Namespace {
	members := map[string]Value{"context": runtimeContext, "console": newConsole(logf)}
	for _, c := range []*Class{
		objectClass, arrayClass, uint8ArrayClass, errorClass, promiseClass(l), headersClass,
		responseClass,
		{name: "Request", Has: func(v Value) bool { _, ok := v.(*Request); return ok }},
		{name: "ReadableStream", Has: func(v Value) bool { _, ok := v.(*ReadableStream); return ok }},
		{name: "Uint8ClampedArray"},
		{name: "Date"},
	} {
		members[c.name] = c
	}
	return &Namespace{Name: "globalThis", Members: members, open: true}
}

// newConsole returns console, which writes to the host's log. syscall/js writes there if a released
// js.Func is called.
func newConsole(logf func(format string, args ...any)) *Namespace {
	write := Method("write", func(args []Value) (Value, error) {
		line := ""
		for _, arg := range args {
			line += " " + Text(arg)
		}
		logf("program:%s", line)
		return nil, nil
	})
	return &Namespace{Name: "console", Members: map[string]Value{"error": write, "log": write}}
}

var objectClass = &Class{
	name:      "Object",
	Has:       func(v Value) bool { _, ok := v.(Receiver); return ok },
	Construct: func([]Value) (Value, error) { return NewObject(), nil },
}

var arrayClass = &Class{
	name: "Array",
	Has:  func(v Value) bool { _, ok := v.(*Array); return ok },
	Construct: func(args []Value) (Value, error) {
		n, err := size("Array", args)
		return &Array{Items: make([]Value, n)}, err
	},
	statics: map[string]Value{
		"from": Method("from", func(args []Value) (Value, error) {
			from := Elements(Argument(args, 0))
			items := make([]Value, from.Length())
			for i := range items {
				items[i] = from.Index(i)
			}
			return &Array{Items: items}, nil
		}),
	},
}

var uint8ArrayClass = &Class{
	name: "Uint8Array",
	Has:  func(v Value) bool { _, ok := v.(*Uint8Array); return ok },
	Construct: func(args []Value) (Value, error) {
		n, err := size("Uint8Array", args)
		return &Uint8Array{Data: make([]byte, n)}, err
	},
}

var errorClass = &Class{
	name: "Error",
	Has:  func(v Value) bool { _, ok := v.(*Error); return ok },
	Construct: func(args []Value) (Value, error) {
		message := ""
		if len(args) > 0 {
			message = Text(args[0])
		}
		return &Error{Name: "Error", Message: message}, nil
	},
}

// maxSize bounds how many elements or bytes the program may allocate in the host.
const maxSize = 1 << 28

// size returns the argument of new Array and new Uint8Array.
func size(name string, args []Value) (int, error) {
	if len(args) == 0 {
		return 0, nil
	}
	f, ok := args[0].(float64)
	if !ok || len(args) > 1 {
		Stop("new %s takes one number in this host", name)
	}
	if f < 0 || f > maxSize || f != float64(int(f)) {
		return 0, &thrown{&Error{Name: "RangeError", Message: "Invalid " + name + " length"}}
	}
	return int(f), nil
}
