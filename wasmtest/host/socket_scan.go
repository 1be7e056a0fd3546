package host

// laneScan finds the member "stream_id" of a frame that comes in pieces.
type laneScan struct {
	depth   int
	quoted  bool   // the next byte is inside a string
	escaped bool   // the last byte began an escape
	member  []byte // of the frame: the beginning of the current member, without space between tokens
	found   []byte // the last such member
}

// maxMember is longer than any member stream_id with a valid name.
const maxMember = 300

// push reads the next piece.
func (l *laneScan) push(piece []byte) {
	for _, c := range piece {
		if l.depth == 1 && !l.quoted && (c == ',' || c == '}') {
			l.end()
		} else if l.depth == 1 && len(l.member) < maxMember && (l.quoted || c > ' ') {
			l.member = append(l.member, c)
		}
		switch {
		case l.escaped:
			l.escaped = false
		case l.quoted:
			l.escaped, l.quoted = c == '\\', c != '"'
		case c == '"':
			l.quoted = true
		case c == '{' || c == '[':
			l.depth++
		case c == '}' || c == ']':
			l.depth--
		}
	}
}

// end ends a member.
func (l *laneScan) end() {
	if len(l.member) > 1 && string(l.member[:min(len(l.member), len(`"stream_id":`))]) == `"stream_id":` {
		l.found = append(l.found[:0], l.member...)
	}
	l.member = l.member[:0]
}

// lane returns the lane of the whole frame, as laneOf does.
func (l *laneScan) lane() string {
	if l.found == nil {
		return ""
	}
	return laneOf(append(append([]byte("{"), l.found...), '}'))
}
