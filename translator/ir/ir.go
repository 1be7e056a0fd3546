// Package ir is the hub: every protocol is decoded into it and encoded from it.
//
// A request is a Request. An answer, streamed or plain, is a sequence of Events in this grammar,
// which Checker checks:
//
//	Start (BlockStart Delta* BlockStop)* (Finish | Failure)
//
// A Failure may also come before Start or inside a block: the Failure ends any open block. Decoders
// decide where blocks begin and end; encoders rely on that. The package knows no whole wire format:
// it has names and values that several protocols share, as "cache_control" and the service tiers.
//
// In all packages, "go:noinline" keeps code that few requests reach out of the functions that V8
// compiles for every request: RATIONALE.md, "Why must some functions not be inlined?". A few other
// functions have it so that their stack is free again at their end, or because they have dozens of
// callers.
package ir

import "edgelingua/translator/jsonw"

// Escaped is the inside of a JSON string literal: without its quotes, with the original escapes. It
// is copied from input to output unchanged. A string of an Event is a view of the decoder's buffer,
// valid until Sink.Event returns. A string of a Request is a view of the client's body.
type Escaped = jsonw.Escaped

// Raw is one complete JSON value with its original bytes. It is valid for as long as an Escaped.
type Raw = jsonw.Raw
