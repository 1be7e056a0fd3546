package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Item returns the item at an index of items, or "". items are separated by commas. The result is a
// view of items.
func Item(items string, index int) ir.Raw {
	for r := jsonr.NewElements(items); r.Element(); index-- {
		if index == 0 {
			return r.Value()
		}
	}
	return ""
}

// Items returns the number of items in list, a JSON array whose closing bracket may be missing.
func Items(list string) int {
	r := jsonr.NewReader(list)
	return r.Len()
}

// AppendShown appends the stored items of an answer, separated by commas, for a client that did not
// ask for encrypted_content: without encrypted_content in reasoning.
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

// AppendInput appends items of a stored response's input, separated by commas, as GET
// /v1/responses/ID/input_items lists them. Each item gets an id for Place and a type; a message's
// text becomes a part. response is the response's id, index the first item's index in the input. If
// hide is set, encrypted_content is left out.
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

// appendInputItem appends one item for AppendInput.
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

// memberText returns the text of a member of an object, still escaped, or "" if the member is
// missing or not a string.
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
