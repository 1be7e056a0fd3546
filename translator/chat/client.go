package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// Client is Chat Completions on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Shows reports whether a block of a kind has a form in an answer. Calls of the upstream's own
// tools have none, a web search included; the message's annotations cite what the search has found.
func (Client) Shows(b ir.BlockKind) bool {
	return b != ir.WebSearchBlock && b < ir.HostedBlock
}

// NewEncoder returns an encoder of one streamed answer; model is the name that it shows.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{messageWriter{request: r, model: model}}
}

// NewFolder returns an encoder of one plain answer; model is the name that it shows.
func (Client) NewFolder(r *ir.Request, model ir.Escaped, dst []byte) ir.Folder {
	return ir.NewFolder(dst, &bodyWriter{messageWriter{request: r, model: model, plain: true}})
}

// DecodeRequest reads the body of POST /v1/chat/completions.
func (Client) DecodeRequest(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}, function: -1}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// Model returns the model that a body names.
func (Client) Model(_, body string) string { return jsonr.LastText(body, "model") }

// Streams reports whether a request asks for a stream, and whether its answer says how many tokens
// it took: a stream does so only where the client asks for that with stream_options.include_usage.
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

// HoldsForeign returns false: a translated answer has the parts that only another vendor knows in
// envelopes.
func (Client) HoldsForeign(string) bool { return false }

// AppendError appends the body of an error answer (API reference, "Error codes").
func (Client) AppendError(dst []byte, e *ir.Error) []byte { return openai.AppendError(dst, e) }
