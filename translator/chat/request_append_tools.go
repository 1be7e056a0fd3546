package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
	"edgelingua/translator/schema"
)

// tools writes tools, tool_choice, parallel_tool_calls and web_search_options. Without a tool none of the first three may be
// there.
func (w *requestWriter) tools() *ir.Error {
	if w.t.LegacyFunctions {
		return w.functions()
	}
	n, search := 0, (*ir.Tool)(nil)
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		switch {
		case t.Kind == ir.WebSearchTool && w.searches():
			search = t
			continue
		case !isDeclared(t) && !w.r.Allows(t.Name):
			continue
		case !isDeclared(t):
			if err := w.refuseOrLose(t.At.String(), "a tool that its vendor has defined"); err != nil {
				return err
			}
			continue
		case !w.offers(t):
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
	w.offered = n > 0
	if n > 0 {
		w.raw(`]`)
	}
	if err := w.toolChoice(n); err != nil {
		return err
	}
	if n > 0 {
		w.parallel()
	}
	if search != nil && w.r.ToolChoice.Mode != ir.ToolsNone && w.r.Allows(search.Name) {
		w.webSearch(search)
	}
	return nil
}

// searches reports whether the upstream can search the web and be told so in the way of this API.
func (w *requestWriter) searches() bool { return w.t.WebSearch && w.t.OpenAI }

// isDeclared reports whether a tool is one that the client runs.
func isDeclared(t *ir.Tool) bool { return t.Kind == ir.FunctionTool || t.Kind == ir.CustomTool }

// offers reports whether the upstream is told of a tool: where it can't be told which of them it may call, only of those.
func (w *requestWriter) offers(t *ir.Tool) bool {
	return isDeclared(t) && (w.t.OpenAI || w.r.Allows(t.Name))
}

// parallel writes parallel_tool_calls. The API's default is true.
func (w *requestWriter) parallel() {
	switch {
	case w.r.Parallel == ir.Unset:
	case w.t.ParallelFlag:
		w.raw(`,"parallel_tool_calls":`)
		w.flag(w.r.Parallel == ir.True)
	case w.r.Parallel == ir.False:
		w.lose(ir.FieldParallel)
	}
}

func (w *requestWriter) flag(on bool) {
	if on {
		w.raw(`true`)
	} else {
		w.raw(`false`)
	}
}

// tool writes one element of tools. A tool that takes free text is a function with one argument where the upstream knows no
// others.
func (w *requestWriter) tool(t *ir.Tool) {
	if t.Kind == ir.CustomTool && w.t.OpenAI {
		w.customTool(t)
		return
	}
	w.toolName(t, `function`)
	w.parameters(t)
	if t.Strict == ir.True {
		if w.t.Strict {
			w.raw(`,"strict":true`)
		} else {
			w.lost.Add(t.At.Path(".strict"))
		}
	}
	w.raw(`}}`)
}

// parameters writes what stands behind the name of a function: what it is for, and what it takes.
func (w *requestWriter) parameters(t *ir.Tool) {
	if t.Kind == ir.CustomTool {
		w.raw(`,"description":"`)
		w.dst = schema.AppendCustomDescription(w.dst, t.Description, t.Grammar)
		w.raw(`","parameters":` + schema.CustomInput)
		return
	}
	if t.Description != "" {
		w.raw(`,"description":`)
		w.literal(t.Description)
	}
	w.raw(`,"parameters":`)
	var repaired bool
	w.dst, repaired = schema.Append(w.dst, t.Schema, schema.Rules{PlainRoot: w.t.PlainRoot, Subset: w.t.StrictSubset})
	if repaired {
		w.lost.Add(t.At.String())
	}
}

// toolName begins what names a tool of a type: {"type":"function","function":{"name":"f"
func (w *requestWriter) toolName(t *ir.Tool, typ string) {
	w.raw(`{"type":"`)
	w.raw(typ)
	w.raw(`","`)
	w.raw(typ)
	w.raw(`":{"name":`)
	w.literal(openai.ToolName(t.Name))
}

// customTool writes a tool that takes free text as the API declares it. Of a grammar the two OpenAI APIs differ in one level.
func (w *requestWriter) customTool(t *ir.Tool) {
	w.toolName(t, `custom`)
	if t.Description != "" {
		w.raw(`,"description":`)
		w.literal(t.Description)
	}
	if t.Grammar != "" {
		w.raw(`,"format":`)
		var typ, syntax, definition, nested ir.Raw
		r := jsonr.NewReader(string(t.Grammar))
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				typ = r.Value()
			case "syntax":
				syntax = r.Value()
			case "definition":
				definition = r.Value()
			case "grammar":
				nested = r.Value()
			}
		}
		if nested == "" && typ == `"grammar"` && syntax != "" && definition != "" {
			w.raw(`{"type":"grammar","grammar":{"definition":`)
			w.raw(string(definition))
			w.raw(`,"syntax":`)
			w.raw(string(syntax))
			w.raw(`}}`)
		} else {
			w.raw(string(t.Grammar))
		}
	}
	w.raw(`}}`)
}

// webSearch writes web_search_options. The API has no place for domains and for a number of searches.
func (w *requestWriter) webSearch(t *ir.Tool) {
	s := &t.Search
	w.raw(`,"web_search_options":{`)
	if s.ContextSize != "" {
		w.raw(`"search_context_size":`)
		w.literal(s.ContextSize)
	}
	separator := `"user_location":{"type":"approximate","approximate":{`
	r := jsonr.NewReader(string(s.Location))
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		if known := key == "city" || key == "country" || key == "region" || key == "timezone"; !known || r.Kind() != jsonr.String {
			continue
		}
		if separator != `,` && s.ContextSize != "" {
			w.raw(`,`)
		}
		w.raw(separator)
		separator = `,`
		w.raw(`"`)
		w.raw(key)
		w.raw(`":`)
		w.raw(string(r.Value()))
	}
	if separator == `,` {
		w.raw(`}}`)
	}
	w.raw(`}`)
	if len(s.Allowed) > 0 || len(s.Blocked) > 0 || s.MaxUses > 0 {
		w.lost.Add(t.At.String())
	}
}
