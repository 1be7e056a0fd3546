package chat

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// requestDecoder reads one body of POST /v1/chat/completions (API reference, "Create chat
// completion").
type requestDecoder struct {
	lost     *ir.Lost
	request  *ir.Request
	items    ir.Items
	lifted   bool // in the content of an assistant message: see messageFields.lift
	function int  // index of the message whose function_call has no result yet; -1 for none

	// Raw members, decoded after the whole body has been read.
	tools, functions, search, toolChoice, functionCall ir.Raw
	usage                                              bool // stream_options.include_usage is true

	off   string // the path of the member that turns thinking off, "" for none
	shown string // the path of the member that asks to see the reasoning, or ""
}

// decode reads the whole body. The last of several members with the same name counts.
// openai.ReadMember reads any member not named here, or notes it as lost.
func (d *requestDecoder) decode(body string) *ir.Error {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return openai.WrongType("", "an object", r.Kind())
	}
	q := d.request
	d.items.Of = "messages, content parts, tool calls, tools and stop sequences"
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		key := r.Key()
		if r.Kind() == jsonr.Null {
			continue // null means absent
		}
		switch key {
		case "messages":
			err = d.messages(&r)
		case "tools":
			d.tools, err = openai.ReadList(&r, key)
		case "functions":
			d.functions, err = openai.ReadList(&r, key)
		case "web_search_options":
			d.search, err = openai.ReadObject(&r, key)
		case "tool_choice":
			d.toolChoice = r.Value()
		case "function_call":
			d.functionCall = r.Value()
		case "max_completion_tokens":
			q.LimitPath = key
			q.MaxTokens, err = openai.ReadPositive(&r, key)
		case "max_tokens":
			// The older name of max_completion_tokens. If a body has both, max_completion_tokens
			// counts.
			var n int64
			if n, err = openai.ReadPositive(&r, key); q.LimitPath != "max_completion_tokens" {
				q.MaxTokens, q.LimitPath = n, key
			}
		case "top_k":
			// not in OpenAI's API; vLLM documents top_k as an extra parameter of its
			// OpenAI-compatible server
			q.TopK, err = openai.ReadNumber(&r, key)
		case "stop":
			err = d.stop(&r)
		case "n":
			if n, ok := jsonr.Int(r.Value()); !ok || n != 1 {
				err = openai.Invalid(key, "Invalid value for 'n': this service returns only one choice.")
			}
		case "logprobs":
			var set bool
			if set, err = openai.ReadFlag(&r, key); set {
				q.Logprobs = key
			}
		case "response_format":
			err = d.format(&r)
		case "reasoning_effort":
			q.EffortPath = key
			q.Effort, err = openai.ReadText(&r, key)
		case "verbosity":
			q.Verbosity, err = openai.ReadText(&r, key)
		case "stream_options":
			err = d.streamOptions(&r)
		case "modalities":
			if v := r.Value(); !isOnlyText(v) {
				d.lost.Add(key)
			}
		case "cache_control": // OpenRouter's own; parts and tools have it too
			q.Cache = ir.Breakpoint(&r)
		default:
			var known bool
			if known, err = d.thinking(&r, key); !known {
				err = openai.ReadMember(&r, q, d.lost)
			}
		}
		if err != nil {
			return err
		}
	}
	switch {
	case q.Model == "":
		return openai.Missing("model")
	case q.Messages == nil:
		return openai.Missing("messages")
	}
	q.StreamUsage = q.Stream && d.usage
	d.settleEffort()
	return d.offer()
}

// stop reads "stop": a string, or a list of strings. An empty string is no stop sequence.
func (d *requestDecoder) stop(r *jsonr.Reader) *ir.Error {
	d.request.Stop = nil
	switch r.Kind() {
	case jsonr.String:
		if e, _ := jsonr.Text(r.Value()); e != "" {
			d.request.Stop = []ir.Escaped{e}
		}
		return nil
	case jsonr.Array:
	default:
		return openai.WrongType("stop", "one of a string or array of strings", r.Kind())
	}
	n, err := d.items.Count(r)
	if err != nil {
		return err
	}
	d.request.Stop = make([]ir.Escaped, 0, n)
	n = 0
	for r.OpenArray(); r.Element(); n++ {
		kind := r.Kind()
		e, ok := jsonr.Text(r.Value())
		if !ok {
			return openai.WrongType("stop["+strconv.Itoa(n)+"]", "a string", kind)
		}
		if e != "" {
			d.request.Stop = append(d.request.Stop, e)
		}
	}
	return nil
}

// format reads "response_format": text, json_object or json_schema. The mode JSON_SCHEMA of
// Instructor (instructor-js, 1.x) has the schema beside the type json_object, as the APIs of
// Together and Anyscale.
func (d *requestDecoder) format(r *jsonr.Reader) (err *ir.Error) {
	const path, schemaPath = "response_format", "response_format.json_schema"
	if r.Kind() != jsonr.Object {
		return openai.WrongType(path, "an object", r.Kind())
	}
	f, kind, object := ir.Format{}, ir.Escaped(""), ir.Raw("")
	for r.OpenObject(); err == nil && r.Member(); {
		switch r.Key() {
		case "type":
			kind, err = openai.ReadText(r, path+".type")
		case "schema":
			if r.Kind() == jsonr.Object {
				object = r.Value()
			} else {
				d.lost.AddMember(path, r)
			}
		case "json_schema":
			if r.Kind() != jsonr.Object {
				return openai.WrongType(schemaPath, "an object", r.Kind())
			}
			for r.OpenObject(); r.Member(); {
				if err := openai.ReadSchema(r, schemaPath, &f, d.lost); err != nil {
					return err
				}
			}
		default:
			d.lost.AddMember(path, r)
		}
	}
	if err == nil {
		d.request.Format, err = openai.Format(kind, path, f, schemaPath)
	}
	switch {
	case object == "" || err != nil:
	case kind == "json_object":
		d.request.Format = ir.Format{Name: "response", Schema: object, At: path}
	default:
		d.lost.Add(path + ".schema")
	}
	return err
}

// streamOptions reads "stream_options". include_obfuscation is ignored: OpenAI pads its events
// against observers of the network, and edgelingua's streams have no padding to leave out.
func (d *requestDecoder) streamOptions(r *jsonr.Reader) (err *ir.Error) {
	if r.Kind() != jsonr.Object {
		return openai.WrongType("stream_options", "an object", r.Kind())
	}
	d.usage = false
	for r.OpenObject(); err == nil && r.Member(); {
		switch key := r.Key(); {
		case r.Kind() == jsonr.Null, key == "include_obfuscation":
		case key == "include_usage":
			d.usage, err = openai.ReadFlag(r, "stream_options.include_usage")
		default:
			d.lost.AddMember("stream_options", r)
		}
	}
	return err
}

// isOnlyText reports whether a list of modalities asks for nothing but text.
func isOnlyText(v ir.Raw) bool {
	r := jsonr.NewReader(string(v))
	if r.Kind() != jsonr.Array {
		return false
	}
	for r.OpenArray(); r.Element(); {
		if r.Value() != `"text"` {
			return false
		}
	}
	return true
}
