package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// systemPrompt reads "system": a string, or blocks.
//
//go:noinline
func (d *requestDecoder) systemPrompt(r *jsonr.Reader) *ir.Error {
	blocks, err := d.content(r, ir.Pos{Form: promptBlock})
	if err != nil {
		return err
	}
	d.system = blocks[:0]
	for _, b := range blocks {
		if b.Kind == ir.TextContent {
			if b.Text = withoutBilling(b.Text); jsonr.IsBlank(b.Text) {
				continue
			}
		}
		d.system = append(d.system, b)
	}
	return nil
}

// withoutBilling removes Claude Code's lines "x-anthropic-billing-header: ..." from the beginning
// of a prompt. These lines change with each version, and would make the upstream's prompt cache
// miss (FAULTS 83).
func withoutBilling(e ir.Escaped) ir.Escaped {
	for strings.HasPrefix(string(e), "x-anthropic-billing-header:") {
		i := 0
		for i < len(e) && (e[i] != '\\' || e[i+1] != 'n') {
			if e[i] == '\\' {
				i++
			}
			i++
		}
		e = e[min(i+2, len(e)):]
	}
	return e
}

// messages reads "messages". The first element of request.Messages is left empty for the system
// prompt.
func (d *requestDecoder) messages(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Array {
		return wrongKind("messages", "list", r.Kind())
	}
	n, err := d.items.Count(r)
	if err != nil {
		return err
	}
	d.request.Messages, d.latest = make([]ir.Message, 1, n+1), effort{}
	d.loaded, d.defined, d.scoped = nil, nil, nil
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.message(r, ir.Pos{Form: "messages[]", Index: ir.Index{n}}); err != nil {
			return err
		}
	}
	if n == 0 {
		return invalid("messages", "at least one message is required")
	}
	return nil
}

// message reads the next value of r, the message at at.
func (d *requestDecoder) message(r *jsonr.Reader, at ir.Pos) *ir.Error {
	if r.Kind() != jsonr.Object {
		return wrongKind(at.String(), "dictionary", r.Kind())
	}
	var m ir.Message
	hasContent, scoped := false, false
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		switch r.Key() {
		case "role":
			m.Role, err = role(r, at)
		case "content":
			hasContent = true
			m.Content, err = d.content(r, ir.Pos{Form: messageBlock, Index: at.Index})
		case "output_config":
			if r.Kind() != jsonr.Null {
				err = d.outputConfig(r, at.Path(".output_config"), &d.latest)
			}
		case "clear_at":
			whole := *r
			v := r.Value()
			if scoped = v == `"next_user_message"`; !scoped && v != `"never"` {
				d.lost.AddMember(at.String(), &whole)
			}
		default:
			d.lost.AddMember(at.String(), r)
		}
		if err != nil {
			return err
		}
	}
	if m.Role == 0 {
		return invalid(at.Path(".role"), "Field required")
	}
	if !hasContent && m.Role != ir.System { // a system message may only set the effort
		return invalid(at.Path(".content"), "Field required")
	}
	switch {
	case m.Role == ir.User:
		for _, i := range d.scoped {
			d.request.Messages[i].Content = nil
		}
		d.scoped = d.scoped[:0]
	case scoped:
		d.scoped = append(d.scoped, len(d.request.Messages))
	}
	d.request.Messages = append(d.request.Messages, m)
	return nil
}

func role(r *jsonr.Reader, at ir.Pos) (ir.Role, *ir.Error) {
	v := r.Value()
	switch name, _ := jsonr.Text(v); name {
	case "user":
		return ir.User, nil
	case "assistant":
		return ir.Assistant, nil
	case "system":
		return ir.System, nil
	}
	const roles = "'user', 'assistant' or 'system'"
	return 0, wrong(at.Path(".role"), roles, v, roles)
}
