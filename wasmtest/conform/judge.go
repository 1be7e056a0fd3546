package conform

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"edgelingua/wasmtest/vendors"
)

// ok returns reply i, which must be a whole success.
func (r *Record) ok(i int) *Reply {
	if i >= len(r.Replies) {
		fail(fmt.Sprintf("answer %d", i+1), "none")
	}
	reply := r.Replies[i]
	demand(reply.Status == http.StatusOK, "status 200", reply.summary())
	if reply.Broken != nil {
		fail("a whole answer", "a broken connection after "+tail(reply.Body))
	}
	return reply
}

// end returns the last reply, which must be a whole success.
func (r *Record) end() *Reply { return r.ok(len(r.Replies) - 1) }

// body returns the JSON of a plain answer.
func (r *Record) body() value { return decode("the body", r.end().Body) }

// events returns the events of a stream.
func (r *Record) events() []Event {
	e := r.end().Events
	demand(len(e) > 0, "events", r.end().Body)
	return e
}

// named returns the events of a stream with a type, as values.
func (r *Record) named(kind string) (all []value) {
	for _, e := range r.events() {
		if member[string](e.JSON, "type") == kind {
			all = append(all, value{kind, e.JSON})
		}
	}
	return all
}

// the returns the only event of a type.
func (r *Record) the(kind string) value {
	all := r.named(kind)
	demand(len(all) == 1, "one event "+kind, fmt.Sprintf("%d of them", len(all)))
	return all[0]
}

// some returns the events of a type, which must exist.
func (r *Record) some(kind string) []value {
	all := r.named(kind)
	demand(len(all) > 0, "an event "+kind, kinds(r.events()))
	return all
}

func kinds(events []Event) string {
	var all []string
	for _, e := range events {
		kind := member[string](e.JSON, "type")
		if kind == "" {
			kind = Show(e.Data)
		}
		all = append(all, kind)
	}
	return strings.Join(all, ", ")
}

// chunks returns the data of a stream as values, without [DONE]: at least one.
func (r *Record) chunks() (all []value) {
	for _, e := range r.events() {
		if e.Data != "[DONE]" {
			all = append(all, decode("chunk", []byte(e.Data)))
		}
	}
	demand(len(all) > 0, "a chunk", kinds(r.events()))
	return all
}

func tail(text []byte) string {
	if len(text) > MaxShown {
		text = text[len(text)-MaxShown:]
	}
	return Show(text)
}

// got returns request i as the upstream accepted it.
func (r *Record) got(i int) *Got {
	if i >= len(r.Got) {
		fail(fmt.Sprintf("request %d at the upstream", i+1),
			fmt.Sprintf("%d requests; the client got %s", len(r.Got),
				describe(r.last())))
	}
	if g := r.Got[i]; g.Refused != "" {
		fail("a request that the vendor accepts", g.Refused)
	}
	return r.Got[i]
}

func describe(r *Reply) string {
	if r == nil {
		return "nothing"
	}
	return Show(r.summary())
}

// refusedInstead ends a case about a feature that the gateway refuses with a status of 400 to 499: this
// loses nothing in silence.
func (r *Record) refusedInstead() {
	if last := r.last(); len(r.Got) == 0 && last != nil && last.Status >= 400 && last.Status < 500 {
		panic(&notServed{"refused: " + Show(last.Body)})
	}
}

// stringsOf returns all strings of a JSON text, at any depth, and the names of members.
func stringsOf(text []byte) (all []string) {
	var v any
	_ = json.Unmarshal(text, &v)
	walk(v, func(s string) { all = append(all, s) })
	return all
}

func walk(v any, see func(string)) {
	switch v := v.(type) {
	case string:
		see(v)
	case []any:
		for _, e := range v {
			walk(e, see)
		}
	case object:
		for name, e := range v {
			see(name)
			walk(e, see)
		}
	}
}

// holds demands that a request at the upstream has a text in one of its strings.
func (g *Got) holds(text string) {
	for _, s := range stringsOf(g.Body) {
		if strings.Contains(s, text) {
			return
		}
	}
	fail("an upstream request with "+Show(text), g.Body)
}

