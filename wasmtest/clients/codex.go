package clients

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"edgelingua/wasmtest/answers"
)

// Codex is a session of Codex with a Server, which may change between requests. It sends developer
// messages and tools of all kinds, runs the tools that the model calls, and sends each item back as
// received. Where the real Codex would ignore a mistake or end the session, this double returns an
// error.
type Codex struct {
	Server

	// Run runs a tool and returns its output: a string, a list of content or, for a search, the
	// tools found.
	Run   func(call Call) any
	Steer [][]any // items that arrive while the tools of each turn run
	Input []any   // all items of the session so far
	Lost  string  // the loss report (x-edgelingua-lost) of the last answer

	model    string
	version  *codexVersion
	callable map[string]bool
}

// Call is a tool call that Codex runs.
type Call struct {
	Kind      string // function, custom, search or shell
	Namespace string
	Name      string // "" for a search or a shell
	Input     any    // an object, a string for a custom tool, or a list for a shell
}

// NewCodex returns a session that sends Codex's requests for a model (one of CodexModels) to a
// server. Any other model is an error.
func NewCodex(at Server, model string, run func(call Call) any) (*Codex, error) {
	v := codexVersionOf(model)
	if v == nil {
		return nil, fmt.Errorf("Codex has no requests for %q", model)
	}
	c := &Codex{Server: at, Run: run, model: model, version: v, Input: v.prompt, callable: map[string]bool{}}
	c.learn(v.tools, "")
	for _, item := range objects(v.prompt) {
		tools, _ := item["tools"].(list)
		c.learn(tools, "")
	}
	return c, nil
}

// learn records the tools that the model may call.
func (c *Codex) learn(tools list, namespace string) {
	for _, tool := range objects(tools) {
		kind, name := text(tool, "type"), text(tool, "name")
		if kind == "namespace" {
			c.learn(tool["tools"].(list), name)
			continue
		}
		kind = strings.Replace(strings.Replace(kind, "tool_", "", 1), "local_", "", 1)
		c.callable[Call{Kind: kind, Namespace: namespace, Name: name}.key()] = true
	}
}

func (c Call) key() string { return c.Kind + " " + c.Namespace + "." + c.Name }

// callKinds maps the types of call items to kinds of tools.
var callKinds = map[string]string{
	"function_call": "function", "custom_tool_call": "custom", "tool_search_call": "search",
	"local_shell_call": "shell",
}

// Say sends a question, runs tools until the model calls none, and returns the last text. Each part
// of the question is an item, or a string to send as a user message. The error is a *Failed for a
// failed turn. Otherwise it is a transport error or the first mistake found in an answer.
func (c *Codex) Say(question ...any) (said string, err error) { return c.SayWith(nil, question...) }

// SayWith is Say with additional members in each request.
func (c *Codex) SayWith(more map[string]any, question ...any) (said string, err error) {
	err = attempt(func() {
		for _, part := range question {
			if words, ok := part.(string); ok {
				part = says("user", words)
			}
			c.Input = append(c.Input, part)
		}
		for calls := 1; calls > 0; {
			said, calls = c.step(more)
		}
	})
	return said, err
}

// step sends one request and runs the tools called. It returns the text of the answer and the
// number of calls.
func (c *Codex) step(more object) (said string, calls int) {
	items := c.ask(more)
	var called []object
	for _, item := range items {
		if item["type"] == "reasoning" {
			item = copied(object{"content": nil, "encrypted_content": nil}, item)
		}
		c.Input = append(c.Input, item)
		if callKinds[text(item, "type")] != "" {
			called = append(called, item)
		}
		for _, part := range objects(item["content"]) {
			said += text(part, "text") + text(part, "refusal")
		}
	}
	for _, item := range called {
		c.Input = append(c.Input, c.answer(item))
	}
	if len(called) > 0 && len(c.Steer) > 0 {
		c.Input, c.Steer = append(c.Input, c.Steer[0]...), c.Steer[1:]
	}
	return said, len(called)
}

// answer runs the tool that an item calls and returns the output item.
func (c *Codex) answer(item object) object {
	call := c.callOf(item)
	output := c.Run(call)
	answer := object{"type": "function_call_output", "call_id": item["call_id"], "output": output}
	switch call.Kind {
	case "custom":
		answer["type"] = "custom_tool_call_output"
	case "search":
		c.learn(output.(list), "")
		answer = object{
			"type":      "tool_search_output",
			"call_id":   item["call_id"],
			"status":    "completed",
			"execution": "client",
			"tools":     output,
		}
	}
	return answer
}

// callOf returns the call in an item. The call's kind, namespace and name must be those of a tool
// on offer.
func (c *Codex) callOf(item object) Call {
	call := Call{
		Kind:      callKinds[text(item, "type")],
		Namespace: text(item, "namespace"),
		Name:      text(item, "name"),
	}
	switch call.Kind {
	case "function":
		if err := json.Unmarshal([]byte(text(item, "arguments")), &call.Input); err != nil {
			strict{}.Errorf("arguments that are no JSON: %v", item)
		}
	case "custom":
		call.Input = item["input"]
	case "search":
		call.Input = item["arguments"]
	case "shell":
		call.Input = item["action"].(object)["command"]
	}
	if !c.callable[call.key()] {
		strict{}.Errorf("unsupported call: %s", call.key())
	}
	return call
}

// Ask sends the session and returns the items of the answer. It runs no tools and does not change
// Input. Errors are those of Say.
func (c *Codex) Ask() (items []map[string]any, err error) {
	err = attempt(func() { items = c.ask(nil) })
	return items, err
}

func (c *Codex) ask(more object) []object {
	body := copied(object{
		"model": c.model, "stream": true, "store": false, "tool_choice": "auto",
		"prompt_cache_key": "0199-e2e",
		"client_metadata":  object{"session_id": "0199-e2e", "x-codex-turn-metadata": "{}"},
	}, c.version.more)
	if c.version.tools != nil {
		body["tools"] = c.version.tools
	}
	body["input"] = c.Input
	r := must(
		c.post("/v1/responses", object{"authorization": "Bearer " + c.Key, "accept": "text/event-stream"},
			copied(body, more)),
	)
	c.Lost = r.header.Get("x-edgelingua-lost")
	if r.status == 200 {
		r.isA("text/event-stream")
		return must(ReadCodex(r.body))
	}
	failure := answers.Decoded(strict{}, r.body)["error"].(object)
	code := text(failure, "code")
	if code == "" {
		code = strconv.Itoa(r.status)
	}
	panic(&Failed{code, fmt.Sprintf("%d: %s", r.status, text(failure, "message"))})
}

// Failed is the error of a failed turn. Codex shows it to the user or retries. Code is OpenAI's
// error code, the HTTP status if there is no code, "cut" for a broken stream or "incomplete".
type Failed struct{ Code, Message string }

func (f *Failed) Error() string { return f.Code + ": " + f.Message }
