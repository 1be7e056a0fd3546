package vendors

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// checkSignatures requires thinking blocks to be as issued.
func checkSignatures(messages []object, issued *issued) {
	for i, message := range messages {
		for k, block := range blocksOf(message) {
			path := fmt.Sprintf("messages[%d].content[%d]", i, k)
			switch text(block, "type") {
			case "thinking":
				if !issued.signed(text(block, "signature"), text(block, "thinking")) {
					shape.Refuse(path, "Invalid `signature` in `thinking` block")
				}
			case "redacted_thinking":
				if !issued.knows(text(block, "data")) {
					shape.Refuse(path, "Invalid `data` in `redacted_thinking` block")
				}
			}
		}
	}
}

// checkThinking rejects parameters that cannot be combined with thinking, and calls without the
// thinking blocks issued before the calls. With a budget, a turn with calls must begin with a
// thinking block.
func checkThinking(body object, messages []object, issued *issued) {
	switch text(get[object](body, "tool_choice"), "type") {
	case "any", "tool":
		shape.Refuse("tool_choice", "Thinking may not be enabled when tool_choice forces tool use")
	}
	if has(body, "temperature") && number(body, "temperature") != 1 {
		shape.Refuse("temperature", "may only be set to 1 when thinking is enabled")
	}
	if has(body, "top_k") {
		shape.Refuse("top_k", "must be unset when thinking is enabled")
	}
	if has(body, "top_p") && number(body, "top_p") < 0.95 {
		shape.Refuse("top_p", "must be at least 0.95 when thinking is enabled")
	}
	if text(lastOf(messages), "role") == "assistant" {
		shape.Refuse("messages", "the beginning of the answer can't be given when thinking is enabled")
	}
	for i, message := range messages {
		checkReturned(blocksOf(message), issued, fmt.Sprintf("messages[%d].content", i))
	}
	if thinking := get[object](body, "thinking"); text(thinking, "type") == "enabled" {
		checkBudget(number(thinking, "budget_tokens"), number(body, "max_tokens"), messages)
	}
}

// checkReturned requires the thinking blocks issued before the calls of a message.
func checkReturned(blocks []object, issued *issued, path string) {
	for _, call := range ofType(blocks, "tool_use") {
		for _, thought := range issued.before[text(call, "id")] {
			isThought := func(block object) bool { return blobOf(block) == thought.Blob }
			if !slices.ContainsFunc(blocks, isThought) {
				shape.Refuse(path,
					"`thinking` or `redacted_thinking` blocks must remain as they were in the "+
						"original response")
			}
		}
	}
}

// blobOf returns the signature or the encrypted data of a reasoning block.
func blobOf(block object) string {
	if has(block, "signature") {
		return text(block, "signature")
	}
	return text(block, "data")
}

// checkBudget requires a thinking budget below max_tokens. If the last message has tool results,
// the last assistant message must begin with a thinking block.
func checkBudget(budget, limit float64, messages []object) {
	if budget >= limit {
		shape.Refuse("max_tokens", "must be greater than `thinking.budget_tokens`")
	}
	if len(ofType(blocksOf(lastOf(messages)), "tool_result")) == 0 {
		return
	}
	for i, message := range slices.Backward(messages) {
		if text(message, "role") != "assistant" {
			continue
		}
		if first := text(blocksOf(message)[0], "type"); !strings.HasSuffix(first, "thinking") {
			shape.Refuse(fmt.Sprintf("messages[%d].content[0].type", i),
				"Expected `thinking` or `redacted_thinking`, but found `%s`", first)
		}
		return
	}
}

// Models whose thinking can't be disabled, and those among them that can't be forced to call a tool
// (platform.claude.com/docs, "What's new in Claude Opus 5.5" and "... Sonnet 5.5", and the migration
// guides of Fable 5 and 5.1).
var (
	alwaysThinks = regexp.MustCompile(`^claude-(?:(?:opus|sonnet)-5-5|(?:fable|mythos)-[5-9])`)
	neverForced  = regexp.MustCompile(`^claude-(?:(?:opus|sonnet)-5-5|(?:fable|mythos)-5-[1-9])`)
)

// checkAlwaysThinks rejects what models that always think do not support, whatever the request says
// about thinking. The words for a forced tool: can1357/oh-my-pi#12939.
func checkAlwaysThinks(body object) {
	model := text(body, "model")
	if text(get[object](body, "thinking"), "type") == "disabled" && alwaysThinks.MatchString(model) {
		shape.Refuse("", `"thinking.type.disabled" is not supported for this model. `+
			`Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`)
	}
	switch text(get[object](body, "tool_choice"), "type") {
	case "any", "tool":
		if neverForced.MatchString(model) {
			shape.Refuse("tool_choice", `type "tool" and "any" are not supported for this model.`)
		}
	}
}

// newest matches the models that decide how much to think, and accept system messages within a
// conversation.
var newest = regexp.MustCompile(`^claude-(?:opus-4-8|[a-z]+-[5-9])`)

func isNewest(model string) bool { return newest.MatchString(model) }

// checkSystem applies the limits for system messages within a conversation
// (platform.claude.com/docs, "Mid-conversation system messages", "Limitations").
func checkSystem(model string, messages []object) {
	for i, message := range messages {
		if text(message, "role") != "system" {
			continue
		}
		path := fmt.Sprintf("messages[%d].role", i)
		if !isNewest(model) {
			shape.Refuse(path, "Input should be 'user' or 'assistant'")
		}
		if i == 0 || text(messages[i-1], "role") != "user" {
			shape.Refuse(path, "a system message must immediately follow a user message")
		}
		if i < len(messages)-1 && text(messages[i+1], "role") != "assistant" {
			shape.Refuse(path, "a system message must be the last one or be followed by the assistant's")
		}
	}
}
