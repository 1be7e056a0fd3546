// Package ir is the hub: what every protocol is decoded into and encoded from.
//
// A request is a Request. An answer, streamed or plain, is a sequence of Events in this grammar,
// which Checker checks:
//
//	Start (BlockStart Delta* BlockStop)* (Finish | Failure)
//
// A Failure may also come before Start or inside a block: it ends whatever is open. Decoders decide
// where blocks begin and end; encoders rely on it. The package knows no wire format.
package ir

import "edgelingua/translator/jsonw"

// Escaped is the inside of a JSON string literal: without its quotes, its escapes as they were
// written. It is copied from input to output unchanged. What a decoder of a stream yields is a view
// of the decoder's buffer, good until the call that yielded it returns.
type Escaped = jsonw.Escaped

// Raw is one complete JSON value as it was written, byte for byte. It lives as long as an Escaped does.
type Raw = jsonw.Raw
