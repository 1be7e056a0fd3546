package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"edgelingua/wasmtest/guard"
)

// recordedHeader names the recorded endpoint to the page, "" for the deployment's own. Only answers
// with the endpoint's settings have the header.
const recordedHeader = "X-Edgelingua-Recorded"

const (
	mostListed = 200
	mostFile   = 64 << 20 // bytes of a file for the page
	mostBegun  = 64 << 10 // bytes of a file for the list
)

// fileName matches the names of recordings: see keep. No such name leads out of the folder.
var fileName = regexp.MustCompile(`^\d{8}-\d{6}-\d{4,9}\.txtar$`)

// Viewer returns a handler that serves the recordings to the page below the path of the endpoint's
// settings, and passes other requests to next. If next shows the settings to a client, the client may
// see the recordings: with the operator's session or ADMIN_KEY, or with CLIENT_KEY. Other people may
// know CLIENT_KEY, so only requests from this machine count; others find nothing at the path.
func (r *Recorder) Viewer(next http.Handler) http.Handler {
	settings := "/api"
	if r.config.Endpoint != "" {
		settings = "/admin/api/endpoints/" + r.config.Endpoint
	}
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		path, ours := strings.CutPrefix(request.URL.Path, settings)
		if !ours || request.Method != http.MethodGet || r.config.Endpoint == "" && !local(request) {
			next.ServeHTTP(w, request)
			return
		}
		path, ours = strings.CutPrefix(path, "/recordings")
		switch {
		case !ours && path == "":
			next.ServeHTTP(&telling{w, r.config.Endpoint}, request)
		case !ours || path != "" && path[0] != '/':
			next.ServeHTTP(w, request)
		default:
			answer := guard.Ask(next, request, settings)
			if answer.Status != http.StatusOK {
				send(w, answer.Status, answer.Head, answer.Body.Bytes())
				return
			}
			r.view(w, path)
		}
	})
}

// local reports whether a request comes from this machine, for this machine: not through a proxy with a
// header about the client, and not from a webpage whose hostname resolves to this machine. A proxy on this
// machine without such a header looks like this machine: see docs/operating.md.
func local(r *http.Request) bool {
	return guard.Loopback(r.RemoteAddr) && guard.Loopback(r.Host) &&
		r.Header.Get("X-Forwarded-For") == "" && r.Header.Get("Forwarded") == ""
}

// telling is an http.ResponseWriter that adds recordedHeader to a 200.
type telling struct {
	http.ResponseWriter
	endpoint string
}

func (t *telling) WriteHeader(status int) {
	if status == http.StatusOK {
		t.Header().Set(recordedHeader, t.endpoint)
	}
	t.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the underlying ResponseWriter.
func (t *telling) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// view answers with the list of the recordings or, for a path "/NAME", with one recording.
func (r *Recorder) view(w http.ResponseWriter, path string) {
	var out any
	var err error
	if name, one := strings.CutPrefix(path, "/"); one {
		out, err = r.folder.show(name)
	} else {
		out, err = r.folder.list()
	}
	status := http.StatusOK
	if err != nil {
		status = http.StatusInternalServerError
		if errors.Is(err, fs.ErrNotExist) {
			status, err = http.StatusNotFound, errors.New("There is no such recording.")
		}
		out = map[string]any{"error": map[string]string{"message": err.Error()}}
	}
	body, err := json.Marshal(out)
	if err != nil {
		panic(err) // can't happen: only strings, numbers and booleans
	}
	send(w, status, http.Header{"Content-Type": {"application/json"}}, body)
}

func send(w http.ResponseWriter, status int, head http.Header, body []byte) {
	for _, name := range []string{"Content-Type", "Retry-After"} {
		if v := head.Get(name); v != "" {
			w.Header().Set(name, v)
		}
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(body)
}

// listing is the list of recordings for the page: the newest ones first. Total counts all.
type listing struct {
	Recordings []summary `json:"recordings"`
	Total      int       `json:"total"`
}

func (f *folder) list() (*listing, error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !e.Type().IsRegular() || !fileName.MatchString(e.Name())
	})
	slices.Reverse(entries) // fs.ReadDir sorts by name, which begins with the time
	l := &listing{Recordings: []summary{}, Total: len(entries)}
	for _, entry := range entries[:min(len(entries), mostListed)] {
		begin, err := f.read(entry.Name(), mostBegun)
		if err == nil {
			l.Recordings = append(l.Recordings, summaryOf(entry.Name(), txtar.Parse(begin)))
		}
	}
	return l, nil
}

func (f *folder) show(name string) (*shown, error) {
	if !fileName.MatchString(name) {
		return nil, fs.ErrNotExist
	}
	text, err := f.read(name, mostFile)
	switch {
	case err != nil:
		return nil, err
	case len(text) == mostFile:
		return nil, errors.New("This recording is too long for the page. Read the file itself.")
	}
	return shownOf(name, text), nil
}

// read returns at most n bytes of a file.
func (f *folder) read(name string, n int64) ([]byte, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fs.ErrNotExist
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var text bytes.Buffer
	_, err = text.ReadFrom(io.LimitReader(file, n))
	return text.Bytes(), err
}
