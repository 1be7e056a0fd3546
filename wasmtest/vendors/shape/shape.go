// Package shape describes the JSON values that an API accepts, and rejects all other values.
//
// A Shape is built once and checks values from Decode: map[string]any, []any, string, json.Number,
// bool or nil. It neither changes nor retains a value. To reject a value, a Shape panics with a
// *Refusal, and Check turns the panic into an error. Rules for deeply nested members then need no
// error handling.
package shape

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"
)

// Refusal is the reason for which an API rejects a request, with status 400.
type Refusal struct {
	Path    string // the wrong member, such as messages[0].content; "" for the whole body
	Message string // the vendor's error message
}

func (r *Refusal) Error() string {
	if r.Path == "" {
		return r.Message
	}
	return r.Path + ": " + r.Message
}

// Refuse panics with a *Refusal that has the path and the formatted message.
func Refuse(path, format string, args ...any) {
	panic(&Refusal{path, fmt.Sprintf(format, args...)})
}

// Check calls run. If run panics with a *Refusal, Check returns the *Refusal, otherwise nil. All
// other panics pass through.
func Check(run func()) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case *Refusal:
			err = reason
		default:
			panic(reason)
		}
	}()
	run()
	return nil
}

// Decode returns the value of a JSON text, with each number as a Number in its original notation.
// The error says that the text is not JSON or has more than one value. text is not retained.
func Decode(text []byte) (value any, err error) {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	if d.More() {
		return nil, errors.New("more than one value")
	}
	return value, nil
}

// Shape checks a value, and calls Refuse if the value does not have the shape. path is the position
// of the value in the body, for the Refusal.
type Shape func(value any, path string)

// Object, List and Number are types of decoded values.
type (
	Object = map[string]any
	List   = []any
	Number = json.Number
)

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case List:
		return "array"
	case Object:
		return "object"
	case string:
		return "string"
	case Number:
		return "number"
	case bool:
		return "boolean"
	}
	panic(fmt.Sprintf("not a decoded value: %T", value))
}

func kind(name string) Shape {
	return func(value any, path string) {
		if is := kindOf(value); is != name {
			Refuse(path, "must be %s, not %s", name, is)
		}
	}
}

// Shapes of one JSON type. Any accepts every value.
var (
	Any       Shape = func(any, string) {}
	Bool            = kind("boolean")
	AnyObject       = kind("object")
	Text            = kind("string")
)

// Filled is the shape of a string that has more than white space.
func Filled(value any, path string) {
	Text(value, path)
	if strings.TrimSpace(value.(string)) == "" {
		Refuse(path, "must not be empty")
	}
}

// Max adds a limit to the shape of a string: at most limit characters, counted in UTF-16 units.
func Max(limit int, of Shape) Shape {
	return func(value any, path string) {
		of(value, path)
		if n := len(utf16.Encode([]rune(value.(string)))); n > limit {
			Refuse(path, "string too long: at most %d characters, not %d", limit, n)
		}
	}
}

// Pattern is the shape of a string that matches a regular expression. An invalid expression panics.
// The Refusal shows the expression between slashes.
func Pattern(expression string) Shape {
	pattern := regexp.MustCompile(expression)
	return func(value any, path string) {
		Text(value, path)
		if said := value.(string); !pattern.MatchString(said) {
			Refuse(path, "must match /%s/: %s", expression, Quote(start(said, 80)))
		}
	}
}

// start returns the first limit characters of a text.
func start(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit])
	}
	return text
}

// Shapes of strings in several APIs.
var (
	Base64 = Pattern(`^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|` +
		`^[A-Za-z0-9+/]{2}==$|^[A-Za-z0-9+/]{3}=$`)
	WebURL = Pattern(`^https?:\/\/[^\s]+$`)
	Image  = DataURL("image/(?:png|jpeg|gif|webp)")
)

// DataURL is the shape of a base64 data URL. types is a regular expression for the media type.
func DataURL(types string) Shape {
	return Pattern(`^data:(?:` + types + `);base64,[A-Za-z0-9+/]+={0,2}$`)
}

// ImageURL is the shape of an image's URL: a data URL or a web address.
func ImageURL(value any, path string) {
	if url, _ := value.(string); strings.HasPrefix(url, "data:") {
		Image(value, path)
		return
	}
	WebURL(value, path)
}

