package host

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// value is a JavaScript value: nil is undefined, null{} is null, and booleans, numbers and strings
// are bool, float64 and string. Everything else is a pointer, so that the identity of an object is
// the identity of its Go value.
type value any

type null struct{}

// receiver is a value with properties. get's known is false where the value can't have that property.
type receiver interface {
	kind() string
	get(key string) (v value, known bool)
}

// assignable is a receiver whose properties the program may set.
type assignable interface {
	set(key string, v value) (known bool)
}

// indexed is a value with elements. An index out of range reads as undefined.
type indexed interface {
	length() int
	index(i int) value
}

// thrown is a JavaScript exception, on its way to where it is caught.
type thrown struct{ value value }

func (t *thrown) Error() string { return "uncaught " + describe(t.value) }

func throwTypeError(format string, args ...any) error {
	return &thrown{&jsError{name: "TypeError", message: fmt.Sprintf(format, args...)}}
}

// function is a callable value: a function of the host, or a js.Func of the program.
type function struct {
	name   string
	params []string // the parameters' names, where a trace shows them
	call   func(this value, args []value) (value, error)
}

func (f *function) kind() string                     { return "function " + f.name }
func (f *function) get(string) (v value, known bool) { return nil, false }

// method returns a function of the host that does not use this.
func method(name string, call func(args []value) (value, error)) *function {
	return &function{name: name, call: func(_ value, args []value) (value, error) { return call(args) }}
}

// class is a constructor. One without construct exists on workerd too, but can't be called here.
type class struct {
	name      string
	construct func(args []value) (value, error)
	statics   map[string]value
	has       func(v value) bool // implements v instanceof the class
}

func (c *class) kind() string { return "class " + c.name }

func (c *class) get(key string) (v value, known bool) {
	v, known = c.statics[key]
	return v, known
}

// namespace is an object of the host with a fixed set of properties.
type namespace struct {
	name    string
	members map[string]value
	open    bool // a property that is missing reads as undefined, in place of ending the instance
}

func (n *namespace) kind() string { return n.name }

func (n *namespace) get(key string) (v value, known bool) {
	v, known = n.members[key]
	return v, known || n.open
}

// object is a plain object: a property that is missing reads as undefined.
type object struct{ fields map[string]value }

func newObject() *object { return &object{fields: map[string]value{}} }

func (o *object) kind() string { return "Object" }

func (o *object) get(key string) (v value, known bool) { return o.fields[key], true }

func (o *object) set(key string, v value) (known bool) {
	o.fields[key] = v
	return true
}

// array is an Array.
type array struct{ items []value }

func (a *array) kind() string { return "Array" }

func (a *array) get(key string) (v value, known bool) {
	if key == "length" {
		return float64(len(a.items)), true
	}
	return nil, false
}

func (a *array) length() int { return len(a.items) }

func (a *array) index(i int) value {
	if i < 0 || i >= len(a.items) {
		return nil
	}
	return a.items[i]
}

// uint8Array is a Uint8Array with a buffer of its own.
type uint8Array struct{ data []byte }

func (u *uint8Array) kind() string { return "Uint8Array" }

func (u *uint8Array) get(key string) (v value, known bool) {
	if key == "length" || key == "byteLength" {
		return float64(len(u.data)), true
	}
	return nil, false
}

func (u *uint8Array) length() int { return len(u.data) }

func (u *uint8Array) index(i int) value {
	if i < 0 || i >= len(u.data) {
		return nil
	}
	return float64(u.data[i])
}

// jsError is an Error.
type jsError struct{ name, message string }

func (e *jsError) kind() string { return e.name }

func (e *jsError) get(key string) (v value, known bool) {
	switch key {
	case "name":
		return e.name, true
	case "message":
		return e.message, true
	case "toString":
		return method(key, func([]value) (value, error) { return e.String(), nil }), true
	}
	return nil, false
}

func (e *jsError) String() string {
	if e.message == "" {
		return e.name
	}
	return e.name + ": " + e.message
}

// argument returns args[i], or undefined.
func argument(args []value, i int) value {
	if i >= len(args) {
		return nil
	}
	return args[i]
}

// describe returns words for a value in an error message. Of its contents only an error's message
// is shown.
func describe(v value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case null:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case *jsError:
		return v.String()
	case receiver:
		return v.kind()
	}
	return fmt.Sprintf("%T", v)
}

// text returns String(v).
func text(v value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case null:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return number(v)
	case string:
		return v
	case *jsError:
		return v.String()
	}
	return "[object " + describe(v) + "]"
}

// number returns f as JavaScript writes it (ECMA-262, Number::toString).
func number(f float64) string {
	switch abs := math.Abs(f); {
	case math.IsNaN(f):
		return "NaN"
	case f == 0:
		return "0"
	case math.IsInf(f, 1):
		return "Infinity"
	case math.IsInf(f, -1):
		return "-Infinity"
	case abs >= 1e21 || abs < 1e-6:
		mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
		return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
