package search

import "strings"

// Domains is the domain filter of a tool for its results and pages, as in Messages and Responses. A
// domain has no scheme and includes its subdomains. A path restricts the domain to URLs below it; a
// * in the path matches any characters (platform.claude.com, "Web search tool", "Domain
// filtering").
type Domains struct {
	Allowed []string // empty: all domains
	Blocked []string
}

// Allow reports whether an http or https URL may be shown or fetched.
func (d *Domains) Allow(url string) bool {
	if len(d.Allowed) == 0 && len(d.Blocked) == 0 {
		return true
	}
	host, path := split(url)
	if among(d.Blocked, host, path) {
		return false
	}
	return len(d.Allowed) == 0 || among(d.Allowed, host, path)
}

// split returns the host of a URL, in lower case and without port and user, and its path with the
// leading slash and without query.
func split(url string) (host, path string) {
	if at := strings.Index(url, "://"); at >= 0 {
		url = url[at+3:]
	}
	if at := strings.IndexAny(url, "?#"); at >= 0 {
		url = url[:at]
	}
	host, path, _ = strings.Cut(url, "/")
	host = host[strings.LastIndexByte(host, '@')+1:]
	if at := strings.LastIndexByte(host, ':'); at > strings.LastIndexByte(host, ']') {
		host = host[:at]
	}
	return strings.TrimSuffix(strings.ToLower(host), "."), "/" + path
}

// among reports whether a domain in the list covers a host and path.
func among(list []string, host, path string) bool {
	for _, domain := range list {
		name, below := split(domain)
		name = strings.TrimPrefix(name, "*.")
		if name == "" || host != name && !strings.HasSuffix(host, "."+name) {
			continue
		}
		if covers(strings.TrimSuffix(below, "/"), path) {
			return true
		}
	}
	return false
}

// covers reports whether path is pattern, or is below it. The first * of the pattern matches any
// characters.
func covers(pattern, path string) bool {
	before, after, wild := strings.Cut(pattern, "*")
	rest, ok := strings.CutPrefix(path, before)
	switch {
	case !ok:
		return false
	case wild:
		return after == "" || strings.Contains(rest, after)
	}
	return rest == "" || rest[0] == '/' || pattern == ""
}

// hosts returns up to n hosts of a list of domains, for a provider's filter. Only names of letters,
// digits, hyphens and dots are returned, so no name can be read as syntax.
func hosts(list []string, n int) (names []string) {
	for _, domain := range list {
		host, _ := split(domain)
		if host = strings.TrimPrefix(host, "*."); isName(host) && len(names) < n {
			names = append(names, host)
		}
	}
	return names
}

func isName(host string) bool {
	for i := 0; i < len(host); i++ {
		if c := host[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.') {
			return false
		}
	}
	return host != "" && len(host) <= 253
}
