package smoke

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"time"

	"edgelingua/wasmtest/conform"
)

// Target is the edgelingua to check.
type Target struct {
	URL      string // without a slash at the end
	Key      string // the CLIENT_KEY
	Upstream string // the protocol of the upstream; "" if unknown
	// Secrets are texts that no answer may contain, in addition to Key and wrongKey.
	Secrets []string
	// Patience is the maximum time for one whole answer of a server on another machine; 0: a
	// minute.
	Patience time.Duration
}

func (t *Target) patience() time.Duration { return cmp.Or(t.Patience, time.Minute) }

// wrongKey is not the key of any deployment.
const wrongKey = "edgelingua-smoke-wrong-key"

// shortKey is the minimum length in characters of a key to search for in answers. A shorter key may
// be a common word.
const shortKey = 8

// maxAnswer bounds how many bytes of an answer are read.
const maxAnswer = 16 << 20

// client sends the requests of one check.
type client struct {
	ctx      context.Context
	target   Target
	patience time.Duration // maximum time for one whole answer
	note     string        // why the check is incomplete, for the report
	taken    *Usage        // total of the answers' tokens; nil: not counted
}

var transport = func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.DisableCompression = true
	return t
}()

// received is an HTTP response as received.
type received struct {
	status int
	head   http.Header
	body   string
	broken error // why the body broke off; nil: the body is complete
}

// send sends a request and returns the answer. The check fails without an answer, and if the answer
// repeats a key.
func (c *client) send(method, path string, head map[string]string, body string) *received {
	a, err := c.try(method, path, head, body)
	if err != nil {
		fail("an answer", reason(err, c.patience))
	}
	for _, secret := range append([]string{c.target.Key, wrongKey}, c.target.Secrets...) {
		if len(secret) < shortKey {
			continue
		}
		if strings.Contains(a.body, secret) {
			fail("an answer without the key", "the key is in the body")
		}
		for name, values := range a.head {
			if strings.Contains(strings.Join(values, "\n"), secret) {
				fail("an answer without the key", "the key is in the header "+name)
			}
		}
	}
	return a
}

// try sends a request and returns the answer, or the error if there is no answer.
func (c *client) try(method, path string, head map[string]string, body string) (*received, error) {
	ctx, cancel := context.WithTimeout(c.ctx, c.patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, c.target.URL+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range head {
		r.Header.Set(name, value)
	}
	response, err := transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	a := &received{status: response.StatusCode, head: response.Header}
	whole, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	a.body, a.broken = string(whole), err
	if len(whole) == maxAnswer {
		return nil, errTooLong
	}
	if errors.Is(err, context.DeadlineExceeded) || c.ctx.Err() != nil {
		return nil, err
	}
	return a, nil
}

var errTooLong = errors.New("an answer of 16 MB and more, of which the rest was not read")

// reason returns why there is no answer, in words for the report.
func reason(err error, patience time.Duration) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("nothing whole within %s", patience)
	}
	return err.Error()
}

// keyHeader, googleKey and bearer return the headers with which a client may present a key.
func keyHeader(key string) map[string]string { return map[string]string{"x-api-key": key} }
func googleKey(key string) map[string]string { return map[string]string{"x-goog-api-key": key} }
func bearer(key string) map[string]string {
	return map[string]string{"authorization": "Bearer " + key}
}

// own returns the key's header as sent by the protocol's own clients.
func (d *dialect) own(key string) map[string]string {
	head := map[string]string{}
	if d.name == "anthropic" {
		head["anthropic-version"] = "2023-06-01"
	}
	if key != "" {
		maps.Copy(head, d.present(key))
	}
	return head
}

// post sends a question.
func (c *client) post(d *dialect, q *question) *received {
	return c.send(http.MethodPost, d.pathOf(q), d.own(c.target.Key), encode(d.ask(q)))
}

// pathOf returns the path of a question.
func (d *dialect) pathOf(q *question) string {
	prefix, _, _ := strings.Cut(d.path[1:], "/")
	return q.Ask.Path(d.name, "/"+prefix)
}

// ask returns the body of a question.
func (d *dialect) ask(q *question) object {
	body := q.Ask.Body(d.name)
	if q.maxCompletionTokens {
		body["max_completion_tokens"] = body["max_tokens"]
		delete(body, "max_tokens")
	}
	return body
}

// say sends a question and reads the answer. The answer must be a success.
func (c *client) say(d *dialect, q *question) *said {
	return c.read(d, q, c.post(d, q))
}

// read reads the answer to a question. The answer must be a success.
func (c *client) read(d *dialect, q *question, a *received) *said {
	if a.status != http.StatusOK {
		fail("status 200", a.summary())
	}
	var s *said
	if q.Stream {
		a.isA("text/event-stream")
		a.isWhole()
		s = d.stream(q, split(a.body))
	} else {
		a.isA("application/json")
		a.isWhole()
		s = d.plain(q, parse("the body", a.body))
	}
	if c.taken != nil {
		c.taken.Input += s.input
		c.taken.Output += s.output
	}
	return s
}

func (a *received) isWhole() {
	if a.broken != nil {
		fail("a whole answer", "a broken connection ("+a.broken.Error()+") behind "+tail(a.body))
	}
}

func (a *received) isA(contentType string) {
	if got, _, _ := strings.Cut(a.head.Get("content-type"), ";"); got != contentType {
		fail("content-type "+contentType, a.head.Get("content-type")+": "+a.body)
	}
}

// refused demands an error in the client's dialect with one of the statuses, and returns the
// error's message.
func (a *received) refused(d *dialect, statuses ...int) string {
	for _, status := range statuses {
		if a.status == status {
			a.isA("application/json")
			return d.failure(parse("the body", a.body), status)
		}
	}
	fail(fmt.Sprintf("status %d", statuses[0]), fmt.Sprintf("%d %s", a.status, a.body))
	return ""
}

// summary describes an answer, including its status.
func (a *received) summary() string {
	if location := a.head.Get("location"); location != "" {
		return fmt.Sprintf("%d, a redirect to %s, which the key must not follow", a.status, location)
	}
	return fmt.Sprintf("%d %s", a.status, a.body)
}

// tail returns the end of a text.
func tail(text string) string {
	if len(text) > conform.MaxShown {
		text = "... " + strings.ToValidUTF8(text[len(text)-conform.MaxShown:], "")
	}
	return text
}
