package responses

import "edgelingua/translator/ir"

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

// pathOf returns the path of a field of what stands at a place. Paths are only built for errors and losses.
//
//go:noinline
func pathOf(at ir.Pos, field string) string {
	return string(Client{}.AppendPath(nil, at)) + field
}

// toolPath returns the path of a field of a tool.
//
//go:noinline
func toolPath(t *ir.Tool, field string) string {
	return string(Client{}.AppendToolPath(nil, t.At)) + field
}
