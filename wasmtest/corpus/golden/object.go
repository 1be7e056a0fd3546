package golden

import (
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// fields is a JSON object with its members in order. Values are compact JSON, as the translator
// wrote them. Names belong to protocols and have no escapes.
type fields []field

type field struct{ name, value string }

// fieldsOf returns the members of an object, or nil for other JSON.
func fieldsOf(value string) (f fields) {
	o := gjson.Parse(value)
	if !o.IsObject() {
		return nil
	}
	o.ForEach(func(name, member gjson.Result) bool {
		f = append(f, field{name.Str, member.Raw})
		return true
	})
	return f
}

// get returns the value of a member, or "" if there is none.
func (f fields) get(name string) string {
	for _, m := range f {
		if m.name == name {
			return m.value
		}
	}
	return ""
}

// set replaces the value of a member, or appends the member.
func (f *fields) set(name, value string) {
	for i := range *f {
		if (*f)[i].name == name {
			(*f)[i].value = value
			return
		}
	}
	*f = append(*f, field{name, value})
}

// addTexts appends the named texts of a delta to the texts of the object. A text that is missing or
// null in the object is set.
func (f *fields) addTexts(delta fields, names ...string) error {
	for _, name := range names {
		piece := delta.get(name)
		if !isSet(piece) {
			continue
		}
		if !isString(piece) {
			return fmt.Errorf("%s of a delta is %s, not a string", name, piece)
		}
		if before := f.get(name); isString(before) {
			piece = joined(before, piece)
		}
		f.set(name, piece)
	}
	return nil
}

// without returns all members except one.
func (f fields) without(name string) (rest fields) {
	for _, m := range f {
		if m.name != name {
			rest = append(rest, m)
		}
	}
	return rest
}

func (f fields) String() string {
	var b strings.Builder
	separator := "{"
	for _, m := range f {
		b.WriteString(separator + `"` + m.name + `":` + m.value)
		separator = ","
	}
	if separator == "{" {
		b.WriteString("{")
	}
	return b.String() + "}"
}

func isString(value string) bool { return strings.HasPrefix(value, `"`) }

// isSet reports whether a member exists and is not null.
func isSet(value string) bool { return value != "" && value != "null" }

// joined concatenates two JSON strings. Escapes stay as they are.
func joined(a, b string) string { return a[:len(a)-1] + b[1:] }

// elements returns the elements of a list, or nil for other JSON.
func elements(list string) (values []string) {
	if a := gjson.Parse(list); a.IsArray() {
		for _, element := range a.Array() {
			values = append(values, element.Raw)
		}
	}
	return values
}

// first returns the first element of a list, or "" if there is none.
func first(list string) string {
	if values := elements(list); len(values) > 0 {
		return values[0]
	}
	return ""
}

// extended concatenates two lists.
func extended(list, more string) string {
	return "[" + strings.Join(append(elements(list), elements(more)...), ",") + "]"
}

// listOf returns a list of objects.
func listOf(objects []fields) string {
	values := make([]string, len(objects))
	for i, o := range objects {
		values[i] = o.String()
	}
	return "[" + strings.Join(values, ",") + "]"
}
