package irtest

import (
	"slices"

	"edgelingua/translator/ir"
)

// Client is a client of a made-up protocol that can show every kind of block except the hidden
// ones. Without an embedded ir.Client only the methods Shows and FieldPath work.
type Client struct {
	ir.Client
	Hidden []ir.BlockKind
}

// Shows reports whether b is not hidden.
func (c Client) Shows(b ir.BlockKind) bool { return !slices.Contains(c.Hidden, b) }

var fields = [ir.Fields]string{
	ir.FieldMaxTokens: "limit", ir.FieldTemperature: "temperature", ir.FieldTopP: "top_p",
	ir.FieldTopK: "top_k", ir.FieldStop: "stop", ir.FieldEffort: "effort",
	ir.FieldReasoningSummary: "summary",
	ir.FieldUserID:           "user",
	ir.FieldMetadata:         "meta", ir.FieldServiceTier: "tier", ir.FieldVerbosity: "verbosity",
	ir.FieldParallel: "parallel", ir.FieldToolChoice: "choice", ir.FieldFormat: "format",
	ir.FieldFormatDescription: "format.description", ir.FieldMessages: "messages",
	ir.FieldPresence: "presence", ir.FieldFrequency: "frequency", ir.FieldSeed: "seed",
	ir.FieldTopLogprobs: "top_logprobs",
}

// FieldPath returns a name of f that belongs to no API.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string { return fields[f] }

// API returns an API with a Client.
func API(name string, hidden ...ir.BlockKind) *ir.API {
	return &ir.API{Name: name, Client: Client{Hidden: hidden}}
}

// Request returns an empty request of a Client, received in November 2023.
func Request(hidden ...ir.BlockKind) *ir.Request {
	return &ir.Request{API: API("", hidden...), Received: 1_700_000_000}
}

// SearchRequest returns a request with a web search tool for the upstream.
func SearchRequest() *ir.Request {
	r := Request()
	r.Tools = []ir.Tool{{Kind: ir.WebSearchTool}}
	return r
}
