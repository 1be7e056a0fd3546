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
	"edgelingua/translator/chat"
	"edgelingua/translator/ir"
	"edgelingua/translator/sse"
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

// scenario is one file: what is given, and what came out.
type scenario struct {
	archive          *txtar.Archive
	client, upstream string
	given            map[string][]byte
	got              []txtar.File
}

func runScenario(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s := scenario{archive: txtar.Parse(text), given: map[string][]byte{}, upstream: "chat"}
	require.NotEmpty(t, s.archive.Comment, "a comment that says what the case is about")
	for _, f := range s.archive.Files {
		s.given[f.Name] = f.Data
		if part := strings.Split(f.Name, "."); part[0] == "request" {
			s.client = part[1]
		} else if part[0] == "upstream" {
			s.upstream = part[1]
		}
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
	return name == "config" || strings.HasPrefix(name, "request.") ||
		strings.HasPrefix(name, "upstream.") && !strings.HasSuffix(name, ".request.json")
}

// updated returns the archive with what came out in place of what was expected: the upstream's request behind the client's.
func (s *scenario) updated() *txtar.Archive {
	a := &txtar.Archive{Comment: s.archive.Comment}
	rest := s.got
	for _, f := range s.archive.Files {
		if !isGiven(f.Name) {
			continue
		}
		a.Files = append(a.Files, f)
		if strings.HasPrefix(f.Name, "request.") && len(rest) > 0 && strings.HasPrefix(rest[0].Name, "upstream.") {
			a.Files = append(a.Files, rest[0])
			rest = rest[1:]
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

func (s *scenario) run(t *testing.T) {
	pair, ok := translator.Lookup(s.client, s.upstream)
	require.True(t, ok)
	x, refused := pair.Decode(s.given["request."+s.client+".json"])
	if refused != nil {
		s.addError(t, refused)
		return
	}
	config := readConfig(t, s.given["config"])
	if model, ok := config.Models[string(x.Request.Model)]; ok {
		x.Request.Model = ir.Escaped(model)
	}
	request, refused := x.AppendRequest([]byte("before"), config.target(t))
	if refused != nil {
		require.Equal(t, "before", string(request))
		s.addError(t, refused)
		return
	}
	s.add("upstream."+s.upstream+".request.json", indented(t, bytes.TrimPrefix(request, []byte("before"))))
	if status := s.given["upstream."+s.upstream+".head"]; status != nil {
		var code int
		_, err := fmt.Sscan(string(status), &code)
		require.NoError(t, err)
		body := append(s.given["upstream."+s.upstream+".sse"], s.given["upstream."+s.upstream+".json"]...)
		s.addError(t, x.UpstreamError(code, body))
	} else if stream := s.given["upstream."+s.upstream+".sse"]; stream != nil {
		s.addStream(t, x, stream)
	} else if body := s.given["upstream."+s.upstream+".json"]; body != nil {
		s.addBody(t, x, body)
	}
	if lost := x.Lost.Paths(); len(lost) > 0 {
		s.add("lost", []byte(strings.Join(lost, "\n")))
	}
}

func (s *scenario) addStream(t *testing.T, x *translator.Exchange, stream []byte) {
	recorder := &recorder{t: t}
	decoder := chat.Upstream{}.NewDecoder(x.Request, &x.Lost, recorder)
	var reader sse.Reader
	reader.Push(stream)
	for name, data, ok := reader.Next(); ok; name, data, ok = reader.Next() {
		decoder.Event(name, data)
	}
	decoder.Close(nil)
	s.addEvents(t, recorder)

	whole := pushed(x, stream, len(stream))
	checkSSE(t, whole)
	s.add(s.client+".sse", whole)
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

	body, failure := x.AppendFolded(nil, stream)
	s.addPlain(t, body, failure)
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

func (s *scenario) addBody(t *testing.T, x *translator.Exchange, body []byte) {
	recorder := &recorder{t: t}
	chat.Upstream{}.NewDecoder(x.Request, &x.Lost, recorder).Body(string(body))
	s.addEvents(t, recorder)
	stream := x.AppendStreamOfBody(nil, body)
	checkSSE(t, stream)
	s.add(s.client+".sse", stream)
	plain, failure := x.AppendBody(nil, body)
	s.addPlain(t, plain, failure)
}

func (s *scenario) addEvents(t *testing.T, r *recorder) {
	require.NoError(t, r.checker.End())
	s.add("events", r.lines)
}

func (s *scenario) addPlain(t *testing.T, body []byte, failure *ir.Error) {
	if failure != nil {
		s.addError(t, failure)
		return
	}
	s.add(s.client+".json", indented(t, body))
}

func (s *scenario) addError(t *testing.T, e *ir.Error) {
	s.add(s.client+".head", []byte(fmt.Sprint(e.HTTPStatus())))
	s.add(s.client+".json", indented(t, translator.AppendError(nil, s.client, e)))
}

// indented returns JSON in a readable form; keys, numbers and escapes stay as they are.
func indented(t *testing.T, body []byte) []byte {
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, body, "", "  "), string(body))
	return b.Bytes()
}

// checkSSE holds a client's stream against what all clients rely on: whole events, each with one line of JSON.
func checkSSE(t *testing.T, stream []byte) {
	require.True(t, bytes.HasSuffix(stream, []byte("\n\n")), "%q", stream)
	for _, event := range strings.Split(strings.TrimSuffix(string(stream), "\n\n"), "\n\n") {
		lines := strings.Split(event, "\n")
		data, ok := strings.CutPrefix(lines[len(lines)-1], "data: ")
		require.True(t, ok && len(lines) == 2 && strings.HasPrefix(lines[0], "event: "), event)
		require.True(t, json.Valid([]byte(data)), data)
	}
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
		block := [...]string{"", "text", "reasoning", "redacted", "refusal", "tool", "custom", "server"}[ev.Block]
		if ev.CallID != "" {
			return fmt.Sprintf("  %s %s %s", block, ev.CallID, ev.Name)
		}
		return "  " + block
	case ir.Delta:
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
	Models  map[string]string `json:"models"`
	Options struct {
		Lossy string `json:"lossy"`
	} `json:"options"`
	UpstreamOptions struct {
		MaxOutputTokens int64    `json:"max_output_tokens"`
		TokenParam      string   `json:"token_param"`
		Effort          []string `json:"effort"`
		ParallelFlag    string   `json:"parallel_flag"`
		StreamUsage     string   `json:"stream_usage"`
	} `json:"upstream_options"`
}

func readConfig(t *testing.T, text []byte) (c config) {
	if text != nil {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&c))
	}
	return c
}

func (c *config) target(t *testing.T) *ir.Target {
	o := &c.UpstreamOptions
	return &ir.Target{
		MaxOutputTokens:     o.MaxOutputTokens,
		MaxCompletionTokens: o.TokenParam == "max_completion_tokens",
		Efforts:             o.Effort,
		ParallelFlag:        o.ParallelFlag == "send",
		OmitStreamUsage:     o.StreamUsage == "omit",
		RefuseLossy:         c.Options.Lossy == "refuse",
	}
}
