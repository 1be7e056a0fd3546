package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// AppendError appends the body of an error answer (API reference, "Error codes").
func AppendError(dst []byte, e *ir.Error) []byte {
	return openai.AppendError(dst, e)
}

func decodeError(status int, body string) *ir.Error {
	return openai.DecodeError(status, body)
}

// unreadable returns the failure of an answer that breaks the protocol.
func unreadable(what string) *ir.Error {
	return &ir.Error{Kind: ir.Unavailable, Message: "The upstream's answer can't be read: " + what + "."}
}

// eventError reads what stands in the place of a chunk or an answer.
func eventError(text string) *ir.Error {
	return openai.DecodeEventError(text)
}
