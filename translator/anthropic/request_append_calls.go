package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
)

// call writes tool_use. Its id is the client's own as far as the API takes it; where the client has used it before, as some
// upstreams do in each turn, it gets another one, since the API refuses it twice.
func (w *requestWriter) call(c *ir.Content) {
	own := ir.Identifier(c.ID, 0)
	id := own
	for w.used[id] {
		w.again++
		id = own + "_" + ir.Escaped(strconv.Itoa(w.again))
	}
	w.used[id] = true
	w.calls = append(w.calls, sentCall{id, c.At})
	w.open(ir.Assistant)
	w.Raw(`{"type":"tool_use","id":`)
	w.Literal(id)
	w.Raw(`,"name":`)
	w.Literal(toolName(c.Name))
	w.Raw(`,"input":`)
	if c.Kind == ir.CustomCallContent {
		w.Raw(`{"input":`)
		w.Literal(c.Text)
		w.Raw(`}`)
	} else {
		w.Raw(string(c.Input))
	}
	w.breakpoint(c.Cache)
	w.Raw(`}`)
}

// sentCall is a call of the last assistant message, by the id that it has got.
type sentCall struct {
	id ir.Escaped
	at ir.Pos
}

// result writes tool_result. A call without one, which the API refuses, gets a note in its place. Where is_error is set the
// API wants text and nothing else: then the text says it where there is more.
func (w *requestWriter) result(call sentCall, result *ir.Content) *ir.Error {
	w.open(ir.User)
	w.Raw(`{"type":"tool_result","tool_use_id":`)
	w.Literal(call.id)
	w.inside, w.parts = true, 0
	failed := result == nil || result.IsError
	if result == nil {
		w.Lost.Add(call.at.String())
	} else {
		if failed && holdsMedia(result.Parts) {
			failed = false
			w.open(ir.User)
			w.Raw(`{"type":"text","text":"Error:"}`)
		}
		for i := range result.Parts {
			if err := w.block(ir.User, &result.Parts[i]); err != nil {
				return err
			}
		}
	}
	if failed && w.parts == 0 {
		w.open(ir.User)
		w.Raw(`{"type":"text","text":"(no result)"}`)
	}
	w.inside = false
	if w.parts > 0 {
		w.Raw(`]`)
	}
	if failed {
		w.Raw(`,"is_error":true`)
	}
	if result != nil {
		w.breakpoint(result.Cache)
	}
	w.Raw(`}`)
	return nil
}

func holdsMedia(list []ir.Content) bool {
	for i := range list {
		if list[i].Kind != ir.TextContent {
			return true
		}
	}
	return false
}
