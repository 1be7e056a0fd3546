package gemini

import (
	"strings"

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
		if told && google.MayRun(&w.Writer, t) {
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
	google.LoseSearch(&w.Writer, t)
}

// toolConfig writes toolConfig (Gemini API, "FunctionCallingConfig").
func (w *requestWriter) toolConfig(strict bool) *ir.Error {
	mode, names, err := google.Choice(&w.Writer, w.functions, w.runs, strict, w.validates())
	if err != nil {
		return err
	}
	separator := `,"toolConfig":{`
	if mode != "" {
		w.Next(&separator)
		w.Raw(`"functionCallingConfig":{"mode":"` + strings.ToUpper(mode) + `"`)
		list := `,"allowedFunctionNames":[`
		for _, name := range names {
			w.Next(&list)
			w.Literal(google.ToolName(name))
		}
		if len(names) > 0 {
			w.Raw(`]`)
		}
		w.Raw(`}`)
	}
	if w.functions && w.runs && !w.Target.VertexAI { // "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling."
		w.Next(&separator)
		w.Raw(`"includeServerSideToolInvocations":true`)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	return nil
}
