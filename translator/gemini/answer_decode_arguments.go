package gemini

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Bounds of arguments that come in parts.
const (
	maxArgsDepth = 64   // nested containers
	maxArgsSeen  = 4096 // members of the open containers
)

// arguments joins arguments that come in parts (Vertex AI, "PartialArg") into one JSON text. Each
// part has a value other than a container, and its path, for example $.recipe.steps[0].text. A
// string may come in several pieces. The paths come in the order of the text (recorded in
// google-stream-tool-call-arguments), so each piece is written at once. A path back to something
// already written is refused: Gemini 3 Flash has sent wrong paths (vercel/ai#14358).
type arguments struct {
	begun  bool
	json   []byte      // the text of the last parts, not yet yielded
	quoted []byte      // the same as the inside of a string
	within []container // the open containers, the outermost first
	seen   []uint64    // the hashes of the names of the open objects' members
	text   []byte      // the path of the open string, empty for none
}

// container is an open object or array.
type container struct {
	at    step // its member or element in the outer container
	list  bool
	seen  int // the index of its first name in arguments.seen
	count int
}

// step is one step of a path: the hash of a name, or an index.
type step struct {
	index int // -1 for a name
	hash  uint64
}

func (a *arguments) reset() {
	*a = arguments{json: a.json[:0], quoted: a.quoted, within: a.within[:0], seen: a.seen[:0],
		text: a.text[:0]}
}

// take reads partialArgs. It returns false if the parts do not make an object.
func (a *arguments) take(list *jsonr.Reader) bool {
	for list.OpenArray(); list.Element(); {
		var path ir.Escaped
		var value ir.Raw
		continues, other := false, false
		for list.OpenObject(); list.Member(); {
			switch list.Key() {
			case "jsonPath", "json_path":
				path, _ = jsonr.Text(list.Value())
			case "stringValue", "string_value", "numberValue", "number_value", "boolValue", "bool_value":
				value = list.Value()
			case "nullValue", "null_value": // "NULL_VALUE"
				value = "null"
			case "willContinue", "will_continue":
				continues = list.Value() == "true"
			default:
				other = other || jsonr.Asks(list.Value())
			}
		}
		if other || !a.put(path, value, continues) {
			return false
		}
	}
	return true
}

// put writes one value, or a piece of a string. An element without a value ends a string or, for a
// path like $.tables[], a list (google/adk-go#1610).
func (a *arguments) put(path ir.Escaped, value ir.Raw, continues bool) bool {
	piece, isText := jsonr.Text(value)
	if len(a.text) > 0 {
		same := jsonw.View(a.text) == path
		if same && value != "" && !isText {
			return false
		}
		if same {
			a.json = append(a.json, piece...)
		}
		if !same || !continues {
			a.json = append(a.json, '"')
			a.text = a.text[:0]
		}
		if same {
			return true
		}
	}
	if value == "" {
		return true
	}
	if !a.goTo(jsonw.Unescape(path)) {
		return false
	}
	if !isText {
		a.json = append(a.json, value...)
		return true
	}
	a.json = jsonw.AppendEscaped(a.json, piece)
	if continues {
		a.json = a.json[:len(a.json)-1]
		a.text = append(a.text, path...)
	}
	return true
}

// end completes the JSON text at the end of the arguments, once.
func (a *arguments) end() {
	if len(a.text) > 0 {
		a.json = append(a.json, '"')
		a.text = a.text[:0]
	}
	a.begin()
	a.leave(0)
}

// begin writes the bracket of the outermost object, once.
func (a *arguments) begin() {
	if !a.begun {
		a.begun = true
		a.json = append(a.json, '{')
		a.within = append(a.within, container{})
	}
}

// goTo writes everything that precedes the value at path: the ends of the open containers outside
// the path, the beginnings of the containers on the path, and the value's name.
func (a *arguments) goTo(path string) bool {
	rest, ok := strings.CutPrefix(path, "$")
	if !ok || rest == "" {
		return false
	}
	a.begin()
	for depth := 1; rest != ""; depth++ {
		var s step
		var name string
		if s, name, rest = nextStep(rest); s.index < 0 && name == "" ||
			(s.index >= 0) != a.within[depth-1].list {
			return false
		}
		if rest != "" && depth < len(a.within) && a.within[depth].at == s {
			continue
		}
		a.leave(depth)
		if !a.enter(s, name, rest) {
			return false
		}
	}
	return true
}

// enter writes what precedes the member or element s of the innermost container. rest is the
// remaining path: if it is not empty, s is a container and becomes the innermost one.
func (a *arguments) enter(s step, name, rest string) bool {
	c := &a.within[len(a.within)-1]
	if c.count > 0 {
		a.json = append(a.json, ',')
	}
	if c.list {
		if s.index != c.count {
			return false
		}
	} else {
		for _, h := range a.seen[c.seen:] {
			if h == s.hash {
				return false
			}
		}
		if len(a.seen) == maxArgsSeen {
			return false
		}
		a.seen = append(a.seen, s.hash)
		a.json = append(jsonw.AppendString(a.json, name), ':')
	}
	c.count++
	if rest == "" {
		return true
	}
	if len(a.within) == maxArgsDepth {
		return false
	}
	next, _, _ := nextStep(rest)
	bracket := byte('{')
	if next.index >= 0 {
		bracket = '['
	}
	a.json = append(a.json, bracket)
	a.within = append(a.within, container{at: s, list: bracket == '[', seen: len(a.seen)})
	return true
}

// leave writes the ends of all containers except the outermost depth.
func (a *arguments) leave(depth int) {
	for len(a.within) > depth {
		c := a.within[len(a.within)-1]
		a.within, a.seen = a.within[:len(a.within)-1], a.seen[:c.seen]
		if c.list {
			a.json = append(a.json, ']')
		} else {
			a.json = append(a.json, '}')
		}
	}
}

// nextStep reads the first step of a path (RFC 9535, only paths of a single value): .name,
// ['name'], ["name"] or [0]. For anything else the name is "".
func nextStep(path string) (s step, name, rest string) {
	bad := step{index: -1}
	if path[0] == '.' {
		end := 1
		for end < len(path) && path[end] != '.' && path[end] != '[' {
			end++
		}
		if name = path[1:end]; name == "*" {
			return bad, "", ""
		}
		return step{-1, hash(name)}, name, path[end:]
	}
	if len(path) < 3 || path[0] != '[' {
		return bad, "", ""
	}
	if quote := path[1]; quote == '\'' || quote == '"' {
		end := 2
		for end < len(path) && path[end] != quote {
			if path[end] == '\\' {
				end++
			}
			end++
		}
		if end+1 >= len(path) || path[end+1] != ']' {
			return bad, "", ""
		}
		name = strings.ReplaceAll(path[2:end], `\'`, `'`)
		name = jsonw.Unescape(ir.Escaped(name))
		return step{-1, hash(name)}, name, path[end+2:]
	}
	end := strings.IndexByte(path, ']')
	n := int64(-1)
	if end > 0 {
		n = jsonr.Count(ir.Raw(path[1:end]))
	}
	if n < 0 {
		return bad, "", ""
	}
	return step{index: int(n)}, "", path[end+1:]
}

// hash returns the 64-bit FNV-1a hash of a name.
func hash(name string) uint64 {
	sum := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		sum = (sum ^ uint64(name[i])) * 1099511628211
	}
	return sum
}
