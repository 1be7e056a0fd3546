package upstream

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
)

// Missing returns err, which an upstream has answered with its status and body, with the URL that
// was asked and what may be wrong with it where the upstream has nothing at that path; else err as
// it is. The user of a personal endpoint is not told the URL: it is the operator's. Nor is whoever
// brings a key to a deployment that forwards it: that may be anybody.
func Missing(u *endpoint.Upstream, url string, err *ir.Error, body string) *ir.Error {
	if err == nil || err.HTTPStatus() != 404 || !saysNoPath(body, err.Message) {
		return err
	}
	told := *err
	path := u.API.Upstream.Path("", false)
	where, setting := "its path", "The operator sets its base URL."
	if u.Endpoint.Name == "" {
		setting = "Set UPSTREAM_URL."
		if !u.Endpoint.Forward {
			where, _, _ = strings.Cut(url, "?")
			where = passing.Redact(where, u.Secrets())
		}
	}
	told.Message = "The upstream has nothing at " + where + ": 404. " + hint(u.URL, path) + setting
	if words := err.Message; !strings.HasPrefix(words, "The upstream answered") &&
		(u.Endpoint.Name == "" && !u.Endpoint.Forward || !tells(words, u.URL)) {
		told.Message += " Its own words: " + words
	}
	return &told
}

// tells reports whether an upstream's words have the host or the path of its base URL, as Express's
// "Cannot POST /PATH" has. Some gateways take a key in that path.
func tells(words, base string) bool {
	_, rest, _ := strings.Cut(base, "://")
	host, folder, _ := strings.Cut(rest, "/")
	return strings.Contains(words, host) || folder != "" && strings.Contains(words, folder)
}

// hint says what may be wrong with a base URL, which is followed by path.
func hint(base, path string) string {
	_, rest, _ := strings.Cut(base, "://")
	_, folder, _ := strings.Cut(rest, "/")
	last := folder[strings.LastIndexByte(folder, '/')+1:]
	versioned := strings.HasPrefix(path, "/v1")
	switch has := strings.HasPrefix(last, "v1"); {
	case strings.HasPrefix(path, "/v1beta/") && has: // Google's, whose version the base URL may have
	case versioned && has:
		return "The base URL ends in /" + last + ", which the path has as well: leave it out. "
	case strings.HasSuffix("/"+folder, "/v1/v1"):
		return "The base URL has /v1 twice: leave one out. "
	case !versioned && folder == "":
		return "The base URL has no path, and most such servers want it to end in /v1. "
	case !versioned && last != "v1":
		return "The base URL does not end in /v1, as that of most such servers does. "
	}
	return "The base URL is most often the reason. "
}

// saysNoPath reports whether a 404 is about the path, not about the model or something else that
// the request names: a text or a page in place of JSON, or words that are known from servers.
func saysNoPath(body, message string) bool {
	if lead := strings.TrimSpace(body); lead == "" || lead[0] != '{' && lead[0] != '[' && lead[0] != '"' {
		return true
	}
	words := strings.ToLower(strings.TrimRight(message, "."))
	switch words {
	case "not found", // Starlette, and so FastAPI, vLLM and SGLang; Anthropic
		"404 not found", "page not found",
		"no route matched with those values": // Kong 3
		return true
	}
	for _, lead := range [...]string{
		"the upstream answered 404", // there are no words
		"invalid url (",             // OpenAI
		"unknown request url",       // Groq
		"file not found",            // llama.cpp's server
		"unexpected endpoint",       // LM Studio
		"cannot post ",              // Express
	} {
		if strings.HasPrefix(words, lead) {
			return true
		}
	}
	return false
}
