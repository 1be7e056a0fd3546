package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
)

// call writes tool_use. The id is the client's, in characters that the API accepts (FAULTS 15). A
// repeated id gets a number at the end, since the API rejects it ("tool_use ids must be unique").
// Kimi K3 at Fireworks counts from the beginning in each turn (fw-ai/fireconnect#16), llama.cpp
// gives a constant id (NousResearch/hermes-agent#70724), and clients send both back.
//
//go:noinline
func (w *requestWriter) call(c *ir.Content) {
	// Kimi K3 numbers the calls of each turn from 0, so a session has list_dir:0 more than once
	// (vllm-project/vllm#50295).
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
