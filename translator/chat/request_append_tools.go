package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
	"edgelingua/translator/schema"
)

// tools writes tools, tool_choice, parallel_tool_calls and web_search_options. OpenAI rejects the
// first three in a request without tools.
func (w *requestWriter) tools() *ir.Error {
	if w.Target.LegacyFunctions {
		return w.functions()
	}
	if w.Target.NoNamedTool {
		w.demandOnly()
	}
	separator, search := `,"tools":[`, (*ir.Tool)(nil)
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		if t.Kind == ir.WebSearchTool && w.searches() {
			search = t
			continue
		}
		told, err := w.Offers(t, t.Kind.RunByClient(), !w.Target.OpenAI)
		if err != nil {
			return err
		}
		if told {
			w.Next(&separator)
			w.tool(t)
		}
	}
	if w.offered = separator == `,`; w.offered {
		w.place(len(w.Dst) - 1)
		w.Raw(`]`)
	}
	choose := w.toolChoice
	w.searching = search != nil && w.Request.ToolChoice.Mode != ir.ToolsNone && w.Request.Allows(search.Name)
	if !w.offered && !w.searching {
		choose = w.NoTools
	}
	if err := choose(); err != nil {
		return err
	}
	if w.offered {
		w.parallel()
	}
	if w.searching {
		w.webSearch(search)
	}
	return nil
}

// searches reports whether the upstream searches the web and takes web_search_options.
func (w *requestWriter) searches() bool { return Upstream{}.Runs(ir.WebSearchTool, w.Target) }

// offers reports whether the request to the upstream lists a tool. OpenAI's own service gets all
// tools and a list of the callable ones (allowed_tools); other servers get only the callable tools.
func (w *requestWriter) offers(t *ir.Tool) bool {
	return t.Kind.RunByClient() && (w.Target.OpenAI || w.Request.Allows(t.Name))
}

// parallel writes parallel_tool_calls. The API's default is true.
func (w *requestWriter) parallel() {
	switch {
	case w.Request.Parallel == ir.Unset:
	case w.Target.ParallelFlag:
		w.Tri(`,"parallel_tool_calls":`, w.Request.Parallel)
	case w.Request.Parallel == ir.False:
		w.Lose(ir.FieldParallel)
	}
}

// tool writes one element of tools. If the upstream knows no custom tools, a custom tool becomes a
// function with the argument "input" (FAULTS 64).
func (w *requestWriter) tool(t *ir.Tool) {
	if t.Kind == ir.CustomTool && w.Target.OpenAI {
		w.customTool(t)
		return
	}
	w.toolName(t, `function`)
	if w.parameters(t) {
		w.Raw(`,"strict":true`)
	}
	w.Raw(`}`)
	w.breakpoint(t.Cache)
	w.Raw(`}`)
}

// parameters writes the description and the parameters of a function, each after a comma,
// and reports whether the function is to be marked as strict.
func (w *requestWriter) parameters(t *ir.Tool) (strict bool) {
	if t.Kind == ir.CustomTool {
		w.Raw(`,"description":"`)
		w.Dst = schema.AppendCustomDescription(w.Dst, t.Description, t.Grammar)
		w.Raw(`","parameters":` + schema.CustomInput)
		return false
	}
	w.Member(`,"description":`, schema.Description(t))
	w.Raw(`,"parameters":`)
	return w.Schemas.WriteTool(&w.Writer.Writer, t, schema.OpenAI)
}

// toolName writes the beginning of a tool of type typ, up to its name:
// {"type":"function","function":{"name":"f"
func (w *requestWriter) toolName(t *ir.Tool, typ string) {
	w.Raw(`{"type":"`)
	w.Raw(typ)
	w.Raw(`","`)
	w.Raw(typ)
	w.Raw(`":{"name":`)
	w.Literal(w.Target.ToolName(t.Name, openai.MaxIdentifier))
}

// customTool writes a custom tool. This API has syntax and definition of a grammar in a nested
// object, "grammar"; Responses has them beside the type.
//
//go:noinline
func (w *requestWriter) customTool(t *ir.Tool) {
	w.toolName(t, `custom`)
	w.Member(`,"description":`, t.Description)
	if t.Grammar != "" {
		w.Raw(`,"format":`)
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
			w.Raw(`{"type":"grammar","grammar":{"definition":`)
			w.Raw(string(definition))
			w.Raw(`,"syntax":`)
			w.Raw(string(syntax))
			w.Raw(`}}`)
		} else {
			w.Raw(string(t.Grammar))
		}
	}
	w.Raw(`}}`)
}

// webSearch writes web_search_options. The API has no members for domains and for a number of
// searches: they are lost.
//
//go:noinline
func (w *requestWriter) webSearch(t *ir.Tool) {
	s := &t.Search
	w.Raw(`,"web_search_options":{`)
	if s.ContextSize != "" {
		w.Raw(`"search_context_size":`)
		w.Literal(s.ContextSize)
	}
	lead := `,"user_location":{"type":"approximate","approximate":{`
	if s.ContextSize == "" {
		lead = lead[len(`,`):]
	}
	if w.Location(t, lead) {
		w.Raw(`}}`)
	}
	w.Raw(`}`)
	t.LoseOptions(w.Lost, ir.LocationOption|ir.SizeOption)
}
