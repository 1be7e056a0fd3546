package access

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/host"
)

// Entry is one line of the log, about a finished request.
type Entry struct {
	Time   string `json:"time"` // when the request came, UTC, RFC 3339 with milliseconds
	ID     string `json:"id"`   // x-request-id as sent to the client
	Method string `json:"method"`
	Path   string `json:"path"`
	Socket bool   `json:"socket,omitempty"` // the request is a frame of a WebSocket
	// the name of a personal endpoint; "" for the deployment's own
	Endpoint string `json:"endpoint"`
	// the name of the personal endpoint's upstream; "" for the deployment's own
	Upstream      string   `json:"upstream,omitempty"`
	Pair          string   `json:"pair,omitempty"` // CLIENT/UPSTREAM, the names of their protocols
	Model         string   `json:"model,omitempty"`
	UpstreamModel string   `json:"upstream_model,omitempty"` // only if different from Model
	Status        int      `json:"status"`
	Tokens        *Tokens  `json:"tokens,omitempty"`
	Searches      int64    `json:"searches,omitempty"` // web searches by edgelingua
	Fetches       int64    `json:"fetches,omitempty"`  // webpages fetched by edgelingua
	Cost          *float64 `json:"cost_usd,omitempty"` // US dollars; nil: unknown
	FirstByte     *Millis  `json:"first_byte_ms,omitempty"`
	Total         Millis   `json:"total_ms"`
	BytesIn       int64    `json:"bytes_in"`
	BytesOut      int64    `json:"bytes_out"`
	Lost          []string `json:"lost,omitempty"`
	// the upstream is a vendor's own server, and no table has the model
	UnknownModel bool   `json:"unknown_model,omitempty"`
	GatewayCache string `json:"gateway_cache,omitempty"` // hit or miss
	Loop         string `json:"loop,omitempty"`
	// upstreams that were left out because the price of the model is unknown there
	Unpriced []string `json:"unpriced,omitempty"`
	Cut      int64    `json:"tool_descriptions_cut,omitempty"` // bytes
	Error    string   `json:"error,omitempty"`
	Aborted  bool     `json:"aborted,omitempty"` // the client left before the end
}

// Counts reports whether the request asked for a token count instead of an answer of a model.
func (e *Entry) Counts() bool {
	return e.ends("/count_tokens", "/input_tokens", ":countTokens")
}

// Embeds reports whether the request asked for embeddings.
func (e *Entry) Embeds() bool { return e.ends("/embeddings", ":embedContent", ":batchEmbedContents") }

// ends reports whether the path has one of the endings.
func (e *Entry) ends(endings ...string) bool {
	return slices.ContainsFunc(endings, func(ending string) bool { return strings.HasSuffix(e.Path, ending) })
}

// Tokens are the upstream's token counts. A nil count was not given.
type Tokens struct {
	Input     *int64 `json:"input,omitempty"`
	Output    *int64 `json:"output,omitempty"`
	Cached    *int64 `json:"cached,omitempty"`
	Reasoning *int64 `json:"reasoning,omitempty"`
	// how many of Input and Output were used for a summary of the conversation
	Summary *int64 `json:"summary,omitempty"`
	Advice  *int64 `json:"advice,omitempty"` // of an advisor, neither in Input nor in Output
}

// Millis is a duration in milliseconds, for JSON.
type Millis float64

func millis(d time.Duration) Millis {
	return Millis(d.Round(100*time.Microsecond).Microseconds()) / 1000
}

// report is the program's report on a request; worker/bridge/doc.go describes the members.
type report struct {
	Client        string `json:"client"`
	Upstream      string `json:"upstream"`
	To            string `json:"to"`
	Endpoint      string `json:"endpoint"`
	Model         string `json:"model"`
	UpstreamModel string `json:"upstream_model"`
	Tokens
	Searches int64    `json:"searches"`
	Fetches  int64    `json:"fetches"`
	Cost     *float64 `json:"cost"`
	Lost     string   `json:"lost"`
	Unknown  bool     `json:"unknown_model"`
	Cache    string   `json:"gateway_cache"`
	Loop     string   `json:"loop"`
	Unpriced string   `json:"unpriced"`
	Cut      int64    `json:"tool_descriptions_cut"`
	Error    string   `json:"error"`
}

// take reads the outcome of a request and the report in the outcome. An error means that the report
// can't be read.
func (e *Entry) take(o host.Outcome) error {
	e.Aborted = o.Aborted
	if o.Died {
		e.Error = ir.Internal.String()
	}
	if o.Report == nil {
		return nil
	}
	var r report
	if err := json.Unmarshal(o.Report, &r); err != nil {
		return err
	}
	if r.Upstream != "" {
		e.Pair = r.Client + "/" + r.Upstream
	}
	e.Searches, e.Fetches = r.Searches, r.Fetches
	e.Endpoint, e.Upstream, e.Cost = r.Endpoint, r.To, r.Cost
	e.Model, e.UpstreamModel = r.Model, r.UpstreamModel
	e.UnknownModel = r.Unknown
	e.GatewayCache, e.Loop, e.Cut, e.Error = r.Cache, r.Loop, r.Cut, r.Error
	if r.Tokens != (Tokens{}) {
		e.Tokens = &r.Tokens
	}
	if r.Lost != "" {
		e.Lost = strings.Split(r.Lost, ",")
	}
	if r.Unpriced != "" {
		e.Unpriced = strings.Split(r.Unpriced, ",")
	}
	return nil
}

// setError sets the final Error. If the client left, there is none, even if an error was sent. If
// the program has not reported an error, the status decides.
func (e *Entry) setError() {
	switch {
	case e.Aborted:
		e.Error = ""
	case e.Error == "" && e.Status >= 400:
		e.Error = ir.KindOfStatus(e.Status).String()
	}
}
