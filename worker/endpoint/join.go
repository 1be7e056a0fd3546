package endpoint

import "strings"

// Join returns the URL of a path below a base URL. If the path has the version of Google's API, the
// base URL's version, if any, is used instead.
func Join(base, path string) string {
	if rest, ok := strings.CutPrefix(path, "/v1beta/"); ok && (strings.HasSuffix(base, "/v1") ||
		strings.HasSuffix(base, "/v1beta")) {
		return base + "/" + rest
	}
	return base + path
}
