// Package endpoint holds what one endpoint is configured to do: who may use it, its upstreams,
// their keys and model maps, and its options. It does no input or output: Load takes the
// deployment's variables, Parse the record of a personal endpoint.
package endpoint

import (
	"strings"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/worker/usage"
)

// Endpoint is a checked configuration.
type Endpoint struct {
	Name    string // of a personal endpoint; "" for the one that the deployment's variables make
	Forward bool   // the client's own key goes to the upstreams, in place of theirs
	Keys    []Key  // of a personal endpoint: clients present one of them
	// the hash of the key that the client has presented, "" where that is no key of the endpoint's
	Presented string
	Disabled  bool          // every request is refused
	Rev       int64         // how often the record was written
	Created   int64         // when the record was written first, in Unix seconds
	Updated   int64         // when the record was written last, in Unix seconds
	Upstreams []Upstream    // in the order in which they are tried; one at least
	Policy    policy.Policy // what is done to requests
	Usage     bool          // the usage of its clients is kept
	Limits    usage.Limits  // how much its clients may use
	Allowed   []string      // patterns of the models that clients may ask for; none: all
	HeadWait  time.Duration // how long a stream waits for the upstream's head before the client gets one
	Batch     int           // how many milliseconds an event of a fast stream may wait for others
	MaxOutput int           // how many bytes of an answer are gathered
	State     State         // what is kept for later requests
	WebSearch WebSearch     // where searches go that an upstream can't run
	// how many pages one answer may fetch that an upstream can't, whatever the client says; 0: none
	MaxFetches int
	LogTime    int64    // for how many seconds the log keeps a request; 0: there is no log
	prices     []priced // what models cost, where that is not what the host knows
	options    string   // the JSON object of its options, checked: Override reads it
}

// State is what an endpoint keeps for clients of the Responses API.
type State struct {
	Responses      bool  // responses are stored
	TTL            int64 // seconds for which a response is stored
	Bytes          int64 // of all stored responses together
	RequiredAction bool  // a response that calls functions waits for their outputs (submit_tool_outputs)
}

// Object returns the name of the object that holds the endpoint's state.
func (e *Endpoint) Object() string { return Object(e.Name) }

// Object returns the name of the object of the endpoint called name; "" is the endpoint that the
// deployment's variables make.
func Object(name string) string {
	if name == "" {
		return "deployment"
	}
	return "endpoint:" + name
}

// Upstream is one upstream of an endpoint.
type Upstream struct {
	Endpoint *Endpoint     // whose upstream it is
	Name     string        // "" for the upstream of the deployment's variables: no model can name it
	API      *ir.API       // its protocol
	URL      string        // base URL, without a slash at the end
	Query    string        // behind every path at URL; "": none
	Key      string        // "": none is sent; in a record it is sealed
	Keys     []string      // of a pool, sealed, in place of Key: see Pooled
	Gateway  *Gateway      // nil: the upstream is reached directly
	Bearer   bool          // Key goes as a bearer token, whatever the protocol
	Models   Models        // how the client's model names become the upstream's
	Headers  []Header      // sent with every request
	Silence  time.Duration // how long it may send nothing
	options  string        // the JSON object of what it accepts, checked: Override reads it

	turn      int    // of Key in a pool, from 1; 0: it is no pool's
	textCalls bool   // option text_calls
	byAccount bool   // it is Cloudflare's own models, reached by the REST API
	auth      string // option auth, "" where it is not set
}

// Header is one header of a request to an upstream or to the collector of spans.
type Header struct{ Name, Value string }

// Sets reports whether Headers has a header of this name, in lower case.
func (u *Upstream) Sets(name string) bool {
	for _, h := range u.Headers {
		if h.Name == name {
			return true
		}
	}
	return false
}

// Error is a setting that can't be used: what is wrong, and how to mend it.
type Error struct {
	Setting string // its name, with the path inside it where there is one: OPTIONS.lossy, upstreams[0].url
	Problem string
}

func (e *Error) Error() string { return e.Setting + " " + e.Problem }

// Target returns what the upstream accepts when it is asked for model: what is known of its host,
// changed by the options of the endpoint and of the upstream.
func (u *Upstream) Target(model string) *ir.Target {
	t := u.API.Upstream.Target(u.knownHost(), model)
	u.Override(t)
	return t
}

// Passes reports whether the requests of clients of an API and their answers pass byte for byte:
// the upstream speaks the same, and always in the same form, no policy changes requests, and no
// calls are looked for in answers. What requests hold may still speak against it: see
// passing.HoldsForeign.
func (u *Upstream) Passes(client *ir.API) bool {
	return client == u.API && !u.IsCloudflareAI() && !u.Endpoint.Policy.Changes() && !u.textCalls
}

// SealContext returns what the upstream's sealed key is bound to: the names of the endpoint and the
// upstream, the host and, where there is one, the gateway. A sealed key that is copied to another
// record, or whose upstream gets another URL or gateway, does not open. No part of it holds a
// slash.
func (u *Upstream) SealContext() string {
	return "endpoint/" + u.Endpoint.Name + "/" + u.Name + "/" + hostOf(u.URL) + u.Route()
}

// hostOf returns the host of a URL, with its port if it has one. That of CloudflareAI is CloudflareAI.
func hostOf(url string) string {
	if url == CloudflareAI {
		return url
	}
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	return host
}
