package anthropic

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// toolChoice reads "tool_choice".
func (d *requestDecoder) toolChoice(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Object {
		return wrongKind("tool_choice", "dictionary", r.Kind())
	}
	d.request.ToolChoice, d.request.Parallel = ir.ToolChoice{}, ir.Unset
	var kind, name ir.Escaped
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			kind, err = text(r, "tool_choice.type")
		case "name":
			name, err = text(r, "tool_choice.name")
		case "disable_parallel_tool_use":
			var off bool
			if off, err = flag(r, "tool_choice.disable_parallel_tool_use"); off {
				d.request.Parallel = ir.False
			}
		default:
			d.lost.AddMember("tool_choice", r)
		}
		if err != nil {
			return err
		}
	}
	choice := &d.request.ToolChoice
	switch kind {
	case "auto":
		choice.Mode = ir.ToolsAuto
	case "any":
		choice.Mode = ir.ToolsRequired
	case "none":
		choice.Mode = ir.ToolsNone
	case "tool":
		if name == "" {
			return invalid("tool_choice.name", "Field required")
		}
		choice.Mode, choice.Name = ir.ToolsNamed, name
	default:
		return wrongWord("tool_choice.type", "'auto', 'any', 'tool' or 'none'", kind)
	}
	return nil
}
