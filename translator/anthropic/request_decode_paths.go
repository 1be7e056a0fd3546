package anthropic

import "edgelingua/translator/ir"

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

// messagePath returns the path of a field of the nth message.
func messagePath(n int, field string) string {
	return string(ir.AppendIndex([]byte("messages"), n)) + field
}

// blockPath returns the path of a field of the block at a place. Paths are only built for errors.
func blockPath(at ir.Pos, field string) string {
	b := Client{}.AppendPath(nil, at)
	b = append(b, '.')
	return string(append(b, field...))
}

// listPath returns the path of the content of what stands at a place: a message, the system prompt, a block.
func listPath(at ir.Pos) string {
	if at.Block >= 0 {
		return blockPath(at, "content")
	}
	return string(Client{}.AppendPath(nil, at))
}
