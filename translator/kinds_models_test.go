package translator_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/models"
	"edgelingua/translator/target"
)

// modelNames has models of the vendors. Package target's tables know most of them.
var modelNames = strings.Fields(`gpt-3.5-turbo gpt-4.1 gpt-4o-mini gpt-5 gpt-5-pro gpt-5.1 gpt-5.1-codex-max gpt-5.5
	gpt-6.1-sol gpt-6-luna gpt-9 o1 o3-mini o4-mini gpt-oss-120b chatgpt-4o-latest text-embedding-3-small
	claude-3-5-haiku-latest claude-haiku-4-5 claude-sonnet-4-5 claude-opus-4-6 claude-opus-4-7 claude-opus-5
	claude-fable-5-2 claude-9 gemini-2.0-flash gemini-2.5-pro gemini-2.5-flash-lite gemini-3-pro-preview
	gemini-3.5-flash gemma-3-27b-it mistral-large-latest magistral-medium-latest codestral-latest
	deepseek-chat deepseek-reasoner deepseek-v3.2 deepseek-v4-pro deepseek-r1 kimi-k2.6 kimi-k2-thinking
	moonshot-v1-8k glm-4.6v glm-4.7 glm-5.1 qwen3-32b qwen3.5-plus qwen3-vl-32b-thinking qwq-32b
	minimax-m2.7 minimax-m3 grok-4.3 grok-code-fast-1 llama-3.3-70b-versatile nova-pro command-a sonar-pro m`)

// spellings are the forms in which hosts and gateways write a model's name.
var spellings = []string{"%s", "vendor/%s", "vendor/%s:free", "us.vendor.%s-v1:0", "models/%s", "ft:%s:org::id",
	"%s-2026-04-01", "%s-20260401", "@cf/vendor/%s", "accounts/a/models/%s", "%s@latest", "%s:8b", "my-%s",
	"%sx", "VENDOR/%s-FP8"}

// TestNamesOfModels says what a server supports by its host and the model's name, and what a client's list
// of models says of it. The files testdata/kinds/*.hosts.txt have the fields of the target and a digest for
// all spellings.
func TestNamesOfModels(t *testing.T) {
	hosts := map[string]map[string]bool{}
	for _, s := range servers {
		if hosts[s[0]] == nil {
			hosts[s[0]] = map[string]bool{"gateway.example": true}
		}
		hosts[s[0]][s[1]] = true
	}
	for protocol, all := range hosts {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			e := effects{}
			for host := range all {
				for _, name := range modelNames {
					digest := e.digestOf(host + " " + name)
					for _, spelling := range spellings {
						model := fmt.Sprintf(spelling, name)
						for _, model := range []string{model, strings.ToUpper(model)} {
							of := translator.API(protocol).Upstream.Target(host, model)
							m := ir.Model{ID: ir.Escaped(model)}
							models.Complete(&m, model, of)
							fmt.Fprintln(digest, model, fieldsOf(*of), target.Window(model))
							for _, client := range protocols {
								if list := translator.API(client).Models; list != nil {
									fmt.Fprintln(digest, string(list.AppendList(nil, []ir.Model{m})))
								}
							}
						}
					}
					e.note(host+" "+name, fieldsOf(*translator.API(protocol).Upstream.Target(host, name)))
				}
			}
			e.check(t, protocol+".hosts.txt")
		})
	}
}

// fieldsOf returns the fields of a target that are not zero.
func fieldsOf(target ir.Target) (text string) {
	v := reflect.ValueOf(target)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			text += fmt.Sprintf(" %s:%v", v.Type().Field(i).Name, v.Field(i))
		}
	}
	return strings.TrimSpace(text)
}
