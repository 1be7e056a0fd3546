package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestForwardToTwoOrigins: only upstreams with the first upstream's origin get a client's own key
// and are chosen.
func TestForwardToTwoOrigins(t *testing.T) {
	parse := func(auth, second string) *Endpoint {
		e, err := Parse("anna", `{"version":1,"auth":"`+auth+`","upstreams":[
			{"name":"a","protocol":"chat","url":"https://one.example/v1"},
			{"name":"b","protocol":"chat","url":"`+second+`","key":"sealed"}]}`)
		require.Nil(t, err)
		return e
	}
	for second, same := range map[string]bool{
		"https://one.example/other":       true,
		"https://one.example":             true,
		"https://two.example/v1":          false,
		"https://one.example:443/v1":      false, // the spelling counts
		"https://One.example/v1":          false,
		"http://one.example/v1":           false,
		"https://one.example.evil/v1":     false,
		"https://two.example/one.example": false,
	} {
		e := parse("forward", second)
		e.Present("own", true)
		require.Equal(t, Upstream{Key: "own", Bearer: true}, Upstream{Key: e.Upstreams[0].Key,
			Bearer: e.Upstreams[0].Bearer})
		if same {
			require.Nil(t, e.OneOrigin(), second)
			require.Equal(t, "own", e.Upstreams[1].Key)
			require.Len(t, e.Entitled(e.Choose("m")), 2)
			continue
		}
		require.Equal(t, "upstreams[1].url", e.OneOrigin().Setting, second)
		require.Empty(t, e.Upstreams[1].Key)
		require.Equal(t, "a", e.Entitled(e.Choose("m"))[0].Name)
		require.Len(t, e.Entitled(e.Choose("m")), 1)
		require.Empty(t, e.Entitled(e.Choose("b/m")))
		require.Nil(t, parse("key", second).OneOrigin())
		require.Len(t, parse("key", second).Entitled(e.Choose("m")), 2)
	}
}
