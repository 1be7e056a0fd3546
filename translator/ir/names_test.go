package ir

import (
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
