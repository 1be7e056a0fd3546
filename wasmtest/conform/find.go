package conform

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Served says whether a server has one of the four APIs.
type Served struct {
	Name   string `json:"name"`
	URL    string `json:"url,omitempty"` // where requests are sent
	Served bool   `json:"served"`
	Why    string `json:"why,omitempty"` // why the API does not seem to be served

	api    *api
	prefix string // the version in the paths
}

// Base returns the part of url before the APIs' paths. url may end in /v1, /v1beta or a slash.
func Base(url string) string {
	url = strings.TrimRight(url, "/")
	for _, version := range []string{"/v1", "/v1beta"} {
		url = strings.TrimSuffix(url, version)
	}
	return strings.TrimRight(url, "/")
}

// findPatience is how long a server may be silent before the first case.
const findPatience = 20 * time.Second

// Find finds out which of the four APIs a server has, at their paths with and without a version. This
// costs no tokens, since the requests have no messages. The error is one line for the user with the
// way out.
func Find(ctx context.Context, target Target) (all []Served, err error) {
	target.Model = cmp.Or(target.Model, "conform-model")
	found, refused := false, 0
	for _, a := range clients {
		one := Served{Name: a.name, api: a}
		for _, path := range a.paths {
			prefix := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(path,
				"/messages"),
				"/chat/completions"), "/responses"), "/models")
			c := &client{target: &target, patience: min(cmp.Or(target.Patience, findPatience),
				findPatience), record: &Record{}}
			asked := a.path(prefix, target.Model, false)
			r, err := c.try(ctx, http.MethodPost, asked, a.head(target.Key),
				[]byte(encode(object{"model": target.Model})))
			if err != nil {
				return nil, unreachable(err, target.URL, c.patience)
			}
			one.URL, one.prefix = target.URL+asked, prefix
			if one.Why = whyNot(r); one.Why == "" {
				one.Served, found = true, true
				break
			}
			if r.Status == http.StatusTooManyRequests {
				return nil, limited(target.URL, r)
			}
			if r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden {
				refused = r.Status
				break
			}
		}
		if !one.Served {
			one.Why, one.URL = "POST "+one.URL+" answered "+Show(one.Why), ""
		}
		all = append(all, one)
	}
	switch {
	case !found && refused != 0:
		return nil, fmt.Errorf("%s refuses the key (%d); put the right one into EDGELINGUA_KEY",
			target.URL, refused)
	case !found:
		return nil, fmt.Errorf("there is none of the four APIs at %s (%s); check the URL", target.URL,
			all[0].Why)
	}
	return all, nil
}

// Demand returns an error if a pattern names an API that is not served.
func Demand(served []Served, patterns []string) error {
	for _, pattern := range patterns {
		name, _, _ := strings.Cut(pattern, "/")
		for _, s := range served {
			if s.Name == name && !s.Served {
				return fmt.Errorf("--only names %s, and that API is not served: %s", name, s.Why)
			}
		}
	}
	return nil
}

// limited returns the error of a server that limits the rate.
func limited(url string, r *Reply) error {
	wait := "later"
	if after := r.Header.Get("Retry-After"); after != "" {
		wait = "in " + Show(after) + " s"
	}
	return fmt.Errorf("%s limits the rate (429); run again %s, or with --only for fewer requests", url, wait)
}

