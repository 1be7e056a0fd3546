package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
)

// call writes tool_use. Its id is the client's own, in characters that the API takes (FAULTS 15).
// An id that an earlier call had gets a number behind it, since the API refuses an id twice
// ("tool_use ids must be unique"): Kimi K3 at Fireworks begins to count anew in each turn
// (fw-ai/fireconnect#16), llama.cpp gives a constant one (NousResearch/hermes-agent#70724), and
// clients send both back.
//
//go:noinline
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

// sentCall is a call that has been written: the id that the upstream knows, and where the call
// stands in the client's body.
type sentCall struct {
	id ir.Escaped
	at ir.Pos
}

// result writes tool_result. A call without a result, which the API refuses (FAULTS 55), gets a
// note in its place. Beside is_error the API takes nothing but text: a failed result with more gets
// the text "Error:" in front and no is_error.
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
