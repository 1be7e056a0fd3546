package translator_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/wasmtest/corpus"
	doubles "edgelingua/wasmtest/vendors"
)

// accepted lists scenarios whose requests the strict doubles of all vendors accept.
var accepted = map[string]doubles.Options{
	"request/anthropic/half-a-surrogate-pair":      {},
	"request/chat/half-a-surrogate-pair":           {},
	"request/chat/property-keys":                   {},
	"request/anthropic/text-only-model":            {Reasoning: "reasoning_content"},
	"request/responses/images-of-another-type":     {},
	"request/anthropic/user-after-results-mistral": {},
	"request/responses/user-after-results-mistral": {},
}

// TestAccepted sends the requests of some scenarios to the doubles. What a double refuses is in
// package vendors, with the vendor's words and a source.
func TestAccepted(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	n := 0
	for _, s := range scenarios {
		if options, ok := accepted[s.Name]; ok {
			n++
			t.Run(s.Name, func(t *testing.T) { checkAccepted(t, s, options) })
		}
	}
	require.Equal(t, len(accepted), n, "a scenario is missing")
}

func checkAccepted(t *testing.T, s *corpus.Scenario, options doubles.Options) {
	n := 0
	for _, f := range s.Archive.Files {
		upstream, ok := strings.CutSuffix(strings.TrimPrefix(f.Name, "upstream."), ".request.json")
		if !ok {
			continue
		}
		n++
		r := &doubles.Request{Path: corpus.Path(upstream, "m", false), Body: f.Data, Header: http.Header{}}
		for _, h := range translator.API(upstream).Headers {
			r.Header.Set(h.Name, h.Value)
		}
		require.NoError(t, doubles.New(upstream, options, nil).Check(r), "%s\n%s", upstream, f.Data)
	}
	require.Equal(t, len(protocols), n, "a section for each upstream")
}
