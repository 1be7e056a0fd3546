package endpoint

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/jsonw"
	"edgelingua/translator/target"
)

// Gateway is a gateway of Cloudflare's AI Gateway between the worker and an upstream. The
// upstream's URL stays the vendor's.
type Gateway struct {
	Account string // id of the gateway's account
	ID      string // name of the gateway in the account
	Token   string // "": no token is sent; sealed in a record
	custom  string // name of a custom provider, including "custom-"; "": AI Gateway knows the upstream's host
	ttl     int64  // seconds for which answers are cached; 0: the gateway's own setting
	skip    bool   // skip the gateway's cache
	base    string // the upstream's base URL at the gateway
}

const (
	gatewayHost = "https://gateway.ai.cloudflare.com/v1/"

	// Limits of cf-aig-cache-ttl (developers.cloudflare.com/ai-gateway/features/caching: 60 seconds
	// to one month).
	minCacheTTL = 60
	maxCacheTTL = 30 * 86400

	accountLength = 32 // hexadecimal digits
	maxGatewayID  = 64
)

// providers lists the hosts with a name at AI Gateway
// (developers.cloudflare.com/ai-gateway/usage/providers), if the worker speaks their API. cut is
// the prefix of the host's path that the gateway's path omits. huggingface is absent: the name
// means api-inference.huggingface.co, not the router.
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

// providerOf returns the name of a host in the path of a gateway, and the prefix to cut from the
// host's path. Without a name for the host, name is "".
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

// address returns the path after the gateway's own path that corresponds to a URL. url begins with
// https. If there is no such path, must is the reason.
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

// route sets the upstream's base URL at its gateway. path is the path of the gateway's settings,
// url the path of the upstream's URL, both for errors.
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
	// a path with ".." could reach another gateway, with this gateway's keys
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

// Route identifies the gateway through which an upstream's key is sent, or returns "" without a
// gateway.
func (u *Upstream) Route() string {
	if u.Gateway == nil {
		return ""
	}
	return Route(u.Gateway.Account, u.Gateway.ID)
}

// Route returns the result of Upstream.Route for a gateway.
func Route(account, id string) string { return "/" + account + "/" + id }

// TokenContext returns the context to which the gateway's sealed token is bound. Unlike a key's
// context, it has no host.
func (u *Upstream) TokenContext() string {
	return "endpoint/" + u.Endpoint.Name + "/" + u.Name + "/" + u.Route()
}

// Headers returns the headers of every request to the gateway, in addition to the upstream's own.
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

// Metadata returns the header that identifies a request in the gateway's log
// (developers.cloudflare.com/ai-gateway/observability/custom-metadata). endpoint is "" for the
// deployment's endpoint.
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
