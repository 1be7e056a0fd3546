package responses

import (
	"strings"

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
// "type" and, optionally, "generate" and "stream_id", the name of a lane, which only the host needs.
// It ignores "stream", because a connection always streams. Body is a copy. An error names the member.
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
				return f, otherEvent(v)
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
			// The hosts look for exactly this spelling of the key, and so does the scan here.
			if kind != jsonr.Null && (!isLane(v) || !strings.HasPrefix(text[from:], `"stream_id"`)) {
				return f, &ir.Error{Kind: ir.InvalidRequest, Path: key, Code: "invalid_stream_id",
					Message: "The 'stream_id' field must be a non-empty string with at most 256 characters " +
						"and may only contain letters, numbers, underscores, hyphens, and periods."}
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

// otherEvent returns the error for an event of a client that is not response.create. The hosts
// themselves answer response.cancel and response.steer while a response is in progress.
func otherEvent(event ir.Raw) *ir.Error {
	err := openai.Invalid("type", "Invalid value for 'type'. Supported values are: 'response.create'.")
	switch event {
	case `"response.cancel"`:
		err.Code, err.Message = "response_not_active", "No response is in progress on this connection."
	case `"response.steer"`:
		err.Code, err.Message = "steering_not_supported", "Steering is not supported here: send the input "+
			"with the next response.create."
	}
	return err
}

// isLane reports whether a value is a valid name of a lane (OpenAI's guide "WebSocket mode").
func isLane(v ir.Raw) bool {
	name, ok := jsonr.Text(v)
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return ok && 0 < len(name) && len(name) <= 256
}
