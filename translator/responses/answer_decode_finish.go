package responses

import (
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/openai"
)

// readUsage reads a usage object (API reference, "usage"). input_tokens includes cache reads and
// cache writes.
func readUsage(v ir.Raw) ir.Usage {
	u := ir.NoUsage
	input := int64(-1)
	r := jsonr.NewReader(string(v))
	for r.OpenObject(); r.Member(); {
		switch r.Key() {
		case "input_tokens":
			input = jsonr.Count(r.Value())
		case "output_tokens":
			u.Output = jsonr.Count(r.Value())
		case "input_tokens_details", "output_tokens_details":
			openai.ReadUsageDetails(&r, &u)
		}
	}
	u.SetPrompt(input)
	return u
}

// stopReason returns why an answer ended. The API's status is "completed" for the end of a turn,
// for calls and for a refusal; the items distinguish these. An incomplete answer was cut by a
// content filter or, for any other reason, at a limit.
func (d *decoder) stopReason(status, reason ir.Escaped) ir.StopReason {
	if status == "incomplete" {
		if reason == "content_filter" {
			return ir.Refusal
		}
		return ir.MaxTokens
	}
	switch {
	case d.called:
		return ir.ToolUse
	case d.refused:
		return ir.Refusal
	case d.resumes: // the client is to send the answer back (guide "Programmatic tool calling")
		return ir.PauseTurn
	}
	return ir.EndTurn
}
