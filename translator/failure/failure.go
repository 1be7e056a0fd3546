// Package failure reads the errors of upstreams. It accepts every API's error bodies from any
// upstream: a proxy may answer in a different API's form, and web frameworks have forms of their
// own.
package failure

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxMessage is the maximum size of an upstream's error message, in bytes.
const maxMessage = 2048

// Decode reads an upstream's answer with a status of 400 or more. body may be anything: {"error":
// {...}} as OpenAI and Anthropic send it, with a string, a number or true as the error, {"message":
// "..."}, {"detail": "..."}, {"msg": "..."}, an array of these, plain text, an HTML page, or empty.
// The message is the upstream's, cut to 2 KB. The error's texts may be views of body.
func Decode(status int, body string) *ir.Error {
	e := &ir.Error{Status: status}
	typ := ""
	if jsonr.Check(body) == nil {
		typ = readEnvelope(body, e)
	} else {
		e.Message = plainWords(status, body)
	}
	if e.Message == "" {
		e.Message = "The upstream answered " + strconv.Itoa(status) + missing(body)
	}
	e.Message = cut(e.Message)
	e.Kind = kind(status, typ, e)
	return e
}

// DecodeEvent reads an error sent instead of an event, or in a body with a success status, in the
// forms of Decode. If the code is a number from 400 to 599, the error's status is set to it. The
// error does not refer to text, so the caller may reuse its buffer.
func DecodeEvent(text string) *ir.Error {
	e := &ir.Error{}
	typ := ""
	if jsonr.Check(text) == nil {
		typ = readEnvelope(text, e)
	} else {
		e.Message = strings.TrimSpace(text)
	}
	if e.Message == "" {
		e.Message = "The upstream reported an error" + missing(text)
	}
	e.Message, e.Code = strings.Clone(cut(e.Message)), strings.Clone(e.Code)
	if n, ok := jsonr.Int(jsonw.Raw(e.Code)); ok && 400 <= n && n < 600 {
		e.Status = int(n)
	}
	e.Kind = kind(e.Status, typ, e)
	return e
}

// Unreadable returns the failure of an answer that breaks its protocol. what completes the sentence
// "The upstream's answer can't be read: ".
func Unreadable(what string) *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "The upstream's answer can't be read: " + what + "."}
}

// NotJSON returns the failure of a body with a success status that is not JSON. A base URL without
// its /v1, or a login in front of the upstream, answers with an HTML page.
func NotJSON(body string) *ir.Error {
	if !strings.HasPrefix(strings.TrimSpace(body), "<") {
		return Unreadable("the body is not JSON")
	}
	return Unreadable("it is an HTML page, so the upstream's base URL may be wrong" + cut(titleOf(body, "")))
}

// TooManyBlocks returns the failure of an answer with more than ir.MaxBlocks blocks.
func TooManyBlocks() *ir.Error {
	return Unreadable("it has more than " + strconv.Itoa(ir.MaxBlocks) + " blocks")
}

// Incomplete returns the failure of a stream that closed before the end of the answer.
func Incomplete() *ir.Error {
	return &ir.Error{Kind: ir.Unavailable,
		Message: "The upstream's stream ended before the answer was complete."}
}

// missing returns the end of the message for an error without a message.
func missing(body string) string {
	if body = strings.TrimSpace(body); body == "" {
		return " without a body."
	}
	return " without a message: " + body
}

