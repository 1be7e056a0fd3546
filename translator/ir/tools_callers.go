package ir

import (
	"strings"

	"edgelingua/translator/jsonr"
)

// CallersOf returns the value of a tool's allowed_callers for Tool.Callers: "" if only the model
// itself may call the tool, as is the default.
func CallersOf(v Raw) Raw {
	r := jsonr.NewReader(string(v))
	n, direct := 0, false
	for r.OpenArray(); r.Element(); n++ {
		direct = r.Value() == `"direct"`
	}
	if n == 0 && jsonr.KindOf(v) == jsonr.Array || n == 1 && direct || v == "null" {
		return ""
	}
	return v
}

// CallerOf returns the value of a call's caller for Content.Caller: "" for the model itself.
func CallerOf(v Raw) Raw {
	if v == "null" {
		return ""
	}
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		if r.Key() == "type" && r.Value() == `"direct"` {
			return ""
		}
	}
	return v
}

// StrictPath returns the path of the tool's member "strict", which is beside the schema.
func (t *Tool) StrictPath() string {
	return t.At.Path(t.Field[:max(strings.LastIndexByte(t.Field, '.'), 0)] + ".strict")
}

// LoseCallers notes as lost that code may call the request's tools, and that code made calls in the
// history: no upstream of another API runs code with these calls. The model can call the tools
// itself. OpenAI and Anthropic both run such code, but their sandboxes can't replace each other:
//
//   - OpenAI runs JavaScript in a fresh V8 without files, packages or a console (guide "Programmatic
//     tool calling"); a client of Messages asks for Python and bash with files and libraries.
//   - Waiting code at Anthropic continues only if the next request names its container. A stream names
//     the container in its last event, if at all (anthropics/anthropic-sdk-python#1801); items of
//     Responses that a client sends back (`program` with its fingerprint) are complete before.
//   - Anthropic retains such requests; OpenAI's programs run under zero data retention.
func (r *Request) LoseCallers(lost *Lost) {
	for i := range r.Tools {
		if t := &r.Tools[i]; t.Callers != "" {
			lost.Add(t.At.Path(".allowed_callers"))
		}
	}
	for i := range r.Messages {
		for j := range r.Messages[i].Content {
			if c := &r.Messages[i].Content[j]; c.Caller != "" {
				lost.Add(c.At.Path(".caller"))
			}
		}
	}
}
