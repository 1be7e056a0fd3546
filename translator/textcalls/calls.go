package textcalls

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// tool is a tool that the model may call.
type tool struct {
	word string // its name on the upstream's side
	*ir.Tool
}

// callable returns the tools that the model may call and the client runs.
func callable(r *ir.Request, maxName int) (list []tool) {
	choice := &r.ToolChoice
	if choice.Mode == ir.ToolsNone {
		return nil
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		if !t.Kind.RunByClient() || !r.Allows(t.Name) || choice.Mode == ir.ToolsNamed &&
			choice.Name != t.Name {
			continue
		}
		word := jsonw.Unescape(t.Name)
		if maxName > 0 {
			word = string(ir.Identifier(t.Name, maxName))
		}
		list = append(list, tool{word, t})
	}
	return list
}

// find returns the tool with an upstream's name, or nil.
func find(tools []tool, word string) *tool {
	for i := range tools {
		if tools[i].word == word {
			return &tools[i]
		}
	}
	return nil
}

// call is a call found in the text.
type call struct {
	tool      *tool
	arguments jsonw.Raw // an object
}

// call sends a call downstream. Its id is made like the ids of other calls without one
// (events.Queue.MakeID), plus a "t": an upstream may both omit ids and leave calls in its text.
func (f *filter) call(c *call) {
	id := append([]byte(nil), "call_"...)
	if len(f.answer) > 0 {
		id = append(append(id, ir.Identifier(jsonw.View(f.answer), maxAnswerID)...), '_')
	}
	id = strconv.AppendInt(append(id, 't'), int64(f.calls), 10)
	f.calls++
	f.out.BeginCall(ir.ToolCallBlock, "", jsonw.View(id), c.tool.Name)
	f.out.Text(jsonw.View(jsonw.AppendQuotedRaw(make([]byte, 0, len(c.arguments)+len(c.arguments)/8),
		c.arguments)))
	f.out.Stop()
}

const (
	maxAnswerID = 32  // characters of the answer's id in the ids of calls
	maxKeys     = 256 // arguments of a call
)

// read returns the calls of a complete mark. ok is false if the mark has no valid calls: a name or
// the arguments are missing or repeated, the arguments are not an object, or the model may not call
// the tool.
func (f *filter) read(text ir.Escaped) (calls []call, ok bool) {
	b := builder{tools: f.tools}
	for i := range f.mark.parts {
		p := &f.mark.parts[i]
		if !b.add(p.reads, jsonw.Unescape(text[p.from:p.to])) {
			return nil, false
		}
	}
	if b.word != "" && !b.end() {
		return nil, false
	}
	return b.calls, true
}

// builder assembles calls from the parts of a mark.
type builder struct {
	tools     []tool
	calls     []call
	word      string   // the name of the current call
	arguments string   // its arguments, if they are a single part
	key       string   // the key of the next value
	keys      []string // the keys so far
	object    []byte   // the arguments so far, an unclosed object
}

// add adds a part. It returns false if the parts can't be a call.
func (b *builder) add(what reads, text string) bool {
	switch what {
	case aName:
		b.word = text
	case aWord:
		if b.word == "" { // after a name, the word is an id or a number of the call
			b.word = text
		}
	case aKey:
		for _, key := range b.keys {
			if key == text || len(b.keys) == maxKeys {
				return false
			}
		}
		b.key, b.keys = text, append(b.keys, text)
	case anArguments:
		b.arguments = text
	case aCall:
		r := jsonr.NewReader(text)
		return jsonr.Check(text) == nil && b.read(&r)
	case aList:
		if jsonr.Check(text) != nil {
			return false
		}
		r := jsonr.NewReader(text)
		for r.OpenArray(); r.Element(); {
			if !b.read(&r) {
				return false
			}
		}
		return len(b.calls) > 0
	default:
		return b.value(what, text)
	}
	return true
}

// read reads a call written as an object. An object with unknown members, such as "description", is
// not a call: a tool's definition has "name" and "parameters" too.
func (b *builder) read(r *jsonr.Reader) bool {
	var name, arguments jsonw.Raw
	if r.Kind() != jsonr.Object {
		return false
	}
	for r.OpenObject(); r.Member(); {
		key, v := r.Key(), r.Value()
		switch {
		case key == "name" && name == "":
			name = v
		case (key == "arguments" || key == "parameters") && arguments == "":
			arguments = v
		case key == "type" && v == `"function"`, key == "id":
		default:
			return false
		}
	}
	word, _ := jsonr.Text(name)
	if text, ok := jsonr.Text(arguments); ok { // a string that contains the object
		arguments = jsonw.Raw(jsonw.Unescape(text))
	}
	b.word, b.arguments = jsonw.Unescape(word), string(arguments)
	return arguments != "" && b.end()
}

// value adds the value of an argument.
func (b *builder) value(what reads, text string) bool {
	t := find(b.tools, b.word)
	if t == nil {
		return false
	}
	if what == aLine {
		if text != "" && text[0] == '\n' {
			text = text[1:]
		}
		if text != "" && text[len(text)-1] == '\n' {
			text = text[:len(text)-1]
		}
	}
	isJSON := jsonr.Check(text) == nil
	switch {
	case what == aText, t.Kind == ir.CustomTool:
		isJSON = false
	case what == aJSON && !isJSON:
		return false
	case what != aJSON && isJSON:
		r := jsonr.NewReader(text)
		isJSON = !acceptsText(t.Schema, b.key, r.Kind())
	}
	separator := byte(',')
	if len(b.object) == 0 {
		separator = '{'
	}
	b.object = append(jsonw.AppendString(append(b.object, separator), b.key), ':')
	if isJSON {
		b.object = append(b.object, text...)
	} else {
		b.object = jsonw.AppendString(b.object, text)
	}
	return true
}

// end completes a call. It returns false if the call is not valid.
func (b *builder) end() bool {
	t := find(b.tools, b.word)
	arguments := b.arguments
	if arguments == "" {
		if len(b.object) == 0 {
			b.object = append(b.object, '{')
		}
		arguments = string(append(b.object, '}'))
	}
	if t == nil || jsonr.Check(arguments) != nil {
		return false
	}
	r := jsonr.NewReader(arguments)
	if r.Kind() != jsonr.Object {
		return false
	}
	b.calls = append(b.calls, call{t, r.Value()})
	b.word, b.arguments = "", ""
	return true
}

// acceptsText reports whether an argument is meant as text, although its text is also JSON of some
// kind. If the schema's property has a type, the argument is text if the type is or includes
// string. A property without a type of its own (anyOf, enum) means text if it mentions "string" or
// no type at all, unless the JSON is an object or an array.
func acceptsText(schema ir.Raw, key string, kind jsonr.Kind) bool {
	properties, _, _ := jsonr.LastMember(string(schema), "properties")
	property, _, _ := jsonr.LastMember(string(properties), key)
	if is, _, _ := jsonr.LastMember(string(property), "type"); is != "" {
		return is == `"string"` || jsonr.Holds(is, `"string"`)
	}
	return kind != jsonr.Object && kind != jsonr.Array &&
		(strings.Contains(string(property), `"string"`) || !strings.Contains(string(property), `"type"`))
}
