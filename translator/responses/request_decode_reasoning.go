package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// reasoning reads "reasoning". context selects the earlier reasoning that OpenAI shows the model.
// Other vendors get all reasoning from the client, so only the limit to the current turn is a loss.
//
//go:noinline
func (d *requestDecoder) reasoning(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Object {
		return openai.WrongType("reasoning", "an object", r.Kind())
	}
	q := d.request
	q.Effort, q.ReasoningSummary, q.ReasoningContext = "", "", ""
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "effort":
			q.EffortPath = "reasoning.effort"
			q.Effort, err = openai.ReadText(r, "reasoning.effort")
		case "summary":
			q.ReasoningSummary, err = openai.ReadText(r, "reasoning.summary")
		case "generate_summary": // the older name of summary; if a body has both, summary takes precedence
			var summary ir.Escaped
			if summary, err = openai.ReadText(r, "reasoning.generate_summary"); q.ReasoningSummary == "" {
				q.ReasoningSummary = summary
			}
		case "context":
			q.ReasoningContext, err = openai.ReadText(r, "reasoning.context")
		case "mode":
			if v := r.Value(); v != `"standard"` {
				d.lost.Add("reasoning.mode")
			}
		default:
			d.lost.AddMember("reasoning", r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// thought reads a reasoning item. The text is in summary or else in content. encrypted_content is
// readable only for its vendor: OpenAI, or the vendor named in an envelope. An item without text
// and without encrypted_content is dropped.
func (d *requestDecoder) thought(f *fields, at ir.Pos) *ir.Error {
	c := ir.Content{Kind: ir.ReasoningContent, At: at}
	if c.Text = textsOf(f.summary); c.Text == "" {
		c.Text = textsOf(f.content)
	}
	c.Signature, _ = jsonr.Text(f.encrypted)
	if !c.Open() && c.Signature != "" {
		c.Origin = Name
		c.ItemID, _ = jsonr.Text(f.id)
		if c.Text == "" {
			c.Kind = ir.RedactedContent
		}
	}
	if c.Signature == "" && jsonr.IsBlank(c.Text) {
		return nil
	}
	d.take(modelSpeaker)
	d.content = append(d.content, c)
	return nil
}

// textsOf returns the texts in a list of {"type","text"}, separated by empty lines.
func textsOf(v ir.Raw) (all ir.Escaped) {
	var joined []byte
	r := jsonr.NewReader(string(v))
	for r.OpenArray(); r.Element(); {
		var text ir.Escaped
		for r.OpenObject(); r.Member(); {
			if r.Key() == "text" {
				text, _ = jsonr.Text(r.Value())
			}
		}
		switch {
		case text == "":
		case all == "":
			all = text
		default:
			if joined == nil {
				joined = append(make([]byte, 0, len(v)), all...)
			}
			joined = append(joined, `\n\n`...)
			joined = append(joined, text...)
		}
	}
	if joined != nil {
		return ir.Escaped(joined)
	}
	return all
}

// configure reads a configuration_update, an item that changes the settings from there on. Of
// several efforts the last one counts.
func (d *requestDecoder) configure(f *fields, at ir.Pos) *ir.Error {
	r := jsonr.NewReader(string(f.reasoning))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "effort" || r.Kind() == jsonr.Null {
			continue
		}
		var err *ir.Error
		d.latestPath = at.Path(".reasoning.effort")
		if d.latest, err = openai.ReadText(&r, d.latestPath); err != nil {
			return err
		}
	}
	return nil
}