// find reports whether a JSON value has a member with a name and a value, at any depth.
func find(v any, name string, is func(v any) bool) bool {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if find(e, name, is) {
				return true
			}
		}
	case object:
		if m, ok := v[name]; ok && is(m) {
			return true
		}
		for _, e := range v {
			if find(e, name, is) {
				return true
			}
		}
	}
	return false
}

func (g *Got) has(name string, is func(v any) bool) bool {
	var v any
	_ = json.Unmarshal(g.Body, &v)
	return find(v, name, is)
}

var anyBreakpoint = regexp.MustCompile(`,?"cache_control":\{[^{}]*\}`)

// prompt returns the parts of an upstream request in the order in which vendors hash them for their
// caches: tools, system, then the messages. Breakpoints are no part of a prompt.
func (g *Got) prompt() (head []string, messages []string) {
	var body map[string]json.RawMessage
	_ = json.Unmarshal(g.Body, &body)
	for _, name := range []string{"tools", "system", "systemInstruction", "system_instruction",
		"instructions"} {
		if v, ok := body[name]; ok {
			head = append(head, name+" "+anyBreakpoint.ReplaceAllString(string(v), ""))
		}
	}
	for _, name := range []string{"messages", "contents", "input"} {
		var list []json.RawMessage
		if json.Unmarshal(body[name], &list) == nil {
			for _, m := range list {
				text := anyBreakpoint.ReplaceAllString(string(m), "")
				messages = append(messages, strings.ReplaceAll(text, "{,", "{"))
			}
		}
	}
	return head, messages
}

// prefix demands that each upstream request begins with the request before.
func (r *Record) prefix() {
	for i := 1; i < len(r.Got); i++ {
		beforeHead, before := r.got(i - 1).prompt()
		head, messages := r.got(i).prompt()
		if a, b := strings.Join(beforeHead, "\n"), strings.Join(head, "\n"); a != b {
			fail(fmt.Sprintf("request %d with the tools and the system prompt of request %d", i+1, i),
				differ(a, b))
		}
		for n := range before {
			if n >= len(messages) || messages[n] != before[n] {
				now := ""
				if n < len(messages) {
					now = messages[n]
				}
				fail(fmt.Sprintf("message %d of request %d as in request %d", n+1, i+1, i),
					differ(before[n], now))
			}
		}
	}
	demand(len(r.Got) >= 2, "two upstream requests", describe(r.last()))
}

// differ shows where two texts differ.
func differ(a, b string) string {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	from := max(0, i-30)
	return fmt.Sprintf("%q instead of %q", Show(b[min(from, len(b)):min(len(b), i+60)]),
		Show(a[min(from, len(a)):min(len(a), i+60)]))
}

// by has a value for each of the four APIs.
type by[T any] struct{ messages, chat, responses, gemini T }

func (b by[T]) of(a *api) T {
	return map[string]T{"messages": b.messages, "chat": b.chat, "responses": b.responses,
		"gemini": b.gemini}[a.name]
}

// same returns the same value for all four APIs.
func same[T any](v T) by[T] { return by[T]{v, v, v, v} }

// template is a case for each of the four APIs.
type template struct {
	id, title, must, why string
	source, since        by[string]
	severity             Severity
	needs                need
	probe                *Probe
	judge                func(r *Record)
	mutation             by[Mutation]
	only                 string // the APIs that have the case, separated by blanks; "" for all
}

func addEach(all ...template) {
	for _, t := range all {
		for _, a := range clients {
			if t.only != "" && !strings.Contains(" "+t.only+" ", " "+a.name+" ") {
				continue
			}
			add(&Case{ID: a.name + "/" + t.id, Title: t.title, Must: t.must, Why: t.why,
				Source: t.source.of(a),
				Since:  t.since.of(a), Severity: t.severity, needs: t.needs, probe: t.probe, judge: t.judge,
				mutation: t.mutation.of(a)})
		}
	}
}

// answers returns a function that has these turns for each upstream.
func answers(turns ...*vendors.Turn) func(string) []*turn {
	return func(string) (all []*turn) {
		for _, t := range turns {
			all = append(all, &turn{Turn: *t})
		}
		return all
	}
}
