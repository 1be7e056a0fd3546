package ir

import (
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Writer writes the body of one request to an upstream: what all protocols need for that.
type Writer struct {
	Dst     []byte
	Request *Request
	Target  *Target
	Lost    *Lost
	// of the calls whose results are still to be written, in the order of the calls; nil where a
	// call has none
	Results []*Content
	byName  map[Escaped]*Tool
	runs    [VendorTool]Tri // by the kind of a tool that the upstream runs: whether it is offered one
	reasons bool            // reasoning of the history has been noted as lost
	cited   bool            // so have citations
	Defers  bool            // the request has tools that are Deferred, and a ToolSearchTool to find them
	lacking *Tool           // the first tool that the upstream can't be told of; nil: there is none
}

// Raw appends s as it stands, or has Request.Apart keep it out.
func (w *Writer) Raw(s string) {
	if a := w.Request.Apart; a.takes(s) {
		w.Dst = a.append(w.Dst, s)
		return
	}
	w.Dst = append(w.Dst, s...)
}

// Insert puts s at index at of what has been written.
func (w *Writer) Insert(at int, s string) {
	w.Raw(s)
	copy(w.Dst[at+len(s):], w.Dst[at:])
	copy(w.Dst[at:], s)
}

// Literal appends a JSON string literal.
func (w *Writer) Literal(e Escaped) {
	if w.Request.Apart.takes(string(e)) {
		w.Raw(`"`)
		w.Raw(string(e))
		w.Raw(`"`)
		return
	}
	w.Dst = jsonw.AppendEscaped(w.Dst, e)
}

// Member appends a member whose value is a string, unless that is empty. key is its beginning, as
// `,"name":`.
//
//go:noinline
func (w *Writer) Member(key string, e Escaped) {
	if e != "" {
		w.Raw(key)
		w.Literal(e)
	}
}

// Tri appends a member whose value is a flag, unless it is Unset.
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

// Next appends what stands in front of the next element of a list, or member of an object: the
// separator, which is a comma from then on.
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
	w.Defers = search && deferred
	w.Raw(`{"model":`)
	w.Literal(w.Request.Model)
	return err
}

// NextResult returns the result of the next call of the history, nil where it has none.
func (w *Writer) NextResult() *Content {
	result := w.Results[0]
	w.Results = w.Results[1:]
	return result
}

// Prefill returns the text that the model is to go on from: the last one of the last message, where
// that is the assistant's and the client's API has it so. It returns nil for none, and where the
// upstream can't be told to: then the text is lost, or the request refused.
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
	if w.Target.Prefill == NoPrefill {
		return nil, w.RefuseOrLose(last.At.String(), "the beginning of an answer to go on from")
	}
	return last, nil
}

// Offers reports whether the upstream is told of a tool. takes says whether its API has a form for
// the tool, hides whether tools that the client's tool_choice does not allow are left out: servers
// that know no allowed_tools are not told of them.
func (w *Writer) Offers(t *Tool, takes, hides bool) (bool, *Error) {
	switch {
	case (hides || !takes) && !w.Request.Allows(t.Name):
		return false, nil
	case !takes:
		if w.lacking == nil {
			w.lacking = t
		}
		return false, w.RefuseOrLose(t.At.String(), "a tool that its vendor has defined")
	}
	return true, nil
}

// Offered reports whether the upstream is offered a tool with which it could have made a call of
// the history by itself. takes says whether it can be given a tool.
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

// SystemText reports whether a block of the system prompt is a text that is not blank. A block of
// another kind is lost, or refused: see RefuseOrLose.
func (w *Writer) SystemText(c *Content) (bool, *Error) {
	if c.Kind != TextContent {
		return false, w.RefuseOrLose(c.At.String(), "what is no text in the system prompt")
	}
	return !jsonr.IsBlank(c.Text), nil
}

// Found returns the tool that a search of the history has found by a name, nil where the client
// does not offer it.
func (w *Writer) Found(name Escaped) *Tool {
	if w.byName == nil {
		w.byName = w.Request.ToolsByName()
	}
	return w.byName[name]
}

