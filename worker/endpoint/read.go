package endpoint

import (
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
)

// Limits and defaults of settings.
const (
	defaultBatch = 50   // milliseconds
	maxBatch     = 1000 // milliseconds
	minSeconds   = 0.001
	maxSeconds   = 86400
	minBytes     = 1 << 10 // fewer would not hold an error message
	maxBytes     = 32 << 20
	minTTL       = 60 // seconds
	maxTTL       = 365 * 86400
	defaultTTL   = 30 * 86400

	maxStored     = 10 << 30 // bytes; the limit of a Durable Object
	defaultStored = 100 << 20
)

func newEndpoint() *Endpoint {
	return &Endpoint{HeadWait: 30 * time.Second, Batch: defaultBatch, MaxOutput: 4 << 20,
		State: State{TTL: defaultTTL, Bytes: defaultStored}}
}

func newUpstream() *Upstream { return &Upstream{Silence: 600 * time.Second} }

// add appends an upstream.
func (e *Endpoint) add(u *Upstream) {
	u.Endpoint = e
	e.Upstreams = append(e.Upstreams, *u)
}

// readSeconds reads a duration in seconds, decimals allowed.
func readSeconds(d *time.Duration, path string, v gjson.Result) *Error {
	if v.Type != gjson.Number || !(v.Num >= minSeconds && v.Num <= maxSeconds) {
		return &Error{path, "must be a number of seconds from 0.001 to 86400."}
	}
	*d = time.Duration(v.Num * float64(time.Second))
	return nil
}

// readBatch reads a window in milliseconds.
func readBatch(n *int, path string, v gjson.Result) *Error {
	if v.Type != gjson.Number || !(v.Num >= 0 && v.Num <= maxBatch) || v.Num != float64(int(v.Num)) {
		return &Error{path,
			"must be a whole number of milliseconds from 0 to 1000; 0 sends each event at once."}
	}
	*n = int(v.Num)
	return nil
}

// readBytes reads a size in bytes.
func readBytes(n *int, path string, v gjson.Result) *Error {
	if v.Type != gjson.Number || !(v.Num >= minBytes && v.Num <= maxBytes) || v.Num != float64(int(v.Num)) {
		return &Error{path, "must be a whole number of bytes from 1024 to 33554432."}
	}
	*n = int(v.Num)
	return nil
}

func (u *Upstream) readProtocol(path, name string) *Error {
	if u.API = translator.API(name); u.API == nil {
		return &Error{path, "must be " + protocols() + "." + ir.DidYouMean(name, protocols())}
	}
	return nil
}

// protocols returns a list of the protocol names, for errors.
func protocols() string {
	return translator.JoinNames(func(api *ir.API) string { return api.Name }, "or")
}

// readURL reads the base URL of a server.
func (u *Upstream) readURL(path, url string) *Error {
	host := hostOf(url)
	if strings.Contains(host, "@") {
		return &Error{path, "must hold no user and no password. The key has a setting of its own."}
	}
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || !isHost(host) ||
		!isURLText(url) {
		return &Error{path,
			"must be an http or https URL without query but ?api-version=VERSION, as " +
				"https://api.openai.com/v1."}
	}
	u.URL = strings.TrimRight(url, "/")
	return nil
}

// readBase reads the base URL of an upstream, or CloudflareAI. A query may only name a version of
// Azure's API: any other query could hold a key, and URLs are not sealed.
func (u *Upstream) readBase(path, url string) *Error {
	if url == CloudflareAI {
		u.URL = url
		return nil
	}
	base, version, versioned := strings.Cut(url, versionQuery)
	if versioned && !isVersion(version) {
		return &Error{path,
			"must have a version behind api-version=, as 2024-10-21 or preview, and nothing behind that."}
	}
	if err := u.readURL(path, base); err != nil {
		return err
	}
	if versioned {
		u.Query = versionQuery + version
	}
	return nil
}

// versionQuery begins the query of Azure's API
// (learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle).
const versionQuery = "?api-version="

// isVersion reports whether a text is a version of Azure's API: 2024-10-21, 2025-04-01-preview,
// preview, latest, v1.
func isVersion(text string) bool { return IsName(text) }

// isURLText reports whether a URL has no query, and only characters that workerd and Go's net/http
// read alike.
func isURLText(url string) bool {
	for i := 0; i < len(url); i++ {
		if c := url[i]; c <= ' ' || c >= 0x7f || c == '?' || c == '#' || c == '\\' {
			return false
		}
	}
	return true
}

// isHost reports whether a host is not empty, and a port, if any, is valid.
func isHost(host string) bool {
	name, port := host, ""
	if at := strings.LastIndexByte(host, ':'); at > strings.LastIndexByte(host, ']') {
		name, port = host[:at], host[at+1:]
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return false
		}
	}
	return name != "" && (name[0] == '[' || !strings.Contains(name, ":"))
}

// parseObject parses a text as a JSON object. For any other text the error shows example.
func parseObject(path, text, example string) (gjson.Result, *Error) {
	if err := jsonr.Check(text); err != nil {
		return gjson.Result{}, &Error{path, "is not JSON: " + err.Error() + ". Set it to a JSON object."}
	}
	object := gjson.Parse(text)
	if !object.IsObject() {
		return gjson.Result{}, &Error{path, "must be a JSON object, as " + example + "."}
	}
	return object, nil
}
