package endpoint

import "strings"

// CloudflareAI is the base URL of an upstream with Cloudflare's own models:
// https://developers.cloudflare.com/workers-ai. The worker calls the models through its binding AI,
// without a key. If CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN are set, the worker calls
// Cloudflare's REST API instead, from anywhere.
const CloudflareAI = "cloudflare:ai"

// rest returns the OpenAI-compatible base URL of Cloudflare's REST API for an account
// (https://developers.cloudflare.com/workers-ai/configuration/open-ai-compatibility).
func rest(account string) string {
	return "https://api.cloudflare.com/client/v4/accounts/" + account + "/ai/v1"
}

// IsCloudflareAI reports whether the upstream has Cloudflare's own models through the binding:
// ByAccount has not replaced the URL.
func (u *Upstream) IsCloudflareAI() bool { return u.URL == CloudflareAI }

// OnCloudflare reports whether the upstream has Cloudflare's own models, through the binding or the
// REST API.
func (u *Upstream) OnCloudflare() bool { return u.IsCloudflareAI() || u.byAccount }

// serves reports whether the upstream may be called with a model. Through Cloudflare's AI Gateway
// the same binding and API also sell models of other vendors, with other prefixes. The operator has
// not agreed to pay for those models.
func (u *Upstream) serves(model string) bool {
	// A limit in dollars does not protect the owner: a model without a known price counts as free.
	return !u.IsCloudflareAI() || isCloudflareModel(model)
}

// isCloudflareModel reports whether model has the form of a name in Cloudflare's own catalog:
// @cf/VENDOR/MODEL or @hf/VENDOR/MODEL. Cloudflare may treat a name as a path, so no segment may be
// empty, "." or "..", and no character may need an escape: "@cf/../" could lead out of the catalog.
func isCloudflareModel(model string) bool {
	path, ok := strings.CutPrefix(model, "@cf/")
	if !ok {
		if path, ok = strings.CutPrefix(model, "@hf/"); !ok {
			return false
		}
	}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case 'a' <= c|0x20 && c|0x20 <= 'z', '-' <= c && c <= '9', c == '_':
		default:
			return false
		}
	}
	path = "/" + path + "/"
	return !strings.Contains(path, "//") && !strings.Contains(path, "/./") && !strings.Contains(path, "/../")
}

// ModelsHint returns advice for clients on finding a served model.
func (e *Endpoint) ModelsHint() string {
	if e.Upstreams[0].IsCloudflareAI() {
		return "Ask for one of Cloudflare's own, as @cf/moonshotai/kimi-k2.6, or let MODELS (of a " +
			"personal endpoint: models) make one of this name."
	}
	return "GET /v1/models lists what it serves."
}

// PricesURL returns the URL for the lookup of the upstream's prices.
func (u *Upstream) PricesURL() string {
	if u.IsCloudflareAI() {
		return rest("any")
	}
	return u.URL
}

// ByAccount changes an upstream with Cloudflare's own models to the URL and key of the REST API, if
// the deployment has an account for the REST API.
func (u *Upstream) ByAccount(get Getter) *Error {
	account, token, err := cloudflareAccount(get)
	if err == nil && account != "" {
		u.URL, u.Key, u.Bearer, u.byAccount = rest(account), token, true, true
	}
	return err
}

// cloudflareAccount returns the account and token for Cloudflare's REST API, or "" for both if they
// are not set.
func cloudflareAccount(get Getter) (account, token string, err *Error) {
	account, _ = get(varAccount)
	token, _ = get(secretAPIToken)
	switch {
	case account == "" && token != "":
		return "", "", &Error{varAccount,
			"is not set, but CLOUDFLARE_API_TOKEN is. `npx wrangler whoami` shows your account's id."}
	case account != "" && token == "":
		return "", "", &Error{secretAPIToken,
			"is not set, but CLOUDFLARE_ACCOUNT_ID is. A token with the permission Workers AI: Read is " +
				"made in Cloudflare's dashboard."}
	}
	for i := 0; i < len(account); i++ {
		if c := account[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return "", "", &Error{varAccount,
				"must be the id of an account: 32 digits and letters from a to f, as `npx wrangler " +
					"whoami` shows it."}
		}
	}
	return account, token, checkUpstreamKey(secretAPIToken, token)
}

// checkCloudflare returns an error if the endpoint may not use Cloudflare's own models. The
// operator of the deployment pays for the models, so the deployment has to check the clients' keys.
// A personal endpoint also needs a limit that does not depend on the price of a model.
func (e *Endpoint) checkCloudflare(path string, u *Upstream) *Error {
	switch {
	case !u.IsCloudflareAI():
		return nil
	case u.API.KeyHeader != "":
		return &Error{path,
			"is Cloudflare's own models, which don't speak this protocol: set the protocol chat, or " +
				"responses for gpt-oss."}
	case e.Forward:
		return &Error{path,
			"is Cloudflare's own models, for which nobody's key is checked: with AUTH=forward everybody " +
				"could use them. Check clients by keys of this deployment."}
	case e.Name != "" && u.Key != "":
		return &Error{path, "is Cloudflare's own models, which take no key. Leave the key out."}
	case e.Name != "" && e.Limits.Tokens == 0 && e.Limits.Requests == 0:
		return &Error{path,
			"is Cloudflare's own models, for which the owner of the deployment pays: set " +
				"limits.tokens_per_day or limits.requests_per_minute."}
	}
	return nil
}
