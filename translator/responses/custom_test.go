package responses

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCustomTools: only OpenAI's servers, and unknown servers of its models, accept custom tools.
func TestCustomTools(t *testing.T) {
	for host, models := range map[string]map[string]bool{
		"api.openai.com":            {"gpt-5.5": true, "anything": true},
		"r.openai.azure.com":        {"gpt-5.5": true, "coder": true, "gpt-oss-120b": false},
		"CHATGPT.com:443":           {"gpt-6": true},
		"gateway.example":           {"openai/gpt-5.5": true, "o3": true, "gpt-oss-20b": false, "qwen3": false, "": false},
		"openrouter.ai":             {"openai/gpt-5.5": false},
		"bedrock-mantle.eu.api.aws": {"openai.gpt-5.4": false},
		"api.x.ai":                  {"grok-4": false},
	} {
		for model, accepts := range models {
			require.Equal(t, accepts, Upstream{}.Target(host, model).CustomTools, "%s %s", host, model)
		}
	}
}
