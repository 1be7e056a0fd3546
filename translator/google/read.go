package google

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// The readers of a client's body that both APIs share. Each refuses a value of a wrong kind with its
// path.

// Invalid returns the refusal of the value at a path, "" for the whole body.
//
//go:noinline
func Invalid(path, message string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: message}
}

// WrongKind refuses a value of a wrong kind. The value may be a secret, so the message only has the
// kind.
//
//go:noinline
func WrongKind(path, want string, found jsonr.Kind) *ir.Error {
	return Invalid(path, "Invalid value: "+want+" is expected."+ir.WrongKind(found))
}

// Wrong refuses a value v. rule is what is expected, and known lists the valid words.
//
//go:noinline
func Wrong(path, rule string, v ir.Raw, known string) *ir.Error {
	return Invalid(path, "Invalid value: "+rule+ir.WrongValue(v, known))
}

// ReadText reads a string at a path.
func ReadText(r *jsonr.Reader, path string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", WrongKind(path, "a string", kind)
	}
	return e, nil
}

// ReadNumber reads a number at a path. Like protobuf it also accepts a string.
func ReadNumber(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	sent := r.Value()
	v := unquoted(sent)
	if jsonr.KindOf(v) != jsonr.Number || jsonr.Check(string(v)) != nil {
		return "", Wrong(path, "a number is expected.", sent, "")
	}
	return v, nil
}

// unquoted returns the content of a string, and any other value unchanged.
func unquoted(v ir.Raw) ir.Raw {
	if e, ok := jsonr.Text(v); ok {
		return ir.Raw(e)
	}
	return v
}

// ReadWhole reads a whole number at a path. Like protobuf it also accepts a string, and 100.0.
func ReadWhole(r *jsonr.Reader, path string) (int64, *ir.Error) {
	sent := r.Value()
	v := unquoted(sent)
	if whole, fraction, ok := strings.Cut(string(v), "."); ok && fraction != "" && strings.Trim(fraction,
		"0") == "" {
		v = ir.Raw(whole)
	}
	n, ok := jsonr.Int(v)
	if !ok {
		return 0, Wrong(path, "a whole number is expected.", sent, "")
	}
	return n, nil
}

// ReadFlag reads true or false at a path.
func ReadFlag(r *jsonr.Reader, path string) (bool, *ir.Error) {
	if r.Kind() != jsonr.Bool {
		return false, Wrong(path, "true or false is expected.", r.Value(), "")
	}
	return r.Value() == "true", nil
}

// CheckObject refuses the next value of r, at a path, unless it is an object.
func CheckObject(r *jsonr.Reader, path string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return WrongKind(path, "an object", r.Kind())
	}
	return nil
}

// ReadTextAt reads a field of the value at at, like ReadText. This function and the next ones build
// the path only for a refusal.
func ReadTextAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	if r.Kind() != jsonr.String {
		return ReadText(r, at.Path(field))
	}
	e, _ := jsonr.Text(r.Value())
	return e, nil
}

// ReadWordAt reads a field whose text is compared or decoded here. It removes needless escapes: PHP
// and Swift write each slash as "\/".
func ReadWordAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	e, err := ReadTextAt(r, at, field)
	return Simple(e), err
}

// Simple returns a text without needless escapes.
func Simple(e ir.Escaped) ir.Escaped {
	if strings.IndexByte(string(e), '\\') < 0 {
		return e
	}
	return jsonw.Escape(jsonw.Unescape(e))
}

// ReadEnum reads a value of an enum at a path, by its name in any case or by its number (protobuf,
// "ProtoJSON Format"). names lists the names for the numbers from 0 on. Any other value is refused
// with rule.
func ReadEnum(r *jsonr.Reader, path, names, rule string) (string, *ir.Error) {
	list, v := strings.Fields(names), r.Value()
	if n := jsonr.Count(v); n >= 0 && n < int64(len(list)) {
		return list[n], nil
	}
	e, _ := jsonr.Text(v)
	for _, name := range list {
		if strings.EqualFold(name, jsonw.Unescape(e)) {
			return name, nil
		}
	}
	return "", Wrong(path, rule, v, names)
}

// ReadFlagAt reads a field like ReadFlag.
func ReadFlagAt(r *jsonr.Reader, at ir.Pos, field string) (bool, *ir.Error) {
	if r.Kind() != jsonr.Bool {
		return ReadFlag(r, at.Path(field))
	}
	return r.Value() == "true", nil
}

// CheckObjectAt refuses a field like CheckObject.
func CheckObjectAt(r *jsonr.Reader, at ir.Pos, field string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return CheckObject(r, at.Path(field))
	}
	return nil
}

// Lists reads lists of a request, and counts their elements.
type Lists struct{ Items ir.Items }

// ListAt refuses the list around at, like List.
func (l *Lists) ListAt(r *jsonr.Reader, at ir.Pos) (int, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return l.List(r, at.List().String())
	}
	return l.Items.Count(r)
}

// List refuses the next value of r, at a path, unless it is an array. It returns the number of
// elements, and adds them to the items of the body.
func (l *Lists) List(r *jsonr.Reader, path string) (int, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return 0, WrongKind(path, "a list", r.Kind())
	}
	return l.Items.Count(r)
}

// Texts reads a list of strings at a path.
func (l *Lists) Texts(r *jsonr.Reader, path string) ([]ir.Escaped, *ir.Error) {
	n, err := l.List(r, path)
	if err != nil {
		return nil, err
	}
	all := make([]ir.Escaped, 0, n)
	for r.OpenArray(); r.Element(); {
		e, err := ReadText(r, path+"["+strconv.Itoa(len(all))+"]")
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}
