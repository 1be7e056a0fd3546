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
// path, no fragment, no port 443. For any other URL, such as one with a user, fetchURL returns "".
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

// refusal returns the code with which the fetch of a URL is rejected, or "" if allowed. The model
// must not make up a URL: otherwise a webpage could make the model send its knowledge as a part of
// a URL. Allowed are a URL in a text of the user (but not in a tool result), the URL of a search
// result, and a URL in a fetched webpage of the same host.
func (w *WebTools) refusal(raw string) (code string) {
	host, path, ok := splitURL(strings.TrimSpace(raw))
	switch {
	case !ok:
		return ir.FetchNotAllowed
	case len(raw) > maxURL:
		return ir.FetchTooLong
	}
	u := newSoughtURL(host, path)
	u.room = &w.room
	for i := range w.pages {
		if same, host := u.isPage(w.pages[i].url); same || host && u.isIn(w.pages[i].text) {
			return ""
		}
	}
	messages := w.Request.Messages
	for i := range messages {
		for k := range messages[i].Content {
			if u.isAllowedIn(&messages[i].Content[k], messages[i].Role) {
				return ""
			}
		}
	}
	return ir.FetchNotInPrior
}

// soughtURL is a URL to look up in texts. A look-up takes time linear in the text, even if the URL
// nearly occurs at every position.
type soughtURL struct {
	host, path string
	// overlap[i] is how many bytes path[i:] has in common with the beginning of path (the Z-function)
	overlap []int32
	closed  [len(brackets)]bool // the path has as many closing as opening brackets of this kind
	// text[from:to] of the current text is a beginning of path; to never decreases
	from, to int
	room     *[]byte // for texts without their escapes
}

func newSoughtURL(host, path string) *soughtURL {
	u := &soughtURL{host: host, path: path, overlap: make([]int32, len(path))}
	for i, pair := range brackets {
		u.closed[i] = strings.Count(path, pair[:1]) == strings.Count(path, pair[1:])
	}
	for i := 1; i < len(path); i++ {
		u.overlap[i] = int32(u.common(path, i))
	}
	u.overlap[0] = int32(len(path))
	u.from, u.to = 0, 0
	return u
}

// common returns the length of the common beginning of text[at:] and the path. at must not decrease
// from call to call for one text.
func (u *soughtURL) common(text string, at int) int {
	if at < u.to {
		if n := int(u.overlap[at-u.from]); n < u.to-at {
			return n
		}
	} else {
		u.to = at
	}
	u.from = at
	for u.to < len(text) && u.to-at < len(u.path) && text[u.to] == u.path[u.to-at] {
		u.to++
	}
	return u.to - at
}

// isAllowedIn reports whether a block of the conversation allows to fetch the URL.
func (u *soughtURL) isAllowedIn(c *ir.Content, role ir.Role) bool {
	switch h := c.Hosted; {
	case role == ir.User && c.Kind == ir.TextContent && !c.Summary && !c.ByTool: // summaries are a model's
		return u.isIn(u.plain(c.Text))
	case h == nil || !h.Made || role != ir.Assistant:
	case h.Kind == ir.WebSearchTool:
		for _, url := range h.Pages {
			if same, _ := u.isPage(u.plain(url)); same {
				return true
			}
		}
	case h.Kind == ir.WebFetchTool && !h.Failed:
		same, host := u.isPage(u.plain(h.URL))
		return same || host && u.isIn(u.plain(h.Output))
	}
	return false
}

// plain returns the text of e without escapes, valid until the next call. All texts share a room: a
// copy for each look-up would fill the heap, which is never collected.
func (u *soughtURL) plain(e jsonw.Escaped) string {
	if strings.IndexByte(string(e), '\\') < 0 {
		return string(e)
	}
	if cap(*u.room) < len(e) {
		*u.room = make([]byte, 0, len(e))
	}
	*u.room = jsonw.AppendUnescaped((*u.room)[:0], e)
	return string(jsonw.View(*u.room))
}

// isPage reports whether a webpage has the URL, and whether it has the URL's host, so that its text
// allows fetching the URL too.
func (u *soughtURL) isPage(url string) (same, sameHost bool) {
	host, path, ok := splitURL(url)
	sameHost = ok && host == u.host
	return sameHost && path == u.path, sameHost
}

// isIn reports whether a text contains the URL, with either scheme, and not only as the beginning of a
// longer URL.
func (u *soughtURL) isIn(text string) bool {
	u.from, u.to = 0, 0
	for at := 0; ; {
		i := strings.Index(text[at:], "://")
		if i < 0 {
			return false
		}
		before := text[max(0, at+i-5) : at+i]
		at += i + 3
		scheme := strings.EqualFold(before, "https") ||
			len(before) >= 4 && strings.EqualFold(before[len(before)-4:], "http")
		if scheme && u.isAt(text, at) {
			return true
		}
	}
}

// isAt reports whether text[at:] begins with the host and the path, and the URL ends there.
func (u *soughtURL) isAt(text string, at int) bool {
	if len(text)-at < len(u.host) || !strings.EqualFold(text[at:at+len(u.host)], u.host) {
		return false
	}
	at += len(u.host)
	if rest := text[at:]; strings.HasPrefix(rest, ":443") {
		at += len(":443")
	} else if strings.HasPrefix(rest, ":80") {
		at += len(":80")
	}
	n := u.common(text, at)
	if n < len(u.path) {
		if u.path != "/" {
			return false
		}
		n = 0 // the text has only the host
	}
	return u.endsBefore(text[at+n:])
}

// punctuation may follow a URL in a sentence. All of these characters may also be in a URL.
const punctuation = ".,;:!?)]}'*_"

// brackets are closed by punctuation.
var brackets = [...]string{"()", "[]", "{}"}

// endsBefore reports whether the URL ends before the text after. The URL ends if after begins with
// a fragment or with a character that URLs don't contain, apart from punctuation. After
// punctuation, the URL also ends if another URL begins, or if the punctuation closes a bracket
// opened before the path, as in Markdown.
func (u *soughtURL) endsBefore(after string) bool {
	rest := strings.TrimLeft(after, punctuation)
	marks := after[:len(after)-len(rest)]
	switch {
	case rest == "" || !continues(rest), marks == "" && rest[0] == '#':
		return true
	case marks != "" && (strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://")):
		return true
	}
	for i, pair := range brackets {
		if u.closed[i] && strings.Contains(marks, pair[1:]) {
			return true
		}
	}
	return false
}

// continues reports whether a text begins with a URL's character, or with a letter that people
// write unescaped in URLs, as in /Zürich. Chinese and Japanese have no space after a URL, so their
// characters end the URL.
func continues(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	if r < 0x7f {
		return r > ' ' && strings.IndexByte("\"<>\\^`|", byte(r)) < 0
	}
	return r >= 0xc0 && r < 0x2000 || r >= 0x2c00 && r < 0x2e80
}
