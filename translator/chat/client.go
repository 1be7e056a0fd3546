package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// Client is Chat Completions on the client's side. It implements ir.Client.
type Client struct{}

var _ ir.Client = Client{}

// Places of what a message holds beside its content, in ir.Pos.Block.
const (
	atMessage          = -2 - iota // the message itself, which is a tool's result
	atReasoningContent             //
	atReasoning                    // the other name of the same
	atDetail                       // reasoning_details[Part]
	atRefusal                      //
	atCall                         // tool_calls[Part]
	atFunctionCall                 //
)

// Places of tools that do not stand in the list of tools, in ir.Pos.Part.
const (
	atFunctions = -2 - iota // functions[Block]
	atWebSearch             // web_search_options
)

// AppendPath appends messages[m].content[b], messages[m].content for a string, or what else of a message p names.
func (Client) AppendPath(dst []byte, p ir.Pos) []byte {
	dst = ir.AppendIndex(append(dst, "messages"...), p.Message)
	switch p.Block {
	case atMessage:
		return dst
	case atReasoningContent:
		return append(dst, ".reasoning_content"...)
	case atReasoning:
		return append(dst, ".reasoning"...)
	case atDetail:
		return ir.AppendIndex(append(dst, ".reasoning_details"...), p.Part)
	case atRefusal:
		return append(dst, ".refusal"...)
	case atCall:
		return ir.AppendIndex(append(dst, ".tool_calls"...), p.Part)
	case atFunctionCall:
		return append(dst, ".function_call"...)
	}
	return ir.AppendIndex(append(dst, ".content"...), p.Block)
}

// AppendToolPath appends tools[n], functions[n] or web_search_options.
func (Client) AppendToolPath(dst []byte, p ir.Pos) []byte {
	switch p.Part {
	case atFunctions:
		return ir.AppendIndex(append(dst, "functions"...), p.Block)
	case atWebSearch:
		return append(dst, "web_search_options"...)
	}
	return ir.AppendIndex(append(dst, "tools"...), p.Block)
}

// FieldPath returns the API's name of a field. That the older form of calls knows no two at once is said by "functions" itself.
func (Client) FieldPath(r *ir.Request, f ir.Field) string {
	switch f {
	case ir.FieldMessages:
		return "messages"
	case ir.FieldMaxTokens:
		return r.LimitPath
	case ir.FieldTemperature:
		return "temperature"
	case ir.FieldTopP:
		return "top_p"
	case ir.FieldTopK:
		return "top_k"
	case ir.FieldStop:
		return "stop"
	case ir.FieldEffort:
		return r.EffortPath
	case ir.FieldUserID:
		return r.UserIDPath
	case ir.FieldMetadata:
		return "metadata"
	case ir.FieldServiceTier:
		return "service_tier"
	case ir.FieldVerbosity:
		return "verbosity"
	case ir.FieldParallel:
		if r.Legacy {
			return "functions"
		}
		return "parallel_tool_calls"
	case ir.FieldToolChoice:
		if r.Legacy {
			return "function_call"
		}
		return "tool_choice"
	case ir.FieldFormat:
		return "response_format"
	case ir.FieldFormatDescription:
		return "response_format.json_schema.description"
	}
	return ""
}

// Shows reports whether a block of a kind has a form in an answer. What the upstream's own tools did has none; citations of what
// a search found stand in the text.
func (Client) Shows(b ir.BlockKind) bool {
	return b != ir.WebSearchBlock && b != ir.ServerToolBlock
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

// Streams reports whether a request asks for a stream, and whether its answer says how many tokens it was: a stream says so only where
// the client asks for it.
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

// HoldsForeign returns false: what translated answers bring of other vendors stands in envelopes.
func (Client) HoldsForeign(string) bool { return false }

// AppendError appends the body of an error answer (API reference, "Error codes").
func (Client) AppendError(dst []byte, e *ir.Error) []byte { return openai.AppendError(dst, e) }
