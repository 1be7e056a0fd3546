package translator_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/endpoint"
)

var update = flag.Bool("update", false, "rewrite the expected sections of testdata")

// TestCorpus runs every file of testdata, each a whole HTTP exchange, natively. Answers are run streamed and plain.
func TestCorpus(t *testing.T) {
	n := 0
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		n++
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".txtar")
		t.Run(name, func(t *testing.T) { runScenario(t, path) })
		return nil
	})
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, 30, "files in the corpus")
}

// protocols are the names of all of them, in the order of sections.
var protocols = []string{"anthropic", "chat", "responses"}

// scenario is one file: what is given, and what came out.
type scenario struct {
	archive *txtar.Archive
	client  string // who asks
	answers string // the upstream that answers, "" for a scenario that is about the request
	given   map[string][]byte
	got     []txtar.File
}

func runScenario(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s := scenario{archive: txtar.Parse(text), given: map[string][]byte{}}
	require.NotEmpty(t, s.archive.Comment, "a comment that says what the case is about")
	for _, f := range s.archive.Files {
		part := strings.Split(f.Name, ".")
		switch {
		case !isGiven(f.Name):
			continue
		case part[0] == "request":
			s.client = part[1]
		case part[0] == "upstream":
			s.answers = part[1]
		}
		s.given[f.Name] = f.Data
	}
	s.run(t)

	if *update {
		require.NoError(t, os.WriteFile(path, txtar.Format(s.updated()), 0o644))
		return
	}
	expected := map[string]string{}
	for _, f := range s.archive.Files {
		if !isGiven(f.Name) {
			expected[f.Name] = string(f.Data)
		}
	}
	for _, f := range s.got {
		want, ok := expected[f.Name]
		require.True(t, ok, "the file has no section %s; it came out as\n%s", f.Name, f.Data)
		require.Equal(t, want, string(f.Data), f.Name)
		delete(expected, f.Name)
	}
	require.Empty(t, expected, "sections that nothing came out for")
}

// isGiven tells the sections that a file brings from those that are expected.
func isGiven(name string) bool {
	switch part := strings.Split(name, "."); part[0] {
	case "config", "request":
		return true
	case "upstream":
		return len(part) == 3 && part[2] != "lost" && part[2] != "refused"
	}
	return false
}

