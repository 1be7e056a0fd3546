package stages_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
)

func TestStopsAreBounded(t *testing.T) {
	pair, _ := translator.Lookup("anthropic", "responses")
	for stop, refused := range map[string]bool{
		`["a"]`:                                           false,
		`["` + strings.Repeat("a", 256) + `"]`:            false,
		`["` + strings.Repeat("a", 257) + `"]`:            true,
		`["a"` + strings.Repeat(`,"a"`, 16) + `]`:         true,
		`["` + strings.Repeat(`\ud83d\ude00`, 128) + `"]`: false,
	} {
		x, err := pair.Decode("",
			[]byte(`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"x"}],"stop_sequences":`+
				stop+`}`))
		require.Nil(t, err)
		_, err = x.AppendRequest(nil, &ir.Target{})
		require.Equal(t, refused, err != nil, stop)
		if refused {
			require.Equal(t, "stop_sequences", ir.AsError(err).Path)
		}
	}
}
