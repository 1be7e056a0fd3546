package ir

import (
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Writer writes the body of one request to an upstream. It is the part shared by all protocols.
type Writer struct {
	Dst     []byte // the body so far
	Request *Request
	Target  *Target
	Lost    *Lost
	// the results of the calls that are still to be written, in the order of the calls; nil for a
	// call without a result
	Results []*Content
	byName  map[Escaped]*Tool
	runs    [VendorTool]Tri // by the kind of a tool run by the upstream: whether the upstream is offered one
	reasons bool            // reasoning of the history has been noted as lost
	cited   bool            // citations of the history have been noted as lost
	Defers  bool            // the request has Deferred tools, and a ToolSearchTool to find them
	// the upstream runs programs for the request: see Request.RunsPrograms
	Programs     bool
	sentPrograms map[Escaped]bool // the ids of the programs sent so far
	lacking      *Tool            // the first tool that can't be sent to the upstream; nil: none
}

// Raw appends s. If Request.LongTexts is set and s has 1 KB or more (longLength), Raw appends a
// placeholder instead.
func (w *Writer) Raw(s string) {
	if l := w.Request.LongTexts; l.isLong(s) {
		w.Dst = l.append(w.Dst, s)
		return
	}
	w.Dst = append(w.Dst, s...)
}

// Insert inserts s, of less than 1 KB, at index at of the written bytes.
func (w *Writer) Insert(at int, s string) {
	w.Raw(s)
	copy(w.Dst[at+len(s):], w.Dst[at:])
	copy(w.Dst[at:], s)
}

// Literal appends a JSON string literal.
func (w *Writer) Literal(e Escaped) {
	if w.Request.LongTexts.isLong(string(e)) {
		w.Raw(`"`)
		w.Raw(string(e))
		w.Raw(`"`)
		return
	}
	w.Dst = jsonw.AppendEscaped(w.Dst, e)
}

// Member appends a member with a string value, unless the string is empty. key is the beginning of
// the member, as `,"name":`.
//
//go:noinline
func (w *Writer) Member(key string, e Escaped) {
	if e != "" {
		w.Raw(key)
		w.Literal(e)
	}
}

// Tri appends a member with a boolean value, unless flag is Unset. key is as for Member.
func (w *Writer) Tri(key string, flag Tri) {
	if flag == Unset {
		return
	}
	w.Raw(key)
	if flag == True {
		w.Raw(`true`)
	} else {
		w.Raw(`false`)
	}
}

// Next appends the separator before the next element of a list or member of an object, and sets the
// separator to a comma.
//
//go:noinline
func (w *Writer) Next(separator *string) {
	w.Raw(*separator)
	*separator = `,`
}

// Begin pairs the tool calls of the history with their results, and appends the beginning of the
// body, up to the model.
func (w *Writer) Begin() (err *Error) {
	w.Results, err = MatchResults(w.Request, w.Target, w.Lost)
	search, deferred := false, false
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		search = search || t.Kind == ToolSearchTool && w.Request.Allows(t.Name)
		deferred = deferred || t.Deferred
	}
	w.Defers, w.Programs = search && deferred, w.Request.RunsPrograms(w.Target)
	w.Raw(`{"model":`)
	w.Literal(w.Request.Model)
	return err
}

// NextResult returns the result of the next call of the history, or nil if the call has none.
func (w *Writer) NextResult() *Content {
	result := w.Results[0]
	w.Results = w.Results[1:]
	return result
}

// Prefill returns the text that the model is to continue: the last block of the last message, if
// that message is the assistant's and the client's API has prefills. It returns nil if there is
// none. If the upstream can't continue a text, the text is lost or the request refused.
func (w *Writer) Prefill() (*Content, *Error) {
	list := w.Request.Messages
	if len(list) == 0 || !w.Request.API.Continues || list[len(list)-1].Role != Assistant {
		return nil, nil
	}
	content := list[len(list)-1].Content
	if len(content) == 0 || content[len(content)-1].Kind != TextContent {
		return nil, nil
	}
	last := &content[len(content)-1]
	// OpenAI's models answer anew, and clients that join both texts would get nonsense: the loss is
	// reported, or the request refused (option lossy). DeepSeek, Moonshot and Alibaba continue only
	// a request of another form, or without thinking.
	if w.Target.Prefill == NoPrefill {
		return nil, w.RefuseOrLose(last.At.String(),
			"assistant message prefill: end the conversation with a user message")
	}
	return last, nil
}

// Offers reports whether the upstream is sent a tool. takes says whether the upstream's API has a
// form for the tool. hides says whether tools that the client's tool_choice does not allow are left
// out, because the server does not know allowed_tools.
func (w *Writer) Offers(t *Tool, takes, hides bool) (bool, *Error) {
	switch {
	case (hides || !takes) && !w.Request.Allows(t.Name):
		return false, nil
	case !takes:
		if w.lacking == nil {
			w.lacking = t
		}
		return false, w.RefuseOrLose(t.At.String(), "this vendor-defined tool")
	}
	return true, nil
}

// Offered reports whether the upstream is offered a tool of the kind that made a call of the
// history. takes reports whether the upstream's API has a form for a tool.
func (w *Writer) Offered(h *Hosted, takes func(*Tool) bool) bool {
	if w.runs[h.Kind] == Unset {
		w.runs[h.Kind] = False
		for i := range w.Request.Tools {
			if t := &w.Request.Tools[i]; t.Kind == h.Kind && w.Request.Allows(t.Name) && takes(t) {
				w.runs[h.Kind] = True
			}
		}
	}
	return w.runs[h.Kind] == True
}

