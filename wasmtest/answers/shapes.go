package answers

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/stretchr/testify/require"
)

// A shape lists the members of an object and the types of their values, separated by blanks:
//
//	name:type    a member that the SDKs' types require
//	[name]:type  an optional member
//	...          at the end: the object may have any other members
//
// A type is string, number, integer, bool, null, object, any, the name of another shape, a 'word',
// []type for an array, or group.* for the shape that is named by the group and the object's "type".
// The sign | separates alternatives.
type shape string

// Shapes has the shapes of a protocol by name.
type Shapes map[string]shape

// fits checks an object of a stream against the shape called name. Objects in it whose "type" has
// no shape pass: an upstream of the same protocol may have sent them.
func fits(t T, s Shapes, name string, o map[string]any) {
	_, ok := s[name]
	require.True(t, ok, "no shape is called %s: %v", name, o)
	require.Empty(t, Validator{Shapes: s, Vendor: true}.Misfit(name, o), "%v", o)
}

// Validator checks values against shapes.
type Validator struct {
	Shapes
	// Vendor accepts objects whose type has no shape. It is set if client and upstream speak the
	// same protocol, since such objects are passed on unchanged.
	Vendor bool
}

// value returns "" if v is of one of the types, otherwise the reason why v is not.
func (c Validator) value(types string, v any) (why string) {
	for alternative := range strings.SplitSeq(types, "|") {
		if why = c.one(alternative, v); why == "" {
			return ""
		}
	}
	if strings.Contains(types, "|") {
		why += " (of " + types + ")"
	}
	return why
}

func (c Validator) one(name string, v any) string {
	o, isObject := v.(map[string]any)
	list, isArray := v.([]any)
	s, isString := v.(string)
	n, isNumber := v.(float64)
	_, isBool := v.(bool)
	ok := false
	switch {
	case name == "any":
		return ""
	case name == "object":
		ok = isObject
	case name == "string":
		ok = isString
	case name == "number":
		ok = isNumber
	case name == "integer":
		ok = isNumber && n == math.Trunc(n)
	case name == "bool":
		ok = isBool
	case name == "null":
		ok = v == nil
	case strings.HasPrefix(name, "'"):
		ok = isString && name == "'"+s+"'"
	case strings.HasPrefix(name, "[]"):
		for i, element := range list {
			if why := c.one(name[2:], element); why != "" {
				return fmt.Sprintf("[%d]%s", i, why)
			}
		}
		ok = isArray
	case name == "tool":
		if kind, there := o["type"]; isObject && (kind == "function" || !there) {
			return c.Misfit("function tool", o)
		}
		ok = isObject
	case strings.HasSuffix(name, "*") && isObject:
		kind, _ := o["type"].(string)
		if _, known := c.Shapes[strings.TrimSuffix(name, "*")+kind]; !known && c.Vendor {
			return ""
		}
		return c.Misfit(strings.TrimSuffix(name, "*")+kind, o)
	case isObject:
		return c.Misfit(name, o)
	}
	if !ok {
		return fmt.Sprintf(" is no %s: %v", name, v)
	}
	return ""
}

// Misfit returns "" if o has the shape called name, otherwise a list of the differences.
func (c Validator) Misfit(name string, o map[string]any) string {
	s, ok := c.Shapes[name]
	if !ok {
		return " is of an unknown kind, " + name
	}
	var known, wrong []string
	for _, member := range strings.Fields(string(s)) {
		if member == "..." {
			known = append(known, member)
			continue
		}
		key, types, _ := strings.Cut(member, ":")
		bare := strings.Trim(key, "[]")
		known = append(known, bare)
		v, there := o[bare]
		switch {
		case !there && key == bare:
			wrong = append(wrong, "."+bare+" is missing")
		case there:
			if why := c.value(types, v); why != "" {
				wrong = append(wrong, "."+bare+why)
			}
		}
	}
	for key := range o {
		if !slices.Contains(known, key) && !slices.Contains(known, "...") {
			wrong = append(wrong, "."+key+" is not in "+name)
		}
	}
	sort.Strings(wrong)
	return strings.Join(wrong, "; ")
}
