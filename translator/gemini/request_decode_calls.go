package gemini

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// answered is a call of the history, and whether its result has been read.
type answered struct {
	id, name ir.Escaped
	done     bool
}

// call reads a functionCall (Gemini API, "FunctionCall"). Most clients send no id: the call then gets one by its place among those of the history, so
// that it is the same with each turn.
func (d *requestDecoder) call(c *ir.Content, v ir.Raw) (err *ir.Error) {
	r := jsonr.NewReader(string(v))
	if err = objectAt(&r, c.At, ".functionCall"); err != nil {
		return err
	}
	c.Kind, c.Input = ir.ToolCallContent, "{}"
	for r.OpenObject(); r.Member() && err == nil; {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "id":
			c.ID, err = readTextAt(&r, c.At, ".functionCall.id")
		case "name":
			c.Name, err = readTextAt(&r, c.At, ".functionCall.name")
		case "args":
			if err = objectAt(&r, c.At, ".functionCall.args"); err == nil {
				c.Input = r.Value()
			}
		case "partialArgs", "partial_args", "willContinue", "will_continue":
			if jsonr.Asks(r.Value()) {
				err = invalid(c.At.Path(".functionCall."+r.Key()), "A call of the history must be whole: send all of its arguments as args.")
			}
		default:
			d.lost.AddMemberAt(c.At, ".functionCall", &r)
		}
	}
	switch {
	case err != nil:
		return err
	case c.Name == "":
		return invalid(c.At.Path(".functionCall.name"), "Name cannot be empty.")
	case c.ID == "":
		d.made++
		c.ID = ir.Escaped(madeID + strconv.Itoa(d.made))
	}
	d.calls = append(d.calls, answered{id: c.ID, name: c.Name})
	return nil
}

// response reads a functionResponse (Gemini API, "FunctionResponse"), and finds the call of the model's last turn that it is the result of: by its id, else the
// first one of its name that has no result, else the first one that has none.
func (d *requestDecoder) response(c *ir.Content, v ir.Raw) (err *ir.Error) {
	r := jsonr.NewReader(string(v))
	if err = objectAt(&r, c.At, ".functionResponse"); err != nil {
		return err
	}
	c.Kind = ir.ToolResultContent
	var id, name ir.Escaped
	var said ir.Raw
	var parts jsonr.Reader
	for r.OpenObject(); r.Member() && err == nil; {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "id":
			id, err = readTextAt(&r, c.At, ".functionResponse.id")
		case "name":
			name, err = readTextAt(&r, c.At, ".functionResponse.name")
		case "response":
			if err = objectAt(&r, c.At, ".functionResponse.response"); err == nil {
				said = r.Value()
			}
		case "parts":
			parts = r.Here()
		default: // willContinue and scheduling, of functions that do not block
			d.lost.AddMemberAt(c.At, ".functionResponse", &r)
		}
	}
	if err != nil {
		return err
	}
	c.ID = d.answeredBy(id, name)
	d.output(c, said)
	return d.resultParts(c, &parts)
}

// answeredBy returns the id of the call that a result belongs to. It is the result's own where there is none.
func (d *requestDecoder) answeredBy(id, name ir.Escaped) ir.Escaped {
	const none = -1
	best, named := none, false
	for i := range d.calls {
		switch call := &d.calls[i]; {
		case call.done:
		case id != "" && call.id == id:
			call.done = true
			return id
		case best == none || !named && call.name == name:
			best, named = i, call.name == name
		}
	}
	if best == none || id != "" && d.isCall(id) {
		return id
	}
	d.calls[best].done = true
	return d.calls[best].id
}

// isCall reports whether a call of the model's last turn has an id.
func (d *requestDecoder) isCall(id ir.Escaped) bool {
	for i := range d.calls {
		if d.calls[i].id == id {
			return true
		}
	}
	return false
}

// output reads what a function has returned, an object: its text where that is all of it, as "output" or "result", or as "error" where the call has failed
// (Gemini API: "use output key to specify function output and error key to specify error details"); else the object.
func (d *requestDecoder) output(c *ir.Content, v ir.Raw) {
	if v == "" {
		return
	}
	said, members := ir.Escaped(""), 0
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); members++ {
		switch key, isText := r.Key(), r.Kind() == jsonr.String; key {
		case "output", "result", "error":
			c.IsError = key == "error"
			if one := r.Value(); isText {
				said, _ = jsonr.Text(one)
			} else {
				said = jsonw.View(jsonw.AppendQuotedRaw(nil, one))
			}
		default:
			members++
		}
	}
	switch {
	case members == 0:
		return
	case members > 1:
		c.IsError, said = false, jsonw.View(jsonw.AppendQuotedRaw(nil, v))
	}
	if said != "" {
		c.Parts = append(c.Parts, ir.Content{Kind: ir.TextContent, At: c.At, Text: said})
	}
}

// resultParts reads the images and files of a result (Gemini API, "FunctionResponsePart").
func (d *requestDecoder) resultParts(c *ir.Content, r *jsonr.Reader) *ir.Error {
	if r.Kind() == jsonr.Missing {
		return nil
	}
	at := ir.Pos{Form: resultPart, Index: c.At.Index}
	if _, err := d.listAt(r, at); err != nil {
		return err
	}
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		b := ir.Content{At: at.Element(n)}
		if err := objectAt(r, b.At, ""); err != nil {
			return err
		}
		var err *ir.Error
		for r.OpenObject(); r.Member() && err == nil; {
			switch r.Key() {
			case "inlineData", "inline_data":
				err = inlineData(&b, r.Value())
			case "fileData", "file_data":
				err = fileData(&b, r.Value())
			default:
				d.lost.AddMemberAt(b.At, "", r)
			}
		}
		if err != nil {
			return err
		}
		if b.Kind != 0 {
			c.Parts = append(c.Parts, b)
		}
	}
	return nil
}
