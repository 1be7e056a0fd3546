package endpoint

import (
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonr"
)

// Models maps a client's model names to the upstream's: the first pattern that matches wins.
type Models []rule

type rule struct{ pattern, model string }

// Map returns the upstream's name of model: model itself where no pattern matches.
func (m Models) Map(model string) string {
	for _, r := range m {
		if match(r.pattern, model) {
			return r.model
		}
	}
	return model
}

// Names returns the names that stand for themselves: those that a client can be told of.
func (m Models) Names() (names []string) {
	for _, r := range m {
		if !strings.Contains(r.pattern, "*") {
			names = append(names, r.pattern)
		}
	}
	return names
}

// match says whether the whole of s fits pattern, in which * stands for any number of any characters. It goes back to the last
// * only, so it takes at most len(pattern) * len(s) steps.
func match(pattern, s string) bool {
	p, i, star, from := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, i
			p++
		case p < len(pattern) && pattern[p] == s[i]:
			p++
			i++
		case star >= 0:
			from++
			p, i = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

func parseModels(text string) (Models, *Error) {
	object, err := parseObject("MODELS", text, `{"claude-*":"gpt-5.5"}`)
	if err != nil {
		return nil, err
	}
	var models Models
	object.ForEach(func(key, value gjson.Result) bool {
		if value.Type != gjson.String || value.Str == "" {
			err = &Error{"MODELS." + key.Str, "must be the upstream's model name, a string."}
			return false
		}
		models = append(models, rule{key.Str, value.Str})
		return true
	})
	return models, err
}

// parseObject checks that a setting holds a JSON object, as example does.
func parseObject(name, text, example string) (gjson.Result, *Error) {
	if err := jsonr.Check(text); err != nil {
		return gjson.Result{}, &Error{name, "is not JSON: " + err.Error() + ". Set it to a JSON object."}
	}
	object := gjson.Parse(text)
	if !object.IsObject() {
		return gjson.Result{}, &Error{name, "must be a JSON object, as " + example + "."}
	}
	return object, nil
}
