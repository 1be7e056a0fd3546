package vendors

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"edgelingua/wasmtest/vendors/shape"
)

// The rules for requests to Anthropic's Messages API. Sources: platform.claude.com/docs, "Create a
// Message", and error messages from the API.

var (
	toolID = shape.Pattern(`^[a-zA-Z0-9_-]+$`)
	effort = shape.OneOf("low", "medium", "high", "xhigh", "max")

	webCitation = shape.Tagged("type", shape.Members{"web_search_result_location": shape.Exact(shape.Members{
		"type": shape.Any, "cited_text": shape.Text, "encrypted_index": shape.Filled,
		"title": shape.Nullable(shape.Text), "url": shape.WebURL,
	})})
	textBlock = shape.Exact(shape.Members{
		"type": shape.OneOf("text"), "text": shape.Filled,
		"citations?": shape.Nullable(shape.ListOf(webCitation)),
	}, cached)

	urlSource = shape.Exact(shape.Members{"type": shape.Any, "url": tlsURL})
	tlsURL    = func(value any, path string) {
		shape.WebURL(value, path)
		if strings.HasPrefix(value.(string), "http:") {
			shape.Refuse(path, "Only HTTPS URLs are supported.")
		}
	}
	fileSource = shape.Exact(shape.Members{"type": shape.Any, "file_id": shape.Filled})
	imageBlock = shape.Exact(shape.Members{
		"type": shape.Any,
		"source": shape.Tagged("type", shape.Members{
			"base64": imageData,
			"url":    urlSource,
			"file":   fileSource,
		}),
	}, cached)
	documentBlock = shape.Exact(shape.Members{
		"type": shape.Any,
		"source": shape.Tagged("type", shape.Members{
			"base64": shape.Exact(shape.Members{
				"type": shape.Any, "media_type": shape.OneOf("application/pdf"), "data": shape.Base64,
			}),
			"text": shape.Exact(shape.Members{
				"type": shape.Any, "media_type": shape.OneOf("text/plain"), "data": shape.Filled,
			}),
			"url":  urlSource,
			"file": fileSource,
		}),
		"title?": shape.Nullable(shape.Text), "context?": shape.Nullable(shape.Text),
		"citations?": shape.Nullable(shape.Exact(shape.Members{"enabled": shape.Bool})),
	}, cached)
	toolReference = shape.Exact(shape.Members{"type": shape.OneOf("tool_reference"), "tool_name": toolName})
	toolResult    = shape.Exact(shape.Members{
		"type": shape.Any, "tool_use_id": toolID, "is_error?": shape.Bool,
		"content?": shape.Either(shape.Text, shape.ListOf(shape.Tagged("type", shape.Members{
			"text": textBlock, "image": imageBlock,
			"document": documentBlock, "tool_reference": toolReference,
		}))),
	}, cached)
	toolUse = shape.Exact(shape.Members{
		"type": shape.Any, "id": toolID, "name": toolName, "input": shape.AnyObject,
		"caller?": toolCaller,
	}, cached)
	thinkingBlock = shape.Exact(shape.Members{
		"type": shape.Any, "thinking": shape.Text, "signature": shape.Filled,
	})
	redactedBlock = shape.Exact(shape.Members{"type": shape.Any, "data": shape.Filled})

	// Blocks of searches and MCP calls that the API has run. Only the API can read the results.
	serverUse = shape.Exact(shape.Members{
		"type": shape.Any, "id": shape.Pattern(`^srvtoolu_[a-zA-Z0-9_]+$`), "input": shape.AnyObject,
		"name": shape.OneOf("web_search", "tool_search_tool_bm25", "tool_search_tool_regex",
			"code_execution"),
		"caller?": toolCaller,
	}, cached)
	toolSearchResult = shape.Exact(shape.Members{
		"type": shape.Any, "tool_use_id": shape.Pattern(`^srvtoolu_`),
		"content": shape.Tagged("type", shape.Members{
			"tool_search_tool_search_result": shape.Exact(shape.Members{
				"type": shape.Any, "tool_references": shape.ListOf(toolReference),
			}),
		}),
	}, cached)
	mcpUse = shape.Exact(shape.Members{
		"type": shape.Any, "id": shape.Pattern(`^mcptoolu_[a-zA-Z0-9_]+$`), "name": shape.Filled,
		"server_name": shape.Filled, "input": shape.AnyObject,
	}, cached)
	mcpResult = shape.Exact(shape.Members{
		"type": shape.Any, "tool_use_id": shape.Pattern(`^mcptoolu_`), "is_error": shape.Bool,
		"content": shape.ListOf(textBlock),
	}, cached)
	webResult = shape.Exact(shape.Members{
		"type": shape.Any, "tool_use_id": shape.Pattern(`^srvtoolu_`),
		"content": shape.ListOf(shape.Exact(shape.Members{
			"type": shape.OneOf("web_search_result"), "title": shape.Text, "url": shape.WebURL,
			"encrypted_content": shape.Filled, "page_age?": shape.Nullable(shape.Text),
		})),
	}, cached)

	messageShape = shape.Tagged("role", shape.Members{
		"user": speaker(shape.Members{
			"text": textBlock, "image": imageBlock, "document": documentBlock, "tool_result": toolResult,
		}),
		"assistant": speaker(shape.Members{
			"text": textBlock, "tool_use": toolUse,
			"thinking": thinkingBlock, "redacted_thinking": redactedBlock,
			"server_tool_use": serverUse, "tool_search_tool_result": toolSearchResult,
			"mcp_tool_use": mcpUse, "mcp_tool_result": mcpResult, "web_search_tool_result": webResult,
			"code_execution_tool_result": codeResult,
		}),
		"system": speaker(shape.Members{"text": textBlock}, shape.Members{
			"output_config?": shape.Exact(shape.Members{"effort?": effort}),
			"clear_at?":      shape.OneOf("never", "next_user_message"),
		}),
	})

	messagesChoice = shape.Tagged("type", shape.Members{
		"auto": shape.Exact(shape.Members{"type": shape.Any, "disable_parallel_tool_use?": shape.Bool}),
		"any":  shape.Exact(shape.Members{"type": shape.Any, "disable_parallel_tool_use?": shape.Bool}),
		"tool": shape.Exact(shape.Members{
			"type": shape.Any, "name": toolName, "disable_parallel_tool_use?": shape.Bool,
		}),
		"none": shape.Exact(shape.Members{"type": shape.Any}),
	})

	messagesRequest = shape.Exact(shape.Members{
		"model":        shape.Filled,
		"max_tokens":   shape.Integer(1, 128_000),
		"messages":     shape.Some(messageShape),
		"system?":      shape.Either(shape.Text, shape.ListOf(textBlock)),
		"tools?":       shape.ListOf(messagesTool),
		"mcp_servers?": shape.ListOf(mcpServer),
		"tool_choice?": messagesChoice,
		"thinking?": shape.Tagged("type", shape.Members{
			"enabled": shape.Exact(shape.Members{
				"type": shape.Any, "budget_tokens": shape.From(1024), "display?": shape.Text,
			}),
			"adaptive": shape.Exact(shape.Members{
				"type": shape.Any, "display?": shape.Text,
				"block_binding?": shape.Exact(shape.Members{
					"prefix_mismatch_behavior": shape.OneOf("error", "drop_block", "allow"),
				}),
			}),
			"disabled": shape.Exact(shape.Members{"type": shape.Any}),
		}),
		"output_config?": shape.Exact(shape.Members{
			"effort?": effort,
			"format?": shape.Exact(shape.Members{"type": shape.OneOf("json_schema"), "schema": answerSchema}),
		}),
		"stop_sequences?": shape.ListOf(shape.Filled),
		"stream?":         shape.Bool,
		"temperature?":    shape.Between(0, 1),
		"top_p?":          shape.Between(0, 1),
		"top_k?":          shape.From(0),
		"metadata?": shape.Exact(shape.Members{
			"user_id?": shape.Nullable(shape.Max(256, shape.Text)),
		}),
		"service_tier?":       shape.OneOf("auto", "standard_only"),
		"container?":          shape.Either(shape.Filled, shape.AnyObject),
		"speed?":              shape.Nullable(shape.OneOf("standard", "fast")),
		"cache_control?":      cacheControl,
		"context_management?": shape.Exact(shape.Members{"edits": shape.ListOf(shape.AnyObject)}),
		"safeguards?":         shape.ListOf(shape.Any),
	})
)

