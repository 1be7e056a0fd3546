package stored

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/stored/archive"
	"edgelingua/worker/tenant"
)

// NotStored returns the client's error for an answer whose statements failed.
//
//go:noinline
func NotStored(failed error) *ir.Error {
	if tenant.Refused(failed) == tenant.Gone {
		return &ir.Error{Kind: ir.Permission,
			Message: "The response was not stored: this endpoint was deleted."}
	}
	if archive.Full(failed) {
		return &ir.Error{Kind: ir.TooLarge,
			Message: "The response was not stored: there is no room for it in the bytes that this " +
				"endpoint stores (\"store_bytes\"). " +
				"Delete responses, send the request with \"store\":false, or ask who runs the " +
				"endpoint for a larger \"store_bytes\" or a shorter \"store_ttl\"."}
	}
	return &ir.Error{Kind: ir.Internal,
		Message: "The response could not be stored: " + strings.TrimSuffix(failed.Error(), ".") +
			". Send the request again, or with \"store\":false."}
}

// notRead returns the client's error for failed reads.
func notRead(failed error, api *ir.Stored) *ir.Error {
	if archive.TooLarge(failed) {
		return tooLong(megabytes(archive.MaxRows), api)
	}
	return &ir.Error{Kind: ir.Internal, Message: "Stored responses could not be read: " +
		strings.TrimSuffix(failed.Error(), ".") + ". Try again."}
}

// notFound returns the error for a missing response. The error does not reveal whether the response
// was deleted, has expired, belongs to another endpoint or never existed.
func notFound(id string, e *endpoint.Endpoint, api *ir.Stored) *ir.Error {
	why := "."
	if !e.State.Responses {
		why = ": " + strings.ToLower(api.Noun) + "s are not stored here. The endpoint's option " +
			"\"store\":\"on\" would store them."
	}
	return &ir.Error{Kind: ir.NotFound, Message: api.Noun + " with id '" + id[:min(len(id), 80)] +
		"' not found" + why}
}

// unusable returns the error for a request whose previous conversation has a problem.
func unusable(p *archive.Problem, api *ir.Stored) *ir.Error {
	switch {
	case p.Missing != "":
		return api.NoPrevious(p.Missing)
	case p.Responses > 0:
		return tooLong("4,096 turns", api)
	}
	return tooLong(megabytes(p.Bytes), api)
}

// tooLong returns the error for a conversation over a limit, including the request's own items.
// limit is in words.
func tooLong(limit string, api *ir.Stored) *ir.Error {
	return &ir.Error{Kind: ir.ContextOverflow, Path: api.Previous,
		Message: "The stored conversation is over " + limit +
			". Begin a new one: send a summary, or the latest items, in 'input' without " +
			"'" + api.Previous + "'."}
}

func megabytes(n int) string { return strconv.Itoa(n>>20) + " MB" }

func refuse(message string) *ir.Error { return &ir.Error{Kind: ir.InvalidRequest, Message: message} }
