package google_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// The types of a body, with every member that the writer writes (@google/genai 3.1.0,
// CreateModelInteraction).
type (
	content struct {
		Type                        string
		Text, Data, URI, Resolution *string
		MimeType                    *string `json:"mime_type"`
	}
	inputStep struct {
		Type                string
		Content             []content
		Signature, ID, Name *string
		Summary             []content
		Arguments           json.RawMessage
		CallID              *string `json:"call_id"`
		IsError             bool    `json:"is_error"`
		Result              json.RawMessage
	}
	interaction struct {
		Model             string
		Store             *bool
		Stream            bool
		SystemInstruction *string `json:"system_instruction"`
		Input             []inputStep
		Tools             []struct {
			Type, Name, Description string
			Parameters              json.RawMessage
		}
		GenerationConfig *struct {
			Temperature     *float64
			TopP            *float64 `json:"top_p"`
			Seed            *float64
			StopSequences   []string        `json:"stop_sequences"`
			MaxOutputTokens *int64          `json:"max_output_tokens"`
			ThinkingLevel   string          `json:"thinking_level"`
			Summaries       string          `json:"thinking_summaries"`
			ToolChoice      json.RawMessage `json:"tool_choice"`
		} `json:"generation_config"`
		ResponseFormat *struct {
			Type     string
			MimeType string `json:"mime_type"`
			Schema   json.RawMessage
		} `json:"response_format"`
		ServiceTier *string `json:"service_tier"`
	}
)

func checkContent(t *testing.T, file string, list []content) {
	require.NotEmpty(t, list, file)
	for _, c := range list {
		switch c.Type {
		case "text":
			require.NotEmpty(t, strings.TrimSpace(*c.Text), file)
		case "image", "audio", "video", "document":
			require.Nil(t, c.Text, file)
			require.True(t, (c.Data == nil) != (c.URI == nil), file)
		default:
			require.Fail(t, "a content of the type "+c.Type, file)
		}
	}
}

// checkSteps checks a body of the Interactions API.
func checkSteps(t *testing.T, file string, body []byte, target *ir.Target) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	var b interaction
	require.NoError(t, decoder.Decode(&b), "%s: %s", file, body)
	require.NotEmpty(t, b.Model, file)
	require.False(t, *b.Store, file)
	require.NotEmpty(t, b.Input, file)
	require.Equal(t, "user_input", b.Input[0].Type, file)
	var open []string // the calls without a result so far
	seen := map[string]bool{}
	signed := false // the model's turn has a thought
	for i, s := range b.Input {
		if len(open) > 0 {
			require.Contains(t, []string{"function_call", "function_result", "thought", "model_output"},
				s.Type, "%s: a call without a result", file)
		}
		switch s.Type {
		case "user_input", "model_output":
			checkContent(t, file, s.Content)
			if s.Type == "user_input" {
				signed = false
			}
		case "thought":
			require.NotEmpty(t, *s.Signature, file)
			signed = true
		case "function_call":
			require.True(t, signed || target.UnsignedCalls, "%s: an unsigned call", file)
			require.Nil(t, s.Signature, file)
			signed = true
			require.Regexp(t, functionName, *s.Name, file)
			require.False(t, seen[*s.ID], "%s: an id that repeats", file)
			require.Equal(t, byte('{'), s.Arguments[0], file)
			seen[*s.ID] = true
			open = append(open, *s.ID+" "+*s.Name)
		case "function_result":
			require.NotEmpty(t, open, file)
			require.Equal(t, open[0], *s.CallID+" "+*s.Name, file)
			signed, open = false, open[1:]
			if s.Result[0] == '[' {
				var list []content
				require.NoError(t, json.Unmarshal(s.Result, &list))
				checkContent(t, file, list)
			} else {
				require.Equal(t, byte('"'), s.Result[0], file)
			}
		default:
			require.Fail(t, "a step of the type "+s.Type, file)
		}
		if i == len(b.Input)-1 {
			require.Contains(t, []string{"user_input", "function_result"}, s.Type, file)
		}
	}
	require.Empty(t, open, file)
	functions := false
	for _, tool := range b.Tools {
		switch tool.Type {
		case "function":
			functions = true
			require.Regexp(t, functionName, tool.Name, file)
			var root struct{ Type string }
			require.NoError(t, json.Unmarshal(tool.Parameters, &root))
			require.Equal(t, "object", root.Type, file)
			require.NotContains(t, string(tool.Parameters), `"required":[]`, file)
		case "google_search", "url_context":
			require.Empty(t, tool.Name+tool.Description, file)
		default:
			require.Fail(t, "a tool of the type "+tool.Type, file)
		}
	}
	if c := b.GenerationConfig; c != nil {
		require.True(t, functions || c.ToolChoice == nil, "%s: a tool_choice without functions", file)
		require.Contains(t, []string{"", "minimal", "low", "medium", "high"}, c.ThinkingLevel, file)
		require.Contains(t, []string{"", "auto"}, c.Summaries, file)
		require.LessOrEqual(t, len(c.StopSequences), 5, file)
	}
	if f := b.ResponseFormat; f != nil {
		require.Equal(t, "text application/json", f.Type+" "+f.MimeType, file)
	}
}
