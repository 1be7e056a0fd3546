package record

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/record/mask"
	"edgelingua/worker/endpoint"
)

// Bounds limit how much is recorded.
type Bounds struct {
	Body   int64 // bytes of one body; of a longer body only the length is written
	File   int64 // bytes of all bodies of a recording
	Memory int64 // bytes of all buffered recordings, in progress or waiting to be written
	Files  int   // files in the folder, including files of earlier runs
	Folder int64 // bytes of the files in the folder
}

// Usual are the bounds that serve uses.
var Usual = Bounds{Body: 8 << 20, File: 16 << 20, Memory: 64 << 20, Files: 1000, Folder: 256 << 20}

// Config says what a Recorder records, and where.
type Config struct {
	Dir string
	// the personal endpoint to record; "" for the deployment's own
	Endpoint string
	Settings map[string]string // vars and secrets of the deployment
	Bounds   Bounds
	Log      *log.Logger
}

// Recorder writes recordings to files.
type Recorder struct {
	config  Config
	bounds  Bounds
	folder  *folder
	secrets []string // of the settings
	short   []string // names of settings whose secrets are too short to search for
	held    atomic.Int64
	stopped atomic.Bool
	queue   chan *recording
	idle    chan struct{} // closed once all of the queue is written
	written int           // number of files written so far

	mu      sync.Mutex
	learned []string // keys sent to upstreams, the newest last
	closed  bool     // the queue is closed
	missed  int      // recordings dropped because the queue was full
}

// mostLearned bounds how many keys of upstreams are remembered, besides the keys of the recording
// being written.
const mostLearned = 100

// mostWaiting bounds how many recordings wait to be written.
const mostWaiting = 1000

// Open opens the folder and returns a recorder for it. The caller must call Close. Errors are
// written for the user and say what to do.
func Open(c Config) (*Recorder, error) {
	folder, err := openFolder(c.Dir)
	if err != nil {
		return nil, err
	}
	r := &Recorder{config: c, bounds: c.Bounds, folder: folder, queue: make(chan *recording, mostWaiting),
		idle: make(chan struct{})}
	r.secrets, r.short = configured(c.Settings)
	go r.write()
	return r, nil
}

// Announce logs a warning that conversations are recorded, and where.
func (r *Recorder) Announce() {
	whose := "conversations"
	if r.config.Endpoint != "" {
		whose = "the conversations of the endpoint " + r.config.Endpoint
	}
	r.config.Log.Printf("RECORDING: %s are kept in the clear in %s, up to %d files or %d MB; keys are "+
		"masked. %sLeave --record out to stop it.",
		whose, r.folder.path, r.bounds.Files, r.bounds.Folder>>20, Note)
	for _, name := range r.short {
		r.config.Log.Printf("note: %s has less than %d characters, so recordings are not searched for it",
			name, mask.Shortest)
	}
	if reason := r.full(0); reason != "" {
		r.stop(reason)
	}
}

// configured returns the secrets among settings, and the names of the settings whose secrets are
// too short to search for.
func configured(settings map[string]string) (secrets, short []string) {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		v := settings[name]
		if lower := strings.TrimSuffix(strings.ToLower(name), "_previous"); v == "" || !namesKey(lower) {
			continue
		}
		if len(v) < mask.Shortest {
			short = append(short, name)
			continue
		}
		secrets = append(secrets, v)
		// a master key may be spelled in both
		for _, coding := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
			if key, err := coding.DecodeString(v); err == nil && len(key) == 32 {
				secrets = append(secrets, base64.StdEncoding.EncodeToString(key),
					base64.RawURLEncoding.EncodeToString(key))
			}
		}
	}
	return secrets, short
}

// Handler returns a handler that calls next, and records client requests for answers, token counts,
// models and stored responses.
func (r *Recorder) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if r.stopped.Load() || !r.wanted(request) {
			next.ServeHTTP(w, request)
			return
		}
		x := &recording{recorder: r, request: request, start: time.Now(), secrets: secretsIn(request.Header)}
		inner := request.WithContext(context.WithValue(request.Context(), key{}, x))
		if inner.Body != nil {
			inner.Body = &reading{request.Body, x, &x.asked}
		}
		whole := false
		defer func() { // also runs if next panics, which breaks the connection
			x.finish(whole)
			r.take(x)
		}()
		next.ServeHTTP(&writing{w, x}, inner)
		whole = true
	})
}

