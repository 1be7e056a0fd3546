package search

import "strings"

// Domains are the domains at which a tool's results and pages may be, in the form that tools of Messages and Responses have: without a
// scheme, with all their subdomains, and with a path where only what is below that counts; a * in the path stands for any characters
// (platform.claude.com, "Web search tool", "Domain filtering").
type Domains struct {
	Allowed []string // none: all
	Blocked []string
}

// Allow reports whether a URL of http or https may be shown or fetched.
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

// split returns the host of a URL in lower case, without port and user, and its path without query, which begins with a slash.
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

// among reports whether one of a list's domains covers a host and path.
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

// covers reports whether path is pattern, or is below it. The first * of the pattern stands for any characters.
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

// hosts returns the hosts of a list of domains that a provider's filter can take, at most n of them: names of letters, digits, hyphens
// and dots, and nothing that could be read as syntax.
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