// SystemText reports whether a block of the system prompt is a non-blank text. A block of another
// kind is lost or refused: see RefuseOrLose.
func (w *Writer) SystemText(c *Content) (bool, *Error) {
	if c.Kind != TextContent {
		return false, w.RefuseOrLose(c.At.String(), "non-text content in the system prompt")
	}
	return !jsonr.IsBlank(c.Text), nil
}

// ToolByName returns the tool that the results of a tool search name, or nil if the client does
// not offer the tool.
func (w *Writer) ToolByName(name Escaped) *Tool {
	if w.byName == nil {
		w.byName = w.Request.ToolsByName()
	}
	return w.byName[name]
}

// NoTools handles a request if no tool is sent to the upstream. Some clients send only a vendor's
// tool, as Claude Code does for a web search, and take any answer for the tool's output: a model
// without the tool invents results and their sources. So the request is refused, unless the
// endpoint's owner chose to report losses, or the client allows no tool calls.
func (w *Writer) NoTools() *Error {
	choice := &w.Request.ToolChoice
	switch {
	case choice.Mode == ToolsNone:
		return nil
	case w.lacking != nil && !w.Target.ReportLossy:
		kind := w.lacking.Type
		if kind == "" {
			kind = w.lacking.Name
		}
		return noTool(w.lacking.At.String(), "the upstream does not support this tool, "+jsonw.Unescape(kind)+
			", and without the tool the model would make up the answer. "+
			"Use a model whose upstream supports the tool, or remove the tool")
	case choice.Mode == ToolsRequired && len(w.Request.Tools) == 0:
		return w.RefuseOrLose(w.Request.FieldPath(FieldToolChoice),
			"a tool choice that requires a tool call in a request without tools")
	case choice.Mode == ToolsRequired, choice.Mode == ToolsNamed, len(choice.Allowed) > 0:
		return w.LoseChoice()
	}
	return nil
}

// Lose notes that a field can't be sent to the upstream.
//
//go:noinline
func (w *Writer) Lose(f Field) { w.Lost.Add(w.Request.FieldPath(f)) }

// LoseReasoning notes that a block of reasoning is not given back, once for the whole history,
// because a long history would fill the list.
func (w *Writer) LoseReasoning(c *Content) {
	if !w.reasons {
		w.reasons = true
		w.Lost.Add(c.At.String())
	}
}

// LosePenalties notes that the request's penalties are not sent.
func (w *Writer) LosePenalties() {
	if w.Request.Presence != "" {
		w.Lose(FieldPresence)
	}
	if w.Request.Frequency != "" {
		w.Lose(FieldFrequency)
	}
}

// LoseSeed notes that the request's seed is not sent.
func (w *Writer) LoseSeed() {
	if w.Request.Seed != "" {
		w.Lose(FieldSeed)
	}
}

// LoseLogprobs notes that log probabilities are not requested from the upstream.
func (w *Writer) LoseLogprobs() {
	if w.Request.Logprobs != "" {
		w.Lost.Add(w.Request.Logprobs)
	}
	if w.Request.TopLogprobs != "" {
		w.Lose(FieldTopLogprobs)
	}
}

// RefuseFile returns the error for a file id that the upstream does not know. An upstream is never
// sent another vendor's file id.
func (w *Writer) RefuseFile(c *Content) *Error {
	return &Error{Kind: InvalidRequest, Path: c.At.Path(c.Source.File.Field), Code: "invalid_value",
		Message: "The upstream has no file with this id. Files are not stored here: send the file's " +
			"content instead of its id."}
}

// LoseCitations notes that the citations of a text are not given back, once for the whole history.
// Blocks without citations are ignored.
func (w *Writer) LoseCitations(c *Content) {
	if c.Kind == TextContent && c.Raw != "" && !w.cited {
		w.cited = true
		w.Lost.Add(c.At.Path(".annotations"))
	}
}

// RefuseOrLose handles a value at path that changes the meaning and can't be sent to the upstream:
// see Lost.AddOrRefuse.
func (w *Writer) RefuseOrLose(path, what string) *Error {
	return w.Lost.AddOrRefuse(w.Target, path, what)
}

// LoseChoice handles a tool_choice that names only tools that are not offered to the upstream. The
// choice is refused or lost by the rule of NoTools.
func (w *Writer) LoseChoice() *Error {
	path := w.Request.FieldPath(FieldToolChoice)
	if w.Target.ReportLossy {
		w.Lost.Add(path)
		return nil
	}
	return noTool(path,
		"the upstream has none of the tools that this tool choice names. Use a model whose upstream "+
			"supports one of them, or choose another tool")
}

// ToolUnsupported is the error code of a request refused for an unsupported tool. Claude Code
// 2.1.329 gives up at once if an error has a code of its own (error.details.error_code). After any
// other 400 it may ask again without some beta.
const ToolUnsupported = "tool_unsupported"

//go:noinline
func noTool(path, message string) *Error {
	return &Error{Kind: InvalidRequest, Path: path, Code: ToolUnsupported,
		Message: message +
			`. To send such requests without the tool, set the endpoint's option "lossy":"report".`}
}
