package host

import (
	"crypto/rand"
	"net/http"
	"strings"

	"edgelingua/worker/bridge"
)

// RequestID returns the id for a request that the program does not answer: the client's own
// x-request-id, or a random id.
func RequestID(r *http.Request) string {
	if id := strings.Join(r.Header.Values("X-Request-Id"), ", "); bridge.IsID(id) {
		return id
	}
	return "req_" + rand.Text()
}

// SetRequestID sets an answer's headers for the request's id.
func SetRequestID(h http.Header, id string) {
	h.Set("X-Request-Id", id)
	h.Set("Request-Id", id) // the name for Anthropic's SDKs
}
