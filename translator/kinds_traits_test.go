package translator_test

import (
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// trait is one field of ir.Target with another value.
type trait struct {
	name  string
	apply func(*ir.Target)
}

// traits returns a trait for each other value of each field: the opposite of a bool, the values of an
// enumeration, and the values of others.
func traits() (list []trait) {
	others := map[string][]any{
		"Efforts": {[]string(nil), []string{"none", "low", "high"}, []string{"minimal", "xhigh", "max"}},
		"Version": {"2023-06-01", "2026-10-21"},
	}
	last := map[string]int{"Thinking": int(ir.AlwaysThinking), "ThinkingSwitch": int(ir.ReasoningSwitch),
		"ReasoningEcho": int(ir.EchoBoth), "ResultImages": int(ir.RefuseImages), "Images": int(ir.PlainImages),
		"Structured": int(ir.Unstructured), "Prefill": int(ir.PrefixPrefill), "Caching": int(ir.PlainCaching)}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[ir.Target]()) {
		if !field.IsExported() {
			continue
		}
		values, listed := others[field.Name]
		switch field.Type.Kind() {
		case reflect.Bool:
			list = append(list, trait{field.Name, func(target *ir.Target) {
				v := reflect.ValueOf(target).Elem().FieldByIndex(field.Index)
				v.SetBool(!v.Bool())
			}})
			continue
		case reflect.Uint8:
			for i := range last[field.Name] + 1 {
				values = append(values, reflect.ValueOf(i).Convert(field.Type).Interface())
			}
		case reflect.Int, reflect.Int64:
			for _, n := range []int{1, 2000} {
				values = append(values, reflect.ValueOf(n).Convert(field.Type).Interface())
			}
		default:
			if !listed {
				panic("no other value for the field " + field.Name)
			}
		}
		for _, value := range values {
			list = append(list, trait{fmt.Sprintf("%s=%v", field.Name, value), func(target *ir.Target) {
				reflect.ValueOf(target).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(value))
			}})
		}
	}
	return list
}

// servers are upstreams that differ in what they support: protocol, host and model.
var servers = [][3]string{
	{"anthropic", "api.anthropic.com", "claude-opus-5"}, {"anthropic", "api.anthropic.com", "claude-opus-4-6"},
	{"anthropic", "api.anthropic.com", "claude-haiku-4-5"}, {"anthropic", "api.z.ai", "glm-5.1"},
	{"anthropic", "bedrock-mantle.us-east-1.api.aws", "anthropic.claude-opus-5"},
	{"chat", "api.openai.com", "gpt-5.1"}, {"chat", "api.openai.com", "gpt-4.1"},
	{"chat", "api.openai.com", "o3-mini"}, {"chat", "api.openai.com", "gpt-3.5-turbo"},
	{"chat", "me.openai.azure.com", "gpt-5.2"}, {"chat", "api.mistral.ai", "mistral-large-latest"},
	{"chat", "api.mistral.ai", "magistral-medium-latest"}, {"chat", "api.deepseek.com", "deepseek-v4-pro"},
	{"chat", "openrouter.ai", "anthropic/claude-opus-5"}, {"chat", "openrouter.ai", "openai/gpt-5.1"},
	{"chat", "generativelanguage.googleapis.com", "gemini-3-pro-preview"},
	{"chat", "api.x.ai", "grok-4.3"}, {"chat", "api.moonshot.ai", "kimi-k2.6"},
	{"chat", "api.groq.com", "openai/gpt-oss-120b"}, {"chat", "api.z.ai", "glm-4.7"},
	{"chat", "dashscope.aliyuncs.com", "qwen3.5-plus"}, {"chat", "api.together.xyz", "moonshotai/Kimi-K2.6"},
	{"chat", "vllm.internal:8000", "Qwen/Qwen3-32B"}, {"chat", "inference.baseten.co", "zai-org/GLM-4.7"},
	{"chat", "api.cloudflare.com", "@cf/openai/gpt-oss-120b"}, {"chat", "api.cerebras.ai", "zai-glm-4.7"},
	{"chat", "bedrock-runtime.us-east-1.amazonaws.com", "openai.gpt-oss-120b-1:0"},
	{"chat", "api.minimax.io", "MiniMax-M2.7"}, {"chat", "api.perplexity.ai", "sonar-pro"},
	{"responses", "api.openai.com", "gpt-5.5"}, {"responses", "api.openai.com", "gpt-4.1"},
	{"responses", "api.openai.com", "gpt-6.1-sol"}, {"responses", "api.x.ai", "grok-4.3"},
	{"responses", "openrouter.ai", "openai/gpt-5.1"}, {"responses", "localhost:11434", "gpt-oss:20b"},
	{"gemini", "generativelanguage.googleapis.com", "gemini-3-pro-preview"},
	{"gemini", "generativelanguage.googleapis.com", "gemini-2.5-flash"},
	{"gemini", "aiplatform.googleapis.com", "gemini-3-pro-preview"},
	{"interactions", "generativelanguage.googleapis.com", "gemini-3-pro-preview"},
	{"interactions", "generativelanguage.googleapis.com", "gemini-2.5-flash"},
}

// servedBy returns a trait for each server: all that it supports. upstream is the server's protocol.
func servedBy(upstream string) (list []trait) {
	for _, s := range servers {
		if s[0] == upstream {
			list = append(list, trait{s[1] + " " + s[2], func(target *ir.Target) {
				*target = *translator.API(s[0]).Upstream.Target(s[1], s[2])
			}})
		}
	}
	return list
}

