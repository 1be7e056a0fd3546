package translator_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/ir/irtest"
	"edgelingua/wasmtest/answers"
	doubles "edgelingua/wasmtest/vendors"
)

// TestMutatedAnswers changes the structure of upstreams' answers at random, and sends the results
// through each client: members disappear, are renamed, repeated or of another type; elements and
// events are missing, twice, or in another order. A client's stream is whole events that keep the
// grammar, a body is JSON, and nothing panics. MUTATIONS sets how many answers each upstream gives
// (default 400), SEED which ones.
func TestMutatedAnswers(t *testing.T) {
	n := number(t, "MUTATIONS", 400)
	seed := number(t, "SEED", 1)
	for _, upstream := range upstreams {
		t.Run(upstream, func(t *testing.T) {
			t.Parallel()
			given := answersOf(t, upstream)
			require.GreaterOrEqual(t, len(given), 4)
			m := mutator{rand.New(rand.NewPCG(uint64(seed), 0))}
			for range n {
				a := m.mutated(given[m.IntN(len(given))])
				for _, client := range protocols {
					if client != upstream {
						runMutated(t, client, upstream, a)
					}
				}
			}
		})
	}
}

func number(t *testing.T, variable string, usual int) int {
	n, err := strconv.Atoi(os.Getenv(variable))
	if os.Getenv(variable) == "" {
		return usual
	}
	require.NoError(t, err, variable)
	return n
}

// runMutated sends an answer through a client.
func runMutated(t *testing.T, client, upstream string, a answer) {
	defer explain(t, client, a.body)
	x := ask(t, client, upstream)
	ids := map[ir.Escaped]bool{}
	twice := false
	translator.ForWorker(x).Record(irtest.Check(t, irtest.Func(func(ev *ir.Event) {
		if ev.Kind == ir.BlockStart && ev.Block == ir.ToolCallBlock {
			twice = twice || ids[ev.ID]
			ids[ev.ID] = true
		}
	})), a.body, !a.stream)
	if twice {
		return // a client gets both calls, which a check of its answer does not accept
	}
	if !a.stream {
		if body, err := x.AppendBody(nil, a.body); err == nil {
			answers.CheckBody(t, client, false, body)
		}
		return
	}
	whole := pushed(x, a.body, max(len(a.body), 1))
	answers.CheckStream(t, client, x.Request.StreamUsage, whole)
	body, failure := x.AppendFolded(nil, a.body)
	if failure == nil {
		answers.CheckBody(t, client, false, body)
	}
	checkAgree(t, x, whole, body, ir.AsError(failure))
}

// explain prints the answer that a test failed or panicked at.
func explain(t *testing.T, client string, body []byte) {
	fault := recover()
	if fault != nil || t.Failed() {
		t.Logf("client %s, answer:\n%s", client, body)
	}
	if fault != nil {
		panic(fault)
	}
}

// answer is a body or a stream of an upstream.
type answer struct {
	stream bool
	body   []byte
}

// answersOf returns the answers of an upstream in the corpus, and two of its double.
func answersOf(t *testing.T, upstream string) (all []answer) {
	err := filepath.WalkDir("testdata", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".txtar" {
			return err
		}
		archive, err := txtar.ParseFile(path)
		require.NoError(t, err)
		for _, file := range archive.Files {
			switch file.Name {
			case "upstream." + upstream + ".sse":
				all = append(all, answer{true, file.Data})
			case "upstream." + upstream + ".json":
				all = append(all, answer{false, file.Data})
			}
		}
		return nil
	})
	require.NoError(t, err)
	double := doubles.New(upstream, doubles.Options{}, nil)
	turns := []*doubles.Turn{
		{Reasoning: []doubles.Reasoning{{Text: "Think.", Blob: "c2ln", ID: "rs_1"}}, Text: "I look.",
			Calls: []doubles.Call{{ID: "call_1", Name: "f", Input: map[string]any{"a": []int{1}}},
				{ID: "call_2", Name: "f", Input: map[string]any{}}}},
		{Text: "Done.", Usage: doubles.Usage{Input: 3, Output: 4}},
	}
	for _, stream := range []bool{false, true} {
		for _, turn := range turns {
			pair, _ := translator.Lookup("chat", upstream)
			x, err := pair.Decode("/v1/chat/completions",
				[]byte(`{"model":"m","stream":`+strconv.FormatBool(stream)+
					`,"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function",`+
					`"function":{"name":"f",`+
					`"parameters":{"type":"object"}}}]}`))
			require.NoError(t, err)
			body, err := x.AppendRequest(nil, &ir.Target{})
			require.NoError(t, err)
			path := translator.API(upstream).Upstream.Path("m", stream)
			played, err := double.Play(&doubles.Request{Path: path, Body: body}, turn)
			require.NoError(t, err)
			all = append(all, answer{stream, played.Body()})
		}
	}
	return all
}

