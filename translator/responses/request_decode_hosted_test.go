package responses

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestFoundIn(t *testing.T) {
	require.Equal(t, []ir.Escaped{"a", "s__b", "s__c", "d"}, foundIn(`[{"type":"function","name":"a"},
		{"type":"namespace","name":"s","tools":[{"type":"function","name":"b"},{"type":"function","name":"c"}]},{"type":"custom","name":"d"}]`))
}
