package endpoint

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/worker/usage"
)

func TestPooled(t *testing.T) {
	e, err := Parse("anna", `{"version":1,"upstreams":[
		{"name":"a","protocol":"chat","url":"https://api.openai.com/v1","keys":["k1","k2","k3"],"gateway":{"account":"`+account+`","id":"g","token":"sealed"}},
		{"name":"b","protocol":"chat","url":"https://two.example","key":"k"}]}`)
	require.Nil(t, err)
	require.True(t, e.Pools())
	require.True(t, e.Counts())
	require.True(t, e.Keeps())
	var resting []usage.UpstreamKey
	rests := func(u *Upstream) bool {
		for _, r := range resting {
			if r == u.Health() {
				return true
			}
		}
		return false
	}
	order := func(turn int) (keys string) {
		for _, c := range Pooled(e.Choose("m"), turn, rests) {
			require.Equal(t, "m", c.Model)
			keys += c.Key + " "
		}
		return keys
	}
	for turn, want := range []string{"k1 k2 k ", "k2 k3 k ", "k3 k1 k ", "k1 k2 k "} {
		require.Equal(t, want, order(turn))
	}
	health := e.Health()
	require.Equal(t, []string{"a/1", "a/2", "a/3", "b"}, []string{health[0].Upstream, health[1].Upstream,
		health[2].Upstream, health[3].Upstream})
	resting = health[1:2]
	for turn, want := range []string{"k1 k3 k ", "k3 k1 k ", "k3 k1 k "} {
		require.Equal(t, want, order(turn), "turn "+strconv.Itoa(turn))
	}
	resting = health[:3]
	require.Equal(t, "k2 k3 k ", order(1), "all rest: those whose turn it is are asked all the same")
	resting = health[:2]
	require.Equal(t, "k3 k1 k ", order(0))
	resting = []usage.UpstreamKey{{Upstream: "a/1", Key: usage.Fingerprint("another key")}}
	require.Equal(t, "k1 k2 k ", order(0), "a pool that was replaced begins anew")

	one := Pooled(e.Choose("m"), 0, func(*Upstream) bool { return false })
	one[0].Gateway.Token = "opened"
	require.Equal(t, "sealed", one[1].Gateway.Token)
	require.Equal(t, one[0].SealContext(), e.Upstreams[0].SealContext())
}

func TestPoolRefused(t *testing.T) {
	for more, setting := range map[string]string{
		`"keys":"k"`: "keys", `"keys":[7]`: "keys[0]", `"keys":[""]`: "keys[0]",
		`"keys":["k"],"key":"l"`: "keys",
	} {
		_, err := Parse("anna",
			`{"version":1,"upstreams":[{"name":"a","protocol":"chat","url":"https://one.example",`+more+`}]}`)
		require.NotNil(t, err, more)
		require.Equal(t, "upstreams[0]."+setting, err.Setting, more)
	}
}
