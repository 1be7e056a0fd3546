package responses

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestAppendError(t *testing.T) {
	require.Equal(t,
		`{"error":{"message":"input[0]: bad","type":"invalid_request_error","param":"input[0]","code":null}}`,
		string(AppendError(nil, &ir.Error{Kind: ir.InvalidRequest, Path: "input[0]", Message: "bad"})))
}
