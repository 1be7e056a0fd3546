package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// storeOption is the last sentence of error messages that the option "store" would avoid.
const storeOption = "The endpoint's option \"store\":\"on\" would store them."

// requestDecoder reads one body of POST /v1/responses (API reference, "Create a model response").
type requestDecoder struct {
	lost    *ir.Lost
	request *ir.Request
	items   ir.Items

	content []ir.Content // all blocks of the input
	begin   int          // index in content of the current message's first block
	speaker speaker      // the speaker of the current message

	referred bool // a reference was recorded as a loss
	// the path of a reference to a text of the open turn, until a call follows the text; "": none
	commentary string

	// the path of an item that asks for a compaction, if it is the last item so far
	triggered string

	before int // how many messages precede the last compaction

	latest       ir.Escaped // effort of the last configuration_update item, or ""
	latestPath   string     // where latest was read
	instructions ir.Escaped

	// Members read after the whole body.
	tools, toolChoice ir.Raw
	lists             []toolList // lists of tools within items
	// indexes in request.Tools by name, for tools called by name
	known map[ir.Escaped]int
	about ir.Escaped // the description of the open namespace, until it is part of a tool's
	// names of tools by other words a choice may use: see index
	byLocal, byType map[ir.Escaped]ir.Escaped
	byNamespace     map[ir.Escaped][]ir.Escaped

	foundTools bool // the current list has tools found by an upstream's search
	// the last tool search run by the upstream in the input, until its result is read
	searching *ir.Hosted

	alone  bool // the client asks for a compacted conversation
	counts bool // the client only asks for the number of input tokens
}

// decode reads the whole body. Of several members with the same name, the last one counts. Members
// not named here are read by openai.ReadMember, or recorded as losses. Two members are ignored on
// purpose: client_metadata, which Codex sends for OpenAI's records, and stream_options, whose only
// member include_obfuscation turns OpenAI's padding of events on or off.
func (d *requestDecoder) decode(body string) *ir.Error {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return openai.WrongType("", "an object", r.Kind())
	}
	q := d.request
	d.items.Of = "input items, content parts and tools"
	given := false
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		key := r.Key()
		if r.Kind() == jsonr.Null {
			continue // null means absent
		}
		d.echo(key, r)
		switch key {
		case "input":
			given = true
			err = d.input(&r)
		case "instructions":
			d.instructions, err = openai.ReadText(&r, key)
		case "tools":
			d.tools, err = openai.ReadList(&r, key)
		case "tool_choice":
			d.toolChoice = r.Value()
		case "max_output_tokens":
			q.MaxTokens, err = openai.ReadPositive(&r, key)
		case "text":
			err = d.text(&r, key)
		case "reasoning":
			err = d.reasoning(&r)
		case "include":
			err = d.include(&r)
		case "truncation":
			if v := r.Value(); v != `"disabled"` {
				d.lost.Add(key)
			}
		case "background":
			var set bool
			if set, err = openai.ReadFlag(&r, key); set {
				err = openai.Invalid(key,
					"Background responses are not supported here: send the request without 'background'.")
			}
		case "store":
			var set bool
			if set, err = openai.ReadFlag(&r, key); set {
				d.lost.Add(key)
			}
		case "previous_response_id":
			err = openai.Invalid(key,
				"Responses are not stored here: send the whole conversation in 'input', without '"+key+"'. "+
					storeOption)
		case "conversation":
			err = openai.Invalid(key,
				"Conversations are not stored here: send the whole conversation in 'input', without '"+key+
					"'.")
		case "prompt":
			err = openai.Invalid(key,
				"Prompt templates are stored by OpenAI and not available here: send their text in "+
					"'instructions' or 'input'.")
		case "context_management":
			err = d.management(&r)
		case "client_metadata", "stream_options":
		default:
			err = openai.ReadMember(&r, q, d.lost)
		}
		if err != nil {
			return err
		}
	}
	switch {
	case d.counts:
		if !given {
			q.Messages = make([]ir.Message, 1)
		}
	case q.Model == "":
		return openai.Missing("model")
	case !given:
		return openai.Missing("input")
	}
	if d.triggered != "" || d.alone {
		c := d.compaction()
		c.Trigger, c.Alone, c.Path = true, d.alone, d.triggered
	}
	if d.alone {
		q.Stream = false
	}
	q.StreamUsage = q.Stream // a stream of this API always has usage
	if jsonr.IsBlank(d.instructions) {
		q.Messages = q.Messages[1:]
	} else {
		at := ir.Pos{Form: "instructions"}
		q.Messages[0] = ir.Message{Role: ir.System, Content: []ir.Content{{Kind: ir.TextContent, At: at,
			Text: d.instructions}}}
	}
	if q.ReasoningContext == currentTurn {
		q.Own = append(q.Own, ir.Member{Key: contextPath})
	}
	if d.latest != "" {
		q.Effort, q.EffortPath = d.latest, d.latestPath
	}
	return d.offer()
}

// include reads "include". The client gets everything that include can ask for whenever the
// upstream sends it. Logprobs are only requested from the upstream if the client asks for them.
func (d *requestDecoder) include(r *jsonr.Reader) *ir.Error {
	if r.Kind() != jsonr.Array {
		return openai.WrongType("include", "an array of strings", r.Kind())
	}
	i := 0
	for r.OpenArray(); r.Element(); i++ {
		if r.Value() == `"message.output_text.logprobs"` {
			d.request.Logprobs = "include[" + strconv.Itoa(i) + "]"
		}
	}
	return nil
}

// text reads "text": the format of the answer, and its verbosity.
//
//go:noinline
func (d *requestDecoder) text(r *jsonr.Reader, path string) *ir.Error {
	if r.Kind() != jsonr.Object {
		return openai.WrongType(path, "an object", r.Kind())
	}
	d.request.Format, d.request.Verbosity = ir.Format{}, ""
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		if r.Kind() == jsonr.Null {
			continue
		}
		switch r.Key() {
		case "format":
			err = d.format(r, path+".format")
		case "verbosity":
			d.request.Verbosity, err = openai.ReadText(r, path+".verbosity")
		default:
			d.lost.AddMember(path, r)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// format reads {"type":"text"}, {"type":"json_object"} or
// {"type":"json_schema","name","schema","strict"}.
func (d *requestDecoder) format(r *jsonr.Reader, path string) (err *ir.Error) {
	if r.Kind() != jsonr.Object {
		return openai.WrongType(path, "an object", r.Kind())
	}
	f, kind := ir.Format{}, ir.Escaped("")
	for r.OpenObject(); err == nil && r.Member(); {
		if r.Key() == "type" && r.Kind() != jsonr.Null {
			kind, err = openai.ReadText(r, path+".type")
		} else {
			err = openai.ReadSchema(r, path, &f, d.lost)
		}
	}
	if err == nil {
		d.request.Format, err = openai.Format(kind, path, f, path)
	}
	return err
}
