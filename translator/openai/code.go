package openai

import "edgelingua/translator/ir"

// Code returns the code by which clients know e, "" where it has none.
func Code(e *ir.Error) string {
	_, code := typeAndCode(e)
	return code
}

// Message returns what e says, and of which field.
func Message(e *ir.Error) string { return message(e) }
