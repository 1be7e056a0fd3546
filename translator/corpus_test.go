package translator_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/translator/ir/irtext"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/policy"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
	"edgelingua/wasmtest/corpus/golden"
)

var update = flag.Bool("update", false, "rewrite the expected sections of testdata")

// TestCorpus runs every file of testdata natively. A file is one HTTP exchange, which runs streamed
// and plain.
func TestCorpus(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(scenarios), 30)
	for _, s := range scenarios {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			runScenario(t, s)
		})
	}
}

// protocols has the names of all protocols with a client side, in the order of the sections of a
// scenario.
var protocols = corpus.Protocols

// upstreams has the names of all protocols with an upstream side: protocols, then those without a
// client side. The corpus has no sections for the latter.
var upstreams = func() (names []string) {
	names = slices.Clone(protocols)
	for _, api := range translator.APIs {
		if !api.HasClients() {
			names = append(names, api.Name)
		}
	}
	return names
}()

// scenario is one file of the corpus, with the results of this run.
type scenario struct {
	*corpus.Scenario
	got []txtar.File
	// stated has the plain bodies that follow from the streams. The file leaves out correct ones.
	stated map[string]string
}

func runScenario(t *testing.T, given *corpus.Scenario) {
	s := scenario{Scenario: given, stated: map[string]string{}}
	require.NotEmpty(t, s.Archive.Comment, "a comment that says what the case is about")
	s.run(t)

	if *update {
		require.NoError(t, os.WriteFile(filepath.Join("testdata", s.Name+".txtar"),
			txtar.Format(s.updated()), 0o644))
		return
	}
	expected := s.written()
	for _, f := range s.got {
		want, ok := expected[f.Name]
		if !ok {
			want, ok = s.stated[f.Name]
		}
		require.True(t, ok, "the file has no section %s; it came out as\n%s", f.Name, f.Data)
		require.Equal(t, want, string(f.Data), f.Name)
		delete(expected, f.Name)
	}
	require.Empty(t, expected, "sections that nothing came out for")
}

// written returns the sections with results in the file.
func (s *scenario) written() map[string]string {
	sections := map[string]string{}
	for _, f := range s.Archive.Files {
		if !golden.IsGiven(f.Name) {
			sections[f.Name] = string(f.Data)
		}
	}
	return sections
}

// updated returns the scenario's archive with the results of this run as its expected sections. The
// upstream requests follow the client's request; all other results are at the end. A plain body
// that follows from its stream is written only if the file has a section for the body, perhaps an
// empty one.
func (s *scenario) updated() *txtar.Archive {
	a := &txtar.Archive{Comment: s.Archive.Comment}
	written := s.written()
	rest := slices.DeleteFunc(slices.Clone(s.got), func(f txtar.File) bool {
		_, ok := written[f.Name]
		return !ok && s.stated[f.Name] == string(f.Data)
	})
	for _, f := range s.Archive.Files {
		if !golden.IsGiven(f.Name) {
			continue
		}
		a.Files = append(a.Files, f)
		if strings.HasPrefix(f.Name, "request.") {
			for len(rest) > 0 && strings.HasPrefix(rest[0].Name, "upstream.") {
				a.Files = append(a.Files, rest[0])
				rest = rest[1:]
			}
		}
	}
	a.Files = append(a.Files, rest...)
	return a
}

// add adds a section. The section's text must yield the whole value again.
func (s *scenario) add(t *testing.T, name string, value []byte) {
	text, err := golden.Text(name, value)
	require.NoError(t, err, name)
	back, err := golden.Value(name, text)
	require.NoError(t, err, name)
	switch filepath.Ext(name) {
	case ".sse":
		require.Equal(t, string(value), string(back), name)
	case ".json":
		require.Equal(t, string(compacted(t, value)), string(back), name)
	}
	s.got = append(s.got, txtar.File{Name: name, Data: text})
}

func (s *scenario) addLost(t *testing.T, name string, x *translator.Exchange) {
	if lost := x.Lost.Paths(); len(lost) > 0 {
		s.add(t, name+".lost", []byte(strings.Join(lost, "\n")))
	}
}

