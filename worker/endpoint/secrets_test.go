package endpoint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSecrets(t *testing.T) {
	e, err := Parse("a",
		`{"version":1,"upstreams":[{"name":"a","protocol":"chat","url":"https://a.example","key":"k-0123456789abcdef",
		"headers":{"x-proxy":"Bearer proxy-0123456789","x-meta":"{\"team\":\"blue\"}"},"options":{"headers":{"x-both":"of k-0123456789abcdef, too","x-short":"s"}}}]}`)
	require.Nil(t, err)
	require.Equal(t, []string{
		"of k-0123456789abcdef, too", "Bearer proxy-0123456789", `{\"team\":\"blue\"}`, "k-0123456789abcdef",
		"proxy-0123456789", `{"team":"blue"}`, "s",
	}, e.Upstreams[0].Secrets())
}