// NoTools deals with a request whose upstream is told of no tool. A client that sends nothing but a
// tool of its vendor's, as Claude Code does for a web search, takes any text for what the tool has
// found: a model without the tool invents results and their sources. So the request is refused,
// unless the endpoint's owner wants losses reported, or the client lets the model call no tool.
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
		return noTool(w.lacking.At.String(), "the upstream can't be given this tool, "+jsonw.Unescape(kind)+
			", and without it the answer would be made up. "+
			"Ask a model whose upstream has the tool, or leave the tool out")
	case choice.Mode == ToolsRequired && len(w.Request.Tools) == 0:
		return w.RefuseOrLose(w.Request.FieldPath(FieldToolChoice),
			"a demand for a call where it is offered no tool")
	case choice.Mode == ToolsRequired, choice.Mode == ToolsNamed, len(choice.Allowed) > 0:
		return w.LoseChoice()
	}
	return nil
}

// Lose notes that the upstream can't be told a field.
//
//go:noinline
func (w *Writer) Lose(f Field) { w.Lost.Add(w.Request.FieldPath(f)) }

// LoseReasoning notes that a block of reasoning is not given back, once for the whole history: a
// long one would fill the list.
func (w *Writer) LoseReasoning(c *Content) {
	if !w.reasons {
		w.reasons = true
		w.Lost.Add(c.At.String())
	}
}

// LosePenalties notes that the upstream is told no penalties.
func (w *Writer) LosePenalties() {
	if w.Request.Presence != "" {
		w.Lose(FieldPresence)
	}
	if w.Request.Frequency != "" {
		w.Lose(FieldFrequency)
	}
}

// LoseSeed notes that the upstream is told no seed.
func (w *Writer) LoseSeed() {
	if w.Request.Seed != "" {
		w.Lose(FieldSeed)
	}
}

// LoseLogprobs notes that the upstream is not asked how likely the tokens of the answer are.
func (w *Writer) LoseLogprobs() {
	if w.Request.Logprobs != "" {
		w.Lost.Add(w.Request.Logprobs)
	}
	if w.Request.TopLogprobs != "" {
		w.Lose(FieldTopLogprobs)
	}
}

// RefuseFile refuses the id of a file that the upstream does not know: it is never told another
// vendor's.
func (w *Writer) RefuseFile(c *Content) *Error {
	return &Error{Kind: InvalidRequest, Path: c.At.Path(c.Source.File.Field), Code: "invalid_value",
		Message: "The upstream has no such file: files are not stored here, send the file itself in " +
			"place of its id."}
}

// LoseCitations notes that the citations of a text are not given back, once for the whole history.
// For a block without citations it does nothing.
func (w *Writer) LoseCitations(c *Content) {
	if c.Kind == TextContent && c.Raw != "" && !w.cited {
		w.cited = true
		w.Lost.Add(c.At.Path(".annotations"))
	}
}

// RefuseOrLose deals with what stands at a path, changes the meaning and can't be given to the
// upstream: see Lost.AddOrRefuse.
func (w *Writer) RefuseOrLose(path, what string) *Error {
	return w.Lost.AddOrRefuse(w.Target, path, what)
}

// LoseChoice deals with a tool_choice that names no tool but those which the upstream is not
// offered. It is refused as NoTools says.
func (w *Writer) LoseChoice() *Error {
	path := w.Request.FieldPath(FieldToolChoice)
	if w.Target.ReportLossy {
		w.Lost.Add(path)
		return nil
	}
	return noTool(path,
		"the upstream has none of the tools that this names. Ask a model whose upstream has one, or "+
			"choose another tool")
}

// ToolUnsupported is the code of a refusal for want of a tool. Claude Code 2.1.329 gives up at once
// where an error has a code of its own (error.details.error_code), and takes another 400 for a
// reason to ask again without some beta.
const ToolUnsupported = "tool_unsupported"

//go:noinline
func noTool(path, message string) *Error {
	return &Error{Kind: InvalidRequest, Path: path, Code: ToolUnsupported,
		Message: message +
			`. The endpoint's option "lossy":"report" has such a request sent without the tool.`}
}
