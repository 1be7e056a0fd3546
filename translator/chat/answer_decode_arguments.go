package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// arguments finds the new text in each piece of a call's arguments. By the API the whole piece is
// new. But Baidu Qianfan's DeepSeek sends all arguments so far with each piece
// (hermes-agent#35592), and vLLM 0.19 with GLM and its xlam parser sends all arguments once more at
// the end (vllm#42167, vllm#51697). Only the length and a hash of the text already sent are stored.
//
// The second piece decides. If it does not begin with the first piece, the server sends each piece
// once. If it does, the server repeats, unless JSON would allow the second piece to follow the
// first. In this example the first piece ends where a value is due, and an object with the same key
// may be the value:
//
//	{"a":
//	{"a":1
//
// Pieces are then buffered until a later piece, or the end of the answer, decides. So arguments
// that follow the API are never mistaken for a repeat.
//
// vLLM's hermes parser encodes the arguments of Granite 4 twice, as a JSON string with the object
// inside (vllm#54964). Such a string is buffered until it is whole, and then decoded.
type arguments struct {
	// DeepSeek's own server repeats arguments too (NousResearch/hermes-agent#35718).
	object          // the state after the gathered text
	sum      uint64 // FNV-1a of the gathered text
	size     int    // how many bytes have been gathered
	sent     sending
	buffered []byte // buffered pieces: in doubt, or of the string
	latest   int    // start of the last buffered piece in buffered
}

// sending is how a server sends arguments.
type sending uint8

const (
	unknown sending = iota // at most one piece has come
	// not known yet whether pieces are new or repeat: all but the first are buffered until then
	doubtful
	inPieces   // each piece is new
	cumulative // each piece repeats all earlier pieces
	inString   // in a buffered JSON string
)

// next reads a piece and returns the text to gather now; text is valid until the next call. taken
// is false if text is from the buffered pieces: the caller must pass the same piece again. ok is
// false if a server that repeats has changed earlier text.
func (a *arguments) next(e ir.Escaped) (text ir.Escaped, taken, ok bool) {
	if a.state == complete {
		return a.unrepeated(e), true, true
	}
	switch a.sent {
	case unknown:
		a.sent = a.sendingBy(e)
	case doubtful:
		latest := jsonw.View(a.buffered[a.latest:])
		var o object
		o.read(latest)
		follows := o.follow(e)
		switch {
		case !strings.HasPrefix(string(e), string(latest)), follows == isFollowing:
			a.sent = inPieces
			return jsonw.View(a.buffered), false, true
		case follows == cannotFollow:
			a.sent = cumulative
		}
	}
	switch a.sent {
	case doubtful:
		a.buffer(e)
		return "", true, true
	case cumulative:
		return a.unrepeated(e), true, a.repeated(e)
	case inString:
		a.buffer(e)
		if a.read(e); a.state == complete {
			return a.rest(), true, true
		}
		return "", true, true
	}
	return e, true, true
}

// sendingBy returns how the server sends, judging by a piece. After the first piece the answer is
// unknown, unless the piece begins a string. Pieces of white space before the object don't count.
func (a *arguments) sendingBy(e ir.Escaped) sending {
	if a.start == 0 {
		var o object
		if o.read(e); o.start == '"' {
			return inString
		}
		return unknown
	}
	if a.start != '{' || !a.repeated(e) {
		return inPieces
	}
	switch a.follow(e) {
	case mayFollow:
		return doubtful
	case isFollowing:
		return inPieces
	}
	return cumulative
}

func (a *arguments) buffer(e ir.Escaped) {
	a.latest = len(a.buffered)
	a.buffered = append(a.buffered, e...)
}

// rest returns the text still to be gathered when no piece follows. Pieces in doubt are repeats if
// the last piece is a whole object: as a value inside the other pieces' object, it would leave that
// object open. Otherwise all of them are new.
func (a *arguments) rest() ir.Escaped {
	switch a.sent {
	case inString:
		a.object, a.sent = object{}, inPieces
		return openai.Unwrapped(jsonw.View(a.buffered))
	case doubtful:
		latest := jsonw.View(a.buffered[a.latest:])
		var o object
		if o.read(latest) && o.state == complete {
			return latest[a.size:]
		}
		return jsonw.View(a.buffered)
	}
	return ""
}

// repeated reports whether e begins with the whole gathered text.
func (a *arguments) repeated(e ir.Escaped) bool {
	return a.size > 0 && len(e) >= a.size && hash(hashStart, e[:a.size]) == a.sum
}

// unrepeated returns the part of e after the gathered text, or all of e if e does not repeat it.
func (a *arguments) unrepeated(e ir.Escaped) ir.Escaped {
	if a.repeated(e) {
		return e[a.size:]
	}
	return e
}

// gather adds new text to the gathered text. It returns false if something other than white space
// follows the object's end.
func (a *arguments) gather(e ir.Escaped) bool {
	if a.size == 0 {
		a.sum = hashStart
	}
	a.sum = hash(a.sum, e)
	a.size += len(e)
	return a.read(e)
}

const hashStart = 14695981039346656037

// hash extends sum, a 64-bit FNV-1a hash, by e.
func hash(sum uint64, e ir.Escaped) uint64 {
	for i := 0; i < len(e); i++ {
		sum = (sum ^ uint64(e[i])) * 1099511628211
	}
	return sum
}
