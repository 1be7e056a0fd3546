package admin

import (
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
)

// Limits for a merge patch.
const (
	maxMembers = 1024 // of an object
	maxNesting = 8
)

// appendMerged appends target with patch applied (RFC 7396). patch is an object. Unlike in RFC
// 7396, a duplicate member in patch is an error.
func appendMerged(dst []byte, target, patch gjson.Result, path string, depth int) ([]byte, *Error) {
	if depth == maxNesting {
		return nil, bad(path, "is nested too deep.")
	}
	members, err := membersOf(patch, path)
	if err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	add := func(old gjson.Result, m *member) {
		switch {
		case err != nil || m.value.Type == gjson.Null:
		case m.value.IsObject():
			dst, err = appendMerged(appendName(dst, m.name), old, m.value, join(path, m.name), depth+1)
		default:
			dst = append(appendName(dst, m.name), m.value.Raw...)
		}
	}
	if target.IsObject() {
		target.ForEach(func(name, old gjson.Result) bool {
			for i := range members {
				if m := &members[i]; m.name == name.Str {
					m.used = true
					add(old, m)
					return err == nil
				}
			}
			dst = append(appendName(dst, name.Str), old.Raw...)
			return true
		})
	}
	for i := range members {
		if !members[i].used {
			add(gjson.Result{}, &members[i])
		}
	}
	if err != nil {
		return nil, err
	}
	return append(dst, '}'), nil
}

// member is a member of an object.
type member struct {
	name  string
	value gjson.Result
	used  bool // appendMerged has applied the member to target's member of the same name
}

// membersOf returns the members of an object. A duplicate name is an error.
func membersOf(v gjson.Result, path string) (members []member, err *Error) {
	v.ForEach(func(name, value gjson.Result) bool {
		for i := range members {
			if members[i].name == name.Str {
				err = bad(join(path, name.Str), "is there twice.")
			}
		}
		if len(members) == maxMembers {
			err = Refuse(400, "An object of the body has more than "+strconv.Itoa(maxMembers)+" members.")
		}
		members = append(members, member{name: name.Str, value: value})
		return err == nil
	})
	return members, err
}

// checkMembers returns an error if v or a nested object has a duplicate member name.
func checkMembers(v gjson.Result, path string, depth int) *Error {
	if depth == maxNesting {
		return bad(path, "is nested too deep.")
	}
	members, err := membersOf(v, path)
	for i := range members {
		if m := &members[i]; err == nil && m.value.IsObject() {
			err = checkMembers(m.value, join(path, m.name), depth+1)
		}
	}
	return err
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// appendName appends the name of an object's next member.
func appendName(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(jsonw.AppendString(dst, name), ':')
}
