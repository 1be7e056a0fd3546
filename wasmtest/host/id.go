package host

import (
	"crypto/rand"
	"net/http"
	"strings"

	"edgelingua/worker/bridge"
)

// RequestID returns the id of a request that the program does not answer: the client's own, or a random one.
func RequestID(r *http.Request) string {
	if id := strings.Join(r.Header.Values("X-Request-Id"), ", "); bridge.IsID(id) {
		return id
	}
	return "req_" + rand.Text()
}

// SetRequestID says an id in the head of an answer.
func SetRequestID(h http.Header, id string) {
	h.Set("X-Request-Id", id)
	h.Set("Request-Id", id) // read by Anthropic's SDKs
}
