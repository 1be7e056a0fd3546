package ir

import "edgelingua/translator/jsonw"

// Writer writes the body of one request to an upstream: what all protocols need for that.
type Writer struct {
	Dst     []byte
	Request *Request
	Target  *Target
	Lost    *Lost
	Results []*Content // of the calls whose results are still to be written, in the order of the calls; nil where a call has none
	reasons bool       // reasoning of the history has been noted as lost
}

// Raw appends s as it stands. It has some 300 callers; inlined there it makes the module 14 KB larger.
//
//go:noinline
func (w *Writer) Raw(s string) { w.Dst = append(w.Dst, s...) }

// Literal appends a JSON string literal.
//
//go:noinline
func (w *Writer) Literal(e Escaped) { w.Dst = jsonw.AppendEscaped(w.Dst, e) }

// Member appends a member whose value is a string, unless that is empty. key is its beginning, as `,"name":`.
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

// Next appends what stands in front of the next element of a list, or member of an object: the separator, which is a comma from
// then on.
//
//go:noinline
func (w *Writer) Next(separator *string) {
	w.Raw(*separator)
	*separator = `,`
}

// Begin pairs the tool calls of the history with their results, and appends the beginning of the body, up to the model.
func (w *Writer) Begin() (err *Error) {
	w.Results, err = MatchResults(w.Request)
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

// Offers reports whether the upstream is told of a tool. takes says whether its API has a form for the tool, hides whether tools
// that the client's tool_choice does not allow are left out: servers that know no allowed_tools are not told of them.
func (w *Writer) Offers(t *Tool, takes, hides bool) (bool, *Error) {
	switch {
	case (hides || !takes) && !w.Request.Allows(t.Name):
		return false, nil
	case !takes:
		return false, w.RefuseOrLose(t.At.String(), "a tool that its vendor has defined")
	}
	return true, nil
}

// Lose notes that the upstream can't be told a field.
//
//go:noinline
func (w *Writer) Lose(f Field) { w.Lost.Add(w.Request.FieldPath(f)) }

// LoseReasoning notes that a block of reasoning is not given back, once for the whole history: a long one would fill the list.
func (w *Writer) LoseReasoning(c *Content) {
	if !w.reasons {
		w.reasons = true
		w.Lost.Add(c.At.String())
	}
}

// RefuseOrLose deals with what stands at a path, changes the meaning and can't be given to the upstream: see Lost.AddOrRefuse.
func (w *Writer) RefuseOrLose(path, what string) *Error {
	return w.Lost.AddOrRefuse(w.Target, path, what)
}

// LoseChoice deals with a tool_choice that demands a tool which could not be offered.
func (w *Writer) LoseChoice() *Error {
	return w.RefuseOrLose(w.Request.FieldPath(FieldToolChoice), "a choice of a tool that it is not offered")
}
