package chat

import "edgelingua/translator/ir"

// Client is Chat Completions on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Name returns Name.
func (Client) Name() string { return Name }

// Shows reports whether a block of a kind has a form in an answer. What the upstream's own tools did has none; citations of what
// a search found stand in the text.
func (Client) Shows(b ir.BlockKind) bool {
	return b != ir.WebSearchBlock && b != ir.ServerToolBlock
}

// NewEncoder returns an encoder of one streamed answer; model is the name that it shows.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{request: r, model: model}
}

// NewFolder returns an encoder of one plain answer; model is the name that it shows.
func (Client) NewFolder(r *ir.Request, model ir.Escaped, dst []byte) ir.Folder {
	return &folder{request: r, model: model, dst: dst, start: len(dst)}
}

// DecodeRequest reads the body of POST /v1/chat/completions.
func (c Client) DecodeRequest(body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{Client: c}, function: -1}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}
