package translator

import (
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
)

// maxPageURL bounds the URL of a page, in bytes.
const maxPageURL = 2 << 10

// pageURL returns a URL of http or https in the form in which the page is fetched: of https, with the host in lower case, with a path, and without
// a fragment and the port 443. It returns "" for anything else, such as a URL with a user.
func pageURL(raw string) string {
	host, path, ok := splitURL(strings.TrimSpace(raw))
	if !ok || len(path) > maxPageURL {
		return ""
	}
	return "https://" + host + path
}

// splitURL splits a URL of http or https: the host in lower case, with a port unless that is the usual one, and what stands behind it up to a
// fragment, which begins with a slash.
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
	at := strings.IndexAny(rest, "/?")
	if at < 0 {
		at = len(rest)
	}
	host, path = strings.ToLower(rest[:at]), rest[at:]
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

// refuses returns the code with which a page is refused before it is fetched, "" for one that may be. Only URLs that somebody else than the model
// has written may be fetched: a page that the model reads could else have it send what it knows, as a part of a URL. They stand in a text of the
// user's, which has no results of tools, or are that of a result of a search, or stand in a page that was fetched from the same host.
func (s *searching) refuses(raw string) (code string) {
	host, path, ok := splitURL(strings.TrimSpace(raw))
	switch {
	case !ok:
		return ir.FetchNotAllowed
	case len(raw) > maxPageURL:
		return ir.FetchTooLong
	}
	for i := range s.pages {
		if stands(&s.pages[i], host, path) {
			return ""
		}
	}
	messages := s.exchange.Request.Messages
	for i := range messages {
		for k := range messages[i].Content {
			if standsIn(&messages[i].Content[k], messages[i].Role, host, path) {
				return ""
			}
		}
	}
	return ir.FetchNotInPrior
}

// standsIn reports whether a URL stands in a part of the conversation that allows it.
func standsIn(c *ir.Content, role ir.Role, host, path string) bool {
	switch h := c.Hosted; {
	case role == ir.User && c.Kind == ir.TextContent && !c.Summary && !c.ByTool: // a model has written a summary
		return mentions(jsonw.Unescape(c.Text), host, path)
	case h == nil || !h.Made || role != ir.Assistant:
	case h.Kind == ir.WebSearchTool:
		for _, url := range h.Pages {
			if stands(&page{url: jsonw.Unescape(url)}, host, path) {
				return true
			}
		}
	case h.Kind == ir.WebFetchTool && !h.Failed:
		return stands(&page{url: jsonw.Unescape(h.URL), text: jsonw.Unescape(h.Output)}, host, path)
	}
	return false
}

// stands reports whether a URL is that of a page, or stands in its text and is at the same host.
func stands(p *page, host, path string) bool {
	at, below, ok := splitURL(p.url)
	return ok && at == host && (below == path || mentions(p.text, host, path))
}

// mentions reports whether a URL stands in a text: with any of the two schemes, and with nothing behind it that could be more of it. It reads the text
// once, however many beginnings of URLs stand there in one word.
func mentions(text, host, path string) bool {
	for {
		at := strings.Index(text, "://")
		if at < 0 {
			return false
		}
		before := text[max(0, at-5):at]
		text = text[at+3:]
		if (strings.HasSuffix(strings.ToLower(before), "http") || strings.EqualFold(before, "https")) && begins(text, host, path) {
			return true
		}
	}
}

// begins reports whether a text begins with a URL's host and path, behind which nothing is more of it.
func begins(text, host, path string) bool {
	if len(text) < len(host) || !strings.EqualFold(text[:len(host)], host) {
		return false
	}
	rest, ok := strings.CutPrefix(text[len(host):], ":443")
	if !ok {
		rest = strings.TrimPrefix(rest, ":80")
	}
	behind, ok := strings.CutPrefix(rest, path)
	if !ok && path == "/" { // it is a host alone
		behind, ok = rest, true
	}
	return ok && ends(behind, path)
}

// punctuation is what a sentence puts behind a URL. All of it can stand in a URL, too.
const punctuation = ".,;:!?)]}'*_"

// ends reports whether a path ends before what stands behind it in a text: nothing that a URL could have, a fragment, or punctuation with which the
// word ends, with which another URL begins, or of which a bracket was opened before the path, as those of Markdown are.
func ends(behind, path string) bool {
	rest := strings.TrimLeft(behind, punctuation)
	marks := behind[:len(behind)-len(rest)]
	switch {
	case rest == "" || !goesOn(rest), marks == "" && rest[0] == '#':
		return true
	case marks != "" && (strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://")):
		return true
	}
	for _, pair := range [...]string{"()", "[]", "{}"} {
		if strings.Contains(marks, pair[1:]) && strings.Count(path, pair[:1]) == strings.Count(path, pair[1:]) {
			return true
		}
	}
	return false
}

// goesOn reports whether what a text begins with could be more of a URL: its characters, and letters that people write there as they are, as in
// /Zürich. Chinese and Japanese put no space behind a URL, so their characters end it.
func goesOn(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if r < 0x7f {
		return r > ' ' && strings.IndexByte("\"<>\\^`|", byte(r)) < 0
	}
	return r >= 0xc0 && r < 0x2000 || r >= 0x2c00 && r < 0x2e80
}
