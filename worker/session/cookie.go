package session

import (
	"strconv"
	"strings"
)

// tokenLength is how many characters a token has: see bridge.Host.Random.
const tokenLength = 43

// name returns the name of a holder's cookie at an origin. With the prefix __Secure- browsers
// refuse the cookie without https (RFC 6265bis, section 4.1.3.1).
func name(holder, origin string) string {
	name := "edgelingua-owner"
	if holder == Admin {
		name = "edgelingua-admin"
	}
	if strings.HasPrefix(origin, "https:") {
		name = "__Secure-" + name
	}
	return name
}

// Token returns the token of a holder's session at an origin, or "". cookies is the value of the
// header cookie.
func Token(cookies, holder, origin string) string {
	name := name(holder, origin)
	for cookies != "" {
		var one string
		one, cookies, _ = strings.Cut(cookies, ";")
		if token, ok := strings.CutPrefix(strings.TrimSpace(one), name+"="); ok && len(token) == tokenLength {
			return token
		}
	}
	return ""
}

// Cookie returns the value of the header set-cookie that stores a holder's token for an origin. An
// empty token deletes the cookie.
func Cookie(token, holder, origin string) string {
	path, age := "/admin", Life
	if holder != Admin {
		path = "/" + holder + "/"
	}
	if token == "" {
		age = 0
	}
	cookie := name(holder, origin) + "=" + token + "; Path=" + path + "; Max-Age=" + strconv.Itoa(age) +
		"; HttpOnly; SameSite=Strict"
	if strings.HasPrefix(origin, "https:") {
		cookie += "; Secure"
	}
	return cookie
}