// wanted reports whether a request is recorded. Requests to the Admin API and the owners' API have
// no route of a protocol and are not.
func (r *Recorder) wanted(request *http.Request) bool {
	if strings.EqualFold(request.Header.Get("Upgrade"), "websocket") {
		return false // each WebSocket frame comes as a separate request
	}
	address, rest, _ := endpoint.Split(request.URL.Path)
	client := endpoint.Client(request.URL.Path, request.Header.Get)
	operation, _, found := client.Route(rest)
	return found && operation != ir.Unserved && operation != ir.Greet && address.Name == r.config.Endpoint
}

// Watch is for host.Config.Watch: it returns a transport that sends requests through next and
// records them.
func (r *Recorder) Watch(next http.RoundTripper) http.RoundTripper { return &watched{r, next} }

// learn remembers keys sent to an upstream, since another recording may contain them.
func (r *Recorder) learn(secrets []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, secret := range secrets {
		if !slices.Contains(r.learned, secret) {
			r.learned = append(r.learned, secret)
		}
	}
	r.learned = slices.Delete(r.learned, 0, max(0, len(r.learned)-mostLearned))
}

// known returns the secrets to mask in every recording.
func (r *Recorder) known() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Concat(r.secrets, r.learned)
}

// hold reserves n bytes of the memory, and reports whether so much was free. A negative n releases
// memory.
func (r *Recorder) hold(n int64) bool {
	if r.held.Add(n) <= r.bounds.Memory || n <= 0 {
		return true
	}
	r.held.Add(-n)
	return false
}

// take queues a finished recording for writing.
func (r *Recorder) take(x *recording) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !x.letIn() || r.stopped.Load() || r.closed {
		r.hold(-x.held)
		return
	}
	select {
	case r.queue <- x:
	default:
		r.hold(-x.held)
		if r.missed++; r.missed == 1 {
			r.config.Log.Print("RECORDING: exchanges are left out, because they come faster than they are " +
				"masked and written")
		}
	}
}

// write writes the recordings in the queue, one at a time.
func (r *Recorder) write() {
	defer close(r.idle)
	for x := range r.queue {
		if !r.stopped.Load() {
			r.keep(x)
		}
		r.hold(-x.held)
	}
}

// keep writes a recording to a file. If writing fails, recording stops, even if the cause is a
// panic in this package.
func (r *Recorder) keep(x *recording) {
	defer func() {
		if fault := recover(); fault != nil {
			r.stop(fmt.Sprintf("an exchange can't be written down (%v)", fault))
		}
	}()
	text, err := r.scenario(x)
	if err != nil {
		r.config.Log.Printf("RECORDING: an exchange is left out: %v", err)
		return
	}
	if reason := r.full(len(text)); reason != "" {
		r.stop(reason)
		return
	}
	for {
		r.written++
		err := r.folder.write(fmt.Sprintf("%s-%04d.txtar", x.start.UTC().Format("20060102-150405"),
			r.written), text)
		if errors.Is(err, fs.ErrExist) {
			continue // of another run in the same second
		}
		if err != nil {
			r.stop(err.Error())
		}
		return
	}
}

// full returns the reason why the folder has no room for a file of size bytes, or "".
func (r *Recorder) full(size int) string {
	switch {
	case r.folder.files >= r.bounds.Files:
		return fmt.Sprintf("%s has %d files, which is the most", r.folder.path, r.folder.files)
	case r.folder.bytes+int64(size) > r.bounds.Folder:
		return fmt.Sprintf("%s has %d MB, which is the most", r.folder.path, r.bounds.Folder>>20)
	}
	return ""
}

// stop ends the recording, not the service.
func (r *Recorder) stop(reason string) {
	r.stopped.Store(true)
	r.config.Log.Printf("RECORDING HAS STOPPED: %s. The service goes on; start it again with another "+
		"folder to record more.", reason)
}

// Close waits until the finished recordings are written, but at most for patience, since a disk may
// hang. It must be called once. Requests still open are not recorded.
func (r *Recorder) Close(patience time.Duration) {
	r.mu.Lock()
	r.closed = true
	close(r.queue)
	if r.missed > 0 {
		r.config.Log.Printf("RECORDING: %d exchanges were left out, because they came faster than they "+
			"were masked and written", r.missed)
	}
	r.mu.Unlock()
	select {
	case <-r.idle:
		r.folder.root.Close()
	case <-time.After(patience):
		r.config.Log.Printf("RECORDING: what was not written to %s within %v is lost", r.folder.path,
			patience)
	}
}
