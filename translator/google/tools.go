package google

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// Tools writes the list of tools, and reports whether there is one. If the server has the mode
// VALIDATED, the list does not depend on the client's tool_choice: an equal list keeps the prompt
// cache.
func (w *Writer) Tools() (written bool, err *ir.Error) {
	separator := w.Syntax.Functions
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; t.Kind.RunByClient() && w.declares(t) {
			w.Next(&separator)
			w.function(t)
			w.Functions = true
			w.strict = w.strict || t.Strict == ir.True
		}
	}
	separator = `,"tools":[`
	if w.Functions {
		w.Raw(w.Syntax.FunctionsEnd)
		separator = `,`
	}
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		if t.Kind.RunByClient() {
			continue
		}
		offered, err := w.Offers(t, w.hosts(t), true)
		if err != nil {
			return false, err
		}
		if offered && w.mayRun(t) {
			w.Next(&separator)
			w.hosted(t)
			w.Hosted = true
		}
	}
	if !w.Functions && !w.Hosted {
		return false, w.NoTools()
	}
	w.Raw(`]`)
	return true, nil
}

// declares reports whether the body declares a function. A server without the mode VALIDATED has no
// allow-list in the mode AUTO: for such a server the body has only the functions that the client
// allows.
func (w *Writer) declares(t *ir.Tool) bool {
	mode := w.Request.ToolChoice.Mode
	return w.Validates || mode != ir.ToolsUnset && mode != ir.ToolsAuto || w.Request.Allows(t.Name)
}

// function writes a function. A custom tool is a function with the argument "input".
func (w *Writer) function(t *ir.Tool) {
	w.Raw(w.Syntax.Function)
	w.Literal(ToolName(t.Name))
	if t.Kind == ir.CustomTool {
		w.Raw(`,"description":"`)
		w.Dst = schema.AppendCustomDescription(w.Dst, t.Description, t.Grammar)
		w.Raw(`",`)
		w.Raw(w.Syntax.Parameters)
		w.Raw(schema.CustomInput + `}`)
		return
	}
	w.Member(`,"description":`, schema.Description(t))
	w.Raw(`,`)
	w.Raw(w.Syntax.Parameters)
	plain := *t
	if w.Validates {
		plain.Strict = ir.Unset // the mode of function calls says so
	}
	w.schemas.WriteTool(&w.Writer, &plain, w.Syntax.Dialect)
	w.Raw(`}`)
}

// hosts reports whether the upstream accepts a tool that runs at the upstream: a search, the
// reading of webpages, and any tool of a client of the same API. Models before Gemini 3 reject
// searches beside functions ("Tool use with function calling is unsupported").
func (w *Writer) hosts(t *ir.Tool) bool {
	switch t.Kind {
	case ir.VendorTool, ir.MCPTool:
		return w.SameAPI
	case ir.WebSearchTool, ir.WebFetchTool:
		return Runs(t.Kind, w.Target) && (!w.Functions || !w.Target.UnsignedCalls)
	}
	return false
}

// mayRun reports whether the client's tool_choice lets the upstream run a tool: the modes of
// function calls do not cover such tools.
func (w *Writer) mayRun(t *ir.Tool) bool {
	choice := &w.Request.ToolChoice
	return choice.Mode != ir.ToolsNone && (choice.Mode != ir.ToolsNamed || choice.Name == t.Name)
}

// hosted writes a tool that the upstream runs. The APIs have no members for its options.
func (w *Writer) hosted(t *ir.Tool) {
	switch t.Kind {
	case ir.WebSearchTool:
		w.Raw(w.Syntax.Search)
	case ir.WebFetchTool:
		w.Raw(w.Syntax.Fetch)
	default:
		w.Raw(string(t.Raw))
	}
	t.LoseOptions(w.Lost, 0)
}
