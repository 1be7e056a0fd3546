package cli

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestExplain(t *testing.T) {
	for field, want := range map[string]string{
		"messages.thinking.budget_tokens": `(?s)^thinking.budget_tokens \(requests of Anthropic Messages\)
  to Anthropic Messages, if translated +carried as .*thinking.budget_tokens.*to OpenAI Chat Completions .*lost with gpt-4.1`,
		"anthropic.max_tokens":                                       `to OpenAI Responses +carried as max_output_tokens; lost for under 16 \(the API accepts`,
		"messages.tools.strict":                                      `tools\[custom\].strict \(requests of Anthropic Messages\)`,
		"chat.logit_bias":                                            `to Anthropic Messages +lost \(the API has no such setting\)`,
		"responses.output.caller":                                    `output\[function_call\].caller \(answers of OpenAI Responses\)`,
		"chat.system_fingerprint":                                    `for clients of Anthropic Messages +lost \(about the vendor's service`,
		"messages.tools[2].strict":                                   `tools\[custom\].strict \(requests of Anthropic Messages\)`,
		"tools[0].input_schema.properties.a.minimum":                 `tools\[custom\].input_schema \(requests`,
		"messages.context_management.edits[clear_thinking_20251015]": `clear_thinking_20251015\].keep`,
		"messages.messages[].content[image].source.type":             `to Google Gemini +carried as contents\[\].parts; refused for file`,
		"logit_bias":                                                 `^logit_bias \(requests of OpenAI Chat Completions\)`,
		"gemini.generationConfig.seed":                               `to OpenAI Chat Completions +carried as seed`,
	} {
		var out, failed bytes.Buffer
		assert.Zero(t, run([]string{"explain", field}, nil, nil, &out, &failed), failed.String())
		assert.Regexp(t, want, out.String(), field)
	}
	for args, want := range map[string]string{
		"chat.logit_bais": `no API has a member "chat.logit_bais" in the types of its SDK; did you mean chat.logit_bias\?`,
		"":                "no API has a member",
	} {
		var out, failed bytes.Buffer
		assert.Equal(t, exitUsage, run([]string{"explain", args}, nil, nil, &out, &failed))
		assert.Regexp(t, want, failed.String())
	}
	var out, failed bytes.Buffer
	assert.Equal(t, exitUsage, run([]string{"explain"}, nil, nil, &failed, &failed))
	assert.Contains(t, failed.String(), "explain takes fields")
	assert.Equal(t, exitUsage,
		run([]string{"explain", "chat.logit_bias", "no", "chat.system_fingerprint"}, nil, nil, &out, &failed))
	assert.Contains(t, failed.String(), `no API has a member "no"`)
	assert.Regexp(t, `(?s)^logit_bias \(requests.*\nsystem_fingerprint \(answers`, out.String())
}
