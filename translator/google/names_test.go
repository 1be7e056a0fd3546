package google

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

func TestToolNames(t *testing.T) {
	long := ir.Escaped("9" + strings.Repeat("x", 80))
	r := &ir.Request{Tools: []ir.Tool{{Name: "f"}, {Name: "_g-1"}, {Name: "1password"}, {Name: "_1password"},
		{Name: "-a"}, {Name: "a.b"}, {Name: long}, {}}}
	seen := map[ir.Escaped]bool{}
	list := Renamed(r)
	for i := range r.Tools {
		name := r.Tools[i].Name
		short := ToolName(name)
		require.Regexp(t, `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`, short)
		require.False(t, seen[short])
		seen[short] = true
		require.Equal(t, name, list.Restore(short))
	}
	require.Equal(t, ir.Escaped("_g-1"), ToolName("_g-1"))
	require.Equal(t, "_1password_", string(ToolName("1password"))[:11])
	require.Equal(t, ir.Escaped("other"), list.Restore("other"))
}