// whyNot returns the reason why an API is not served, judged by the answer to a request without
// messages, or "" if the API is served.
func whyNot(r *Reply) string {
	kind := r.contentType()
	if to := r.Header.Get("Location"); to != "" {
		kind = "a redirect to " + Show(to)
	}
	if kind == "" {
		kind = "nothing"
	}
	status := fmt.Sprintf("%d %s", r.Status, kind)
	var body struct{ Error any }
	isJSON := json.Unmarshal(r.Body, &body) == nil
	_, hasForm := body.Error.(object)
	switch {
	case r.Status >= 300 && r.Status < 400:
		return r.summary()
	case r.Status == http.StatusUnauthorized, r.Status == http.StatusForbidden,
		r.Status == http.StatusMethodNotAllowed, r.Status == http.StatusNotImplemented,
		r.Status == http.StatusTooManyRequests:
		return status
	case r.Status == http.StatusNotFound && !(hasForm && strings.Contains(string(r.Body), "model") &&
		!strings.Contains(string(r.Body), "URL")):
		return status // Ollama also answers 404 for an unknown model
	case r.Status >= 500 && !hasForm:
		return status // a gateway that does not serve the API with this upstream
	case r.Status == http.StatusOK && !(isJSON && (body.Error == nil || hasForm)):
		return status // a web page for every path, or LM Studio's "Unexpected endpoint" with status 200
	}
	return ""
}

// unreachable returns an error with the reason why a server has not answered.
func unreachable(err error, at string, patience time.Duration) error {
	const look = "check the URL, and that the server runs"
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &certificate):
		return fmt.Errorf("the certificate of %s is not good (%w); check its name, and this machine's "+
			"clock and certificates", at, certificate.Err)
	case errors.As(err, &record):
		return fmt.Errorf("%s does not speak TLS; try http://", at)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s did not answer within %s; %s", at, patience, look)
	case errors.Is(err, io.EOF), strings.Contains(err.Error(), "malformed HTTP"):
		return fmt.Errorf("%s speaks no HTTP here (%w); %s", at, err, look)
	}
	return fmt.Errorf("can't reach %s (%w); %s", at, err, look)
}

// maxListed is how many of the target's models an error lists.
const maxListed = 5

// OnlyModel returns the model of a server with exactly one model. Otherwise the error says how to name
// a model.
func OnlyModel(ctx context.Context, target Target) (string, error) {
	c := &client{target: &target, patience: findPatience, record: &Record{}}
	var ids []string
	status := 0
	for i := 0; i < 4 && len(ids) == 0; i++ {
		path := []string{"/v1/models", "/models"}[i/2]
		r, err := c.try(ctx, http.MethodGet, path, clients[1-i%2].head(target.Key), nil)
		if err != nil {
			return "", fmt.Errorf("can't list the models of %s (%w); name one with --model", target.URL, err)
		}
		if status == 0 {
			status = r.Status
		}
		var list object
		if r.Status == http.StatusOK && json.Unmarshal(r.Body, &list) == nil {
			for _, m := range elements(list, "data") {
				ids = append(ids, member[string](m, "id"))
			}
		}
	}
	switch {
	case len(ids) == 0:
		return "", fmt.Errorf("%s does not list its models (it answered %d); name one with --model",
			target.URL,
			status)
	case len(ids) == 1:
		return ids[0], nil
	}
	return "", fmt.Errorf("there are %d models at %s; name the one to ask with --model: %s", len(ids),
		target.URL,
		Show(strings.Join(ids[:min(maxListed, len(ids))], ", ")))
}

// Listens reports whether a server accepts connections.
func Listens(ctx context.Context, at string) bool { return connect(ctx, at) == nil }

// connect opens and closes a connection to a server.
func connect(ctx context.Context, at string) error {
	u, err := url.Parse(at)
	if err != nil {
		return &net.AddrError{Err: "no URL", Addr: at}
	}
	connection, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", hostPort(u))
	if err != nil {
		return err
	}
	return connection.Close()
}

// hostPort returns the address of a server for a dialer.
func hostPort(u *url.URL) string {
	port := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port))
}

// Await waits until a server accepts connections. An address that is wrong or not in the DNS is an error
// at once.
func Await(ctx context.Context, at string) error {
	for {
		err := connect(ctx, at)
		if err == nil {
			return nil
		}
		var unknown *net.DNSError
		var wrong *net.AddrError
		if ctx.Err() == nil && (errors.As(err, &unknown) || errors.As(err, &wrong)) {
			return fmt.Errorf("can't find %s (%w); check the URL", at, err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("nothing listens at %s (%w); start the gateway with the upstream's URL",
				at, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}
