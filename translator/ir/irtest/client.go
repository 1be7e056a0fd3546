package irtest

import (
	"slices"

	"edgelingua/translator/ir"
)

// Client is a client of a protocol of its own, which has a form for each kind of block except the
// hidden ones. It has no other methods than these two, unless the embedded ir.Client is set.
type Client struct {
	ir.Client
	Hidden []ir.BlockKind
}

// Shows reports whether b is not hidden.
func (c Client) Shows(b ir.BlockKind) bool { return !slices.Contains(c.Hidden, b) }

var fields = [ir.Fields]string{
	ir.FieldMaxTokens: "limit", ir.FieldTemperature: "temperature", ir.FieldTopP: "top_p", ir.FieldTopK: "top_k",
	ir.FieldStop: "stop", ir.FieldEffort: "effort", ir.FieldSummary: "summary", ir.FieldUserID: "user",
	ir.FieldMetadata: "meta", ir.FieldServiceTier: "tier", ir.FieldVerbosity: "verbosity",
	ir.FieldParallel: "parallel", ir.FieldToolChoice: "choice", ir.FieldFormat: "format",
	ir.FieldFormatDescription: "format.description", ir.FieldMessages: "messages", ir.FieldPresence: "presence",
	ir.FieldFrequency: "frequency", ir.FieldSeed: "seed", ir.FieldTopLogprobs: "top_logprobs",
}

// FieldPath returns a name of f that is no API's.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string { return fields[f] }

// API returns the API of a Client under a name.
func API(name string, hidden ...ir.BlockKind) *ir.API {
	return &ir.API{Name: name, Client: Client{Hidden: hidden}}
}

// Request returns a request of a Client, with nothing else in it.
func Request(hidden ...ir.BlockKind) *ir.Request { return &ir.Request{API: API("", hidden...)} }
