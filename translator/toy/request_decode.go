package toy

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// DecodeRequest reads the body of POST /toy/MODEL:say.
func (c Client) DecodeRequest(path, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	q := &ir.Request{API: &API, Model: jsonw.Escape(c.Model(path, body))}
	q.Stream, _ = c.Streams(path, body)
	q.StreamUsage = q.Stream
	r := jsonr.NewReader(body)
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "turns":
			for r.OpenArray(); r.Element(); {
				if err := addTurn(q, &r, lost); err != nil {
					return nil, err
				}
			}
		case "tools":
			for r.OpenArray(); r.Element(); {
				addTool(q, &r)
			}
		default:
			lost.AddMember("", &r)
		}
	}
	if len(q.Messages) == 0 {
		return nil, q.Empty()
	}
	return q, nil
}

func addTurn(q *ir.Request, r *jsonr.Reader, lost *ir.Lost) *ir.Error {
	at := ir.Pos{Form: "turns[]", Index: ir.Index{len(q.Messages)}}
	var who, say, call ir.Escaped
	content := ir.Content{Kind: ir.TextContent, At: at}
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "who":
			who, _ = jsonr.Text(r.Value())
		case "say":
			say, _ = jsonr.Text(r.Value())
		case "call":
			call, _ = jsonr.Text(r.Value())
		case "tool":
			content.Kind = ir.ToolCallContent
			content.Name, _ = jsonr.Text(r.Value())
		case "with":
			content.Input = r.Value()
		default:
			lost.AddMemberAt(at, "", r)
		}
	}
	role := ir.User
	content.Text, content.ID = say, call
	switch who {
	case "user":
	case "model":
		role = ir.Assistant
	case "tool":
		content = ir.Content{Kind: ir.ToolResultContent, At: at, ID: call,
			Parts: []ir.Content{{Kind: ir.TextContent, At: at, Text: say}}}
	default:
		return &ir.Error{Kind: ir.InvalidRequest, Path: at.Path(".who"),
			Message: "must be user, model or tool"}
	}
	q.Messages = append(q.Messages, ir.Message{Role: role, Content: []ir.Content{content}})
	return nil
}

func addTool(q *ir.Request, r *jsonr.Reader) {
	tool := ir.Tool{At: ir.Pos{Form: "tools[]", Index: ir.Index{len(q.Tools)}}}
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "name":
			tool.Name, _ = jsonr.Text(r.Value())
		case "takes":
			tool.Schema = r.Value()
		}
	}
	q.Tools = append(q.Tools, tool)
}
