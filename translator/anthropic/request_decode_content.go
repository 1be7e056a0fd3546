package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Forms of ir.Pos for blocks.
const (
	promptBlock  = "system[]"
	promptPart   = "system[].content[]"
	messageBlock = "messages[].content[]"
	resultPart   = "messages[].content[].content[]"
)

// content reads the content of the system prompt, a message or a tool result: a string, or an array
// of blocks. at is the position of a block in the content, with any last index. content and block
// call each other at most once: block refuses a tool result inside another block.
func (d *requestDecoder) content(r *jsonr.Reader, at ir.Pos) ([]ir.Content, *ir.Error) {
	switch r.Kind() {
	case jsonr.String:
		e, _ := jsonr.Text(r.Value())
		if jsonr.IsBlank(e) {
			return nil, nil
		}
		if err := d.items.Meet(1); err != nil {
			return nil, err
		}
		return []ir.Content{{Kind: ir.TextContent, At: at.List(), Text: e}}, nil
	case jsonr.Array:
	case jsonr.Null:
		return nil, nil
	default:
		return nil, wrongKind(at.List().String(), "string or list", r.Kind())
	}
	n, err := d.items.Count(r)
	if err != nil {
		return nil, err
	}
	list := make([]ir.Content, 0, n)
	n = 0
	cites, last := false, -1 // whether the last text cites a source, and its index
	for r.OpenArray(); r.Element(); n++ {
		here := at.Element(n)
		if r.Kind() != jsonr.Object {
			return nil, wrongKind(here.String(), "dictionary", r.Kind())
		}
		b, err := d.block(r, here)
		if err != nil {
			return nil, err
		}
		if b.Kind == 0 || b.Kind == ir.TextContent && jsonr.IsBlank(b.Text) {
			continue // Anthropic rejects blank text (FAULTS 84)
		}
		if b.Kind == ir.TextContent && at.Form == messageBlock {
			// Anthropic splits a text where a citation begins or ends (Messages API, "Citations").
			b.Continues = last == n-1 && n > 0 && (cites || d.cites)
			cites, last = d.cites, n
		}
		if b.Kind == ir.RedactedContent && b.Text != "" {
			if list, err = d.unjoin(list, &b); err != nil {
				return nil, err
			}
		}
		list = append(list, b)
	}
	return list, nil
}

// fields are the unread members of a block, "" for missing ones.
type fields struct {
	kind                                ir.Escaped
	text, thinking, signature           ir.Raw
	title, context                      ir.Raw
	id, name, input, toolUseID, isError ir.Raw
	content, source, toolName, data     ir.Raw
	encrypted, changes, caller          ir.Raw
}

// block reads the next value of r, the content block at at (Messages API, "Content blocks"). The
// result has the kind 0 for a block that becomes nothing:
//
//   - a change of the tools, which changeTools has read;
//   - a failed compaction;
//   - another vendor's web search in an earlier turn: no upstream understands this service's blocks
//     for it (isMade);
//   - the call of a search, a fetch or a consultation that ran here: the result includes the call
//     (ownSearch).
//
//go:noinline
func (d *requestDecoder) block(r *jsonr.Reader, at ir.Pos) (ir.Content, *ir.Error) {
	b := ir.Content{At: at}
	whole, more := *r, false
	d.cites = false
	var f fields
	var server ir.Raw
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
		case "server_name":
			server = r.Value()
		case "context":
			f.context = r.Value()
		case "data":
			f.data = r.Value()
		case "encrypted_content":
			f.encrypted, more = r.Value(), true
		case "tool_changes":
			f.changes, more = r.Value(), true
		case "citations":
			v := r.Value()
			d.cites, more = jsonr.KindOf(v) == jsonr.Array && jsonr.Asks(v), true
		case "cache_control":
			b.Cache = ir.Breakpoint(r)
		case "caller":
			f.caller, more = r.Value(), true
		default:
			more = true
		}
	}
	var err *ir.Error
	if at.Form != promptBlock && at.Form != messageBlock && (f.kind == "tool_use" ||
		f.kind == "tool_result") {
		return b, invalid(at.Path(".type"), "Tool blocks are not allowed inside other blocks")
	}
	switch f.kind {
	case "text", "input_text":
		b.Kind = ir.TextContent
		b.Text, err = required(f.text, at, ".text")
	case "image":
		b.Kind = ir.ImageContent
		err = d.source(&b, &f)
	case "document":
		b.Kind = ir.DocumentContent
		b.Source.Title, _ = jsonr.Text(f.title)
		b.Source.Context, _ = jsonr.Text(f.context)
		err = d.source(&b, &f)
	case "tool_use":
		if err = toolUse(&b, &f); isProgram(toolID(b.Caller)) {
			b.Program = d.programCalled(toolID(b.Caller))
		}
	case "tool_result":
		err = d.toolResult(&b, &f)
	case "tool_reference":
		var name ir.Escaped
		if name, err = required(f.toolName, at, ".tool_name"); err == nil {
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
		b.Text, err = required(f.thinking, at, ".thinking")
		openSignature(&b)
	case "redacted_thinking":
		b.Kind, b.Origin = ir.RedactedContent, Name
		if b.Signature = numbered(f.data); b.Signature == "" {
			b.Signature, err = required(f.data, at, ".data")
		}
		openSignature(&b)
	case "search_result": // a result of the client's own search
		b.Kind, b.Text, b.Raw = ir.OpaqueContent, d.saysFound(&f, at), whole.Value()
		if v, _, _ := jsonr.LastMember(string(b.Raw), "citations"); v != "" && jsonr.Asks(v) {
			d.request.Own = append(d.request.Own, ir.Member{Key: at.Path(".citations")})
		}
	case "compaction":
		more = false
		err = d.summary(&b, &f, whole)
	case "":
		err = invalid(at.Path(".type"), "Field required")
	case "server_tool_use", "web_search_tool_result", fetchResult, adviceResult, codeResult:
		if isProgram(f.id) || isProgram(f.toolUseID) {
			more = false
			d.program(&b, &f)
		} else if ranHere(f.id) || ranHere(f.toolUseID) {
			more = false
			d.ownSearch(&b, &f)
		} else if !isMade(f.id) && !isMade(f.toolUseID) {
			b.Kind, b.Raw = ir.OpaqueContent, whole.Value()
			err = d.hosted(&b, &f, server)
		} else if more = false; !d.searched {
			d.searched = true
			d.lost.Add(at.String())
		}
	default:
		b.Kind, b.Raw = ir.OpaqueContent, whole.Value()
		err = d.hosted(&b, &f, server)
	}
	if more && b.Raw == "" {
		d.loseMembers(whole, at, "")
	}
	return b, err
}

