// Package schema writes the JSON Schemas of tools and formats as an upstream takes them.
package schema

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// API says whose form of requests a schema stands in.
type API Rules

const (
	Messages API = API(Tuples) // checked against draft 2020-12
	OpenAI   API = API(Typed)  // Chat Completions and Responses, of OpenAI or any other server
	Gemini   API = API(Tuples | Typed | Defined | PlainRoot | LoneRefs)

	Interactions = Gemini | API(NoEmptyList) // Google's other API
)

// rules returns what an upstream takes of schemas outside of strict modes.
//
// OpenAI and those who pass its API on refuse an array that does not say what it holds ("array
// schema missing items"), also beside prefixItems, and Ollama schemas that are true or false
// ("cannot unmarshal bool into Go struct field"); what Typed adds means what the schema means
// without it. llama.cpp (common/json-schema-to-grammar.cpp) takes tuples in both forms, but looks
// at items first; Ollama's api.Tool has no prefixItems: where nothing is known, tuples stay as they
// are.
//
// Google takes JSON Schema beside its own form of schemas, and refuses an array that does not say
// what it holds ("items: missing field"), a required name that is none of a property ("property is
// not defined"), a root that is no object ("parameters schema should be of type OBJECT"), what
// stands beside a $ref ("If a schema node has $ref set, then only description and default can be
// set alongside it", anomalyco/opencode#12295), a $ref to nothing ("reference to undefined schema",
// agent-infra/sandbox#83), and schemas whose required properties lead back to them ("ref loops are
// only supported if they include optional or nullable property values",
// google-gemini/gemini-cli#14945).
func (a API) rules(t *ir.Target) Rules {
	rules := Rules(a)
	if t.PlainRoot {
		rules |= PlainRoot
		if a == OpenAI {
			rules |= Tuples | TupleItems
		}
	}
	if t.DefinedRequired && a == OpenAI {
		rules |= Defined | Tuples
	}
	return rules
}

func (a API) strict() Rules {
	if a == Messages {
		return AnthropicStrict
	}
	return OpenAIStrict
}

// Append appends a schema, an object or "", as an upstream takes it. It goes byte for byte and in
// the client's order, since prompt caches depend on that (FAULTS 68); only what the upstream
// refuses is repaired (FAULTS 67). Where type or properties are missing at the root of Arguments
// they are put in front. With a Misfit nothing is appended.
func Append(dst []byte, schema jsonw.Raw, rules Rules) (out []byte, fit Fit) {
	return new(Room).append(dst, schema, rules)
}

func (m *Room) append(dst []byte, schema jsonw.Raw, rules Rules) (out []byte, fit Fit) {
	if schema == "" {
		schema = "{}"
	}
	if m.frames == nil {
		m.frames = make([]frame, 0, 16)
	}
	w := walk{text: string(schema), rules: rules, r: jsonr.NewReader(string(schema)), frames: m.frames[:0]}
	w.run()
	if w.refs.needThemselves(w.text, &w.bad); (w.lone != nil || w.bad != nil) && !w.unplain &&
		rules&LoneRefs != 0 {
		w = walk{text: w.text, rules: rules, r: jsonr.NewReader(w.text), frames: w.frames[:0], lone: w.lone,
			bad: w.bad, again: true}
		w.run()
	}
	m.frames = w.frames
	if w.unplain {
		plain, lost := flattened(schema)
		dst, fit = m.append(dst, plain, rules&^PlainRoot)
		fit.Lost = append(lost, fit.Lost...)
		return dst, fit
	}
	if w.Misfit != "" {
		return dst, w.Fit
	}
	if w.front == "" {
		return w.Edits.Append(dst, schema, 0), w.Fit
	}
	dst = append(append(dst, '{'), w.front...)
	w.r = jsonr.NewReader(string(schema))
	if w.r.OpenObject(); w.r.Member() {
		dst = append(dst, ',')
	}
	return w.Edits.Append(dst, schema, 1), w.Fit
}

// Room is what the schemas of one request share: memory, and how much of what is strict Anthropic
// has been asked for. The zero value is ready.
type Room struct {
	frames                  []frame
	tools, optional, unions int
}

// Anthropic takes so many strict tools in a request, and so many optional parameters and parameters
// with a union in all of them (platform.claude.com/docs/en/build-with-claude/structured-outputs,
// "Schema complexity limits").
const (
	maxStrict   = 20
	maxOptional = 24
	maxUnions   = 16
)

// takes reports whether Anthropic takes one more strict tool, and counts it.
func (m *Room) takes(fit *Fit) bool {
	if m.tools == maxStrict || m.optional+fit.Optional > maxOptional || m.unions+fit.Unions > maxUnions {
		return false
	}
	m.tools++
	m.optional += fit.Optional
	m.unions += fit.Unions
	return true
}

