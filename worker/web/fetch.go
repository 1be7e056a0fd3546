package web

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/web/page"
)

// fetchCall returns the call of a page that Page.Wrong says nothing of. It has no key and no header of the client's or of the deployment's, and the
// page has to be on the public internet, whatever the settings say.
func fetchCall(p *page.Page) bridge.Call {
	return bridge.Call{Method: "GET", URL: p.URL, Silence: patience, Public: true,
		Head: "accept: text/html,text/plain;q=0.9,*/*;q=0.5\naccept-encoding: identity\nuser-agent: edgelingua\n"}
}
