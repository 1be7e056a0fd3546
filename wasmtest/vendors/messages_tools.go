package vendors

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// Tools that Anthropic's Messages API accepts.

var (
	cacheControl = shape.Exact(shape.Members{
		"type": shape.OneOf("ephemeral"), "ttl?": shape.OneOf("5m", "1h"),
	})
	cached   = shape.Members{"cache_control?": shape.Nullable(cacheControl)}
	toolName = shape.Pattern(`^[a-zA-Z0-9_-]{1,128}$`)

	customTool = func(schema shape.Shape) shape.Shape {
		return shape.Exact(shape.Members{
			"type?": shape.OneOf("custom"), "name": toolName,
			"description?": shape.Text, "input_schema": schema,
			"strict?": shape.Bool, "eager_input_streaming?": shape.Bool, "defer_loading?": shape.Bool,
			"allowed_callers?": shape.ListOf(shape.OneOf("direct", "code_execution_20250825",
				"code_execution_20260120", "code_execution_20260521")),
		}, cached)
	}
	looseTool  = customTool(looseMessages)
	strictTool = customTool(strictMessages)

	domains    = shape.ListOf(shape.Filled)
	searchTool = shape.Exact(shape.Members{
		"type": shape.OneOf("web_search_20250305"), "name": shape.OneOf("web_search"),
		"max_uses?":        shape.From(1),
		"allowed_domains?": domains, "blocked_domains?": domains,
		"user_location?": shape.Exact(shape.Members{
			"type": shape.OneOf("approximate"), "city?": shape.Text, "region?": shape.Text,
			"country?": shape.Text, "timezone?": shape.Text,
		}),
	}, cached)
	fetchTool = shape.Exact(shape.Members{
		"type": shape.OneOf("web_fetch_20250910", "web_fetch_20260209"), "name": shape.OneOf("web_fetch"),
		"max_uses?":        shape.From(1),
		"allowed_domains?": domains, "blocked_domains?": domains,
		"citations?":          shape.Exact(shape.Members{"enabled": shape.Bool}),
		"max_content_tokens?": shape.From(1),
	}, cached)
	toolSearch = shape.Exact(shape.Members{
		"type": shape.OneOf("tool_search_tool_bm25_20251119", "tool_search_tool_regex_20251119"),
		"name": shape.OneOf("tool_search_tool_bm25", "tool_search_tool_regex"),
	}, cached)
	toolset = shape.Exact(shape.Members{
		"type": shape.Any, "mcp_server_name": shape.Filled, "configs?": shape.AnyObject,
		"default_config?": shape.Exact(shape.Members{"enabled?": shape.Bool, "defer_loading?": shape.Bool}),
	}, cached)
	mcpServer = shape.Exact(shape.Members{
		"type": shape.OneOf("url"), "name": shape.Filled, "url": shape.Pattern(`^https:\/\/`),
		"authorization_token?": shape.Filled,
	})
)

// plainKey matches the keys of properties that the API accepts at the root of a schema. Its words:
// beautyfree/appstore-connect-mcp#2; it does not look at nested schemas
// (aws-solutions-library-samples/accelerated-intelligent-document-processing-on-aws#709).
var plainKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

func looseMessages(schema any, path string) {
	shape.PlainRoot(schema, path)
	for key := range get[object](schema.(object), "properties") {
		if !plainKey.MatchString(key) {
			shape.Refuse(path+".properties", "Property keys should match pattern '%s'", plainKey)
		}
	}
	shape.Draft(schema, path)
}

func strictMessages(schema any, path string) {
	looseMessages(schema, path)
	answerSchema(schema, path)
}

func messagesTool(value any, path string) {
	tool, _ := value.(object)
	switch kind := text(tool, "type"); {
	case strings.HasPrefix(kind, "web_search"), strings.HasPrefix(kind, "web_fetch"):
		if strings.HasPrefix(kind, "web_fetch") {
			fetchTool(value, path)
		} else {
			searchTool(value, path)
		}
		if has(tool, "allowed_domains") && has(tool, "blocked_domains") {
			shape.Refuse(path, "only one of `allowed_domains` and `blocked_domains` can be specified")
		}
	case strings.HasPrefix(kind, "tool_search_tool"):
		toolSearch(value, path)
	case strings.HasPrefix(kind, "code_execution"):
		codeTool(value, path)
	case kind == "mcp_toolset":
		toolset(value, path)
	case get[bool](tool, "strict"):
		strictTool(value, path)
	default:
		looseTool(value, path)
	}
}

// checkServers requires exactly one toolset for each MCP server, and a server for each toolset.
func checkServers(body object) {
	servers := texts(objects(body, "mcp_servers"), "name")
	named := texts(ofType(objects(body, "tools"), "mcp_toolset"), "mcp_server_name")
	for _, name := range servers {
		if i := slices.Index(named, name); i < 0 || slices.Contains(named[i+1:], name) {
			shape.Refuse("mcp_servers", "'%s' must be referenced by exactly one MCPToolset", name)
		}
	}
	for _, name := range named {
		if !slices.Contains(servers, name) {
			shape.Refuse("tools", "MCP server '%s' not found in mcp_servers", name)
		}
	}
}

// checkMessagesTools checks the tools of a request and each tool_reference in a result.
func checkMessagesTools(body object) {
	tools, names := objects(body, "tools"), map[string]bool{}
	isNew := shape.Unique("tool names")
	deferred := 0
	for i, tool := range tools {
		name := text(tool, "name")
		if !has(tool, "name") {
			name = "mcp:" + text(tool, "mcp_server_name")
		}
		isNew(name, fmt.Sprintf("tools[%d].name", i))
		names[name] = true
		if get[bool](tool, "defer_loading") {
			deferred++
		}
	}
	if choice := get[object](body, "tool_choice"); choice != nil {
		if len(tools) == 0 {
			shape.Refuse("tool_choice", "may only be specified while providing tools")
		}
		if name := text(choice, "name"); text(choice, "type") == "tool" && !names[name] {
			shape.Refuse("tool_choice.name", "tool '%s' not found in provided tools", name)
		}
	}
	for _, tool := range tools {
		if get[bool](tool, "defer_loading") && tool["cache_control"] != nil {
			shape.Refuse("", "Tool '%s' cannot have both defer_loading=true and cache_control set."+
				" Tools with defer_loading cannot use prompt caching.", text(tool, "name"))
		}
	}
	if len(tools) > 0 && deferred == len(tools) {
		shape.Refuse("", "At least one tool must have defer_loading=false. All tools cannot be deferred.")
	}
	walk(body["messages"], func(o object) {
		if name := text(o, "tool_name"); text(o, "type") == "tool_reference" && !names[name] {
			shape.Refuse("", "Tool reference '%s' not found in available tools", name)
		}
	})
}
