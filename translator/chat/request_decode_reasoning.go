package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// reasoning reads the model's reasoning in the message with the given index. reasoning_details have
// precedence: edgelingua sends them if a vendor has signed the reasoning. Without details it reads
// the text in reasoning_content, or in reasoning, another name of the same.
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
	c := ir.Content{Kind: ir.ReasoningContent, At: ir.Pos{Form: "messages[].reasoning_content",
		Index: message}}
	if c.Text, _ = jsonr.Text(f.reasoningContent); jsonr.IsBlank(c.Text) {
		c.Text, _ = jsonr.Text(f.reasoning)
		c.At.Form = "messages[].reasoning"
	}
	if jsonr.IsBlank(c.Text) {
		return list
	}
	return append(list, c)
}

// lift takes the reasoning of an assistant message from the first part of the content, if the
// message has none. @openai/agents 0.20 moves unknown members of a message into the part
// (openaiChatCompletionsConverter, providerData).
//
//go:noinline
func (f *messageFields) lift() {
	if f.details != "" || f.reasoningContent != "" || f.reasoning != "" {
		return
	}
	r := jsonr.NewReader(string(f.content))
	if r.OpenArray(); !r.Element() || r.Kind() != jsonr.Object {
		return
	}
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "reasoning_details":
			f.details = r.Value()
		case "reasoning_content":
			f.reasoningContent = r.Value()
		case "reasoning":
			f.reasoning = r.Value()
		}
	}
}

// detail reads an element of reasoning_details, in OpenRouter's form. There are three signatures:
//   - an envelope with the name of the signing vendor: from a translated answer of another vendor;
//   - JSON, from [ or { on: from a translated answer of a Chat upstream, with the JSON beside the
//     reasoning;
//   - the upstream's own, in an answer that passed through untranslated. Then the whole element is
//     stored as the signature.
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
	if c.Open() {
		return c
	}
	c.Origin = Name
	if first := c.Signature[0]; first != '[' && first != '{' {
		whole := append(make([]byte, 0, len(element)+len(element)/8+2), '[')
		c.Signature = jsonw.View(append(jsonw.AppendQuotedRaw(whole, element), ']'))
	}
	return c
}
