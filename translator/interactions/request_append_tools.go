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
	return w.choice(strict)
}

// takes reports whether the upstream can be given a tool of its own: a search, or the reading of pages. Models before Gemini 3 refuse these beside
// functions, as in generateContent.
func (w *requestWriter) takes(t *ir.Tool) bool {
	return (t.Kind == ir.WebSearchTool || t.Kind == ir.WebFetchTool) && google.Runs(t.Kind, w.Target) && (!w.functions || !w.Target.UnsignedCalls)
}

// mayRun reports whether the client's tool_choice lets the upstream run a tool: that of the API has no word for it.
func (w *requestWriter) mayRun(t *ir.Tool) bool {
	choice := &w.Request.ToolChoice
	return choice.Mode != ir.ToolsNone && (choice.Mode != ir.ToolsNamed || choice.Name == t.Name)
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
	s := &t.Search
	if len(s.Allowed) > 0 || len(s.Blocked) > 0 || s.MaxUses > 0 || s.MaxTokens > 0 || s.Location != "" || s.ContextSize != "" && s.ContextSize != "medium" {
		w.Lost.Add(t.At.String())
	}
}

// choice writes tool_choice (ToolChoiceConfig and ToolChoiceType of @google/genai), which the API refuses where there are no functions ("Function calling
// config is set without function_declarations.", vercel/ai, prepare-google-interactions-tools.ts). The modes are those of generateContent: "validated" lets
// the model call or not, as "auto" does, holds calls to their schemas, and takes names beside that. A demand for a search can't be told, nor a single call at
// a time.
func (w *requestWriter) choice(strict bool) *ir.Error {
	choice := &w.Request.ToolChoice
	path := w.Request.FieldPath(ir.FieldToolChoice)
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
		if strict || w.runs || len(names) > 0 {
			mode = "validated"
		}
	case ir.ToolsRequired:
		mode = "any"
	case ir.ToolsNone:
		mode, names = "none", nil
	case ir.ToolsNamed:
		t := w.Request.Tool(choice.Name)
		switch {
		case t != nil && t.Kind.RunByClient() && w.Request.Allows(t.Name):
			mode, names = "any", []ir.Escaped{t.Name}
		case w.runs:
			mode, names = "none", nil
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
		mode, names = "none", nil
		if !w.runs {
			if err := w.LoseChoice(); err != nil {
				return err
			}
		}
	}
	switch {
	case mode == "":
	case len(names) == 0:
		w.set(`"tool_choice":"` + mode + `"`)
	default:
		w.set(`"tool_choice":{"allowed_tools":{"mode":"` + mode + `","tools":`)
		separator := `[`
		for _, name := range names {
			if w.isFunction(name) {
				w.Next(&separator)
				w.Literal(google.ToolName(name))
			}
		}
		w.Raw(`]}}`)
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
