package gemini

import (
	"strings"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// tools writes tools and toolConfig (Gemini API, "FunctionCallingConfig").
func (w *requestWriter) tools() *ir.Error {
	if written, err := w.Tools(); !written {
		return err
	}
	mode, names, err := w.Choice()
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
	// "Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with
	// Function calling."
	if w.Functions && w.Hosted && !w.Target.VertexAI {
		w.Next(&separator)
		w.Raw(`"includeServerSideToolInvocations":true`)
	}
	if separator == `,` {
		w.Raw(`}`)
	}
	return nil
}
