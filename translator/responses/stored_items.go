package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Item returns the item at an index of items, which are separated by commas; "" where there is
// none. It views items.
func Item(items string, index int) ir.Raw {
	for r := jsonr.NewElements(items); r.Element(); index-- {
		if index == 0 {
			return r.Value()
		}
	}
	return ""
}

// Items returns how many items list has, a JSON array whose closing bracket may be missing.
func Items(list string) int {
	r := jsonr.NewReader(list)
	return r.Len()
}

// AppendShown appends the stored items of an answer, separated by commas, as a client sees them
// that did not ask for encrypted_content: reasoning lacks it.
func AppendShown(dst []byte, items string) []byte {
	var e jsonr.Edits
	for r := jsonr.NewElements(items); r.Element(); {
		isReasoning := false
		from, to := 0, 0
		r.OpenObject()
		for end := r.Offset(); r.Member(); end = r.Offset() {
			key := r.Key()
			at, _ := jsonr.KeyOf(items, end, &r)
			v := r.Value()
			switch key {
			case "type":
				isReasoning = v == `"reasoning"`
			case "encrypted_content":
				from, to = at, r.Offset()
			}
		}
		if isReasoning && to > 0 {
			e.Add(from, to, "")
		}
	}
	return e.Append(dst, ir.Raw(items), 0)
}

// AppendInput appends items of the input of a stored response as GET /v1/responses/ID/input_items
// lists them, separated by commas: each with an id by which Place finds it, with its type, and a
// message's text as a part. response is the response's id, index the place of the first of items in
// its input. hide leaves encrypted_content out.
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

// appendInputItem appends one item as AppendInput says.
func appendInputItem(dst []byte, item, response string, index int, hide bool) []byte {
	kind := memberText(item, "type")
	if kind == "" {
		kind = "message"
	}
	dst = jsonw.AppendTextMember(dst, `{"id":`, ir.Escaped(inputID(kind, response, index)))
	dst = jsonw.AppendTextMember(dst, `,"type":`, kind)
	r := jsonr.NewReader(item)
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		v := r.Value()
		switch {
		case key == "id", key == "type", key == "encrypted_content" && hide:
			continue
		case key == "tools":
			v = withoutSecrets(v)
		case key == "content" && kind == "message" && jsonr.KindOf(v) == jsonr.String:
			part := ir.Raw(`[{"type":"input_text","text":`)
			if memberText(item, "role") == "assistant" {
				part = `[{"type":"output_text","annotations":[],"text":`
			}
			v = part + v + `}]`
		}
		dst = appendMember(append(dst, ','), key, v)
	}
	return append(dst, '}')
}

// memberText returns the text of a member of an object, escaped; "" where it is missing or no string.
func memberText(object, key string) ir.Escaped {
	v, _, _ := jsonr.LastMember(object, key)
	text, _ := jsonr.Text(v)
	return text
}

// appendMember appends a member of an object.
func appendMember(dst []byte, key string, v ir.Raw) []byte {
	dst = append(jsonw.AppendString(dst, key), ':')
	return raw(dst, string(v))
}
