package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strings"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
	"edgelingua/worker/endpoint"
)

// A probe asks the upstream for its models before the client starts. Without a probe, a client of a
// server that is not running retries in silence for minutes (Claude Code 2.1: two).

const (
	probeTime     = 2 * time.Second
	mostModels    = 4 << 20 // maximum size of a list of models, in bytes
	modelsInError = 10
)

// servers are the local servers known to the probe, by the id of their presets.
var servers = map[string]struct {
	start string // the question and the command if nothing listens
	// the command to get a model, with %s for its name; "" if the server's start chooses the model
	pull string
	// the server refuses models missing from its list. Other servers may accept them: LM Studio and
	// llama.cpp answer with the loaded model.
	exact bool
}{
	"ollama":   {start: "is Ollama running? (`ollama serve`)", pull: "`ollama pull %s`", exact: true},
	"vllm":     {start: "is vLLM running? (`vllm serve MODEL`)", exact: true},
	"lmstudio": {start: "is LM Studio's server running? (`lms server start`)"},
}

// prober asks one upstream for its models.
type prober struct {
	upstream  *endpoint.Upstream
	preset    *preset // nil: the upstream has no preset
	model     string  // the upstream's name of the client's model
	transport http.RoundTripper
	entry     ir.Model // the model's entry in the upstream's list, with its limits if known
}

// probe returns an error if nothing answers at the upstream, or if the upstream certainly lacks the
// model. It returns a note, or "", if the upstream may refuse the model or the key. An upstream
// without a list of models is no error, nor is a list later than probeTime.
func (p *prober) probe(ctx context.Context) (note string, err error) {
	if p.upstream.OnCloudflare() || p.upstream.IsVertex() || p.upstream.Gateway != nil {
		return "", nil // no list, a key to be exchanged first, or a gateway's list
	}
	list, status, err := p.ask(ctx)
	at := slices.IndexFunc(list, func(m ir.Model) bool { return p.serves(jsonw.Unescape(m.ID)) })
	if at >= 0 {
		p.entry = list[at]
	}
	models.Complete(&p.entry, p.model, p.upstream.Target(p.model))
	switch {
	case err != nil:
		return "", err
	case status == http.StatusUnauthorized:
		return fmt.Sprintf("%s refuses a request for its models with status 401: is UPSTREAM_KEY right?",
			p.title()), nil
	case list == nil || at >= 0:
		return "", nil
	}
	names := make([]string, len(list))
	for i := range list {
		names[i] = jsonw.Unescape(list[i].ID)
	}
	return p.missing(names)
}

// ask returns the upstream's list of models, nil without a readable list. The error means that there
// is no connection.
func (p *prober) ask(ctx context.Context) (list []ir.Model, status int, err error) {
	u, form := p.upstream, p.upstream.API.Models
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	connected := false
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { connected = true }})
	at := endpoint.Join(u.Base(form.Path), form.Path+form.All) + u.Query
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, 0, nil
	}
	for _, h := range u.API.Headers {
		r.Header.Set(h.Name, h.Value)
	}
	if name, before := u.KeyHeader(); u.Key != "" {
		r.Header.Set(name, before+u.Key)
	}
	for _, h := range u.Headers {
		r.Header.Set(h.Name, h.Value)
	}
	answer, err := p.transport.RoundTrip(r)
	switch {
	case err != nil && !connected:
		return nil, 0, p.unreached(err)
	case err != nil:
		return nil, 0, nil
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, answer.StatusCode, nil
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostModels))
	if err != nil {
		return nil, 0, nil
	}
	list, ok := models.DecodeList(form, string(body))
	if !ok {
		return nil, answer.StatusCode, nil
	}
	return list, answer.StatusCode, nil
}

// unreached returns the error for an upstream without a connection.
func (p *prober) unreached(err error) error {
	at := p.upstream.URL
	if p.preset != nil {
		if known, ok := servers[p.preset.ID]; ok {
			return fmt.Errorf("nothing answers at %s: %s", at, known.start)
		}
	}
	if failed := (*net.OpError)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("no connection within %v", probeTime)
	}
	return fmt.Errorf("nothing answers at %s (%w): is the address right, and the server running?", at, err)
}

// serves reports whether an entry of the upstream's list is the client's model. Names of Ollama
// have a tag (by default "latest") and ignore case.
func (p *prober) serves(entry string) bool {
	if p.preset != nil && p.preset.ID == "ollama" {
		return strings.EqualFold(entry, p.model) || strings.EqualFold(entry, p.model+":latest")
	}
	return entry == p.model
}

// missing returns the note or the error for a model missing from names.
func (p *prober) missing(names []string) (note string, err error) {
	has := "it has none"
	if len(names) > 0 {
		near := slices.Clone(names)
		slices.SortStableFunc(
			near,
			func(a, b string) int { return distance(a, p.model) - distance(b, p.model) },
		)
		has = "it has: " + strings.Join(near[:min(modelsInError, len(near))], ", ")
		if more := len(near) - modelsInError; more > 0 {
			has += fmt.Sprintf(" and %d more", more)
		}
	}
	if p.preset != nil {
		if known := servers[p.preset.ID]; known.exact {
			pull := ""
			if known.pull != "" {
				pull = fmt.Sprintf(known.pull, p.model) + "; "
			}
			return "", fmt.Errorf("%s has no model %s: %s%s", p.title(), p.model, pull, has)
		}
	}
	return fmt.Sprintf("%s does not list the model %s, and may refuse it; %s", p.title(), p.model, has), nil
}

// title returns the upstream's name for people: the preset's, or the address.
func (p *prober) title() string {
	if p.preset != nil {
		return p.preset.Title
	}
	return p.upstream.URL
}

// presetAt returns the preset with the origin of base, nil for none.
func presetAt(base string) *preset {
	u, err := url.Parse(base)
	if err != nil {
		return nil
	}
	if u.Hostname() == "localhost" {
		base = strings.Replace(base, "localhost", "127.0.0.1", 1)
	}
	for _, p := range presets {
		if p.named() && endpoint.SameOrigin(p.URL, base) {
			return p
		}
	}
	return nil
}
