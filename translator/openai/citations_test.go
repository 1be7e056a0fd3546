package openai

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestCitationAtTheBeginning: a citation keeps a range that ends where the text begins. A citation
// without a range applies to the whole text.
func TestCitationAtTheBeginning(t *testing.T) {
	var c Citations
	c.Begin(0)
	c.Add(&ir.Citation{URL: "u", Start: 0, End: 0})
	c.Add(&ir.Citation{URL: "v", Start: -1, End: -1})
	require.Equal(t,
		`{"start_index":0,"end_index":0,"url":"u","title":""},{"start_index":0,"end_index":9,"url":"v",`+
			`"title":""}`, string(c.Append(nil, 9, "{", "}")))
}