// WriteTool writes the schema of what a function takes, and reports whether the function is to be
// marked as strict. What a strict mode can't be told makes a function that is not strict: that and
// the keyword are noted as lost, as are keywords that are cut.
func (m *Room) WriteTool(w *ir.Writer, t *ir.Tool, api API) (strictly bool) {
	rules := api.rules(w.Target) | Arguments
	if w.Target.StrictSubset {
		rules |= strict | Forced
	}
	if t.Strict == ir.True && w.Target.Strict {
		dst, fit := m.append(w.Dst, t.Schema, rules|api.strict())
		if fit.Misfit == "" && (api != Messages || m.takes(&fit)) {
			w.Dst = dst
			lose(w.Lost, t.At.Path(t.Field), fit.Lost)
			return true
		}
		lose(w.Lost, t.At.Path(t.Field), fit.misfit())
	}
	if t.Strict == ir.True {
		w.Lost.Add(t.At.Path(".strict"))
	}
	var fit Fit
	w.Dst, fit = m.append(w.Dst, t.Schema, rules)
	lose(w.Lost, t.At.Path(t.Field), fit.Lost)
	return false
}

// WriteFormat writes the schema of the answer, and returns what "strict" is to be beside it. A
// client whose API has no such flag means true; that is only said to an upstream that is known to
// hold to it.
func WriteFormat(w *ir.Writer, api API) ir.Tri {
	f := &w.Request.Format
	rules := api.rules(w.Target)
	if api == Messages || f.Strict == ir.True && w.Target.Strict {
		dst, fit := Append(w.Dst, f.Schema, rules|api.strict())
		if fit.Misfit == "" {
			w.Dst = dst
			lose(w.Lost, f.SchemaPath(), fit.Lost)
			return ir.True
		}
		if api != Messages { // else the vendor of the client's own API judges
			lose(w.Lost, f.SchemaPath(), fit.misfit())
			if !f.Enforced {
				w.Lost.Add(f.At + ".strict")
			}
		}
	}
	var fit Fit
	w.Dst, fit = Append(w.Dst, f.Schema, rules)
	lose(w.Lost, f.SchemaPath(), fit.Lost)
	switch {
	case f.Enforced:
		return ir.Unset
	case f.Strict == ir.True && w.Target.Strict:
		return ir.False
	}
	return f.Strict
}

// Holds reports whether a Messages upstream can hold its answer to a schema, in a mode that is
// always strict.
func Holds(schema jsonw.Raw, t *ir.Target) bool {
	_, fit := Append(nil, schema, Messages.rules(t)|AnthropicStrict)
	return fit.Misfit == "" && fit.Optional <= maxOptional && fit.Unions <= maxUnions
}

// misfit returns the keyword because of which a schema can't be strict, as a list.
func (f *Fit) misfit() []string {
	if f.Misfit == "" {
		return nil
	}
	return []string{f.Misfit}
}

func lose(lost *ir.Lost, path string, keywords []string) {
	for _, k := range keywords {
		lost.Add(path + "." + ir.Shortened(k))
	}
}

// Description returns the description of a tool for an upstream that has no other place for
// examples of its input.
func Description(t *ir.Tool) ir.Escaped {
	if t.Examples == "" || !jsonr.Asks(t.Examples) {
		return t.Description
	}
	text := append(make([]byte, 0, len(t.Description)+len(t.Examples)+32), t.Description...)
	if len(text) > 0 {
		text = append(text, `\n\n`...)
	}
	text = append(text, `Examples of its input:`...)
	r := jsonr.NewReader(string(t.Examples))
	for r.OpenArray(); r.Element(); {
		text = jsonw.AppendQuotedRaw(append(text, `\n`...), r.Value())
	}
	return jsonw.View(text)
}

// CustomInput is the schema by which an upstream that only knows functions is told of a tool that
// takes free text: an object with the text in its member "input".
const CustomInput = `{"type":"object","properties":{"input":{"type":"string",` +
	`"description":"The whole input of the tool, as plain text."}},"required":["input"],` +
	`"additionalProperties":false}`

// AppendCustomDescription appends the description of a tool that takes free text, escaped and
// without quotes, with the tool's grammar in words behind it. grammar is the value of "format" in
// the OpenAI APIs, or "".
func AppendCustomDescription(dst []byte, description jsonw.Escaped, grammar jsonw.Raw) []byte {
	dst = append(dst, description...)
	var syntax, definition jsonw.Escaped
	r := jsonr.NewReader(string(grammar))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "syntax":
			syntax, _ = jsonr.Text(r.Value())
		case "definition":
			definition, _ = jsonr.Text(r.Value())
		case "grammar": // Chat Completions has both inside "grammar"
			for r.OpenObject(); r.Member(); {
				switch r.Key() {
				case "syntax":
					syntax, _ = jsonr.Text(r.Value())
				case "definition":
					definition, _ = jsonr.Text(r.Value())
				}
			}
		}
	}
	if definition == "" {
		return dst
	}
	if description != "" {
		dst = append(dst, `\n\n`...)
	}
	dst = append(dst, `The input must follow this grammar (`...)
	dst = append(dst, syntax...)
	dst = append(dst, `):\n`...)
	return append(dst, definition...)
}
