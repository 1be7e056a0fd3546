package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// Frame is the request in a client's text frame on a WebSocket (API reference, "WebSocket events",
// response.create).
type Frame struct {
	Body     []byte // the body of the equivalent POST /v1/responses, with a stream
	Prepares bool   // "generate":false: no model is called
}

// ReadFrame reads a frame, which must have passed jsonr.Check: a body with the additional members
// "type" and, optionally, "generate". It ignores "stream", because a connection always streams.
// Body is a copy. An error names the member.
//
//go:noinline
func ReadFrame(frame []byte) (f Frame, err error) {
	text := string(jsonw.View(frame))
	r := jsonr.NewReader(text)
	if r.Kind() != jsonr.Object {
		return f, openai.WrongType("", "an object", r.Kind())
	}
	var e jsonr.Edits
	typed := false
	end := r.Offset() + 1
	for r.OpenObject(); r.Member(); end = r.Offset() {
		from, _ := jsonr.KeyOf(text, end, &r)
		kind, v, with := r.Kind(), r.Value(), ""
		switch key := r.Key(); key {
		case "type":
			if v != `"response.create"` {
				return f, openai.Invalid(key,
					"Invalid value for 'type'. Supported values are: 'response.create'.")
			}
			if !typed {
				typed, with = true, `"stream":true`
			}
		case "generate":
			if kind != jsonr.Bool && kind != jsonr.Null {
				return f, openai.WrongType(key, "a boolean", kind)
			}
			f.Prepares = v == "false"
		case "stream_id":
			if kind != jsonr.Null {
				return f, openai.Invalid(key,
					"A connection carries only one stream here: remove 'stream_id', and open a connection "+
						"for each conversation.")
			}
		case "stream":
		default:
			continue
		}
		e.Add(from, r.Offset(), with)
	}
	if !typed {
		return f, openai.Missing("type")
	}
	f.Body = e.Append(make([]byte, 0, len(text)), ir.Raw(text), 0)
	return f, nil
}
