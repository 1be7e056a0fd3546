package anthropic

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// TestProgramID: an id has what a vendor needs to continue a program, whatever its bytes are.
func TestProgramID(t *testing.T) {
	for _, state := range []string{"", "fp", "a:b_c-d/e+f=", "\"\\\n\x00\x7fü😀"} {
		h := &ir.Hosted{Kind: ir.ProgramTool, Origin: "responses", Item: "prog_1", ID: "call-1",
			State: jsonw.Escape(state)}
		id := ir.Escaped(appendProgramID(nil, h))
		require.Regexp(t, regexp.MustCompile(`^srvtoolu_[a-zA-Z0-9_]+$`), id)
		require.Equal(t, h, openProgram(id))
		require.True(t, isProgram(ir.Raw(`"`+id+`"`)))
	}
}

// TestForeignProgramID: an id that was changed is of no vendor.
func TestForeignProgramID(t *testing.T) {
	for _, rest := range []ir.Escaped{
		"", "x", "_", "_3", "_zz", "responses_3aa_3ab", "responses_3aa b_3ac_3ad", "responses_3aa_3ab_22_3ad",
		"responses_3aa_3ab_3a_ff", "_3a_3a_3ax",
	} {
		h := openProgram(madeProgram + rest)
		require.Empty(t, h.Origin, rest)
	}
	colon := &ir.Hosted{Kind: ir.ProgramTool, Origin: "responses", ID: "a:b", State: "c"}
	require.Empty(t, openProgram(ir.Escaped(appendProgramID(nil, colon))).Origin)
}
