// Package ir is the hub: what every protocol is decoded into and encoded from.
//
// A request is a Request. An answer, streamed or not, is a sequence of Events in this grammar, checked by Checker:
//
//	Start (BlockStart Delta* BlockStop)* (Finish | Failure)
//
// A Failure may also come first, or inside a block: it ends everything that is open. Decoders own the block boundaries;
// encoders trust them. The package knows no wire format.
package ir

import "edgelingua/translator/jsonw"

// Escaped is the inside of a JSON string literal without its quotes, still escaped. It is copied from input to output as
// it stands. A decoder of a stream yields views into its buffer: they are good until the call that yielded them returns.
type Escaped = jsonw.Escaped

// Raw is one complete JSON value, byte for byte. The same lifetime as Escaped.
type Raw = jsonw.Raw
