package ir

// Codes of consultations without advice, as Messages names them ("Advisor tool", "Error codes").
// SearchUnavailable, SearchMaxUses and SearchTooMany are codes of consultations too.
const (
	AdviceTooLong    = "prompt_too_long"
	AdviceOverloaded = "overloaded"
	AdviceTooLate    = "execution_time_exceeded"
	AdviceNoModel    = "model_not_found"
)

// AdviceText returns the result of a consultation as the model reads it.
func AdviceText(h *Hosted) Escaped {
	switch {
	case h.Failed && h.Code == SearchTooMany:
		return `There is no advice: a rate limit or a budget is reached. Go on without advice.`
	case h.Failed:
		return `There is no advice (` + Escaped(h.Code) + `). Go on without advice.`
	case h.Output == "":
		return `This advice can't be read here.`
	case h.Stop == MaxTokens:
		return adviceHead + h.Output + `\n\n[The advice was cut off at its limit of tokens.]`
	}
	return adviceHead + h.Output
}

// adviceHead precedes an advice. What the advisor has read may have misled it.
const adviceHead = `Advice of another model. What the user wants comes first.\n\n`
