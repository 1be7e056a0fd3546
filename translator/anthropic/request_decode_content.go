package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// content reads a string or an array of blocks: of the system prompt, a message, a tool result or a document. at is where it
// stands: the first of its levels that is -1 counts the blocks. Nesting ends with the parts of a block, which bounds the
// recursion of content and block.
func (d *requestDecoder) content(r *jsonr.Reader, at ir.Pos) ([]ir.Content, *ir.Error) {
	switch r.Kind() {
	case jsonr.String:
		e, _ := jsonr.Text(r.Value())
		if jsonr.IsBlank(e) {
			return nil, nil
		}
		if err := d.meet(1); err != nil {
			return nil, err
		}
		return []ir.Content{{Kind: ir.TextContent, At: at, Text: e}}, nil
	case jsonr.Array:
		if at.Part >= 0 {
			return nil, invalid(listPath(at), "blocks may not nest deeper than in a tool result")
		}
	case jsonr.Null:
		return nil, nil
	default:
		return nil, invalid(listPath(at), "Input should be a valid string or list")
	}
	n, err := d.count(r)
	if err != nil {
		return nil, err
	}
	list := make([]ir.Content, 0, n)
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		here := at
		if at.Block < 0 {
			here.Block = n
		} else if at.Part < 0 {
			here.Part = n
		}
		if r.Kind() != jsonr.Object {
			return nil, invalid(string(Client{}.AppendPath(nil, here)), "Input should be a valid dictionary")
		}
		b, err := d.block(r, here)
		if err != nil {
			return nil, err
		}
		if b.Kind == 0 || b.Kind == ir.TextContent && jsonr.IsBlank(b.Text) {
			continue // nothing to any upstream: the API refuses empty text, and so do others
		}
		list = append(list, b)
	}
	return list, nil
}

// fields is what a block may hold, as it stands.
type fields struct {
	kind                                ir.Escaped
	text, thinking, signature           ir.Raw
	title, context                      ir.Raw
	id, name, input, toolUseID, isError ir.Raw
	content, source, toolName, data     ir.Raw
}

// block reads one content block (Messages API, "Content blocks"). Its kind is 0 for one that is left out: a change of the tools, a
// compaction that failed, and a web search that another vendor ran in an earlier turn, in the form that it has for clients of this API,
// which is nothing to any upstream.
func (d *requestDecoder) block(r *jsonr.Reader, at ir.Pos) (ir.Content, *ir.Error) {
	b := ir.Content{At: at}
	whole, more := *r, false
	var f fields
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			f.kind, _ = jsonr.Text(r.Value())
		case "text":
			f.text = r.Value()
		case "thinking":
			f.thinking = r.Value()
		case "signature":
			f.signature = r.Value()
		case "title":
			f.title = r.Value()
		case "id":
			f.id = r.Value()
		case "name":
			f.name = r.Value()
		case "input":
			f.input = r.Value()
		case "tool_use_id":
			f.toolUseID = r.Value()
		case "is_error":
			f.isError = r.Value()
		case "content":
			f.content = r.Value()
		case "source":
			f.source = r.Value()
		case "tool_name":
			f.toolName = r.Value()
		case "context":
			f.context = r.Value()
		case "data":
			f.data = r.Value()
		case "cache_control":
			b.Cache = ir.Breakpoint(r)
		default:
			more = true
		}
	}
	var err *ir.Error
	if at.Part >= 0 && (f.kind == "tool_use" || f.kind == "tool_result") {
		return b, invalid(blockPath(at, "type"), "Input should not be a tool block inside another block")
	}
	switch f.kind {
	case "text", "input_text":
		b.Kind = ir.TextContent
		b.Text, err = required(f.text, at, "text")
	case "image":
		b.Kind = ir.ImageContent
		err = d.source(&b, &f)
	case "document":
		b.Kind = ir.DocumentContent
		b.Source.Title, _ = jsonr.Text(f.title)
		b.Source.Context, _ = jsonr.Text(f.context)
		err = d.source(&b, &f)
	case "tool_use":
		err = toolUse(&b, &f)
	case "tool_result":
		b.Kind = ir.ToolResultContent
		b.IsError = f.isError == "true"
		if b.ID, err = required(f.toolUseID, at, "tool_use_id"); err == nil && f.content != "" {
			inner := jsonr.NewReader(string(f.content))
			b.Parts, err = d.content(&inner, at)
		}
	case "tool_reference":
		var name ir.Escaped
		if name, err = required(f.toolName, at, "tool_name"); err == nil {
			d.offer(name, true)
			b.Kind, b.Text = ir.TextContent, "Tool loaded: "+name
		}
	case "tool_addition", "tool_removal":
		if more = false; !d.changeTools(whole, at, f.kind == "tool_addition") {
			b.Kind, b.Raw = ir.OpaqueContent, whole.Value()
		}
	case "thinking":
		b.Kind = ir.ReasoningContent
		b.Signature, _ = jsonr.Text(f.signature)
		b.Text, err = required(f.thinking, at, "thinking")
		openSignature(&b)
	case "redacted_thinking":
		b.Kind, b.Origin = ir.RedactedContent, Name
		b.Signature, err = required(f.data, at, "data")
		openSignature(&b)
	case "search_result": // of the client's own search
		b.Kind, b.Text, b.Raw = ir.OpaqueContent, saysFound(&f), whole.Value()
	case "compaction":
		if f.content != "" && f.content != "null" { // one that failed stands for nothing
			b.Kind, b.Raw = ir.OpaqueContent, whole.Value()
			b.Text, err = required(f.content, at, "content")
		}
	case "":
		err = invalid(blockPath(at, "type"), "Field required")
	case "server_tool_use", "web_search_tool_result":
		if !isMade(f.id) && !isMade(f.toolUseID) {
			b.Kind, b.Raw = ir.OpaqueContent, whole.Value()
		} else if more = false; !d.searched {
			d.searched = true
			d.lost.Add(string(Client{}.AppendPath(nil, at)))
		}
	default:
		b.Kind, b.Raw = ir.OpaqueContent, whole.Value()
	}
	if more && b.Raw == "" {
		d.loseMembers(whole, at, "")
	}
	return b, err
}

