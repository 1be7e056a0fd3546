// Package page reads webpages for a model whose server can't. It decides which URLs may be fetched,
// and converts a page to text. It makes no calls: worker/web does.
package page

import (
	"net/url"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/web/search"
)

// Agent is the user-agent of the requests for pages. Every deployment refuses requests with it, so
// none serves itself to a model, by whatever name a URL or a redirect leads there: a deployment does
// not know its own names.
const Agent = "edgelingua"

// MaxHops is the limit of redirects for a page.
const MaxHops = 3

// Page is a webpage to fetch.
type Page struct {
	URL string // an https URL
	// the host of the client's request, maybe with a port; it is never fetched. Under another name,
	// this deployment refuses the request: see Agent
	Own     string
	Domains search.Domains // the client's filter
	Max     int            // the limit of the text in bytes
}

// Wrong returns the code of a URL that may not be fetched, "" if it may. The URL must be https on
// port 443, on the public internet, and at a domain that the client allows. The address of the name
// is checked when the connection is made (bridge.Call.Public).
func (p *Page) Wrong() (code string) {
	u, err := url.Parse(p.URL)
	switch {
	case err != nil || u.Scheme != "https" || u.User != nil || u.Opaque != "":
		return ir.FetchNotAllowed
	case u.Port() != "" && u.Port() != "443", !endpoint.PublicName(u.Host), sameHost(u.Host, p.Own),
		!p.Domains.Allow(p.URL):
		return ir.FetchNotAllowed
	}
	return ""
}

// sameHost reports whether two hosts, with or without ports, have the same name.
func sameHost(a, b string) bool { return name(a) == name(b) }

func name(host string) string {
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	return strings.TrimSuffix(host, ".")
}

// Redirected returns the target of a redirect, an answer with a status from 300 to 399. The caller
// checks the target with Wrong. ok is false for a redirect without a valid target.
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
