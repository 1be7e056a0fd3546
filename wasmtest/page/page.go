// Package page serves the page in the browser, as worker/workerd/page.mjs does: files that build.sh has packed, without running the
// module.
package page

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
	".wasm": "application/wasm",
}

var headers = map[string]string{
	"Cache-Control":                "no-cache",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"X-Frame-Options":              "DENY",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// policyOf is the content security policy of a file. Only the owner's page compiles the module.
func policyOf(name string) string {
	script := "'none'"
	switch name {
	case "admin.html":
		script = "'self'"
	case "owner.html":
		script = "'self' 'wasm-unsafe-eval'"
	}
	return "default-src 'none'; script-src " + script + "; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
		"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// Handler answers requests for the files of a folder, and hands every other one to next.
func Handler(folder string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			name := nameOf(r.URL.Path, r.Header.Get("Accept"))
			if file, err := read(folder, name); err == nil {
				send(w, r, name, file)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// read returns a packed file of the folder; a name that is none is an error.
func read(folder, name string) ([]byte, error) {
	if name == "" || path.Base(name) != name || strings.Contains(name, `\`) {
		return nil, os.ErrNotExist
	}
	return os.ReadFile(filepath.Join(folder, name+".bin"))
}

func send(w http.ResponseWriter, r *http.Request, name string, file []byte) {
	h := w.Header()
	for key, value := range headers {
		h.Set(key, value)
	}
	// A file ends with its CRC and size, as gzip does.
	tag := fmt.Sprintf(`"%016x"`, binary.BigEndian.Uint64(file[len(file)-8:]))
	h.Set("Etag", tag)
	h.Set("Content-Type", types[path.Ext(name)])
	h.Set("Content-Security-Policy", policyOf(name))
	if name == "owner.html" {
		h.Set("Vary", "accept")
	}
	if strings.Replace(r.Header.Get("If-None-Match"), "W/", "", 1) == tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", fmt.Sprint(len(file)))
	if r.Method == http.MethodGet {
		w.Write(file)
	}
}

var owner = regexp.MustCompile(`^/u/[a-z0-9-]{1,40}/?$`)

// nameOf is the file that a path stands for. Clients look for a greeting where browsers look for the owner's page.
func nameOf(path, accept string) string {
	switch {
	case path == "/admin" || path == "/admin/":
		return "admin.html"
	case owner.MatchString(path) && strings.Contains(accept, "text/html"):
		return "owner.html"
	}
	if name, ok := strings.CutPrefix(path, "/page/"); ok {
		return name
	}
	return ""
}
