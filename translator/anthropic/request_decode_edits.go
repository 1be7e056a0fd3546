package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// contextManagement reads "context_management": how the server edits the history before Claude
// reads it ("Context editing").
func (d *requestDecoder) contextManagement(r *jsonr.Reader) *ir.Error {
	const path = "context_management"
	if r.Kind() != jsonr.Object {
		return wrongKind(path, "dictionary", r.Kind())
	}
	inside := *r
	e := &ir.Edits{Raw: r.Value()}
	d.request.Edits = e
	for inside.OpenObject(); inside.Member(); {
		switch {
		case inside.Key() != "edits":
			d.onlyMember(e, path, &inside)
		case inside.Kind() == jsonr.Null:
		case inside.Kind() != jsonr.Array:
			return wrongKind(path+".edits", "list", inside.Kind())
		default:
			if _, err := d.items.Count(&inside); err != nil {
				return err
			}
			n := 0
			for inside.OpenArray(); inside.Element(); n++ {
				if err := d.edit(&inside, path+".edits["+strconv.Itoa(n)+"]", e); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// edit reads the next value of r, the edit at path. If USE_API_CLEAR_TOOL_RESULTS is set, Claude
// Code sends clear_tool_uses_20250919 with clear_at_least, and with names in clear_tool_inputs. For
// USE_API_CLEAR_TOOL_USES it sends a second edit with exclude_tools.
//
// Anthropic requires a threshold of at least 50,000 tokens for compact_20260112 ("Compaction at a
// token threshold"). Other vendors' models may have fewer tokens for the whole conversation, so any
// number is accepted here.
func (d *requestDecoder) edit(r *jsonr.Reader, path string, e *ir.Edits) (err *ir.Error) {
	kind, inside := ir.Escaped(""), *r
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" {
			kind, _ = jsonr.Text(r.Value())
		}
	}
	clears, uses := kind == "clear_tool_uses_20250919", ""
	switch {
	case clears:
		uses = "tool_uses"
	case kind == "":
		return invalid(path+".type", "Field required")
	case kind != "compact_20260112":
		// also clear_thinking_20251015: other vendors decide themselves how much earlier reasoning
		// their models read.
		e.Only, e.Thinking = append(e.Only, path), e.Thinking || strings.HasPrefix(string(kind),
			"clear_thinking")
		return nil
	}
	c, k := ir.Clearing{Trigger: 100_000, Keep: 3}, &ir.Compaction{Threshold: 150_000, Path: path}
	for inside.OpenObject(); err == nil && inside.Member(); {
		if inside.Kind() == jsonr.Null {
			continue
		}
		key := inside.Key()
		at := path + "." + key
		switch {
		case key == "type":
		case key == "trigger":
			c.Uses, c.Trigger, err = amount(&inside, at, "input_tokens", uses)
			k.Threshold = max(c.Trigger, 1)
		case clears && key == "keep":
			_, c.Keep, err = amount(&inside, at, "", uses)
		case clears && key == "clear_at_least":
			_, c.AtLeast, err = amount(&inside, at, "input_tokens", "")
		case clears && key == "exclude_tools":
			c.Excluded, err = d.texts(&inside, at)
		case clears && key == "clear_tool_inputs" && inside.Kind() == jsonr.Array:
			c.InputsOf, err = d.texts(&inside, at)
		case clears && key == "clear_tool_inputs":
			c.Inputs, err = flag(&inside, at)
		case !clears && key == "pause_after_compaction":
			k.Pause, err = flag(&inside, at)
		case !clears && key == "instructions":
			k.Instructions, err = text(&inside, at)
		default:
			d.onlyMember(e, path, &inside)
		}
	}
	if clears {
		e.Clear = append(e.Clear, c)
	} else {
		d.request.Compaction = k
	}
	return err
}

// onlyMember notes a member that only Anthropic accepts: the next member of r, in the object at
// path.
func (d *requestDecoder) onlyMember(e *ir.Edits, path string, r *jsonr.Reader) {
	if member := d.lost.Member(r.Key(), r.Value()); member != "" {
		e.Only = append(e.Only, path+member)
	}
}

// amount reads an object {"type":...,"value":...}: a number of tokens, or of uses of tools. tokens
// and uses are the valid types, "" for none.
func amount(r *jsonr.Reader, path, tokens, uses string) (ofUses bool, n int64, err *ir.Error) {
	if r.Kind() != jsonr.Object {
		return false, 0, wrongKind(path, "dictionary", r.Kind())
	}
	var kind, value ir.Raw
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "type":
			kind = r.Value()
		case "value":
			value = r.Value()
		}
	}
	unit, _ := jsonr.Text(kind)
	n, ok := jsonr.Int(value)
	switch {
	case unit == "" || string(unit) != tokens && string(unit) != uses:
		words := "'" + tokens + "' or '" + uses + "'"
		if uses == "" || tokens == "" {
			words = "'" + tokens + uses + "'"
		}
		return false, 0, wrongWord(path+".type", words, unit)
	case !ok:
		return false, 0, wrong(path+".value", "a valid integer", value, "")
	case n < 0:
		return false, 0, wrong(path+".value", "greater than or equal to 0", value, "")
	}
	return string(unit) == uses, n, nil
}
