package clients

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"edgelingua/wasmtest/answers"
)

// ClaudeCode is a session of Claude Code with a Server, which may change between requests. It sends
// Claude Code's prompts, its tools (some of them deferred) and its system messages. It retries a
// failed streamed request as a plain (non-streamed) request.
type ClaudeCode struct {
	Server

	// Run runs a tool and returns the content of its result: a string, a list of content blocks or,
	// for ToolSearch, the names of the tools found. The calls of one answer run concurrently.
	Run func(name string, input map[string]any) any

	Prompt string   // the system prompt
	Steer  []string // the system text after each set of tool results; "": none
	Stop   string   // the stop_reason of the last answer

	version  *version
	messages []object
	loaded   []string // the deferred tools found so far
}

// NewClaudeCode returns a session that sends the requests of a version (one of Versions) to a
// server. An unknown version is an error.
func NewClaudeCode(
	at Server,
	version string,
	run func(name string, input map[string]any) any,
) (*ClaudeCode, error) {
	v := versionOf(version)
	if v == nil {
		return nil, fmt.Errorf("Claude Code has no version %q", version)
	}
	return &ClaudeCode{Server: at, Run: run, Prompt: "You are a Claude agent.", version: v}, nil
}

func textBlock(text string) object { return object{"type": "text", "text": text} }

// cachedBlock returns a copy of a block with a cache breakpoint.
func cachedBlock(block object) object {
	return copied(block, object{"cache_control": object{"type": "ephemeral"}})
}

func claudeTool(name, parameter string) object {
	return object{
		"name": name, "description": "It can " + name + ".",
		"input_schema": object{
			"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
			"properties": object{
				parameter: object{"type": "string"},
			}, "required": list{parameter}, "additionalProperties": false,
		},
	}
}

var (
	claudeTools = []object{
		claudeTool("Bash", "command"), claudeTool("Read", "file_path"), claudeTool("Task", "prompt"),
		claudeTool("WebSearch", "query"), claudeTool("StructuredOutput", "title"),
	}
	deferredTools = []object{claudeTool("WebFetch", "url"), claudeTool("NotebookEdit", "path")}
	placeholder   = object{
		"name": "DeferredToolPlaceholder", "description": "Reserved placeholder; never call this tool.",
		"input_schema": object{"type": "object", "properties": object{}}, "defer_loading": true,
	}
)

// Say sends the questions as one user message, runs tools until the model calls none, and returns
// the last text. The error is an *ErrorAnswer for an error answer. Otherwise it is a transport
// error or the first mistake found in an answer.
func (c *ClaudeCode) Say(questions ...string) (said string, err error) {
	err = attempt(func() {
		content := list{textBlock("<system-reminder>Mind.")}
		for _, question := range questions {
			content = append(content, textBlock(question))
		}
		c.messages = append(c.messages, object{"role": "user", "content": content})
		if len(c.messages) == 1 {
			c.addSystem("# Environment")
		}
		for calls := 1; calls > 0; {
			said, calls = c.step()
		}
	})
	return said, err
}

// step sends one request and runs the tools called. It returns the text of the last block, printed
// by Claude Code as the result, and the number of calls.
func (c *ClaudeCode) step() (said string, calls int) {
	message := c.ask()
	c.messages = append(c.messages, object{"role": "assistant", "content": message["content"]})
	var called []object
	for _, block := range objects(message["content"]) {
		said = text(block, "text")
		if block["type"] == "tool_use" {
			called = append(called, block)
		}
	}
	if len(called) == 0 {
		c.Stop = text(message, "stop_reason")
		return said, 0
	}
	c.messages = append(c.messages, object{"role": "user", "content": c.results(called)})
	if len(c.Steer) > 0 {
		later := c.Steer[0]
		if c.Steer = c.Steer[1:]; later != "" {
			c.addSystem(later)
		}
	}
	return said, len(called)
}

// addSystem adds a system text after the last user message, or inside that message for asUser.
func (c *ClaudeCode) addSystem(words string) {
	if c.version.system == asUser {
		last := c.messages[len(c.messages)-1]
		last["content"] = append(last["content"].(list), textBlock("<system-reminder>"+words))
		return
	}
	for _, m := range c.messages {
		if blocks, ok := m["content"].(list); ok && m["role"] == "system" {
			// Claude Code resends earlier system messages as strings
			m["content"] = text(blocks[0].(object), "text")
		}
	}
	message := object{"role": "system", "content": list{textBlock(words)}}
	if c.version.system == asString {
		message["content"] = words
	}
	if c.version.perTurn {
		message["output_config"] = object{"effort": c.version.effort}
	}
	c.messages = append(c.messages, message)
}

// tools returns the tools of the next request.
func (c *ClaudeCode) tools() (all []object) {
	all = slices.Clone(claudeTools)
	if !c.version.search {
		return append(all, deferredTools...)
	}
	all = append(all, claudeTool("ToolSearch", "query"))
	for _, tool := range deferredTools {
		if slices.Contains(c.loaded, text(tool, "name")) {
			all = append(all, copied(tool, object{"defer_loading": true}))
		}
	}
	return append(all, placeholder)
}