var imageSource = shape.Exact(shape.Members{
	"type":       shape.Any,
	"media_type": shape.OneOf("image/jpeg", "image/png", "image/gif", "image/webp"),
	"data":       shape.Base64,
})

// imageData requires the media type of the bytes: anthropics/claude-code#13131.
func imageData(value any, path string) {
	imageSource(value, path)
	source := value.(object)
	declared := text(source, "media_type")
	bytes, err := base64.StdEncoding.DecodeString(text(source, "data"))
	shown := http.DetectContentType(bytes)
	if err == nil && strings.HasPrefix(shown, "image/") && shown != declared {
		shape.Refuse(path+".data", "Image does not match the provided media type %s", declared)
	}
}

// speaker returns the shape of a message with a text or blocks, and with the members in more.
func speaker(blocks shape.Members, more ...shape.Members) shape.Shape {
	return shape.Exact(append(more, shape.Members{
		"role": shape.Any, "content": shape.Either(shape.Filled, shape.Some(shape.Tagged("type", blocks))),
	})...)
}

func answerSchema(schema any, path string) {
	shape.PlainRoot(schema, path)
	shape.Closed(schema, path, false)
	shape.Permitted(schema, path, shape.NotAnthropic)
}

// blocksOf returns the content of a message as blocks. A text becomes one block.
func blocksOf(message object) []object {
	if said, ok := message["content"].(string); ok {
		return []object{{"type": "text", "text": said}}
	}
	return objects(message, "content")
}