// saysFound returns what a search_result says ("Search results"): its title, its source and its text.
func saysFound(f *fields) ir.Escaped {
	title, _ := jsonr.Text(f.title)
	source, _ := jsonr.Text(f.source)
	said := title + `\n` + source
	list := jsonr.NewReader(string(f.content))
	for list.OpenArray(); list.Element(); {
		for list.OpenObject(); list.Member(); {
			if list.Key() == "text" {
				text, _ := jsonr.Text(list.Value())
				said += `\n\n` + text
			}
		}
	}
	return said
}

// loseMembers notes the members of a block, or of one inside it, that nothing reads and that ask for something. On purpose
// nothing reads:
//   - cache_control of what stands inside a block: "Sub-content blocks cannot be cached directly" (Messages API, "Prompt caching");
//   - caller, which says from where in Anthropic's own machinery the model called a tool.
func (d *requestDecoder) loseMembers(r jsonr.Reader, at ir.Pos, inside string) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "text", "thinking", "signature", "title", "id", "name", "input", "tool_use_id", "is_error", "content", "source",
			"tool_name", "context", "data":
		case "cache_control", "caller":
		default:
			v := r.Value()
			if key == "citations" && jsonr.KindOf(v) == jsonr.Array { // of each text that cites: once
				if d.cited {
					continue
				}
				d.cited = jsonr.Asks(v)
			}
			if member := d.lost.Member(key, v); member != "" {
				d.lost.Add(blockPath(at, inside+member[1:]))
			}
		}
	}
}

// isMade reports whether an id is that of a search which the encoder has made.
func isMade(v ir.Raw) bool { return strings.HasPrefix(string(v), `"`+madeSearch) }

func toolUse(b *ir.Content, f *fields) (err *ir.Error) {
	b.Kind = ir.ToolCallContent
	if b.ID, err = required(f.id, b.At, "id"); err != nil {
		return err
	}
	if b.Name, err = required(f.name, b.At, "name"); err != nil {
		return err
	}
	switch jsonr.KindOf(f.input) {
	case jsonr.Object:
		b.Input = f.input
	case jsonr.Missing, jsonr.Null:
		b.Input = "{}"
	default: // which a model has written, and may not fail the conversation
		said, ok := jsonr.Text(f.input)
		if !ok {
			said = jsonw.View(jsonw.AppendQuotedRaw(nil, f.input))
		}
		b.Input = ir.Raw(jsonr.AppendObject(nil, said))
	}
	return nil
}

