package google

import "edgelingua/translator/ir"

// Choice returns which functions the model may call: a mode of FunctionCallingConfig in lower case, "" for that of the API, and the names of the only
// functions that it may call, none for all of them. functions and runs say which tools were written, of the client's and of the upstream's, and strict that
// a function has to be held to its schema. "validated" lets the model call or not, as "auto" does, holds calls to their schemas, and is the one that
// takes names beside that; where the server has no such mode (validates), the model is told only of the functions that it may call. A demand for a
// search can't be told, nor a single call at a time.
func Choice(w *ir.Writer, functions, runs, strict, validates bool) (mode string, names []ir.Escaped, err *ir.Error) {
	choice := &w.Request.ToolChoice
	path := w.Request.FieldPath(ir.FieldToolChoice)
	if !functions {
		if choice.Mode == ir.ToolsRequired || choice.Mode == ir.ToolsNamed {
			return "", nil, w.RefuseOrLose(path, "a demand for a search")
		}
		return "", nil, nil
	}
	if w.Request.Parallel == ir.False && choice.Mode != ir.ToolsNone {
		w.Lose(ir.FieldParallel)
	}
	asked := choice.Allowed
	switch choice.Mode {
	case ir.ToolsUnset, ir.ToolsAuto:
		if validates && (strict || runs || len(asked) > 0) {
			mode = "validated"
		}
	case ir.ToolsRequired:
		mode = "any"
	case ir.ToolsNone:
		return "none", nil, nil
	case ir.ToolsNamed:
		t := w.Request.Tool(choice.Name)
		switch {
		case t != nil && t.Kind.RunByClient() && w.Request.Allows(t.Name):
			return "any", []ir.Escaped{t.Name}, nil
		case runs:
			if err := w.RefuseOrLose(path, "a demand for a search"); err != nil {
				return "", nil, err
			}
			mode, asked = "none", nil
		default:
			if err := w.LoseChoice(); err != nil {
				return "", nil, err
			}
		}
	}
	for _, name := range asked {
		if t := w.Found(name); t != nil && t.Kind.RunByClient() {
			names = append(names, name)
		}
	}
	if len(asked) > 0 && len(names) == 0 {
		mode = "none"
		if !runs {
			err = w.LoseChoice()
		}
	}
	return mode, names, err
}

// MayRun reports whether the client's tool_choice lets the upstream run a tool: the modes have no word for that.
func MayRun(w *ir.Writer, t *ir.Tool) bool {
	choice := &w.Request.ToolChoice
	return choice.Mode != ir.ToolsNone && (choice.Mode != ir.ToolsNamed || choice.Name == t.Name)
}

// LoseSearch notes as lost what the client says of a search: no API of Google's can be told where and how often to search.
func LoseSearch(w *ir.Writer, t *ir.Tool) {
	s := &t.Search
	if len(s.Allowed) > 0 || len(s.Blocked) > 0 || s.MaxUses > 0 || s.MaxTokens > 0 || s.Location != "" || s.ContextSize != "" && s.ContextSize != "medium" {
		w.Lost.Add(t.At.String())
	}
}
