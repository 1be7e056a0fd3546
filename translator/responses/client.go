package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// Client is the Responses API on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Shows reports whether answers can represent a kind of block. Only calls of another vendor's own
// tools have no form.
func (Client) Shows(b ir.BlockKind) bool { return b != ir.ServerToolBlock }

// NewEncoder returns an encoder for one streamed answer. The answer names model as its model.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{itemWriter: itemWriter{request: r, model: model}}
}

// NewPlainEncoder returns an encoder for one plain answer. The answer names model as its model. The
// encoder appends to dst.
func (Client) NewPlainEncoder(r *ir.Request, model ir.Escaped, dst []byte) ir.PlainEncoder {
	body := bodyWriter{itemWriter{request: r, model: model}}
	if r.Compaction != nil && r.Compaction.Alone {
		return ir.NewPlainEncoder(dst, &compactWriter{body})
	}
	return ir.NewPlainEncoder(dst, &body)
}

// DecodeRequest reads the body of POST /v1/responses or POST /v1/responses/compact. The request may
// refer to body. Losses are added to lost.
func (Client) DecodeRequest(path, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}, alone: isCompact(path)}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// DecodeCount reads the body of POST /v1/responses/input_tokens, which has no required fields.
func (Client) DecodeCount(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}, counts: true}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// AppendCount appends the answer of POST /v1/responses/input_tokens (API reference, "Get input
// token counts").
func (Client) AppendCount(dst []byte, tokens, _ int64) []byte {
	dst = append(dst, `{"object":"response.input_tokens","input_tokens":`...)
	dst = strconv.AppendInt(dst, tokens, 10)
	return append(dst, '}')
}

// Model returns the model named in a body.
func (Client) Model(_, body string) string { return jsonr.LastText(body, "model") }

// Streams reports whether a request asks for a stream. counted is always true, because every answer
// has its token counts.
func (Client) Streams(path, body string) (streams, counted bool) {
	if isCompact(path) {
		return false, true
	}
	flag, _, ok := jsonr.LastMember(body, "stream")
	return !ok || flag != "" && jsonr.Asks(flag), true
}

// HoldsForeign reports whether a body seems to contain another vendor's reasoning or a web search
// unknown to OpenAI (see isMadeSearch). The sign of reasoning is an item whose encrypted_content is
// null, in a request with "store":false. With "store":true, null is for the upstream's own
// reasoning, which the upstream has stored.
func (Client) HoldsForeign(body string) bool {
	return jsonr.Shows(body, `"encrypted_content"`, "null") && jsonr.Shows(body, `"store"`, "false") ||
		holdsMadeSearch(body)
}

// AppendError appends the body of an error answer (API reference, "Error codes"). A spent budget has
// the type and the time of chatgpt.com: Codex 0.169 then ends and shows the time, but obeys the
// retry-after of any other 429, even for hours (codex-rs/codex-api/src/api_bridge.rs). OpenAI's SDKs
// choose the class of an error by the status alone.
func (Client) AppendError(dst []byte, e *ir.Error) []byte {
	if e.Resets == 0 {
		return openai.AppendError(dst, e)
	}
	dst = append(dst, `{"error":{"message":`...)
	dst = jsonw.AppendString(dst, e.Message)
	dst = append(dst, `,"type":"usage_limit_reached","param":null,"code":"rate_limit_exceeded"`...)
	return append(jsonw.AppendIntMember(dst, `,"resets_at":`, e.Resets), `}}`...)
}
