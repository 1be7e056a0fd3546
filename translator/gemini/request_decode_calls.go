package gemini

import (
	"strconv"

	"edgelingua/translator/google"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// answers matches results to the calls of the model's last turn.
type answers struct {
	open []openCall
	byID map[ir.Escaped]int // the index in open of each call with an id from the client
	all  queue              // of all calls

	named, unsaid map[ir.Escaped]*queue // by name: all calls, and the calls without an id from the client
}

type openCall struct {
	id   ir.Escaped
	done bool
}

// queue lists indexes of answers.open.
type queue []int

// first returns the first call without a result, nil for none.
func (a *answers) first(q *queue) *openCall {
	if q == nil {
		return nil
	}
	for ; len(*q) > 0; *q = (*q)[1:] {
		if c := &a.open[(*q)[0]]; !c.done {
			return c
		}
	}
	return nil
}

// add adds a call. given says that its id is from the client.
func (a *answers) add(id, name ir.Escaped, given bool) {
	if a.named == nil {
		a.byID, a.named, a.unsaid = map[ir.Escaped]int{}, map[ir.Escaped]*queue{}, map[ir.Escaped]*queue{}
	}
	n := len(a.open)
	a.open = append(a.open, openCall{id: id})
	to := func(named map[ir.Escaped]*queue) {
		if named[name] == nil {
			named[name] = new(queue)
		}
		*named[name] = append(*named[name], n)
	}
	a.all = append(a.all, n)
	if to(a.named); given {
		a.byID[id] = n
	} else {
		to(a.unsaid)
	}
}

// of returns the id of the call for a result:
//
//   - of the call with the result's id;
//   - if the result has another id, of the first open call with its name and without an id from the
//     client;
//   - if the result has no id, of the first open call with its name, or else of the first open call;
//   - if there is no such call, the result's own id.
func (a *answers) of(id, name ir.Escaped) ir.Escaped {
	if n, ok := a.byID[id]; ok {
		a.open[n].done = true
		return id
	}
	named := a.named[name]
	if id != "" {
		named = a.unsaid[name]
	}
	c := a.first(named)
	if c == nil && id == "" {
		c = a.first(&a.all)
	}
	if c == nil {
		return id
	}
	c.done = true
	return c.id
}

// ownID is the prefix of the ids that are made here for calls of the history. No known server makes
// ids with this prefix: all ids of a conversation must differ.
const ownID = madeID + "made_"

// call reads a functionCall (Gemini API, "FunctionCall"). Most clients send no id: then the call's
// number in the history becomes its id, the same in each turn.
func (d *requestDecoder) call(c *ir.Content, v ir.Raw) (err *ir.Error) {
	r := jsonr.NewReader(string(v))
	if err = google.CheckObjectAt(&r, c.At, ".functionCall"); err != nil {
		return err
	}
	c.Kind, c.Input = ir.ToolCallContent, "{}"
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "id":
			c.ID, err = google.ReadTextAt(&r, c.At, ".functionCall.id")
		case "name":
			c.Name, err = google.ReadTextAt(&r, c.At, ".functionCall.name")
		case "args":
			if err = google.CheckObjectAt(&r, c.At, ".functionCall.args"); err == nil {
				c.Input = r.Value()
			}
		case "partialArgs", "partial_args", "willContinue", "will_continue":
			if jsonr.Asks(r.Value()) {
				err = google.Invalid(c.At.Path(".functionCall."+r.Key()),
					"A function call in the history must be complete: send all of its arguments in args.")
			}
		default:
			d.lost.AddMemberAt(c.At, ".functionCall", &r)
		}
	}
	if err != nil {
		return err
	}
	if c.Name == "" {
		return google.Invalid(c.At.Path(".functionCall.name"), "Name cannot be empty.")
	}
	given := c.ID != ""
	if !given {
		d.made++
		c.ID = ir.Escaped(ownID + strconv.Itoa(d.made))
	}
	d.calls.add(c.ID, c.Name, given)
	return nil
}

// response reads a functionResponse (Gemini API, "FunctionResponse"), and finds its call in the
// model's last turn.
func (d *requestDecoder) response(c *ir.Content, v ir.Raw) (err *ir.Error) {
	r := jsonr.NewReader(string(v))
	if err = google.CheckObjectAt(&r, c.At, ".functionResponse"); err != nil {
		return err
	}
	c.Kind = ir.ToolResultContent
	var id, name ir.Escaped
	var said ir.Raw
	var parts jsonr.Reader
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "id":
			id, err = google.ReadTextAt(&r, c.At, ".functionResponse.id")
		case "name":
			name, err = google.ReadTextAt(&r, c.At, ".functionResponse.name")
		case "response":
			if err = google.CheckObjectAt(&r, c.At, ".functionResponse.response"); err == nil {
				said = r.Value()
			}
		case "parts":
			parts = r.Here()
		default: // willContinue and scheduling, for functions that do not block
			d.lost.AddMemberAt(c.At, ".functionResponse", &r)
		}
	}
	if err != nil {
		return err
	}
	c.ID = d.calls.of(id, name)
	google.ReadOutput(c, said)
	return d.resultParts(c, &parts)
}

// resultParts reads the images and files of a result (Gemini API, "FunctionResponsePart").
func (d *requestDecoder) resultParts(c *ir.Content, r *jsonr.Reader) *ir.Error {
	if r.Kind() == jsonr.Missing {
		return nil
	}
	at := ir.Pos{Form: resultPart, Index: c.At.Index}
	if _, err := d.ListAt(r, at); err != nil {
		return err
	}
	n := 0
	for r.OpenArray(); r.Element(); n++ {
		b := ir.Content{At: at.Element(n)}
		if err := google.CheckObjectAt(r, b.At, ""); err != nil {
			return err
		}
		var err *ir.Error
		for r.OpenObject(); err == nil && r.Member(); {
			if r.Kind() == jsonr.Null {
				continue
			}
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
