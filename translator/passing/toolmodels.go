package passing

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// toTools has the steps from the value of a member to each of its tools. "[]" is any element of a
// list; a name is a member's name.
var toTools = [...][]string{
	tools:    {"[]"},
	input:    {"[]", "tools", "[]"},                         // OpenAI's additional_tools, tool_search_output
	messages: {"[]", "content", "[]", "tool", "definition"}, // Anthropic's tool_addition
}

// modelWithin reads the next value of r and returns the path, below the value, of a tool's member
// with a model to call, or "". steps are the steps from the value to the tools. With advisor the model
// of Anthropic's advisor does not count.
func modelWithin(r *jsonr.Reader, steps []string, advisor bool) string {
	if len(steps) == 0 {
		after := *r
		if v, _, _ := jsonr.LastMember(string(after.Value()), "type"); advisor &&
			strings.HasPrefix(string(v), Advisor) {
			*r = after
			return ""
		}
		return modelOfTool(r, true)
	}
	if steps[0] == "[]" {
		n := 0
		for r.OpenArray(); r.Element(); n++ {
			if path := modelWithin(r, steps[1:], advisor); path != "" {
				return "[" + strconv.Itoa(n) + "]" + path
			}
		}
		return ""
	}
	for r.OpenObject(); r.Member(); {
		if key := r.Key(); fold(key) == steps[0] {
			if path := modelWithin(r, steps[1:], advisor); path != "" {
				return "." + key + path
			}
		}
	}
	return ""
}

// modelOfTool is modelWithin for one tool. Anthropic's advisor and OpenAI's image_generation have a
// "model". OpenRouter's tools and plugins have models as members or as parameters; its fusion,
// advisor and subagent call models even without naming one. With outer the tool may be OpenAI's
// namespace, which contains tools, but no further namespace.
func modelOfTool(r *jsonr.Reader, outer bool) string {
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		if outer && memberOf(key) == tools {
			n := 0
			for r.OpenArray(); r.Element(); n++ {
				if path := modelOfTool(r, false); path != "" {
					return "." + key + "[" + strconv.Itoa(n) + "]" + path
				}
			}
			continue
		}
		value := r.Value()
		found := namesModel(key, value)
		switch key {
		case "parameters": // a function's parameters are a schema: its properties are one level deeper
			p := jsonr.NewReader(string(value))
			for p.OpenObject(); p.Member(); {
				found = namesModel(p.Key(), p.Value()) || found
			}
		case "type", "id":
			text, _ := jsonr.Text(value)
			switch strings.TrimPrefix(jsonw.Unescape(text), "openrouter:") {
			case "fusion", "advisor", "subagent":
				found = true
			}
		}
		if found {
			return "." + key
		}
	}
	return ""
}

// namesModel reports whether a member of a tool, or of its parameters, names a model.
func namesModel(key string, value ir.Raw) bool {
	m := memberOf(key)
	return (m == model || m == further) && jsonr.Asks(value)
}
