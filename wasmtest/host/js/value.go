package js

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Value is a JavaScript value: nil is undefined, Null{} is null, and booleans, numbers and strings
// are bool, float64 and string. Any other value is a pointer, and the identity of an object is the
// identity of its Go value.
type Value any

type Null struct{}

// Receiver is a value with properties. Get returns known false if the value can't have the
// property.
type Receiver interface {
	Kind() string
	Get(key string) (v Value, known bool)
}

// Assignable is a receiver with properties that the program may set.
type Assignable interface {
	Set(key string, v Value) (known bool)
}

// Indexed is a value with elements. An index out of range reads as undefined.
type Indexed interface {
	Length() int
	Index(i int) Value
}

// thrown is a JavaScript exception, until it is caught.
type thrown struct{ value Value }

func (t *thrown) Error() string { return "uncaught " + Describe(t.value) }

// ThrownValue returns the value of a call's exception.
func ThrownValue(err error) Value { return err.(*thrown).value }

func throwTypeError(format string, args ...any) error {
	return &thrown{&Error{Name: "TypeError", Message: fmt.Sprintf(format, args...)}}
}

// Function is a callable value: a function of the host, or a js.Func of the program.
type Function struct {
	Name   string
	Params []string // the parameters' names, if a trace shows them
	Call   func(this Value, args []Value) (Value, error)
}

func (f *Function) Kind() string                     { return "function " + f.Name }
func (f *Function) Get(string) (v Value, known bool) { return nil, false }

// Method returns a function of the host. call gets no this.
func Method(name string, call func(args []Value) (Value, error)) *Function {
	return &Function{Name: name, Call: func(_ Value, args []Value) (Value, error) { return call(args) }}
}

// Class is a constructor. A class without construct exists on workerd too, but can't be called
// here.
type Class struct {
	name      string
	Construct func(args []Value) (Value, error)
	statics   map[string]Value
	Has       func(v Value) bool // implements v instanceof the class
}

func (c *Class) Kind() string { return "class " + c.name }

func (c *Class) Get(key string) (v Value, known bool) {
	v, known = c.statics[key]
	return v, known
}

// Namespace is an object of the host with a fixed set of properties.
type Namespace struct {
	Name    string
	Members map[string]Value
	open    bool // a missing property is undefined, and does not end the instance
}

func (n *Namespace) Kind() string { return n.Name }

func (n *Namespace) Get(key string) (v Value, known bool) {
	v, known = n.Members[key]
	return v, known || n.open
}

// Object is a plain object: a missing property is undefined.
type Object struct{ fields map[string]Value }

func NewObject() *Object { return &Object{fields: map[string]Value{}} }

func (o *Object) Kind() string { return "Object" }

func (o *Object) Get(key string) (v Value, known bool) { return o.fields[key], true }

func (o *Object) Set(key string, v Value) (known bool) {
	o.fields[key] = v
	return true
}

// Array is an Array.
type Array struct{ Items []Value }

func (a *Array) Kind() string { return "Array" }

func (a *Array) Get(key string) (v Value, known bool) {
	if key == "length" {
		return float64(len(a.Items)), true
	}
	return nil, false
}

func (a *Array) Length() int { return len(a.Items) }

func (a *Array) Index(i int) Value {
	if i < 0 || i >= len(a.Items) {
		return nil
	}
	return a.Items[i]
}

// Uint8Array is a Uint8Array with its own buffer.
type Uint8Array struct{ Data []byte }

func (u *Uint8Array) Kind() string { return "Uint8Array" }

func (u *Uint8Array) Get(key string) (v Value, known bool) {
	if key == "length" || key == "byteLength" {
		return float64(len(u.Data)), true
	}
	return nil, false
}

func (u *Uint8Array) Length() int { return len(u.Data) }

func (u *Uint8Array) Index(i int) Value {
	if i < 0 || i >= len(u.Data) {
		return nil
	}
	return float64(u.Data[i])
}

// Error is an Error.
type Error struct{ Name, Message string }

func (e *Error) Kind() string { return e.Name }

func (e *Error) Get(key string) (v Value, known bool) {
	switch key {
	case "name":
		return e.Name, true
	case "message":
		return e.Message, true
	case "toString":
		return Method(key, func([]Value) (Value, error) { return e.String(), nil }), true
	}
	return nil, false
}

func (e *Error) String() string {
	if e.Message == "" {
		return e.Name
	}
	return e.Name + ": " + e.Message
}

// Argument returns args[i], or undefined.
func Argument(args []Value, i int) Value {
	if i >= len(args) {
		return nil
	}
	return args[i]
}

// Describe returns words for a value in an error message. Contents are not shown, except the
// message of an error.
func Describe(v Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case Null:
		return "null"
	case bool:
		return "a boolean"
	case float64:
		return "a number"
	case string:
		return "a string"
	case *Error:
		return v.String()
	case Receiver:
		return v.Kind()
	}
	return fmt.Sprintf("%T", v)
}

// Text returns String(v).
func Text(v Value) string {
	switch v := v.(type) {
	case nil:
		return "undefined"
	case Null:
		return "null"
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return number(v)
	case string:
		return v
	case *Error:
		return v.String()
	}
	return "[object " + Describe(v) + "]"
}

// number formats f like JavaScript (ECMA-262, Number::toString).
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

// Property returns a property of v. It ends the instance if v has no property of that name.
func Property(v Value, key string) Value {
	if r, ok := v.(Receiver); ok {
		if p, known := r.Get(key); known {
			return p
		}
	}
	Stop("%s has no property %q in this host", Describe(v), key)
	return nil
}

func Elements(v Value) Indexed {
	e, ok := v.(Indexed)
	if !ok {
		Stop("%s has no elements in this host", Describe(v))
	}
	return e
}
