package ir

// Tier is the service tier that has made an answer.
type Tier uint8

const (
	NoTier Tier = iota // the upstream did not say, or said what no other API has a word for
	DefaultTier
	FlexTier
	ScaleTier
	PriorityTier
)

// tiers are the words of OpenAI's APIs. That of Anthropic's for the default is "standard".
var tiers = [...]string{DefaultTier: "default", FlexTier: "flex", ScaleTier: "scale",
	PriorityTier: "priority"}

// TierOf returns the tier that an API calls word. OpenAI's "auto" only repeats the request.
func TierOf(word Escaped) Tier {
	if word == "standard" {
		return DefaultTier
	}
	for t := DefaultTier; t <= PriorityTier; t++ {
		if tiers[t] == string(word) {
			return t
		}
	}
	return NoTier
}

// Word returns what OpenAI's APIs call a tier, "" for none.
func (t Tier) Word() string { return tiers[t] }
