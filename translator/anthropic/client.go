package anthropic

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Client is the Messages API on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Shows reports whether a block of a kind has a form in an answer. A call with free text has none:
// clients of this API can't declare such a tool.
func (Client) Shows(b ir.BlockKind) bool {
	return b != ir.CustomToolCallBlock && b != ir.ServerToolBlock
}

// NewEncoder returns an encoder of one streamed answer. model is the model's name in the answer.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{blockWriter: blockWriter{model: model, request: r}}
}

// NewPlainEncoder returns an encoder of one plain answer, appended to dst. model is the model's name in
// the answer.
func (Client) NewPlainEncoder(r *ir.Request, model ir.Escaped, dst []byte) ir.PlainEncoder {
	w := blockWriter{model: model, request: r, plain: true}
	return ir.NewPlainEncoder(dst, &bodyWriter{blockWriter: w})
}

// DecodeRequest reads the body of POST /v1/messages. The result has views of body.
func (Client) DecodeRequest(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API, HideThoughts: true}}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// DecodeCount reads the body of POST /v1/messages/count_tokens, which has no max_tokens.
func (Client) DecodeCount(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}, counts: true}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// AppendCount appends the answer of POST /v1/messages/count_tokens (Messages API, "Count tokens in
// a Message"). before is the number of tokens before the edits of the history, negative if the
// client asked for no edits.
func (Client) AppendCount(dst []byte, tokens, before int64) []byte {
	dst = append(dst, `{"input_tokens":`...)
	dst = strconv.AppendInt(dst, tokens, 10)
	if before >= 0 {
		dst = append(dst, `,"context_management":{"original_input_tokens":`...)
		dst = append(strconv.AppendInt(dst, before, 10), '}')
	}
	return append(dst, '}')
}

// Model returns the model in a body.
func (Client) Model(_, body string) string { return jsonr.LastText(body, "model") }

// Streams reports whether a request asks for a stream. counted is always true: answers always have
// token counts.
func (Client) Streams(_, body string) (streams, counted bool) {
	flag, _, ok := jsonr.LastMember(body, "stream")
	return !ok || flag != "" && jsonr.Asks(flag), true
}

// HoldsForeign reports whether a body seems to contain another vendor's reasoning, web search or
// citation without an envelope. In this API such reasoning has an empty signature, such a search
// has an id with the prefix madeSearch, and such a citation has an empty encrypted_index.
func (Client) HoldsForeign(body string) bool {
	return jsonr.Shows(body, `"signature"`, `""`) || jsonr.Shows(body, `"encrypted_index"`, `""`) ||
		strings.Contains(body, `"`+madeSearch)
}
