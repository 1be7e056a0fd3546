package compact

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// summaryPrompt asks for a summary if the client has no instructions of its own.
const summaryPrompt = `Stop here and write a summary of this conversation. ` +
	`It will take the place of what was said and done so far, for a model that ` +
	`goes on with the work and sees nothing else of it. Say:\n` +
	`- what the user wants, with all rules and preferences that the user has stated;\n` +
	`- what was decided and why, and what was tried and given up;\n` +
	`- which files, commands and other things the work is about, and in what state they are;\n` +
	`- what tools have returned that is still needed, and which calls have no result yet;\n` +
	`- what is done, what is left, and what the next step is.\n` +
	`Give names, paths, values and error messages exactly. ` +
	`Do not go on with the work and do not call a tool: answer with the text of the summary alone.`

// Request returns a request for a summary of r's conversation by the same model. If neither the user
// nor the model has said anything, Request returns an error.
//
//go:noinline
func Request(r *ir.Request) (*ir.Request, *ir.Error) {
	if !hasConversation(r.Messages) {
		return nil, &ir.Error{Kind: ir.InvalidRequest, Path: r.FieldPath(ir.FieldMessages),
			Message: "there is no conversation to compact: send the messages to summarize"}
	}
	prompt := r.Compaction.Instructions
	if jsonr.IsBlank(prompt) {
		prompt = summaryPrompt
	}
	return Ask(r, r.Messages, prompt), nil
}

// Ask returns a request with a conversation of r and a question about it. The request has no tools,
// and the calls and results in it are texts: servers reject calls without tools (Anthropic: "Requests
// which include tool_use or tool_result blocks must define tools") and calls without results, and a
// model with tools may answer with a call. The result shares texts with r.
//
//go:noinline
func Ask(r *ir.Request, conversation []ir.Message, question ir.Escaped) *ir.Request {
	ask := &ir.Request{API: r.API, Model: r.Model, Received: r.Received, Session: r.Session,
		UserID: r.UserID, UserIDPath: r.UserIDPath, PrivateUserID: r.PrivateUserID,
		Stream: true, StreamUsage: true, HideThoughts: true}
	ask.Messages = make([]ir.Message, 0, len(conversation)+1)
	for i := range conversation {
		m := ir.Message{Role: conversation[i].Role, Content: asText(conversation[i].Content)}
		if len(m.Content) > 0 {
			ask.Messages = append(ask.Messages, m)
		}
	}
	last := []ir.Content{{Kind: ir.TextContent, Text: question}}
	ask.Messages = append(ask.Messages, ir.Message{Role: ir.User, Content: last})
	return ask
}

// hasConversation reports whether list has a message that is not the system's.
func hasConversation(list []ir.Message) bool {
	for i := range list {
		if list[i].Role != ir.System && len(list[i].Content) > 0 {
			return true
		}
	}
	return false
}

// asText returns the blocks of a message without reasoning, and with calls and results as texts.
// Images and files stay; those of a result follow its text.
func asText(list []ir.Content) []ir.Content {
	out := make([]ir.Content, 0, len(list))
	for i := range list {
		c := &list[i]
		var text ir.Escaped
		switch {
		case c.Kind.IsReasoning():
			continue
		case c.Kind == ir.OpaqueContent && !c.Summary:
			text = c.Text
		case c.Kind == ir.CustomCallContent:
			text = `[Call ` + c.ID + ` of the tool ` + c.Name + `: ` + c.Text + `]`
		case c.Kind == ir.ToolCallContent:
			text = callAsText(c)
		case c.Kind == ir.ToolResultContent:
			text = `[Result of the call ` + c.ID + `:]`
		default:
			out = append(out, *c)
			continue
		}
		if text != "" {
			out = append(out, ir.Content{Kind: ir.TextContent, At: c.At, Text: text})
		}
		if c.Kind == ir.ToolResultContent {
			out = append(out, asText(c.Parts)...)
		}
	}
	return out
}

// callAsText returns a call as a text. It allocates once, because the arguments may be most of a
// large conversation.
func callAsText(c *ir.Content) ir.Escaped {
	lead := `[Call ` + c.ID + ` of the tool ` + c.Name + `: `
	dst := make([]byte, 0, len(lead)+jsonw.EscapedSize(string(c.Input))+1)
	dst = jsonw.AppendText(append(dst, lead...), string(c.Input))
	return jsonw.View(append(dst, ']'))
}

// TextSize estimates how many bytes Request allocates for the calls of r.
func TextSize(r *ir.Request) (n int) {
	for i := range r.Messages {
		for k := range r.Messages[i].Content {
			c := &r.Messages[i].Content[k]
			if c.Kind == ir.ToolCallContent || c.Kind == ir.CustomCallContent {
				n += jsonw.EscapedSize(string(c.Input)) + len(c.Text) + len(c.ID) + len(c.Name) + 64
			}
		}
	}
	return n
}
