package otlp

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
	"time"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/wasmtest/access"
)

// span is a span in OTLP's JSON: ids in hex, integers of 64 bits as strings, enumerations as numbers.
type span struct {
	TraceID    string      `json:"traceId"`
	SpanID     string      `json:"spanId"`
	Parent     string      `json:"parentSpanId,omitempty"`
	Name       string      `json:"name"`
	Kind       int         `json:"kind"`
	Start      string      `json:"startTimeUnixNano"`
	End        string      `json:"endTimeUnixNano"`
	Attributes []attribute `json:"attributes"`
	Status     status      `json:"status"`
}

type attribute struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

type value struct {
	String string   `json:"stringValue,omitempty"`
	Int    string   `json:"intValue,omitempty"`
	Double *float64 `json:"doubleValue,omitempty"`
	Bool   bool     `json:"boolValue,omitempty"`
}

type status struct {
	Code int `json:"code,omitempty"`
}

// Values of OTLP's SpanKind and StatusCode.
const (
	kindClient  = 3
	statusError = 2
)

// spanOf returns the span of a finished request. It returns nil if no upstream was tried, so
// clients without a key can't fill the collector. A failure of edgelingua itself has a span in any
// case.
func spanOf(e *access.Entry, traceparent string) *span {
	if e.Pair == "" && e.Error != ir.Internal.String() {
		return nil
	}
	operation := "chat"
	switch {
	case e.Counts():
		operation = "count_tokens"
	case e.Embeds():
		operation = "embeddings"
	}
	start, _ := time.Parse(time.RFC3339, e.Time)
	end := start.Add(time.Duration(float64(e.Total) * float64(time.Millisecond)))
	s := &span{SpanID: id(8), Name: operation, Kind: kindClient, Start: nanos(start), End: nanos(end)}
	if s.TraceID, s.Parent = parentOf(traceparent); s.TraceID == "" {
		s.TraceID = id(16)
	}
	if e.Model != "" {
		s.Name += " " + e.Model
	}
	s.text("gen_ai.operation.name", operation)
	s.text("gen_ai.provider.name", providerOf(e.Pair))
	s.text("gen_ai.request.model", e.Model)
	if e.Error == "" && e.UpstreamModel != "" {
		s.text("gen_ai.response.model", e.UpstreamModel)
	} else if e.Error == "" {
		s.text("gen_ai.response.model", e.Model)
	}
	if t := e.Tokens; t != nil {
		s.count("gen_ai.usage.input_tokens", t.Input)
		s.count("gen_ai.usage.output_tokens", t.Output)
		s.count("gen_ai.usage.cache_read.input_tokens", t.Cached)
		s.count("gen_ai.usage.reasoning.output_tokens", t.Reasoning)
	}
	code := int64(e.Status)
	s.count("http.response.status_code", &code)
	s.text("error.type", e.Error)
	s.text("edgelingua.request.id", e.ID)
	s.text("edgelingua.endpoint", e.Endpoint)
	s.text("edgelingua.upstream", e.Upstream)
	s.text("edgelingua.pair", e.Pair)
	s.number("edgelingua.cost_usd", e.Cost)
	s.number("edgelingua.first_byte_ms", (*float64)(e.FirstByte))
	s.text("edgelingua.lost", strings.Join(e.Lost, ","))
	if e.Aborted {
		s.Attributes = append(s.Attributes, attribute{"edgelingua.aborted", value{Bool: true}})
	}
	if e.Error != "" {
		s.Status.Code = statusError
	}
	return s
}

func (s *span) text(key, text string) {
	if text != "" {
		s.Attributes = append(s.Attributes, attribute{key, value{String: text}})
	}
}

func (s *span) count(key string, n *int64) {
	if n != nil {
		s.Attributes = append(s.Attributes, attribute{key, value{Int: strconv.FormatInt(*n, 10)}})
	}
}

func (s *span) number(key string, n *float64) {
	if n != nil {
		s.Attributes = append(s.Attributes, attribute{key, value{Double: n}})
	}
}

// providerOf returns the provider whose API the upstream has. The attribute names the flavor of the
// span, not the company that runs the model ("gen-ai-spans", note on gen_ai.provider.name).
func providerOf(pair string) string {
	_, name, _ := strings.Cut(pair, "/")
	api := translator.API(name)
	if api == nil {
		return ""
	}
	vendor, _, _ := strings.Cut(api.Title, " ")
	return strings.ToLower(vendor)
}

var traceparents = regexp.MustCompile(`^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$`)

// parentOf returns the trace id and the parent id in a traceparent, or "" if the traceparent is
// malformed (W3C Trace Context, 3.2): an id of only zeros, the version ff, and anything after the
// flags in version 00 are invalid. The flag "sampled" is ignored: a client must not decide what the
// deployment's owner sees.
func parentOf(traceparent string) (trace, parent string) {
	parts := traceparents.FindStringSubmatch(traceparent)
	if parts == nil || parts[1] == "ff" || parts[1] == "00" && parts[4] != "" ||
		strings.Trim(parts[2], "0") == "" || strings.Trim(parts[3], "0") == "" {
		return "", ""
	}
	return parts[2], parts[3]
}

func nanos(t time.Time) string { return strconv.FormatInt(t.UnixNano(), 10) }

// id returns n random bytes in hex.
func id(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return hex.EncodeToString(b)
}
