package translator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// BenchmarkDelta times one delta of each kind through each pair. Its metric x/Valid is the time
// divided by the time of gjson.Valid for the same JSON; the aim is at most 4.
func BenchmarkDelta(b *testing.B) {
	// deltas until a new answer begins, since a Responses client's answer is gathered and grows
	const fresh = 10_000
	for _, upstream := range upstreams {
		for _, client := range protocols {
			for _, kind := range kinds {
				b.Run(client+"/"+upstream+"/"+kind, func(b *testing.B) {
					s, delta := begun(b, client, upstream, kind)
					chunk := []byte(delta)
					compare(b, strings.TrimPrefix(delta, "data: "), func(n int) {
						if n%fresh == 0 {
							s, _ = begun(b, client, upstream, kind)
						}
						s.Push(chunk)
					})
				})
			}
		}
	}
}

// BenchmarkRequest times a request of 200 KB, with 64 turns and 20 tools, through each pair. The
// aim is an x/Valid of at most 6.
func BenchmarkRequest(b *testing.B) {
	for _, upstream := range upstreams {
		for _, client := range protocols {
			b.Run(client+"/"+upstream, func(b *testing.B) {
				text := longRequest(client, 64)
				body := []byte(text)
				pair, _ := translator.Lookup(client, upstream)
				dst := make([]byte, 0, 2*len(body))
				compare(b, text, func(int) {
					x, refused := pair.Decode(corpus.Path(client, "m", true), body)
					require.Nil(b, refused)
					_, refused = x.AppendRequest(dst, &ir.Target{})
					require.Nil(b, refused)
				})
			})
		}
	}
}

// BenchmarkEstimate times the estimate at the beginning of a Messages client's stream. Its metric
// is the time in percent of the translation time of the 1 MB request; the aim is at most 5.
func BenchmarkEstimate(b *testing.B) {
	for _, upstream := range protocols {
		b.Run(upstream, func(b *testing.B) {
			body := []byte(longRequest("anthropic", 340))
			require.InEpsilon(b, 1<<20, len(body), 0.1)
			pair, _ := translator.Lookup("anthropic", upstream)
			dst := make([]byte, 0, 2*len(body))
			var whole time.Duration
			var x *translator.Exchange
			for b.Loop() {
				b.StopTimer()
				start := time.Now()
				x, _ = pair.Decode("", body)
				_, err := x.AppendRequest(dst, &ir.Target{})
				require.Nil(b, err)
				whole += time.Since(start)
				b.StartTimer()
				require.Positive(b, x.Estimate())
			}
			b.ReportMetric(100*float64(b.Elapsed())/float64(whole), "%")
		})
	}
}

// compare times run and gjson.Valid on the same JSON text. n counts the calls of run.
func compare(b *testing.B, text string, run func(n int)) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		run(n)
		n++
	}
	ours := b.Elapsed()
	start := time.Now()
	for range n {
		if !gjson.Valid(text) {
			b.Fatal("not JSON")
		}
	}
	b.ReportMetric(float64(ours)/float64(time.Since(start)), "x/Valid")
}

// longRequest returns a request in the client's protocol, like a coding agent's.
func longRequest(client string, turns int) string {
	const tools = 20
	text := strings.Repeat(`Some words of a prompt, with \"quotes\" and\nlines. `, 18)
	arguments := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(`{"path":"` + text + `","limit":5}`)
	schema := `{"type":"object","properties":{"path":{"type":"string","description":"` +
		strings.Repeat("words ", 20) +
		`"},"limit":{"type":"integer"},"list":{"type":"array","items":{"type":"string"}}},` +
		`"required":["path"],"additionalProperties":false}`
	form := map[string]struct{ head, tool, first, turn string }{
		"anthropic": {
			head:  `{"model":"m","max_tokens":9000,"stream":true,"system":"%s","tools":[`,
			tool:  `{"name":"tool_%d","description":"%s","input_schema":%s}`,
			first: `],"messages":[{"role":"user","content":"x"}`,
			turn: `,{"role":"assistant","content":[{"type":"text","text":"%[2]s"},{"type":"tool_use",` +
				`"id":"call_%[1]d","name":"tool_3","input":{"path":"%[2]s","limit":5}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_%[1]d",` +
				`"content":"%[2]s"}]}`,
		},
		"chat": {
			head:  `{"model":"m","stream":true,"user":"%s","tools":[`,
			tool:  `{"type":"function","function":{"name":"tool_%d","description":"%s","parameters":%s}}`,
			first: `],"messages":[{"role":"user","content":"x"}`,
			turn: `,{"role":"assistant","content":"%[2]s","tool_calls":[{"id":"call_%[1]d",` +
				`"type":"function","function":{"name":"tool_3","arguments":"%[3]s"}}]},` +
				`{"role":"tool","tool_call_id":"call_%[1]d","content":"%[2]s"}`,
		},
		"responses": {
			head:  `{"model":"m","stream":true,"instructions":"%s","tools":[`,
			tool:  `{"type":"function","name":"tool_%d","description":"%s","parameters":%s}`,
			first: `],"input":[{"role":"user","content":"x"}`,
			turn: `,{"type":"message","role":"assistant","content":[{"type":"output_text",` +
				`"text":"%[2]s"}]},` +
				`{"type":"function_call","call_id":"call_%[1]d","name":"tool_3","arguments":"%[3]s"},` +
				`{"type":"function_call_output","call_id":"call_%[1]d","output":"%[2]s"}`,
		},
		"gemini": {
			head:  `{"systemInstruction":{"parts":[{"text":"%s"}]},"tools":[{"functionDeclarations":[`,
			tool:  `{"name":"tool_%d","description":"%s","parametersJsonSchema":%s}`,
			first: `]}],"contents":[{"role":"user","parts":[{"text":"x"}]}`,
			turn: `,{"role":"model","parts":[{"text":"%[2]s"},{"functionCall":{"id":"call_%[1]d",` +
				`"name":"tool_3","args":{"path":"%[2]s","limit":5}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"call_%[1]d","name":"tool_3",` +
				`"response":{"output":"%[2]s"}}}]}`,
		},
	}[client]
	var s strings.Builder
	fmt.Fprintf(&s, form.head, text)
	for i := range tools {
		if i > 0 {
			s.WriteByte(',')
		}
		fmt.Fprintf(&s, form.tool, i, text, schema)
	}
	s.WriteString(form.first)
	for i := range turns {
		fmt.Fprintf(&s, form.turn, i, text, arguments)
	}
	s.WriteString(`]}`)
	return s.String()
}
