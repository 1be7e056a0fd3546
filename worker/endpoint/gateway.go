package endpoint

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/translator/target"
)

// Gateway is a gateway of Cloudflare's (AI Gateway) through which an upstream is reached. The
// upstream stays what its URL says it is.
type Gateway struct {
	Account string // the id of the account that the gateway is of
	ID      string // its name there
	Token   string // "": none is sent; in a record it is sealed
	custom  string // the name of a custom provider, with its "custom-"; "": the upstream's host has a name
	ttl     int64  // seconds for which answers are cached; 0: as the gateway is set
	skip    bool   // its cache is not asked
	base    string // what the upstream's URL is there
}

const (
	gatewayHost = "https://gateway.ai.cloudflare.com/v1/"

	// Bounds of cf-aig-cache-ttl (developers.cloudflare.com/ai-gateway/features/caching: 60 seconds
	// to one month).
	minCacheTTL = 60
	maxCacheTTL = 30 * 86400

	accountLength = 32 // hexadecimal digits
	maxGatewayID  = 64
)

// providers are the hosts that AI Gateway has names for
// (developers.cloudflare.com/ai-gateway/usage/providers), of those whose APIs are spoken here. cut
// is what the path of a URL there begins with that the gateway's has not. Absent is huggingface,
// which stands for api-inference.huggingface.co and not for the router.
var providers = [...]struct{ host, cut, name string }{
	{"api.openai.com", "/v1", "openai"},
	{"api.anthropic.com", "", "anthropic"},
	{"api.deepseek.com", "", "deepseek"},
	{"generativelanguage.googleapis.com", "", "google-ai-studio"},
	{"api.groq.com", "/openai/v1", "groq"},
	{"api.x.ai", "", "grok"},
	{"api.mistral.ai", "", "mistral"},
	{"openrouter.ai", "/api", "openrouter"},
	{"api.cerebras.ai", "/v1", "cerebras"},
	{"api.perplexity.ai", "", "perplexity-ai"},
}

// providerOf returns what stands for a host in the path of a gateway, "" for a host without a name,
// and what is cut off from the path there.
func providerOf(host string) (name, cut string) {
	for i := range providers {
		if p := &providers[i]; p.host == host {
			return p.name, p.cut
		}
	}
	if resource, ok := strings.CutSuffix(host, ".openai.azure.com"); ok && IsName(resource) {
		return "azure-openai/" + resource, "/openai/deployments"
	}
	for service, domain := range [...]string{".amazonaws.com", ".api.aws"} {
		service := [...]string{"bedrock-runtime", "bedrock-mantle"}[service]
		rest, _ := strings.CutPrefix(host, service+".")
		if region, ok := strings.CutSuffix(rest, domain); ok && IsName(region) && len(rest) < len(host) {
			return "aws-bedrock/" + service + "/" + region, ""
		}
	}
	return "", ""
}

// address returns the path behind a gateway's own that stands for a URL, which begins with https;
// must says why there is none.
func (g *Gateway) address(url string) (path, must string) {
	host := hostOf(url)
	rest := url[len("https://")+len(host):]
	if g.custom != "" {
		return g.custom + rest, ""
	}
	name, cut := providerOf(host)
	if name == "" {
		return "", "has no name for " + host + ". Make a custom provider with the base URL https://" + host +
			" in AI Gateway, and set provider to custom- and its slug"
	}
	path, ok := strings.CutPrefix(rest, cut)
	if !ok || path != "" && path[0] != '/' {
		return "", "serves of " + host + " only what is at https://" + host + cut
	}
	return name + path, ""
}

