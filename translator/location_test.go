package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/corpus"
)

// TestLocationMembers: a member of a search's location that other APIs do not know is carried or
// reported with its path, by each client, whether the upstream searches or the caller.
func TestLocationMembers(t *testing.T) {
	const location = `{"type":"approximate","city":"Oslo","postcode":"0150","region":7,"country":null}`
	requests := map[string][2]string{ // the request, and the path of the location's members
		"anthropic": {`{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"q"}],"tools":[` +
			`{"type":"web_search_20250305","name":"web_search","user_location":` + location + `}]}`,
			"tools[0].user_location."},
		"chat": {`{"model":"m","messages":[{"role":"user","content":"q"}],"web_search_options":` +
			`{"user_location":{"type":"approximate","approximate":` + location + `}}}`,
			"web_search_options.user_location.approximate."},
		"chat, flat": {`{"model":"m","messages":[{"role":"user","content":"q"}],"web_search_options":` +
			`{"user_location":` + location + `}}`, "web_search_options.user_location."},
		"responses": {`{"model":"m","input":"q","tools":[{"type":"web_search","user_location":` + location + `}]}`,
			"tools[0].user_location."},
	}
	for name, request := range requests {
		client, _, _ := strings.Cut(name, ",")
		for _, upstream := range []string{"anthropic", "chat", "responses"} {
			for _, searches := range []bool{true, false} { // the upstream, or the caller
				pair, _ := translator.Lookup(client, upstream)
				x, refused := pair.Decode(corpus.Path(client, "m", false), []byte(request[0]))
				require.Nil(t, refused)
				x.MaxSearches = 5
				body, refused := x.AppendRequest(nil, &ir.Target{WebSearch: searches, OpenAI: searches})
				require.Nil(t, refused)
				if searches && client == upstream && client != "chat" {
					require.Contains(t, string(body), location)
					require.Empty(t, x.Lost.Paths())
					continue
				}
				require.NotContains(t, string(body), "0150", "%s to %s", name, upstream)
				require.Equal(t, []string{request[1] + "postcode", request[1] + "region"}, x.Lost.Paths(),
					"%s to %s", name, upstream)
			}
		}
	}
}
