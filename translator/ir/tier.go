package ir

// Tier is the service tier that processed a request.
type Tier uint8

const (
	NoTier Tier = iota // the upstream did not say
	DefaultTier
	FlexTier
	ScaleTier
	PriorityTier // Anthropic's, sold by contract
	AutoTier     // OpenAI's "auto" only repeats the request; servers without tiers name no other
	OtherTier    // a tier unknown to other APIs
	// more tokens a second for a higher price: OpenAI's and Google's "priority", which OpenAI calls
	// Fast mode since July 2026, and Anthropic's speed "fast"
	FastTier
)

// Tiers is a set of tiers: bit t is set for the tier t.
type Tiers uint8

// tiers are the names in OpenAI's APIs. Anthropic's name for the default is "standard".
var tiers = [...]string{DefaultTier: "default", FlexTier: "flex", ScaleTier: "scale",
	PriorityTier: "priority", AutoTier: "auto", OtherTier: "", FastTier: "priority"}

// TierOf returns the tier for a name in OpenAI's or Google's APIs. on_demand is Groq's default.
func TierOf(word Escaped) Tier {
	switch word {
	case "":
		return NoTier
	case "standard", "on_demand":
		return DefaultTier
	case "priority", "fast":
		return FastTier
	}
	for t := DefaultTier; t <= AutoTier; t++ {
		if tiers[t] == string(word) {
			return t
		}
	}
	return OtherTier
}

// LacksTier reports whether an answer of the API can't name a tier. To leave out "auto" is no loss.
// Every API names FastTier.
func (a *API) LacksTier(t Tier) bool {
	return t != NoTier && t != AutoTier && t != FastTier && a.Tiers>>t&1 == 0
}

// Word returns the tier's name in OpenAI's APIs, or "" for NoTier and OtherTier. OpenAI answers
// "priority" to a request for "fast" (ServiceTier in OpenAI's SDKs).
func (t Tier) Word() string { return tiers[t] }

// Tier is for upstreams other than those of Messages. It returns the service tier of the request by
// its name in OpenAI's APIs, or "", and the field that names the tier. Both names of the fast mode
// are "priority", which servers knew first. A speed comes before the service tier that Messages
// clients send beside it.
func (r *Request) Tier() (word Escaped, field Field) {
	switch {
	case r.Fast:
		return "priority", FieldSpeed
	case r.ServiceTier == "fast":
		return "priority", FieldServiceTier
	}
	return r.ServiceTier, FieldServiceTier
}
