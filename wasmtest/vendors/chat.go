package vendors

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// checkChat applies the rules of a Chat Completions API: of OpenAI's own service with
// Options.OpenAI, otherwise of a server that renders a model's chat template.
func checkChat(v *Vendor, r *parsed) {
	body, o := r.body, v.options
	chatRequest(o)(body, "")
	if o.OpenAI {
		checkOpenAIModel(body)
	} else {
		checkFunctionsOnly(body)
		if check := checkHost[o.Host]; check != nil {
			check(body)
		} else {
			checkTemplate(body)
		}
	}
	if has(body, "max_tokens") && has(body, "max_completion_tokens") {
		shape.Refuse("max_tokens", "is not to be set together with 'max_completion_tokens'")
	}
	if body["stream_options"] != nil && !get[bool](body, "stream") {
		shape.Refuse("stream_options", "is only allowed when 'stream' is enabled")
	}
	checkChatModel(body)
	checkChatTools(body, o.Unions || o.Schemas)
	checkToolCalls(objects(body, "messages"))
	if n := breakpoints(body); n > 4 {
		shape.Refuse("cache_control",
			"A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	if o.Reasoning == "reasoning_content" {
		checkDeepSeek(objects(body, "messages"))
	}
	if o.Reasoning != "" {
		for i, message := range objects(body, "messages") {
			checkChatReasoning(message, fmt.Sprintf("messages[%d]", i), &v.issued, o.Reasoning)
		}
	}
}

// toolOf returns the object that describes a tool, a tool call or a tool choice. The value of
// "type" is the name of the member with the object.
func toolOf(o object) object { return get[object](o, text(o, "type")) }

func checkChatTools(body object, unions bool) {
	tools := objects(body, "tools")
	for _, field := range []string{"tool_choice", "parallel_tool_calls"} {
		if has(body, field) && len(tools) == 0 {
			shape.Refuse(field, "is only allowed when 'tools' are specified")
		}
	}
	isNew := shape.Unique("tool names")
	names := map[string]bool{}
	for i, tool := range tools {
		name := text(toolOf(tool), "name")
		isNew(name, fmt.Sprintf("tools[%d].function.name", i))
		names[name] = true
	}
	for i, tool := range tools {
		if parameters := get[object](tool, "function")["parameters"]; parameters != nil && !unions {
			shape.PlainRoot(parameters, fmt.Sprintf("tools[%d].function.parameters", i))
		}
	}
	if choice := get[object](body, "tool_choice"); choice != nil {
		chosen := []object{choice}
		if text(choice, "type") == "allowed_tools" {
			chosen = objects(toolOf(choice), "tools")
		}
		for _, one := range chosen {
			if forced := text(toolOf(one), "name"); !names[forced] {
				shape.Refuse("tool_choice", "the tool '%s' is not in 'tools'", forced)
			}
		}
	}
}

var (
	gpt5       = regexp.MustCompile(`^gpt-5`)
	gpt54OrNew = regexp.MustCompile(`^gpt-5\.[456]`)
)

// notReasoning has the members that OpenAI's reasoning models reject (nextai-translator/nextai-translator
// #1781 for the penalties; learn.microsoft.com, "Azure OpenAI reasoning models", for all).
var notReasoning = []string{
	"max_tokens", "stop", "temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs",
	"top_logprobs", "logit_bias",
}

// samplingAtNone are those of notReasoning that the models accept at the effort "none" ("When reasoning
// effort is not none, remove temperature, top_p, and top_logprobs",
// developers.openai.com/api/docs/guides/deployment-checklist).
var samplingAtNone = []string{"temperature", "top_p", "logprobs", "top_logprobs"}

// checkOpenAIModel rejects parameters that OpenAI's reasoning models do not support.
func checkOpenAIModel(body object) {
	model := text(body, "model")
	if !gpt5.MatchString(model) {
		return
	}
	effort := text(body, "reasoning_effort")
	for _, field := range notReasoning {
		if has(body, field) && (effort != "none" || !slices.Contains(samplingAtNone, field)) {
			shape.Refuse(field, "Unsupported parameter: is not supported with this model")
		}
	}
	if gpt54OrNew.MatchString(model) && has(body, "tools") && text(body, "reasoning_effort") != "none" {
		shape.Refuse("reasoning_effort",
			"Function tools with reasoning_effort are not supported in /v1/chat/completions")
	}
}

var (
	mistral  = regexp.MustCompile(`(?i)(mistral|ministral|magistral|codestral|devstral|pixtral)-`)
	textOnly = regexp.MustCompile(`(?i)(deepseek-v4(-pro|-flash)?|glm-4\.[567]|minimax-m2[.0-9]*|gpt-oss.*)$`)
)

// checkChatModel rejects what single models reject. Mistral's order of roles: zed-industries/zed#37021.
// DeepSeek's words for an image: rikkahub/rikkahub#1433; other models that accept only text say the
// same in other words.
func checkChatModel(body object) {
	model, before := text(body, "model"), ""
	for i, message := range objects(body, "messages") {
		path, role := fmt.Sprintf("messages[%d]", i), text(message, "role")
		if role == "user" && before == "tool" && mistral.MatchString(model) {
			shape.Refuse(path, "Unexpected role 'user' after role 'tool'")
		}
		before = role
		for _, part := range objects(message, "content") {
			if kind := text(part, "type"); kind != "text" && textOnly.MatchString(model) {
				shape.Refuse(path, "unknown variant `%s`, expected `text`", kind)
			}
		}
	}
}

// openAIOnly has the request members that only OpenAI's own service accepts.
var openAIOnly = []string{
	"verbosity", "service_tier", "safety_identifier", "prompt_cache_key", "prompt_cache_retention", "store",
	"metadata", "web_search_options",
}

// checkTemplate applies the rules of servers that render a model's chat template. vLLM and llama.cpp
// with Qwen3.5 and 3.6 reject a system message after another message (vllm-project/vllm#41114,
// SillyTavern/SillyTavern#5276). vLLM with Mistral's models rejects two messages of the same role in a
// row (vllm-project/vllm#6862).
func checkTemplate(body object) {
	before := ""
	for i, message := range objects(body, "messages") {
		path, role := fmt.Sprintf("messages[%d]", i), text(message, "role")
		if role == "developer" || role == "system" && i > 0 {
			shape.Refuse(path, "System message must be at the beginning")
		}
		if role == before && (role == "user" || role == "assistant") {
			shape.Refuse(path, "Conversation roles must alternate")
		}
		before = role
	}
}

// checkFunctionsOnly applies the rules of servers other than OpenAI's. The server in
// voideditor/void#128 rejected an unknown field.
func checkFunctionsOnly(body object) {
	for _, field := range openAIOnly {
		if has(body, field) {
			shape.Refuse(field, "unknown field")
		}
	}
	for i, tool := range objects(body, "tools") {
		if text(tool, "type") != "function" {
			shape.Refuse(fmt.Sprintf("tools[%d].type", i), "must be function")
		}
	}
	for i, message := range objects(body, "messages") {
		for _, call := range objects(message, "tool_calls") {
			if text(call, "type") != "function" {
				shape.Refuse(fmt.Sprintf("messages[%d]", i), "a call must be one of a function")
			}
		}
	}
}

// checkToolCalls requires a result for each call before the next message of another role, and a
// call for each result.
func checkToolCalls(messages []object) {
	isNew := shape.Unique("tool_calls[].id")
	var open []string
	answered := func(path string) {
		if len(open) > 0 {
			shape.Refuse(path, "an assistant message with 'tool_calls' must be followed by tool messages"+
				" responding to each 'tool_call_id': %s", strings.Join(open, ","))
		}
	}
	for i, message := range messages {
		path, role := fmt.Sprintf("messages[%d]", i), text(message, "role")
		if role == "tool" {
			id := text(message, "tool_call_id")
			k := slices.Index(open, id)
			if k < 0 {
				shape.Refuse(path, "messages with role 'tool' must be a response to a preceding message with"+
					" 'tool_calls': %s", id)
			}
			open = slices.Delete(open, k, k+1)
			continue
		}
		answered(path)
		calls := objects(message, "tool_calls")
		if role == "assistant" && message["content"] == nil && len(calls) == 0 &&
			text(message, "refusal") == "" {
			shape.Refuse(path+".content", "must be set, unless there are 'tool_calls'")
		}
		open = texts(calls, "id")
		for _, id := range open {
			isNew(id, path)
		}
	}
	answered("messages")
}

// checkChatReasoning rejects reasoning_details that the vendor has not issued: a signed text, or
// data that only the vendor can read. A call must come back with the reasoning before the call.
func checkChatReasoning(message object, path string, issued *issued, reasoning string) {
	details := objects(message, "reasoning_details")
	if reasoning == "reasoning_details" {
		for i, detail := range details {
			known := false
			switch text(detail, "type") {
			case "reasoning.text":
				known = issued.signed(text(detail, "signature"), text(detail, "text"))
			case "reasoning.encrypted":
				known = issued.knows(text(detail, "data"))
			}
			if !known {
				shape.Refuse(fmt.Sprintf("%s.reasoning_details[%d]", path, i), "is none of this upstream's")
			}
		}
	}
	for _, call := range objects(message, "tool_calls") {
		for _, thought := range issued.before[text(call, "id")] {
			returned := text(message, "reasoning_content") == thought.Text
			if thought.Blob != "" {
				isThought := func(detail object) bool { return blobOf(detail) == thought.Blob }
				returned = slices.ContainsFunc(details, isThought)
			}
			if !returned {
				shape.Refuse(path, "the reasoning of a turn with tool calls must be passed back")
			}
		}
	}
}

// checkDeepSeek applies DeepSeek's rule for reasoning_content (api-docs.deepseek.com,
// guides/thinking_mode): if the assistant calls a tool between two messages of the user, each of the
// assistant's messages there needs its reasoning_content; a space is enough, an empty text is not
// (deepseek-ai/deepseek-harness#739). In other turns DeepSeek ignores the member. Turns are
// complete: agentscope-ai/agentscope-java#1323. Not played: requests without thinking may need the
// member, too (continuedev/continue#12246), so the double always demands it.
func checkDeepSeek(messages []object) {
	missing, calls := false, false
	for _, message := range append(messages, object{"role": "user"}) {
		switch text(message, "role") {
		case "assistant":
			missing = missing || text(message, "reasoning_content") == ""
			calls = calls || has(message, "tool_calls")
		case "user":
			if missing && calls {
				shape.Refuse("", "The `reasoning_content` in the thinking mode must be passed back to "+
					"the API.")
			}
			missing, calls = false, false
		}
	}
}

// refuseOpenAI returns the body of a 400 answer of Chat Completions and Responses.
func refuseOpenAI(r *shape.Refusal) any {
	var param any
	if r.Path != "" {
		param = r.Path
	}
	said := words(r, ofOpenAI)
	failure := fields("message", said, "type", "invalid_request_error", "param", param, "code", nil)
	return fields("error", failure)
}
