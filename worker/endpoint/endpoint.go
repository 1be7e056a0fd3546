// Package endpoint holds the configuration of an endpoint: its clients' keys, its upstreams with
// their keys and model maps, and its options. The package does no input or output: Load reads the
// deployment's variables, Parse reads the record of a personal endpoint.
package endpoint

import (
	"strings"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/translator/passing"
	"edgelingua/translator/policy"
)

// Endpoint is a checked configuration.
type Endpoint struct {
	Name string // name of a personal endpoint; "" for the deployment's endpoint
	// distinguishes the endpoint from deleted ones of its name; "" for the deployment's endpoint, and
	// for endpoints from before ids
	ID      string
	Forward bool  // the client's own key is sent to the upstreams, instead of the upstreams' keys
	Keys    []Key // keys for the clients of a personal endpoint
	// hash of the key that the client has presented; "" if the key is not the endpoint's
	Presented string
	Disabled  bool          // every request is refused
	Rev       int64         // how often the record was written
	Created   int64         // when the record was written first, in Unix seconds
	Updated   int64         // when the record was written last, in Unix seconds
	Upstreams []Upstream    // in the order of trying; at least one
	Policy    policy.Policy // changes to requests
	Usage     bool          // usage is recorded
	LimitSet                // limits for all clients together
	HeadWait  time.Duration // a stream's wait for the upstream's head, until the client gets a head
	Batch     int           // milliseconds for which an event of a fast stream may wait for more events
	MaxOutput int           // most bytes of an answer that are buffered
	State     State         // state stored for later requests
	WebSearch WebSearch     // provider of web searches, if the upstream can't search
	// most webpages that the worker fetches for an answer, if the upstream can't fetch; 0: none
	MaxFetches int
	Advisor    Advisor  // second model, if the upstream has no advisor
	Alerts     Alerts   // webhook for alerts
	LogTime    int64    // seconds for which the request log retains a request; 0: no log
	LogRows    int64    // most requests of the log; 0: no log
	prices     []priced // prices of models, with precedence over the host's
	options    string   // JSON object of the endpoint's options, checked; Override reads it
}

// State says what an endpoint stores for clients of the Responses API.
type State struct {
	Responses      bool  // responses are stored
	TTL            int64 // seconds until a stored response expires
	Bytes          int64 // most bytes of all stored responses together
	RequiredAction bool  // a response with function calls waits for their outputs (submit_tool_outputs)
}

// Object returns the name of the object with the endpoint's state.
func (e *Endpoint) Object() string { return Object(e.Name) }

// Object returns the name of the object of the endpoint called name. "" is the deployment's
// endpoint.
func Object(name string) string {
	if name == "" {
		return "deployment"
	}
	return "endpoint:" + name
}

// Upstream is an upstream of an endpoint.
type Upstream struct {
	Endpoint *Endpoint // the upstream's endpoint
	Name     string    // "" for the deployment's upstream: NAME/MODEL can't name it
	API      *ir.API   // protocol
	URL      string    // base URL, without a slash at the end
	Query    string    // query added to every path at URL, with its "?", or ""
	Key      string    // "": no key is sent; sealed in a record
	// pool of sealed keys, instead of Key: see Pooled; tenant.Unseal leaves the other keys of the pool,
	// in the clear
	Keys    []string
	Gateway *Gateway      // nil: the upstream is reached directly
	Bearer  bool          // Key is sent as a bearer token, whatever the protocol
	Models  Models        // maps the client's model names to the upstream's
	Headers []Header      // sent with every request
	Silence time.Duration // how long the upstream may stay silent
	options string        // JSON object of the upstream options, checked; Override reads it

	poolNumber int    // number of Key in the pool, from 1; 0: no pool
	textCalls  bool   // option text_calls
	byAccount  bool   // Cloudflare's own models through the REST API
	auth       string // option auth, or ""
}

// Header is a header of a request to an upstream or to the collector of spans.
type Header struct{ Name, Value string }

// Sets reports whether Headers has a header with this name. name is in lower case.
func (u *Upstream) Sets(name string) bool {
	for _, h := range u.Headers {
		if h.Name == name {
			return true
		}
	}
	return false
}

// Error is an invalid setting, with the problem and the remedy.
type Error struct {
	// name of the setting, with the path inside the setting if any: OPTIONS.lossy, upstreams[0].url
	Setting string
	Problem string
}

func (e *Error) Error() string { return e.Setting + " " + e.Problem }

// Target returns what the upstream accepts for model: the known facts about its host, overridden by
// the options of the endpoint and of the upstream.
func (u *Upstream) Target(model string) *ir.Target {
	t := u.API.Upstream.Target(u.knownHost(), model)
	u.Override(t)
	if u.Raises("") {
		u.API.Version.Restrict(t)
	}
	return t
}

// Passes reports whether requests and answers of an API's clients may pass byte for byte: the
// upstream speaks the client's protocol and always in the same form, no policy changes requests,
// and the option text_calls is off. The content of a request may still need translation: see
// plan.passes in worker/serve.
func (u *Upstream) Passes(client *ir.API) bool {
	return client == u.API && !u.IsCloudflareAI() && !u.Endpoint.Policy.Changes() && !u.textCalls
}

// AcceptsTools reports whether the upstream accepts the types of tools that a body of its own
// protocol seems to have, and searches deferred tools if the body asks for that.
func (u *Upstream) AcceptsTools(model string, body []byte) bool {
	custom := passing.HoldsCustom(u.API, body)
	deferred := u.API.HasClients() && u.API.Client.Shows(ir.HostedBlock) && passing.MentionsDeferred(body)
	if !custom && !deferred {
		return true
	}
	t := u.Target(model)
	return (!custom || t.CustomTools) &&
		(!deferred || t.OwnToolSearch || u.API.Upstream.Runs(ir.ToolSearchTool, t))
}

// SealContext returns the context to which the upstream's sealed key is bound: the names of the
// endpoint and the upstream, the host and, if any, the gateway. If a sealed key is copied to
// another record, or the upstream's host or gateway changes, the key can't be opened. No part of
// the context contains a slash.
func (u *Upstream) SealContext() string {
	return "endpoint/" + u.Endpoint.Name + "/" + u.Name + "/" + hostOf(u.URL) + u.Route()
}

// hostOf returns the host of a URL, including a port. The host of CloudflareAI is CloudflareAI.
func hostOf(url string) string {
	if url == CloudflareAI {
		return url
	}
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return host
}
