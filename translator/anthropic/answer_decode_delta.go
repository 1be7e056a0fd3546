package anthropic

import (
	"strings"

	"edgelingua/translator/failure"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// openBlock reads the start of block n, when the block has its turn. In a plain body the start is
// the whole block, and for some types in a stream too.
func (d *decoder) openBlock(c *block, n int, v ir.Raw) {
	var f startFields
	f.read(v)
	c.form = wholeForm
	d.interrupted = d.interrupted || f.kind != "text"
	switch {
	case f.kind == "text":
		c.form = wordsForm
		d.words(c, ir.TextBlock, f.text)
		d.citations(c, f.citations)
	case f.kind == "thinking":
		c.form = wordsForm
		d.words(c, ir.ReasoningBlock, f.thinking)
		c.signature = append(c.signature, f.signature...)
	case f.kind == "redacted_thinking":
		if f.data != "" {
			d.out.Begin(ir.RedactedBlock, "")
			d.out.Sign(f.data, Name)
		}
	case f.kind == "tool_use":
		c.form = callForm
		d.openCall(c, n, &f)
	case f.kind == "server_tool_use" && f.name == webSearch && d.r.API.Client.Shows(ir.WebSearchBlock):
		c.form = searchForm
		d.openSearch(c, &f)
	case f.kind == "web_search_tool_result" && d.r.API.Client.Shows(ir.WebSearchBlock):
		d.searchResult(&f)
	case f.kind == "server_tool_use" && f.name == codeExecution && d.runs:
		if d.buffer(c, v) {
			c.form = programForm
		}
	case f.kind == codeResult && d.runs:
		d.programResult(&f)
	case f.kind == "compaction" && d.own:
		c.form = summaryForm
		content, _ := jsonr.Text(f.content)
		d.summary(c, content, f.encrypted)
		for _, key := range [...]string{"signature", "tool_changes"} {
			if member, _, _ := jsonr.LastMember(string(v), key); member != "" && jsonr.Asks(member) {
				d.lost.Add("content[]." + key)
			}
		}
	case f.isServers() && d.own:
		if d.buffer(c, v) {
			c.form = serverForm
		}
	case f.isServers() && d.hosted(c, &f, v):
	default:
		d.lost.AddNamed("block:", f.kind)
	}
}

// buffer copies v, from the start of a block, until the block ends. After a failure buffer returns
// false.
func (d *decoder) buffer(c *block, v ir.Raw) bool {
	if !d.out.Reserve(len(v), tooMuch) {
		return false
	}
	c.start = ir.Raw(strings.Clone(string(v)))
	return true
}

// summary copies the text of a compaction block, which comes as a whole, and its encrypted content.
func (d *decoder) summary(c *block, content, encrypted ir.Escaped) {
	if d.out.Reserve(len(content)+len(encrypted), tooMuch) {
		c.input, c.signature = append(c.input[:0], content...), append(c.signature[:0], encrypted...)
	}
}

// startFields holds the members of content_block of all types.
type startFields struct {
	kind, id, name, toolUseID       ir.Escaped
	text, thinking, signature, data ir.Escaped
	input, citations, content       ir.Raw
	toolset                         bool // the block has a toolset_name
	failed                          bool // is_error is true
	// code that the upstream runs and that made the call, see ir.CallerOf
	caller            ir.Raw
	server, encrypted ir.Escaped
}

func (f *startFields) read(v ir.Raw) {
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			f.kind, _ = jsonr.Text(r.Value())
		case "id":
			f.id, _ = jsonr.Text(r.Value())
		case "name":
			f.name, _ = jsonr.Text(r.Value())
		case "tool_use_id":
			f.toolUseID, _ = jsonr.Text(r.Value())
		case "text":
			f.text, _ = jsonr.Text(r.Value())
		case "thinking":
			f.thinking, _ = jsonr.Text(r.Value())
		case "signature":
			f.signature, _ = jsonr.Text(r.Value())
		case "data":
			f.data, _ = jsonr.Text(r.Value())
		case "encrypted_content":
			f.encrypted, _ = jsonr.Text(r.Value())
		case "input":
			f.input = r.Value()
		case "citations":
			f.citations = r.Value()
		case "content":
			f.content = r.Value()
		case "server_name":
			f.server, _ = jsonr.Text(r.Value())
		case "is_error":
			f.failed = r.Value() == "true"
		case "caller":
			f.caller = ir.CallerOf(r.Value())
		case "toolset_name":
			f.toolset = r.Kind() == jsonr.String
		}
	}
}

// delta reads a delta of a block, when the block has its turn. A delta that does not fit the
// block's type is lost. input_json_delta outside of a call fails the answer, since some call has
// lost its arguments.
func (d *decoder) delta(c *block, r *jsonr.Reader) {
	var kind, text, encrypted ir.Escaped
	var citation ir.Raw
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind, _ = jsonr.Text(r.Value())
		case "text", "thinking", "signature", "partial_json", "content":
			text, _ = jsonr.Text(r.Value())
		case "encrypted_content":
			encrypted, _ = jsonr.Text(r.Value())
		case "citation":
			citation = r.Value()
		}
	}
	switch {
	case c.form == wholeForm:
	case kind == "input_json_delta" && c.form == callForm:
		if text != "" {
			c.streamed = true
			d.out.Text(text)
		}
	case kind == "input_json_delta" && (c.form == searchForm || c.form == serverForm ||
		c.form == hostedForm || c.form == programForm):
		if d.out.Reserve(len(text), tooMuch) {
			c.input = append(c.input, text...)
		}
	case kind == "compaction_delta" && c.form == summaryForm:
		d.summary(c, text, encrypted)
	case kind == "input_json_delta":
		if text != "" {
			d.out.Fail(failure.Unreadable("it has arguments outside a tool call"))
		}
	case c.form == wordsForm && kind == "text_delta":
		d.words(c, ir.TextBlock, text)
	case c.form == wordsForm && kind == "thinking_delta":
		d.words(c, ir.ReasoningBlock, text)
	case c.form == wordsForm && kind == "signature_delta" && d.out.Block() != ir.TextBlock:
		c.signature = append(c.signature[:0], text...)
	case c.form == wordsForm && kind == "citations_delta":
		d.cited(c, citation)
	default:
		d.lost.AddNamed("delta:", kind)
	}
}
