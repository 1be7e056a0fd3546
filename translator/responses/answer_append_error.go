package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/openai"
)

// AppendError appends the body of an error answer (API reference, "Error codes").
func AppendError(dst []byte, e *ir.Error) []byte {
	return openai.AppendError(dst, e)
}
