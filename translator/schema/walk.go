package schema

import (
	"strconv"

	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// walk walks over a schema once, without recursion, and notes the edits required by the rules.
// Without edits the schema is sent byte for byte.
type walk struct {
	jsonr.Edits
	text   string
	rules  Rules
	r      jsonr.Reader
	frames []frame
	names  []name // of the properties of all open schemas, if the rules need them
	refs   refs
	// for LoneRefs: the positions of schemas with more than a $ref. Filled as each schema closes,
	// and read by a second walk
	lone map[int]bool
	// for LoneRefs: the positions of references without a target, and of schemas that need
	// themselves. Filled after the first walk, and read by the second
	bad        map[int]bool
	cuts       map[int]cuts // for Flavored: what schemas lose. Filled as each schema closes
	secondPass bool         // this is the second walk
	front      string       // the members missing at the root
	Fit
}

// Fit says what a schema loses by the rules.
type Fit struct {
	Lost     []string // keywords, each once
	Misfit   string   // the keyword that makes the schema non-strict; "" for none
	Optional int      // how many properties are not required
	Unions   int      // how many properties have a union, or a list of types
	unplain  bool     // PlainRoot is not met
}

// maxLost limits the keywords named as lost, because a client chooses the names of unknown
// keywords.
const maxLost = 64

type name struct {
	key string    // unescaped
	raw jsonw.Raw // with quotes and the original escapes
}

// frame is an open array or object.
type frame struct {
	holds         content
	has           has
	start         int  // index in text of the bracket
	end           int  // index in text after the last member
	edits         int  // the number of edits before the frame
	names         int  // index in names of the schema's own first property
	count         int  // of a list: its elements; of a schema: the elements of prefixItems
	strictMembers int  // how many members strict modes keep
	required      int  // number of the edit, from 1, for the list of required names; 0: none
	list          span // the position of that list
	listKey       int  // the beginning of the list's member
	// number of the edit, from 1, for the key additionalItems; the next edit is for its value
	more     int
	moreKey  span // the position of the key
	moreItem span // the position of the value, if true or false
	// number of the edit, from 1, for the key $ref; the next edit is for the end of its value
	ref    int
	refKey span    // the position of the key
	refEnd int     // index in text after the value
	value  kindSet // of const and enum
	// for Flavored: what the members of anyOf have, together; isBare if one has neither type nor $ref
	branches has
}

type span struct{ start, end int }

// content says what an array or object contains.
type content uint8

const (
	aSchema    content = iota // keywords
	properties                // schemas by the names of properties
	byName                    // schemas by other names
	inList                    // schemas
)

// has are facts about a schema, or about a keyword's list of schemas.
type has uint32

const (
	hasType has = 1 << iota
	isObject
	isArray
	isClosed      // additionalProperties is there
	hasProperties // an object
	hasItems      // items is there, or added
	hasPrefix     // prefixItems is there
	isTuple       // items is a list
	hasMost       // maxItems is there
	noMore        // items is false
	isCombined    // a keyword adds schemas for the same value
	isUnion       // anyOf of strict modes is there
	isDescribed   // description is there
	isMember      // the schema applies to the same value as the surrounding schema
	isAll         // the list is the value of allOf
	hasMore       // for LoneRefs: a keyword that may not be next to a $ref
	hasRequired   // required is there
	hasEnum       // enum is there
	hasUnion      // for Flavored: anyOf is there
	isBranch      // for Flavored: a member of anyOf, or the list of the members
	isBare        // for Flavored: neither type nor $ref is there
)

func (w *walk) run() {
	w.open(aSchema, 0)
	for len(w.frames) > 0 && w.Misfit == "" && !w.unplain {
		f := &w.frames[len(w.frames)-1]
		switch {
		case f.holds == inList && !w.r.Element(), f.holds != inList && !w.r.Member():
			w.close()
		case f.holds == aSchema:
			w.keyword(f)
		default:
			f.count++
			if f.holds == properties && w.rules&(strict|Defined) != 0 {
				from, to := jsonr.KeyOf(w.text, f.end, &w.r)
				w.names = append(w.names, name{w.r.Key(), jsonw.Raw(w.text[from:to])})
			}
			w.schema(f, f.has&(isMember|isBranch))
		}
	}
	if w.rules&strict != 0 && w.rules&Forced == 0 && w.Misfit == "" {
		if circular, ok := w.refs.follow(w.text); !ok || circular && w.rules&AnthropicStrict != 0 {
			w.Misfit = "$ref"
		}
	}
}

// open enters the array or object that r is at.
func (w *walk) open(holds content, facts has) {
	at := w.r.Offset()
	w.frames = append(w.frames, frame{holds: holds, has: facts, start: at, end: at + 1, edits: len(w.List),
		names: len(w.names)})
	if holds == inList {
		w.r.OpenArray()
	} else {
		w.r.OpenObject()
	}
}

// schema enters the schema that r is at. A schema that is true, false or null is handled at once.
func (w *walk) schema(f *frame, facts has) {
	if w.r.Kind() == jsonr.Object {
		w.open(aSchema, facts)
		return
	}
	start := w.r.Offset()
	v := w.r.Value()
	f.end = w.r.Offset()
	switch {
	case w.rules&strict != 0 && w.rules&Forced == 0:
		w.Misfit = "type"
	case v == "null", v == "true" && w.rules&Typed != 0:
		w.Add(start, f.end, `{}`)
	case v == "false" && w.rules&Typed != 0:
		w.Add(start, f.end, `{"not":{}}`)
	case w.rules&Flavored != 0: // not a schema
		w.lose("properties")
		w.Add(start, f.end, `{}`)
	}
}

// lose notes a keyword as lost.
func (w *walk) lose(key string) {
	for _, k := range w.Lost {
		if k == key {
			return
		}
	}
	if len(w.Lost) < maxLost {
		w.Lost = append(w.Lost, key)
	}
}

// cut removes the member whose value r is at.
func (w *walk) cut(f *frame) {
	from, _ := jsonr.KeyOf(w.text, f.end, &w.r)
	w.r.Value()
	f.end = w.r.Offset()
	w.Add(from, f.end, "")
}

// key returns the position of the key of the member whose value r is at.
//
//go:noinline
func (w *walk) key(f *frame) span {
	from, to := jsonr.KeyOf(w.text, f.end, &w.r)
	return span{from, to}
}

// keyword handles one member of a schema. Schemas under not and if are unchanged, because values
// are only tested against them.
func (w *walk) keyword(f *frame) {
	key, kind := w.r.Key(), w.r.Kind()
	root := len(w.frames) == 1 && w.rules&Arguments != 0
	if kind == jsonr.Null && isAmong(key, nullable) && !(root && (key == "type" || key == "properties")) {
		w.cut(f)
		return
	}
	if root && w.rules&PlainRoot != 0 {
		switch key {
		case "$ref", "anyOf", "oneOf", "allOf", "enum", "not":
			w.unplain = true
			return
		}
	}
	if w.rules&strict != 0 && w.strictly(f, key, kind) {
		return
	}
	if w.cuts != nil && w.cuts[f.start].has(key) {
		if key != "type" {
			w.lose(key)
		}
		w.cut(f)
		return
	}
	if w.rules&LoneRefs != 0 && (w.rules&Flavored != 0 || key != "description" && key != "default") &&
		(key == "" || key[0] != '$') {
		if w.lone[f.start] {
			w.lose(key)
			w.cut(f)
			return
		}
		f.has |= hasMore
	}
	f.strictMembers++
	switch key {
	case "properties":
		f.has |= hasProperties | isObject
		if kind == jsonr.Object {
			w.open(properties, 0)
			return
		}
	case "$defs", "definitions", "patternProperties", "dependentSchemas":
		if key[0] == 'p' {
			f.has |= isCombined
		}
		if key == "definitions" && root && w.definesElsewhere() {
			at := w.key(f)
			w.Add(at.start, at.end, `"$defs"`)
		}
		if kind == jsonr.Object {
			w.open(byName, 0)
			return
		}
	case "anyOf", "oneOf", "allOf":
		f.has |= isCombined
		if kind == jsonr.Array {
			facts := isMember
			if w.rules&Flavored != 0 && key == "anyOf" {
				f.has |= hasUnion
				facts = isBranch
			}
			w.open(inList, facts)
			return
		}
	case "prefixItems":
		f.has |= hasPrefix
		if kind == jsonr.Array {
			w.open(inList, isTuple)
			return
		}
	case "items":
		if w.items(f, kind) {
			return
		}
	case "additionalItems":
		f.moreKey, f.more = w.key(f), w.Add(0, 0, "")+1
		w.Add(0, 0, "")
		if kind == jsonr.Object {
			w.open(aSchema, 0)
			return
		}
		f.moreItem.start = w.r.Offset()
	case "additionalProperties", "propertyNames", "contains", "unevaluatedItems", "unevaluatedProperties":
		if key == "additionalProperties" {
			f.has |= isClosed
		}
		if kind == jsonr.Object {
			w.open(aSchema, 0)
			return
		}
	case "then", "else":
		f.has |= isCombined
		if kind == jsonr.Object {
			w.open(aSchema, isMember)
			return
		}
	case "$ref", "$dynamicRef", "not", "if":
		if key == "$ref" && w.rules&LoneRefs != 0 && !w.leads(f) {
			return
		}
		f.has |= isCombined
	case "required":
		// a flag in draft 3, refused by OpenAI: "not of type 'array'"
		if kind != jsonr.Array || w.bad[f.start] {
			w.lose(key)
			w.cut(f)
			return
		}
		if w.rules&(strict|Defined) != 0 {
			f.listKey, f.required = w.key(f).start, w.Add(0, 0, "")+1
		}
	case "maxItems":
		f.has |= hasMost
	case "description":
		f.has |= isDescribed
	}
	start := w.r.Offset()
	value := w.r.Value()
	f.end = w.r.Offset()
	switch key {
	case "type":
		f.has |= hasType
		if root && isNoType(value, w.rules&PlainRoot != 0) {
			w.Add(start, f.end, `"object"`)
			value = `"object"`
		} else if root && kind != jsonr.Array && value != `"object"` ||
			root && kind == jsonr.Array && !HasType(value, `"object"`) {
			// every vendor refuses arguments that are no object
			w.lose(key)
			w.Add(start, f.end, `"object"`)
			value = `"object"`
		}
		if HasType(value, `"object"`) {
			f.has |= isObject
		}
		if HasType(value, `"array"`) {
			f.has |= isArray
		}
		if kind == jsonr.Array && w.frames[max(len(w.frames)-2, 0)].holds == properties {
			w.Unions++
		}
	case "properties": // null, or PHP's list for an empty object
		w.Add(start, f.end, `{}`)
		if jsonr.Asks(value) {
			w.lose(key)
		}
	case "const":
		f.value |= kindOf(value)
	case "enum":
		f.has |= hasEnum
		f.value |= kindsOf(value)
	case "required":
		f.has |= hasRequired
		f.list = span{start, f.end}
	case "additionalItems":
		f.moreItem.end = f.end
	case "$ref":
		f.refEnd = f.end
	}
}

// items handles the keyword items, whose value r is at. It returns false if the value has not been
// read.
func (w *walk) items(f *frame, kind jsonr.Kind) bool {
	f.has |= hasItems
	switch kind {
	case jsonr.Object:
		w.open(aSchema, 0)
		return true
	case jsonr.Array: // a tuple, by a draft before 2020-12
		f.has &^= hasItems
		f.has |= hasPrefix | isTuple
		if w.rules&Tuples != 0 {
			key := w.key(f)
			w.Add(key.start, key.end, `"prefixItems"`)
		}
		w.open(inList, isTuple)
		return true
	case jsonr.Bool:
		if w.rules&Typed == 0 {
			break
		}
		start := w.r.Offset()
		if w.r.Value() == "false" {
			f.has |= noMore
		}
		f.end = w.r.Offset()
		w.Add(start, f.end, `{}`)
		return true
	}
	return false
}

// close leaves the open array or object.
func (w *walk) close() {
	f := w.frames[len(w.frames)-1]
	w.frames = w.frames[:len(w.frames)-1]
	end := w.r.Offset()
	if f.holds == aSchema {
		if w.rules&strict != 0 {
			w.closeStrict(&f, end-1)
		} else {
			w.closeLoose(&f, end-1)
			if w.rules&Flavored != 0 && !w.secondPass {
				w.flavor(&f)
			}
		}
		w.names = w.names[:f.names]
	}
	if len(w.frames) == 0 {
		if w.rules&Arguments != 0 {
			switch f.has & (hasType | hasProperties) {
			case 0:
				w.front = `"type":"object","properties":{}`
			case hasType:
				w.front = `"properties":{}`
			case hasProperties:
				w.front = `"type":"object"`
			}
		}
		return
	}
	around := &w.frames[len(w.frames)-1]
	around.end = end
	switch {
	case f.has&isBranch != 0:
		if around.branches |= f.branches; f.holds == aSchema {
			around.branches |= f.has
		}
	case f.holds == inList && f.has&isTuple != 0:
		around.count = f.count
	case f.has&isAll != 0 && f.count > 1:
		w.misfit("allOf")
	}
}

// misfit notes that the schema can't be strict or, with Forced, that the keyword is lost.
func (w *walk) misfit(key string) {
	if w.rules&Forced == 0 {
		w.Misfit = key
	} else {
		w.lose(key)
	}
}

// put adds members at the end of an object, at index at: each begins with a comma.
func (w *walk) put(at int, members string) { w.Add(at, at, members) }

// closeLoose adds the requirements of the upstream outside of strict modes to a schema.
func (w *walk) closeLoose(f *frame, at int) {
	if f.refEnd > 0 && f.has&hasMore != 0 {
		if w.lone == nil {
			w.lone = map[int]bool{}
		}
		w.lone[f.start] = true
	}
	// since draft 2020-12, items has the meaning of additionalItems
	if f.has&isTuple != 0 && f.more > 0 && w.rules&Tuples != 0 {
		w.List[f.more-1] = jsonr.Edit{Start: f.moreKey.start, End: f.moreKey.end, With: `"items"`}
		f.has |= hasItems
		if v := f.moreItem; w.rules&Typed != 0 && v.end > 0 {
			w.List[f.more] = jsonr.Edit{Start: v.start, End: v.end, With: `{}`}
			if w.text[v.start:v.end] == "false" {
				f.has |= noMore
			}
		}
	}
	if w.rules&Typed != 0 {
		w.typed(f, at, len(w.frames) == 0 && w.rules&Arguments != 0)
		if f.has&isArray != 0 && f.has&hasItems == 0 && (f.has&hasPrefix == 0 || w.rules&TupleItems != 0) {
			w.put(at, `,"items":{}`)
		}
		if f.has&noMore != 0 && f.has&hasMost == 0 {
			w.put(at, `,"maxItems":`+strconv.Itoa(f.count))
		}
	}
	switch {
	case f.required == 0:
	case w.rules&NoEmptyList != 0 && !jsonr.Asks(jsonw.Raw(w.text[f.list.start:f.list.end])):
		w.List[f.required-1] = jsonr.Edit{Start: f.listKey, End: f.list.end}
	case w.rules&Defined != 0 && f.has&(isMember|isCombined) == 0,
		w.rules&Flavored != 0 && f.has&isMember == 0:
		if w.require(f, false); w.List[f.required-1].End > 0 {
			w.lose("required")
		}
	}
}

// typed adds the type implied by a schema's other keywords, if the schema has no type.
func (w *walk) typed(f *frame, at int, root bool) {
	if f.has&(hasType|isCombined) != 0 || root {
		return
	}
	switch {
	case f.has&hasProperties != 0:
		w.put(at, `,"type":"object"`)
	case f.has&(hasItems|hasPrefix) != 0:
		f.has |= isArray
		w.put(at, `,"type":"array"`)
	case f.value.name() != "":
		w.put(at, `,"type":"`+f.value.name()+`"`)
	default:
		return
	}
	f.has |= hasType
}

// require removes names that are not properties from a schema's list of required names. If all is
// set, it also adds the missing properties. It returns the number of missing properties.
func (w *walk) require(f *frame, all bool) (missing int) {
	known := w.names[f.names:]
	if f.required == 0 {
		return len(known)
	}
	of := make(map[string]bool, len(known))
	for _, n := range known {
		of[n.key] = true
	}
	list := w.text[f.list.start:f.list.end]
	written, changed := []byte{'['}, false
	r := jsonr.NewReader(list)
	for r.OpenArray(); r.Element(); {
		v := r.Value()
		e, ok := jsonr.Text(v)
		key := jsonw.Unescape(e)
		if ok && of[key] {
			written = append(appendComma(written), v...)
			delete(of, key)
			continue
		}
		changed = true
	}
	missing = len(of)
	if all && missing > 0 {
		for _, n := range known {
			if of[n.key] {
				written = append(appendComma(written), n.raw...)
				delete(of, n.key)
			}
		}
		changed = true
	}
	switch {
	case !changed:
	case len(written) == 1: // draft 4 and Google allow no empty list
		w.List[f.required-1] = jsonr.Edit{Start: f.listKey, End: f.list.end}
	default:
		w.List[f.required-1] = jsonr.Edit{Start: f.list.start, End: f.list.end, With: string(append(written,
			']'))}
	}
	return missing
}

func appendComma(b []byte) []byte {
	if b[len(b)-1] != '[' {
		return append(b, ',')
	}
	return b
}

// kindSet is a set of kinds of values.
type kindSet uint8

const (
	texts kindSet = 1 << iota
	flags
	whole
	fraction
	nulls
	others
)

func kindOf(v jsonw.Raw) kindSet {
	switch jsonr.KindOf(v) {
	case jsonr.String:
		return texts
	case jsonr.Bool:
		return flags
	case jsonr.Null:
		return nulls
	case jsonr.Number:
		if _, ok := jsonr.Int(v); ok {
			return whole
		}
		return fraction
	}
	return others
}

func kindsOf(list jsonw.Raw) (k kindSet) {
	r := jsonr.NewReader(string(list))
	for r.OpenArray(); r.Element(); {
		k |= kindOf(r.Value())
	}
	return k
}

// name returns the type of all values of the set, or "" for several types.
func (k kindSet) name() string {
	switch k {
	case texts:
		return "string"
	case flags:
		return "boolean"
	case whole:
		return "integer"
	case fraction, whole | fraction:
		return "number"
	case nulls:
		return "null"
	}
	return ""
}
