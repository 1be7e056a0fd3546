package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// call reads one element of tool_calls. What stands there beside it, as index and parsed_arguments, clients have kept from a
// stream.
func (d *requestDecoder) call(r *jsonr.Reader, at ir.Pos) (c ir.Content, err *ir.Error) {
	if r.Kind() != jsonr.Object {
		return c, openai.WrongType(pathOf(at, ""), "an object", r.Kind())
	}
	var kind, id ir.Escaped
	var function, custom ir.Raw
	for r.Open(); r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			kind, err = textAt(r, at, ".type")
		case "id":
			id, err = textAt(r, at, ".id")
		case "function":
			function, err = objectAt(r, at, ".function")
		case "custom":
			custom, err = objectAt(r, at, ".custom")
		case "index":
		default:
			d.loseAt(at, "", r)
		}
		if err != nil {
			return c, err
		}
	}
	switch {
	case id == "":
		return c, openai.Missing(pathOf(at, ".id"))
	case kind == "custom" || kind == "" && function == "" && custom != "":
		c, err = d.customOf(custom, at)
	case kind == "function" || kind == "":
		c, err = d.functionOf(function, at, ".function")
	default:
		return c, openai.Unsupported(pathOf(at, ".type"), kind, "'function' and 'custom'")
	}
	c.ID = id
	return c, err
}

// functionOf reads {"name","arguments"}. Arguments that are no object, which a model has written, may not fail the conversation.
func (d *requestDecoder) functionOf(v ir.Raw, at ir.Pos, field string) (ir.Content, *ir.Error) {
	c := ir.Content{Kind: ir.ToolCallContent, At: at}
	var name, arguments ir.Raw
	r := jsonr.NewReader(string(v))
	for r.Open(); r.Member(); {
		switch r.Key() {
		case "name":
			name = r.Value()
		case "arguments":
			arguments = r.Value()
		case "parsed_arguments":
		default:
			d.loseAt(at, field, &r)
		}
	}
	var ok bool
	if c.Name, ok = jsonr.Text(name); name != "" && !ok {
		return c, openai.WrongType(pathOf(at, field+".name"), "a string", jsonr.KindOf(name))
	}
	if c.Name == "" {
		return c, openai.Missing(pathOf(at, field+".name"))
	}
	text, ok := jsonr.Text(arguments)
	switch {
	case ok:
		c.Input = openai.Arguments(text)
	case jsonr.KindOf(arguments) == jsonr.Object: // as some servers give it
		c.Input = arguments
	case arguments == "" || arguments == "null":
		c.Input = "{}"
	default:
		return c, openai.WrongType(pathOf(at, field+".arguments"), "a string", jsonr.KindOf(arguments))
	}
	return c, nil
}

// customOf reads {"name","input"}.
func (d *requestDecoder) customOf(v ir.Raw, at ir.Pos) (ir.Content, *ir.Error) {
	c := ir.Content{Kind: ir.CustomCallContent, At: at}
	var err *ir.Error
	r := jsonr.NewReader(string(v))
	for r.Open(); r.Member() && err == nil; {
		switch r.Key() {
		case "name":
			c.Name, err = textAt(&r, at, ".custom.name")
		case "input":
			c.Text, err = textAt(&r, at, ".custom.input")
		default:
			d.loseAt(at, ".custom", &r)
		}
	}
	if err == nil && c.Name == "" {
		err = openai.Missing(pathOf(at, ".custom.name"))
	}
	return c, err
}

// functionCallID returns the id of the nth message's function_call, for upstreams that want one.
func functionCallID(n int) ir.Escaped {
	return ir.Escaped("call_function_" + strconv.Itoa(n))
}
