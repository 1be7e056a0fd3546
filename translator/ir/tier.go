package ir

// Tier is the service tier that processed a request.
type Tier uint8

const (
	NoTier Tier = iota // the upstream did not say
	DefaultTier
	FlexTier
	ScaleTier
	PriorityTier
	AutoTier  // OpenAI's "auto" only repeats the request; servers without tiers name no other
	OtherTier // a tier unknown to other APIs
)

// Tiers is a set of tiers: bit t is set for the tier t.
type Tiers uint8

// tiers are the names in OpenAI's APIs. Anthropic's name for the default is "standard".
var tiers = [...]string{DefaultTier: "default", FlexTier: "flex", ScaleTier: "scale",
	PriorityTier: "priority", AutoTier: "auto", OtherTier: ""}

// TierOf returns the tier for an API's name. on_demand is Groq's default.
func TierOf(word Escaped) Tier {
	switch word {
	case "":
		return NoTier
	case "standard", "on_demand":
		return DefaultTier
	}
	for t := DefaultTier; t <= AutoTier; t++ {
		if tiers[t] == string(word) {
			return t
		}
	}
	return OtherTier
}

// LacksTier reports whether an answer of the API can't name a tier. To leave out "auto" is no loss.
func (a *API) LacksTier(t Tier) bool { return t != NoTier && t != AutoTier && a.Tiers>>t&1 == 0 }

// Word returns the tier's name in OpenAI's APIs, or "" for NoTier and OtherTier.
func (t Tier) Word() string { return tiers[t] }
