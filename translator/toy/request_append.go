package toy

import "edgelingua/translator/ir"

// AppendRequest appends the body of POST /toy/MODEL:say.
func (Upstream) AppendRequest(dst []byte, q *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte, *ir.Error) {
	out := append(dst, `{"turns":[`...)
	first := true
	for _, m := range q.Messages {
		for i := range m.Content {
			var err *ir.Error
			before := len(out)
			if !first {
				out = append(out, ',')
			}
			mark := len(out)
			if out, err = appendTurn(out, m.Role, &m.Content[i], q, t, lost); err != nil {
				return dst, err
			}
			if len(out) == mark {
				out = out[:before]
				continue
			}
			first = false
		}
	}
	out = append(out, `],"tools":[`...)
	for i := range q.Tools {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, `{"name":"`+string(q.Tools[i].Name)+`","takes":`...)
		out = append(out, q.Tools[i].Schema...)
		out = append(out, '}')
	}
	return append(out, `]}`...), nil
}

func appendTurn(dst []byte, role ir.Role, c *ir.Content, q *ir.Request, t *ir.Target, lost *ir.Lost) ([]byte,
	*ir.Error) {
	switch c.Kind {
	case ir.TextContent:
		who := "user"
		if role == ir.Assistant {
			who = "model"
		}
		return append(dst, `{"who":"`+who+`","say":"`+string(c.Text)+`"}`...), nil
	case ir.ToolCallContent:
		return append(dst, `{"who":"model","call":"`+string(c.ID)+`","tool":"`+string(c.Name)+`","with":`+
			string(c.Input)+`}`...), nil
	case ir.ToolResultContent:
		dst = append(dst, `{"who":"tool","call":"`+string(c.ID)+`","say":"`...)
		for _, part := range c.Parts {
			dst = append(dst, part.Text...)
		}
		return append(dst, `"}`...), nil
	}
	return dst, lost.AddOrRefuse(t, c.At.String(), "content other than text and tool calls")
}