// route sets what the upstream's URL is at its gateway. path is that of the gateway's settings, and
// url the one of the upstream's URL.
func (u *Upstream) route(path, url string) *Error {
	g := u.Gateway
	if g == nil {
		return nil
	}
	if g.Account == "" || g.ID == "" {
		return &Error{path,
			"must have account, the id of the account at Cloudflare, and id, the gateway's name."}
	}
	if u.Endpoint.Forward {
		return &Error{path,
			"can't stand beside \"auth\":\"forward\" (AUTH): the gateway answers from its cache, and with " +
				"keys that are stored there, whatever key comes."}
	}
	if !strings.HasPrefix(u.URL, "https://") {
		return &Error{url, "must begin with https://, since the upstream is reached through AI Gateway."}
	}
	// a path that leads back would be at another gateway, with this one's keys
	if strings.Contains(u.URL, "/.") || strings.Contains(u.URL, "%") {
		return &Error{url,
			"must have a path without dots and without %, since the upstream is reached through AI Gateway."}
	}
	for _, h := range u.Headers {
		if strings.HasPrefix(h.Name, "cf-aig-") {
			return &Error{path, "sets the header " + h.Name + " itself. Leave it out of headers."}
		}
	}
	at, must := g.address(u.URL)
	if must != "" {
		return &Error{path, must + "."}
	}
	g.base = gatewayHost + g.Account + "/" + g.ID + "/" + at
	return nil
}

// Route says which gateway an upstream's key goes through, "" for none.
func (u *Upstream) Route() string {
	if u.Gateway == nil {
		return ""
	}
	return Route(u.Gateway.Account, u.Gateway.ID)
}

// Route is what Upstream.Route says of a gateway.
func Route(account, id string) string { return "/" + account + "/" + id }

// TokenContext returns what the token of the upstream's gateway is bound to. It has no host, unlike
// that of a key.
func (u *Upstream) TokenContext() string {
	return "endpoint/" + u.Endpoint.Name + "/" + u.Name + "/" + u.Route()
}

// Headers returns what every request to the gateway has beside the upstream's own headers.
func (g *Gateway) Headers() (headers []Header) {
	if g.Token != "" {
		headers = append(headers, Header{"cf-aig-authorization", "Bearer " + g.Token})
	}
	if g.ttl != 0 {
		headers = append(headers, Header{"cf-aig-cache-ttl", strconv.FormatInt(g.ttl, 10)})
	}
	if g.skip {
		headers = append(headers, Header{"cf-aig-skip-cache", "true"})
	}
	return headers
}

// Metadata returns the header by which the gateway's log knows a request
// (developers.cloudflare.com/ai-gateway/observability/custom-metadata). endpoint is "" at the
// endpoint that the deployment's variables make.
func Metadata(endpoint, id string) Header {
	metadata := jsonw.AppendString([]byte(`{"request":`), id)
	if endpoint != "" {
		metadata = jsonw.AppendString(append(metadata, `,"endpoint":`...), endpoint)
	}
	return Header{"cf-aig-metadata", string(append(metadata, '}'))}
}

// isBedrock reports whether the upstream is at Bedrock.
func (u *Upstream) isBedrock() bool {
	return target.IsHost(strings.ToLower(hostOf(u.URL)), "amazonaws.com api.aws")
}

const gatewayFields = "account, id, token, provider, cache_ttl and skip_cache"

func (u *Upstream) readGateway(path string, v gjson.Result) *Error {
	g := new(Gateway)
	u.Gateway = g
	return eachMember(path, v, func(path, key string, v gjson.Result) *Error {
		switch key {
		case "account":
			g.Account = v.Str
			if !isAccount(v.Str) {
				return &Error{path,
					"must be the id of an account at Cloudflare: 32 hexadecimal digits, in lower case."}
			}
		case "id":
			g.ID = v.Str
			if !isGatewayID(v.Str) {
				return &Error{path, "must be a gateway's name: 1 to 64 of a-z, 0-9, - and _."}
			}
		case "token":
			return readText(&g.Token, path, v)
		case "provider":
			g.custom = v.Str
			if slug, ok := strings.CutPrefix(v.Str, "custom-"); !ok || !IsName(slug) {
				return &Error{path, "must be custom- and the slug of a custom provider."}
			}
		case "cache_ttl":
			if !within(v, minCacheTTL, maxCacheTTL) {
				return &Error{path, "must be a whole number of seconds from 60 to 2592000, which is 30 days."}
			}
			g.ttl = int64(v.Num)
		case "skip_cache":
			return readFlag(&g.skip, path, v)
		default:
			return unknown(path, gatewayFields)
		}
		return nil
	})
}

func isAccount(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return false
		}
	}
	return len(s) == accountLength
}

func isGatewayID(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return s != "" && len(s) <= maxGatewayID
}
