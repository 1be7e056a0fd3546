package google_test

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/anthropic"
	"edgelingua/translator/chat"
	"edgelingua/translator/gemini"
	"edgelingua/translator/interactions"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/wasmtest/corpus"
)

const (
	geminiHost = "generativelanguage.googleapis.com"
	vertexHost = "aiplatform.googleapis.com"
)

// TestCorpus checks the bodies of every scenario's request against the rules by which Google
// rejects a body.
func TestCorpus(t *testing.T) {
	scenarios, err := corpus.Load("../testdata")
	require.NoError(t, err)
	others := []*ir.API{&anthropic.API, &chat.API, &responses.API}
	for _, c := range []struct {
		upstream ir.Upstream
		clients  []*ir.API
		targets  [][2]string // host and model
		check    func(t *testing.T, name string, body []byte, target *ir.Target)
	}{
		{gemini.Upstream{}, others, [][2]string{
			{geminiHost, "gemini-3.8-flash"}, {geminiHost, "gemini-3-pro-preview"}, {vertexHost,
				"gemini-3.1-pro-preview"},
			{geminiHost, "gemini-2.5-flash"}, {geminiHost, "gemini-2.0-flash"},
		}, checkContents},
		{interactions.Upstream{}, append(others, &gemini.API), [][2]string{
			{geminiHost, "gemini-3.8-flash"}, {geminiHost, "gemini-3-pro-preview"},
			{geminiHost, "gemini-2.5-flash"}, {geminiHost, "gemini-2.0-flash"},
		}, checkSteps},
	} {
		written := 0
		for _, s := range scenarios {
			for _, api := range c.clients {
				for _, m := range c.targets {
					if s.Client != api.Name {
						continue
					}
					target := c.upstream.Target(m[0], m[1])
					r, refused := api.Client.DecodeRequest(s.Path, string(s.Request), &ir.Lost{})
					if refused != nil {
						continue
					}
					body, refused := c.upstream.AppendRequest(nil, r, target, &ir.Lost{})
					if refused == nil {
						written++
						c.check(t, s.Name, body, target)
					}
				}
			}
		}
		require.Greater(t, written, 1000)
	}
}

// functionName matches the names of functions that Google accepts.
var functionName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
