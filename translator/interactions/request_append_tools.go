package interactions

import (
	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/schema"
)

// tools writes tools, and tool_choice into generation_config. Which functions the model may call says the latter, so that the tools stay the same from
// turn to turn.
func (w *requestWriter) tools() *ir.Error {
	strict := false
	separator := `,"tools":[`
	for i := range w.Request.Tools {
		if t := &w.Request.Tools[i]; t.Kind.RunByClient() {
			w.Next(&separator)
			w.function(t)
			w.functions = true
			strict = strict || t.Strict == ir.True
		}
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
	return w.choice(strict)
}

// takes reports whether the upstream can be given a tool of its own: a search, or the reading of pages. Models before Gemini 3 refuse these beside
// functions, as in generateContent.
func (w *requestWriter) takes(t *ir.Tool) bool {
	return (t.Kind == ir.WebSearchTool || t.Kind == ir.WebFetchTool) && google.Runs(t.Kind, w.Target) && (!w.functions || !w.Target.UnsignedCalls)
}

// function writes a function (Function of @google/genai). A custom tool is a function with the argument "input".
func (w *requestWriter) function(t *ir.Tool) {
	w.Raw(`{"type":"function","name":`)
	w.Literal(google.ToolName(t.Name))
	if t.Kind == ir.CustomTool {
		w.Raw(`,"description":"`)
		w.Dst = schema.AppendCustomDescription(w.Dst, t.Description, t.Grammar)
		w.Raw(`","parameters":` + schema.CustomInput + `}`)
		return
	}
	w.Member(`,"description":`, schema.Description(t))
	w.Raw(`,"parameters":`)
	plain := *t
	plain.Strict = ir.Unset // tool_choice says it
	w.schemas.WriteTool(&w.Writer, &plain, schema.Interactions)
	w.Raw(`}`)
}

// hosted writes a tool that the upstream runs. Neither says where and how often to search: that is lost.
func (w *requestWriter) hosted(t *ir.Tool) {
	if t.Kind == ir.WebSearchTool {
		w.Raw(`{"type":"google_search"}`)
	} else {
		w.Raw(`{"type":"url_context"}`)
	}
	google.LoseSearch(&w.Writer, t)
}

// choice writes tool_choice (ToolChoiceConfig and ToolChoiceType of @google/genai), which the API refuses where there are no functions ("Function calling
// config is set without function_declarations.", vercel/ai, prepare-google-interactions-tools.ts). The modes are those of generateContent.
func (w *requestWriter) choice(strict bool) *ir.Error {
	mode, names, err := google.Choice(&w.Writer, w.functions, w.runs, strict, true)
	switch {
	case err != nil:
		return err
	case mode == "":
	case len(names) == 0:
		w.set(`"tool_choice":"` + mode + `"`)
	default:
		w.set(`"tool_choice":{"allowed_tools":{"mode":"` + mode + `","tools":`)
		separator := `[`
		for _, name := range names {
			w.Next(&separator)
			w.Literal(google.ToolName(name))
		}
		w.Raw(`]}}`)
	}
	return nil
}