// run sends the request to each upstream, and the scenario's answer, if any, to each client. An
// unreadable request must be rejected with the same message for every upstream.
func (s *scenario) run(t *testing.T) {
	for _, upstream := range protocols {
		checkRequestReturns(t, s.Client, upstream, s.Path, s.Request)
		if s.Answer != nil && s.Upstream != upstream {
			continue
		}
		pair, ok := translator.Lookup(s.Client, upstream)
		if !ok {
			continue
		}
		x, refused := pair.Decode(s.Path, s.Request)
		if refused != nil {
			s.addError(t, s.Client, ir.AsError(refused))
			return
		}
		checkTargets(t, s.Client, upstream, s.Path, s.Request)
		if s.ask(t, x, upstream) && s.Answer != nil {
			s.answer(t, x)
		}
	}
}

// ask adds a section with the upstream request.
func (s *scenario) ask(t *testing.T, x *translator.Exchange, upstream string) (accepted bool) {
	u, err := corpus.Upstream(s.Settings(upstream))
	require.NoError(t, err)
	model := u.Models.Map(jsonw.Unescape(x.Request.Model))
	target, err := s.Target(u, model)
	require.NoError(t, err)
	x.Request.Model = jsonw.Escape(model)
	x.Request.Received = corpus.Received
	corpus.Obey(x, u)
	if loop := policy.Loop(x.Request); loop != "" && u.Endpoint.Policy.LoopGuard {
		s.add(t, "upstream."+upstream+".loop", []byte(loop))
	}
	x.FindTools = true // as in the worker
	request, refused := x.AppendRequest([]byte("before"), target)
	if refused != nil {
		require.Equal(t, "before", string(request))
		s.add(t, "upstream."+upstream+".refused",
			fmt.Appendf(nil, "%d %s", ir.AsError(refused).HTTPStatus(), refused.Error()))
		return false
	}
	checkRequest(t, x, bytes.TrimPrefix(request, []byte("before")))
	s.add(t, "upstream."+upstream+".request.json", bytes.TrimPrefix(request, []byte("before")))
	s.addLost(t, "upstream."+upstream, x)
	return true
}

// answer adds a section with the events of the answer for the scenario's client, and sections with
// the answers to each client, streamed and plain.
func (s *scenario) answer(t *testing.T, x *translator.Exchange) {
	for i, client := range append([]string{s.Client}, protocols...) {
		y, ok := x.As(client)
		if !ok {
			continue
		}
		y.Request.Echo, y.Request.Legacy = x.Request.Echo, x.Request.Legacy
		switch {
		case s.Answer.Status >= 400:
			if i > 0 {
				s.addError(t, client, y.UpstreamError(s.Answer.Status, s.Answer.Body))
			}
		case i == 0:
			s.add(t, "events", eventsOf(t, y, s.Answer.Body, !s.Answer.SSE))
		case s.Answer.SSE:
			s.addStream(t, client, y, s.Answer.Body)
		default:
			s.addBody(t, client, y, s.Answer.Body)
		}
		if z, ok := x.As("responses"); ok && client == "responses" && s.Answer.Status < 400 {
			z.Request.Echo = x.Request.Echo
			checkReplay(t, z, s.Answer.Body, s.Answer.SSE)
		}
	}
}

