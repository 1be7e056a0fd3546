package endpoint

// KeyHeader returns the header for the upstream's key, and the text before the key in the value.
// The option auth has precedence, followed by the upstream's protocol. A client's own key stays a
// bearer token if it came as a bearer token. The headers are few and fixed, because logs and
// gateways would not recognize a key in a header of any other name.
//
// Azure's deployments with a path of their own (/openai/deployments/NAME) accept an API key only as
// api-key; a bearer token there is a token of Entra ID
// (learn.microsoft.com/azure/ai-services/openai/reference, "Authentication"). Azure's /openai/v1
// accepts the key in both headers. AI Gateway requires a key of Bedrock as a bearer token
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
