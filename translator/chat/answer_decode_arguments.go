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
	mode   pieces
	doubt  []byte // the pieces that are held
	latest int    // where the last of them begins
}

// pieces is how a server sends arguments.
type pieces uint8

const (
	unknown pieces = iota
	doubtful
	separate
	cumulative
	wrapped // in a string
)

// verdict is what a piece of arguments is.
type verdict uint8

const (
	fresh         verdict = iota // new
	freshAfterAll                // not decided yet, but those that are held are new
	repeated                     // all of it so far, and what is behind that is new
	held                         // one or the other
	changed                      // neither
)

// judge decides what the next piece is. Until the object has begun pieces are space; what is no object is not looked at.
func (a *arguments) judge(e ir.Escaped) verdict {
	if a.done {
		if a.repeats(e) {
			return repeated
		}
		return fresh
	}
	switch a.mode {
	case wrapped:
		return held
	case unknown:
		if a.start == 0 {
			var o object
			if o.read(e); o.start != '"' {
				return fresh
			}
			a.mode = wrapped
			return held
		}
		if a.start != '{' || !a.repeats(e) {
			a.mode = separate
			return fresh
		}
		switch a.follow(e) {
		case mayFollow:
			a.mode = doubtful
			return held
		case isFollowing:
			a.mode = separate
			return fresh
		}
		a.mode = cumulative
		return repeated
	case doubtful:
		latest := jsonw.View(a.doubt[a.latest:])
		if !strings.HasPrefix(string(e), string(latest)) {
			a.mode = separate
			return freshAfterAll
		}
		var o object
		o.read(latest)
		switch o.follow(e) {
		case mayFollow:
			return held
		case isFollowing:
			a.mode = separate
			return freshAfterAll
		}
		a.mode = cumulative
		return repeated
	case cumulative:
		if !a.repeats(e) {
			return changed
		}
		return repeated
	}
	return fresh
}

// hold keeps a piece until it is decided what it is, and reports whether that is so: a string is whole.
func (a *arguments) hold(e ir.Escaped) bool {
	a.latest = len(a.doubt)
	a.doubt = append(a.doubt, e...)
	if a.mode != wrapped {
		return false
	}
	a.read(e)
	return a.done
}

// settle returns the arguments that are held, where nothing comes behind them. Where the last piece is a whole object the others
// were its beginnings: as a new one it would leave theirs open.
func (a *arguments) settle() ir.Escaped {
	var o object
	if a.mode == wrapped {
		a.object, a.mode = o, separate
		return openai.Unwrapped(jsonw.View(a.doubt))
	}
	latest := jsonw.View(a.doubt[a.latest:])
	if o.read(latest) && o.done {
		return latest[a.size:]
	}
	return jsonw.View(a.doubt)
}

// repeats reports whether e begins with all that is gathered.
func (a *arguments) repeats(e ir.Escaped) bool {
	return a.size > 0 && len(e) >= a.size && hash(hashStart, e[:a.size]) == a.sum
}

// gather takes a new piece. It is false where something other than space follows the object's end.
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

// following is whether JSON allows an object to stand where another one, which it repeats, is cut.
type following uint8

const (
	cannotFollow following = iota
	mayFollow
	isFollowing
)

// follow says whether e, which begins as the object does, may stand behind what there is of it. Outside of strings that needs a
// place for a value. In a string the first quote of e would end that, and the first character of its first key would have to be
// syntax; no such key is seen in practice, and that reading holds.
func (o *object) follow(e ir.Escaped) following {
	switch {
	case !o.quoted:
		if o.last == ':' || o.last == '[' || o.last == ',' {
			return mayFollow
		}
	case !o.escaped:
		var p object
		p.read(e)
		switch p.first {
		case 0, ' ', ',', ':', ']', '}':
			return isFollowing
		}
	}
	return cannotFollow
}
