// Package page serves the page in the browser, and the Admin API's description at /openapi.json, as
// worker/workerd/page.mjs does. The files were compressed by build.sh, and the package does not run
// the module.
package page

import (
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"strings"
)

var types = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".json": "application/json",
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

// policyOf returns the content security policy of a file. Pages with "Try it" may compile the
// module.
func policyOf(name string) string {
	script := "'none'"
	if path.Ext(name) == ".html" {
		script = "'self' 'wasm-unsafe-eval'"
	}
	return "default-src 'none'; script-src " + script +
		"; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
		"form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
}

// Handler returns a handler that serves packed files and passes all other paths to next. The files
// must implement io.ReaderAt. If demo is true, the page at / is redirected to /?demo, where
// worker/page/home/home.mjs uses the demo's key at once.
func Handler(files fs.FS, demo bool, next http.Handler) http.Handler {
	// The page is a packed file that does not know whether a server is the demo, and asks for
	// nothing before a key is typed. Without the redirect every page at / would first try a wrong
	// key. A deployment that is no demo refuses the demo's key like any other.
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet || r.Method == http.MethodHead {
			name := nameOf(r.URL.Path, r.Header.Get("Accept"))
			if demo && name == "home.html" && r.URL.RawQuery == "" {
				w.Header().Set("Cache-Control", "no-store")
				http.Redirect(w, r, "/?demo", http.StatusFound)
				return
			}
			if file, err := open(files, name); err == nil {
				defer file.Close()
				send(w, r, name, file)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// packed is an open packed file. The file is sent in pieces and never held in memory, since a
// client may stop reading in the middle.
type packed struct {
	fs.File
	size int64
	tag  string // from the CRC and the unpacked size at the end of the file (gzip's trailer)
}

// open returns a packed file. The caller must close the file. A name with a path to elsewhere is an
// error.
func open(files fs.FS, name string) (*packed, error) {
	if name == "" || path.Base(name) != name || strings.Contains(name, `\`) {
		return nil, fs.ErrNotExist
	}
	file, err := files.Open(name + ".bin")
	if err != nil {
		return nil, err
	}
	var trailer [8]byte
	info, err := file.Stat()
	if err == nil {
		_, err = file.(io.ReaderAt).ReadAt(trailer[:], info.Size()-int64(len(trailer)))
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &packed{file, info.Size(), fmt.Sprintf(`"%016x"`, binary.BigEndian.Uint64(trailer[:]))}, nil
}

func send(w http.ResponseWriter, r *http.Request, name string, file *packed) {
	h := w.Header()
	for key, value := range headers {
		h.Set(key, value)
	}
	h.Set("Etag", file.tag)
	h.Set("Content-Type", types[path.Ext(name)])
	h.Set("Content-Security-Policy", policyOf(name))
	if path.Ext(name) == ".html" && name != "admin.html" {
		h.Set("Vary", "accept")
	}
	if strings.Replace(r.Header.Get("If-None-Match"), "W/", "", 1) == file.tag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", fmt.Sprint(file.size))
	if r.Method == http.MethodGet {
		io.Copy(w, file.File)
	}
}

var owner = regexp.MustCompile(`^/u/[a-z0-9-]{1,40}/?$`)

// nameOf returns the name of the file for a path, or "". At / and /u/NAME a browser, known by its
// accept header, gets the deployment's or the owner's page. An API client gets the program's
// greeting.
func nameOf(path, accept string) string {
	switch {
	case path == "/" && strings.Contains(accept, "text/html"):
		return "home.html"
	case path == "/admin" || path == "/admin/":
		return "admin.html"
	case path == "/openapi.json":
		return "openapi.json"
	case owner.MatchString(path) && strings.Contains(accept, "text/html"):
		return "owner.html"
	}
	if name, ok := strings.CutPrefix(path, "/page/"); ok {
		return name
	}
	return ""
}
