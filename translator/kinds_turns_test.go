package translator_test

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// nextTurn returns a client's next request after a plain answer: the answer as it is, and a result for
// each call or a further question.
func nextTurn(client, answer string) string {
	a := gjson.Parse(answer)
	// after returns result of each element of a list, or last.
	after := func(list gjson.Result, result func(e gjson.Result) string, last string) string {
		var results []string
		for _, e := range list.Array() {
			if text := result(e); text != "" {
				results = append(results, text)
			}
		}
		if results == nil {
			return last
		}
		return strings.Join(results, ",")
	}
	// begin returns the elements of a list, with a comma after the last.
	begin := func(list gjson.Result) string {
		if len(list.Array()) == 0 {
			return ""
		}
		return strings.Trim(list.Raw, "[] \n") + ","
	}
	switch client {
	case "anthropic":
		blocks := a.Get("content")
		return `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"Hi"},` +
			`{"role":"assistant","content":` + blocks.Raw + `},{"role":"user","content":[` +
			after(blocks, func(b gjson.Result) string {
				if b.Get("type").Str != "tool_use" {
					return ""
				}
				return `{"type":"tool_result","tool_use_id":` + b.Get("id").Raw + `,"content":"done"}`
			}, `{"type":"text","text":"And?"}`) + `]}]}`
	case "chat":
		message := a.Get("choices.0.message")
		return `{"model":"m","messages":[{"role":"user","content":"Hi"},` + message.Raw + "," +
			after(message.Get("tool_calls"), func(c gjson.Result) string {
				return `{"role":"tool","tool_call_id":` + c.Get("id").Raw + `,"content":"done"}`
			}, `{"role":"user","content":"And?"}`) + `]}`
	case "responses":
		items := a.Get("output")
		return `{"model":"m","input":[{"role":"user","content":"Hi"},` + begin(items) +
			after(items, func(i gjson.Result) string {
				if i.Get("call_id").Str == "" || !strings.HasSuffix(i.Get("type").Str, "_call") {
					return ""
				}
				return `{"type":"` + i.Get("type").Str + `_output","call_id":` + i.Get("call_id").Raw +
					`,"output":"done"}`
			}, `{"role":"user","content":"And?"}`) + `]}`
	case "interactions":
		steps := a.Get("steps")
		return `{"model":"m","input":[{"type":"user_input","content":[{"type":"text","text":"Hi"}]},` +
			begin(steps) + after(steps, func(s gjson.Result) string {
			if s.Get("type").Str != "function_call" {
				return ""
			}
			return `{"type":"function_result","call_id":` + s.Get("id").Raw + `,"name":` + s.Get("name").Raw +
				`,"result":"done"}`
		}, `{"type":"user_input","content":[{"type":"text","text":"And?"}]}`) + `]}`
	}
	content := a.Get("candidates.0.content")
	return `{"contents":[{"role":"user","parts":[{"text":"Hi"}]},` + content.Raw +
		`,{"role":"user","parts":[` + after(content.Get("parts"), func(p gjson.Result) string {
		if !p.Get("functionCall").Exists() {
			return ""
		}
		return `{"functionResponse":{"name":` + p.Get("functionCall.name").Raw +
			`,"response":{"output":"done"}}}`
	}, `{"text":"And?"}`) + `]}]}`
}

// TestKindsOfTurns sends each client's plain answer back, to each upstream. The files
// testdata/kinds/*.turns.txt have a digest of each upstream's request.
func TestKindsOfTurns(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	for _, upstream := range protocols {
		t.Run(upstream, func(t *testing.T) {
			t.Parallel()
			e := effects{}
			for _, s := range scenarios {
				pair, ok := translator.Lookup(s.Client, upstream)
				if !ok || s.Upstream != upstream || s.Answer == nil || s.Answer.Status >= 400 {
					continue
				}
				x, err := pair.Decode(s.Path, s.Request)
				if err != nil {
					continue
				}
				x.Request.Received = corpus.Received
				if _, err = x.AppendRequest(nil, &ir.Target{}); err != nil {
					continue
				}
				for _, client := range protocols {
					y, _ := x.As(client)
					whole := y.AppendBody
					if s.Answer.SSE {
						whole = y.AppendFolded
					}
					answer, err := whole(nil, s.Answer.Body)
					if err != nil {
						continue
					}
					next := corpus.Scenario{Client: client, Path: corpus.Path(client, "m", false)}
					sent, refusal := asks(t, &next, []byte(nextTurn(client, string(answer))), nil)
					if refusal != nil {
						e.note(s.Name+" "+client, refusal.Error())
						continue
					}
					line := ""
					for i, request := range sent {
						digest := fnv.New32a()
						digest.Write([]byte(request))
						line += fmt.Sprintf(" %s %08x", protocols[i], digest.Sum32())
					}
					e.note(s.Name+" "+client, line[1:])
				}
			}
			e.check(t, upstream+".turns.txt")
		})
	}
}
