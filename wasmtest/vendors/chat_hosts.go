package vendors

import (
	"fmt"
	"regexp"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// Hosts of Chat Completions with rules of their own, for Options.Host.
const (
	atMistral  = "api.mistral.ai"
	atXAI      = "api.x.ai"
	atMoonshot = "api.moonshot.ai"
	atGroq     = "api.groq.com"
)

// hostMembers has the members of requests to single hosts, and hostMessage the members of assistant
// messages. What a host rejects in its own words is here, too.
var (
	hostMembers = map[string]shape.Members{
		atMistral: {"random_seed?": shape.From(0)},
		atMoonshot: {"thinking?": shape.Exact(shape.Members{"type": shape.OneOf("enabled", "disabled")}),
			"reasoning_effort?": shape.OneOf("low", "high", "max")},
	}
	hostMessage = map[string]shape.Members{
		atMistral:  {"reasoning_content?": shape.Text, "reasoning?": shape.Text, "prefix?": shape.Bool},
		atXAI:      {"reasoning_content?": shape.Text},
		atMoonshot: {"reasoning_content?": shape.Text},
		atGroq:     {"reasoning_content?": shape.Text, "reasoning?": shape.Text},
	}
)

var checkHost = map[string]func(object){
	atMistral: checkMistral, atXAI: checkXAI, atMoonshot: checkMoonshot, atGroq: checkGroq,
}

var mistralCallID = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

// checkMistral applies the rules of Mistral's API. Unknown members: charmbracelet/crush#1590 and
// co-l/openfox#220 (messages), editor-code-assistant/eca#231, dnakov/anon-kode#53 and
// Gitlawb/openclaude#739 (requests). Temperatures: scottyeager/Pal#28. Ids: karthink/gptel#1203.
func checkMistral(body object) {
	for _, name := range []string{
		"max_completion_tokens", "stream_options", "seed", "logprobs", "top_logprobs", "user",
	} {
		if has(body, name) {
			shape.Refuse(name, "Extra inputs are not permitted")
		}
	}
	if number(body, "temperature") > 1.5 {
		shape.Refuse("temperature", "Input should be less than or equal to 1.5")
	}
	messages := objects(body, "messages")
	for i, message := range messages {
		for _, name := range []string{"name", "reasoning_content", "reasoning"} {
			if has(message, name) && text(message, "role") != "tool" {
				shape.Refuse(fmt.Sprintf("messages[%d].%s.%s", i, text(message, "role"), name),
					"Extra inputs are not permitted")
			}
		}
		for _, call := range objects(message, "tool_calls") {
			if id := text(call, "id"); !mistralCallID.MatchString(id) {
				shape.Refuse("", "Tool call id was '%s' but must be a-z, A-Z, 0-9, with a length of 9.", id)
			}
		}
	}
	if last := lastOf(messages); text(last, "role") == "assistant" && !get[bool](last, "prefix") {
		shape.Refuse("", "Expected last role User or Tool (or Assistant with prefix True) for serving but "+
			"got assistant")
	}
}

var (
	grokEffort = regexp.MustCompile(`^grok-(3-mini|4\.[3-9]|4\.20-multi-agent)`)
	xAIImage   = regexp.MustCompile(`^data:image/(?:jpeg|jpg|png);base64,`)
)

// checkXAI applies the rules of xAI's API. Penalties: miaoxworld/NativeTavern#83. stop:
// langchain-ai/langchain#38335, with the words of huggingface/smolagents#1766. Efforts: release 0.2.3 of
// acedergren/opencode-oci-provider. Empty messages: langbot-app/LangBot#1205. Images: docs.x.ai,
// "Image Understanding".
func checkXAI(body object) {
	for name, said := range map[string]string{
		"presence_penalty": "presencePenalty", "frequency_penalty": "frequencyPenalty", "stop": "stop",
	} {
		if has(body, name) {
			shape.Refuse("", "Argument not supported on this model: %s", said)
		}
	}
	if has(body, "reasoning_effort") && !grokEffort.MatchString(text(body, "model")) {
		shape.Refuse("", "Model does not support parameter reasoningEffort.")
	}
	for i, message := range objects(body, "messages") {
		parts := objects(message, "content")
		said := text(message, "content") != "" || len(objects(message, "tool_calls")) > 0
		for k, part := range parts {
			said = said || text(part, "type") != "text" || text(part, "text") != ""
			url := text(get[object](part, "image_url"), "url")
			if len(url) > 5 && url[:5] == "data:" && !xAIImage.MatchString(url) {
				shape.Refuse(fmt.Sprintf("messages[%d].content[%d]", i, k), "Unsupported image format")
			}
		}
		if !said && text(message, "role") != "tool" {
			shape.Refuse("", "An empty message was provided. Every message needs at least one non-empty "+
				"content element.")
		}
	}
}

var groqSchemas = regexp.MustCompile(`^(openai/gpt-oss|meta-llama/llama-4|moonshotai/kimi-k2)`)

// checkGroq applies the rules of Groq's API: console.groq.com/docs/openai (members),
// tashfeenahmed/freellmapi#1070 (messages), vercel/ai#16540 (tools with a format),
// plune-ai/cairn#36 (models with schemas).
func checkGroq(body object) {
	for _, name := range []string{"logprobs", "top_logprobs", "logit_bias", "store"} {
		if has(body, name) {
			shape.Refuse("", "property '%s' is unsupported", name)
		}
	}
	for i, message := range objects(body, "messages") {
		for _, name := range []string{"name", "reasoning_content"} {
			if has(message, name) {
				shape.Refuse("", "'messages.%d' : for 'role:%s' the following must be satisfied[("+
					"'messages.%d' : property '%s' is unsupported)]", i, text(message, "role"), i, name)
			}
		}
	}
	if len(get[[]any](body, "stop")) > 4 {
		shape.Refuse("stop", "must have at most 4 elements")
	}
	format := text(get[object](body, "response_format"), "type")
	if slices.Contains([]string{"json_object", "json_schema"}, format) && len(objects(body, "tools")) > 0 {
		shape.Refuse("", "json mode cannot be combined with tool/function calling")
	}
	if format == "json_schema" && !groqSchemas.MatchString(text(body, "model")) {
		shape.Refuse("", "This model does not support response format `json_schema`.")
	}
}
