package stages

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxURL limits the URL of a webpage, in bytes.
const maxURL = 2 << 10

// fetchURL returns an http or https URL in the form for a fetch: https, the host in lower case, a
// path, no fragment, no port 443. It returns "" for anything else, such as a URL with a user.
func fetchURL(raw string) string {
	host, path, ok := splitURL(strings.TrimSpace(raw))
	if !ok || len(path) > maxURL {
		return ""
	}
	return "https://" + host + path
}

// splitURL splits an http or https URL. host is in lower case and has a port only if the port is
// not the usual one. path begins with a slash; it includes the query but not the fragment.
func splitURL(url string) (host, path string, ok bool) {
	scheme, rest, ok := strings.Cut(url, "://")
	scheme = strings.ToLower(scheme)
	if !ok || scheme != "http" && scheme != "https" {
		return "", "", false
	}
	rest, _, _ = strings.Cut(rest, "#")
	for i := 0; i < len(rest); i++ {
		if c := rest[i]; c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
			return "", "", false
		}
	}
	end := strings.IndexAny(rest, "/?")
	if end < 0 {
		end = len(rest)
	}
	host, path = strings.ToLower(rest[:end]), rest[end:]
	if path == "" || path[0] == '?' {
		path = "/" + path
	}
	if scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return host, path, host != "" && !strings.Contains(host, "@")
}

// refusal returns the code with which the fetch of a URL is rejected, "" if it is allowed. The model
// may fetch only a URL that somebody else has written: otherwise a webpage could make it send what it
// knows, as a part of a URL. Allowed are a URL in a text of the user's (but not in a tool result),
// the URL of a search result, and a URL in a fetched webpage of the same host.
func (w *WebTools) refusal(raw string) (code string) {
	host, path, ok := splitURL(strings.TrimSpace(raw))
	switch {
	case !ok:
		return ir.FetchNotAllowed
	case len(raw) > maxURL:
		return ir.FetchTooLong
	}
	for i := range w.pages {
		if pageAllows(&w.pages[i], host, path) {
			return ""
		}
	}
	messages := w.Request.Messages
	for i := range messages {
		for k := range messages[i].Content {
			if blockAllows(&messages[i].Content[k], messages[i].Role, host, path) {
				return ""
			}
		}
	}
	return ir.FetchNotInPrior
}

// blockAllows reports whether a block of the conversation allows to fetch a URL.
func blockAllows(c *ir.Content, role ir.Role, host, path string) bool {
	switch h := c.Hosted; {
	case role == ir.User && c.Kind == ir.TextContent && !c.Summary && !c.ByTool: // summaries are a model's
		return mentions(jsonw.Unescape(c.Text), host, path)
	case h == nil || !h.Made || role != ir.Assistant:
	case h.Kind == ir.WebSearchTool:
		for _, url := range h.Pages {
			if pageAllows(&webpage{url: jsonw.Unescape(url)}, host, path) {
				return true
			}
		}
	case h.Kind == ir.WebFetchTool && !h.Failed:
		return pageAllows(&webpage{url: jsonw.Unescape(h.URL), text: jsonw.Unescape(h.Output)}, host, path)
	}
	return false
}

// pageAllows reports whether a webpage allows to fetch a URL: its own one, or one of the same host in
// its text.
func pageAllows(p *webpage, host, path string) bool {
	pageHost, pagePath, ok := splitURL(p.url)
	return ok && pageHost == host && (pagePath == path || mentions(p.text, host, path))
}

// mentions reports whether a text contains a URL, with either scheme, and not only as the beginning
// of a longer URL. It reads the text once, however many URLs begin in one word.
func mentions(text, host, path string) bool {
	for {
		i := strings.Index(text, "://")
		if i < 0 {
			return false
		}
		before := text[max(0, i-5):i]
		text = text[i+3:]
		scheme := strings.HasSuffix(strings.ToLower(before), "http") || strings.EqualFold(before, "https")
		if scheme && begins(text, host, path) {
			return true
		}
	}
}

// begins reports whether a text begins with a URL's host and path, and the URL ends there.
func begins(text, host, path string) bool {
	if len(text) < len(host) || !strings.EqualFold(text[:len(host)], host) {
		return false
	}
	rest, ok := strings.CutPrefix(text[len(host):], ":443")
	if !ok {
		rest = strings.TrimPrefix(rest, ":80")
	}
	after, ok := strings.CutPrefix(rest, path)
	if !ok && path == "/" { // the text has only the host
		after, ok = rest, true
	}
	return ok && ends(after, path)
}

// punctuation may follow a URL in a sentence. A URL may contain all of it, too.
const punctuation = ".,;:!?)]}'*_"

// ends reports whether a URL with a path ends before the text after it. It does if the text begins
// with a fragment or with no character of a URL, apart from punctuation. After punctuation, it also
// does if another URL begins, or if the punctuation closes a bracket that was opened before the path,
// as in Markdown.
func ends(after, path string) bool {
	rest := strings.TrimLeft(after, punctuation)
	marks := after[:len(after)-len(rest)]
	switch {
	case rest == "" || !continues(rest), marks == "" && rest[0] == '#':
		return true
	case marks != "" && (strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://")):
		return true
	}
	for _, pair := range [...]string{"()", "[]", "{}"} {
		left, right := pair[:1], pair[1:]
		if strings.Contains(marks, right) && strings.Count(path, left) == strings.Count(path, right) {
			return true
		}
	}
	return false
}

// continues reports whether a text begins with a character of a URL, or with a letter that people
// write there unescaped, as in /Zürich. Chinese and Japanese have no space after a URL, so their
// characters end it.
func continues(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if r < 0x7f {
		return r > ' ' && strings.IndexByte("\"<>\\^`|", byte(r)) < 0
	}
	return r >= 0xc0 && r < 0x2000 || r >= 0x2c00 && r < 0x2e80
}
