package chat

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// Client is the client's side of Chat Completions. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Shows reports whether a block of a kind has a form in an answer. Calls of the upstream's own
// tools have none, web searches included; annotations of the message cite the results of a search.
func (Client) Shows(b ir.BlockKind) bool {
	return b != ir.WebSearchBlock && b < ir.HostedBlock
}

// NewEncoder returns an encoder of one streamed answer to r. The answer names model as its model.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{messageWriter{request: r, model: model}}
}

// NewPlainEncoder returns an encoder of one plain answer to r, which it appends to dst. The answer names
// model as its model.
func (Client) NewPlainEncoder(r *ir.Request, model ir.Escaped, dst []byte) ir.PlainEncoder {
	return ir.NewPlainEncoder(dst, &bodyWriter{messageWriter{request: r, model: model, plain: true}})
}

// DecodeRequest reads the body of POST /v1/chat/completions. It adds members that no request can carry
// to lost. An error has the path of the invalid member.
func (Client) DecodeRequest(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}, function: -1}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// Model returns the model named in a body. The path is ignored.
func (Client) Model(_, body string) string { return jsonr.LastText(body, "model") }

// Streams reports whether a request asks for a stream, and whether its answer has token counts: a
// stream has counts only if the client asks for them with stream_options.include_usage.
func (Client) Streams(_, body string) (streams, counted bool) {
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return true, false
	}
	asked := false
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "stream":
			streams = jsonr.Asks(r.Value())
		case "stream_options":
			include, _, _ := jsonr.LastMember(string(r.Value()), "include_usage")
			asked = include == "true"
		}
	}
	return streams, !streams || asked
}

// HoldsForeign reports whether a body has the member input of Responses instead of messages. In a
// translated answer, values for another vendor are in envelopes.
func (Client) HoldsForeign(body string) bool {
	if !strings.Contains(body, `"input"`) {
		return false
	}
	given := false
	r := jsonr.NewReader(body)
	if r.Kind() != jsonr.Object {
		return false
	}
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "messages":
			return false
		case "input":
			given = true
		}
	}
	return given
}

// AppendError appends the body of an error answer (API reference, "Error codes").
func (Client) AppendError(dst []byte, e *ir.Error) []byte { return openai.AppendError(dst, e) }
