// Package answers reads what clients of Messages, Chat Completions, Responses and Gemini get, and forgives nothing: what a lenient
// parser of a client passes over is an error here. The tests of the translator check their answers with it, and so do the doubles
// of clients (wasmtest/clients).
package answers

import "github.com/stretchr/testify/require"

// T is a test, or a client that goes on without one.
type T = require.TestingT

// CheckStream checks the stream of a translated answer, which a client of a protocol got: whole events with one line of JSON each,
// in the order of the API, with all members that the types of the SDKs demand and no others. usage is whether a client of Chat has
// asked for the usage.
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
	}
}

// CheckBody checks a translated plain answer to a client of a protocol by the types of the client's SDK. own is whether the upstream
// speaks that protocol too.
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
	}
	require.Empty(t, v.Misfit(name, Decoded(t, body)), "%s", body)
}

// CheckErrorBody checks an error's body by what the client's SDK reads.
func CheckErrorBody(t T, client string, body []byte) {
	CheckKeys(t, body)
	v, name := Validator{Shapes: messagesShapes}, "error"
	switch client {
	case "anthropic":
	case "gemini":
		v.Shapes, name = geminiShapes, "failure"
	default:
		v.Shapes, name = chatShapes, "failure"
	}
	require.Empty(t, v.Misfit(name, Decoded(t, body)), "%s", body)
}
