package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// call reads one element of tool_calls. Two members are no losses: index comes from a stream that a
// client has gathered, and OpenAI's SDK (7.55 for JavaScript) adds parsed_arguments to an answer
// and sends it back. ir.MatchResults gives ids to calls and results without one.
func (d *requestDecoder) call(r *jsonr.Reader, at ir.Pos) (c ir.Content, err *ir.Error) {
	if r.Kind() != jsonr.Object {
		return c, openai.WrongType(at.String(), "an object", r.Kind())
	}
	var kind, id ir.Escaped
	var function, custom called
	for r.OpenObject(); r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "type":
			kind, err = openai.Required(r.Value(), at, ".type")
		case "id":
			id, err = openai.Required(r.Value(), at, ".id")
		case "function":
			if r.Kind() != jsonr.Object {
				return c, openai.WrongType(at.Path(".function"), "an object", r.Kind())
			}
			function = d.called(r, at, ".function", "arguments")
		case "custom":
			if r.Kind() != jsonr.Object {
				return c, openai.WrongType(at.Path(".custom"), "an object", r.Kind())
			}
			custom = d.called(r, at, ".custom", "input")
		case "index":
		default:
			d.lost.AddMemberAt(at, "", r)
		}
		if err != nil {
			return c, err
		}
	}
	switch {
	case kind == "custom" || kind == "" && !function.there && custom.there:
		c, err = custom.custom(at)
	case kind == "function" || kind == "":
		c, err = function.function(at, ".function")
	default:
		return c, openai.Unsupported(at.Path(".type"), kind, "'function' and 'custom'")
	}
	c.ID = id
	return c, err
}

// called holds the raw members of a call: {"name","arguments"} of a function, {"name","input"} of a
// custom tool.
type called struct {
	there       bool
	name, input ir.Raw
}

// called reads a call from the object at r: the given field of the value at at. input is the name
// of the input's member.
func (d *requestDecoder) called(r *jsonr.Reader, at ir.Pos, field, input string) called {
	f := called{there: true}
	for r.OpenObject(); r.Member(); {
		switch key := r.Key(); {
		case key == "name":
			f.name = r.Value()
		case key == input:
			f.input = r.Value()
		case key == "parsed_arguments" && input == "arguments":
		default:
			d.lost.AddMemberAt(at, field, r)
		}
	}
	return f
}

// function returns a function call. at and field give the position of its members.
func (f *called) function(at ir.Pos, field string) (ir.Content, *ir.Error) {
	c := ir.Content{Kind: ir.ToolCallContent, At: at}
	var err *ir.Error
	if c.Name, err = f.calls(at, field); err != nil {
		return c, err
	}
	text, ok := jsonr.Text(f.input)
	switch {
	case ok:
		c.Input = openai.Arguments(text)
	case jsonr.KindOf(f.input) == jsonr.Object:
		// llama.cpp sent objects in March 2026 (ggml-org/llama.cpp#20198), and clients send them
		// back
		c.Input = f.input
	case f.input == "" || f.input == "null":
		c.Input = "{}"
	default:
		return c, openai.WrongType(at.Path(field+".arguments"), "a string", jsonr.KindOf(f.input))
	}
	return c, nil
}

// custom returns a custom tool's call, whose input is free text.
func (f *called) custom(at ir.Pos) (c ir.Content, err *ir.Error) {
	c = ir.Content{Kind: ir.CustomCallContent, At: at}
	if c.Name, err = f.calls(at, ".custom"); err != nil {
		return c, err
	}
	var ok bool
	if c.Text, ok = jsonr.Text(f.input); !ok && f.input != "" {
		return c, openai.WrongType(at.Path(".custom.input"), "a string", jsonr.KindOf(f.input))
	}
	return c, nil
}

// calls returns the name of the called tool, or "" if the call has no name: ir.MatchResults then
// adds one.
func (f *called) calls(at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	if f.name == "" {
		return "", nil
	}
	return openai.Required(f.name, at, field+".name")
}

// functionCallID returns the id of the nth message's function_call: the older form has none, and
// the hub pairs calls and results by id.
func functionCallID(n int) ir.Escaped {
	return ir.Escaped("call_function_" + strconv.Itoa(n))
}

// result reads a message with role "tool", or "function" in the older form. A "function" message
// has no id: it answers the function_call before it.
//
//go:noinline
func (d *requestDecoder) result(f *messageFields, at ir.Pos) (list []ir.Content, err *ir.Error) {
	c := ir.Content{Kind: ir.ToolResultContent, At: at}
	switch {
	case f.role == "function" && d.function < 0:
		c.ID = functionCallID(at.Index[0]) // of no call: ir.MatchResults makes a text of the result
	case f.role == "function":
		c.ID, d.function = functionCallID(d.function), -1
	case f.callID != "":
		if c.ID, err = openai.Required(f.callID, at, ".tool_call_id"); err != nil {
			return nil, err
		}
	}
	c.Parts, err = d.content(make([]ir.Content, 0, contentLen(f.content)), f.content, at.Index)
	return []ir.Content{c}, err
}