// ofType returns the blocks of a type.
func ofType(blocks []object, kind string) (all []object) {
	for _, block := range blocks {
		if text(block, "type") == kind {
			all = append(all, block)
		}
	}
	return all
}

// texts returns text(o, name) for each object o.
func texts(all []object, name string) []string {
	values := make([]string, len(all))
	for i, one := range all {
		values[i] = text(one, name)
	}
	return values
}

func checkMessages(v *Vendor, r *parsed) {
	body := r.body
	if has(body, "thread") {
		shape.Refuse("thread", "threads are not supported")
	}
	checkSpeed(body, r.Header)
	checkVersion(v, body, r.Header.Get("Anthropic-Version"))
	messagesRequest(body, "")
	checkBetas(body, r.Header)
	messages := objects(body, "messages")
	if text(messages[0], "role") != "user" {
		shape.Refuse("messages[0].role", "the first message must be the user's")
	}
	if breakpoints(body) > 4 {
		shape.Refuse("", "a maximum of 4 blocks with cache_control may be provided")
	}
	checkSystem(text(body, "model"), messages)
	checkMessagesTools(body)
	checkServers(body)
	checkToolUses(messages, len(objects(body, "tools")) > 0)
	checkContainer(body, messages)
	checkPrograms(body, messages)
	checkServerCalls(messages)
	checkSignatures(messages, &v.issued)
	checkGeneration(body, r.Header.Get("Anthropic-Version"))
	checkAlwaysThinks(body)
	switch text(get[object](body, "thinking"), "type") {
	case "enabled", "adaptive":
		checkThinking(body, messages, &v.issued)
	default:
		if strings.Contains(encode(body["context_management"]), "clear_thinking_20251015") {
			shape.Refuse("context_management",
				"`clear_thinking_20251015` strategy requires `thinking` to be enabled or adaptive")
		}
	}
	last := messages[len(messages)-1]
	said := []rune(text(lastOf(blocksOf(last)), "text"))
	if text(last, "role") == "assistant" && len(said) > 0 && unicode.IsSpace(said[len(said)-1]) {
		shape.Refuse("messages", "final assistant content cannot end with trailing whitespace")
	}
}

