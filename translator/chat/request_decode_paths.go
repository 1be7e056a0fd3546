package chat

import "edgelingua/translator/ir"

// paths are the paths of fields in a body. The API has no member for those that are missing here.
var paths = [ir.Fields]string{
	ir.FieldMessages:          "messages",
	ir.FieldTemperature:       "temperature",
	ir.FieldTopP:              "top_p",
	ir.FieldTopK:              "top_k",
	ir.FieldStop:              "stop",
	ir.FieldMetadata:          "metadata",
	ir.FieldServiceTier:       "service_tier",
	ir.FieldVerbosity:         "verbosity",
	ir.FieldParallel:          "parallel_tool_calls",
	ir.FieldToolChoice:        "tool_choice",
	ir.FieldFormat:            "response_format",
	ir.FieldFormatDescription: "response_format.json_schema.description",
}

// FieldPath returns the path of a field. The older form of calls has no member that says whether several calls may come at once: it is
// "functions" itself that allows only one.
func (Client) FieldPath(r *ir.Request, f ir.Field) string {
	if r.Legacy {
		switch f {
		case ir.FieldParallel:
			return "functions"
		case ir.FieldToolChoice:
			return "function_call"
		}
	}
	return paths[f]
}