// mutator changes answers.
type mutator struct{ *rand.Rand }

func (m mutator) mutated(a answer) answer {
	if !a.stream {
		return answer{false, m.json(a.body)}
	}
	events := bytes.SplitAfter(a.body, []byte("\n\n"))
	for range 1 + m.IntN(3) {
		i := m.IntN(len(events))
		switch m.IntN(6) {
		case 0:
			events = slices.Delete(events, i, i+1)
		case 1:
			events = slices.Insert(events, i, events[m.IntN(len(events))])
		default:
			start := bytes.Index(events[i], []byte("data: "))
			if start >= 0 {
				start += len("data: ")
				changed := bytes.ReplaceAll(m.json(events[i][start:]), []byte("\n"), nil)
				events[i] = append(append(slices.Clone(events[i][:start]), changed...), "\n\n"...)
			}
		}
		if len(events) == 0 {
			break
		}
	}
	return answer{true, bytes.Join(events, nil)}
}

// json changes one or several values of a text that is JSON. Any other text it returns unchanged.
func (m mutator) json(text []byte) []byte {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return text
	}
	for range 1 + m.IntN(3) {
		v = m.value(v)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return text
	}
	return out
}

// value changes v or a value inside of it.
func (m mutator) value(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if len(x) == 0 || m.IntN(8) == 0 {
			break
		}
		keys := []string{}
		for key := range x {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		key := keys[m.IntN(len(keys))]
		switch m.IntN(8) {
		case 0:
			delete(x, key)
		case 1:
			x[keys[m.IntN(len(keys))]] = x[key]
		case 2:
			x[names[m.IntN(len(names))]] = m.any(x[key])
		default:
			x[key] = m.value(x[key])
		}
		return x
	case []any:
		if len(x) == 0 || m.IntN(8) == 0 {
			break
		}
		i := m.IntN(len(x))
		switch m.IntN(8) {
		case 0:
			return slices.Delete(x, i, i+1)
		case 1:
			return append(x, x[i])
		case 2:
			x[i] = []any{x[i], x[i]}
		default:
			x[i] = m.value(x[i])
		}
		return x
	}
	return m.any(v)
}

// names are members that decoders know.
var names = strings.Fields(`name args id index type text delta content parts role functionCall arguments
	call_id output tool_calls function finish_reason finishReason stop_reason usage error status message
	signature thoughtSignature steps item summary annotations choices candidates`)

// any returns a value instead of v.
func (m mutator) any(v any) any {
	switch m.IntN(12) {
	case 0:
		return nil
	case 1:
		return true
	case 2:
		return -1
	case 3:
		return 1e300
	case 4:
		return ""
	case 5:
		return []any{}
	case 6:
		return map[string]any{}
	case 7:
		return []any{v}
	case 8:
		return map[string]any{names[m.IntN(len(names))]: v}
	case 9:
		return "\x00\"]}\\ud83d"
	case 10:
		return m.IntN(1 << 20)
	}
	return strings.Repeat("x", m.IntN(100))
}
