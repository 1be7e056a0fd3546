package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// maxName bounds names of tools (Messages API, "Create a Message", tools: ^[a-zA-Z0-9_-]{1,128}$).
const maxName = 128

// webSearch is the name that the API's own search has.
const webSearch = "web_search"

// toolName returns the name by which the upstream knows a client's tool.
func toolName(name ir.Escaped) ir.Escaped { return ir.Identifier(name, maxName) }

// tools writes tools and tool_choice. Where the client allows some of its tools only, the others are not offered.
func (w *requestWriter) tools() *ir.Error {
	separator := `,"tools":[`
	for i := range w.r.Tools {
		t := &w.r.Tools[i]
		if !w.r.Allows(t.Name) {
			continue
		}
		if !w.offers(t) {
			if err := w.refuseOrLose(t.At.String(), "a tool that its vendor has defined"); err != nil {
				return err
			}
			continue
		}
		w.raw(separator)
		separator = `,`
		w.tool(t)
	}
	if separator != `,` {
		w.pastTools()
		if m := w.r.ToolChoice.Mode; m == ir.ToolsRequired || m == ir.ToolsNamed {
			return w.loseChoice()
		}
		return nil
	}
	w.place(len(w.dst) - 1)
	w.raw(`]`)
	return w.toolChoice()
}

// pastTools declares the tools that the history calls, where none is offered, as in Codex's request for a summary: the API refuses
// the calls else ("Requests which include `tool_use` or `tool_result` blocks must define tools."). None of them may be called.
func (w *requestWriter) pastTools() {
	if len(w.used) == 0 {
		return
	}
	w.raw(`,"tools":[`)
	told := make(map[ir.Escaped]bool, 16)
	for m := range w.r.Messages {
		content := w.r.Messages[m].Content
		for i := range content {
			c := &content[i]
			if c.Kind != ir.ToolCallContent && c.Kind != ir.CustomCallContent || told[c.Name] {
				continue
			}
			if len(told) > 0 {
				w.raw(`,`)
			}
			told[c.Name] = true
			w.raw(`{"name":`)
			w.literal(toolName(c.Name))
			w.raw(`,"input_schema":{"type":"object","properties":{}}}`)
		}
	}
	w.raw(`],"tool_choice":{"type":"none"}`)
}

// offers reports whether the upstream can be given a tool.
func (w *requestWriter) offers(t *ir.Tool) bool {
	switch t.Kind {
	case ir.WebSearchTool:
		return w.t.WebSearch
	case ir.VendorTool:
		return w.own
	}
	return true
}

func (w *requestWriter) tool(t *ir.Tool) {
	if w.own && t.Raw != "" {
		w.object(t.Raw, t.Cache)
		return
	}
	if t.Kind == ir.WebSearchTool {
		w.search(t)
		return
	}
	w.raw(`{"name":`)
	w.literal(toolName(t.Name))
	if t.Kind == ir.CustomTool {
		w.raw(`,"description":"`)
		w.dst = schema.AppendCustomDescription(w.dst, t.Description, t.Grammar)
		w.raw(`","input_schema":` + schema.CustomInput)
		w.breakpoint(t.Cache)
		w.raw(`}`)
		return
	}
	w.member(`,"description":`, t.Description)
	w.raw(`,"input_schema":`)
	var repaired bool
	w.dst, repaired = schema.Append(w.dst, t.Schema, schema.Rules{PlainRoot: w.t.PlainRoot, Subset: w.t.StrictSubset})
	if repaired {
		w.lost.Add(t.At.String())
	}
	if t.Strict == ir.True {
		if w.t.Strict {
			w.raw(`,"strict":true`)
		} else {
			w.lost.Add(t.At.Path(".strict"))
		}
	}
	w.breakpoint(t.Cache)
	w.raw(`}`)
}

// search writes the API's web search ("Web search tool"). It takes a list of domains to search or one to leave out, not both.
func (w *requestWriter) search(t *ir.Tool) {
	s := &t.Search
	w.raw(`{"type":"web_search_20250305","name":"` + webSearch + `"`)
	w.domains(`,"allowed_domains":[`, s.Allowed)
	if len(s.Allowed) == 0 {
		w.domains(`,"blocked_domains":[`, s.Blocked)
	} else if len(s.Blocked) > 0 {
		w.lost.Add(t.At.Path(".blocked_domains"))
	}
	if s.Location != "" {
		w.raw(`,"user_location":`)
		w.raw(string(s.Location))
	}
	if s.MaxUses > 0 {
		w.raw(`,"max_uses":`)
		w.dst = strconv.AppendInt(w.dst, s.MaxUses, 10)
	}
	if s.ContextSize != "" && s.ContextSize != "medium" { // the default
		w.lost.Add(t.At.Path(".search_context_size"))
	}
	w.breakpoint(t.Cache)
	w.raw(`}`)
}

func (w *requestWriter) domains(lead string, list []ir.Escaped) {
	for i, domain := range list {
		if i == 0 {
			w.raw(lead)
		} else {
			w.raw(`,`)
		}
		w.literal(domain)
	}
	if len(list) > 0 {
		w.raw(`]`)
	}
}
