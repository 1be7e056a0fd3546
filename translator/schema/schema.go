// Package schema writes the JSON Schemas of tools and formats as an upstream takes them.
package schema

import (
	"unsafe"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Rules say what an upstream refuses. Formats that a model can't be held to are no reason to refuse a schema outside strict
// modes, neither to Anthropic, which checks it against draft 2020-12, nor to OpenAI.
type Rules struct {
	PlainRoot bool // the root must be an object, without a union or a reference there
	Subset    bool // only what strict modes take: no unknown formats, no bounds, no additional or optional properties
}

// Append appends a schema, which is an object or "". It goes byte for byte, in the client's order, since prompt caches depend on
// it: only what the upstream refuses is repaired. A missing type or properties at the root is put in front, and does not count;
// repaired reports whether anything that the client wrote was changed or left out.
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

// AppendCustomDescription appends the description of such a tool, escaped and without quotes, with its grammar behind it: the
// value of "format" in the OpenAI APIs, or "".
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
		case "grammar": // in Chat Completions both are inside it
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
