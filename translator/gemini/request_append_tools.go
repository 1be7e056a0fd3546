package gemini

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// tools writes tools and toolConfig. Which functions the model may call says toolConfig, so that the tools stay the same from turn to turn.
func (w *requestWriter) tools() *ir.Error {
	strict := false
	separator := `,"tools":[{"functionDeclarations":[`
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; t.Kind.RunByClient() && w.declares(t) {
			w.Next(&separator)
			w.function(t)
			w.functions = true
			strict = strict || t.Strict == ir.True
		}
	}
	separator = `,"tools":[`
	if w.functions {
		w.Raw(`]}`)
		separator = `,`
	}
	for i := range w.Request.Tools {
		t := &w.Request.Tools[i]
		if t.Kind.RunByClient() {
			continue
		}
		told, err := w.Offers(t, w.takes(t), true)
		if err != nil {
			return err
		}
		if told && w.mayRun(t) {
			w.Next(&separator)
			w.hosted(t)
			w.runs = true
		}
	}
	if !w.functions && !w.runs {
		return w.NoTools()
	}
	w.Raw(`]`)
	return w.toolConfig(strict)
}

// declares reports whether the model is told of a function. Where it may call some or none, and the server has no word for that, it is told of those alone.
func (w *requestWriter) declares(t *ir.Tool) bool {
	return w.validates() || w.Request.ToolChoice.Mode != ir.ToolsUnset && w.Request.ToolChoice.Mode != ir.ToolsAuto || w.Request.Allows(t.Name)
}

// validates reports whether the server has the mode VALIDATED. Vertex AI's first version does not (aiplatform v1, "FunctionCallingConfig.Mode").
func (w *requestWriter) validates() bool { return !w.Target.VertexAI }

// takes reports whether the upstream can be given a tool of its own: whatever a client of the same API offers, and searches. Models before Gemini 3 refuse it beside functions ("Tool use with function
// calling is unsupported").
func (w *requestWriter) takes(t *ir.Tool) bool {
	return t.Kind == ir.VendorTool && w.Request.API.Name == Name || (t.Kind == ir.WebSearchTool || t.Kind == ir.WebFetchTool) && Upstream{}.Runs(t.Kind, w.Target) && (!w.functions || !w.Target.UnsignedCalls)
}

// mayRun reports whether the client's tool_choice lets the upstream run a tool: toolConfig has no word for that.
func (w *requestWriter) mayRun(t *ir.Tool) bool {
	choice := &w.Request.ToolChoice
	return choice.Mode != ir.ToolsNone && (choice.Mode != ir.ToolsNamed || choice.Name == t.Name)
}

// function writes an element of functionDeclarations. Its schema is JSON Schema (parametersJsonSchema): parameters is a message of Google's own,
// which refuses all keywords that it does not know ("Unknown name \"$schema\"", "\"additionalProperties\"", "\"const\"",
// zed-industries/zed#63342). A custom tool is a function with the argument "input".
func (w *requestWriter) function(t *ir.Tool) {
	w.Raw(`{"name":`)
	w.Literal(google.ToolName(t.Name))
	if t.Kind == ir.CustomTool {
		w.Raw(`,"description":"`)
		w.Dst = schema.AppendCustomDescription(w.Dst, t.Description, t.Grammar)
		w.Raw(`","parametersJsonSchema":` + schema.CustomInput + `}`)
		return
	}
	w.Member(`,"description":`, schema.Description(t))
	w.Raw(`,"parametersJsonSchema":`)
	plain := *t
	if w.validates() {
		plain.Strict = ir.Unset // toolConfig says it
	}
	w.schemas.WriteTool(&w.Writer, &plain, schema.Gemini)
	w.Raw(`}`)
}

// hosted writes a tool that the upstream runs. Neither says where and how often to search: that is lost.
func (w *requestWriter) hosted(t *ir.Tool) {
	switch t.Kind {
	case ir.WebSearchTool:
		w.Raw(`{"googleSearch":{}}`)
	case ir.WebFetchTool:
		w.Raw(`{"urlContext":{}}`)
	default:
		w.Raw(string(t.Raw))
	}
	s := &t.Search
	if len(s.Allowed) > 0 || len(s.Blocked) > 0 || s.MaxUses > 0 || s.MaxTokens > 0 || s.Location != "" || s.ContextSize != "" && s.ContextSize != "medium" {
		w.Lost.Add(t.At.String())
	}
}

// toolConfig writes toolConfig (Gemini API, "FunctionCallingConfig"). The mode VALIDATED lets the model call or not, as AUTO does, holds calls to their
// schemas, and is the one that takes names beside that (allowedFunctionNames). A demand for a search can't be told, nor a single call at a time.
func (w *requestWriter) toolConfig(strict bool) *ir.Error {
	choice := &w.Request.ToolChoice
	path := w.Request.FieldPath(ir.FieldToolChoice)
	both := w.functions && w.runs
	if !w.functions {
		if choice.Mode == ir.ToolsRequired || choice.Mode == ir.ToolsNamed {
			return w.RefuseOrLose(path, "a demand for a search")
		}
		return nil
	}
	if w.Request.Parallel == ir.False && choice.Mode != ir.ToolsNone {
		w.Lose(ir.FieldParallel)
	}
	mode, names := "", choice.Allowed
	switch choice.Mode {
	case ir.ToolsUnset, ir.ToolsAuto:
		if !w.validates() {
			names = nil
		} else if strict || both || len(names) > 0 {
			mode = "VALIDATED"
		}
	case ir.ToolsRequired:
		mode = "ANY"
	case ir.ToolsNone:
		mode, names = "NONE", nil
	case ir.ToolsNamed:
		t := w.Request.Tool(choice.Name)
		switch {
		case t != nil && t.Kind.RunByClient() && w.Request.Allows(t.Name):
			mode, names = "ANY", []ir.Escaped{t.Name}
		case w.runs:
			mode, names = "NONE", nil
			if err := w.RefuseOrLose(path, "a demand for a search"); err != nil {
				return err
			}
		default:
			if err := w.LoseChoice(); err != nil {
				return err
			}
		}
	}
	if len(names) > 0 && !w.holdsFunction(names) {
		mode, names = "NONE", nil
		if !w.runs {
			if err := w.LoseChoice(); err != nil {
				return err
			}
		}
	}
	separator := `,"toolConfig":{`
	if mode != "" {
		w.Next(&separator)
		w.Raw(`"functionCallingConfig":{"mode":"`)
		w.Raw(mode)
		w.Raw(`"`)
		w.names(names)
		w.Raw(`}`)
	}
	if both && !w.Target.VertexAI { // "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling."
		w.Next(&separator)
		w.Raw(`"includeServerSideToolInvocations":true`)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	return nil
}

// isFunction reports whether a name is that of a tool that the client runs.
func (w *requestWriter) isFunction(name ir.Escaped) bool {
	t := w.Found(name)
	return t != nil && t.Kind.RunByClient()
}

// holdsFunction reports whether names has one of a function.
func (w *requestWriter) holdsFunction(names []ir.Escaped) bool {
	for _, name := range names {
		if w.isFunction(name) {
			return true
		}
	}
	return false
}

// names writes allowedFunctionNames, unless there are none.
func (w *requestWriter) names(names []ir.Escaped) {
	separator := `,"allowedFunctionNames":[`
	for _, name := range names {
		if w.isFunction(name) {
			w.Next(&separator)
			w.Literal(google.ToolName(name))
		}
	}
	if separator == `,` {
		w.Raw(`]`)
	}
}
