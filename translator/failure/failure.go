// Package failure reads the errors of upstreams, in whatever envelope they come: servers put those of several APIs around them,
// whichever they speak.
package failure

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// maxMessage bounds the upstream's words that a client gets to see, in bytes.
const maxMessage = 2048

// Decode reads an upstream's answer with a status of 400 or more. It knows OpenAI's envelope and its relatives (error
// as a string, {"message"}, {"detail"}, an array around the envelope, Anthropic's), plain text, HTML and nothing, and keeps
// the upstream's words, cut to 2 KB.
func Decode(status int, body string) *ir.Error {
	e := &ir.Error{Status: status}
	if jsonr.Check(body) == nil {
		readEnvelope(body, e)
	} else {
		e.Message = plainWords(status, body)
	}
	if e.Message == "" {
		e.Message = "The upstream answered " + strconv.Itoa(status) + missing(body)
	}
	e.Message = cut(e.Message)
	e.Kind = kind(status, e)
	return e
}

// DecodeEvent reads what came in place of an event, or of a body with a good status, in the forms that Decode
// knows. The status follows from its code where that is a number.
func DecodeEvent(text string) *ir.Error {
	e := &ir.Error{}
	if jsonr.Check(text) == nil {
		readEnvelope(text, e)
	} else {
		e.Message = strings.TrimSpace(text)
	}
	if e.Message == "" {
		e.Message = "The upstream reported an error" + missing(text)
	}
	e.Message = cut(e.Message)
	if n, ok := jsonr.Int(jsonw.Raw(e.Code)); ok && 400 <= n && n < 600 {
		e.Status = int(n)
	}
	e.Kind = kind(e.Status, e)
	return e
}

// Unreadable returns the failure of an answer that breaks its protocol; what completes "it can't be read: ".
func Unreadable(what string) *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "The upstream's answer can't be read: " + what + "."}
}

// TooManyBlocks returns the failure of an answer with more than ir.MaxBlocks.
func TooManyBlocks() *ir.Error {
	return Unreadable("it has more than " + strconv.Itoa(ir.MaxBlocks) + " blocks")
}

// Incomplete returns the failure of a stream that just ended.
func Incomplete() *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "The upstream's stream ended before the answer was complete."}
}

// missing says what an error lacks, and shows what there is instead.
func missing(body string) string {
	if body = strings.TrimSpace(body); body == "" {
		return " without a body."
	}
	return " without a message: " + body
}

// readEnvelope reads the whole body of an error answer, which is JSON.
func readEnvelope(body string, e *ir.Error) {
	r := jsonr.NewReader(body)
	if r.Kind() == jsonr.Array { // as one vendor's compatible API wraps it
		r.OpenArray()
		if !r.Element() {
			return
		}
	}
	if text, ok := stringValue(r); ok {
		e.Message = text
		return
	}
	var code, typ jsonw.Raw
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "error":
			readError(r.Value(), e)
		case "message", "detail", "error_description", "msg":
			if v := r.Value(); e.Message == "" {
				e.Message = words(v)
			}
		case "code":
			code = r.Value()
		case "type":
			typ = r.Value()
		}
	}
	if e.Code == "" {
		e.Code = words(code)
	}
	if e.Code == "" && words(typ) != "error" { // the type of an event or of Anthropic's envelope, not of the error
		e.Code = words(typ)
	}
}

// stringValue returns the value that r stands before where it is a string. r stays where it is.
func stringValue(r jsonr.Reader) (string, bool) {
	text, ok := jsonr.Text(r.Value())
	return jsonw.Unescape(text), ok
}

// readError reads the value of "error": an object, the words alone, a status, or true where the words stand beside it.
func readError(v jsonw.Raw, e *ir.Error) {
	switch jsonr.KindOf(v) {
	case jsonr.Object:
	case jsonr.Number:
		e.Code = words(v)
		return
	case jsonr.Bool:
		return
	default:
		e.Message = words(v)
		return
	}
	var typ string
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
	if e.Code == "" {
		e.Code = typ
	}
}

// words returns what a value says: the text of a string, the JSON of anything else, "" for null and nothing.
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

// plainWords returns what a body that is not JSON says: text as it is, of a page in HTML its title.
func plainWords(status int, body string) string {
	text := strings.TrimSpace(body)
	if !strings.HasPrefix(text, "<") {
		return text
	}
	page := "The upstream answered " + strconv.Itoa(status) + " with a page in HTML"
	_, title, ok := strings.Cut(text, "<title>")
	if title, _, closed := strings.Cut(title, "</title>"); ok && closed && strings.TrimSpace(title) != "" {
		return page + ": " + strings.TrimSpace(title)
	}
	return page + "."
}

// cut cuts s to maxMessage bytes, between characters.
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

// kind returns what an upstream's error is, by its code first and its status second.
func kind(status int, e *ir.Error) ir.ErrorKind {
	switch e.Code {
	case "context_length_exceeded", "exceed_context_size_error":
		return ir.ContextOverflow
	case "insufficient_quota", "billing_error", "credit_balance_exhausted":
		return ir.Quota
	case "rate_limit_exceeded", "rate_limit_error", "too_many_requests":
		return ir.RateLimit
	case "server_is_overloaded", "overloaded_error":
		return ir.Overloaded
	}
	if strings.Contains(e.Message, "credit balance is too low") { // Anthropic's 400
		return ir.Quota
	}
	if status == 0 {
		switch e.Code {
		case "invalid_request_error", "BadRequestError", "invalid_prompt":
			status = 400
		case "invalid_api_key", "authentication_error":
			status = 401
		case "permission_error":
			status = 403
		case "model_not_found", "not_found_error":
			status = 404
		case "request_too_large":
			status = 413
		case "timeout_error":
			status = 504
		}
	}
	k := ir.KindOfStatus(status)
	if (k == ir.InvalidRequest || k == ir.TooLarge || k == ir.Internal) && saysOverflow(e.Message) {
		return ir.ContextOverflow
	}
	return k
}

// overflows are the words of servers that have no code for a prompt that is too long, separated by "|".
const overflows = "maximum context length|" + // OpenAI, vLLM, OpenRouter, DeepSeek, Mistral
	"context length exceeded|" +
	"exceeds the context window|" +
	"available context size|" + // llama.cpp
	"greater than the context length|larger context length|" + // LM Studio
	"prompt too long; exceeded|" + // Ollama
	"than the model's context length|" + // SGLang, Together
	"maximum number of tokens allowed|" + // Google
	"maximum prompt length is|" + // xAI
	"exceeded model token limit|" + // Moonshot
	"context window exceeds limit|" + // MiniMax
	"input length should be|" + // Alibaba
	"reduce the length of the messages|" +
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
