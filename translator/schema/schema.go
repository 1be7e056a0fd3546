// Package schema writes the JSON Schemas of tools and formats in the form that an upstream accepts.
package schema

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// API says for which API's requests a schema is written.
type API Rules

const (
	Messages API = API(Tuples) // checked against draft 2020-12
	OpenAI   API = API(Typed)  // Chat Completions and Responses, of OpenAI or any other server
	Gemini   API = API(Tuples | Typed | Defined | PlainRoot | LoneRefs)

	Interactions = Gemini | API(NoEmptyList) // Google's other API
)

// rules returns the rules for an upstream's schemas outside of strict modes.
//
// OpenAI, and servers that forward to its API, refuse an array without a schema for its elements
// ("array schema missing items"), even with prefixItems. Ollama refuses schemas that are true or
// false ("cannot unmarshal bool into Go struct field"). The additions of Typed do not change a
// schema's meaning. llama.cpp (common/json-schema-to-grammar.cpp) accepts tuples in both forms, but
// reads items first; Ollama's api.Tool has no prefixItems: for unknown servers, tuples are
// unchanged.
//
// Google accepts JSON Schema besides its own form of schemas, and refuses: an array without a
// schema for its elements ("items: missing field"); a required name that is not a property
// ("property is not defined"); a root that is not an object ("parameters schema should be of type
// OBJECT"); other members next to a $ref ("If a schema node has $ref set, then only description and
// default can be set alongside it", anomalyco/opencode#12295); a $ref to nothing ("reference to
// undefined schema", agent-infra/sandbox#83); and schemas whose required properties refer back to
// them ("ref loops are only supported if they include optional or nullable property values",
// google-gemini/gemini-cli#14945).
func (a API) rules(t *ir.Target) Rules {
	rules := Rules(a)
	if t.PlainRoot {
		rules |= PlainRoot
		if a == OpenAI {
			rules |= Tuples | TupleItems
		}
	}
	if t.Flavored {
		rules |= Flavored | LoneRefs | Defined | PlainRoot | Tuples | TupleItems
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

// Append appends a schema, an object or "", in the form that an upstream accepts. The schema's
// bytes and order are unchanged, because prompt caches depend on them (FAULTS 68); only parts that
// the upstream refuses are repaired (FAULTS 67). If type or properties are missing at the root of
// Arguments, Append adds them at the beginning. If fit has a Misfit, nothing is appended.
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
	w.refs.needThemselves(w.text, &w.bad)
	if (w.lone != nil || w.bad != nil || w.cuts != nil) && !w.unplain && rules&LoneRefs != 0 {
		w = walk{text: w.text, rules: rules, r: jsonr.NewReader(w.text), frames: w.frames[:0], lone: w.lone,
			bad: w.bad, cuts: w.cuts, secondPass: true}
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

// Room is shared by the schemas of one request: it has their memory, and counts the strict tools,
// optional parameters and unions sent to Anthropic. The zero value is ready.
type Room struct {
	frames                  []frame
	tools, optional, unions int
}

// Anthropic's limits of strict tools in a request, and of optional parameters and parameters with a
// union in all strict tools together
// (platform.claude.com/docs/en/build-with-claude/structured-outputs, "Schema complexity limits").
const (
	maxStrict   = 20
	maxOptional = 24
	maxUnions   = 16
)

// fits reports whether Anthropic accepts another strict tool, and if so counts the tool.
func (m *Room) fits(fit *Fit) bool {
	if m.tools == maxStrict || m.optional+fit.Optional > maxOptional || m.unions+fit.Unions > maxUnions {
		return false
	}
	m.tools++
	m.optional += fit.Optional
	m.unions += fit.Unions
	return true
}

// WriteTool writes the schema of a function's arguments, and reports whether to mark the function
// as strict. If a strict mode does not support the schema, the function is not strict: the loss of
// "strict" and the unsupported keyword are noted, as are removed keywords.
func (m *Room) WriteTool(w *ir.Writer, t *ir.Tool, api API) (strictly bool) {
	rules := api.rules(w.Target) | Arguments
	if w.Target.StrictSubset {
		rules |= strict | Forced
	}
	if t.Strict == ir.True && w.Target.Strict {
		dst, fit := m.append(w.Dst, t.Schema, rules|api.strict())
		if fit.Misfit == "" && (api != Messages || m.fits(&fit)) {
			w.Dst = dst
			lose(w.Lost, t.At.Path(t.Field), fit.Lost)
			return true
		}
		lose(w.Lost, t.At.Path(t.Field), fit.misfit())
	}
	if t.Strict == ir.True {
		w.Lost.Add(t.StrictPath())
	}
	var fit Fit
	w.Dst, fit = m.append(w.Dst, t.Schema, rules)
	lose(w.Lost, t.At.Path(t.Field), fit.Lost)
	return false
}

// WriteFormat writes the schema of the answer, and returns the value for "strict" next to it.
// Format.Enforced counts as strict, but WriteFormat returns true only for an upstream known to
// enforce the schema.
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
		if api != Messages { // else the vendor of the client's own API decides
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

// Holds reports whether a Messages upstream can enforce a schema for its answer. The mode is always
// strict.
func Holds(schema jsonw.Raw, t *ir.Target) bool {
	_, fit := Append(nil, schema, Messages.rules(t)|AnthropicStrict)
	return fit.Misfit == "" && fit.Optional <= maxOptional && fit.Unions <= maxUnions && OfObjects(schema)
}

// misfit returns a list with Misfit, or nil.
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

// Description returns the description of a tool with its input examples, for an upstream without a
// field for examples.
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

// CustomInput is the schema of a free-text tool for an upstream that only supports functions: an
// object with the text in its member "input".
const CustomInput = `{"type":"object","properties":{"input":{"type":"string",` +
	`"description":"The whole input of the tool, as plain text."}},"required":["input"],` +
	`"additionalProperties":false}`

// AppendCustomDescription appends the description of a free-text tool and then its grammar in
// words, escaped and without quotes. grammar is the value of "format" in the OpenAI APIs, or "".
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
