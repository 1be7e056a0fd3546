package schema

import (
	"strings"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// strictly handles a member of a schema that strict modes do not accept unchanged. It returns false
// for any other member.
//
//go:noinline
func (w *walk) strictly(f *frame, key string, kind jsonr.Kind) bool {
	openAI, anthropic, forced := w.rules&OpenAIStrict != 0, w.rules&AnthropicStrict != 0, w.rules&Forced != 0
	switch key {
	case "pattern", "format", "minItems", "additionalProperties", "enum":
		// values are only read for these keywords: otherwise deep schemas would be read over and
		// over
		value := w.r
		v := value.Value()
		text, ok := jsonr.Text(v)
		switch {
		case key == "pattern" && ok && isPlainPattern(jsonw.Unescape(text)), key == "format" && ok &&
			w.acceptsFormat(text):
			f.strictMembers++
			w.pass(f)
			return true
		case key == "minItems" && (!anthropic || v == "0" || v == "1"):
			return false
		case key == "enum":
			if anthropic && !forced && kindsOf(v)&others != 0 {
				w.Misfit = key
			}
			return false
		case key == "additionalProperties":
			f.has |= isClosed
			f.strictMembers++
			start := w.r.Offset()
			w.pass(f)
			if v != "false" {
				w.Add(start, f.end, "false")
				w.misfit(key)
			}
			return true
		}
	case "items":
		if kind == jsonr.Object || kind == jsonr.Bool && forced {
			return false
		}
		w.misfit(key)
		w.cut(f)
		return true
	case "patternProperties", "prefixItems":
		w.misfit(key)
		w.cut(f)
		return true
	case "anyOf", "oneOf", "allOf":
		w.union(f, key, kind)
		return true
	case "$ref":
		w.reference(f)
		return true
	}
	if isAmong(key, unchanged) || openAI && !anthropic && isAmong(key, bounds) {
		return false
	}
	w.lose(key)
	w.cut(f)
	return true
}

// pass skips the value that r is at.
func (w *walk) pass(f *frame) {
	w.r.Value()
	f.end = w.r.Offset()
}

func (w *walk) acceptsFormat(format jsonw.Escaped) bool {
	return AcceptsFormat(format) || format == "uri" && w.rules&OpenAIStrict == 0
}

// AcceptsFormat reports whether all strict modes know a format of strings.
func AcceptsFormat(format jsonw.Escaped) bool { return isAmong(string(format), formats) }

// union handles anyOf, and turns oneOf and allOf into anyOf. For one member the meaning is the
// same; for several members of oneOf, anyOf is the closest keyword. Strict modes support neither
// allOf with several members nor a second union.
func (w *walk) union(f *frame, key string, kind jsonr.Kind) {
	if kind != jsonr.Array || f.has&isUnion != 0 || len(w.frames) == 1 && w.rules&OpenAIStrict != 0 &&
		w.rules&Forced == 0 {
		w.misfit(key)
		w.cut(f)
		return
	}
	f.has |= isUnion | isCombined
	f.strictMembers++
	if len(w.frames) > 1 && w.frames[len(w.frames)-2].holds == properties {
		w.Unions++
	}
	if key != "anyOf" {
		at := w.key(f)
		w.Add(at.start, at.end, `"anyOf"`)
	}
	facts := isMember
	switch key {
	case "oneOf":
		w.lose(key)
	case "allOf":
		facts |= isAll
	}
	w.open(inList, facts)
}

// reference handles a $ref.
func (w *walk) reference(f *frame) {
	at := w.r.Offset()
	f.refKey, f.ref = w.key(f), w.Add(0, 0, "")+1
	v := w.r.Value()
	f.end, f.refEnd = w.r.Offset(), w.r.Offset()
	w.Add(0, 0, "")
	f.strictMembers++
	f.has |= isCombined
	text, _ := jsonr.Text(v)
	pointer := jsonw.Unescape(text)
	if w.rules&Forced == 0 && (len(w.frames) == 1 && w.rules&OpenAIStrict != 0 || !strings.HasPrefix(pointer,
		"#") || !w.refs.add(pointer, at)) {
		w.Misfit = "$ref"
	}
}

// closeStrict adds the requirements of strict modes to a schema.
func (w *walk) closeStrict(f *frame, at int) {
	root := len(w.frames) == 0
	if f.ref > 0 && !root {
		w.closeReference(f, at)
		return
	}
	forced := w.rules&Forced != 0
	if root && w.rules&Arguments != 0 {
		f.has |= isObject
	}
	switch {
	case f.has&isObject != 0:
		w.typed(f, at, root && w.rules&Arguments != 0)
		w.closeObject(f, at, root)
	case forced:
		if w.rules&Typed != 0 {
			w.typed(f, at, false)
		}
	case f.has&isArray != 0:
		if f.has&hasItems == 0 {
			w.Misfit = "items"
		}
	case f.has&(hasType|isCombined) == 0:
		if w.typed(f, at, false); f.has&hasType == 0 {
			w.Misfit = "type"
		}
	}
	if root && w.rules&OpenAIStrict != 0 && f.has&isObject == 0 && !forced {
		w.Misfit = "type"
	}
}

// closeObject closes the schema of an object. Below the root, an object without properties may have
// any form, so strict modes do not support the schema.
func (w *walk) closeObject(f *frame, at int, root bool) {
	n := len(w.names) - f.names
	forced := w.rules&Forced != 0
	missing := w.require(f, forced)
	w.Optional += missing
	switch {
	case missing == 0:
	case forced:
		w.lose("required")
		if f.required == 0 {
			list := []byte(`,"required":[`)
			for i, name := range w.names[f.names:] {
				if i > 0 {
					list = append(list, ',')
				}
				list = append(list, name.raw...)
			}
			w.put(at, string(append(list, ']')))
		}
	case w.rules&OpenAIStrict != 0:
		w.Misfit = "required"
	}
	if f.has&isClosed == 0 {
		if n == 0 && !root && !forced {
			w.Misfit = "additionalProperties"
		}
		w.put(at, `,"additionalProperties":false`)
	}
}

// closeReference closes a schema with a $ref, which may have no neighbours. For OpenAI the $ref
// becomes the only member of a union, which may have neighbours. Anthropic counts unions, so the
// description is lost there.
func (w *walk) closeReference(f *frame, at int) {
	if f.strictMembers == 1 {
		return
	}
	if w.rules&AnthropicStrict == 0 {
		if f.has&isUnion != 0 {
			w.Misfit = "$ref"
		}
		w.List[f.ref-1] = jsonr.Edit{Start: f.refKey.start, End: f.refKey.end, With: `"anyOf":[{"$ref"`}
		w.List[f.ref] = jsonr.Edit{Start: f.refEnd, End: f.refEnd, With: `}]`}
		return
	}
	if f.has&isDescribed != 0 {
		w.lose("description")
	}
	w.List = w.List[:f.edits]
	w.Add(f.start, at+1, `{`+w.text[f.refKey.start:f.refEnd]+`}`)
}
