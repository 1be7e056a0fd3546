package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// count returns the length of the list that r stands before, or a refusal where the request then holds too much.
func (d *requestDecoder) count(r *jsonr.Reader) (int, *ir.Error) {
	n := r.Len()
	return n, d.meet(n)
}

// meet counts n items more.
func (d *requestDecoder) meet(n int) *ir.Error {
	return d.items.Meet(n, "messages, content parts, tool calls, tools and stop sequences")
}

// lose notes the member that r stands before, of the object with the given path, unless it asks for nothing.
func (d *requestDecoder) lose(path string, r *jsonr.Reader) {
	d.lost.AddMember(path, r)
}

// loseAt does so with a member of what stands at a place, or of its field.
func (d *requestDecoder) loseAt(at ir.Pos, field string, r *jsonr.Reader) {
	if member := d.lost.Member(r.Key(), r.Value()); member != "" {
		d.lost.Add(pathOf(at, field+member))
	}
}

// pathOf returns the path of a field of what stands at a place. Paths are only built for errors and losses.
func pathOf(at ir.Pos, field string) string {
	return string(Client{}.AppendPath(nil, at)) + field
}

// textAt reads the text of a field of what stands at a place.
func textAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", openai.WrongType(pathOf(at, field), "a string", kind)
	}
	return e, nil
}
