package serve_test

import (
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/tidwall/gjson"

	"edgelingua/wasmtest/host"
	"edgelingua/wasmtest/store"
	"edgelingua/worker/serve"
)

// Keys of a deployment.
const (
	adminKey  = "admin-key-of-43-characters-aaaaaaaaaaaaaaaa"
	clientKey = "client-key-of-43-characters-bbbbbbbbbbbbbbb"
	sealKey   = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
)

// deployment is a worker in this process, with a store in memory. Its upstreams are functions, by
// the host in their URL.
type deployment struct {
	t     *testing.T
	host  *host.Host
	store *store.Store
	state *watchedStore // store, as seen by the program

	bubble bool // the test runs in a bubble of testing/synctest with the bubble's clock

	mu        sync.Mutex
	time      time.Time
	upstreams map[string]upstream
	asked     []sent // requests to upstreams, in order
	// of the finished requests, in order
	outcomes      []host.Outcome
	endpointCount int // number of endpoints made by endpoint
	abortedEarly  int // requests to upstreams whose client left before they were sent
	// runs before each batch; its error is the batch's error
	batch  func(object string, statements []store.Statement) error
	logged strings.Builder // the host's log
}

// upstream answers one request.
type upstream func(r *sent) *reply

// sent is a request to an upstream.
type sent struct {
	*http.Request
	body string
}

// reply is an upstream's answer.
type reply struct {
	status int
	header map[string]string
	chunks []string // each is one read of the body
	silent bool     // after the chunks, nothing comes until the request is aborted
	err    error    // instead of an answer or, after chunks, of the end of the body

	// all headers, instead of header and the usual content type; nil: there are none beside header
	raw  http.Header
	body io.Reader // replaces chunks; an io.Closer is closed
}

// member returns a member of the JSON body.
func (s *sent) member(path string) gjson.Result { return gjson.Get(s.body, path) }

// says returns a plain answer.
func says(status int, body string) upstream {
	return func(*sent) *reply { return &reply{status: status, chunks: []string{body}} }
}

// streams returns a stream of events.
func streams(chunks ...string) upstream {
	return func(*sent) *reply {
		return &reply{status: 200, header: map[string]string{"Content-Type": "text/event-stream"},
			chunks: chunks}
	}
}

// deploy returns a deployment with these variables and the keys above. Its own upstream is up.test.
func deploy(t *testing.T, env map[string]string) *deployment { return deployOn(t, "", env) }

// deployOn is deploy with the store in a folder; "": in memory.
func deployOn(t *testing.T, folder string, env map[string]string) *deployment {
	t.Helper()
	d := &deployment{t: t, upstreams: map[string]upstream{}, time: time.Unix(1_800_000_000, 0)}
	settings := map[string]string{"ADMIN_KEY": adminKey, "CLIENT_KEY": clientKey, "SEAL_KEY": sealKey,
		"UPSTREAM_URL": "https://up.test/v1", "UPSTREAM_PROTOCOL": "chat", "UPSTREAM_KEY": "sk-up"}
	maps.Copy(settings, env)
	maps.DeleteFunc(settings, func(_, value string) bool { return value == "" })
	var err error
	d.store, err = store.Open(folder, d.now)
	require.NoError(t, err)
	d.state = &watchedStore{Store: d.store, deployment: d}
	d.host = host.NewNative(serve.Program{}, host.Config{
		Env: settings, Transport: d, Store: d.state, Now: d.now, Log: log.New(&d.logged, "", 0),
		Done: func(_ *http.Request, o host.Outcome) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.outcomes = append(d.outcomes, o)
		},
	})
	t.Cleanup(func() {
		require.NoError(t, d.host.Close(context.Background()))
		require.NoError(t, d.store.Close())
	})
	return d
}

