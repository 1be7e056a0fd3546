package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// maxName is how long a tool's name may be, in characters (Messages API, "Create a Message", tools:
// ^[a-zA-Z0-9_-]{1,128}$).
const maxName = 128

// webSearch is the name of Anthropic's web search for the model.
const webSearch = "web_search"

// toolName returns the upstream's name for a client's tool: in characters that the API accepts, and
// at most maxName long (FAULTS 61).
func toolName(name ir.Escaped) ir.Escaped { return ir.Identifier(name, maxName) }

// tools writes tools and tool_choice. The API has no allowed_tools: if the client allows only some
// of its tools, the list has only the allowed tools.
func (w *requestWriter) tools() *ir.Error {
	separator, last := `,"tools":[`, 0
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		told, err := w.Offers(t, w.accepts(t), true)
		if err != nil {
			return err
		}
		if told && !(w.own && isServer(t)) {
			w.Next(&separator)
			w.tool(t)
			if !t.Deferred { // "Tools with defer_loading cannot use prompt caching"
				last = len(w.Dst) - 1
			}
		}
	}
	switch {
	case separator == `,`:
		w.place(last)
		w.Raw(`]`)
	case !w.own || len(w.Request.Servers) == 0:
		w.pastTools()
		return w.NoTools()
	}
	w.servers()
	return w.toolChoice()
}

// pastTools declares the tools of the history's calls, by name only, if the client sends no tools.
// Codex does so when it requests a summary. Without declarations the API rejects the calls
// ("Requests which include `tool_use` or `tool_result` blocks must define tools."). tool_choice is
// "none".
func (w *requestWriter) pastTools() {
	if w.ids.Len() == 0 {
		return
	}
	w.Raw(`,"tools":[`)
	told := make(map[ir.Escaped]bool, 16)
	for m := range w.Request.Messages {
		content := w.Request.Messages[m].Content
		for i := range content {
			c := &content[i]
			if !c.Kind.IsCall() || told[c.Name] {
				continue
			}
			if len(told) > 0 {
				w.Raw(`,`)
			}
			told[c.Name] = true
			w.Raw(`{"name":`)
			w.Literal(toolName(c.Name))
			w.Raw(`,"input_schema":{"type":"object","properties":{}}}`)
		}
	}
	w.Raw(`],"tool_choice":{"type":"none"}`)
}

// accepts reports whether the upstream accepts a tool.
func (w *requestWriter) accepts(t *ir.Tool) bool {
	switch t.Kind {
	case ir.WebSearchTool, ir.WebFetchTool:
		return w.Target.WebSearch || w.own
	case ir.ToolSearchTool:
		return w.own || w.searches()
	case ir.MCPTool:
		// the models with tool search are the models of the MCP connector
		return w.own || w.Target.ToolSearch && t.MCP.IsPortable()
	case ir.ProgramTool:
		return w.own || w.Programs
	case ir.VendorTool, ir.AdvisorTool:
		return w.own
	}
	return true
}

func (w *requestWriter) tool(t *ir.Tool) {
	if w.own && t.Raw != "" {
		w.object(t.Raw, t.Cache)
		return
	}
	switch t.Kind {
	case ir.WebSearchTool:
		w.search(t)
		return
	case ir.WebFetchTool: // only Gemini's clients have one, without options: urlContext
		w.Raw(`{"type":"web_fetch_20250910","name":"` + webFetch + `"`)
		w.breakpoint(t.Cache)
		w.Raw(`}`)
		return
	case ir.ToolSearchTool:
		w.Raw(`{"type":"` + searchTools + `_20251119","name":"` + searchTools + `"}`)
		return
	case ir.MCPTool:
		w.toolset(t)
		return
	case ir.ProgramTool:
		w.Raw(`{"type":"` + codeTool + `","name":"` + codeExecution + `"}`)
		return
	}
	w.Raw(`{"name":`)
	w.Literal(toolName(t.Name))
	if t.Kind == ir.CustomTool {
		w.Raw(`,"description":"`)
		w.Dst = schema.AppendCustomDescription(w.Dst, t.Description, t.Grammar)
		w.Raw(`","input_schema":` + schema.CustomInput)
		w.endTool(t)
		return
	}
	w.Member(`,"description":`, t.Description)
	w.Raw(`,"input_schema":`)
	if t.Strict == ir.True && w.calledByCode(t) { // the API rejects both together
		w.Lost.Add(t.StrictPath())
		loose := *t
		loose.Strict, t = ir.Unset, &loose
	}
	if w.schemas.WriteTool(&w.Writer, t, schema.Messages) {
		w.Raw(`,"strict":true`)
	}
	if t.Examples != "" {
		w.Raw(`,"input_examples":`)
		w.Raw(string(t.Examples))
	}
	w.endTool(t)
}

func (w *requestWriter) endTool(t *ir.Tool) {
	w.callers(t)
	if t.Deferred && w.searches() {
		w.Raw(`,"defer_loading":true`)
	} else {
		w.breakpoint(t.Cache)
	}
	w.Raw(`}`)
}

// searches reports whether the upstream searches deferred tools for the model.
func (w *requestWriter) searches() bool { return w.Defers && (w.own || w.Target.ToolSearch) }

// search writes Anthropic's web search ("Web search tool"). The API accepts allowed_domains or
// blocked_domains: if the client sends both, blocked_domains are lost.
func (w *requestWriter) search(t *ir.Tool) {
	s := &t.Search
	w.Raw(`{"type":"web_search_20250305","name":"` + webSearch + `"`)
	w.domains(`,"allowed_domains":[`, s.Allowed)
	if len(s.Allowed) == 0 {
		w.domains(`,"blocked_domains":[`, s.Blocked)
	}
	if w.Location(t, `,"user_location":{"type":"approximate",`) {
		w.Raw(`}`)
	}
	if s.MaxUses > 0 {
		w.Raw(`,"max_uses":`)
		w.Dst = strconv.AppendInt(w.Dst, s.MaxUses, 10)
	}
	sent := ^ir.SizeOption
	if len(s.Allowed) > 0 {
		sent &^= ir.BlockedOption
	}
	t.LoseOptions(w.Lost, sent)
	w.breakpoint(t.Cache)
	w.Raw(`}`)
}

func (w *requestWriter) domains(lead string, list []ir.Escaped) {
	for _, domain := range list {
		w.Next(&lead)
		w.Literal(domain)
	}
	if lead == `,` {
		w.Raw(`]`)
	}
}
