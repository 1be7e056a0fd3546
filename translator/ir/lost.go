package ir

import (
	"strconv"
	"strings"

	"edgelingua/translator/jsonr"
)

const (
	maxLostHeader = 2048 // bytes of the value of x-edgelingua-lost
	maxLostPaths  = 512  // stored paths; further ones are only counted
)

// Lost collects the paths of lost fields: fields of a request that could not be sent to the
// upstream, and fields of an answer that could not be sent to the client. Only paths are stored,
// never values. The zero value is ready.
type Lost struct {
	paths []string
	more  int
}

// Add notes path, unless already noted. After 512 paths Add only counts.
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

// CountOnly reports whether Lost is full. If so, CountOnly counts one more path, and the caller
// need not build the path.
func (l *Lost) CountOnly() bool {
	if len(l.paths) < maxLostPaths {
		return false
	}
	l.more++
	return true
}

// Member returns "."+key, the end of the path of an unread member, for the caller to add. key is
// cut to 64 bytes, because a peer chose it. Member returns "" if there is no path to add: because v
// asks for nothing (see jsonr.Asks), or because Lost is full; Member then counts the path.
func (l *Lost) Member(key string, v Raw) string {
	if !jsonr.Asks(v) || l.CountOnly() {
		return ""
	}
	return "." + Shortened(key)
}

// AddMember notes the member that r is at, by the path of its object and its key, unless the
// member's value asks for nothing.
// Decoders call AddMember for every event: no memory is allocated if the path is already noted.
func (l *Lost) AddMember(path string, r *jsonr.Reader) {
	key, dot := Shortened(r.Key()), "."
	if path == "" {
		dot = ""
	}
	if jsonr.Asks(r.Value()) && !l.has(path, dot, key) && !l.CountOnly() {
		l.paths = append(l.paths, path+dot+key)
	}
}

// has reports whether the path lead+dot+name is noted.
func (l *Lost) has(lead, dot, name string) bool {
	for _, p := range l.paths {
		if len(p) == len(lead)+len(dot)+len(name) && p[:len(lead)] == lead &&
			p[len(lead):len(lead)+len(dot)] == dot && p[len(lead)+len(dot):] == name {
			return true
		}
	}
	return false
}

// AddCounts is AddMember for numbers: zeros are no loss.
func (l *Lost) AddCounts(path string, r *jsonr.Reader) {
	if here := r.Copy(); strings.ContainsAny(string(here.Value()), "123456789") {
		l.AddMember(path, r)
	}
}

// AddMemberAt notes the member that r is at, unless its value asks for nothing. The member's object
// is the field of the value at at; field begins with a dot, or is "".
func (l *Lost) AddMemberAt(at Pos, field string, r *jsonr.Reader) {
	if end := l.Member(r.Key(), r.Value()); end != "" {
		l.Add(at.Path(field + end))
	}
}

// AddNamed notes lead+name. name is a peer's name of a skipped thing, such as an unknown event
// type. Decoders call AddNamed for every skipped event: no memory is allocated if the path is
// already noted.
func (l *Lost) AddNamed(lead string, name Escaped) {
	if end := Shortened(string(name)); !l.has(lead, "", end) && !l.CountOnly() {
		l.paths = append(l.paths, lead+end)
	}
}

// Shortened returns the first 64 bytes of a name chosen by a peer.
func Shortened(name string) string { return name[:min(len(name), 64)] }

// AddOrRefuse notes a loss that changes the request's meaning or, if t.RefuseLossy, returns the
// loss as an error. what completes the error's message.
func (l *Lost) AddOrRefuse(t *Target, path, what string) *Error {
	if t.RefuseLossy {
		return &Error{Kind: InvalidRequest, Path: path, Message: "the upstream does not support " + what}
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
// then "+N" for the N paths that did not fit. The value is "" if nothing was lost.
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

// appendASCII appends s with '?' for each comma, blank or non-ASCII byte.
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
