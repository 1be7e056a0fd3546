package cli

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/worker/web/page"
)

// TestNoPage: a request for a page, as the host sends it for a model, gets nothing. The same
// request of anybody else does. worker.mjs has the same user-agent and the same message.
func TestNoPage(t *testing.T) {
	handler := noPage(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("page")) }))
	for agent, status := range map[string]int{page.Agent: 403, "": 200, "edgelingua/1": 200, "curl/8": 200} {
		for _, path := range []string{"/", "/healthz", "/page/app.wasm", "/u/anna", "/v1/models", "/v1/messages"} {
			w, r := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
			r.Header.Set("User-Agent", agent)
			handler.ServeHTTP(w, r)
			require.Equal(t, status, w.Code, "%s at %s", agent, path)
			require.Equal(t, status == 200, w.Body.String() == "page")
		}
	}
	source, err := os.ReadFile("../../worker/workerd/worker.mjs")
	require.NoError(t, err)
	require.Contains(t, string(source), `const FETCHER = "`+page.Agent+`";`)
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	r.Header.Set("User-Agent", page.Agent)
	handler.ServeHTTP(w, r)
	_, message, _ := strings.Cut(w.Body.String(), `"message":"`)
	message, _, _ = strings.Cut(message, `"`)
	require.Contains(t, string(source), message)
}
