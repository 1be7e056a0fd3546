package responses

import (
	"strconv"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// Client is the Responses API on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Places outside the list of input items, in ir.Pos.Message.
const (
	atInstructions = -1 - iota
	atInput        // the input is a string
)

// Places of what an item holds beside its content, in ir.Pos.Block.
const (
	atItem   = -2 - iota // the item itself
	atOutput             // output[Part]
)

// AppendPath appends input[m].content[b], input[m].output[p], input[m], input or instructions.
func (Client) AppendPath(dst []byte, p ir.Pos) []byte {
	if p.Message == atInstructions {
		return append(dst, "instructions"...)
	}
	dst = append(dst, "input"...)
	if p.Message == atInput {
		return dst
	}
	dst = ir.AppendIndex(dst, p.Message)
	switch p.Block {
	case atItem:
		return dst
	case atOutput:
		return ir.AppendIndex(append(dst, ".output"...), p.Part)
	}
	return ir.AppendIndex(append(dst, ".content"...), p.Block)
}

// AppendToolPath appends tools[n], or input[m].tools[n] for a tool that an item brings, and .tools[p] for one in a namespace.
func (Client) AppendToolPath(dst []byte, p ir.Pos) []byte {
	if p.Message >= 0 {
		dst = ir.AppendIndex(append(dst, "input"...), p.Message)
		dst = append(dst, '.')
	}
	dst = ir.AppendIndex(append(dst, "tools"...), p.Block)
	if p.Part >= 0 {
		dst = ir.AppendIndex(append(dst, ".tools"...), p.Part)
	}
	return dst
}

// FieldPath returns the API's name of a field. There is no top_k and no stop.
func (Client) FieldPath(r *ir.Request, f ir.Field) string {
	switch f {
	case ir.FieldMessages:
		return "input"
	case ir.FieldMaxTokens:
		return "max_output_tokens"
	case ir.FieldTemperature:
		return "temperature"
	case ir.FieldTopP:
		return "top_p"
	case ir.FieldEffort:
		return r.EffortPath
	case ir.FieldSummary:
		return "reasoning.summary"
	case ir.FieldUserID:
		return r.UserIDPath
	case ir.FieldMetadata:
		return "metadata"
	case ir.FieldServiceTier:
		return "service_tier"
	case ir.FieldVerbosity:
		return "text.verbosity"
	case ir.FieldParallel:
		return "parallel_tool_calls"
	case ir.FieldToolChoice:
		return "tool_choice"
	case ir.FieldFormat:
		return "text.format"
	case ir.FieldFormatDescription:
		return "text.format.description"
	}
	return ""
}

// Shows reports whether a block of a kind has a form in an answer. All have but the tools of other vendors.
func (Client) Shows(b ir.BlockKind) bool { return b != ir.ServerToolBlock }

// NewEncoder returns an encoder of one streamed answer; model is the name that it shows.
func (Client) NewEncoder(r *ir.Request, model ir.Escaped) ir.Encoder {
	return &encoder{itemWriter: itemWriter{request: r, model: model}}
}

// NewFolder returns an encoder of one plain answer; model is the name that it shows.
func (Client) NewFolder(r *ir.Request, model ir.Escaped, dst []byte) ir.Folder {
	return ir.NewFolder(dst, &bodyWriter{itemWriter{request: r, model: model}})
}

// DecodeRequest reads the body of POST /v1/responses.
func (Client) DecodeRequest(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}}
	if err := d.decode(body); err != nil {
		return nil, err
	}
	return d.request, nil
}

// DecodeCount reads the body of POST /v1/responses/input_tokens, where nothing is required.
func (Client) DecodeCount(_, body string, lost *ir.Lost) (*ir.Request, *ir.Error) {
	d := requestDecoder{lost: lost, request: &ir.Request{API: &API}, counts: true}
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

// Model returns the model that a body names.
func (Client) Model(_, body string) string { return jsonr.LastText(body, "model") }

// Streams reports whether a request asks for a stream. Answers always say how many tokens they were.
func (Client) Streams(_, body string) (streams, counted bool) {
	flag, _, ok := jsonr.LastMember(body, "stream")
	return !ok || flag != "" && jsonr.Asks(flag), true
}

// HoldsForeign reports whether a body seems to hold reasoning that only another vendor has: an item whose encrypted_content is null, in
// a conversation that the upstream does not store. Where it does, null stands for its own reasoning, too.
func (Client) HoldsForeign(body string) bool {
	return jsonr.Shows(body, "encrypted_content", "null") && jsonr.Shows(body, "store", "false")
}

// AppendError appends the body of an error answer (API reference, "Error codes").
func (Client) AppendError(dst []byte, e *ir.Error) []byte { return openai.AppendError(dst, e) }
