package vendors

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

var (
	kimi     = regexp.MustCompile(`^kimi-`)
	kimiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{2,63}$`)
)

// checkMoonshot applies the rules of Moonshot's API: HKUDS/nanobot#202 and Tencent/WeKnora#1383
// (temperature), continuedev/continue#11711 (reasoning), UKGovernmentBEIS/inspect_ai#5152 and
// enricoros/big-AGI#1161 (tool choice), platform.kimi.ai/docs/api/tool-use (pattern of names; the
// words are from MoonshotAI/kimi-cli#1773), 14790897/MiqroForge-Desktop#1165 (root).
func checkMoonshot(body object) {
	if has(body, "temperature") && number(body, "temperature") != 1 {
		shape.Refuse("", "invalid temperature: only 1 is allowed for this model")
	}
	for _, tool := range objects(body, "tools") {
		function := get[object](tool, "function")
		if !kimiName.MatchString(text(function, "name")) {
			shape.Refuse("", "function name is invalid, must start with a letter and can contain letters, "+
				"numbers, underscores, and dashes")
		}
		parameters := get[object](function, "parameters")
		if len(parameters) > 0 {
			checkFlavored(parameters, parameters, "root")
		}
		if len(parameters) > 0 && text(parameters, "type") != "object" {
			shape.Refuse("", `tools.function.parameters.type is required and must be "object"`)
		}
	}
	model := text(body, "model")
	if !kimi.MatchString(model) || text(get[object](body, "thinking"), "type") == "disabled" {
		return
	}
	for i, message := range objects(body, "messages") {
		if has(message, "tool_calls") && text(message, "reasoning_content") == "" {
			shape.Refuse("", "thinking is enabled but reasoning_content is missing in assistant tool call "+
				"message at index %d", i)
		}
	}
	if get[object](body, "tool_choice") != nil {
		shape.Refuse("", "tool_choice 'specified' is incompatible with thinking enabled")
	}
	if text(body, "tool_choice") == "required" && model != "kimi-k3" {
		shape.Refuse("", "tool_choice 'required' is incompatible with thinking enabled")
	}
}

// checkFlavored applies the rules of the "Moonshot flavored json schema" that MoonshotAI/walle checks
// at every level (validator.go, keyword_validators.go). Keywords that walle does not know are ignored.
// Not played: limits of sizes, endless recursion, and values of enum that are not of the type.
func checkFlavored(root, node object, path string) {
	refuse := func(words string, values ...any) {
		shape.Refuse("", "tools.function.parameters is not a valid moonshot flavored json schema, "+
			"details: <At path '%s': %s>", path, fmt.Sprintf(words, values...))
	}
	inside := func(value any, name, words string) {
		inner, isObject := value.(object)
		if !isObject {
			refuse("%s", words)
		}
		checkFlavored(root, inner, strings.TrimPrefix(path+"."+name, "root."))
	}
	if has(node, "type") && has(node, "anyOf") {
		refuse("when using anyOf, type should be defined in anyOf items instead of the parent schema")
	}
	if has(node, "type") && has(node, "$ref") {
		refuse("when using $ref, type should be defined in the referenced schema instead of the parent " +
			"schema")
	}
	if has(node, "enum") && !has(node, "type") {
		refuse("type is not defined")
	}
	properties := get[object](node, "properties")
	for _, name := range get[[]any](node, "required") {
		if said, isText := name.(string); !isText || !has(properties, said) {
			refuse("required property '%v' is not defined in properties", name)
		}
	}
	if has(node, "$ref") {
		checkFlavoredRef(root, node, refuse)
	}
	for _, branch := range get[[]any](node, "anyOf") {
		of, _ := branch.(object)
		for name := range of {
			if name != "description" && name != "title" && name != "anyOf" && has(node, name) {
				refuse("conflicting keywords found in anyOf with parent: %s", name)
			}
		}
		inside(branch, "anyOf", "schema in anyOf must be an object")
	}
	for _, name := range []string{"properties", "$defs"} {
		inner := get[object](node, name)
		for _, key := range slices.Sorted(maps.Keys(inner)) {
			inside(inner[key], name+"."+key, "property schema must be an object")
		}
	}
	if has(node, "items") {
		inside(node["items"], "items", "items must be an object")
	}
	if inner := get[object](node, "additionalProperties"); inner != nil {
		inside(inner, "additionalProperties", "")
	}
}

// checkFlavoredRef applies the rules for $ref.
func checkFlavoredRef(root, node object, refuse func(string, ...any)) {
	to := text(node, "$ref")
	target := root
	if to != "#" {
		name, isDefinition := strings.CutPrefix(to, "#/$defs/")
		if !isDefinition {
			refuse("references must start with #/$defs/")
		}
		defs := get[object](root, "$defs")
		if defs == nil {
			refuse("$defs not found for reference: %s", to)
		}
		target = defs
		for _, step := range strings.Split(name, "/") {
			if target = get[object](target, step); target == nil {
				refuse("invalid $ref path: %s", to)
			}
		}
	}
	for name := range node {
		if name != "$ref" && name != "$defs" && has(target, name) {
			refuse("conflicting keywords found after $ref expansion: %s", name)
		}
	}
}
