package responses

import "edgelingua/translator/ir"

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