// saysFound returns the text of a search_result for a model (Messages API, "Search results"): its
// title, its source and its text. Citations of the text are noted.
func (d *requestDecoder) saysFound(f *fields, at ir.Pos) ir.Escaped {
	title, _ := jsonr.Text(f.title)
	source, _ := jsonr.Text(f.source)
	said := make([]byte, 0, len(title)+len(`\n`)+len(source)+len(f.content))
	said = append(append(append(said, title...), `\n`...), source...)
	list := jsonr.NewReader(string(f.content))
	for list.OpenArray(); list.Element(); {
		for list.OpenObject(); list.Member(); {
			switch list.Key() {
			case "text":
				text, _ := jsonr.Text(list.Value())
				said = append(append(said, `\n\n`...), text...)
			case "citations":
				if jsonr.Asks(list.Value()) {
					d.request.Own = append(d.request.Own, ir.Member{Key: at.Path(".content[].citations")})
				}
			}
		}
	}
	return jsonw.View(said)
}

// loseMembers notes the members of a block that block does not read and that ask for something.
// inside is the path from the block at at to the object of r, "" for the block itself. Exceptions:
//   - cache_control inside a block: "Sub-content blocks cannot be cached directly" (Messages API,
//     "Prompt caching");
//   - caller, which says whether the model has called a tool from Anthropic's code execution.
func (d *requestDecoder) loseMembers(r jsonr.Reader, at ir.Pos, inside string) {
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); key {
		case "type", "text", "thinking", "signature", "title", "id", "name", "input", "tool_use_id",
			"is_error", "content", "source",
			"tool_name", "context", "data":
		case "cache_control", "caller":
		default:
			v := r.Value()
			// noted only once per request
			if key == "citations" && jsonr.KindOf(v) == jsonr.Array {
				if d.cited {
					continue
				}
				d.cited = jsonr.Asks(v)
			}
			if member := d.lost.Member(key, v); member != "" {
				d.lost.Add(at.Path(inside + member))
			}
		}
	}
}

// source reads the "source" of an image or a document: base64, a URL, or a file stored at
// Anthropic. A document's source may also be plain text or blocks.
func (d *requestDecoder) source(b *ir.Content, f *fields) *ir.Error {
	path := b.At.Path(".source")
	if jsonr.KindOf(f.source) != jsonr.Object {
		return invalid(path, "Field required")
	}
	var kind, data, url, id ir.Escaped
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
		case "file_id":
			id, err = text(&r, path+".file_id")
		case "content":
			content = r.Value()
		default:
			d.lost.AddMember(path, &r)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case kind == "base64" && data != "" && b.Source.MediaType != "":
		b.Source.Data = data
	case kind == "url" && strings.HasPrefix(string(url), "http"):
		b.Source.URL = url
	case kind == "url":
		return invalid(path+".url", "Input should be a valid URL")
	case kind == "text" && b.Kind == ir.DocumentContent:
		b.Source.Text = data
	case kind == "content" && b.Kind == ir.DocumentContent:
		return d.documentParts(b, content)
	case kind == "file" && id != "":
		b.Source.File = &ir.File{ID: id, Vendor: Name, Field: ".source.file_id"}
	case kind == "":
		return invalid(path+".type", "Field required")
	case kind == "base64" || kind == "url" || kind == "text" || kind == "content" || kind == "file":
		return invalid(path, "Input should be a valid source")
	default:
		return wrongWord(path+".type", "'base64', 'url', 'text', 'content' or 'file'", kind)
	}
	return nil
}

// documentParts reads source.content of a document: a string, or blocks. A block other than text
// becomes an opaque block. The blocks have the document's position: the document may be a part of a
// tool result, and ir.Pos has no further index.
func (d *requestDecoder) documentParts(b *ir.Content, v ir.Raw) *ir.Error {
	path := b.At.Path(".source.content")
	switch jsonr.KindOf(v) {
	case jsonr.String:
		b.Source.Text, _ = jsonr.Text(v)
		return nil
	case jsonr.Array:
	default:
		return wrongKind(path, "string or list", jsonr.KindOf(v))
	}
	r := jsonr.NewReader(string(v))
	n, err := d.items.Count(&r)
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
			d.loseMembers(whole, b.At, ".source.content")
		}
		if part.Kind != ir.TextContent || !jsonr.IsBlank(part.Text) {
			b.Parts = append(b.Parts, part)
		}
	}
	return nil
}

// required returns the text of v, the value of a field at at. It refuses a missing field ("") and a
// value other than a string.
func required(v ir.Raw, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	if v == "" {
		return "", invalid(at.Path(field), "Field required")
	}
	e, ok := jsonr.Text(v)
	if !ok {
		return "", wrongKind(at.Path(field), "string", jsonr.KindOf(v))
	}
	return e, nil
}
