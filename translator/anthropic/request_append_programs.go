package anthropic

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/schema"
)

// program writes a program of an earlier answer of Anthropic, or the result of such a program, for a
// client of another API.
func (w *requestWriter) program(role ir.Role, c *ir.Content) *ir.Error {
	h := c.Hosted
	switch {
	case c.Returned && w.HasProgram(h):
		w.open(role)
		w.Dst = appendCodeResult(w.Dst, h, []byte(h.ID))
	case !c.Returned && w.sendsProgram(h):
		w.SendProgram(h)
		w.open(role)
		w.Dst = appendHostedCall(w.Dst, h, []byte(h.ID), codeExecution, true, "")
	default:
		return w.RefuseOrLose(c.At.String(), "this type of content block here")
	}
	return nil
}

// isProgramBlock reports whether c is a program of an upstream of another API, or a program's result.
func isProgramBlock(c *ir.Content) bool {
	return c.Kind == ir.OpaqueContent && c.Hosted != nil && c.Hosted.Kind == ir.ProgramTool
}

// sendsProgram reports whether the upstream can be sent a program. A program without a result waits. For
// a waiting program the API requires the container, and a next message with nothing but results in text
// ("Programmatic tool calling", "Message formatting restrictions").
func (w *requestWriter) sendsProgram(h *ir.Hosted) bool {
	id, ok := strings.CutPrefix(string(h.ID), searchID)
	return ok && isSearchID(id) && !w.own && w.Programs && h.Origin == Name &&
		jsonr.KindOf(h.Input) == jsonr.Object && (h.Done || h.State != "") && !w.mixed[h.ID]
}

// notePrograms notes the programs with other answers to their calls than results in text.
func (w *requestWriter) notePrograms(list []ir.Message) {
	if !w.Programs || w.own || len(w.Request.Programs) == 0 {
		return
	}
	w.mixed = map[ir.Escaped]bool{}
	var called []ir.Escaped
	for m := range list {
		if list[m].Role == ir.Assistant && m > 0 && list[m-1].Role != ir.Assistant {
			called = called[:0]
		}
		for i := range list[m].Content {
			c := &list[m].Content[i]
			switch {
			case list[m].Role == ir.Assistant:
				if c.Program != nil {
					called = append(called, c.Program.ID)
				} else if isProgramBlock(c) && !c.Hosted.Done {
					called = append(called, c.Hosted.ID)
				}
			case c.Kind == ir.ToolResultContent && !holdsMedia(c.Parts):
			case c.Kind != ir.TextContent || !jsonr.IsBlank(c.Text):
				for _, id := range called {
					w.mixed[id] = true
				}
				called = called[:0]
			}
		}
	}
}

// caller writes the program of a call, and notes the container of a waiting program. No upstream gets
// another vendor's program as a caller.
func (w *requestWriter) caller(c *ir.Content) {
	switch {
	case c.Caller == "":
	case !w.own:
		if h := w.ProgramOf(c); h != nil {
			w.Raw(`,"caller":{"type":"` + codeCaller + `","tool_id":`)
			w.Literal(h.ID)
			w.Raw(`}`)
			if !h.Done {
				w.container = h.State
			}
		}
	case c.Program != nil:
		w.Lost.Add(c.At.Path(".caller"))
	default:
		w.Raw(`,"caller":`)
		w.Raw(string(c.Caller))
	}
}

// callers writes allowed_callers.
func (w *requestWriter) callers(t *ir.Tool) {
	switch model, _ := t.CalledBy(); {
	case w.own && t.Callers != "":
		w.Raw(`,"allowed_callers":`)
		w.Raw(string(t.Callers))
	case !w.calledByCode(t):
		if _, code := t.CalledBy(); code && w.Programs {
			w.Lost.Add(t.At.Path(".allowed_callers"))
		}
	case model:
		w.Raw(`,"allowed_callers":["direct","` + codeTool + `"]`)
	default:
		w.Raw(`,"allowed_callers":["` + codeTool + `"]`)
	}
}

// calledByCode reports whether the upstream's code may call a tool of another API's client. The API
// rejects recursive schemas of such tools ("Input schema limitations").
func (w *requestWriter) calledByCode(t *ir.Tool) bool {
	_, code := t.CalledBy()
	return code && w.Programs && !w.own && !schema.IsRecursive(t.Schema)
}
