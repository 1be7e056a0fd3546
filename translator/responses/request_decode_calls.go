package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// call reads the model's call of a client's tool. A tool defined by OpenAI but run by the client,
// such as local_shell, has an item type of its own. In the hub it is a function, and the content of
// the item becomes the arguments.
func (d *requestDecoder) call(f *fields, whole jsonr.Reader, at ir.Pos) (err *ir.Error) {
	d.endCommentary()
	c := ir.Content{Kind: ir.ToolCallContent, At: at, Caller: f.caller, Program: d.programOf(f.caller)}
	if c.ID, err = callIDOf(f, at); err != nil {
		return err
	}
	switch f.kind {
	case "function_call":
		c.Input, err = arguments(f.arguments, at)
	case "custom_tool_call":
		c.Kind = ir.CustomCallContent
		c.Text, err = openai.Required(f.input, at, ".input")
	case "tool_search_call":
		c.Name = toolSearch
		c.Input, err = arguments(f.arguments, at)
	case "local_shell_call":
		c.Name = localShell
		c.Input, err = object(f.action, at, ".action")
	case "shell_call":
		c.Name = shell
		c.Input, err = object(f.action, at, ".action")
	case "computer_call":
		c.Name = computer
		if f.actions == "" {
			c.Name = computerV1
		}
		c.Input, err = f.aim(at)
		c.Raw = whole.Value()
	default:
		c.Name = applyPatch
		c.Input, err = object(f.operation, at, ".operation")
	}
	if err == nil && c.Name == "" && f.name != "" {
		var name ir.Escaped
		if name, err = openai.Required(f.name, at, ".name"); err == nil {
			namespace, _ := jsonr.Text(f.namespace)
			c.Name = flat(namespace, name)
		}
	}
	if err != nil {
		return err
	}
	d.take(modelSpeaker)
	d.content = append(d.content, c)
	return nil
}

// callIDOf returns the call_id, which pairs a call with its output. A local_shell_call_output has
// it in "id", and a local_shell_call without call_id is paired by its "id". A call or an output
// without an id gets one from ir.MatchResults.
func callIDOf(f *fields, at ir.Pos) (ir.Escaped, *ir.Error) {
	switch {
	case f.callID == "" && f.id != "" && (f.kind == "local_shell_call" ||
		f.kind == "local_shell_call_output"):
		return openai.Required(f.id, at, ".id")
	case f.callID == "":
		return "", nil
	}
	return openai.Required(f.callID, at, ".call_id")
}

// arguments returns the arguments of a call: a string that contains an object, or, in a
// tool_search_call, the object itself.
func arguments(v ir.Raw, at ir.Pos) (ir.Raw, *ir.Error) {
	switch kind := jsonr.KindOf(v); kind {
	case jsonr.String:
		e, _ := jsonr.Text(v)
		return openai.Arguments(e), nil
	case jsonr.Object:
		return v, nil
	case jsonr.Missing:
		return "{}", nil
	default:
		return "", openai.WrongType(at.Path(".arguments"), "a string", kind)
	}
}

// object returns v, the value of a field that must be an object.
func object(v ir.Raw, at ir.Pos, field string) (ir.Raw, *ir.Error) {
	switch kind := jsonr.KindOf(v); kind {
	case jsonr.Object:
		return v, nil
	case jsonr.Missing:
		return "", openai.Missing(at.Path(field))
	default:
		return "", openai.WrongType(at.Path(field), "an object", kind)
	}
}

// result reads the output of a call. The output of shell is a list of objects, which the model
// reads as JSON. apply_patch may return only a status, which is then the text.
//
//go:noinline
func (d *requestDecoder) result(f *fields, whole jsonr.Reader, at ir.Pos) (err *ir.Error) {
	c := ir.Content{Kind: ir.ToolResultContent, At: at, Caller: f.caller, Program: d.programOf(f.caller)}
	if c.ID, err = callIDOf(f, at); err != nil {
		return err
	}
	inside := ir.Pos{Form: "input[].output[]", Index: at.Index}
	switch {
	case f.kind == "shell_call_output" && jsonr.KindOf(f.output) == jsonr.Array:
		c.Parts = []ir.Content{{Kind: ir.TextContent, At: inside.List(), Text: quote(f.output)}}
	case f.kind == "apply_patch_call_output":
		c.IsError = f.status == `"failed"`
		if c.Parts = appendText(nil, f.output, inside.List()); c.Parts == nil {
			c.Parts = appendText(nil, f.status, inside.List())
		}
	case f.output == "":
	case f.kind == "computer_call_output":
		r := jsonr.NewReader(string(f.output))
		c.Parts = make([]ir.Content, 1)
		if c.Parts[0], err = d.part(&r, inside.List()); err != nil {
			return err
		}
		c.Raw = whole.Value()
	default:
		n := 1
		if r := jsonr.NewReader(string(f.output)); r.Kind() == jsonr.Array {
			n = r.Len()
		}
		if err = d.items.Meet(n); err != nil {
			return err
		}
		if c.Parts, err = d.parts(make([]ir.Content, 0, n), f.output, inside); err != nil {
			return err
		}
	}
	d.take(resultSpeaker)
	d.content = append(d.content, c)
	return nil
}

// found reads a tool_search_output as the result of a call. The text of the result lists the tools
// available to the model from then on.
func (d *requestDecoder) found(f *fields, at ir.Pos) (err *ir.Error) {
	c := ir.Content{Kind: ir.ToolResultContent, At: at}
	if c.ID, err = callIDOf(f, at); err != nil {
		return err
	}
	text := append(make([]byte, 0, 128), "Tools loaded:"...)
	lead := len(text)
	for _, name := range foundIn(f.tools) {
		text = appendFound(text, name)
	}
	if len(text) == lead {
		text = append(text[:0], "No tools were found."...)
	}
	at.Form = "input[].output"
	c.Parts = []ir.Content{{Kind: ir.TextContent, At: at, Text: ir.Escaped(strings.TrimSuffix(string(text),
		","))}}
	d.take(resultSpeaker)
	d.content = append(d.content, c)
	return nil
}

func appendFound(text []byte, name ir.Escaped) []byte {
	text = append(text, ' ')
	text = append(text, name...)
	return append(text, ',')
}

// nameIn returns the member "name" of the object at r.
func nameIn(r *jsonr.Reader) (name ir.Escaped) {
	for r.OpenObject(); r.Member(); {
		if r.Key() == "name" {
			name, _ = jsonr.Text(r.Value())
		}
	}
	return name
}

// quote returns a value as a text.
func quote(v ir.Raw) ir.Escaped {
	return ir.Escaped(jsonw.AppendQuotedRaw(make([]byte, 0, len(v)+len(v)/8), v))
}
