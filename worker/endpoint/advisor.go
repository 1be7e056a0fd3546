package endpoint

import "github.com/tidwall/gjson"

// Advisor is the option advisor: a second model, for clients with Anthropic's advisor tool whose
// upstream has no advisor.
type Advisor struct {
	Model     string // as a client would name it, so NAME/MODEL names an upstream; "": none
	MaxUses   int    // most consultations for an answer, whatever the client allows
	MaxTokens int64  // most tokens of an advice, with its reasoning
}

// Limits on an advice. An advice of Anthropic's has 1,400 to 1,800 tokens with its reasoning ("Advisor
// tool").
const (
	usualAdvice     = 3
	usualAdviceSize = 4096
	mostAdviceSize  = 32768
)

func readAdvisor(e *Endpoint, v gjson.Result) (at, must string) {
	const whole = `an object as {"model":"NAME/MODEL"}`
	a := &e.Advisor
	a.MaxUses, a.MaxTokens = usualAdvice, usualAdviceSize
	if !v.IsObject() {
		return "", whole
	}
	v.ForEach(func(key, v gjson.Result) bool {
		at = "." + key.Str
		switch key.Str {
		case "model":
			if a.Model = v.Str; v.Type != gjson.String || v.Str == "" || len(v.Str) > MaxModel {
				must = "a model's name, as clients of the endpoint send it"
			}
		case "max_uses":
			a.MaxUses, must = readUses(v)
		case "max_tokens":
			if !within(v, 1, mostAdviceSize) {
				must = "a whole number of tokens from 1 to 32768"
			}
			a.MaxTokens = int64(v.Num)
		default:
			must = "left out: there are model, max_uses and max_tokens"
		}
		return must == ""
	})
	if must == "" && a.Model == "" {
		return "", whole
	}
	return at, must
}

// servesAdvisor returns an error unless an upstream serves the advisor of the option at path.
//
//go:noinline
func (e *Endpoint) servesAdvisor(path string) *Error {
	if len(e.Choose(e.Advisor.Model)) > 0 {
		return nil
	}
	return &Error{path + ".advisor.model", "must be a model of one of the upstreams, or NAME/MODEL with an " +
		"upstream's name."}
}

// Advises returns the advisor's upstreams and model for the client's key, in the order of trying, and
// none if the endpoint has no advisor, or the client may not use its model.
func (e *Endpoint) Advises() []Choice {
	if e.Advisor.Model == "" || !e.Allows(e.Advisor.Model) {
		return nil
	}
	return e.Entitled(e.Choose(e.Advisor.Model))
}
