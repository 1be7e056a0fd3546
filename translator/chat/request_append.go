package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxIdentifier bounds names of functions and ids of calls.
const maxIdentifier = 64

// requestWriter writes one body of POST /v1/chat/completions (API reference, "Create chat completion").
type requestWriter struct {
	dst     []byte
	r       *ir.Request
	t       *ir.Target
	lost    *ir.Lost
	reasons bool          // reasoning of the history has been reported as lost
	results []*ir.Content // of the tool calls that are still to be written, in their order
	begun   bool          // a message has been written
}

// raw appends s as it stands. It is called from ninety places, and 14 KB of the module when it is inlined there.
//
//go:noinline
func (w *requestWriter) raw(s string) { w.dst = append(w.dst, s...) }

// literal appends a JSON string literal.
//
//go:noinline
func (w *requestWriter) literal(e ir.Escaped) { w.dst = jsonw.AppendEscaped(w.dst, e) }

func (w *requestWriter) write() *ir.Error {
	results, err := ir.MatchResults(w.r)
	if err != nil {
		return err
	}
	w.results = results
	w.raw(`{"model":`)
	w.literal(w.r.Model)
	w.raw(`,"messages":[`)
	if err := w.messages(); err != nil {
		return err
	}
	if !w.begun {
		return &ir.Error{Kind: ir.InvalidRequest, Path: "messages", Message: "all messages are empty"}
	}
	w.raw(`]`)
	if err := w.tools(); err != nil {
		return err
	}
	w.limits()
	w.effort()
	w.format()
	if w.r.Stream {
		w.raw(`,"stream":true`)
		if w.r.StreamUsage && !w.t.OmitStreamUsage {
			w.raw(`,"stream_options":{"include_usage":true}`)
		}
	}
	w.raw(`}`)
	return nil
}

// limits writes the length and sampling parameters.
func (w *requestWriter) limits() {
	r, t := w.r, w.t
	if n := r.MaxTokens; n > 0 {
		if t.MaxOutputTokens > 0 {
			n = min(n, t.MaxOutputTokens)
		}
		if t.MaxCompletionTokens {
			w.raw(`,"max_completion_tokens":`)
		} else {
			w.raw(`,"max_tokens":`)
		}
		w.dst = strconv.AppendInt(w.dst, n, 10)
	}
	if r.Temperature != "" {
		w.raw(`,"temperature":`)
		w.raw(string(r.Temperature))
	}
	if r.TopP != "" {
		w.raw(`,"top_p":`)
		w.raw(string(r.TopP))
	}
	for i, s := range r.Stop {
		if i == 0 {
			w.raw(`,"stop":[`)
		} else {
			w.raw(`,`)
		}
		w.literal(s)
	}
	if len(r.Stop) > 0 {
		w.raw(`]`)
	}
	if r.TopK != "" {
		w.lost.Add(r.FieldPath(ir.FieldTopK))
	}
	if r.UserID != "" {
		w.lost.Add(r.FieldPath(ir.FieldUserID))
	}
}

// effort writes reasoning_effort, where the upstream takes one. A value that means another than the client's is reported.
func (w *requestWriter) effort() {
	if w.r.Effort == "" {
		return
	}
	e, same := ir.NearestEffort(w.r.Effort, w.t.Efforts)
	if !same {
		w.lost.Add(w.r.FieldPath(ir.FieldEffort))
	}
	if e != "" {
		w.raw(`,"reasoning_effort":`)
		w.literal(ir.Escaped(e))
	}
}

// format writes response_format. The API wants a name.
func (w *requestWriter) format() {
	f := &w.r.Format
	if f.Schema == "" {
		return
	}
	name := ir.Escaped("response")
	if f.Name != "" {
		name = ir.Identifier(f.Name, maxIdentifier)
	}
	w.raw(`,"response_format":{"type":"json_schema","json_schema":{"name":`)
	w.literal(name)
	w.raw(`,"schema":`)
	w.raw(string(f.Schema))
	switch f.Strict {
	case ir.True:
		w.raw(`,"strict":true`)
	case ir.False:
		w.raw(`,"strict":false`)
	}
	w.raw(`}}`)
}

// refuseOrLose deals with what changes the meaning and can't be given to the upstream: an error where the endpoint wants
// that, else a loss.
func (w *requestWriter) refuseOrLose(path, what string) *ir.Error {
	if w.t.RefuseLossy {
		return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: "the upstream can't be given " + what}
	}
	w.lost.Add(path)
	return nil
}
