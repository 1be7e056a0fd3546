package jsonr

// Index is a checked text and the places of its tokens. The Reader of an Index does not look again
// at bytes that Check has seen: it goes from token to token, and jumps over whole values. The zero
// value is ready for use. An Index that is used again reuses its memory.
type Index struct {
	text   string
	tokens []token
	open   [MaxDepth]int32 // by depth: the place in tokens of the array or object that is open
}

// token is a value, a key, or the end of a container.
type token struct {
	start, end int32 // where the token stands in the text; end is 0 for the bracket that ends a container
	next       int32 // the place in tokens of what follows the value
}

// maxTokens bounds the memory that a text may take, to 48 KB. A text with more tokens is read
// without them.
const maxTokens = 4096

// Check does what the function Check does, and keeps s, which must not change as long as the Reader
// is in use.
func (x *Index) Check(s string) error {
	x.text, x.tokens = s, x.tokens[:0]
	return check(s, x)
}

// Reader returns a Reader that stands before the value of the text that Check was last called with,
// and has accepted. It is good until Check is called again.
func (x *Index) Reader() Reader {
	if len(x.tokens) == maxTokens {
		return NewReader(x.text)
	}
	return Reader{s: x.text, pending: true, tokens: x.tokens}
}

// add notes a value that is no container, or a key.
func (x *Index) add(start, end int) {
	if n := len(x.tokens); n < maxTokens {
		x.tokens = append(x.tokens, token{int32(start), int32(end), int32(n + 1)})
	}
}

// escapedKey stands in token.next of a key that has an escape. Keys are never jumped over, so next
// means nothing else for them.
const escapedKey = -1

// addKey notes a key.
func (x *Index) addKey(start, end int, escaped bool) {
	x.add(start, end)
	if escaped && len(x.tokens) < maxTokens {
		x.tokens[len(x.tokens)-1].next = escapedKey
	}
}

// enter notes a container's beginning.
func (x *Index) enter(start, depth int) {
	x.open[depth] = int32(len(x.tokens))
	x.add(start, 0)
}

// leave notes a container's end, at its bracket.
func (x *Index) leave(at, depth int) {
	x.add(at, 0)
	if n := len(x.tokens); n < maxTokens {
		begin := &x.tokens[x.open[depth]]
		begin.end, begin.next = int32(at+1), int32(n)
	}
}