// results runs calls concurrently and returns their result blocks, followed by text blocks.
func (c *ClaudeCode) results(calls []object) (content list) {
	tools := c.tools()
	outputs := make([]any, len(calls))
	var running sync.WaitGroup
	for i, call := range calls {
		name := text(call, "name")
		if name == "DeferredToolPlaceholder" ||
			!slices.ContainsFunc(tools, func(tool object) bool { return text(tool, "name") == name }) {
			strict{}.Errorf("no such tool: %s", name)
		}
		running.Go(func() { outputs[i] = c.Run(name, call["input"].(object)) })
	}
	running.Wait()
	var texts list
	for i, call := range calls {
		result := object{"tool_use_id": call["id"], "type": "tool_result", "content": outputs[i]}
		switch output := outputs[i].(type) {
		case string:
			result["is_error"] = strings.HasPrefix(output, "failed")
		case []string: // ToolSearch returns references to the tools found
			var references list
			for _, name := range output {
				references = append(references, object{"type": "tool_reference", "tool_name": name})
			}
			result["content"], c.loaded = references, append(c.loaded, output...)
			texts = append(texts, textBlock("Tool loaded."))
		}
		content = append(content, result)
	}
	return append(content, texts...)
}

// ask sends the session and returns the model's message. If a stream breaks off before its first
// block is complete, or the streamed request gets a 404, ask retries with a plain request.
func (c *ClaudeCode) ask() object {
	body := c.body()
	r := c.send(body, c.version.betas)
	switch r.status {
	case 200:
		r.isA("text/event-stream")
		message, failure, begun := answers.ReadMessages(strict{}, r.body)
		if failure == nil {
			return message
		}
		if begun > 1 {
			panic(errorAnswer(200, failure))
		}
	case 404:
	default:
		panic(errorAnswer(r.status, answers.ReadMessagesError(strict{}, r.body)))
	}
	body["stream"], body["max_tokens"] = false, min(c.version.maxTokens, 64000)
	return c.plain(c.send(body, c.version.betas))
}

// plain returns the message of a plain answer. An error answer ends the turn.
func (c *ClaudeCode) plain(r *reply) object {
	if r.status != 200 {
		panic(errorAnswer(r.status, answers.ReadMessagesError(strict{}, r.body)))
	}
	r.isA("application/json")
	return answers.ReadMessage(strict{}, r.body)
}

// body returns the next request of the session.
func (c *ClaudeCode) body() object {
	v := c.version
	user, _ := json.Marshal(
		object{"device_id": strings.Repeat("0", 64), "account_uuid": "", "session_id": "0199"},
	)
	body := object{
		"model": v.model, "max_tokens": v.maxTokens, "stream": true,
		"metadata": object{"user_id": string(user)}, "thinking": v.thinking,
		"system": list{
			textBlock("x-anthropic-billing-header: cc_version=2.1.329;"),
			cachedBlock(textBlock(c.Prompt)),
		},
		"messages": cachedEnd(c.messages), "tools": c.tools(),
	}
	if slices.Contains(v.betas, "context-management-2025-06-27") {
		body["context_management"] = object{
			"edits": list{object{"type": "clear_thinking_20251015", "keep": "all"}},
		}
	}
	if v.effort != "" {
		body["output_config"] = object{"effort": v.effort}
	}
	if v.safeguards != nil {
		body["safeguards"] = v.safeguards
	}
	return body
}

func (c *ClaudeCode) send(body object, betas []string) *reply {
	header := object{
		"x-api-key": c.Key, "anthropic-version": "2023-06-01", "anthropic-beta": strings.Join(betas, ","),
		"anthropic-dangerous-direct-browser-access": "true", "x-app": "cli",
		"x-claude-code-session-id": "0199",
		"user-agent":               "claude-cli/2.1.329 (external, sdk-cli)",
	}
	return must(c.post("/v1/messages?beta=true", header, body))
}

// Side sends one of Claude Code's small requests outside the session and returns its message. The
// members of more are added to the body, or replace members of the body. Errors are those of Say.
func (c *ClaudeCode) Side(more map[string]any) (message map[string]any, err error) {
	err = attempt(func() {
		body := copied(object{
			"model": c.version.model, "max_tokens": 32000, "metadata": object{"user_id": "0199"},
			"system": list{cachedBlock(textBlock("You are a Claude agent."))}, "stream": true,
		}, more)
		r := c.send(body, always)
		if body["stream"] == false {
			message = c.plain(r)
			return
		}
		if r.status != 200 {
			panic(errorAnswer(r.status, answers.ReadMessagesError(strict{}, r.body)))
		}
		r.isA("text/event-stream")
		var failure object
		if message, failure, _ = answers.ReadMessages(strict{}, r.body); failure != nil {
			panic(errorAnswer(r.status, failure))
		}
	})
	return message, err
}

// cachedEnd returns a copy of messages with cache breakpoints at the ends of two messages: the last
// two from the user or the system with a list of blocks.
func cachedEnd(messages []object) []object {
	out := slices.Clone(messages)
	marked := 0
	for i := len(out) - 1; i >= 0 && marked < 2; i-- {
		blocks, ok := out[i]["content"].(list)
		if !ok || out[i]["role"] == "assistant" {
			continue
		}
		last := cachedBlock(blocks[len(blocks)-1].(object))
		out[i] = copied(out[i], object{"content": append(slices.Clone(blocks[:len(blocks)-1]), last)})
		marked++
	}
	return out
}

// ErrorAnswer is an error answer. Claude Code shows it to the user or retries.
type ErrorAnswer struct {
	Status        int
	Type, Message string
	Details       map[string]any // details added by the server; nil: none
}

func (e *ErrorAnswer) Error() string { return fmt.Sprintf("%d %s: %s", e.Status, e.Type, e.Message) }

func errorAnswer(status int, failure object) *ErrorAnswer {
	return &ErrorAnswer{status, text(failure, "type"), text(failure, "message"), member(failure, "details")}
}
