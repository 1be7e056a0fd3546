package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Item returns the item at an index of a list of items, which are separated by commas; "" where there is none.
func Item(items string, index int) ir.Raw {
	for r := jsonr.NewElements(items); r.Element(); index-- {
		if index == 0 {
			return r.Value()
		}
	}
	return ""
}

// Items returns how many items the list has that begins a text; the bracket that ends it may be missing.
func Items(list string) int {
	r := jsonr.NewReader(list)
	return r.Len()
}

// AppendShown appends stored items of an answer as the client sees them that does not ask for what carries reasoning to the next
// turn.
//
//go:noinline
func AppendShown(dst []byte, items string) []byte {
	at := 0
	for r := jsonr.NewElements(items); r.Element(); {
		reasons := false
		from, to := 0, 0
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				reasons = r.Value() == `"reasoning"`
			case "encrypted_content":
				from = r.Offset()
				r.Value()
				to = r.Offset()
			}
		}
		if reasons && to > 0 {
			dst = raw(dst, items[at:from])
			dst = raw(dst, "null")
			at = to
		}
	}
	return raw(dst, items[at:])
}

// AppendInput appends items of the input of the response with an id as a list of its items has them, each with an id by which Place
// finds it: index is that of the first.
func AppendInput(dst []byte, items, response string, index int, hide bool) []byte {
	begun := false
	for r := jsonr.NewElements(items); r.Element(); index++ {
		if begun {
			dst = append(dst, ',')
		}
		begun = true
		dst = appendInputItem(dst, string(r.Value()), response, index, hide)
	}
	return dst
}

//go:noinline
func appendInputItem(dst []byte, item, response string, index int, hide bool) []byte {
	kind, role := ir.Escaped(""), ir.Escaped("")
	r := jsonr.NewReader(item)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "role":
			role, _ = jsonr.Text(r.Value())
		}
	}
	if kind == "" {
		kind = "message"
	}
	dst = jsonw.AppendTextMember(dst, `{"id":`, ir.Escaped(inputID(kind, response, index)))
	dst = jsonw.AppendTextMember(dst, `,"type":`, kind)
	r = jsonr.NewReader(item)
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		v := r.Value()
		switch {
		case key == "id", key == "type":
			continue
		case key == "encrypted_content" && hide:
			v = "null"
		case key == "content" && kind == "message" && jsonr.KindOf(v) == jsonr.String:
			part := ir.Raw(`[{"type":"input_text","text":`)
			if role == "assistant" {
				part = `[{"type":"output_text","annotations":[],"text":`
			}
			v = part + v + `}]`
		}
		dst = raw(dst, `,`)
		dst = literalOf(dst, key)
		dst = append(dst, ':')
		dst = raw(dst, string(v))
	}
	return append(dst, '}')
}

// literalOf appends a string as a JSON literal.
//
//go:noinline
func literalOf(dst []byte, s string) []byte { return jsonw.AppendString(dst, s) }