// Between is the shape of a number from min to max.
func Between(min, max float64) Shape {
	return func(value any, path string) {
		kind("number")(value, path)
		if n, err := value.(Number).Float64(); err != nil || n < min || n > max {
			Refuse(path, "must be from %v to %v, not %v", min, max, value)
		}
	}
}

// MaxInteger is the largest integer that every JSON parser represents exactly.
const MaxInteger = 1<<53 - 1

// Integer is the shape of a whole number from min to max.
func Integer(min, max int64) Shape {
	return func(value any, path string) {
		kind("number")(value, path)
		n, err := value.(Number).Float64()
		if err != nil || n < float64(min) || n > float64(max) {
			Refuse(path, "must be from %d to %d, not %v", min, max, value)
		}
		if n != math.Trunc(n) {
			Refuse(path, "must be an integer")
		}
	}
}

// From is the shape of a whole number of at least min.
func From(min int64) Shape { return Integer(min, MaxInteger) }

// OneOf is the shape of a value that equals one of several strings or booleans.
func OneOf(values ...any) Shape {
	words := make([]string, len(values))
	for i, value := range values {
		words[i] = fmt.Sprint(value)
	}
	return func(value any, path string) {
		for _, one := range values {
			if value == one {
				return
			}
		}
		Refuse(path, "must be one of %s, not %s", strings.Join(words, ", "), Quote(value))
	}
}

// Nullable is the shape of null or a value of another shape.
func Nullable(shape Shape) Shape {
	return func(value any, path string) {
		if value != nil {
			shape(value, path)
		}
	}
}

// Either checks a string with the shape text, and any other value with the shape other.
func Either(text, other Shape) Shape {
	return func(value any, path string) {
		if _, isText := value.(string); isText {
			text(value, path)
		} else {
			other(value, path)
		}
	}
}

// ListOf is the shape of an array of any length. Each element must have the shape element.
func ListOf(element Shape) Shape { return Lengths(0, math.MaxInt, element) }

// Some is the shape of an array of at least one element.
func Some(element Shape) Shape { return Lengths(1, math.MaxInt, element) }

// Lengths is the shape of an array of min to max elements.
func Lengths(min, max int, element Shape) Shape {
	return func(value any, path string) {
		kind("array")(value, path)
		list := value.(List)
		if len(list) < min {
			Refuse(path, "must have at least %d elements", min)
		}
		if len(list) > max {
			Refuse(path, "must have at most %d elements", max)
		}
		for i, one := range list {
			element(one, fmt.Sprintf("%s[%d]", path, i))
		}
	}
}

// Members has the shapes of an object's members by name. A name with a ? at the end is optional.
type Members map[string]Shape

// Exact is the shape of an object with the members of all groups and no further members.
func Exact(groups ...Members) Shape {
	known, required := Members{}, []string{}
	for _, group := range groups {
		for name, shape := range group {
			bare, optional := strings.CutSuffix(name, "?")
			known[bare] = shape
			if !optional {
				required = append(required, bare)
			}
		}
	}
	slices.Sort(required)
	return func(value any, path string) {
		AnyObject(value, path)
		object := value.(Object)
		names := slices.Sorted(maps.Keys(object))
		for _, name := range names {
			if known[name] == nil {
				Refuse(At(path, name), "unknown field")
			}
		}
		for _, name := range required {
			if _, ok := object[name]; !ok {
				Refuse(At(path, name), "required")
			}
		}
		for _, name := range names {
			known[name](object[name], At(path, name))
		}
	}
}

// At joins the path of an object and the name of a member.
func At(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// Tagged is the shape of one of several objects. The value of the member tag selects the shape.
func Tagged(tag string, shapes Members) Shape {
	return func(value any, path string) {
		AnyObject(value, path)
		name, _ := value.(Object)[tag].(string)
		shape := shapes[name]
		if shape == nil {
			Refuse(path+"."+tag, "unknown value %s", Quote(value.(Object)[tag]))
		}
		shape(value, path)
	}
}

// Unique returns a function that rejects a text on its second call with the same text. what names
// the texts in the error message, for example "tool names".
func Unique(what string) func(text, path string) {
	seen := map[string]bool{}
	return func(text, path string) {
		if seen[text] {
			Refuse(path, "%s must be unique: %s", what, text)
		}
		seen[text] = true
	}
}

// Quote returns a value as JSON, for error messages. It panics if encoding/json rejects the value.
func Quote(value any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
