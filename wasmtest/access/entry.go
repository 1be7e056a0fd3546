package access

import (
	"encoding/json"
	"strings"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/wasmtest/host"
)

// Entry is what is known of a request once it is over.
type Entry struct {
	Time          string   `json:"time"` // when it came
	ID            string   `json:"id"`   // what the client has as x-request-id
	Method        string   `json:"method"`
	Path          string   `json:"path"`
	Endpoint      string   `json:"endpoint"`       // the name of a personal one
	Pair          string   `json:"pair,omitempty"` // client/upstream, by their protocols
	Model         string   `json:"model,omitempty"`
	UpstreamModel string   `json:"upstream_model,omitempty"` // where that is another one
	Status        int      `json:"status"`
	Tokens        *Tokens  `json:"tokens,omitempty"`
	FirstByte     *Millis  `json:"first_byte_ms,omitempty"`
	Total         Millis   `json:"total_ms"`
	BytesIn       int64    `json:"bytes_in"`
	BytesOut      int64    `json:"bytes_out"`
	Lost          []string `json:"lost,omitempty"`
	Loop          string   `json:"loop,omitempty"`
	Error         string   `json:"error,omitempty"`
	Aborted       bool     `json:"aborted,omitempty"` // by the client
}

// Tokens are what the upstream has counted, as far as it has said.
type Tokens struct {
	Input     *int64 `json:"input,omitempty"`
	Output    *int64 `json:"output,omitempty"`
	Cached    *int64 `json:"cached,omitempty"`
	Reasoning *int64 `json:"reasoning,omitempty"`
}

// Millis are milliseconds.
type Millis float64

func millis(d time.Duration) Millis {
	return Millis(d.Round(100*time.Microsecond).Microseconds()) / 1000
}

// report is what the program says of a request, see worker/bridge/doc.go.
type report struct {
	Client        string `json:"client"`
	Upstream      string `json:"upstream"`
	Endpoint      string `json:"endpoint"`
	Model         string `json:"model"`
	UpstreamModel string `json:"upstream_model"`
	Tokens
	Lost  string `json:"lost"`
	Loop  string `json:"loop"`
	Error string `json:"error"`
}

// take adds what came of the request. What a client that left was still told is no error of anybody's.
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
	e.Endpoint = r.Endpoint
	e.Model, e.UpstreamModel, e.Loop, e.Error = r.Model, r.UpstreamModel, r.Loop, r.Error
	if r.Tokens != (Tokens{}) {
		e.Tokens = &r.Tokens
	}
	if r.Lost != "" {
		e.Lost = strings.Split(r.Lost, ",")
	}
	return nil
}

// settle fills in what nobody has said.
func (e *Entry) settle() {
	switch {
	case e.Aborted:
		e.Error = ""
	case e.Error == "" && e.Status >= 400:
		e.Error = ir.KindOfStatus(e.Status).String()
	}
}
