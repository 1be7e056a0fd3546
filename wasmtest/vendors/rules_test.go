package vendors

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"edgelingua/wasmtest/vendors/shape"
)

// rules tests the rules of a double. The double must accept the good request, and reject the same
// request after the change of each row.
type rules struct {
	name     string
	protocol string
	options  Options
	path     string
	header   http.Header
	issued   []*Turn // turns that the vendor has already sent
	good     string  // the body of the good request
	rows     []row
}

type row struct {
	rule  string // the ID of the rule in package rules, without the protocol
	wrong string // the error, as the name of the subtest
	edit  edit   // the change
	says  string // a regular expression for the error message
}

func (r rules) run(t *testing.T) {
	t.Run(r.name, func(t *testing.T) {
		if err := r.check(decode(r.good)); err != nil {
			t.Fatalf("a good request: %v", err)
		}
		for _, row := range r.rows {
			t.Run(row.wrong, func(t *testing.T) {
				body := decode(r.good)
				row.edit(body)
				err := r.check(body)
				if err == nil {
					t.Fatalf("accepted: %s", encode(body))
				}
				if !regexp.MustCompile(row.says).MatchString(err.Error()) {
					t.Errorf("it says %q, not %q", err, row.says)
				}
				v := New(r.protocol, r.options, nil)
				refused := decode(string(v.Refusal(err).Body()))
				said := text(get[object](refused.(object), "error"), "message")
				for _, w := range wordings { // the answer has the vendor's words
					if w.pattern.MatchString(err.(*shape.Refusal).Message) && said == err.Error() {
						t.Errorf("the answer says %q", said)
					}
				}
			})
		}
	})
}

func (r rules) check(body any) error {
	v := New(r.protocol, r.options, nil)
	for _, turn := range r.issued {
		v.issued.note(turn)
	}
	request := &Request{Path: r.path, Header: r.header, Body: []byte(encode(body))}
	return v.Check(request)
}

// issues returns one turn with reasoning before calls with the given ids.
func issues(reasoning []Reasoning, calls ...string) []*Turn {
	turn := &Turn{Reasoning: reasoning}
	for _, id := range calls {
		turn.Calls = append(turn.Calls, Call{ID: id})
	}
	return []*Turn{turn}
}

func decode(text string) any {
	value, err := shape.Decode([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("%v: %s", err, text))
	}
	return value
}

// edit changes a decoded body. Paths look like messages[0].content; a wrong path panics.
type edit func(body any)

func (e edit) and(more edit) edit {
	return func(body any) { e(body); more(body) }
}

// set sets a member or an element to a JSON value.
func set(path, value string) edit {
	return func(body any) {
		in(body, path, func(list []any, i int) []any {
			list[i] = decode(value)
			return list
		}, func(o object, name string) { o[name] = decode(value) })
	}
}

// drop removes a member or an element.
func drop(path string) edit {
	return func(body any) {
		in(body, path, func(list []any, i int) []any { return slices.Delete(list, i, i+1) },
			func(o object, name string) {
				if !has(o, name) {
					panic("no " + path)
				}
				delete(o, name)
			})
	}
}

// keep reduces a list to list[from:to].
func keep(path string, from, to int) edit {
	return func(body any) { set(path, encode(at(body, path).([]any)[from:to]))(body) }
}

// insert inserts a JSON value into a list. The path is the position of the new element.
func insert(path, value string) edit {
	return func(body any) {
		in(body, path, func(list []any, i int) []any { return slices.Insert(list, i, decode(value)) }, nil)
	}
}

// repeat copies the element at from, and inserts the copy at to.
func repeat(from, to string) edit {
	return func(body any) { insert(to, encode(at(body, from)))(body) }
}

// move removes the element at from, and then inserts the element at to.
func move(from, to string) edit {
	return func(body any) {
		moved := encode(at(body, from))
		drop(from)(body)
		insert(to, moved)(body)
	}
}

var step = regexp.MustCompile(`\[\d+\]|[^.\[\]]+`)

// at returns the value at a path.
func at(value any, path string) any {
	for _, name := range step.FindAllString(path, -1) {
		if i, ok := index(name); ok {
			value = value.([]any)[i]
		} else {
			value = value.(object)[name]
		}
	}
	return value
}

func index(name string) (int, bool) {
	i, err := strconv.Atoi(strings.Trim(name, "[]"))
	return i, err == nil && name[0] == '['
}

// in calls element with the list, or member with the object, that contains the last step of a path.
// The result of element replaces the list.
func in(body any, path string, element func([]any, int) []any, member func(object, string)) {
	steps := step.FindAllString(path, -1)
	last := steps[len(steps)-1]
	parent := strings.TrimSuffix(strings.TrimSuffix(path, last), ".")
	i, isIndex := index(last)
	if !isIndex {
		member(at(body, parent).(object), last)
		return
	}
	changed := element(at(body, parent).([]any), i)
	in(body, parent, func(outer []any, k int) []any { outer[k] = changed; return outer },
		func(o object, name string) { o[name] = changed })
}

const (
	closedCity = `"type":"object","properties":{"city":{"type":"string"}},"required":["city"],` +
		`"additionalProperties":false`
	citySchema = "{" + closedCity + "}"
	openSchema = `{"type":"object","properties":{"city":{"type":"string"}}}`
	unionRoot  = "{" + closedCity + `,"anyOf":[{}]}`
	png        = `iVBORw0KGgo=`
)

// cityAs returns citySchema with another schema for the property city.
func cityAs(schema string) string {
	return strings.Replace(citySchema, `{"type":"string"}`, schema, 1)
}
