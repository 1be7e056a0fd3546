package upstream

import (
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Bounds of what a client gets of the head of an upstream's answer.
const (
	maxHeaders = 64
	maxName    = 64 // bytes
	shortest   = 16 // bytes of a text that could hold a secret
)

// common are the headers that pass beside those of each API (ir.API.AnswerHeaders).
var common = [...]ir.AnswerHeader{
	{Name: "retry-after", Form: ir.Quantity},
	{Name: "retry-after-ms", Form: ir.Quantity},
	{Name: "x-should-retry", Form: ir.Quantity},
	{Name: "x-ratelimit-*", Form: ir.Quantity},
}

// Answer is the head of an upstream's answer, of which a client gets what can hold neither a secret
// of the upstream nor anything else that the header is not for.
type Answer struct {
	lines    string // of the head, as bridge.Head has them
	upstream *endpoint.Upstream
	secrets  []string // the upstream's, in lower case; nil: they were not needed yet
}

// AnswerOf returns the head of an upstream's answer, from its lines.
func AnswerOf(lines string, u *endpoint.Upstream) *Answer {
	return &Answer{lines: lines, upstream: u}
}

// Each calls pass with each header that a client acts on or reports, 64 at most: limits, advice on
// retries, and what Codex sends back with its next request. Headers that name the owner's account
// at the upstream are left out.
func (a *Answer) Each(pass func(name, value string)) {
	left := maxHeaders
	for lines := a.lines; lines != "" && left > 0; {
		var line string
		line, lines, _ = strings.Cut(lines, "\n")
		name, value, _ := strings.Cut(line, ": ")
		if form, ok := formOf(name); ok && len(name) <= maxName && form.Fits(value) && a.harmless(name) &&
			a.harmless(value) {
			pass(name, value)
			left--
		}
	}
}

// formOf returns the form of a header that passes. It may be of any API: an upstream may be a
// gateway to another API's vendor.
func formOf(name string) (f ir.Form, ok bool) {
	if f, ok = ir.FormOf(common[:], name); ok {
		return f, true
	}
	for _, api := range translator.APIs {
		if f, ok = ir.FormOf(api.AnswerHeaders, name); ok {
			return f, true
		}
	}
	return 0, false
}

// Value returns the value of a header, "" where it has another form, or holds a secret.
func (a *Answer) Value(name string, form ir.Form) string {
	if value := bridge.HeaderOf(a.lines, name); form.Fits(value) && a.harmless(value) {
		return value
	}
	return ""
}

// ID returns the id that the upstream has given its answer, "" for none.
func (a *Answer) ID() string {
	for _, name := range [...]string{"x-request-id", "request-id"} {
		if id := bridge.HeaderOf(a.lines, name); bridge.IsID(id) && a.harmless(id) {
			return id
		}
	}
	return ""
}

// harmless reports whether a text holds no secret. The letter case is none of a header's name, so
// it does not count.
func (a *Answer) harmless(text string) bool {
	if len(text) < shortest {
		return true
	}
	if a.secrets == nil {
		a.secrets = []string{}
		for _, secret := range a.upstream.Secrets() {
			a.secrets = append(a.secrets, strings.ToLower(secret))
		}
	}
	text = strings.ToLower(text)
	return passing.Redact(text, a.secrets) == text
}

// OctetStream is the content-type of what a browser shall make nothing of.
const OctetStream = "application/octet-stream"

// ContentType returns the content-type with which a client gets an answer whose upstream says
// value: one of a few texts, so that it holds nothing else. JSON and streams of events stay what
// they are. Anything else could be a document with scripts, in a browser in the origin of the page,
// and is application/octet-stream.
func ContentType(value string) string {
	essence, parameters, _ := strings.Cut(strings.ToLower(value), ";")
	known := ""
	switch name := strings.Trim(essence, " \t"); {
	case name == "text/event-stream", name == "application/json", name == "application/problem+json":
		known = name
	case strings.HasPrefix(name, "application/") && strings.HasSuffix(name, "+json") &&
		bridge.IsID(name[len("application/"):len(name)-len("+json")]):
		known = "application/json"
	default:
		return OctetStream
	}
	if strings.Trim(parameters, " \t") == "charset=utf-8" {
		return known + "; charset=utf-8"
	}
	return known
}
