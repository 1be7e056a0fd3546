package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// arguments gathers a call's arguments. The API sends each piece of them once, but some servers send all that there is so far
// with every piece, and some the whole once more at the end. Nothing of what is gathered is kept, but its length and its
// hash.
//
// The second piece tells which it is. Where it does not begin with the first one, pieces are new ones. Where it does, it is a
// repeat, unless JSON would allow it to be a new one too: where the first piece ends right where a value may begin, as in
//
//	{"a":
//	{"a":1
//
// an object in the object, with the same key, may follow. Pieces are then held until one, or the end, decides. So nothing that is
// sent as the API says is ever taken for a repeat.
//
// Some servers encode the arguments twice, as a JSON string that holds the object. Such a string is held until it is whole.
type arguments struct {
	object
	sum    uint64 // FNV-1a of the literal that is gathered
	size   int    // its length
	sent   sending
	held   []byte // the pieces that are held: in doubt, or of the string
	latest int    // where in held the last of them begins
}

// sending is how a server sends arguments.
type sending uint8

const (
	unknown    sending = iota // at most one piece has come
	doubtful                  // in pieces or cumulative: what came since the first piece is held
	inPieces                  // each piece is new
	cumulative                // each piece repeats all before it
	inString                  // in a JSON string, which is held
)

// next takes the next piece of the arguments and returns what is new, which is good until the next call. taken is false where that
// was held, and the piece has to be given once more. ok is false where a cumulative piece does not repeat what came before.
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

// sendingBy returns what the first piece, or the second one, says of the form. Until the object has begun pieces are space.
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

// rest returns the arguments that are held, where nothing comes behind them. Where the last piece is a whole object the others
// were its beginnings: as a new one it would leave theirs open.
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

// repeated reports whether e begins with all that is gathered.
func (a *arguments) repeated(e ir.Escaped) bool {
	return a.size > 0 && len(e) >= a.size && hash(hashStart, e[:a.size]) == a.sum
}

// behind returns what e has behind all that is gathered, all of e where it does not begin with that.
func (a *arguments) behind(e ir.Escaped) ir.Escaped {
	if a.repeated(e) {
		return e[a.size:]
	}
	return e
}

// gather takes new text. It is false where something other than space follows the object's end.
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
