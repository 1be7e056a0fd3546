package endpoint

// KeyHeader returns the header that the upstream's key goes into, and what stands in front of the
// key there: what the option auth says, else what its protocol says, but for a client's own key,
// which stays a bearer token where it came as one. The headers are few and fixed: in one that
// somebody could choose, logs and gateways would not take the key for one.
//
// Azure's deployments with a path of their own (/openai/deployments/NAME) take an API key as
// api-key alone; a bearer token is one of Entra ID there
// (learn.microsoft.com/azure/ai-services/openai/reference, "Authentication"). Its /openai/v1 takes
// the key as both. AI Gateway wants a key of Bedrock as a bearer token
// (developers.cloudflare.com/ai-gateway/usage/providers/bedrock).
func (u *Upstream) KeyHeader() (name, before string) {
	switch {
	case u.IsVertex():
		return "authorization", "Bearer "
	case u.auth == "bearer" || u.auth == "" && (u.Bearer || u.Gateway != nil && u.isBedrock()):
		return "authorization", "Bearer "
	case u.auth != "":
		return u.auth, ""
	case u.API.KeyHeader != "":
		return u.API.KeyHeader, ""
	case u.isDeployment():
		return "api-key", ""
	}
	return "authorization", "Bearer "
}
