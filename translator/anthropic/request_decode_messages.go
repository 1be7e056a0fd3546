package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// systemPrompt reads "system": a string or text blocks.
func (d *requestDecoder) systemPrompt(r *jsonr.Reader) *ir.Error {
	blocks, err := d.content(r, ir.Pos{Message: -1, Block: -1, Part: -1})
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

// withoutBilling cuts the lines with Claude Code's billing header from the beginning of a prompt. They change from version to
// version and would spoil the upstream's prompt cache.
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

// messages reads "messages". The first place is left for the system prompt.
func (d *requestDecoder) messages(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Array {
		return invalid("messages", "Input should be a valid list")
	}
	n, err := d.count(r)
	if err != nil {
		return err
	}
	d.request.Messages, d.latest = make([]ir.Message, 1, n+1), effort{}
	d.loaded, d.defined, d.scoped = nil, nil, nil
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.message(r, n); err != nil {
			return err
		}
	}
	if n == 0 {
		return invalid("messages", "at least one message is required")
	}
	return nil
}

// message reads the nth message.
func (d *requestDecoder) message(r *jsonr.Reader, n int) *ir.Error {
	if r.Kind() != jsonr.Object {
		return invalid(messagePath(n, ""), "Input should be a valid dictionary")
	}
	var m ir.Message
	hasContent, scoped := false, false
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		switch r.Key() {
		case "role":
			m.Role, err = role(r, n)
		case "content":
			hasContent = true
			m.Content, err = d.content(r, ir.Pos{Message: n, Block: -1, Part: -1})
		case "output_config":
			if r.Kind() != jsonr.Null {
				err = d.outputConfig(r, messagePath(n, ".output_config"), &d.latest)
			}
		case "clear_at":
			whole := *r
			v := r.Value()
			if scoped = v == `"next_user_message"`; !scoped && v != `"never"` {
				d.lose(messagePath(n, ""), &whole)
			}
		default:
			d.lose(messagePath(n, ""), r)
		}
		if err != nil {
			return err
		}
	}
	if m.Role == 0 {
		return invalid(messagePath(n, ".role"), "Field required")
	}
	if !hasContent && m.Role != ir.System { // one of these may set the effort alone
		return invalid(messagePath(n, ".content"), "Field required")
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

func role(r *jsonr.Reader, n int) (ir.Role, *ir.Error) {
	switch name, _ := jsonr.Text(r.Value()); name {
	case "user":
		return ir.User, nil
	case "assistant":
		return ir.Assistant, nil
	case "system":
		return ir.System, nil
	}
	return 0, invalid(messagePath(n, ".role"), "Input should be 'user', 'assistant' or 'system'")
}
