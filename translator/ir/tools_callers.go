package ir

import "edgelingua/translator/jsonr"

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

// LoseCallers notes as lost that code may call the request's tools: an upstream of another API does
// not run the client's code. The model can call these tools itself.
func (r *Request) LoseCallers(lost *Lost) {
	for i := range r.Tools {
		if t := &r.Tools[i]; t.Callers != "" {
			lost.Add(t.At.Path(".allowed_callers"))
		}
	}
}
