package vendors

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// The items and tools of OpenAI's that xAI's Responses API has, too (docs.x.ai, "Responses API" and
// "Tools"; the types XAIResponses... of @langchain/xai).
var (
	xAIItems = []string{
		"", "message", "reasoning", "function_call", "function_call_output", "web_search_call", "mcp_call",
	}
	xAITools = []string{"function", "web_search", "x_search", "code_interpreter", "file_search", "mcp"}
)

// loosened returns a copy of a request without what OpenAI limits and xAI does not, as far as is known:
// schemas, which become one that OpenAI accepts, and top_logprobs.
func loosened(body object) object {
	body = maps.Clone(body)
	delete(body, "top_logprobs")
	accepted := object{"type": "object", "properties": object{}}
	if tools := slices.Clone(get[[]any](body, "tools")); tools != nil {
		for i, element := range tools {
			if tool, isObject := element.(object); isObject && text(tool, "type") == "function" {
				tool = maps.Clone(tool)
				tool["parameters"], tool["strict"] = accepted, false
				tools[i] = tool
			}
		}
		body["tools"] = tools
	}
	if settings := maps.Clone(get[object](body, "text")); has(get[object](settings, "format"), "schema") {
		format := maps.Clone(get[object](settings, "format"))
		format["schema"], format["strict"] = accepted, false
		settings["format"] = format
		body["text"] = settings
	}
	return body
}

// checkXAIResponses applies the rules of xAI's Responses API. Items: router-for-me/CLIProxyAPI#3704
// and #4434. Tools: kittors/CliRelay#696. Members: router-for-me/CLIProxyAPI#5648 and
// lidge-jun/opencodex#2240. Efforts: JetBrains/junie#39. Images: docs.x.ai, "Image Understanding".
func checkXAIResponses(body object) {
	for _, name := range []string{"metadata", "stop"} {
		if has(body, name) {
			shape.Refuse("", "Argument not supported: %s", name)
		}
	}
	if has(body, "tool_choice") && len(objects(body, "tools")) == 0 {
		shape.Refuse("", "Invalid request content: A tool_choice was set on the request but no tools were "+
			"specified.")
	}
	if model := text(body, "model"); text(get[object](body, "reasoning"), "effort") != "" &&
		!grokEffort.MatchString(model) {
		shape.Refuse("", "Model %s does not support parameter reasoningEffort.", model)
	}
	for _, tool := range objects(body, "tools") {
		if kind := text(tool, "type"); !slices.Contains(xAITools, kind) {
			shape.Refuse("", "Failed to deserialize the JSON body into the target type: "+
				"unknown variant `%s`", kind)
		}
		if has(tool, "external_web_access") {
			shape.Refuse("", "Argument not supported: external_web_access")
		}
	}
	for i, item := range objects(body, "input") {
		if !slices.Contains(xAIItems, text(item, "type")) {
			shape.Refuse("", "Failed to deserialize the JSON body into the target type: "+
				"data did not match any variant of untagged enum ModelInput")
		}
		for _, list := range []string{"content", "output"} {
			for k, part := range objects(item, list) {
				url := text(part, "image_url")
				if strings.HasPrefix(url, "data:") && !xAIImage.MatchString(url) {
					shape.Refuse(fmt.Sprintf("input[%d].%s[%d]", i, list, k), "Unsupported image format")
				}
			}
		}
	}
}
