package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// threadUnsupported is the code for a thread: the SDK's tool runner then sends whole conversations.
const threadUnsupported = "thread_unsupported_request"

// AppendError appends the body of an error answer (Messages API, "Errors"):
// {"type":"error","error":{"type","message"}}. The message begins with the path of the field in
// Anthropic's own notation, messages.0.role: Claude Code reads the path and repeats the request
// without the field.
func (Client) AppendError(dst []byte, e *ir.Error) []byte {
	dst = append(dst, `{"type":"error","error":{"type":"`...)
	dst = append(dst, errorType(e.Kind)...)
	dst = append(dst, `","message":"`...)
	if e.Path != "" {
		dst = appendDottedPath(dst, e.Path)
		dst = append(dst, ": "...)
	}
	switch {
	case e.Kind == ir.ContextOverflow:
		dst = appendOverflow(dst, e.Message)
	case e.Kind == ir.InvalidRequest && e.Path == "" && rejectsImage(e):
		dst = append(dst, imageRejected+": "...)
		fallthrough
	default:
		dst = jsonw.AppendText(dst, e.Message)
	}
	dst = append(dst, '"')
	if e.Code == threadUnsupported || e.Code == ir.ToolUnsupported {
		dst = append(append(dst, `,"details":{"error_code":"`...), e.Code...)
		dst = append(dst, `","unsupported":["`...)
		dst = jsonw.AppendText(dst, e.Path)
		dst = append(dst, `"]}`...)
	}
	return append(dst, `}}`...)
}

// imageRejected is the beginning of messages for an image that an upstream rejects. Claude Code
// 2.1.330 then repeats the request without images. After other words, the image would fail each
// further turn. An error of edgelingua has the image's path, which Claude Code reads too.
const imageRejected = "Could not process image"

// rejectsImage reports whether an upstream of another API rejects an image. OpenAI's codes name the
// image (ResponseError.code of openai's SDK 7.55), except invalid_value. Google has only phrases.
func rejectsImage(e *ir.Error) bool {
	if strings.Contains(e.Message, imageRejected) {
		return false
	}
	for _, words := range [...]string{"valid image", "image is not valid", "image_url",
		"process input image"} {
		if strings.Contains(e.Message, words) {
			return true
		}
	}
	return strings.Contains(e.Code, "image")
}

// errorType returns the API's name of a kind.
func errorType(k ir.ErrorKind) string {
	switch k {
	case ir.InvalidRequest, ir.MethodNotAllowed, ir.ContextOverflow:
		return "invalid_request_error"
	case ir.Authentication:
		return "authentication_error"
	case ir.Permission:
		return "permission_error"
	case ir.NotFound:
		return "not_found_error"
	case ir.TooLarge:
		return "request_too_large"
	case ir.RateLimit:
		return "rate_limit_error"
	case ir.Quota:
		return "billing_error"
	case ir.Overloaded:
		return "overloaded_error"
	case ir.Timeout:
		return "timeout_error"
	}
	return "api_error"
}

// appendDottedPath appends messages[0].role as messages.0.role, escaped.
func appendDottedPath(dst []byte, path string) []byte {
	start := 0
	for i := 0; i < len(path); i++ {
		if c := path[i]; c == '[' || c == ']' {
			dst = jsonw.AppendText(dst, path[start:i])
			if c == '[' {
				dst = append(dst, '.')
			}
			start = i + 1
		}
	}
	return jsonw.AppendText(dst, path[start:])
}

// The beginnings of messages for a request that does not fit. Clients of this API shorten the
// conversation after promptTooLong, and lower max_tokens after limitTooLarge.
const (
	promptTooLong = "prompt is too long"
	limitTooLarge = "input length and `max_tokens` exceed context limit"
)

// leastAnswer is the minimum part of the context for the answer: Claude Code asks for at least 3000
// tokens, and leaves 1000 unused.
const leastAnswer = 4096

// appendOverflow appends the message for a request that does not fit: a beginning that clients of
// this API recognize, the numbers if the upstream's message has them, and the upstream's message.
// Many servers add the limit of the answer to the prompt's length: if only the sum is too large, a
// shorter prompt would not help.
func appendOverflow(dst []byte, message string) []byte {
	if strings.HasPrefix(message, promptTooLong) || strings.HasPrefix(message, limitTooLarge) {
		return jsonw.AppendText(dst, message)
	}
	limit := numberAt(message,
		"context length is |tokens allowed (|context size (|context length (|prompt length is ", true)
	input := numberAt(message,
		"resulted in |requested about |requested |your request has |token count (|input "+
			"(|request (|contains ", true)
	output := numberAt(message, "is too large: ", true)
	if output == 0 {
		output = numberAt(message, " in the completion| in the output| tokens for the completion", false)
		input -= output
	}
	switch {
	case limit == 0 || input <= 0:
		dst = append(dst, promptTooLong+": "...)
		return jsonw.AppendText(dst, message)
	case output > 0 && limit-input >= leastAnswer:
		dst = append(dst, limitTooLarge+": "...)
		dst = strconv.AppendInt(dst, input, 10)
		dst = append(dst, " + "...)
		dst = strconv.AppendInt(dst, output, 10)
		dst = append(dst, " > "...)
		dst = strconv.AppendInt(dst, limit, 10)
	default:
		dst = append(dst, promptTooLong+": "...)
		dst = strconv.AppendInt(dst, input+output, 10)
		dst = append(dst, " tokens > "...)
		dst = strconv.AppendInt(dst, limit, 10)
		dst = append(dst, " maximum"...)
	}
	dst = append(dst, " ("...)
	dst = jsonw.AppendText(dst, message)
	return append(dst, ')')
}

// numberAt returns the number in s right after a mark, or right before a mark if after is false; 0
// for none. marks is a list separated by "|".
func numberAt(s, marks string, after bool) int64 {
	for marks != "" {
		var mark string
		mark, marks, _ = strings.Cut(marks, "|")
		at := strings.Index(s, mark)
		if at < 0 {
			continue
		}
		from, to := at, at
		if after {
			from += len(mark)
			to = from
			for to < len(s) && '0' <= s[to] && s[to] <= '9' {
				to++
			}
		} else {
			for from > 0 && '0' <= s[from-1] && s[from-1] <= '9' {
				from--
			}
		}
		if n, ok := jsonr.Int(jsonw.Raw(s[from:to])); ok {
			return n
		}
	}
	return 0
}
