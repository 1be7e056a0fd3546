package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
	"edgelingua/translator/schema"
)

// tools writes tools, tool_choice and parallel_tool_calls. Without a tool OpenAI rejects the other
// two.
func (w *requestWriter) tools() *ir.Error {
	separator, deferred := `,"tools":[`, w.own()
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		deferred = deferred || t.Deferred && w.accepts(t)
	}
	w.Defers = w.Defers && deferred
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		told, err := w.Offers(t, w.accepts(t), !w.Target.OpenAI)
		if err != nil {
			return err
		}
		if told {
			w.Next(&separator)
			w.tool(t)
		}
	}
	if separator != `,` {
		return w.NoTools()
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

// accepts reports whether the upstream accepts a tool.
func (w *requestWriter) accepts(t *ir.Tool) bool {
	switch t.Kind {
	case ir.WebSearchTool:
		return w.Target.WebSearch || w.verbatim(t)
	case ir.ToolSearchTool: // OpenAI rejects tool_search without a deferred tool
		return w.verbatim(t) || w.searches()
	case ir.MCPTool: // models that can search the web can also call MCP servers
		return w.verbatim(t) || w.Target.OpenAI && w.Target.WebSearch && t.MCP.IsPortable()
	case ir.ProgramTool:
		return w.verbatim(t) || w.Programs && !w.own()
	case ir.VendorTool, ir.WebFetchTool, ir.AdvisorTool:
		return w.verbatim(t)
	}
	return true
}

// verbatim reports whether a tool is copied unchanged: a tool defined by OpenAI, from a client of
// this API. Where only functions are accepted, a tool that the client runs becomes a function, except
// a computer, whose calls have safety checks.
func (w *requestWriter) verbatim(t *ir.Tool) bool {
	return t.Raw != "" && w.own() &&
		(w.Target.CustomTools || !t.Kind.RunByClient() && t.Kind != ir.ToolSearchTool ||
			t.Type == computer || t.Type == computerV1)
}

func (w *requestWriter) tool(t *ir.Tool) {
	switch {
	case w.verbatim(t):
		w.Raw(string(t.Raw))
	case t.Kind == ir.ToolSearchTool:
		w.Raw(`{"type":"` + toolSearch + `"}`)
	case t.Kind == ir.ProgramTool:
		w.Raw(`{"type":"` + programTool + `"}`)
	case t.Kind == ir.MCPTool:
		w.server(t)
	case t.Kind == ir.WebSearchTool:
		w.webSearch(t)
	case t.Kind == ir.CustomTool && !w.isCustom(t):
		w.customFunction(t)
	case t.Kind == ir.CustomTool:
		w.Raw(`{"type":"custom"`)
		w.nameAndDescription(t, schema.Description(t))
		if t.Grammar != "" {
			w.Raw(`,"format":`)
			w.grammar(t.Grammar)
		}
		w.Raw(`}`)
	default:
		w.function(t)
	}
}

func (w *requestWriter) nameAndDescription(t *ir.Tool, description ir.Escaped) {
	w.Raw(`,"name":`)
	w.Literal(openai.ToolName(t.Name))
	w.Member(`,"description":`, description)
	if t.Deferred && (w.own() && w.Target.CustomTools || w.searches()) {
		w.Raw(`,"defer_loading":true`)
	}
	model, code := t.CalledBy()
	switch {
	case t.Callers != "" && w.own():
		w.Raw(`,"allowed_callers":`)
		w.Raw(string(t.Callers))
	case code && model && w.Programs:
		w.Raw(`,"allowed_callers":["direct","programmatic"]`)
	case code && w.Programs:
		w.Raw(`,"allowed_callers":["programmatic"]`)
	}
}

// function writes a function. It always writes strict: without strict the API makes a function
// strict, and then rejects most schemas.
func (w *requestWriter) function(t *ir.Tool) {
	w.Raw(`{"type":"function"`)
	w.nameAndDescription(t, schema.Description(t))
	w.Raw(`,"parameters":`)
	if w.Schemas.WriteTool(&w.Writer.Writer, t, schema.OpenAI) {
		w.Raw(`,"strict":true}`)
		return
	}
	w.Raw(`,"strict":false}`)
}

// grammar writes the format of a custom tool. Chat Completions puts a grammar's syntax and
// definition into an object, "grammar"; here they are siblings of the type.
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

// webSearch writes the web search tool. Blocked domains and the maximum number of searches are
// lost: this API has neither.
func (w *requestWriter) webSearch(t *ir.Tool) {
	s := &t.Search
	w.Raw(`{"type":"web_search"`)
	separator := `,"filters":{"allowed_domains":[`
	for _, domain := range s.Allowed {
		w.Next(&separator)
		w.Literal(domain)
	}
	if separator == `,` {
		w.Raw(`]}`)
	}
	if w.Location(t, `,"user_location":{"type":"approximate",`) {
		w.Raw(`}`)
	}
	w.Member(`,"search_context_size":`, s.ContextSize)
	w.Raw(`}`)
	t.LoseOptions(w.Lost, ir.AllowedOption|ir.LocationOption|ir.SizeOption)
}

// searches reports whether the upstream searches deferred tools for the model, for a client of a
// different API.
func (w *requestWriter) searches() bool { return w.Defers && w.Target.ToolSearch && !w.own() }

// server writes the tool for an MCP server. Approval is never required: other APIs call an MCP
// server's tools without asking.
func (w *requestWriter) server(t *ir.Tool) {
	m := t.MCP
	w.Raw(`{"type":"` + mcp + `","server_label":`)
	w.Literal(serverLabel(m.Label))
	w.Raw(`,"server_url":`)
	w.Literal(m.URL)
	w.Member(`,"authorization":`, m.Token)
	separator := `,"allowed_tools":[`
	for _, name := range m.Allowed {
		w.Next(&separator)
		w.Literal(name)
	}
	switch {
	case separator == `,`:
		w.Raw(`]`)
	case m.Allowed != nil:
		w.Raw(`,"allowed_tools":[]`)
	}
	if t.Deferred && w.searches() {
		w.Raw(`,"defer_loading":true`)
	}
	w.Raw(`,"require_approval":"never"}`)
}
