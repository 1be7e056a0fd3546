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

// TestChoiceInChatsForm: a tool_choice as Chat Completions has it is read, and its own type counts where it has one.
func TestChoiceInChatsForm(t *testing.T) {
	for choice, kind := range map[string]string{
		`{"type":"function","function":{"name":"f"}}`: "f",
		`{"function":{"name":"f"}}`:                   "f",
		`{"custom":{"name":"c"}}`:                     "c",
	} {
		r, err := Client{}.DecodeRequest("", `{"model":"m","input":"x","tools":[{"type":"function","name":"f"},{"type":"custom","name":"c"}],"tool_choice":`+choice+`}`, &ir.Lost{})
		require.Nil(t, err, choice)
		require.Equal(t, ir.ToolsNamed, r.ToolChoice.Mode, choice)
		require.Equal(t, ir.Escaped(kind), r.ToolChoice.Name, choice)
	}
}
