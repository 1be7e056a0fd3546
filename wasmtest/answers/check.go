// Package answers checks the answers that clients of Messages, Chat Completions, Responses, Gemini and
// Interactions get, as strictly as possible: unknown members, missing members and events out of order
// are errors, even if the parser of a client would accept them. The tests of the translator and the
// doubles of clients (wasmtest/clients) use the package.
package answers

import "github.com/stretchr/testify/require"

// T is a test, or the error handling of a client that runs outside of a test.
type T = require.TestingT

// CheckStream checks a translated stream. client is the name of the client's protocol. Each event
// must be whole, with one line of JSON, in the order that the API defines, with the members that
// the types of the SDKs require and no others. usage says whether a client of Chat asked for the
// usage.
func CheckStream(t T, client string, usage bool, stream []byte) {
	frames := Frames(t, stream)
	switch client {
	case "anthropic":
		checkMessages(t, frames, messagesShapes)
	case "chat":
		checkChat(t, usage, frames)
	case "responses":
		checkResponses(t, frames)
	case "gemini":
		checkGemini(t, frames)
	case "interactions":
		checkInteractions(t, frames)
	}
}

// CheckBody checks a translated plain answer against the types of the client's SDK. client is the
// name of the client's protocol. own says whether the upstream speaks the same protocol.
func CheckBody(t T, client string, own bool, body []byte) {
	CheckKeys(t, body)
	v := Validator{Vendor: own}
	name := "answer"
	switch client {
	case "anthropic":
		v.Shapes = messagesShapes
	case "chat":
		v.Shapes = chatShapes
	case "responses":
		v.Shapes, name = responsesShapes, "response"
	case "gemini":
		v.Shapes = geminiShapes
	case "interactions":
		v.Shapes = interactionsShapes
	}
	answer := Decoded(t, body)
	require.Empty(t, v.Misfit(name, answer), "%s", body)
	if steps, ok := answer["steps"]; ok && client == "interactions" {
		checkSteps(t, steps)
	}
}

// CheckErrorBody checks the body of an error against the members that the client's SDK reads.
// client is the name of the client's protocol.
func CheckErrorBody(t T, client string, body []byte) {
	CheckKeys(t, body)
	v, name := Validator{Shapes: messagesShapes}, "error"
	switch client {
	case "anthropic":
	case "gemini":
		v.Shapes, name = geminiShapes, "failure"
	case "interactions":
		v.Shapes, name = interactionsShapes, "failure"
	default:
		v.Shapes, name = chatShapes, "failure"
	}
	require.Empty(t, v.Misfit(name, Decoded(t, body)), "%s", body)
}
