package irtest

import "edgelingua/translator/ir"

// Said returns a message with one text.
func Said(role ir.Role, e ir.Escaped) ir.Message {
	return ir.Message{Role: role, Content: []ir.Content{Text(e)}}
}

// Says returns a message of the assistant.
func Says(content ...ir.Content) ir.Message { return ir.Message{Role: ir.Assistant, Content: content} }

// Gets returns a message of the user.
func Gets(content ...ir.Content) ir.Message { return ir.Message{Role: ir.User, Content: content} }

// Text returns a block of text.
func Text(e ir.Escaped) ir.Content { return ir.Content{Kind: ir.TextContent, Text: e} }

// Calls returns a tool call with the arguments {"a":1}.
func Calls(id, name ir.Escaped) ir.Content {
	return ir.Content{
		Kind: ir.ToolCallContent, ID: id, Name: name, Input: `{"a":1}`, At: ir.Pos{Form: "calls[]"},
	}
}

// Returns returns the result of the tool call id.
func Returns(id ir.Escaped, parts ...ir.Content) ir.Content {
	return ir.Content{Kind: ir.ToolResultContent, ID: id, Parts: parts, At: ir.Pos{Form: "results[]"}}
}

// Blob returns a signature without a text. origin is the protocol of the signing vendor.
func Blob(origin string, signature ir.Escaped) ir.Content {
	return ir.Content{
		Kind: ir.RedactedContent, Origin: origin, Signature: signature, At: ir.Pos{Form: "reasoning[]"},
	}
}

// Thought returns reasoning with its signature. origin is the protocol of the signing vendor.
func Thought(origin string, e, signature ir.Escaped) ir.Content {
	c := Blob(origin, signature)
	c.Kind, c.Text = ir.ReasoningContent, e
	return c
}

// Image returns an image with a media type and base64 data.
func Image(mediaType, data ir.Escaped) ir.Content {
	source := ir.Source{MediaType: mediaType, Data: data}
	return ir.Content{Kind: ir.ImageContent, At: ir.Pos{Form: "images[]"}, Source: source}
}

// Document returns a document.
func Document(s ir.Source) ir.Content {
	return ir.Content{Kind: ir.DocumentContent, At: ir.Pos{Form: "documents[]"}, Source: s}
}

// Positions returns the positions in the client's body of r's blocks, of their parts and of r's
// tools.
func Positions(r *ir.Request) (list []string) {
	for _, m := range r.Messages {
		for _, c := range m.Content {
			list = append(list, c.At.String())
			for _, p := range c.Parts {
				list = append(list, p.At.String())
			}
		}
	}
	for _, tool := range r.Tools {
		list = append(list, tool.At.String())
	}
	return list
}