// source reads the "source" of an image or a document.
func (d *requestDecoder) source(b *ir.Content, f *fields) *ir.Error {
	path := blockPath(b.At, "source")
	if jsonr.KindOf(f.source) != jsonr.Object {
		return invalid(path, "Field required")
	}
	var kind, data, url ir.Escaped
	var content ir.Raw
	r := jsonr.NewReader(string(f.source))
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		switch r.Key() {
		case "type":
			kind, err = text(&r, path+".type")
		case "media_type":
			b.Source.MediaType, err = text(&r, path+".media_type")
		case "data":
			data, err = text(&r, path+".data")
		case "url":
			url, err = text(&r, path+".url")
		case "content":
			content = r.Value()
		default:
			d.lose(path, &r)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case kind == "base64" && data != "" && b.Source.MediaType != "":
		b.Source.Data = data
	case kind == "url" && url != "":
		b.Source.URL = url
	case kind == "text" && b.Kind == ir.DocumentContent:
		b.Source.Text = data
	case kind == "content" && b.Kind == ir.DocumentContent:
		return d.documentParts(b, content)
	case kind == "file" || kind == "":
		return invalid(path+".type", "Input should be 'base64' or 'url': files are not stored here")
	default:
		return invalid(path, "Input should be a valid source")
	}
	return nil
}

// documentParts reads the content of a document that comes as a string or as blocks. A block that is no text is kept as an
// opaque one. It has no place of its own: a document may already be a part of a tool result.
func (d *requestDecoder) documentParts(b *ir.Content, v ir.Raw) *ir.Error {
	path := blockPath(b.At, "source.content")
	switch jsonr.KindOf(v) {
	case jsonr.String:
		b.Source.Text, _ = jsonr.Text(v)
		return nil
	case jsonr.Array:
	default:
		return invalid(path, "Input should be a valid string or list")
	}
	r := jsonr.NewReader(string(v))
	n, err := d.count(&r)
	if err != nil {
		return err
	}
	b.Parts = make([]ir.Content, 0, n)
	for r.OpenArray(); r.Element(); {
		part, whole := ir.Content{Kind: ir.OpaqueContent, At: b.At}, r
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				if r.Value() == `"text"` {
					part.Kind = ir.TextContent
				}
			case "text":
				part.Text, _ = jsonr.Text(r.Value())
			}
		}
		if part.Kind == ir.TextContent {
			d.loseMembers(whole, b.At, "source.content.")
		}
		if part.Kind != ir.TextContent || !jsonr.IsBlank(part.Text) {
			b.Parts = append(b.Parts, part)
		}
	}
	return nil
}

// openSignature says whose signature a reasoning block has: what came from elsewhere is in an envelope.
func openSignature(b *ir.Content) {
	if b.Signature == "" {
		return
	}
	b.Origin = Name
	if origin, redacted, id, blob, ok := ir.OpenEnvelope(b.Signature); ok {
		b.Origin, b.ItemID, b.Signature = origin, id, blob
		if redacted {
			b.Kind = ir.RedactedContent
		}
	}
}

// required returns the text of a field that must be there.
func required(v ir.Raw, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	if v == "" {
		return "", invalid(blockPath(at, field), "Field required")
	}
	e, ok := jsonr.Text(v)
	if !ok {
		return "", invalid(blockPath(at, field), "Input should be a valid string")
	}
	return e, nil
}

// blockPath returns the path of a field of the block at a place. Paths are only built for errors.
func blockPath(at ir.Pos, field string) string {
	b := Client{}.AppendPath(nil, at)
	b = append(b, '.')
	return string(append(b, field...))
}

// listPath returns the path of the content of what stands at a place: a message, the system prompt, a block.
func listPath(at ir.Pos) string {
	if at.Block >= 0 {
		return blockPath(at, "content")
	}
	return string(Client{}.AppendPath(nil, at))
}
