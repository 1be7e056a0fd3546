package chat

import "edgelingua/translator/ir"

// paths are the members of a body by field. If a field is missing here, the API has no member for
// it, or two, and the request knows which of the two was read (see ir.Request.FieldPath).
var paths = [ir.Fields]string{
	ir.FieldMessages:          "messages",
	ir.FieldTemperature:       "temperature",
	ir.FieldTopP:              "top_p",
	ir.FieldTopK:              "top_k",
	ir.FieldPresence:          "presence_penalty",
	ir.FieldFrequency:         "frequency_penalty",
	ir.FieldSeed:              "seed",
	ir.FieldTopLogprobs:       "top_logprobs",
	ir.FieldStop:              "stop",
	ir.FieldReasoningSummary:  "reasoning.summary",
	ir.FieldMetadata:          "metadata",
	ir.FieldServiceTier:       "service_tier",
	ir.FieldVerbosity:         "verbosity",
	ir.FieldParallel:          "parallel_tool_calls",
	ir.FieldToolChoice:        "tool_choice",
	ir.FieldFormat:            "response_format",
	ir.FieldFormatDescription: "response_format.json_schema.description",
}

// FieldPath returns the path of a field. A client that declares "functions" has function_call
// instead of tool_choice, and no member for parallel calls: "functions" itself allows only one call
// at a time.
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
