package chat

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

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

// loseAt does so with a member of what stands at a place, or of its field.
func (d *requestDecoder) loseAt(at ir.Pos, field string, r *jsonr.Reader) {
	if member := d.lost.Member(r.Key(), r.Value()); member != "" {
		d.lost.Add(pathOf(at, field+member))
	}
}

// pathOf returns the path of a field of what stands at a place. Paths are only built for errors and losses.
func pathOf(at ir.Pos, field string) string {
	return string(Client{}.AppendPath(nil, at)) + field
}

// textAt reads the text of a field of what stands at a place.
func textAt(r *jsonr.Reader, at ir.Pos, field string) (ir.Escaped, *ir.Error) {
	kind := r.Kind()
	e, ok := jsonr.Text(r.Value())
	if !ok {
		return "", openai.WrongType(pathOf(at, field), "a string", kind)
	}
	return e, nil
}

// messagePath returns the path of a field of the nth message.
func messagePath(n int, field string) string {
	return pathOf(ir.Pos{Message: n, Block: atMessage}, field)
}

// toolPath returns the path of a field of a tool.
func toolPath(t *ir.Tool, field string) string {
	return string(Client{}.AppendToolPath(nil, t.At)) + field
}
