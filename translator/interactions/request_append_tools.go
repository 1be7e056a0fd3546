package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
)

// tools writes tools, and tool_choice in generation_config (ToolChoiceConfig and ToolChoiceType of
// @google/genai). The modes are those of generateContent. The API rejects a tool_choice without
// functions ("Function calling config is set without function_declarations.", vercel/ai,
// prepare-google-interactions-tools.ts).
func (w *requestWriter) tools() *ir.Error {
	if written, err := w.Tools(); !written {
		return err
	}
	mode, names, err := w.Choice()
	switch {
	case err != nil:
		return err
	case mode == "":
	case len(names) == 0:
		w.Set(`"tool_choice":"` + mode + `"`)
	default:
		w.Set(`"tool_choice":{"allowed_tools":{"mode":"` + mode + `","tools":`)
		separator := `[`
		for _, name := range names {
			w.Next(&separator)
			w.Literal(google.ToolName(name))
		}
		w.Raw(`]}}`)
	}
	return nil
}
