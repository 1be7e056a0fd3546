package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// tools reads "tools".
func (d *requestDecoder) tools(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Array {
		return invalid("tools", "Input should be a valid list")
	}
	n, err := d.count(r)
	if err != nil {
		return err
	}
	d.request.Tools, d.deferred, d.searches = make([]ir.Tool, 0, n), make([]bool, 0, n), false
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		if err := d.tool(r, n); err != nil {
			return err
		}
	}
	return nil
}

// tool reads one tool. A tool without a type, or with "custom", is a function of the client's; any other type is one that the
// vendor defined.
func (d *requestDecoder) tool(r *jsonr.Reader, n int) *ir.Error {
	path := "tools[" + strconv.Itoa(n) + "]"
	if r.Kind() != jsonr.Object {
		return invalid(path, "Input should be a valid dictionary")
	}
	t := ir.Tool{At: ir.Pos{Message: -1, Block: n, Part: -1}}
	deferred, more := false, false
	whole := *r
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			t.Type, err = text(r, path+".type")
		case "name":
			t.Name, err = text(r, path+".name")
		case "description":
			t.Description, err = text(r, path+".description")
		case "input_schema":
			if r.Kind() != jsonr.Object {
				return invalid(path+".input_schema", "Input should be a valid dictionary")
			}
			t.Schema = r.Value()
		case "defer_loading":
			deferred, err = flag(r, path+".defer_loading")
		case "strict":
			var strict bool
			if strict, err = flag(r, path+".strict"); strict {
				t.Strict = ir.True
			} else {
				t.Strict = ir.False
			}
		case "cache_control":
			t.Cache = ir.Breakpoint(r)
		default:
			more = true
		}
		if err != nil {
			return err
		}
	}
	if t.Type == "custom" {
		t.Type = ""
	}
	if t.Type != "" {
		t.Raw = whole.Value()
		d.searches = d.searches || strings.HasPrefix(string(t.Type), "tool_search_tool_")
		if err := d.typedTool(&t, path); err != nil {
			return err
		}
	} else if t.Name == "" {
		return invalid(path+".name", "Field required")
	}
	if more && t.Type == "" {
		d.loseToolMembers(whole, path)
	}
	d.request.Tools = append(d.request.Tools, t)
	d.deferred = append(d.deferred, deferred)
	return nil
}

// loseToolMembers notes the members of a function that nothing reads and that ask for something. The others only steer
// Anthropic's own machinery, as eager_input_streaming does: how it cuts the arguments.
func (d *requestDecoder) loseToolMembers(r jsonr.Reader, path string) {
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type", "name", "description", "input_schema", "defer_loading", "strict", "cache_control", "eager_input_streaming":
		default:
			d.lose(path, &r)
		}
	}
}

// dropDeferred removes the tools that the model may not see yet: those with defer_loading that no tool_reference names. Where
// Anthropic would have searched them for the model it sees them all: another vendor can't search.
func (d *requestDecoder) dropDeferred() {
	if d.searches {
		return
	}
	kept := d.request.Tools[:0]
	for i, t := range d.request.Tools {
		if !d.deferred[i] || d.loaded[t.Name] {
			kept = append(kept, t)
		}
	}
	d.request.Tools = kept
}

// toolChoice reads "tool_choice".
func (d *requestDecoder) toolChoice(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Object {
		return invalid("tool_choice", "Input should be a valid dictionary")
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
			d.lose("tool_choice", r)
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
		return invalid("tool_choice.type", "Input should be 'auto', 'any', 'tool' or 'none'")
	}
	return nil
}
