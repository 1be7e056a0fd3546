package vendors

import (
	"fmt"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// Tools that OpenAI's Responses API accepts.

var (
	responsesFunction = func(parameters shape.Shape) shape.Shape {
		return shape.Exact(shape.Members{
			"type": shape.Any, "name": openAIName, "description?": shape.Nullable(shape.Text),
			"parameters": parameters,
			// the API changes the schema of a function without strict into a strict one
			"strict?":          shape.Nullable(shape.Bool),
			"defer_loading?":   shape.Bool,
			"allowed_callers?": shape.ListOf(shape.OneOf("direct", "programmatic")),
		})
	}
	responsesFunctions = ifStrict(responsesFunction(strictResponses), responsesFunction(looseResponses))
	responsesCustom    = shape.Exact(shape.Members{
		"type": shape.Any, "name": openAIName, "description?": shape.Text,
		"allowed_callers?": shape.ListOf(shape.OneOf("direct", "programmatic")),
		"format?": shape.Tagged("type", shape.Members{
			"text": shape.Exact(shape.Members{"type": shape.Any}),
			"grammar": shape.Exact(shape.Members{
				"type": shape.Any, "syntax": shape.OneOf("lark", "regex"), "definition": shape.Filled,
			}),
		}),
	})

	responsesTool = shape.Tagged("type", shape.Members{
		"function": responsesFunctions,
		"custom":   responsesCustom,
		"namespace": shape.Exact(shape.Members{
			"type": shape.Any, "name": openAIName, "description": shape.Text,
			"tools": shape.Some(shape.Tagged("type", shape.Members{
				"function": responsesFunctions, "custom": responsesCustom,
			})),
		}),
		"tool_search": shape.Exact(shape.Members{
			"type": shape.Any, "execution?": shape.OneOf("client", "server"),
			"description?": shape.Nullable(shape.Text),
			"parameters?":  shape.Nullable(shape.AnyObject),
		}),
		"programmatic_tool_calling": shape.Exact(shape.Members{"type": shape.Any}),
		"local_shell":               shape.Exact(shape.Members{"type": shape.Any}),
		"image_generation": shape.Exact(shape.Members{
			"type": shape.Any, "output_format?": shape.OneOf("png", "webp", "jpeg"),
		}),
		"mcp": shape.Exact(shape.Members{
			"type": shape.Any, "server_label": shape.Pattern(`^[a-zA-Z][a-zA-Z0-9_-]*$`),
			"server_url": shape.Pattern(`^https:\/\/`), "authorization?": shape.Filled,
			"allowed_tools?": shape.ListOf(shape.Filled), "require_approval?": shape.OneOf("always", "never"),
			"defer_loading?": shape.Bool,
		}),
		"web_search": shape.Exact(shape.Members{
			"type": shape.Any, "external_web_access?": shape.Bool,
			"search_content_types?": shape.ListOf(shape.OneOf("text", "image")),
			"filters?": shape.Nullable(shape.Exact(shape.Members{
				"allowed_domains?": shape.Nullable(shape.ListOf(shape.Filled)),
			})),
			"search_context_size?": shape.OneOf("low", "medium", "high"),
			"user_location?":       shape.Any,
		}),
	})
)

func looseResponses(schema any, path string) {
	shape.PlainRoot(schema, path)
	shape.Arrays(schema, path)
}

func strictResponses(schema any, path string) {
	looseResponses(schema, path)
	shape.Closed(schema, path, true)
	shape.Permitted(schema, path, shape.NotOpenAI)
}

// responsesName returns the name of a tool or a tool choice: name, server_label or type.
func responsesName(tool object) string {
	for _, member := range []string{"name", "server_label"} {
		if name := text(tool, member); name != "" {
			return name
		}
	}
	return text(tool, "type")
}

// checkResponsesTools checks the tools of a request and of additional_tools items. The tools of a
// tool_search_output are not checked: they may repeat tools of the request.
func checkResponsesTools(body object) {
	all := objects(body, "tools")
	for _, item := range ofType(objects(body, "input"), "additional_tools") {
		all = append(all, objects(item, "tools")...)
	}
	isNew, isNewLabel := shape.Unique("tool names"), shape.Unique("server labels")
	deferred := false
	var search object
	for i, tool := range all {
		if label := text(tool, "server_label"); label != "" { // a function may have a label's name
			isNewLabel(label, fmt.Sprintf("tools[%d].server_label", i))
		} else {
			isNew(responsesName(tool), fmt.Sprintf("tools[%d].name", i))
		}
		isNewInside := shape.Unique("tool names")
		inside := objects(tool, "tools")
		for k, one := range inside {
			isNewInside(text(one, "name"), fmt.Sprintf("tools[%d].tools[%d].name", i, k))
		}
		isDeferred := func(tool object) bool { return get[bool](tool, "defer_loading") }
		deferred = deferred || slices.ContainsFunc(inside, isDeferred) ||
			!has(tool, "tools") && isDeferred(tool)
		if search == nil && text(tool, "type") == "tool_search" {
			search = tool
		}
	}
	if deferred && search == nil {
		shape.Refuse("", "Invalid Value: 'tools.defer_loading'. Deferred tools require tools.tool_search.")
	}
	if search != nil && text(search, "execution") != "client" && !deferred {
		shape.Refuse("",
			"Invalid Value: 'tools.tool_search'. tools.tool_search requires at least one deferred tool.")
	}
	if choice := get[object](body, "tool_choice"); choice != nil {
		chosen := []object{choice}
		if text(choice, "type") == "allowed_tools" {
			chosen = objects(choice, "tools")
		}
		for _, one := range chosen {
			name := responsesName(one)
			if !slices.ContainsFunc(all, func(tool object) bool { return responsesName(tool) == name }) {
				shape.Refuse("tool_choice", "'%s' not found in 'tools' parameter", name)
			}
		}
	}
}
