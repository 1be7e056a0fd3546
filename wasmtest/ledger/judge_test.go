package ledger

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"edgelingua/translator/ir"
)

// sent is the translation of a request for a server.
type sent struct {
	refused *ir.Error
	body    string
	lost    []string // paths
}

// translations has the translations of requests: trials share bodies.
var translations = map[translation]sent{}

type translation struct {
	client, body string
	to           *Server
}

// send translates a client's request for a server, each request once.
func send(client, body string, s *Server) (o sent) {
	key := translation{client, body, s}
	o, found := translations[key]
	if !found {
		out, lost, err := s.Translate(client, []byte(body))
		if err != nil {
			o.refused = ir.AsError(err)
		}
		o.body, o.lost = string(out), reported(lost)
		translations[key] = o
	}
	return o
}

// segment is a member's name in a path, with the type or the index of an element.
type segment struct{ name, element string }

// segments splits a path at its dots.
func segments(path string) (all []segment) {
	for part := range strings.SplitSeq(path, ".") {
		name, element, _ := strings.Cut(part, "[")
		all = append(all, segment{name, strings.TrimSuffix(element, "]")})
	}
	return all
}

// covers reports whether a path names a member or an object around the member. An index stands for
// any element.
func covers(reported, member string) bool {
	whole, part := segments(reported), segments(member)
	if reported == "" || len(whole) > len(part) {
		return false
	}
	for i, s := range whole {
		other := part[i]
		if s.name != other.name || isType(s.element) && isType(other.element) && s != other {
			return false
		}
	}
	return true
}

// isType reports whether an element is a type and not an index.
func isType(element string) bool { return strings.Trim(element, "0123456789") != "" }

// reported returns the paths of a report of losses as paths of members. Reports of answers name a
// block without a place in the hub by its type alone.
func reported(paths []string) (all []string) {
	for _, path := range paths {
		kind, typ, isTyped := strings.Cut(path, ":")
		at := strings.LastIndex(path, "[].")
		switch {
		case isTyped && kind == "block":
			all = append(all, "content["+typ+"]")
			continue
		case isTyped && kind == "citation":
			all = append(all, "content[].citations["+typ+"]")
			continue
		case at > 0:
			all = append(all, path[:at]+"["+path[at+3:]+"]")
		}
		all = append(all, path)
	}
	return all
}

// outcome is a state of the ledger, or a fault: "" if the member went without a trace.
type outcome struct {
	state string   // carried, lost, refused
	as    []string // carried: the members at the other side
	fault string
}

// judge compares the bodies of a trial: a request with the member, and the same request without the
// member, with another value, or without the object around the member.
func judge(client, path, object, with, without string, s *Server) outcome {
	a, b := send(client, with, s), send(client, without, s)
	if a.refused != nil {
		if at := a.refused.Path; covers(at, path) || at != "" && covers(object, at) {
			return outcome{state: "refused"}
		}
		return outcome{fault: fmt.Sprintf("refused at %q: %s", a.refused.Path, a.refused.Message)}
	}
	if b.refused != nil {
		return outcome{fault: fmt.Sprintf("without it: %s: %s", b.refused.Path, b.refused.Message)}
	}
	return compare(path, object, a, b)
}

// compare compares the bodies with and without a member.
func compare(path, object string, a, b sent) outcome {
	inside := false
	for _, lost := range a.lost {
		switch {
		case !covers(lost, path):
			inside = inside || covers(object, lost) && !slices.Contains(b.lost, lost)
		case len(segments(lost)) == len(segments(path)), a.body == b.body, !slices.Contains(b.lost, lost):
			return outcome{state: "lost"}
		}
	}
	switch {
	case a.body != b.body:
		return outcome{state: "carried", as: differences("", decode(b.body), decode(a.body))}
	case inside:
		return outcome{state: "lost"}
	}
	return outcome{}
}

// differences returns the paths at which two bodies differ.
func differences(path string, a, b any) (paths []string) {
	switch x := a.(type) {
	case object:
		y, ok := b.(object)
		if !ok {
			break
		}
		for _, o := range []object{x, y} {
			for key := range o {
				if !reflect.DeepEqual(x[key], y[key]) {
					below := strings.TrimPrefix(path+"."+key, ".")
					paths = append(paths, differences(below, x[key], y[key])...)
				}
			}
		}
		slices.Sort(paths)
		return slices.Compact(paths)
	case list:
		y, ok := b.(list)
		if !ok || len(x) != len(y) {
			break
		}
		for i := range x {
			if !reflect.DeepEqual(x[i], y[i]) {
				paths = append(paths, differences(path+"[]", x[i], y[i])...)
			}
		}
		slices.Sort(paths)
		return slices.Compact(paths)
	}
	return []string{path}
}