// readEnvelope reads an error's body, which is JSON. It returns the error's type, which is also the
// code of an error without a code.
func readEnvelope(body string, e *ir.Error) (typ string) {
	r := jsonr.NewReader(body)
	if r.Kind() == jsonr.Array { // Google's compatible API wraps the object in an array (magentic#382)
		r.OpenArray()
		if !r.Element() {
			return ""
		}
	}
	if text, ok := stringValue(r); ok {
		e.Message = text
		return ""
	}
	code := ""
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "error":
			typ = readError(r.Value(), e)
		case "errors": // Cloudflare's REST API: a list of objects
			if list := jsonr.NewReader(string(r.Value())); list.Kind() == jsonr.Array && e.Message == "" &&
				e.Code == "" {
				if list.OpenArray(); list.Element() {
					readError(list.Value(), e)
				}
			}
		case "internalCode": // Cloudflare's own models, together with message and description
			code = words(r.Value())
		case "message", "Message", "detail", "error_description", "msg", "description":
			// Message: bedrock-runtime (anthropics/claude-code#54083)
			if v := r.Value(); e.Message == "" {
				e.Message = words(v)
			}
		case "code":
			code = words(r.Value())
		case "type":
			// "error" is the type of the event or, at Anthropic, of the body.
			if v := words(r.Value()); v != "error" && typ == "" {
				typ = v
			}
		}
	}
	if e.Code == "" {
		e.Code = code
	}
	if e.Code == "" {
		e.Code = typ
	}
	return typ
}

// stringValue returns the text of the value at r. If the value is not a string, ok is false.
func stringValue(r jsonr.Reader) (string, bool) {
	text, ok := jsonr.Text(r.Value())
	return jsonw.Unescape(text), ok
}

// readError reads the value of "error": an object, a list of objects, a string (the message), a
// number (the code), or true (the message is a sibling of "error"). It returns an object's type.
func readError(v jsonw.Raw, e *ir.Error) (typ string) {
	switch jsonr.KindOf(v) {
	case jsonr.Object:
	case jsonr.Array: // Cloudflare's AI Gateway (can1357/oh-my-pi#11327): the first element has the reason
		r := jsonr.NewReader(string(v))
		r.OpenArray()
		if !r.Element() {
			return ""
		}
		v = r.Value()
		if jsonr.KindOf(v) != jsonr.Object {
			e.Message = words(v)
			return ""
		}
	case jsonr.Number:
		e.Code = words(v)
		return ""
	case jsonr.Bool:
		return ""
	default:
		e.Message = words(v)
		return ""
	}
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "message":
			e.Message = words(r.Value())
		case "code":
			e.Code = words(r.Value())
		case "type":
			typ = words(r.Value())
		}
	}
	return typ
}

// words returns the text of a string, "" for null or a missing value, and any other value's JSON.
func words(v jsonw.Raw) string {
	switch jsonr.KindOf(v) {
	case jsonr.String:
		text, _ := jsonr.Text(v)
		return strings.TrimSpace(jsonw.Unescape(text))
	case jsonr.Missing, jsonr.Null:
		return ""
	}
	return string(v)
}

// plainWords returns the message of a body that is not JSON: an HTML page's title, or the whole
// text.
func plainWords(status int, body string) string {
	if text := strings.TrimSpace(body); !strings.HasPrefix(text, "<") {
		return text
	}
	return "The upstream answered " + strconv.Itoa(status) + " with an HTML page" + titleOf(body, ".")
}

// titleOf returns ": " and the title of an HTML page, or otherwise for a page without a title.
func titleOf(page, otherwise string) string {
	_, title, ok := strings.Cut(page, "<title>")
	if title, _, closed := strings.Cut(title, "</title>"); ok && closed && strings.TrimSpace(title) != "" {
		return ": " + strings.TrimSpace(title)
	}
	return otherwise
}

// cut truncates s to maxMessage bytes, between characters.
func cut(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	end := maxMessage
	for end > maxMessage-4 && s[end]&0xC0 == 0x80 {
		end--
	}
	return s[:end]
}

// kind returns the kind of an error, from its code or else from its status. A missing status
// follows from the code or else from the type. For the general kinds, the message decides whether
// the prompt was too long.
func kind(status int, typ string, e *ir.Error) ir.ErrorKind {
	if k := kindOf(e.Code); k != 0 {
		return k
	}
	if strings.Contains(e.Message, "credit balance is too low") { // Anthropic's 400
		return ir.Quota
	}
	if status == 0 {
		if k := kindOf(typ); k != 0 {
			return k
		}
		if status = statusOf(e.Code); status == 0 {
			status = statusOf(typ)
		}
	}
	k := ir.KindOfStatus(status)
	if (k == ir.InvalidRequest || k == ir.TooLarge || k == ir.Internal) && saysOverflow(e.Message) {
		return ir.ContextOverflow
	}
	return k
}

