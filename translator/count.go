package translator

import (
	"edgelingua/translator/anthropic"
	"edgelingua/translator/count"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
)

// inputCounter is a client's protocol that tells clients how many tokens a request is before they send it.
type inputCounter interface {
	DecodeCount(body string, lost *ir.Lost) (*ir.Request, *ir.Error)
	AppendCount(dst []byte, tokens int64) []byte
}

// AppendCount appends the answer to a client that asks how many tokens the input in body is to the model that is named there.
// The protocol is "anthropic" or "responses": Chat Completions does not count. The tokens are estimated, see package count.
func AppendCount(dst []byte, client string, body []byte) ([]byte, *ir.Error) {
	s, err := checked(body)
	if err != nil {
		return dst, err
	}
	var c inputCounter = anthropic.Client{}
	if client == responses.Name {
		c = responses.Client{}
	}
	r, err := c.DecodeCount(s, &ir.Lost{})
	if err != nil {
		return dst, err
	}
	return c.AppendCount(dst, count.Tokens(r)), nil
}
