package ir

import (
	"strconv"

	"edgelingua/translator/jsonr"
)

const (
	maxLostHeader = 2048 // bytes of the value of x-edgelingua-lost
	maxLostPaths  = 512  // paths that are kept; further ones are only counted
)

// Lost collects the paths of the fields of a request that its upstream could not be sent, and of
// the fields of an answer that its client could not be sent: paths only, never values. The zero
// value is ready.
type Lost struct {
	paths []string
	more  int
}

// Add notes path, unless it is there already. Beyond 512 paths it only counts.
func (l *Lost) Add(path string) {
	for _, p := range l.paths {
		if p == path {
			return
		}
	}
	if len(l.paths) == maxLostPaths {
		l.more++
		return
	}
	l.paths = append(l.paths, path)
}

// CountOnly reports whether Lost is full, and then counts one more path. The caller need not build
// that path.
func (l *Lost) CountOnly() bool {
	if len(l.paths) < maxLostPaths {
		return false
	}
	l.more++
	return true
}

// Member returns "."+key, the end of the path of a member that no code reads, for the caller to
// add. key is cut to 64 bytes, since a peer chose it. Member returns "" where there is no path to
// add: where v asks for nothing (see jsonr.Asks), or where Lost is full, which then counts one
// more.
func (l *Lost) Member(key string, v Raw) string {
	if !jsonr.Asks(v) || l.CountOnly() {
		return ""
	}
	return "." + Shortened(key)
}

// AddMember notes the member that r stands before, by the path of its object and its key, unless
// its value asks for nothing.
func (l *Lost) AddMember(path string, r *jsonr.Reader) {
	end := l.Member(r.Key(), r.Value())
	if end == "" {
		return
	}
	if path == "" {
		end = end[1:]
	}
	l.Add(path + end)
}

// AddMemberAt notes the member that r stands before, unless it asks for nothing. The member's
// object is a field of what stands at at; field begins with a dot, or is "".
func (l *Lost) AddMemberAt(at Pos, field string, r *jsonr.Reader) {
	if end := l.Member(r.Key(), r.Value()); end != "" {
		l.Add(at.Path(field + end))
	}
}

// AddNamed notes lead+name, where name is a peer's name of something that is skipped, such as an
// unknown event type. Decoders call it for every event that they skip: it allocates nothing where
// the path is there already.
func (l *Lost) AddNamed(lead string, name Escaped) {
	name = Escaped(Shortened(string(name)))
	for _, p := range l.paths {
		if len(p) == len(lead)+len(name) && p[:len(lead)] == lead && p[len(lead):] == string(name) {
			return
		}
	}
	if !l.CountOnly() {
		l.paths = append(l.paths, lead+string(name))
	}
}

// Shortened returns the first 64 bytes of a name that a peer chose.
func Shortened(name string) string { return name[:min(len(name), 64)] }

// AddOrRefuse notes a loss that changes the meaning of the request, or returns it as an error where
// t.RefuseLossy. what completes the error's message.
func (l *Lost) AddOrRefuse(t *Target, path, what string) *Error {
	if t.RefuseLossy {
		return &Error{Kind: InvalidRequest, Path: path, Message: "the upstream can't be given " + what}
	}
	l.Add(path)
	return nil
}

// Rewrite replaces each path p by of(p).
func (l *Lost) Rewrite(of func(path string) string) {
	paths := l.paths
	l.paths = nil
	for _, p := range paths {
		l.Add(of(p))
	}
}

// Paths returns the noted paths in order. The slice belongs to l.
func (l *Lost) Paths() []string { return l.paths }

// Header returns the value of x-edgelingua-lost: the paths, comma-separated, ASCII, at most 2 KB,
// then "+N" for those that did not fit. "" where nothing was lost.
func (l *Lost) Header() string {
	var b []byte
	for i, p := range l.paths {
		if len(b)+len(p)+len(",,+1000000000") > maxLostHeader {
			return string(appendMore(b, len(l.paths)-i+l.more))
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = appendASCII(b, p)
	}
	if l.more > 0 {
		b = appendMore(b, l.more)
	}
	return string(b)
}

func appendMore(b []byte, n int) []byte {
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = append(b, '+')
	return strconv.AppendInt(b, int64(n), 10)
}

// appendASCII appends s with '?' for each byte that is a comma, a blank or not ASCII.
func appendASCII(b []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c > ' ' && c < 0x7f && c != ',' {
			b = append(b, c)
		} else {
			b = append(b, '?')
		}
	}
	return b
}
