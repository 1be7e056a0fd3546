package metrics

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// Path is where the metrics are.
const Path = "/metrics"

// asked is a request that the program answers with 200 to whoever has ADMIN_KEY, and to nobody else.
const asked = "/admin/api/endpoints?limit=1"

// WithKey returns a handler of Path for the server that clients ask: it shows the metrics by next
// to whoever presents the deployment's ADMIN_KEY. The names of endpoints are those of customers. It
// is program that says whether the key is good, since it counts wrong ones, too.
func WithKey(program, next http.Handler) http.Handler {
	return guarded(func(r *http.Request) (status int, refusal string) {
		q := r.Clone(r.Context())
		q.Method, q.Body, q.ContentLength, q.RequestURI = http.MethodGet, http.NoBody, 0, asked
		q.URL, _ = url.Parse(asked)
		q.Header = r.Header.Clone()
		for _, name := range []string{"Cookie", "Content-Length", "Content-Type", "Content-Encoding",
			"Upgrade", "Connection"} {
			q.Header.Del(name)
		}
		answer := kept{head: http.Header{}}
		program.ServeHTTP(&answer, q)
		switch answer.status {
		case http.StatusOK:
			return http.StatusOK, ""
		case http.StatusUnauthorized:
			return answer.status, "No key, or a wrong one. Send ADMIN_KEY as `Authorization: Bearer KEY`."
		}
		return answer.status, "The metrics can't be shown now: " + messageOf(answer.body.Bytes()) +
			" Without a key they are at an address of their own: --metrics-addr."
	}, next)
}

// messageOf returns the message in the body of an error.
func messageOf(body []byte) string {
	var of struct{ Error struct{ Message string } }
	json.Unmarshal(body, &of)
	return of.Error.Message
}

// kept is an http.ResponseWriter that keeps the answer.
type kept struct {
	head   http.Header
	status int
	body   bytes.Buffer
}

func (k *kept) Header() http.Header         { return k.head }
func (k *kept) WriteHeader(status int)      { k.status = status }
func (k *kept) Write(p []byte) (int, error) { return k.body.Write(p) }

// Alone returns a handler of Path for a server of its own, which listens on a loopback address: it
// shows the metrics by next without a key. The Host of a request has to be such an address, too: a
// page in a browser on this machine reaches the server under a name of its own that it has made
// lead here (DNS rebinding).
func Alone(next http.Handler) http.Handler {
	shown := guarded(func(r *http.Request) (status int, refusal string) {
		if !Loopback(r.Host) {
			return http.StatusForbidden, "Ask by a loopback address, such as 127.0.0.1, or localhost."
		}
		return http.StatusOK, ""
	}, next)
	mux := http.NewServeMux()
	mux.Handle(Path, shown)
	return mux
}

// Loopback reports whether the host of an address, with or without a port, is localhost or an
// address of the loopback interface.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = strings.Trim(address, "[]")
	}
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// guarded returns a handler that serves GET and HEAD by next where refused returns no refusal.
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
