package translator_test

import (
	"bytes"
	"fmt"
	"hash"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/wasmtest/corpus"
)

// otherKinds are the values that replace each value of the corpus in turn.
var otherKinds = []string{"null", "true", "7", `"x"`, "[]", "{}", "99999"}

// edges are further values that replace each value. The files have one digest of what comes of them for
// all members of an object and all elements of a list.
var edges = []string{
	`""`, "0", "-1", "1.5", "false", `"\u00e9\"\n😀\ud83d"`, `"` + strings.Repeat("long ", 250) + `"`,
}

// more is an object's change by a member that no API has.
const more = "+unknown"

// place is a value in a JSON document.
type place struct {
	// form is the value's path. List elements have no index, but the type of the object, and numbers and
	// long names are "*". Only the first value of each form in the corpus is replaced.
	form string
	path string // the value's path, with indices: a.0.b
	from int
	to   int
}

// placesOf returns the places in a JSON document that begins at offset.
func placesOf(document string, offset int) (list []place) {
	var walk func(v gjson.Result, at int, form, path string)
	walk = func(v gjson.Result, at int, form, path string) {
		list = append(list, place{form, strings.TrimPrefix(path, "."), offset + at, offset + at + len(v.Raw)})
		n := 0
		v.ForEach(func(key, member gjson.Result) bool {
			start := at + member.Index - v.Index
			switch {
			case v.IsObject():
				name := key.String()
				if _, err := strconv.Atoi(name); err == nil || len(name) > 40 {
					name = "*"
				}
				walk(member, start, form+"."+name, path+"."+key.String())
			case v.IsArray():
				walk(member, start, form+"["+member.Get("type").String()+"]", fmt.Sprint(path, ".", n))
				n++
			}
			return true
		})
	}
	root := gjson.Parse(document)
	walk(root, root.Index, "", "")
	return list
}

// effects collects the effect of replacing each place by each kind.
type effects struct {
	seen    map[string]bool
	lines   []string
	digests map[string]hash.Hash32 // of edges, by the form of the object or list
}

// note adds what came of a change.
func (e *effects) note(what, effect string) { e.lines = append(e.lines, what+": "+effect) }

// digestOf returns the digest for the members of an object or the elements of a list.
func (e *effects) digestOf(form string) hash.Hash32 {
	if e.digests[form] == nil {
		if e.digests == nil {
			e.digests = map[string]hash.Hash32{}
		}
		e.digests[form] = fnv.New32a()
	}
	return e.digests[form]
}

// add adds the effects at the places of documents (the ranges of text). effect returns what a changed text
// comes to, in words.
func (e *effects) add(text []byte, documents [][2]int, effect func(text []byte, p *place) string) {
	for _, d := range documents {
		for _, p := range placesOf(string(text[d[0]:d[1]]), d[0]) {
			if e.seen[p.form] {
				continue
			}
			e.seen[p.form] = true
			byEffect, order := map[string][]string{}, []string{}
			for _, kind := range append([]string{more}, otherKinds...) {
				value := kind
				if kind == more {
					inside, isObject := strings.CutPrefix(string(text[p.from:p.to]), "{")
					if !isObject {
						continue
					}
					value = `{"unknown":7,` + inside
					if strings.TrimSpace(inside) == "}" {
						value = `{"unknown":7}`
					}
				}
				if value == string(text[p.from:p.to]) {
					continue
				}
				got := effect(slices.Concat(text[:p.from], []byte(value), text[p.to:]), &p)
				if byEffect[got] == nil {
					order = append(order, got)
				}
				byEffect[got] = append(byEffect[got], kind)
			}
			for _, got := range order {
				e.note(p.form+" "+strings.Join(byEffect[got], " "), got)
			}
			within := p.form[:max(0, strings.LastIndexAny(p.form, ".["))]
			for _, value := range edges {
				changed := slices.Concat(text[:p.from], []byte(value), text[p.to:])
				fmt.Fprintln(e.digestOf(within), p.form, value, effect(changed, &p))
			}
		}
	}
}

// check compares the effects with a file of testdata/kinds.
func (e *effects) check(t *testing.T, name string) {
	for form, digest := range e.digests {
		e.note("in "+form, fmt.Sprintf("edges %08x", digest.Sum32()))
	}
	slices.Sort(e.lines)
	file, got := filepath.Join("testdata/kinds", name), strings.Join(e.lines, "\n")+"\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

// replaced returns the part of a text that differs from the text before a change.
func replaced(before, after string) string {
	n := 0
	for n < len(before) && n < len(after) && before[n] == after[n] {
		n++
	}
	before, after = before[n:], after[n:]
	for len(before) > 0 && len(after) > 0 && before[len(before)-1] == after[len(after)-1] {
		before, after = before[:len(before)-1], after[:len(after)-1]
	}
	return before + " > " + after
}

// difference says how results differ from those before a change: the first difference, and a digest of
// all.
func difference(before, after []string) string {
	first, all := "", fnv.New32a()
	for i := range after {
		if after[i] == before[i] {
			continue
		}
		c := replaced(before[i], after[i])
		if first == "" {
			first = c
			if len(first) > 60 {
				first = strings.ToValidUTF8(first[:60], "") + "..."
			}
		}
		fmt.Fprintln(all, i, c)
	}
	if first == "" {
		return "as before"
	}
	return fmt.Sprintf("%s (%08x)", strings.ReplaceAll(first, "\n", " "), all.Sum32())
}

// TestKindsOfRequests replaces each value of the corpus's requests by values of other kinds. The files
// testdata/kinds/*.request.txt say what came of it: the refusal, or how the upstreams' requests differ.
// A refusal is about the place that was changed.
func TestKindsOfRequests(t *testing.T) {
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
				e.add(s.Request, [][2]int{{0, len(s.Request)}}, func(request []byte, p *place) string {
					after, refusal := asks(t, s, request, nil)
					if refusal != nil {
						require.Equal(t, 400, refusal.HTTPStatus(), refusal.Error())
						about(t, p, refusal)
						return refusal.Error()
					}
					return difference(before, after)
				})
			}
			e.check(t, client+".request.txt")
		})
	}
}