func (s *scenario) addStream(t *testing.T, client string, x *translator.Exchange, stream []byte) {
	whole := pushed(x, stream, len(stream))
	answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, whole)
	checkDigest(t, x, stream, false, whole)
	s.add(t, client+".sse", whole)
	answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, pushed(x, indentedEvents(stream), 100))
	require.Equal(t, string(whole), string(pushed(x, stream, 1)), "cut at every byte")
	random := rand.New(rand.NewSource(1))
	for range 20 {
		var out []byte
		stream, rest := x.Stream(), stream
		for len(rest) > 0 {
			n := 1 + random.Intn(min(len(rest), 200))
			out = append(out, pushOnce(stream, rest[:n])...)
			rest = rest[n:]
		}
		out = append(out, stream.Close(nil)...)
		require.Equal(t, string(whole), string(out), "cut anywhere")
	}
	checkAnswerReturns(t, x, stream, whole)
	checkTruncated(t, x, stream, whole)
	checkFramings(t, x, stream)
	body, failure := x.AppendFolded(nil, stream)
	checkAgree(t, x, whole, body, ir.AsError(failure))
	s.addPlain(t, client, x, body, ir.AsError(failure))
	if failure == nil {
		stated, err := golden.Plain(client, whole)
		require.NoError(t, err)
		text, err := golden.Text(client+".json", stated)
		require.NoError(t, err)
		s.stated[client+".json"] = string(text)
	}
	s.addLost(t, client, x)
}

// indentedEvents returns a stream in which the JSON of each event is spread over several data
// lines, as the HTML standard allows.
func indentedEvents(stream []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(stream) {
		data, isData := bytes.CutPrefix(line, []byte("data: "))
		if !isData || !json.Valid(data) {
			b.Write(line)
			continue
		}
		b.WriteString("data: ")
		_ = json.Indent(&b, bytes.TrimSpace(data), "data: ", " ")
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// pushed returns the client's stream for an upstream stream in chunks of size bytes.
func pushed(x *translator.Exchange, stream []byte, size int) (out []byte) {
	s := x.Stream()
	for len(stream) > 0 {
		n := min(size, len(stream))
		out = append(out, pushOnce(s, stream[:n])...)
		stream = stream[n:]
	}
	return append(out, s.Close(nil)...)
}

// pushOnce pushes a copy of chunk, and overwrites the copy afterwards as the owner of a buffer may
// do.
func pushOnce(s *translator.Stream, chunk []byte) []byte {
	chunk = bytes.Clone(chunk)
	out, _ := s.Push(chunk)
	for i := range chunk {
		chunk[i] = 0xff
	}
	return out
}

func (s *scenario) addBody(t *testing.T, client string, x *translator.Exchange, body []byte) {
	stream := streamOfBody(x, body)
	answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, stream)
	if json.Valid(body) {
		answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, streamOfBody(x, indented(t, body)))
	}
	checkDigest(t, x, body, true, stream)
	s.add(t, client+".sse", stream)
	checkCutBody(t, x, body)
	plain, failure := x.AppendBody(nil, body)
	checkAgree(t, x, stream, plain, ir.AsError(failure))
	s.addPlain(t, client, x, plain, ir.AsError(failure))
	s.addLost(t, client, x)
}

func (s *scenario) addPlain(t *testing.T, client string, x *translator.Exchange,
	body []byte, failure *ir.Error) {
	if failure != nil {
		s.addError(t, client, failure)
		return
	}
	answers.CheckBody(t, x.Request.API.Name, x.Request.API.Name == x.Upstream(), body)
	s.add(t, client+".json", body)
}

func (s *scenario) addError(t *testing.T, client string, e *ir.Error) {
	s.add(t, client+".head", []byte(fmt.Sprint(translator.API(client).Status(e))))
	body := translator.API(client).Client.AppendError(nil, e)
	answers.CheckErrorBody(t, client, body)
	s.add(t, client+".json", body)
}

// indented indents JSON. Keys, numbers and escapes stay as they are.
func indented(t *testing.T, body []byte) []byte {
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, body, "", "  "), string(body))
	return b.Bytes()
}

// compacted returns JSON without whitespace between its tokens.
func compacted(t *testing.T, body []byte) []byte {
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, body), string(body))
	return b.Bytes()
}

// eventsOf returns the events of an answer, one per line, in the form of the section "events". The
// events must follow the grammar to their end.
func eventsOf(t *testing.T, x *translator.Exchange, answer []byte, plain bool) (lines []byte) {
	sink := irtest.Check(t, irtest.Func(func(ev *ir.Event) { lines = irtext.AppendLine(lines, ev) }))
	translator.ForWorker(x).Record(sink, answer, plain)
	sink.RequireEnd()
	return lines
}
