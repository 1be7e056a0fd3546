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

// AppendPath appends messages[m].content[b], system[b] or system, and .content[p] for a part of the block.
func (Client) AppendPath(dst []byte, p ir.Pos) []byte {
	if p.Message < 0 {
		dst = append(dst, "system"...)
		return ir.AppendIndex(dst, p.Block)
	}
	dst = append(dst, "messages"...)
	dst = ir.AppendIndex(dst, p.Message)
	dst = append(dst, ".content"...)
	dst = ir.AppendIndex(dst, p.Block)
	if p.Part >= 0 {
		dst = append(dst, ".content"...)
		dst = ir.AppendIndex(dst, p.Part)
	}
	return dst
}

// AppendToolPath appends tools[n], or the path of the block that brings the tool.
func (c Client) AppendToolPath(dst []byte, p ir.Pos) []byte {
	if p.Message >= 0 {
		return append(c.AppendPath(dst, p), ".tool.definition"...)
	}
	return ir.AppendIndex(append(dst, "tools"...), p.Block)
}

// FieldPath returns the API's name of a field.
func (Client) FieldPath(r *ir.Request, f ir.Field) string {
	switch f {
	case ir.FieldMessages:
		return "messages"
	case ir.FieldMaxTokens:
		return "max_tokens"
	case ir.FieldTemperature:
		return "temperature"
	case ir.FieldTopP:
		return "top_p"
	case ir.FieldTopK:
		return "top_k"
	case ir.FieldStop:
		return "stop_sequences"
	case ir.FieldEffort:
		return r.EffortPath
	case ir.FieldSummary:
		return "thinking.display"
	case ir.FieldServiceTier:
		return "service_tier"
	case ir.FieldUserID:
		return "metadata.user_id"
	case ir.FieldParallel:
		return "tool_choice.disable_parallel_tool_use"
	case ir.FieldToolChoice:
		return "tool_choice"
	case ir.FieldFormat:
		return "output_config.format"
	}
	return ""
}

// Shows reports whether a block of a kind has a form in an answer. Clients of this API can't declare a tool that takes free
// text.
func (Client) Shows(b ir.BlockKind) bool {
	return b != ir.CustomToolCallBlock && b != ir.ServerToolBlock
}

// NewEncoder returns an encoder of one streamed answer; model is the name that it shows.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{blockWriter{model: model}}
}

// NewFolder returns an encoder of one plain answer; model is the name that it shows.
func (Client) NewFolder(r *ir.Request, model ir.Escaped, dst []byte) ir.Folder {
	return ir.NewFolder(dst, &bodyWriter{blockWriter{model: model, plain: true}})
}

// DecodeRequest reads the body of POST /v1/messages.
func (Client) DecodeRequest(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// DecodeCount reads the body of POST /v1/messages/count_tokens, which sets no limit to an answer.
func (Client) DecodeCount(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}, counts: true}
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

// Model returns the model that a body names.
func (Client) Model(_, body string) string { return jsonr.LastText(body, "model") }

// Streams reports whether a request asks for a stream. Answers always say how many tokens they were.
func (Client) Streams(_, body string) (streams, counted bool) {
	flag, _, ok := jsonr.LastMember(body, "stream")
	return !ok || flag != "" && jsonr.Asks(flag), true
}

// HoldsForeign reports whether a body seems to hold reasoning, a search or a citation of another vendor: translated, these have an
// empty signature, an id that begins with madeSearch, or an empty index.
func (Client) HoldsForeign(body string) bool {
	return jsonr.Shows(body, "signature", `""`) || jsonr.Shows(body, "encrypted_index", `""`) || strings.Contains(body, `"`+madeSearch)
}