// plainPath has a path's names alone: without indices, the levels in which only some APIs have a name, and
// the spelling.
var plainPath = regexp.MustCompile(`\[\d+\]|\.\d+\b|\.(function|custom)\b|_`)

// about requires that a refusal names the place, a value around the place or beside it, or one within.
func about(t *testing.T, p *place, refusal *ir.Error) {
	named := strings.ToLower(plainPath.ReplaceAllString(jsonw.Unescape(ir.Escaped(refusal.Path)), ""))
	at := strings.ToLower(plainPath.ReplaceAllString(p.path, ""))
	parent := at[:max(0, strings.LastIndexByte(at, '.'))]
	require.True(t, strings.HasPrefix(named, parent) || strings.HasPrefix(at, named), "%s (%s): %s", p.path,
		p.form, refusal.Error())
}

// asks returns the requests to all upstreams, each with its reports, headers and tokens. A refusal for
// one upstream alone stands in its place. change, if not nil, changes what the upstreams support.
func asks(
	t *testing.T, s *corpus.Scenario, request []byte, change func(*ir.Target),
) (list []string, refusal *ir.Error) {
	for _, upstream := range protocols {
		pair, ok := translator.Lookup(s.Client, upstream)
		if !ok {
			continue
		}
		x, err := pair.Decode(s.Path, request)
		if err != nil {
			return nil, ir.AsError(err)
		}
		u, err := corpus.Upstream(s.Settings(upstream))
		require.NoError(t, err)
		model := u.Models.Map(jsonw.Unescape(x.Request.Model))
		target, err := s.Target(u, model)
		require.NoError(t, err)
		if change != nil {
			change(target)
		}
		x.Request.Model, x.Request.Received, x.FindTools = jsonw.Escape(model), corpus.Received, true
		corpus.Obey(x, u)
		out, err := x.AppendRequest(nil, target)
		if err != nil {
			out = []byte(err.Error())
		} else {
			out = fmt.Append(out, x.Headers(), x.InputTokens())
		}
		list = append(list, strings.Join(x.Lost.Paths(), ",")+" "+string(out))
	}
	return list, nil
}

// TestKindsOfAnswers replaces each value of the corpus's answers by values of other kinds. The files
// testdata/kinds/*.answer.txt say how the clients' answers and reports differ.
func TestKindsOfAnswers(t *testing.T) {
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
				e.add(s.Answer.Body, documentsOf(s.Answer), func(answer []byte, _ *place) string {
					after, _ := receives(s, answer, ir.Target{})
					return difference(before, after)
				})
			}
			e.check(t, upstream+".answer.txt")
		})
	}
}

// documentsOf returns the ranges of an answer with JSON.
func documentsOf(a *corpus.Answer) (list [][2]int) {
	if !a.SSE {
		if gjson.ValidBytes(a.Body) {
			list = append(list, [2]int{0, len(a.Body)})
		}
		return list
	}
	at := 0
	for line := range bytes.Lines(a.Body) {
		if data, ok := bytes.CutPrefix(line, []byte("data: ")); ok && gjson.ValidBytes(data) {
			list = append(list, [2]int{at + len("data: "), at + len(line)})
		}
		at += len(line)
	}
	return list
}

// receives returns what each client receives of an answer, each with its reports and its outcome. target
// says what the upstream supports.
func receives(s *corpus.Scenario, answer []byte, target ir.Target) (list []string, ok bool) {
	pair, ok := translator.Lookup(s.Client, s.Upstream)
	if !ok {
		return nil, false
	}
	x, err := pair.Decode(s.Path, s.Request)
	if err != nil {
		return nil, false
	}
	x.Request.Received = corpus.Received
	if _, err = x.AppendRequest(nil, &target); err != nil {
		return nil, false
	}
	for _, client := range protocols {
		y, ok := x.As(client)
		if !ok {
			continue
		}
		y.AskUsage = true
		var out []byte
		if s.Answer.SSE {
			out = pushed(y, answer, len(answer))
		} else if out, err = y.AppendBody(nil, answer); err != nil {
			out = []byte(err.Error())
		}
		out = fmt.Append(out, y.Usage, y.Fast, y.Failed, y.OutputTokens("gpt-5"))
		list = append(list, y.LostHeader()+" "+string(out))
	}
	return list, true
}
