package anthropic

import (
	"strconv"

	"edgelingua/translator/ir"
)

// Client is the Messages API on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Name returns Name.
func (Client) Name() string { return Name }

// Shows reports whether a block of a kind has a form in an answer. Clients of this API can't declare a tool that takes free
// text.
func (Client) Shows(b ir.BlockKind) bool {
	return b != ir.CustomToolCallBlock && b != ir.ServerToolBlock
}

// NewEncoder returns an encoder of one streamed answer; model is the name that it shows.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{model: model}
}

// NewFolder returns an encoder of one plain answer; model is the name that it shows.
func (Client) NewFolder(r *ir.Request, model ir.Escaped, dst []byte) ir.Folder {
	return &folder{model: model, dst: dst, start: len(dst)}
}

// DecodeRequest reads the body of POST /v1/messages.
func (c Client) DecodeRequest(body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{Client: c}}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// DecodeCount reads the body of POST /v1/messages/count_tokens, which sets no limit to an answer.
func (c Client) DecodeCount(body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{Client: c}, counts: true}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// AppendCount appends the answer to it (Messages API, "Count tokens in a Message").
func (Client) AppendCount(dst []byte, tokens int64) []byte {
	dst = append(dst, `{"input_tokens":`...)
	dst = strconv.AppendInt(dst, tokens, 10)
	return append(dst, '}')
}
