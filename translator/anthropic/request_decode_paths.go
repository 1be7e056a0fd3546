package anthropic

import "edgelingua/translator/ir"

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
