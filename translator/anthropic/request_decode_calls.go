package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// isMade reports whether this service made an id, a JSON string, for another vendor's web search:
// see madeSearch.
func isMade(v ir.Raw) bool { return strings.HasPrefix(string(v), `"`+madeSearch) }

// ranHere reports whether an id, a JSON string, belongs to a web search that ran here.
func ranHere(v ir.Raw) bool { return strings.HasPrefix(string(v), `"`+madeSearch+ir.RanHere) }

// toolUse reads a call. Its input is an object. Any other value from a model is wrapped in an
// object (FAULTS 57).
func toolUse(b *ir.Content, f *fields) (err *ir.Error) {
	b.Kind, b.Caller = ir.ToolCallContent, ir.CallerOf(f.caller)
	if b.ID, err = required(f.id, b.At, ".id"); err != nil {
		return err
	}
	if b.Name, err = required(f.name, b.At, ".name"); err != nil {
		return err
	}
	switch jsonr.KindOf(f.input) {
	case jsonr.Object:
		b.Input = f.input
	case jsonr.Missing, jsonr.Null:
		b.Input = "{}"
	default:
		said, ok := jsonr.Text(f.input)
		if !ok {
			said = jsonw.View(jsonw.AppendQuotedRaw(nil, f.input))
		}
		b.Input = ir.Raw(jsonr.AppendObject(nil, said))
	}
	return nil
}

// toolResult reads the result of a call: a string, or blocks.
func (d *requestDecoder) toolResult(b *ir.Content, f *fields) (err *ir.Error) {
	b.Kind = ir.ToolResultContent
	b.IsError = f.isError == "true"
	if b.ID, err = required(f.toolUseID, b.At, ".tool_use_id"); err != nil || f.content == "" {
		return err
	}
	part := ir.Pos{Form: resultPart, Index: b.At.Index}
	if b.At.Form == promptBlock {
		part.Form = promptPart
	}
	content := jsonr.NewReader(string(f.content))
	b.Parts, err = d.content(&content, part)
	return err
}
