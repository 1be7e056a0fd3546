package ir

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/jsonr"
)

func TestNamesAreRestored(t *testing.T) {
	long := Escaped(strings.Repeat("a", 70))
	r := &Request{Tools: []Tool{{Name: "plain"}, {Name: "with.dot"}, {Name: long}}}
	names := r.Renamed(nil, 64)
	require.Len(t, names, 2)
	for _, tool := range r.Tools {
		require.Equal(t, tool.Name, names.Restore(Identifier(tool.Name, 64)))
	}
	require.Equal(t, Escaped("unknown"), names.Restore("unknown"))
}

// TestNamesForMoonshot: a name outside of Moonshot's pattern gets a prefix, and the client's name is
// restored. Names in the pattern stay.
func TestNamesForMoonshot(t *testing.T) {
	moonshot, pattern := &Target{Flavored: true}, regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{2,63}$`)
	r, long := &Request{}, Escaped(strings.Repeat("a", 70))
	for _, name := range []Escaped{"ls", "_", "21st_magic", "-get", "", "1." + long} {
		r.Tools = append(r.Tools, Tool{Name: name})
		short := moonshot.ToolName(name, 64)
		require.Regexp(t, pattern, string(short), name)
		require.Equal(t, short, moonshot.ToolName(short, 64), "it is stable")
	}
	names := r.Renamed(moonshot, 64)
	require.Len(t, names, len(r.Tools))
	for _, tool := range r.Tools {
		require.Equal(t, tool.Name, names.Restore(moonshot.ToolName(tool.Name, 64)))
	}
	for _, name := range []Escaped{"get", "_search_issues", "get-issue-2"} {
		require.Equal(t, name, moonshot.ToolName(name, 64))
	}
	require.Equal(t, Escaped("ls"), (&Target{}).ToolName("ls", 64), "only Moonshot has the pattern")
}

func TestItemsAreCounted(t *testing.T) {
	n := Items{Of: "things"}
	require.Nil(t, n.Meet(MaxItems-1))
	require.Nil(t, n.Meet(1))
	require.Contains(t, n.Meet(1).Message, "too many things: the limit is 20000 in total")
}

func TestLostMembers(t *testing.T) {
	var l Lost
	r := jsonr.NewReader(`{"a":1,"b":null,"` + strings.Repeat("c", 99) + `":{"d":2}}`)
	for r.OpenObject(); r.Member(); {
		l.AddMember("x[0]", &r)
	}
	r = jsonr.NewReader(`{"e":true,"f":false}`)
	for r.OpenObject(); r.Member(); {
		l.AddMember("", &r)
	}
	l.AddNamed("event:", "new")
	require.Equal(t, []string{"x[0].a", "x[0]." + strings.Repeat("c", 64), "e", "event:new"}, l.Paths())
	require.Zero(t, testing.AllocsPerRun(10, func() { l.AddNamed("event:", "new") }))
}

func TestPromptOfUsage(t *testing.T) {
	u := Usage{Input: -1, CacheRead: 5, CacheWrite: -1}
	u.SetPrompt(-1)
	require.Equal(t, int64(-1), u.Input)
	u.SetPrompt(12)
	require.Equal(t, int64(7), u.Input)
	require.Equal(t, int64(12), u.Prompt())
}
