package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// isMade reports whether an id is that of a search which the encoder has made.
func isMade(v ir.Raw) bool { return strings.HasPrefix(string(v), `"`+MadeSearch) }

func toolUse(b *ir.Content, f *fields) (err *ir.Error) {
	b.Kind = ir.ToolCallContent
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
	default: // which a model has written, and may not fail the conversation
		said, ok := jsonr.Text(f.input)
		if !ok {
			said = jsonw.View(jsonw.AppendQuotedRaw(nil, f.input))
		}
		b.Input = ir.Raw(jsonr.AppendObject(nil, said))
	}
	return nil
}
