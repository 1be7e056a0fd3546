package web

import (
	"edgelingua/worker/bridge"
	"edgelingua/worker/web/page"
)

// fetchCall returns the Call for a webpage that passed Page.Wrong. It has no key, and no header
// from the client or the deployment. The webpage must be on the public internet, regardless of the
// settings.
func fetchCall(p *page.Page) bridge.Call {
	return bridge.Call{Method: "GET", URL: p.URL, Silence: patience, Public: true,
		Head: "accept: text/html,text/plain;q=0.9,*/*;q=0.5\naccept-encoding: identity\nuser-agent: " +
			page.Agent + "\n"}
}
