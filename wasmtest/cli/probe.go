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

	"edgelingua/translator/jsonw"
	"edgelingua/translator/models"
	"edgelingua/worker/endpoint"
)

// A probe asks the upstream for its models before the client starts. Without it, a client of an
// upstream that is not running retries in silence for minutes (Claude Code 2.1: two).

const (
	probeTime     = 2 * time.Second
	mostModels    = 4 << 20 // bytes of a list of models that are read
	modelsInError = 10
)

// servers are the local servers that the probe knows, by the id of their presets.
var servers = map[string]struct {
	start string // the question and the command if nothing listens
	// how to get a model, with %s for its name; "" for a server whose model is chosen at its start
	pull string
	// the server refuses each model that it does not list. Others may serve one: LM Studio and
	// llama.cpp answer with the model that is loaded.
	exact bool
}{
	"ollama":   {start: "is Ollama running? (`ollama serve`)", pull: "`ollama pull %s`", exact: true},
	"vllm":     {start: "is vLLM running? (`vllm serve MODEL`)", exact: true},
	"lmstudio": {start: "is LM Studio's server running? (`lms server start`)"},
}

// prober asks one upstream for its models.
type prober struct {
	upstream  *endpoint.Upstream
	preset    *preset // nil: the upstream is at none of their addresses
	model     string  // that the client asks the upstream for
	transport http.RoundTripper
}

// probe returns an error if nothing answers at the upstream, or if it surely refuses the model, and
// a note, or "", if it may refuse the model or the key. An upstream without a list of models, and
// one that takes longer than probeTime to send it, is no error.
func (p *prober) probe(ctx context.Context) (note string, err error) {
	if p.upstream.OnCloudflare() || p.upstream.IsVertex() || p.upstream.Gateway != nil {
		return "", nil // no such list, a key that must be exchanged first, or another server's list
	}
	names, status, err := p.ask(ctx)
	switch {
	case err != nil:
		return "", err
	case status == http.StatusUnauthorized:
		return fmt.Sprintf("%s refuses a request for its models with status 401: is UPSTREAM_KEY right?",
			p.title()), nil
	case names == nil || slices.ContainsFunc(names, p.serves):
		return "", nil
	}
	return p.missing(names)
}

// ask returns the names in the upstream's list of models, nil if there is no list that can be read.
// Its error says that there is no connection.
func (p *prober) ask(ctx context.Context) (names []string, status int, err error) {
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
	names = []string{}
	for i := range list {
		names = append(names, jsonw.Unescape(list[i].ID))
	}
	return names, answer.StatusCode, nil
}

// unreached returns the error for an upstream to which there is no connection.
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

// serves reports whether an entry of the upstream's list is the model that the client asks for.
// Ollama's names have a tag, "latest" if a client leaves it out, and ignore case.
func (p *prober) serves(entry string) bool {
	if p.preset != nil && p.preset.ID == "ollama" {
		return strings.EqualFold(entry, p.model) || strings.EqualFold(entry, p.model+":latest")
	}
	return entry == p.model
}

// missing returns what to say of a model that is not in the list of names.
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

// title returns the upstream's name for people: a known server's, else its address.
func (p *prober) title() string {
	if p.preset != nil {
		return p.preset.Title
	}
	return p.upstream.URL
}

// presetAt returns the preset whose server has the address of base, nil for none.
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
