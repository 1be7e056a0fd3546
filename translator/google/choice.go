package google

import "edgelingua/translator/ir"

// Choice returns the mode of function calls, after Tools: a mode of FunctionCallingConfig in lower
// case, "" for the default. names has the client's names of the only functions that the model may
// call, nil for all. The names are views of the request.
//
// In the mode "validated" the model may call or not, as in "auto", and calls follow their schemas.
// Only "validated" and "any" accept names. The APIs have no member for a single call at a time, and
// can't demand a search: such a demand is lost or refused.
func (w *Writer) Choice() (mode string, names []ir.Escaped, err *ir.Error) {
	choice := &w.Request.ToolChoice
	path := w.Request.FieldPath(ir.FieldToolChoice)
	if !w.Functions {
		if choice.Mode == ir.ToolsRequired || choice.Mode == ir.ToolsNamed {
			return "", nil, w.RefuseOrLose(path, "a tool choice that requires a search")
		}
		return "", nil, nil
	}
	if w.Request.Parallel == ir.False && choice.Mode != ir.ToolsNone {
		w.Lose(ir.FieldParallel)
	}
	allowed := choice.Allowed
	switch choice.Mode {
	case ir.ToolsUnset, ir.ToolsAuto:
		if w.Validates && (w.strict || w.Hosted || len(allowed) > 0) {
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
		case w.Hosted:
			if err := w.RefuseOrLose(path, "a tool choice that requires a search"); err != nil {
				return "", nil, err
			}
			mode, allowed = "none", nil
		default:
			if err := w.LoseChoice(); err != nil {
				return "", nil, err
			}
		}
	}
	for _, name := range allowed {
		if t := w.ToolByName(name); t != nil && t.Kind.RunByClient() {
			names = append(names, name)
		}
	}
	if len(allowed) > 0 && len(names) == 0 {
		mode = "none"
		if !w.Hosted {
			err = w.LoseChoice()
		}
	}
	return mode, names, err
}
