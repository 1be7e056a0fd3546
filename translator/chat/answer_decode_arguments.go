package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// arguments finds out what of each piece of a call's arguments is new. By the API all of it is. But
// Baidu Qianfan's DeepSeek sends with each piece all arguments so far (hermes-agent#35592), and
// vLLM 0.19 with GLM and its xlam parser all arguments once more at the end (vllm#42167,
// vllm#51697). What has gone out is not kept, only its length and a hash of it.
//
// The second piece tells which it is. Where it does not begin with the first piece, the server
// sends each piece once. Where it does, the server repeats, unless JSON would allow the second
// piece to follow the first: where the first piece ends where a value is due, as in
//
//	{"a":
//	{"a":1
//
// an object with the same key may stand there. Pieces are then held until a later one, or the end
// of the answer, decides. So what a server sends as the API says is never taken for a repeat.
//
// vLLM's hermes parser encodes the arguments of Granite 4 twice, as a JSON string that holds the
// object (vllm#54964). Such a string is held until it is whole, and then decoded.
type arguments struct {
	object        // as far as it has been gathered
	sum    uint64 // FNV-1a of what has been gathered
	size   int    // how many bytes have been gathered
	sent   sending
	held   []byte // the pieces that are held: in doubt, or of the string
	latest int    // where in held the last of them begins
}

// sending is how a server sends arguments.
type sending uint8

const (
	unknown sending = iota // at most one piece has come
	// not known yet whether pieces are new or repeat: all but the first are held until it is
	doubtful
	inPieces   // each piece is new
	cumulative // each piece repeats all before it
	inString   // in a JSON string, which is held
)

// next takes a piece and returns what is to be gathered now; the text is good until the next call.
// taken is false where the text is that of the pieces held before: next has to be called with the
// same piece again. ok is false where a server that repeats has changed what it sent before.
func (a *arguments) next(e ir.Escaped) (text ir.Escaped, taken, ok bool) {
	if a.state == complete {
		return a.behind(e), true, true
	}
	switch a.sent {
	case unknown:
		a.sent = a.sendingBy(e)
	case doubtful:
		latest := jsonw.View(a.held[a.latest:])
		var o object
		o.read(latest)
		follows := o.follow(e)
		switch {
		case !strings.HasPrefix(string(e), string(latest)), follows == isFollowing:
			a.sent = inPieces
			return jsonw.View(a.held), false, true
		case follows == cannotFollow:
			a.sent = cumulative
		}
	}
	switch a.sent {
	case doubtful:
		a.hold(e)
		return "", true, true
	case cumulative:
		return a.behind(e), true, a.repeated(e)
	case inString:
		a.hold(e)
		if a.read(e); a.state == complete {
			return a.rest(), true, true
		}
		return "", true, true
	}
	return e, true, true
}

// sendingBy returns what a piece says of how the server sends: unknown after the first one, unless
// that begins a string. Pieces of nothing but space in front of the object don't count.
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

func (a *arguments) hold(e ir.Escaped) {
	a.latest = len(a.held)
	a.held = append(a.held, e...)
}

// rest returns what is still to be gathered where no piece follows. Pieces in doubt are repeats
// where the last one is a whole object: as a value inside of the others it would leave those open.
// Else all of them are new.
func (a *arguments) rest() ir.Escaped {
	switch a.sent {
	case inString:
		a.object, a.sent = object{}, inPieces
		return openai.Unwrapped(jsonw.View(a.held))
	case doubtful:
		latest := jsonw.View(a.held[a.latest:])
		var o object
		if o.read(latest) && o.state == complete {
			return latest[a.size:]
		}
		return jsonw.View(a.held)
	}
	return ""
}

// repeated reports whether e begins with all that has been gathered.
func (a *arguments) repeated(e ir.Escaped) bool {
	return a.size > 0 && len(e) >= a.size && hash(hashStart, e[:a.size]) == a.sum
}

// behind returns what e has behind all that has been gathered; all of e where it is no repeat.
func (a *arguments) behind(e ir.Escaped) ir.Escaped {
	if a.repeated(e) {
		return e[a.size:]
	}
	return e
}

// gather counts new text to what has been gathered. It is false where something other than space
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

// hash goes on with an FNV-1a hash of 64 bits.
func hash(sum uint64, e ir.Escaped) uint64 {
	for i := 0; i < len(e); i++ {
		sum = (sum ^ uint64(e[i])) * 1099511628211
	}
	return sum
}
