package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestAppendError(t *testing.T) {
	require.Equal(t,
		`{"error":{"message":"messages[0].role: bad \"x\"","type":"invalid_request_error",`+
			`"param":"messages[0].role","code":null}}`,
		string(AppendError(nil, &ir.Error{Kind: ir.InvalidRequest, Path: "messages[0].role",
			Message: `bad "x"`})))
	require.Equal(t,
		`{"error":{"message":"Missing required parameter: 'model'.","type":"invalid_request_error",`+
			`"param":"model","code":"missing_required_parameter"}}`,
		string(AppendError(nil, &ir.Error{Kind: ir.InvalidRequest, Path: "model",
			Message: "Missing required parameter: 'model'.", Code: "missing_required_parameter"})))
	for k := ir.Internal; k <= ir.Unavailable; k++ {
		require.True(t, json.Valid(AppendError(nil, &ir.Error{Kind: k, Message: "\xff\n", Code: "c\""})))
	}
}

// TestUnsupported: the error has the value found, cut between characters, and a near word.
func TestUnsupported(t *testing.T) {
	t.Parallel()
	const known = "'system', 'assistant', and 'user'"
	require.Equal(t, "Invalid value for 'messages[0].role': 'asistant'. Supported values are: "+known+
		". Did you mean 'assistant'?", Unsupported("messages[0].role", "asistant", known).Message)
	long := Unsupported("a", ir.Escaped("a"+strings.Repeat("é", 100)), known).Message
	require.Equal(t, "Invalid value for 'a': 'a"+strings.Repeat("é", 31)+"'. Supported values are: "+known+".",
		long)
}
