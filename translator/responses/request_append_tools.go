package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
	"edgelingua/translator/schema"
)

// tools writes tools, tool_choice and parallel_tool_calls. Without a tool none of them may be there.
func (w *requestWriter) tools() *ir.Error {
	n := 0
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		if !w.offers(t) {
			continue
		}
		if !w.takes(t) {
			if !w.r.Allows(t.Name) {
				continue
			}
			if err := w.refuseOrLose(t.At.String(), "a tool that its vendor has defined"); err != nil {
				return err
			}
			continue
		}
		if n == 0 {
			w.raw(`,"tools":[`)
		} else {
			w.raw(`,`)
		}
		n++
		w.tool(t)
	}
	if n == 0 {
		if m := w.r.ToolChoice.Mode; m == ir.ToolsRequired || m == ir.ToolsNamed {
			return w.loseChoice()
		}
		return nil
	}
	w.raw(`]`)
	if err := w.toolChoice(); err != nil {
		return err
	}
	if w.r.Parallel == ir.False {
		if w.t.ParallelFlag {
			w.raw(`,"parallel_tool_calls":false`)
		} else {
			w.lost.Add(w.r.FieldPath(ir.FieldParallel))
		}
	}
	return nil
}

// takes reports whether the upstream can be told of a tool.
func (w *requestWriter) takes(t *ir.Tool) bool {
	switch t.Kind {
	case ir.WebSearchTool:
		return w.t.WebSearch || w.verbatim(t)
	case ir.VendorTool:
		return w.verbatim(t)
	}
	return true
}

// verbatim reports whether a tool goes as the client has written it: it has a type of this protocol's own.
func (w *requestWriter) verbatim(t *ir.Tool) bool { return t.Raw != "" && w.own() }

// offers reports whether a tool is among those that the model is told of. Which of them it may call is something that only
// OpenAI's own service is told: others do not get to see the rest.
func (w *requestWriter) offers(t *ir.Tool) bool { return w.t.OpenAI || w.r.Allows(t.Name) }

func (w *requestWriter) tool(t *ir.Tool) {
	switch {
	case w.verbatim(t):
		w.raw(string(t.Raw))
	case t.Kind == ir.WebSearchTool:
		w.webSearch(t)
	case t.Kind == ir.CustomTool:
		w.raw(`{"type":"custom"`)
		w.nameAndDescription(t)
		if t.Grammar != "" {
			w.raw(`,"format":`)
			w.grammar(t.Grammar)
		}
		w.raw(`}`)
	default:
		w.function(t)
	}
}

func (w *requestWriter) nameAndDescription(t *ir.Tool) {
	w.raw(`,"name":`)
	w.literal(openai.ToolName(t.Name))
	if t.Description != "" {
		w.raw(`,"description":`)
		w.literal(t.Description)
	}
	if t.Deferred && w.own() { // the API refuses a search that has none to find
		w.raw(`,"defer_loading":true`)
	}
}

// function writes a function. strict is always said: the API takes it for granted where it is left out, and then refuses most
// schemas.
func (w *requestWriter) function(t *ir.Tool) {
	w.raw(`{"type":"function"`)
	w.nameAndDescription(t)
	w.raw(`,"parameters":`)
	var repaired bool
	w.dst, repaired = schema.Append(w.dst, t.Schema, schema.Rules{PlainRoot: w.t.PlainRoot, Subset: w.t.StrictSubset})
	if repaired {
		w.lost.Add(t.At.String())
	}
	if t.Strict == ir.True && w.t.Strict {
		w.raw(`,"strict":true}`)
		return
	}
	w.raw(`,"strict":false}`)
	if t.Strict == ir.True {
		w.lost.Add(t.At.Path(".strict"))
	}
}

// grammar writes the format of a custom tool. Chat Completions has syntax and definition in a member of their own.
func (w *requestWriter) grammar(g ir.Raw) {
	r := jsonr.NewReader(string(g))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "grammar" || r.Kind() != jsonr.Object {
			continue
		}
		w.raw(`{"type":"grammar"`)
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "syntax":
				w.raw(`,"syntax":`)
				w.raw(string(r.Value()))
			case "definition":
				w.raw(`,"definition":`)
				w.raw(string(r.Value()))
			}
		}
		w.raw(`}`)
		return
	}
	w.raw(string(g))
}

// webSearch writes the search tool. Domains to leave out and a number of searches do not exist here.
func (w *requestWriter) webSearch(t *ir.Tool) {
	s := &t.Search
	w.raw(`{"type":"web_search"`)
	for i, domain := range s.Allowed {
		if i == 0 {
			w.raw(`,"filters":{"allowed_domains":[`)
		} else {
			w.raw(`,`)
		}
		w.literal(domain)
	}
	if len(s.Allowed) > 0 {
		w.raw(`]}`)
	}
	if s.Location != "" {
		w.raw(`,"user_location":`)
		w.raw(string(s.Location))
	}
	if s.ContextSize != "" {
		w.raw(`,"search_context_size":`)
		w.literal(s.ContextSize)
	}
	w.raw(`}`)
	if len(s.Blocked) > 0 {
		w.lost.Add(t.At.Path(".blocked_domains"))
	}
	if s.MaxUses > 0 {
		w.lost.Add(t.At.Path(".max_uses"))
	}
}
