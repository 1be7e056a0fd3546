// Package toy is a made-up protocol, the smallest one that works. It is a template for new
// protocols, and proves that a protocol is one folder and one line (translator/apis_faults.go).
// Only the module of the tests contains it. Unlike Chat Completions, Messages and Responses, toy
// has the model and the choice of a stream in the path, and accepts the key in the query.
//
// A client sends POST /toy/MODEL:say, or :stream for a stream, with
//
//	{"turns":[TURN...],"tools":[{"name":"f","takes":SCHEMA}...]}
//
// and a TURN is one of {"who":"user","say":TEXT}, {"who":"model","say":TEXT},
// {"who":"model","call":ID,"tool":NAME,"with":OBJECT} and {"who":"tool","call":ID,"say":TEXT}. An
// answer is a stream of parts, or {"parts":[PART...]}. A PART is one of
//
//	{"id":ID}, {"say":TEXT}, {"call":ID,"tool":NAME,"with":OBJECT},
//	{"end":"done" or "tool","in":N,"out":N}, {"wrong":MESSAGE}
package toy

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// API describes the protocol.
var API = ir.API{
	Name:     "toy",
	Title:    "Toy",
	Client:   Client{},
	Upstream: Upstream{},
	Models:   &names,
	Routes: []ir.Route{
		{Path: "/toy", Operation: ir.ListModels},
		{Path: "/toy/*:say", Operation: ir.Converse},
		{Path: "/toy/*:stream", Operation: ir.Converse},
	},
	Marks:        []string{"x-toy-key"},
	KeyHeader:    "x-toy-key",
	KeyQuery:     "key",
	Overloaded:   503,
	Arguments:    "calls[].arguments",
	CallIDPrefix: "call_",
}

// Client is the side towards clients.
type Client struct{}

// Upstream is the side towards upstreams.
type Upstream struct{}

// Model returns the model named in a path.
func (Client) Model(path, _ string) string {
	path, _, _ = strings.Cut(path, "?")
	_, model, _ := API.Route(path)
	return model
}

// Streams reports whether a path asks for a stream. counted is always true, because every answer
// has its token counts.
func (Client) Streams(path, _ string) (streams, counted bool) {
	path, _, _ = strings.Cut(path, "?")
	return strings.HasSuffix(path, ":stream"), true
}

// HoldsForeign returns false: answers of this API never carry another vendor's data.
func (Client) HoldsForeign(string) bool { return false }

// Shows reports whether answers can represent a kind of block.
func (Client) Shows(b ir.BlockKind) bool { return b == ir.TextBlock || b == ir.ToolCallBlock }

// FieldPath returns the API's name of a field.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string {
	switch f {
	case ir.FieldMessages:
		return "turns"
	case ir.FieldToolChoice:
		return "tools"
	}
	return ""
}

// AppendError appends {"wrong":MESSAGE}.
func (Client) AppendError(dst []byte, e *ir.Error) []byte {
	return append(jsonw.AppendString(append(dst, `{"wrong":`...), e.Error()), '}')
}

// Path returns the path of a request for an answer.
func (Upstream) Path(model string, stream bool) string {
	if stream {
		return "/toy/" + model + ":stream"
	}
	return "/toy/" + model + ":say"
}

// CountPath returns "": the API does not count tokens.
func (Upstream) CountPath(string) string { return "" }

// Target returns the zero Target, the safe set, because no toy server is known.
func (Upstream) Target(string, string) *ir.Target { return &ir.Target{} }

// Runs returns false: the API has no server tools.
func (Upstream) Runs(ir.ToolKind, *ir.Target) bool { return false }

// AcceptsFormat returns false: the API has no formats.
func (Upstream) AcceptsFormat(*ir.Format, *ir.Target) bool { return false }

// AcceptsStop returns false: the API has no stop sequences.
func (Upstream) AcceptsStop(ir.Escaped) bool { return false }

// DecodeError reads an answer with an HTTP status of 400 or more.
func (Upstream) DecodeError(status int, body string) *ir.Error { return failure.Decode(status, body) }
