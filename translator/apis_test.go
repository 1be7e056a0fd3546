package translator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

func TestAPIOf(t *testing.T) {
	for _, c := range []struct {
		path, header string // a header of the request
		name         string
		operation    ir.Operation
		id           string
	}{
		{"/v1/messages", "", "anthropic", ir.Converse, ""},
		{"/v1/messages/count_tokens", "", "anthropic", ir.Count, ""},
		{"/v1/messages/batches", "", "anthropic", ir.Unserved, "batches"},
		{"/", "", "anthropic", ir.Greet, ""},
		{"/api/hello", "", "anthropic", ir.Greet, ""},
		{"/api/claude_cli/bootstrap", "", "anthropic", ir.Unserved, "claude_cli/bootstrap"},
		{"/v1/chat/completions", "x-api-key", "chat", ir.Converse, ""},
		{"/v1/responses", "x-api-key", "responses", ir.Converse, ""},
		{"/v1/responses/input_tokens", "", "responses", ir.Count, ""},
		{"/v1/responses/compact", "", "responses", ir.Compact, ""},
		{"/v1/responses/compact/", "", "responses", ir.Unserved, ""},
		{"/v1/responses/", "", "responses", ir.Unserved, ""},
		{"/v1/responses//", "", "responses", ir.Unserved, ""},
		{"/v1/responses/resp_1", "", "responses", ir.StoredResponse, "resp_1"},
		{"/v1/responses/resp_1/", "", "responses", ir.StoredResponse, "resp_1"},
		{"/v1/responses/resp_1/input_items", "", "responses", ir.StoredInput, "resp_1"},
		{"/v1/responses/resp_1/submit_tool_outputs", "", "responses", ir.StoredSubmit, "resp_1"},
		{"/v1/responses/resp_1/cancel", "", "responses", ir.StoredCancel, "resp_1"},
		{"/v1/responses/resp_1/cancel/now", "", "responses", ir.Unserved, "resp_1/cancel/now"},
		{"/v1/models", "", "chat", ir.ListModels, ""},
		{"/v1/models", "user-agent", "chat", ir.ListModels, ""},
		{"/v1/models", "x-api-key", "anthropic", ir.ListModels, ""},
		{"/v1/models/a?b", "", "chat", ir.ReadModel, "a?b"},
		{"/v1/models/openai/gpt-5", "anthropic-version", "anthropic", ir.ReadModel, "openai/gpt-5"},
		{"/nothing", "", "chat", ir.Unserved, ""},
		{"/v1/chat/other", "anthropic-version", "anthropic", ir.Unserved, ""},
		{"", "", "chat", ir.Unserved, ""},
	} {
		api, operation := translator.APIOf(c.path, func(name string) string {
			if name == c.header {
				return "there"
			}
			return ""
		})
		require.Equal(t, c.name, api.Name, c.path)
		require.Equal(t, c.operation, operation, c.path)
		_, id, _ := api.Route(c.path)
		require.Equal(t, c.id, id, c.path)
	}
}

// TestUpstreamPaths has the paths after the base URLs of the vendors' official SDKs.
func TestUpstreamPaths(t *testing.T) {
	for name, want := range map[string][3]string{
		"anthropic":    {"/v1/messages", "/v1/messages/count_tokens", "/v1/models"},
		"chat":         {"/chat/completions", "", "/models"},
		"interactions": {"/v1beta/interactions", "", "/v1beta/models"},
		"responses":    {"/responses", "/responses/input_tokens", "/models"},
	} {
		api := translator.API(name)
		require.Equal(t, want, [3]string{api.Upstream.Path("m", true), api.Upstream.CountPath("m"),
			api.Models.Path})
	}
}

func TestNames(t *testing.T) {
	require.Equal(t,
		"/v1/messages, /v1/chat/completions, /v1/responses, /v1beta/models/{model}:generateContent or "+
			"/v1beta/interactions",
		translator.JoinNames((*ir.API).ConversePath, "or"))
	require.Equal(t, "anthropic, chat, responses, gemini or interactions",
		translator.JoinNames(func(api *ir.API) string { return api.Name }, "or"))
}
