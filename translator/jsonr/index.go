package jsonr

// Index is a checked text and the places of its tokens. Its Reader does not look at bytes again that Check has seen: it goes from
// token to token, and jumps over values. The zero value is ready, and reuses its memory: no allocation once that has grown.
type Index struct {
	text   string
	tokens []token
	open   [MaxDepth]int32 // the tokens of the containers that are open, by depth
}

// token is a value, a key, or the end of a container.
type token struct {
	start, end int32 // in the text; end 0: the bracket of a container's end
	next       int32 // the token behind the value
}

// maxTokens bounds what a text may make the index hold, to 48 KB. A Reader of a text with more goes over the text.
const maxTokens = 4096

// Check does what the function Check does, and remembers s, which must stay unchanged while it is read.
func (x *Index) Check(s string) error {
	x.text, x.tokens = s, x.tokens[:0]
	return check(s, x)
}

// Reader returns a Reader that stands before the value of the last text, which Check has accepted. It is good until the next one.
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

// escapedKey is the next of a key with an escape in it; that of other keys, which are never jumped over, means nothing.
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
