package google_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// checkContents checks a body of generateContent.
func checkContents(t *testing.T, file string, body []byte, target *ir.Target) {
	type part struct {
		Text, ThoughtSignature                               *string
		Thought                                              bool
		InlineData, FileData, FunctionCall, FunctionResponse *struct{ Name, ID string }
	}
	var b struct {
		SystemInstruction *struct{ Parts []part }
		Contents          []struct {
			Role  string
			Parts []part
		}
		Tools []struct {
			FunctionDeclarations []struct {
				Name                 string
				ParametersJSONSchema struct{ Type string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(body, &b), "%s: %s", file, body)
	require.NotEmpty(t, b.Contents, file)
	require.Equal(t, "user", b.Contents[0].Role, file)
	if target.Prefill == ir.NoPrefill {
		require.Equal(t, "user", b.Contents[len(b.Contents)-1].Role, file)
	}
	var open []string // the calls of the content before
	for _, c := range b.Contents {
		require.NotEmpty(t, c.Parts, file)
		var calls, results []string
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				require.True(t, len(calls) > 0 || target.UnsignedCalls || p.ThoughtSignature != nil,
					"%s: an unsigned call", file)
				require.Regexp(t, functionName, p.FunctionCall.Name, file)
				calls = append(calls, p.FunctionCall.Name+p.FunctionCall.ID)
			case p.FunctionResponse != nil:
				results = append(results, p.FunctionResponse.Name+p.FunctionResponse.ID)
			case p.Text != nil:
				require.True(t, strings.TrimSpace(*p.Text) != "" || p.ThoughtSignature != nil,
					"%s: a blank text", file)
			default:
				require.True(t, p.InlineData != nil || p.FileData != nil, "%s: an empty part", file)
			}
		}
		require.True(t, len(calls) == 0 || c.Role == "model", file)
		require.Equal(t, open, results, file)
		if results != nil {
			require.Len(t, c.Parts, len(results), "%s: more than results", file)
		}
		open = calls
	}
	require.Empty(t, open, file)
	for _, tool := range b.Tools {
		for _, f := range tool.FunctionDeclarations {
			require.Regexp(t, functionName, f.Name, file)
			require.Equal(t, "object", f.ParametersJSONSchema.Type, file)
		}
	}
}
