package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// summary reads a compaction block: a summary of the conversation in front of it, which the API
// ignores from then on. Where the summary is one of this service's, sealed, that is what holds, and
// not the text that is there for people. A block without a summary, whose compaction has failed,
// becomes nothing.
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
	// of the tools, in the conversation that the summary stands for
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
