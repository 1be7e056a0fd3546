package host

// newGlobal returns the globalThis of an instance. A global that this host has not is undefined, as
// in JS: packages look for globals that they can do without, as net/http of TinyGo's releases does
// for fetch and process.
func newGlobal(in *instance, runtimeContext value) *namespace {
	members := map[string]value{"context": runtimeContext, "console": newConsole(in)}
	for _, c := range []*class{
		objectClass, arrayClass, uint8ArrayClass, errorClass, promiseClass(in.loop), headersClass,
		responseClass,
		{name: "Request", has: func(v value) bool { _, ok := v.(*request); return ok }},
		{name: "ReadableStream", has: func(v value) bool { _, ok := v.(*readableStream); return ok }},
		{name: "Uint8ClampedArray"},
		{name: "Date"},
	} {
		members[c.name] = c
	}
	return &namespace{name: "globalThis", members: members, open: true}
}

// newConsole returns console, which writes to the host's log. syscall/js uses it where a released
// js.Func is called.
func newConsole(in *instance) *namespace {
	write := method("write", func(args []value) (value, error) {
		line := ""
		for _, arg := range args {
			line += " " + text(arg)
		}
		in.logf("program:%s", line)
		return nil, nil
	})
	return &namespace{name: "console", members: map[string]value{"error": write, "log": write}}
}

var objectClass = &class{
	name:      "Object",
	has:       func(v value) bool { _, ok := v.(receiver); return ok },
	construct: func([]value) (value, error) { return newObject(), nil },
}

var arrayClass = &class{
	name: "Array",
	has:  func(v value) bool { _, ok := v.(*array); return ok },
	construct: func(args []value) (value, error) {
		n, err := size("Array", args)
		return &array{items: make([]value, n)}, err
	},
	statics: map[string]value{
		"from": method("from", func(args []value) (value, error) {
			from := elements(argument(args, 0))
			items := make([]value, from.length())
			for i := range items {
				items[i] = from.index(i)
			}
			return &array{items: items}, nil
		}),
	},
}

var uint8ArrayClass = &class{
	name: "Uint8Array",
	has:  func(v value) bool { _, ok := v.(*uint8Array); return ok },
	construct: func(args []value) (value, error) {
		n, err := size("Uint8Array", args)
		return &uint8Array{data: make([]byte, n)}, err
	},
}

var errorClass = &class{
	name: "Error",
	has:  func(v value) bool { _, ok := v.(*jsError); return ok },
	construct: func(args []value) (value, error) {
		message := ""
		if len(args) > 0 {
			message = text(args[0])
		}
		return &jsError{name: "Error", message: message}, nil
	},
}

// maxSize bounds how many elements or bytes the program may allocate in the host.
const maxSize = 1 << 28

// size returns the one argument of new Array and new Uint8Array.
func size(name string, args []value) (int, error) {
	if len(args) == 0 {
		return 0, nil
	}
	f, ok := args[0].(float64)
	if !ok || len(args) > 1 {
		stop("new %s takes one number in this host", name)
	}
	if f < 0 || f > maxSize || f != float64(int(f)) {
		return 0, &thrown{&jsError{name: "RangeError", message: "Invalid " + name + " length"}}
	}
	return int(f), nil
}
