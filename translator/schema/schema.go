// Package schema writes the JSON Schemas of tools and formats as an upstream takes them.
package schema

import (
	"unsafe"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Rules say what an upstream refuses in schemas. Outside strict modes neither Anthropic, which checks schemas against draft
// 2020-12, nor OpenAI refuses a format that it does not know.
type Rules struct {
	PlainRoot bool // the root has to be an object, without a union or a reference
	Subset    bool // only what strict modes take: no unknown formats, no bounds, no additional or optional properties (subset.go)
}

// Append appends a schema, which is an object or "". It goes byte for byte and in the client's order, since prompt caches depend
// on that (FAULTS 68); only what the upstream refuses is repaired (FAULTS 67). Where type or properties are missing at the root
// they are put in front. repaired reports whether anything that the client has written was changed or left out, which adding
// these two is not.
func Append(dst []byte, schema jsonw.Raw, rules Rules) (out []byte, repaired bool) {
	if schema == "" {
		schema = "{}"
	}
	if !rules.Subset {
		return appendRoot(dst, schema, rules.PlainRoot)
	}
	root, repaired := appendRoot(make([]byte, 0, len(schema)+64), schema, rules.PlainRoot)
	dst, cut := appendSubset(dst, unsafe.String(unsafe.SliceData(root), len(root)))
	return dst, repaired || cut
}

// WriteTool writes what a function takes, as the upstream takes it. Its path is noted as lost where what the client wrote had to
// be changed.
//
//go:noinline
func WriteTool(w *ir.Writer, t *ir.Tool) {
	var repaired bool
	w.Dst, repaired = Append(w.Dst, t.Schema, Rules{PlainRoot: w.Target.PlainRoot, Subset: w.Target.StrictSubset})
	if repaired {
		w.Lost.Add(t.At.String())
	}
}

// CustomInput is the schema by which an upstream that only knows functions is told of a tool that takes free text: an object
// with the text in its member "input".
const CustomInput = `{"type":"object","properties":{"input":{"type":"string","description":"The whole input of the tool, as plain text."}},"required":["input"],"additionalProperties":false}`

// AppendCustomDescription appends the description of a tool that takes free text, escaped and without quotes, with the tool's
// grammar in words behind it. grammar is the value of "format" in the OpenAI APIs, or "".
func AppendCustomDescription(dst []byte, description jsonw.Escaped, grammar jsonw.Raw) []byte {
	dst = append(dst, description...)
	var syntax, definition jsonw.Escaped
	r := jsonr.NewReader(string(grammar))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "syntax":
			syntax, _ = jsonr.Text(r.Value())
		case "definition":
			definition, _ = jsonr.Text(r.Value())
		case "grammar": // Chat Completions has both inside "grammar"
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "syntax":
					syntax, _ = jsonr.Text(r.Value())
				case "definition":
					definition, _ = jsonr.Text(r.Value())
				}
			}
		}
	}
	if definition == "" {
		return dst
	}
	if description != "" {
		dst = append(dst, `\n\n`...)
	}
	dst = append(dst, `The input must follow this grammar (`...)
	dst = append(dst, syntax...)
	dst = append(dst, `):\n`...)
	return append(dst, definition...)
}
