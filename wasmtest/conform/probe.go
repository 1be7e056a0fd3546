package conform

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"edgelingua/wasmtest/vendors"
)

// Probe is a conversation of a client with a server. It runs once for all cases that judge it.
type Probe struct {
	name    string
	live    bool // a model can answer without a script
	free    bool // the probe asks no model
	turns   func(upstream string) []*turn
	options func(upstream string) vendors.Options
	model   func(upstream string) string // another model than the usual one; "" for none
	run     func(c *client)
}

// Record is what a probe saw.
type Record struct {
	Client   string // the name of the client's API
	Upstream string // the name of the upstream's API; "" without a scripted upstream
	Replies  []*Reply
	Got      []*Got
	Note     string // why less was tested
	Left     bool   // the upstream has seen that the client left

	api   *api
	probe *Probe
	key   string // of the client
	hung  *fault
	skip  string
}

// client is the client of a running probe.
type client struct {
	ctx      context.Context
	target   *Target
	api      *api
	prefix   string
	model    string
	mark     string
	patience time.Duration
	limit    int // tokens of an answer
	live     bool
	session  *session
	record   *Record
	more     func(used Usage) // called with the tokens of an answer of a model
	renamed  *atomic.Bool     // Chat: the server accepts max_completion_tokens, not max_tokens
}

// Target is the server or gateway.
type Target struct {
	URL   string // without the APIs' paths
	Key   string // "" for a server without keys
	Model string // the model to ask; "" for one that the scripted upstream knows
	// Patience is the longest time for one whole answer; 0: a minute for a model, 20 seconds for a
	// gateway.
	Patience time.Duration
}

// shortKey is the shortest key to look for: a shorter one may be a word of the answer.
const shortKey = 8

// Hide returns a text with a placeholder for the key.
func (t *Target) Hide(text string) string {
	if len(t.Key) < shortKey {
		return text
	}
	return strings.ReplaceAll(text, t.Key, "[the key]")
}

// MaxTokens is the limit of an answer of a model without a script.
const MaxTokens = 64

var transport = func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	t.MaxIdleConnsPerHost = 8
	return t
}()

func newMark() string {
	var random [6]byte
	_, _ = rand.Read(random[:])
	return "(c:" + hex.EncodeToString(random[:]) + ")"
}

// words returns the first text of a conversation, with the marker.
func (c *client) words(text string) string {
	if c.live {
		return text
	}
	return text + " " + c.mark
}

// question returns a question with a text.
func (c *client) question(text string) *question {
	return &question{model: c.model, maxTokens: c.limit, history: []any{c.api.user(texts(c.words(text))...)}}
}

// ask sends a question and reads the answer.
func (c *client) ask(q *question) *Reply {
	body := c.api.body(q)
	if q.change != nil {
		q.change(body)
	}
	r := c.limited(q, body)
	r.Stream = q.stream && r.Status == http.StatusOK
	if !r.Stream {
		_ = json.Unmarshal(r.Body, &r.JSON)
	}
	c.read(r)
	if r.Status == http.StatusOK && c.more != nil {
		c.more(r.Usage)
	}
	return r
}

// limited sends a body with the limit max_tokens. OpenAI's reasoning models reject that name in Chat
// Completions, and other servers reject max_completion_tokens (1Panel-dev/MaxKB#2912) or ignore it
// (ikawrakow/ik_llama.cpp#2321). If a refusal of a server without a script mentions
// max_completion_tokens, the request is sent again with that name, and so are all later ones. A refusal
// costs no tokens.
func (c *client) limited(q *question, body object) *Reply {
	path := c.api.path(c.prefix, q.model, q.stream)
	post := func() *Reply {
		if c.renamed != nil && c.renamed.Load() && c.api == chatAPI {
			body["max_completion_tokens"] = q.maxTokens
			delete(body, "max_tokens")
		}
		return c.send(http.MethodPost, path, c.api.head(c.target.Key), []byte(encode(body)))
	}
	r := post()
	if r.Status == http.StatusBadRequest && c.renamed != nil && c.api == chatAPI && !c.renamed.Load() &&
		bytes.Contains(r.Body, []byte("max_completion_tokens")) {
		c.renamed.Store(true)
		c.record.Replies = c.record.Replies[:len(c.record.Replies)-1]
		r = post()
	}
	return r
}

// send sends a request. Without a whole answer in time the probe ends.
func (c *client) send(method, path string, head map[string]string, body []byte) *Reply {
	r, err := c.try(c.ctx, method, path, head, body)
	if err != nil {
		panic(c.missing(method, path, err))
	}
	c.record.Replies = append(c.record.Replies, r)
	return r
}

// missing returns the fault of a request without an answer.
func (c *client) missing(method, path string, err error) *fault {
	got := err.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		got = fmt.Sprintf("nothing whole within %s of %s %s", c.patience, method, path)
	}
	return &fault{"an answer", Show(c.target.Hide(got))}
}

// try sends a request, and returns an error if there is no whole answer.
func (c *client) try(parent context.Context, method, path string, head map[string]string,
	body []byte) (*Reply,
	error) {
	ctx, cancel := context.WithTimeout(parent, c.patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, c.target.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, v := range head {
		request.Header.Set(name, v)
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		if text := err.Error(); c.target.Hide(text) != text {
			err = errors.New(c.target.Hide(text)) // net/http quotes a malformed answer
		}
		return nil, err
	}
	defer response.Body.Close()
	r := &Reply{Status: response.StatusCode, Header: response.Header}
	r.Body, r.Broken = io.ReadAll(io.LimitReader(response.Body, maxBody))
	if len(r.Body) == maxBody {
		return nil, errors.New("an answer of 32 MB or more, of which the rest was not read")
	}
	if errors.Is(r.Broken, context.DeadlineExceeded) || parent.Err() != nil {
		return nil, context.DeadlineExceeded
	}
	c.clean(r)
	return r, nil
}

// clean hides the client's key in an answer, before a fault can quote the answer.
func (c *client) clean(r *Reply) {
	if body := c.target.Hide(string(r.Body)); body != string(r.Body) {
		r.Body, r.leak = []byte(body), "the body"
	}
	for name, values := range r.Header {
		for i, v := range values {
			if values[i] = c.target.Hide(v); values[i] != v {
				r.leak = "the header " + name
			}
		}
	}
}

// contentType returns the type of an answer without parameters.
func (r *Reply) contentType() string {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	return strings.TrimSpace(strings.ToLower(kind))
}

// summary describes an answer.
func (r *Reply) summary() string {
	if to := r.Header.Get("Location"); to != "" {
		return fmt.Sprintf("%d, a redirect to %s, which the key must not follow", r.Status, to)
	}
	return fmt.Sprintf("%d %s", r.Status, r.Body)
}
