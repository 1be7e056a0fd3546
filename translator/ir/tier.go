package ir

// Tier is the service tier that processed a request.
type Tier uint8

const (
	NoTier Tier = iota // the upstream did not say, or named a tier unknown to other APIs
	DefaultTier
	FlexTier
	ScaleTier
	PriorityTier
)

// tiers are the names in OpenAI's APIs. Anthropic's name for the default is "standard".
var tiers = [...]string{DefaultTier: "default", FlexTier: "flex", ScaleTier: "scale",
	PriorityTier: "priority"}

// TierOf returns the tier for an API's name. OpenAI's "auto" only repeats the request, and is
// NoTier.
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

// Word returns the tier's name in OpenAI's APIs, or "" for NoTier.
func (t Tier) Word() string { return tiers[t] }