func lastOf(all []object) object {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1]
}

var (
	budgetModel = regexp.MustCompile(`-4-5$`) // models with a thinking budget
	opus47      = regexp.MustCompile(`-4-7$`)
)

// checkGeneration rejects parameters that the model does not support. Models up to 4.5 have a
// thinking budget; models from 4.7 on decide how much to think. Models from 4.7 on reject
// "non-default" sampling values ("What's new in Claude Opus 4.7"). With API version 2023-06-01 they
// accept the default temperature, 1, which Copilot CLI 1.0.102 and Grok Build 1.0.41 send.
func checkGeneration(body object, version string) {
	model, thinking := text(body, "model"), text(get[object](body, "thinking"), "type")
	if budgetModel.MatchString(model) {
		if thinking == "adaptive" {
			shape.Refuse("thinking.type", "adaptive thinking is not supported on this model")
		}
		if text(get[object](body, "output_config"), "effort") != "" {
			shape.Refuse("output_config.effort", "This model does not support the effort parameter")
		}
	}
	if !opus47.MatchString(model) && !isNewest(model) {
		return
	}
	if thinking == "enabled" {
		shape.Refuse("thinking.type", "enabled is not supported on this model")
	}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		isDefault := version == oldVersion && name == "temperature" && number(body, name) == 1
		if has(body, name) && !isDefault {
			shape.Refuse(name, "is deprecated for this model")
		}
	}
}

// checkToolUses requires a result for each tool_use at the beginning of the next message, and a
// tool_use in the previous message for each result. System messages do not count.
func checkToolUses(messages []object, hasTools bool) {
	isSystem := func(message object) bool { return text(message, "role") == "system" }
	messages = slices.DeleteFunc(slices.Clone(messages), isSystem)
	isNew := shape.Unique("`tool_use` ids")
	const unanswered = "`tool_use` ids were found without `tool_result` blocks immediately after: %s"
	var open []string
	for i, message := range messages {
		path := fmt.Sprintf("messages[%d]", i)
		blocks := blocksOf(message)
		results := texts(ofType(blocks, "tool_result"), "tool_use_id")
		for k, id := range results {
			if !slices.Contains(open, id) {
				shape.Refuse(path, "unexpected `tool_use_id` found in `tool_result` blocks: %s", id)
			}
			if slices.Index(results, id) != k {
				shape.Refuse(path, "each tool_use must have a single result: %s", id)
			}
		}
		for _, id := range open {
			if !slices.Contains(results, id) {
				shape.Refuse(path, unanswered, id)
			}
		}
		if len(ofType(blocks[:len(results)], "tool_result")) < len(results) {
			shape.Refuse(path, "`tool_result` blocks must come first")
		}
		open = texts(ofType(blocks, "tool_use"), "id")
		for _, id := range open {
			isNew(id, path)
		}
		if len(open) > 0 && !hasTools {
			shape.Refuse("tools", "requests which include `tool_use` blocks must define tools")
		}
	}
	if len(open) > 0 {
		shape.Refuse(fmt.Sprintf("messages[%d]", len(messages)-1), unanswered, open[0])
	}
}

// refuseMessages returns the body of a 400 answer. The details make the SDK's tool runner send
// whole conversations instead of a thread.
func refuseMessages(r *shape.Refusal) any {
	failure := fields("type", "invalid_request_error", "message", words(r, ofAnthropic))
	details := fields("error_code", "thread_unsupported_request", "unsupported", list("thread"))
	return fields("type", "error", "error", failure.withIf(r.Path == "thread", "details", details))
}
