package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// count returns the length of the list that r stands before, or a refusal where the request then holds too much.
func (d *requestDecoder) count(r *jsonr.Reader) (int, *ir.Error) {
	n := r.Len()
	return n, d.meet(n)
}

// meet counts n items more.
func (d *requestDecoder) meet(n int) *ir.Error {
	if d.items += n; d.items > maxItems {
		return invalid("", "The request has more than "+strconv.Itoa(maxItems)+
			" messages, content parts, tool calls, tools and stop sequences together, which is the limit. Shorten the conversation.")
	}
	return nil
}

// lose notes the member that r stands before, of the object with the given path, unless it asks for nothing.
func (d *requestDecoder) lose(path string, r *jsonr.Reader) {
	key := r.Key()
	if !jsonr.Asks(r.Value()) || d.lost.CountOnly() {
		return
	}
	if path != "" {
		path += "."
	}
	d.lost.Add(path + key[:min(len(key), 64)])
}

// loseAt does so with a member of what stands at a place, or of its field.
func (d *requestDecoder) loseAt(at ir.Pos, field string, r *jsonr.Reader) {
	key := r.Key()
	if jsonr.Asks(r.Value()) && !d.lost.CountOnly() {
		d.lost.Add(pathOf(at, field+"."+key[:min(len(key), 64)]))
	}
}

// pathOf returns the path of a field of what stands at a place. Paths are only built for errors and losses.
func pathOf(at ir.Pos, field string) string {
	return string(Client{}.AppendPath(nil, at)) + field
}

// invalid returns a refusal in words of the API.
func invalid(path, message string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: message, Code: "invalid_value"}
}

// unsupported refuses a word that is none of those that the API knows.
func unsupported(path string, value ir.Escaped, known string) *ir.Error {
	word := jsonw.Unescape(value)
	return invalid(path, "Invalid value for '"+path+"': '"+word[:min(len(word), 64)]+"'. Supported values are: "+known+".")
}

// missing refuses a body without a field that must be there.
func missing(path string) *ir.Error {
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "missing_required_parameter",
		Message: "Missing required parameter: '" + path + "'."}
}

// wrongType refuses a value of a kind that may not stand there.
func wrongType(path, want string, got jsonr.Kind) *ir.Error {
	e := &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "invalid_type"}
	e.Message = "Invalid type for '" + path + "': expected " + want
	if path == "" {
		e.Message = "Invalid type for the request body: expected " + want
	}
	if got != jsonr.Missing {
		e.Message += ", but got " + kindName(got) + " instead"
	}
	e.Message += "."
	return e
}

func kindName(k jsonr.Kind) string {
	return [...]string{"", "null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

func readText(r *jsonr.Reader, path string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", wrongType(path, "a string", kind)
	}
	return e, nil
}

func readFlag(r *jsonr.Reader, path string) (bool, *ir.Error) {
	if r.Kind() != jsonr.Bool {
		return false, wrongType(path, "a boolean", r.Kind())
	}
	return r.Value() == "true", nil
}

func readTri(r *jsonr.Reader, path string) (ir.Tri, *ir.Error) {
	set, err := readFlag(r, path)
	if set {
		return ir.True, err
	}
	return ir.False, err
}

func readNumber(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Number {
		return "", wrongType(path, "a decimal", r.Kind())
	}
	return r.Value(), nil
}

func readPositive(r *jsonr.Reader, path string) (int64, *ir.Error) {
	kind := r.Kind()
	n, ok := jsonr.Int(r.Value())
	if !ok {
		return 0, wrongType(path, "an integer", kind)
	}
	if n < 1 {
		return 0, &ir.Error{Kind: ir.InvalidRequest, Path: path, Code: "integer_below_min_value",
			Message: "Invalid '" + path + "': integer below minimum value. Expected a value >= 1, but got " + strconv.FormatInt(n, 10) + " instead."}
	}
	return n, nil
}

func readObject(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Object {
		return "", wrongType(path, "an object", r.Kind())
	}
	return r.Value(), nil
}

func readList(r *jsonr.Reader, path string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Array {
		return "", wrongType(path, "an array of objects", r.Kind())
	}
	return r.Value(), nil
}

// textAt reads the text of a field of what stands at a place.
func textAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", wrongType(pathOf(at, field), "a string", kind)
	}
	return e, nil
}

// objectAt reads the object in a field of what stands at a place.
func objectAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Raw, *ir.Error) {
	if r.Kind() != jsonr.Object {
		return "", wrongType(pathOf(at, field), "an object", r.Kind())
	}
	return r.Value(), nil
}
