package translator_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// variant is a JSON document with one list element or member left out, repeated, or in another place.
type variant struct {
	what string // the change, and the form of the element or member
	text string
}

// variantsOf returns the variants of a document at the forms that e has not seen.
func (e *effects) variantsOf(document string) (list []variant) {
	for _, p := range placesOf(document, 0) {
		v := gjson.Parse(document[p.from:p.to])
		if !v.IsArray() && !v.IsObject() {
			continue
		}
		var parts, forms []string
		v.ForEach(func(key, value gjson.Result) bool {
			part, form := value.Raw, p.form+"["+value.Get("type").String()+value.Get("role").String()+"]"
			if v.IsObject() {
				part, form = key.Raw+":"+value.Raw, p.form+"."+key.String()
			}
			parts, forms = append(parts, part), append(forms, form)
			return true
		})
		with := func(what, form string, parts ...[]string) {
			text := document[p.from:p.from+1] + strings.Join(slices.Concat(parts...), ",") +
				document[p.to-1:p.to]
			list = append(list, variant{what + " " + form, document[:p.from] + text + document[p.to:]})
		}
		for i := range parts {
			if e.seen["-"+forms[i]] {
				continue
			}
			e.seen["-"+forms[i]] = true
			with("without", forms[i], parts[:i], parts[i+1:])
			if v.IsArray() {
				with("twice", forms[i], parts[:i+1], parts[i:])
				if i+1 < len(parts) {
					with("later", forms[i], parts[:i], parts[i+1:i+2], parts[i:i+1], parts[i+2:])
				}
			}
		}
	}
	return list
}

// TestOrdersOfRequests leaves out each member and each list element of the corpus's requests, repeats the
// element, and exchanges it with the next. The files testdata/kinds/*.order.txt say what came of it.
func TestOrdersOfRequests(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	for _, client := range protocols {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			e := effects{seen: map[string]bool{}}
			for _, s := range scenarios {
				if s.Client != client || !gjson.ValidBytes(s.Request) {
					continue
				}
				before, refusal := asks(t, s, s.Request, nil)
				if refusal != nil {
					continue
				}
				for _, v := range e.variantsOf(string(s.Request)) {
					after, refusal := asks(t, s, []byte(v.text), nil)
					if refusal != nil {
						e.note(v.what, refusal.Error())
						continue
					}
					e.note(v.what, difference(before, after))
				}
			}
			e.check(t, client+".order.txt")
		})
	}
}

// TestOrdersOfAnswers does the same with plain answers and with the events of streams.
func TestOrdersOfAnswers(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	for _, upstream := range protocols {
		t.Run(upstream, func(t *testing.T) {
			t.Parallel()
			e := effects{seen: map[string]bool{}}
			for _, s := range scenarios {
				if s.Upstream != upstream || s.Answer == nil || s.Answer.Status >= 400 {
					continue
				}
				before, ok := receives(s, s.Answer.Body, ir.Target{})
				if !ok {
					continue
				}
				for _, v := range e.answersOf(s.Answer) {
					after, _ := receives(s, []byte(v.text), ir.Target{})
					e.note(v.what, difference(before, after))
				}
			}
			e.check(t, upstream+".answerorder.txt")
		})
	}
}

// answersOf returns the variants of an answer: of its body, or of its list of events.
func (e *effects) answersOf(a *corpus.Answer) (list []variant) {
	if !a.SSE {
		if gjson.ValidBytes(a.Body) {
			list = e.variantsOf(string(a.Body))
		}
		return list
	}
	events := bytes.SplitAfter(a.Body, []byte("\n\n"))
	for i, event := range events {
		_, data, _ := bytes.Cut(event, []byte("data: "))
		form := kindOf(gjson.ParseBytes(data))
		with := func(what string, events ...[][]byte) {
			if key := what + " " + form; !e.seen[key] {
				e.seen[key] = true
				list = append(list, variant{key, string(bytes.Join(slices.Concat(events...), nil))})
			}
		}
		with("without", events[:i], events[i+1:])
		with("twice", events[:i+1], events[i:])
		if i+1 < len(events) {
			with("later", events[:i], events[i+1:i+2], events[i:i+1], events[i+2:])
		}
		with("last", events[:i+1])
	}
	return list
}

// kindOf returns the type of an event and the names of its members.
func kindOf(event gjson.Result) string {
	var names []string
	for _, p := range placesOf(event.Raw, 0) {
		names = append(names, p.form[strings.LastIndexAny(p.form, ".")+1:])
	}
	slices.Sort(names)
	return event.Get("type").String() + "(" + strings.Join(slices.Compact(names), " ") + ")"
}
