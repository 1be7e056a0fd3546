package jsonr

// Index is a checked text and the positions of its tokens. Its Reader does not look again at bytes
// that Check has seen: it moves from token to token, and skips whole values. The zero value is
// ready for use. A reused Index also reuses its memory.
type Index struct {
	text   string
	tokens []token
	open   [MaxDepth]int32 // by depth: the index in tokens of each open array or object
}

// token is a value, a key, or the end of a container.
type token struct {
	start, end int32 // the token's range in the text; end is 0 for a closing bracket
	next       int32 // the index in tokens of the token after the value
}

// maxTokens bounds the memory for one text to 48 KB. A text with more tokens is read without an
// index.
const maxTokens = 4096

// Check does the same as the function Check. The Index refers to s, which must not change while a
// Reader of the Index is in use.
func (x *Index) Check(s string) error {
	x.text, x.tokens = s, x.tokens[:0]
	_, err := check(s, x)
	return err
}

// Reader returns a Reader at the value of the text last passed to Check. Check must have returned
// nil. The Reader is valid until the next call of Check.
func (x *Index) Reader() Reader {
	if len(x.tokens) == maxTokens {
		return NewReader(x.text)
	}
	return Reader{s: x.text, pending: true, tokens: x.tokens}
}

// add records a key, or a value that is not a container.
func (x *Index) add(start, end int) {
	if n := len(x.tokens); n < maxTokens {
		x.tokens = append(x.tokens, token{int32(start), int32(end), int32(n + 1)})
	}
}

// escapedKey is token.next of a key with an escape. Keys are never skipped, so their next is
// otherwise unused.
const escapedKey = -1

// addKey records a key.
func (x *Index) addKey(start, end int, escaped bool) {
	x.add(start, end)
	if escaped && len(x.tokens) < maxTokens {
		x.tokens[len(x.tokens)-1].next = escapedKey
	}
}

// enter records the start of a container.
func (x *Index) enter(start, depth int) {
	x.open[depth] = int32(len(x.tokens))
	x.add(start, 0)
}

// leave records the end of a container, at its bracket.
func (x *Index) leave(at, depth int) {
	x.add(at, 0)
	if n := len(x.tokens); n < maxTokens {
		begin := &x.tokens[x.open[depth]]
		begin.end, begin.next = int32(at+1), int32(n)
	}
}
