package ir

import (
	"strconv"

	"edgelingua/translator/jsonr"
)

// maxLostHeader bounds the value of x-edgelingua-lost, in bytes; maxLostPaths how many paths are kept at all.
const (
	maxLostHeader = 2048
	maxLostPaths  = 512
)

// Lost collects the paths of what an upstream could not be told of a request, and a client of an answer: paths of fields, never
// values. The zero value is ready.
type Lost struct {
	paths []string
	more  int
}

// Add notes one path, once. Beyond 512 paths they are only counted.
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

// CountOnly counts a path where no further one is kept, and reports whether it did: then the path need not be built.
func (l *Lost) CountOnly() bool {
	if len(l.paths) < maxLostPaths {
		return false
	}
	l.more++
	return true
}

// Member returns how the path of a member that nothing reads ends: ".key", the key bounded, since a peer has made it up. It is ""
// where there is nothing to note: the member asks for nothing, or no further path is kept.
//
//go:noinline
func (l *Lost) Member(key string, v Raw) string {
	if !jsonr.Asks(v) || l.CountOnly() {
		return ""
	}
	return "." + Shortened(key)
}

// AddMember notes the member that r stands before, of the object with a path, unless it asks for nothing.
//
//go:noinline
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

// AddMemberAt notes the member that r stands before, unless it asks for nothing. The member's object is a field of what stands at
// at; field begins with a dot, or is "".
//
//go:noinline
func (l *Lost) AddMemberAt(at Pos, field string, r *jsonr.Reader) {
	if end := l.Member(r.Key(), r.Value()); end != "" {
		l.Add(at.Path(field + end))
	}
}

// AddNamed notes something by the name that a peer has for it, behind lead, once. Decoders ask for it with every event that they
// pass over: what was noted allocates nothing.
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

// Shortened bounds a name that a peer has made up.
func Shortened(name string) string { return name[:min(len(name), 64)] }

// AddOrRefuse deals with what changes the meaning and can't be given to the upstream: an error where the endpoint wants that,
// else a loss.
func (l *Lost) AddOrRefuse(t *Target, path, what string) *Error {
	if t.RefuseLossy {
		return &Error{Kind: InvalidRequest, Path: path, Message: "the upstream can't be given " + what}
	}
	l.Add(path)
	return nil
}

// Rewrite replaces each path by what the function makes of it.
func (l *Lost) Rewrite(of func(path string) string) {
	paths := l.paths
	l.paths = nil
	for _, p := range paths {
		l.Add(of(p))
	}
}

// Paths returns what was noted, in order; the slice is l's own.
func (l *Lost) Paths() []string { return l.paths }

// Header returns the value of x-edgelingua-lost: the paths, comma-separated, ASCII, at most 2 KB, then "+N" for those that
// did not fit. "" where nothing was lost.
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

// appendASCII writes what may not stand in a header list as '?'.
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