// updated returns the archive with what came out in place of what was expected: what reaches the upstream behind the request.
func (s *scenario) updated() *txtar.Archive {
	a := &txtar.Archive{Comment: s.archive.Comment}
	rest := s.got
	for _, f := range s.archive.Files {
		if !isGiven(f.Name) {
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

func (s *scenario) add(name string, data []byte) {
	if len(data) > 0 && data[len(data)-1] != '\n' {
		data = append(data, '\n')
	}
	s.got = append(s.got, txtar.File{Name: name, Data: data})
}

func (s *scenario) addLost(name string, x *translator.Exchange) {
	if lost := x.Lost.Paths(); len(lost) > 0 {
		s.add(name+".lost", []byte(strings.Join(lost, "\n")))
	}
}

// run sends the request to each upstream, and the answer, where there is one, to each client. A request that can't be read is
// the same refusal for all upstreams.
func (s *scenario) run(t *testing.T) {
	for _, upstream := range protocols {
		checkRequestReturns(t, s.client, upstream, s.given["request."+s.client+".json"])
		if s.answers != "" && s.answers != upstream {
			continue
		}
		pair, ok := translator.Lookup(s.client, upstream)
		if !ok {
			continue
		}
		x, refused := pair.Decode(s.given["request."+s.client+".json"])
		if refused != nil {
			s.addError(t, s.client, refused)
			return
		}
		checkTargets(t, s.client, upstream, s.given["request."+s.client+".json"])
		if s.ask(t, x, upstream) && s.answers != "" {
			s.answer(t, x)
		}
	}
}

// ask writes down what reaches an upstream.
func (s *scenario) ask(t *testing.T, x *translator.Exchange, upstream string) (accepted bool) {
	config := readConfig(t, s.given["config"])
	if model, ok := config.Models[string(x.Request.Model)]; ok {
		x.Request.Model = ir.Escaped(model)
	}
	x.Request.Received = 1_700_000_000
	request, refused := x.AppendRequest([]byte("before"), config.target(t, upstream, x.Request.Model))
	if refused != nil {
		require.Equal(t, "before", string(request))
		s.add("upstream."+upstream+".refused", fmt.Appendf(nil, "%d %s", refused.HTTPStatus(), refused.Error()))
		return false
	}
	checkRequest(t, x, bytes.TrimPrefix(request, []byte("before")))
	s.add("upstream."+upstream+".request.json", indented(t, bytes.TrimPrefix(request, []byte("before"))))
	s.addLost("upstream."+upstream, x)
	return true
}

// answer writes down the events of the answer for the client that asked, and what each client gets, streamed and plain.
func (s *scenario) answer(t *testing.T, x *translator.Exchange) {
	prefix := "upstream." + s.answers
	status := 200
	if head := s.given[prefix+".head"]; head != nil {
		_, err := fmt.Sscan(string(head), &status)
		require.NoError(t, err)
	}
	stream, body := s.given[prefix+".sse"], s.given[prefix+".json"]
	for i, client := range append([]string{s.client}, protocols...) {
		y, ok := x.As(client)
		if !ok {
			continue
		}
		y.Request.Echo, y.Request.Legacy = x.Request.Echo, x.Request.Legacy
		switch {
		case status >= 400:
			if i > 0 {
				s.addError(t, client, y.UpstreamError(status, append(stream, body...)))
			}
		case i == 0:
			recorder := &recorder{t: t}
			y.Record(recorder, append(stream, body...), stream == nil)
			require.NoError(t, recorder.checker.End())
			s.add("events", recorder.lines)
		case stream != nil:
			s.addStream(t, client, y, stream)
		default:
			s.addBody(t, client, y, body)
		}
	}
}

func (s *scenario) addStream(t *testing.T, client string, x *translator.Exchange, stream []byte) {
	whole := pushed(x, stream, len(stream))
	checkStream(t, x, whole)
	checkDigest(t, x, stream, false, whole)
	s.add(client+".sse", whole)
	checkStream(t, x, pushed(x, indentedEvents(stream), 100))
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
	checkAgree(t, x, whole, body, failure)
	s.addPlain(t, client, x, body, failure)
	s.addLost(client, x)
}

// indentedEvents returns a stream whose events have their JSON over several lines, as the standard allows.
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

// pushed returns what a client gets for a stream in chunks of size bytes.
func pushed(x *translator.Exchange, stream []byte, size int) (out []byte) {
	s := x.Stream()
	for len(stream) > 0 {
		n := min(size, len(stream))
		out = append(out, pushOnce(s, stream[:n])...)
		stream = stream[n:]
	}
	return append(out, s.Close(nil)...)
}

// pushOnce pushes a copy of chunk and destroys it after, as the owner of the buffer may.
func pushOnce(s *translator.Stream, chunk []byte) []byte {
	chunk = bytes.Clone(chunk)
	out, _ := s.Push(chunk)
	for i := range chunk {
		chunk[i] = 0xff
	}
	return out
}

func (s *scenario) addBody(t *testing.T, client string, x *translator.Exchange, body []byte) {
	stream := x.AppendStreamOfBody(nil, body)
	checkStream(t, x, stream)
	if json.Valid(body) {
		checkStream(t, x, x.AppendStreamOfBody(nil, indented(t, body)))
	}
	checkDigest(t, x, body, true, stream)
	s.add(client+".sse", stream)
	checkCutBody(t, x, body)
	plain, failure := x.AppendBody(nil, body)
	checkAgree(t, x, stream, plain, failure)
	s.addPlain(t, client, x, plain, failure)
	s.addLost(client, x)
}

func (s *scenario) addPlain(t *testing.T, client string, x *translator.Exchange, body []byte, failure *ir.Error) {
	if failure != nil {
		s.addError(t, client, failure)
		return
	}
	checkBody(t, x, body)
	s.add(client+".json", indented(t, body))
}

func (s *scenario) addError(t *testing.T, client string, e *ir.Error) {
	s.add(client+".head", []byte(fmt.Sprint(translator.HTTPStatus(client, e))))
	body := translator.AppendError(nil, client, e)
	checkErrorBody(t, client, body)
	s.add(client+".json", indented(t, body))
}

// indented returns JSON in a readable form; keys, numbers and escapes stay as they are.
func indented(t *testing.T, body []byte) []byte {
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, body, "", "  "), string(body))
	return b.Bytes()
}

// recorder writes events down, one short line each, and checks their grammar.
type recorder struct {
	t       *testing.T
	checker ir.Checker
	lines   []byte
}

func (r *recorder) Event(ev *ir.Event) {
	require.NoError(r.t, r.checker.Check(ev), string(r.lines))
	r.lines = append(r.lines, line(ev)...)
	r.lines = append(r.lines, '\n')
}

func line(ev *ir.Event) string {
	switch ev.Kind {
	case ir.Start:
		return fmt.Sprintf("start %s %s", ev.ID, ev.Model)
	case ir.BlockStart:
		block := [...]string{"", "text", "reasoning", "redacted", "refusal", "tool", "custom", "search", "server"}[ev.Block]
		return "  " + strings.TrimRight(fmt.Sprintf("%s %s %s %s", block, ev.ID, ev.CallID, ev.Name), " ")
	case ir.Delta:
		switch ev.Delta {
		case ir.SignatureDelta:
			return fmt.Sprintf("    signature of %s %q", ev.Origin, ev.Text)
		case ir.CitationDelta:
			c := ev.Citation
			return fmt.Sprintf("    citation %s %q %q %d-%d %s", c.URL, c.Title, c.Quote, c.Start, c.End, c.Raw)
		case ir.OpaqueDelta:
			return fmt.Sprintf("    %s", ev.Raw)
		}
		return fmt.Sprintf(`    "%s"`, ev.Text)
	case ir.BlockStop:
		return "  end"
	case ir.Finish:
		stop := [...]string{"", "end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal", "pause_turn", "context_window"}[ev.Stop]
		u := ev.Usage
		return fmt.Sprintf("finish %s input=%d read=%d written=%d output=%d reasoning=%d",
			stop, u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
	case ir.Failure:
		return fmt.Sprintf("failure %d: %s", ev.Err.HTTPStatus(), ev.Err.Message)
	}
	return "?"
}

// config is the part of an endpoint's record that translation depends on.
type config struct {
	Models          map[string]string `json:"models"`
	Options         json.RawMessage   `json:"options"`
	UpstreamOptions json.RawMessage   `json:"upstream_options"`
	UpstreamURL     string            `json:"upstream_url"` // of a known server; else it accepts only what the options say
	Target          json.RawMessage   `json:"target"`       // fields of ir.Target that no option has
}

func readConfig(t *testing.T, text []byte) (c config) {
	if text != nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&c))
	}
	return c
}

// target returns what an upstream of a protocol accepts when it is asked for model.
func (c *config) target(t *testing.T, protocol string, model ir.Escaped) *ir.Target {
	settings := map[string]string{
		"UPSTREAM_PROTOCOL": protocol, "UPSTREAM_URL": c.UpstreamURL,
		"OPTIONS": string(c.Options), "UPSTREAM_OPTIONS": string(c.UpstreamOptions),
	}
	if c.UpstreamURL == "" {
		settings["UPSTREAM_URL"] = "https://upstream.example"
	}
	e, err := endpoint.Load(func(name string) (string, bool) {
		value := settings[name]
		return value, value != ""
	})
	require.Nil(t, err)
	var target ir.Target
	if c.UpstreamURL != "" {
		target = e.Target(jsonw.Unescape(model))
	} else {
		e.Override(&target)
	}
	if c.Target != nil {
		d := json.NewDecoder(bytes.NewReader(c.Target))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&target))
	}
	return &target
}
