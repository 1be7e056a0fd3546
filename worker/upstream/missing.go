package upstream

import (
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/worker/endpoint"
)

// Missing returns a copy of err with the requested URL and advice, if an upstream's 404 means that
// the path does not exist, else err. body is the body of the 404. The URL is confidential in two
// cases. A personal endpoint's upstream belongs to the operator, so the endpoint's users do not see
// the URL. In a deployment that forwards client keys, the client may be anybody.
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

// tells reports whether an upstream's message has the host or the path of its base URL, for example
// Express's "Cannot POST /PATH". Some gateways accept a key in the path of the base URL.
func tells(words, base string) bool {
	_, rest, _ := strings.Cut(base, "://")
	host, folder, _ := strings.Cut(rest, "/")
	return strings.Contains(words, host) || folder != "" && strings.Contains(words, folder)
}

// hint returns advice on a base URL. path is the path joined to the base URL.
func hint(base, path string) string {
	_, rest, _ := strings.Cut(base, "://")
	_, folder, _ := strings.Cut(rest, "/")
	last := folder[strings.LastIndexByte(folder, '/')+1:]
	versioned := strings.HasPrefix(path, "/v1")
	switch has := strings.HasPrefix(last, "v1"); {
	case strings.HasPrefix(path, "/v1beta/") && has: // Google's path; the base URL may have its version
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

// saysNoPath reports whether a 404 is about the path, rather than the model or something else in
// the request. It recognizes plain text or a webpage instead of JSON, and the messages of known
// servers.
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
		"the upstream answered 404", // no message
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
