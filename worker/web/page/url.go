// Package page reads pages of the web for a model whose server can't: it says which URLs may be fetched, and makes text of what comes. It makes
// no calls: worker/web does.
package page

import (
	"net/url"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/web/search"
)

// MaxHops is how many redirects of a page are followed.
const MaxHops = 3

// Page is a page that is to be fetched.
type Page struct {
	URL     string         // of https
	Own     string         // the host of this deployment, which is never asked, as the client's request names it; it may have a port
	Domains search.Domains // the client's
	Max     int            // how many bytes of text
}

// Wrong returns the code with which the page is not fetched, "" where it may be: it has to be on the public internet, at https on port 443, and at
// a domain that the client allows. What a name leads to is looked at where the connection is made (bridge.Call.Public).
func (p *Page) Wrong() (code string) {
	u, err := url.Parse(p.URL)
	switch {
	case err != nil || u.Scheme != "https" || u.User != nil || u.Opaque != "":
		return ir.FetchNotAllowed
	case u.Port() != "" && u.Port() != "443", !endpoint.PublicName(u.Host), sameHost(u.Host, p.Own), !p.Domains.Allow(p.URL):
		return ir.FetchNotAllowed
	}
	return ""
}

// sameHost reports whether two hosts, which may have ports, are the same name.
func sameHost(a, b string) bool { return name(a) == name(b) }

func name(host string) string {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	return strings.TrimSuffix(host, ".")
}

// Redirected returns the page that an answer with a status from 300 to 399 leads to, which Wrong is asked about again; ok is false where it leads to
// none.
func (p *Page) Redirected(location string) (to Page, ok bool) {
	base, err := url.Parse(p.URL)
	if err != nil || location == "" || len(location) > maxLink {
		return to, false
	}
	u, err := base.Parse(location)
	if err != nil {
		return to, false
	}
	u.Fragment, u.RawFragment = "", ""
	to = *p
	to.URL = u.String()
	return to, true
}
