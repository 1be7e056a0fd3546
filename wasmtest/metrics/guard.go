package metrics

import (
	"encoding/json"
	"net/http"

	"edgelingua/wasmtest/guard"
)

// Path is the path of the metrics.
const Path = "/metrics"

// asked is a request that the program answers with 200 only if the key is ADMIN_KEY.
const asked = "/admin/api/endpoints?limit=1"

// WithKey returns a handler of Path for the server that serves clients. It calls next only if the
// request has the deployment's ADMIN_KEY, since the labels contain names of customers' endpoints.
// The handler program checks the key and counts wrong keys.
func WithKey(program, next http.Handler) http.Handler {
	return guarded(func(r *http.Request) (status int, refusal string) {
		q := r.Clone(r.Context())
		q.Header.Del("Cookie")
		answer := guard.Ask(program, q, asked)
		switch answer.Status {
		case http.StatusOK:
			return http.StatusOK, ""
		case http.StatusUnauthorized:
			return answer.Status, "No key, or a wrong one. Send ADMIN_KEY as `Authorization: Bearer KEY`."
		}
		return answer.Status, "The metrics can't be shown now: " + messageOf(answer.Body.Bytes()) +
			" Without a key they are at an address of their own: --metrics-addr."
	}, next)
}

// messageOf returns the message in the body of an error.
func messageOf(body []byte) string {
	var of struct{ Error struct{ Message string } }
	json.Unmarshal(body, &of)
	return of.Error.Message
}

// Alone returns a handler of Path for a separate server that listens on a loopback address, and
// needs no key. The Host of a request must be a loopback address too. Otherwise a webpage in a
// browser on this machine could read the metrics under a hostname of the webpage's owner that
// resolves to this machine (DNS rebinding).
func Alone(next http.Handler) http.Handler {
	shown := guarded(func(r *http.Request) (status int, refusal string) {
		if !guard.Loopback(r.Host) {
			return http.StatusForbidden, "Ask by a loopback address, such as 127.0.0.1, or localhost."
		}
		return http.StatusOK, ""
	}, next)
	mux := http.NewServeMux()
	mux.Handle(Path, shown)
	return mux
}

// guarded returns a handler that passes GET and HEAD to next if refused returns no refusal.
func guarded(refused func(*http.Request) (status int, refusal string), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		status, refusal := refused(r)
		if refusal == "" && r.Method != http.MethodGet && r.Method != http.MethodHead {
			status, refusal = http.StatusMethodNotAllowed, Path+" takes GET and HEAD."
			h.Set("Allow", "GET, HEAD")
		}
		if refusal == "" {
			next.ServeHTTP(w, r)
			return
		}
		if status == http.StatusUnauthorized {
			h.Set("WWW-Authenticate", "Bearer")
		}
		h.Set("Content-Type", "application/json")
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(map[string]any{"error": map[string]string{"message": refusal}})
	})
}
