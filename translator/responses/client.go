package responses

import (
	"strconv"

	"edgelingua/translator/ir"
)

// Client is the Responses API on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Name returns Name.
func (Client) Name() string { return Name }

// Shows reports whether a block of a kind has a form in an answer. All have but the tools of other vendors.
func (Client) Shows(b ir.BlockKind) bool { return b != ir.ServerToolBlock }

// NewEncoder returns an encoder of one streamed answer; model is the name that it shows.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{answer: answer{request: r, model: model}}
}

// NewFolder returns an encoder of one plain answer; model is the name that it shows.
func (Client) NewFolder(r *ir.Request, model ir.Escaped, dst []byte) ir.Folder {
	return &folder{answer: answer{request: r, model: model, out: dst}, start: len(dst)}
}

// DecodeRequest reads the body of POST /v1/responses.
func (c Client) DecodeRequest(body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{Client: c}}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// DecodeCount reads the body of POST /v1/responses/input_tokens, where nothing is required.
func (c Client) DecodeCount(body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{Client: c}, counts: true}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// AppendCount appends the answer to it (API reference, "Get input token counts").
func (Client) AppendCount(dst []byte, tokens int64) []byte {
	dst = append(dst, `{"object":"response.input_tokens","input_tokens":`...)
	dst = strconv.AppendInt(dst, tokens, 10)
	return append(dst, '}')
}
