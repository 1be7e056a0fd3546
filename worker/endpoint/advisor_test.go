package endpoint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"edgelingua/worker/endpoint"
)

const advisedUpstreams = `"upstreams":[{"name":"small","protocol":"chat","url":"https://small.example/v1",` +
	`"models":["m"]},{"name":"big","protocol":"anthropic","url":"https://big.example","models":["strong-*"]}]`

// TestAdvisor: the option's defaults and limits, and mistakes in it by their paths.
func TestAdvisor(t *testing.T) {
	t.Parallel()
	parse := func(option string) (*endpoint.Endpoint, *endpoint.Error) {
		return endpoint.Parse("e", `{"version":1,"options":{"advisor":`+option+`},`+advisedUpstreams+`}`)
	}
	e, err := parse(`{"model":"big/strong-1"}`)
	require.Nil(t, err)
	assert.Equal(t, endpoint.Advisor{Model: "big/strong-1", MaxUses: 3, MaxTokens: 4096}, e.Advisor)
	require.Len(t, e.Advises(), 1)
	assert.Equal(t, "big strong-1", e.Advises()[0].Name+" "+e.Advises()[0].Model)
	e, err = parse(`{"model":"strong-2","max_uses":20,"max_tokens":1}`)
	require.Nil(t, err)
	assert.Equal(t, endpoint.Advisor{Model: "strong-2", MaxUses: 20, MaxTokens: 1}, e.Advisor)
	for option, want := range map[string]string{
		`true`: "options.advisor must be an object", `{}`: "options.advisor must be an object",
		`{"model":""}`:                        "options.advisor.model must be a model's name",
		`{"model":7}`:                         "options.advisor.model must be a model's name",
		`{"model":"unknown"}`:                 "options.advisor.model must be a model of one of the upstreams",
		`{"model":"m","max_uses":0}`:          "options.advisor.max_uses must be a whole number from 1 to 20",
		`{"model":"m","max_uses":21}`:         "options.advisor.max_uses must be a whole number from 1 to 20",
		`{"model":"m","max_tokens":32769}`:    "options.advisor.max_tokens must be a whole number of tokens",
		`{"model":"m","max_tokens":"1"}`:      "options.advisor.max_tokens must be a whole number of tokens",
		`{"upstream":"big","model":"strong"}`: "options.advisor.upstream must be left out",
	} {
		_, err := parse(option)
		require.NotNil(t, err, option)
		assert.Contains(t, err.Error(), want)
	}
}
