package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// compact reads an edit compact_20260112 ("Compaction at a token threshold"). The API wants a threshold of 50,000 tokens and more; models of
// other vendors may have no more than that for all of the conversation, so any number is taken here.
func (d *requestDecoder) compact(r *jsonr.Reader, path string, e *ir.Edits) *ir.Error {
	c := &ir.Compaction{Threshold: 150_000, Path: path}
	d.request.Compaction = c
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		key := r.Key()
		at := path + "." + key
		if r.Kind() == jsonr.Null {
			continue
		}
		switch key {
		case "type":
		case "trigger":
			if _, c.Threshold, err = amount(r, at, "input_tokens", ""); err == nil && c.Threshold == 0 {
				err = invalid(at+".value", "Input should be greater than or equal to 1")
			}
		case "pause_after_compaction":
			c.Pause, err = flag(r, at)
		case "instructions":
			c.Instructions, err = text(r, at)
		default:
			d.onlyMember(e, path, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// summary reads a compaction block: a summary of the conversation in front of it, which the API ignores from then on. Where the summary is one
// of this service's, sealed, that is what holds, and not the text that is there for people. A block without a summary, whose compaction has
// failed, becomes nothing.
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
	list := jsonr.NewReader(string(f.changes)) // of the tools, in the conversation that the summary stands for
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
