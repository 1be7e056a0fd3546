package metrics

import (
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"strings"

	"edgelingua/worker/endpoint"
)

// Path is where the metrics are.
const Path = "/metrics"

// WithKey returns a handler of Path for the server that clients ask: it shows the metrics by next to whoever presents the deployment's
// ADMIN_KEY. The names of endpoints are those of customers.
func WithKey(get endpoint.Getter, next http.Handler) http.Handler {
	return guarded(func(r *http.Request) (status int, refusal string) {
		key, refused := endpoint.AdminKey(get)
		if refused != "" {
			return http.StatusUnauthorized, "No metrics: this server has no ADMIN_KEY of 16 characters or more. Set one, or show them on an address of their own: --metrics-addr."
		}
		presented, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(presented), []byte(key)) != 1 {
			return http.StatusUnauthorized, "No key, or a wrong one. Send ADMIN_KEY as `Authorization: Bearer KEY`."
		}
		return http.StatusOK, ""
	}, next)
}

// Alone returns a handler of Path for a server of its own, which listens on a loopback address: it shows the metrics by next without a key.
// The Host of a request has to be such an address, too: a page in a browser on this machine reaches the server under a name of its own
// that it has made lead here (DNS rebinding).
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

// Loopback reports whether the host of an address, with or without a port, is localhost or an address of the loopback interface.
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
		h.Set("Content-Type", "text/plain; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		io.WriteString(w, refusal+"\n")
	})
}
