package anthropic

import "edgelingua/translator/ir"

// call writes tool_use. The id is the client's, in characters that the API accepts (FAULTS 15).
//
//go:noinline
func (w *requestWriter) call(c *ir.Content) {
	id := w.ids.Unique(ir.Identifier(c.ID, 0), 0)
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
	w.caller(c)
	w.breakpoint(c.Cache)
	w.Raw(`}`)
}

// sentCall is a written call: the upstream's id, and the position in the client's body.
type sentCall struct {
	id ir.Escaped
	at ir.Pos
}

// result writes tool_result. A call without a result, which the API rejects (FAULTS 55), gets a
// note as its result. Beside is_error the API accepts only text: a failed result with other parts
// gets the text "Error:" before them instead of is_error.
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
