package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator/ir"
)

// TestHarmless: an answer of a handler without such headers gets them, and so does a refusal of the
// gate. The page's own headers win. workerd's host has the same headers.
func TestHarmless(t *testing.T) {
	answer := func(handler http.HandlerFunc) http.Header {
		w := httptest.NewRecorder()
		harmless(handler).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return w.Header()
	}
	plain := answer(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("{}")) })
	refused := answer(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r,
			&ir.Error{Kind: ir.Overloaded})
	})
	own := answer(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy",
			"of the page")
	})
	source, err := os.ReadFile("../../worker/workerd/harmless.mjs")
	require.NoError(t, err)
	require.Len(t, harmlessHeaders, 3)
	for name, value := range harmlessHeaders {
		require.Equal(t, value, plain.Get(name))
		require.Equal(t, value, refused.Get(name))
		require.Contains(t, string(source), `"`+strings.ToLower(name)+`": "`+value+`"`)
	}
	require.Equal(t, []string{"of the page"}, own.Values("Content-Security-Policy"))
}
