package chat

import "edgelingua/translator/ir"

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
