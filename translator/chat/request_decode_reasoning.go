package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// reasoning reads what the model thought. reasoning_details, which this client's answers bring where a vendor signed it, say it
// better than the text alone.
func (d *requestDecoder) reasoning(list []ir.Content, f *messageFields, message ir.Index) []ir.Content {
	begin := len(list)
	i := 0
	r := jsonr.NewReader(string(f.details))
	if r.Kind() == jsonr.Array {
		for r.OpenArray(); r.Element(); i++ {
			if c := detail(&r); c.Signature != "" || !jsonr.IsBlank(c.Text) {
				c.At = ir.Pos{Form: "messages[].reasoning_details[]", Index: message}.Element(i)
				list = append(list, c)
			}
		}
	}
	if len(list) > begin {
		return list
	}
	c := ir.Content{Kind: ir.ReasoningContent, At: ir.Pos{Form: "messages[].reasoning_content", Index: message}}
	if c.Text, _ = jsonr.Text(f.reasoningContent); jsonr.IsBlank(c.Text) {
		c.Text, _ = jsonr.Text(f.reasoning)
		c.At.Form = "messages[].reasoning"
	}
	if jsonr.IsBlank(c.Text) {
		return list
	}
	return append(list, c)
}

// detail reads one element of reasoning_details, in the form of OpenRouter. A signature that came from elsewhere is in an
// envelope, which says whose it is; one that holds JSON is what a Chat upstream said, for a translated answer. An element with
// any other is the upstream's own, from an answer that passed: it is kept whole.
func detail(list *jsonr.Reader) ir.Content {
	c := ir.Content{Kind: ir.ReasoningContent}
	r := *list
	element := list.Value()
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			if r.Value() == `"reasoning.encrypted"` {
				c.Kind = ir.RedactedContent
			}
		case "text", "summary":
			if text, ok := jsonr.Text(r.Value()); ok {
				c.Text = text
			}
		case "signature", "data":
			if signature, ok := jsonr.Text(r.Value()); ok {
				c.Signature = signature
			}
		case "id":
			c.ItemID, _ = jsonr.Text(r.Value())
		}
	}
	if c.Signature == "" {
		return c
	}
	c.Origin = Name
	if first := c.Signature[0]; first != '[' && first != '{' && !ir.IsEnvelope(c.Signature) {
		whole := append(make([]byte, 0, len(element)+len(element)/8+2), '[')
		c.Signature = jsonw.View(append(jsonw.AppendQuotedRaw(whole, element), ']'))
		return c
	}
	if origin, redacted, id, blob, ok := ir.OpenEnvelope(c.Signature); ok {
		c.Origin, c.ItemID, c.Signature = origin, id, blob
		if redacted {
			c.Kind = ir.RedactedContent
		}
	}
	return c
}