// kindOf returns the kind of a code or type that means the same with any status, or 0.
func kindOf(word string) ir.ErrorKind {
	switch word {
	case "context_length_exceeded", "exceed_context_size_error":
		return ir.ContextOverflow
	case "insufficient_quota", "billing_error", "credit_balance_exhausted", "usage_not_included",
		"3036": // Cloudflare's own models: the day's free neurons are used up
		return ir.Quota
	case "rate_limit_exceeded", "rate_limit_error", "too_many_requests":
		return ir.RateLimit
	case "server_is_overloaded", "overloaded_error", "slow_down":
		return ir.Overloaded
	}
	return 0
}

// statusOf returns the status that fits the code or type of an error without a status, or 0 for an
// unknown word. The words for faults of the request are types of OpenAI, Anthropic and vLLM, and
// codes of a failed response, because a failed response has no type (ResponseError of openai's SDK
// 7.55).
func statusOf(word string) int {
	switch word {
	case "invalid_api_key", "authentication_error":
		return 401
	case "permission_error":
		return 403
	case "model_not_found", "not_found_error":
		return 404
	case "request_too_large":
		return 413
	case "timeout_error", "vector_store_timeout":
		return 504
	case "server_error":
		return 500
	case "BadRequestError", "data_residency_mismatch", "empty_image_file", "failed_to_download_image":
		return 400
	}
	for _, lead := range [...]string{"invalid_", "unsupported_", "image_"} {
		if strings.HasPrefix(word, lead) {
			return 400
		}
	}
	if IsPolicy(word) {
		return 400
	}
	return 0
}

// IsPolicy reports whether a code is for a request rejected by a policy of OpenAI. Codex 0.169
// gives up at each of these codes, with its own message (codex-rs/codex-api/src/sse/responses.rs).
func IsPolicy(code string) bool {
	return code == "cyber_policy" || code == "bio_policy" || code == "misalignment_policy_violation"
}

// overflows are phrases, separated by "|", with which servers report a prompt that is too long.
// Only OpenAI and llama.cpp have a code for this. No known server says "context length exceeded",
// but the phrase has only one meaning.
const overflows = "maximum context length|" + // OpenAI, vLLM, OpenRouter, DeepSeek, Mistral
	"context length exceeded|" +
	"exceeds the context window|" + // OpenAI's Responses
	"available context size|" + // llama.cpp
	"maximum model length|" + // vLLM's completions
	"okens exceed the configured limit|" + // OpenAI
	"rompt exceeds max length|" + // Z.ai
	"tokens + `max_new_tokens` must be|" + // Hugging Face's TGI
	// phrases that Claude Code 2.1.330 also knows, of unknown servers
	"nput token length too long|maximum context limit|more than max tokens allowed|" +
	"context exceeds your deployment|" +
	"greater than the context length|larger context length|" + // LM Studio
	"prompt too long; exceeded|" + // Ollama
	"than the model's context length|" + // SGLang, Together
	"maximum number of tokens allowed|but model only supports up to|" + // Google
	"maximum prompt length is|" + // xAI
	"exceeded model token limit|" + // Moonshot
	"context window exceeds limit|" + // MiniMax
	"input length should be|" + // Alibaba
	"reduce the length of the messages|" + // OpenAI, and imitators with a different beginning
	"prompt is too long|exceed context limit|" + // Anthropic
	"nput is too long for requested model" // Amazon

func saysOverflow(message string) bool {
	for rest := overflows; rest != ""; {
		var words string
		if words, rest, _ = strings.Cut(rest, "|"); strings.Contains(message, words) {
			return true
		}
	}
	return false
}
