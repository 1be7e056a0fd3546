package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// summary reads a compaction block: a summary of the preceding conversation, which the API ignores
// from then on. If this service sealed the summary, the sealed form counts, and the text is only
// for people. A block without a summary is a failed compaction, and becomes nothing.
func (d *requestDecoder) summary(b *ir.Content, f *fields, whole jsonr.Reader) (err *ir.Error) {
	own, _ := jsonr.Text(f.encrypted)
	switch {
	case ir.IsEnvelope(own):
		b.Text = own
	case f.content == "" || f.content == "null":
		return nil
	default:
		if b.Text, err = required(f.content, b.At, ".content"); err == nil && b.Text == "" {
			err = invalid(b.At.Path(".content"), "Input should not be empty")
		}
	}
	b.Kind, b.Summary, b.Raw = ir.OpaqueContent, true, whole.Value()
	// tool_changes: of the tools, in the summarized conversation
	list := jsonr.NewReader(string(f.changes))
	for list.OpenArray(); list.Element(); {
		change, kind := list, ir.Escaped("")
		for list.OpenObject(); list.Member(); {
			if list.Key() == "type" {
				kind, _ = jsonr.Text(list.Value())
			}
		}
		if !d.changeTools(change, b.At, kind == "tool_addition") {
			d.lost.Add(b.At.Path(".tool_changes"))
		}
	}
	return err
}
