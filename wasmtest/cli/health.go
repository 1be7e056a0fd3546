package cli

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime/debug"
)

// health answers /healthz itself, without a line in the log. Other paths go to handler.
type health struct {
	handler  http.Handler
	open     func() int  // how many requests are not over
	shutting func() bool // whether new requests are refused since the server shuts down
}

func (h *health) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/healthz" {
		h.handler.ServeHTTP(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusMethodNotAllowed)
		io.WriteString(w, `{"error":{"message":"/healthz takes GET and HEAD."}}`+"\n")
		return
	}
	ok := !h.shutting()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !ok {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	json.NewEncoder(w).Encode(struct {
		OK      bool   `json:"ok"`
		Version string `json:"version"`
		Open    int    `json:"open_requests"`
	}{ok, version(), h.open()})
}

// version returns the version of this host: the release's, or the one that go build recorded for a
// clone.
func version() string {
	if releaseVersion != "" {
		return releaseVersion
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