// unusual has requests with members that the corpus lacks, by client: for servers that cap them.
var unusual = map[string][]string{
	"anthropic": {`{"model":"m","max_tokens":9,"temperature":1,"messages":[{"role":"user","content":"Hi"},` +
		`{"role":"assistant","content":[{"type":"text","text":"a"}]},{"role":"user","content":` +
		`[{"type":"text","text":""}]}],"tools":[{"type":"tool_search_tool_bm25_20251119",` +
		`"name":"tool_search_tool_bm25"},{"name":"f","input_schema":{"type":"object"},"defer_loading":true}]}`},
	"chat": {`{"model":"m","temperature":1.8,"top_p":0.5,"stop":["a","b","c","d","e"],"messages":[` +
		`{"role":"user","content":""},{"role":"assistant","content":"a"},{"role":"user","content":` +
		`[{"type":"text","text":""}]}]}`},
	"gemini": {`{"contents":[{"role":"user","parts":[{"text":""}]}],"generationConfig":{"temperature":1.8,` +
		`"topK":5}}`},
	"responses": {`{"model":"m","temperature":1.8,"top_p":0.5,"input":"Hi","tools":[{"type":"tool_search"},` +
		`{"type":"function","name":"f","defer_loading":true}]}`},
}

// tally counts how the results of one trait differ.
type tally struct {
	n     int
	first string
	all   []string
}

// tallies collects the differences of results by trait and protocol.
type tallies map[string]*tally

func (t tallies) add(scenario, trait, protocol, before, after string) {
	if after == before {
		return
	}
	key := trait + " " + protocol
	if t[key] == nil {
		t[key] = &tally{first: scenario + ": " + difference([]string{before}, []string{after})}
	}
	t[key].n++
	t[key].all = append(t[key].all, replaced(before, after))
}

// check compares the differences with a file of testdata/kinds.
func (t tallies) check(test *testing.T, name string) {
	e := effects{}
	for key, f := range t {
		digest := fnv.New32a()
		fmt.Fprint(digest, f.all)
		e.note(key, fmt.Sprintf("%d (%08x), %s", f.n, digest.Sum32(), f.first))
	}
	e.check(test, name)
}

// TestKindsOfUpstreams changes what an upstream supports, one field of ir.Target at a time and then all
// that a server supports, for requests of the corpus. A request needs a member that no earlier one has.
// The files testdata/kinds/*.traits.txt say how the upstreams' requests differ: how many, the first, and
// a digest of all.
func TestKindsOfUpstreams(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	for _, client := range protocols {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			e, found := effects{seen: map[string]bool{}}, tallies{}
			used := slices.DeleteFunc(slices.Clone(scenarios), func(s *corpus.Scenario) bool {
				return s.Client != client || !gjson.ValidBytes(s.Request) || !e.fresh(s.Request)
			})
			for _, body := range unusual[client] {
				s := *used[0]
				s.Request, s.Name = []byte(body), "unusual"
				used = append(used, &s)
			}
			for _, s := range used {
				before, refusal := asks(t, s, s.Request, nil)
				if refusal != nil {
					continue
				}
				for _, trait := range traits() {
					after, refusal := asks(t, s, s.Request, trait.apply)
					require.Nil(t, refusal)
					for i := range after {
						found.add(s.Name, trait.name, protocols[i], before[i], after[i])
					}
				}
				for i := range before {
					for _, server := range servedBy(protocols[i]) {
						after, refusal := asks(t, s, s.Request, server.apply)
						require.Nil(t, refusal)
						found.add(s.Name, server.name, protocols[i], before[i], after[i])
					}
				}
			}
			found.check(t, client+".traits.txt")
		})
	}
}

// TestKindsOfServers does the same with answers.
func TestKindsOfServers(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	for _, upstream := range protocols {
		t.Run(upstream, func(t *testing.T) {
			t.Parallel()
			e, found := effects{seen: map[string]bool{}}, tallies{}
			for _, s := range scenarios {
				if s.Upstream != upstream || s.Answer == nil || s.Answer.Status >= 400 ||
					!e.freshAnswer(s.Answer) {
					continue
				}
				before, ok := receives(s, s.Answer.Body, ir.Target{})
				if !ok {
					continue
				}
				for _, trait := range append(traits(), servedBy(upstream)...) {
					target := ir.Target{}
					trait.apply(&target)
					after, _ := receives(s, s.Answer.Body, target)
					for i := range after {
						found.add(s.Name, trait.name, protocols[i], before[i], after[i])
					}
				}
			}
			found.check(t, upstream+".answertraits.txt")
		})
	}
}

// fresh reports whether a document has a place of a form that no earlier one had.
func (e *effects) fresh(document []byte) (fresh bool) {
	for _, p := range placesOf(string(document), 0) {
		if !e.seen[p.form] {
			e.seen[p.form], fresh = true, true
		}
	}
	return fresh
}

// freshAnswer does the same for an answer.
func (e *effects) freshAnswer(a *corpus.Answer) (fresh bool) {
	for _, d := range documentsOf(a) {
		fresh = e.fresh(a.Body[d[0]:d[1]]) || fresh
	}
	return fresh
}