// now is the clock of the deployment.
func (d *deployment) now() time.Time {
	if d.bubble {
		return time.Now()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.time
}

// setTime sets the clock to a time in seconds of the Unix epoch.
func (d *deployment) setTime(seconds int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.time = time.Unix(seconds, 0)
}

// later lets time pass.
func (d *deployment) later(passed time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.time = d.time.Add(passed)
}

// RoundTrip sends a request to an upstream.
func (d *deployment) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.abortedEarly++
		return nil, err // as http.Transport does
	}
	s := &sent{Request: r}
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		s.body = string(body)
	}
	d.mu.Lock()
	d.asked = append(d.asked, *s)
	up := d.upstreams[r.URL.Host]
	d.mu.Unlock()
	if !assert.NotNil(d.t, up, "nobody plays the upstream %s", r.URL.Host) {
		return nil, errors.New("no such host")
	}
	answer := up(s)
	if answer.err != nil && answer.chunks == nil && answer.body == nil {
		return nil, answer.err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	for name, value := range answer.header {
		header.Set(name, value)
	}
	if answer.raw != nil {
		header = answer.raw
	}
	if answer.body == nil {
		answer.body = &chunks{left: slices.Clone(answer.chunks), err: answer.err, silent: answer.silent,
			ctx: r.Context()}
	}
	body, ok := answer.body.(io.ReadCloser)
	if !ok {
		body = io.NopCloser(answer.body)
	}
	return &http.Response{StatusCode: answer.status, Header: header, Body: body}, nil
}

// chunks is a body in chunks.
type chunks struct {
	left   []string
	err    error
	silent bool
	ctx    context.Context // of the request
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.left) == 0 {
		if c.silent {
			<-c.ctx.Done()
			return 0, c.ctx.Err()
		}
		if c.err != nil {
			return 0, c.err
		}
		return 0, io.EOF
	}
	n := copy(p, c.left[0])
	if c.left[0] = c.left[0][n:]; c.left[0] == "" {
		c.left = c.left[1:]
	}
	return n, nil
}

// answer is the client's answer.
type answer struct {
	*httptest.ResponseRecorder
	broken bool // the connection broke off
}

// text returns the body.
func (a *answer) text() string { return a.Body.String() }

// get returns a member of the JSON body.
func (a *answer) get(path string) gjson.Result { return gjson.Get(a.text(), path) }

// ask sends a request with the deployment's key. headers are lines "name: value"; an Authorization
// replaces the key.
func (d *deployment) ask(method, path, body string, headers ...string) *answer {
	return d.askWith(context.Background(), method, path, body, headers...)
}

func (d *deployment) askWith(ctx context.Context, method, path, body string, headers ...string) *answer {
	return d.serve(newRequest(ctx, method, path, body, headers...))
}

// newRequest returns a request with the deployment's key. headers are ask's.
func newRequest(ctx context.Context, method, path, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, "http://edge.test"+path, strings.NewReader(body)).WithContext(ctx)
	r.RemoteAddr = "192.0.2.1:1234"
	r.Header.Set("Authorization", "Bearer "+clientKey)
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	return r
}

func (d *deployment) serve(r *http.Request) *answer {
	return d.serveTo(&answer{ResponseRecorder: httptest.NewRecorder()}, r)
}

func (d *deployment) serveTo(a *answer, r *http.Request) *answer {
	func() {
		defer func() {
			if v := recover(); v == http.ErrAbortHandler {
				a.broken = true
			} else if v != nil {
				panic(v)
			}
		}()
		d.host.ServeHTTP(a, r)
	}()
	return a
}

// admin sends a request to the Admin API.
func (d *deployment) admin(method, path, body string, headers ...string) *answer {
	return d.ask(method, "/admin/api"+path, body, append([]string{bearer(adminKey)},
		headers...)...)
}

// make creates an endpoint from a record, and returns the endpoint's key.
func (d *deployment) make(record string) (key string) {
	d.t.Helper()
	a := d.admin("POST", "/endpoints", record)
	require.Equal(d.t, 201, a.Code, a.text())
	return a.get("key").Str
}

// last returns the last request to an upstream.
func (d *deployment) last() sent {
	d.mu.Lock()
	defer d.mu.Unlock()
	require.NotEmpty(d.t, d.asked)
	return d.asked[len(d.asked)-1]
}

// report returns a member of the report of the last finished request.
func (d *deployment) report(path string) gjson.Result {
	d.mu.Lock()
	defer d.mu.Unlock()
	require.NotEmpty(d.t, d.outcomes)
	return gjson.GetBytes(d.outcomes[len(d.outcomes)-1].Report, path)
}
