package anthropic

import "edgelingua/translator/ir"

// paths are the paths of fields in a body. A field is missing here if the API lacks it, or if the
// request stores its path (see ir.Request.FieldPath).
var paths = [ir.Fields]string{
	ir.FieldMessages:         "messages",
	ir.FieldMaxTokens:        "max_tokens",
	ir.FieldTemperature:      "temperature",
	ir.FieldTopP:             "top_p",
	ir.FieldTopK:             "top_k",
	ir.FieldStop:             "stop_sequences",
	ir.FieldReasoningSummary: "thinking.display",
	ir.FieldServiceTier:      "service_tier",
	ir.FieldSpeed:            "speed",
	ir.FieldUserID:           "metadata.user_id",
	ir.FieldParallel:         "tool_choice.disable_parallel_tool_use",
	ir.FieldToolChoice:       "tool_choice",
	ir.FieldFormat:           "output_config.format",
}

// FieldPath returns the path of a field.
func (Client) FieldPath(_ *ir.Request, f ir.Field) string { return paths[f] }
