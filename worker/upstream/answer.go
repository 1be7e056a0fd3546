package upstream

import (
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
)

// Limits for the upstream's response headers that a client gets.
const (
	maxHeaders = 64
	maxName    = 64 // bytes
	shortest   = 16 // bytes; a shorter text can't hold a secret
)

// common lists the headers that pass in addition to each API's ir.API.AnswerHeaders.
var common = [...]ir.AnswerHeader{
	{Name: "retry-after", Form: ir.Quantity},
	{Name: "retry-after-ms", Form: ir.Quantity},
	{Name: "x-should-retry", Form: ir.Quantity},
	{Name: "x-ratelimit-*", Form: ir.Quantity},
}

// Answer is the head of an upstream's answer. Its methods return only values that fit the form of
// their header and hold no secret of the upstream.
type Answer struct {
	lines    string // header lines, in the form of bridge.Head
	upstream *endpoint.Upstream
	secrets  []string // the upstream's secrets in lower case; nil until first needed
}

// AnswerOf returns the head of an upstream's answer from header lines. It retains lines and u.
func AnswerOf(lines string, u *endpoint.Upstream) *Answer {
	return &Answer{lines: lines, upstream: u}
}

// Each calls pass with the headers that a client acts on or reports, at most 64: rate limits,
// advice on retries, and the headers that Codex returns with its next request. Each omits headers
// that name the owner's account at the upstream.
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

// formOf returns the form of a header that passes. The headers of all APIs pass, because the
// upstream may be a gateway to another API's vendor.
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

// Value returns the value of a header, or "" if the value does not fit the form or holds a secret.
func (a *Answer) Value(name string, form ir.Form) string {
	if value := bridge.HeaderOf(a.lines, name); form.Fits(value) && a.harmless(value) {
		return value
	}
	return ""
}

// ID returns the request id in the upstream's answer, or "" without a valid id.
func (a *Answer) ID() string {
	for _, name := range [...]string{"x-request-id", "request-id"} {
		if id := bridge.HeaderOf(a.lines, name); bridge.IsID(id) && a.harmless(id) {
			return id
		}
	}
	return ""
}

// harmless reports whether a text holds no secret. Letter case is ignored, because header names
// arrive in lower case.
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

// OctetStream is the content-type for a body that a browser must not interpret.
const OctetStream = "application/octet-stream"

// ContentType returns the content-type of a client's answer for the upstream's content-type value.
// The result is one of a few fixed texts, so it can't carry anything else. JSON and event streams
// keep their type. Any other type becomes application/octet-stream, because a browser could run
// scripts of the document in the origin of the page.
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
