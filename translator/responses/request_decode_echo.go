package responses

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxEcho is the maximum size, in bytes, of a member of the request repeated in the answer. A
// stream repeats it three times.
const maxEcho = 64 << 10

// echoed are the members of a request that the response repeats. unset is the JSON for a member
// that the request lacks, as in OpenAI's answers, or "" if the response leaves the member out. Open
// Responses' schema of the response requires all of them except "user"; temperature, top_p, the
// penalties and top_logprobs must be numbers.
var echoed = [...]struct{ key, unset string }{
	// Clients in Rust refuse a response without a single required key. Grok Build did so for
	// created_at (Wei-Shaw/sub2api#5601), sequence_number (Wei-Shaw/sub2api#7128) and the details
	// of the usage (lobehub/lobehub#18875). The values repeat the request: the upstream's own
	// values are unknown.
	{"frequency_penalty", "0"},
	{"instructions", "null"},
	{"max_output_tokens", "null"},
	{"max_tool_calls", "null"},
	{"metadata", "{}"},
	{"parallel_tool_calls", "true"},
	{"presence_penalty", "0"},
	{"prompt_cache_key", "null"},
	{"reasoning", `{"effort":null,"summary":null}`},
	{"safety_identifier", "null"},
	{"temperature", "1"},
	{"text", `{"format":{"type":"text"}}`},
	{"tool_choice", `"auto"`},
	{"tools", "[]"},
	{"top_logprobs", "0"},
	{"top_p", "1"},
	{"truncation", `"disabled"`},
	{"user", ""},
}

func isEchoed(key string) bool {
	for i := range echoed {
		if echoed[i].key == key {
			return true
		}
	}
	return false
}

// echo retains the value of the member at r if the answer repeats the member, and fills in the
// defaults the request left out. Line breaks become spaces, because the data of an SSE event is one
// line.
func (d *requestDecoder) echo(key string, r jsonr.Reader) {
	if !isEchoed(key) {
		return
	}
	v := r.Value()
	if len(v) > maxEcho {
		return
	}
	var e jsonr.Edits
	r = jsonr.NewReader(string(v))
	switch key {
	case "reasoning":
		fill(&e, &r, ofReasoning)
	case "text":
		fill(&e, &r, ofText)
	case "tools":
		v = withoutSecrets(v)
		r = jsonr.NewReader(string(v))
		fillTools(&e, &r)
	}
	v = e.Apply(v)
	if strings.ContainsAny(string(v), "\n\r") {
		line := []byte(v)
		jsonw.Flatten(line)
		v = ir.Raw(line)
	}
	list := d.request.Echo
	for i := range list {
		if list[i].Key == key {
			list[i].Value = v
			return
		}
	}
	if list == nil {
		list = make([]ir.Member, 0, len(echoed))
	}
	d.request.Echo = append(list, ir.Member{Key: key, Value: v})
}

// The members that an object of the response always has, with their values if the request has none,
// or null.
var (
	ofReasoning = []ir.Member{{Key: "effort", Value: "null"}, {Key: "summary", Value: "null"}}
	ofText      = []ir.Member{{Key: "format", Value: `{"type":"text"}`}}
	ofSchema    = []ir.Member{{Key: "description", Value: "null"}, {Key: "strict", Value: "false"}}
	ofFunction  = []ir.Member{{Key: "description", Value: "null"}, {Key: "parameters", Value: "null"},
		{Key: "strict", Value: "false"}}
)

// fill adds missing members to the object at r, and to the schema of a format in it.
func fill(e *jsonr.Edits, r *jsonr.Reader, members []ir.Member) {
	if r.Kind() != jsonr.Object {
		return
	}
	has := uint(0)
	for r.OpenObject(); r.Member(); {
		for i := range members {
			if members[i].Key != r.Key() {
				continue
			}
			has |= 1 << i
			if r.Kind() == jsonr.Null {
				e.Add(r.Offset(), r.Offset()+len("null"), string(members[i].Value))
			} else if r.Key() == "format" && typeAt(*r) == "json_schema" {
				fill(e, r, ofSchema)
			}
		}
	}
	end := r.Offset() - len("}")
	for i := range members {
		if has>>i&1 == 0 {
			e.Add(end, end, `,"`+members[i].Key+`":`+string(members[i].Value))
		}
	}
}

// fillTools adds the missing members of functions, including functions in namespaces. The default
// of strict is false, because every upstream gets strict false (requestWriter.function).
func fillTools(e *jsonr.Edits, r *jsonr.Reader) {
	for r.OpenArray(); r.Element(); {
		if typeAt(*r) != "namespace" {
			fillFunction(e, r)
			continue
		}
		for r.OpenObject(); r.Member(); {
			if r.Key() != "tools" {
				continue
			}
			for r.OpenArray(); r.Element(); { // a namespace in a namespace is rejected
				fillFunction(e, r)
			}
		}
	}
}

// fillFunction adds the missing members of a function. A tool without a type is a function (FAULTS
// 66).
func fillFunction(e *jsonr.Edits, r *jsonr.Reader) {
	if kind := typeAt(*r); kind == "function" || kind == "" {
		fill(e, r, ofFunction)
	}
}

// typeAt returns the type of the object at r, or "".
func typeAt(r jsonr.Reader) ir.Escaped { return memberText(string(r.Value()), "type") }
