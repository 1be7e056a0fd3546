package responses

import "edgelingua/translator/ir"

// paths are the paths of fields in a body. A field is missing here if the API has no such member,
// like top_k and stop, or if the request knows where the field was read (see ir.Request.FieldPath).
var paths = [ir.Fields]string{
	ir.FieldMessages:          "input",
	ir.FieldMaxTokens:         "max_output_tokens",
	ir.FieldTemperature:       "temperature",
	ir.FieldTopP:              "top_p",
	ir.FieldPresence:          "presence_penalty",
	ir.FieldFrequency:         "frequency_penalty",
	ir.FieldSeed:              "seed",
	ir.FieldTopLogprobs:       "top_logprobs",
	ir.FieldReasoningSummary:  "reasoning.summary",
	ir.FieldMetadata:          "metadata",
	ir.FieldServiceTier:       "service_tier",
	ir.FieldVerbosity:         "text.verbosity",
	ir.FieldParallel:          "parallel_tool_calls",
	ir.FieldToolChoice:        "tool_choice",
	ir.FieldFormat:            "text.format",
	ir.FieldFormatDescription: "text.format.description",
}

// FieldPath returns the path of a field.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string { return paths[f] }
