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
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		if !w.offers(t) {
			continue
		}
		if !w.takes(t) {
			if !w.Request.Allows(t.Name) {
				continue
			}
			if err := w.RefuseOrLose(t.At.String(), "a tool that its vendor has defined"); err != nil {
				return err
			}
			continue
		}
		if n == 0 {
			w.Raw(`,"tools":[`)
		} else {
			w.Raw(`,`)
		}
		n++
		w.tool(t)
	}
	if n == 0 {
		if m := w.Request.ToolChoice.Mode; m == ir.ToolsRequired || m == ir.ToolsNamed {
			return w.LoseChoice()
		}
		return nil
	}
	w.Raw(`]`)
	if err := w.toolChoice(); err != nil {
		return err
	}
	if w.Request.Parallel == ir.False {
		if w.Target.ParallelFlag {
			w.Raw(`,"parallel_tool_calls":false`)
		} else {
			w.Lose(ir.FieldParallel)
		}
	}
	return nil
}

// takes reports whether the upstream can be told of a tool.
func (w *requestWriter) takes(t *ir.Tool) bool {
	switch t.Kind {
	case ir.WebSearchTool:
		return w.Target.WebSearch || w.verbatim(t)
	case ir.VendorTool:
		return w.verbatim(t)
	}
	return true
}

// verbatim reports whether a tool goes as the client has written it: it has a type of this protocol's own.
func (w *requestWriter) verbatim(t *ir.Tool) bool { return t.Raw != "" && w.own() }

// offers reports whether a tool is among those that the model is told of. Which of them it may call is something that only
// OpenAI's own service is told: others do not get to see the rest.
func (w *requestWriter) offers(t *ir.Tool) bool { return w.Target.OpenAI || w.Request.Allows(t.Name) }

func (w *requestWriter) tool(t *ir.Tool) {
	switch {
	case w.verbatim(t):
		w.Raw(string(t.Raw))
	case t.Kind == ir.WebSearchTool:
		w.webSearch(t)
	case t.Kind == ir.CustomTool:
		w.Raw(`{"type":"custom"`)
		w.nameAndDescription(t)
		if t.Grammar != "" {
			w.Raw(`,"format":`)
			w.grammar(t.Grammar)
		}
		w.Raw(`}`)
	default:
		w.function(t)
	}
}

func (w *requestWriter) nameAndDescription(t *ir.Tool) {
	w.Raw(`,"name":`)
	w.Literal(openai.ToolName(t.Name))
	if t.Description != "" {
		w.Raw(`,"description":`)
		w.Literal(t.Description)
	}
	if t.Deferred && w.own() { // the API refuses a search that has none to find
		w.Raw(`,"defer_loading":true`)
	}
}

// function writes a function. strict is always said: the API takes it for granted where it is left out, and then refuses most
// schemas.
func (w *requestWriter) function(t *ir.Tool) {
	w.Raw(`{"type":"function"`)
	w.nameAndDescription(t)
	w.Raw(`,"parameters":`)
	var repaired bool
	w.Dst, repaired = schema.Append(w.Dst, t.Schema, schema.Rules{PlainRoot: w.Target.PlainRoot, Subset: w.Target.StrictSubset})
	if repaired {
		w.Lost.Add(t.At.String())
	}
	if t.Strict == ir.True && w.Target.Strict {
		w.Raw(`,"strict":true}`)
		return
	}
	w.Raw(`,"strict":false}`)
	if t.Strict == ir.True {
		w.Lost.Add(t.At.Path(".strict"))
	}
}

// grammar writes the format of a custom tool. Chat Completions has syntax and definition in a member of their own.
func (w *requestWriter) grammar(g ir.Raw) {
	r := jsonr.NewReader(string(g))
	for r.OpenObject(); r.Member(); {
		if r.Key() != "grammar" || r.Kind() != jsonr.Object {
			continue
		}
		w.Raw(`{"type":"grammar"`)
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "syntax":
				w.Raw(`,"syntax":`)
				w.Raw(string(r.Value()))
			case "definition":
				w.Raw(`,"definition":`)
				w.Raw(string(r.Value()))
			}
		}
		w.Raw(`}`)
		return
	}
	w.Raw(string(g))
}

// webSearch writes the search tool. Domains to leave out and a number of searches do not exist here.
func (w *requestWriter) webSearch(t *ir.Tool) {
	s := &t.Search
	w.Raw(`{"type":"web_search"`)
	for i, domain := range s.Allowed {
		if i == 0 {
			w.Raw(`,"filters":{"allowed_domains":[`)
		} else {
			w.Raw(`,`)
		}
		w.Literal(domain)
	}
	if len(s.Allowed) > 0 {
		w.Raw(`]}`)
	}
	if s.Location != "" {
		w.Raw(`,"user_location":`)
		w.Raw(string(s.Location))
	}
	if s.ContextSize != "" {
		w.Raw(`,"search_context_size":`)
		w.Literal(s.ContextSize)
	}
	w.Raw(`}`)
	if len(s.Blocked) > 0 {
		w.Lost.Add(t.At.Path(".blocked_domains"))
	}
	if s.MaxUses > 0 {
		w.Lost.Add(t.At.Path(".max_uses"))
	}
}
