package serve

import (
	"net/http"
	"strconv"
	"strings"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/worker/admin"
	"edgelingua/worker/bridge"
	"edgelingua/worker/endpoint"
	"edgelingua/worker/faults"
	"edgelingua/worker/tenant"
	"edgelingua/worker/upstream"
)

// Limits of a client's body, in bytes. A passthrough body needs no decoding.
const (
	maxTranslatedBody = 16 << 20
	maxSameBody       = 32 << 20
)

// maxPath is the limit of a request's path, in bytes. Errors repeat the path to every client, and a
// client that does not read a long answer keeps the local host waiting.
const maxPath = 512

// greeting answers clients that check without a key whether the server is there, as Claude Code
// does when it starts. Browsers get a page.
func greeting() string {
	return `{"message":"This is edgelingua. It serves ` + paths("and") + `; in a browser it shows a page."}`
}

// paths lists the paths for requests to a model, for people. last is the word before the last path.
func paths(last string) string {
	return translator.JoinNames((*ir.API).ConversePath, last)
}

// clientRequest is the client's request: its host, protocol and path. newRecord sets host, Serve sets
// socket, and read the rest (for a preview, Open sets client and path). No later step changes it.
type clientRequest struct {
	host     bridge.Host
	client   *ir.API // the client's protocol; it also decides the form of errors
	hostname string  // of this deployment, from the request; it may include a port
	path     string  // of the request, with the query: see ir.Client
	socket   bool    // the request came as a frame of a WebSocket
}

// read determines the route of a request and the endpoint that the client may use; nil if the route
// needs none. Not inlined, its 2 KB of stack are free again when the request is served.
//
//go:noinline
func (h *record) read(r *http.Request) (to route, e *endpoint.Endpoint, err error) {
	r.Header = clientHeader(h.host)
	if id := r.Header.Get("x-request-id"); bridge.IsID(id) {
		h.ids.request = id
	}
	if len(r.URL.Path) > maxPath {
		h.client = endpoint.Client(r.URL.Path, r.Header.Get)
		return to, nil, &ir.Error{Kind: ir.InvalidRequest, Status: http.StatusRequestURITooLong,
			Message: "The path of the request is over the limit of " +
				strconv.Itoa(maxPath) + " bytes."}
	}
	if admin.Serves(r.URL.Path) {
		return route{operation: manages}, nil, nil
	}
	whose, ofPerson := tenant.Of(r)
	to = routeOf(r)
	h.client, h.hostname = to.client, r.URL.Host
	h.path = upstream.Path(r, to.client)
	faults.Trap(h.host, r, "before")
	if faults.Asks(r) {
		return route{operation: tests}, nil, nil
	}
	if to.methods == "" {
		return to, nil, &ir.Error{Kind: ir.NotFound, Message: "There is nothing at " + r.URL.Path +
			". Send POST requests to " + paths("or") + "."}
	}
	if strings.EqualFold(r.Header.Get("upgrade"), "websocket") {
		// After 426 Codex 0.169.0 sends POST at once; after 404 or 405 only after seven tries in 15
		// seconds.
		if !to.webSocket || r.Method != http.MethodGet {
			return to, nil, &ir.Error{Kind: ir.MethodNotAllowed, Status: http.StatusUpgradeRequired,
				Message: "WebSockets are not served here. Send POST requests."}
		}
		if err := upgradable(r); err != nil {
			h.header.Set("sec-websocket-version", "13")
			return to, nil, err
		}
		to.operation, to.methods = upgrades, http.MethodGet
	}
	if !to.allows(r.Method) {
		h.header.Set("allow", to.methods)
		return to, nil, &ir.Error{Kind: ir.MethodNotAllowed,
			Message: r.URL.Path + " takes " + to.methods + ", not " + r.Method + "."}
	}
	if to.operation == ir.Greet {
		return to, nil, nil
	}
	key, bearer := credential(r, h.client)
	if err := h.client.Check(h.path); err != nil {
		return to, nil, err
	}
	if ofPerson {
		e, err = tenant.Authorize(h.host, whose, key, bearer)
	} else {
		e, err = authorize(h.host, key, bearer)
	}
	if err != nil {
		// SDKs retry a 500 up to ten times. A missing CLIENT_KEY is a 401 instead: new owners meet
		// this error first, and the error is about authentication.
		if ir.AsError(err).HTTPStatus() == http.StatusInternalServerError {
			h.header.Set("x-should-retry", "false") // a retry by the SDKs can't fix a configuration
		}
		return to, nil, err
	}
	h.endpoint = e.Name
	if to.operation != upgrades {
		err = h.enter(r, e, to)
	}
	return to, e, err
}

// authorize returns the deployment's endpoint for a client with the key. bearer: the key came as a
// bearer token. The key is checked first, so a client without access gets no error about the
// endpoint's settings.
func authorize(host bridge.Host, key string, bearer bool) (*endpoint.Endpoint, error) {
	if err := endpoint.Authorize(host.Setting, key); err != nil {
		return nil, err
	}
	e, err := endpoint.Load(host.Setting)
	if err != nil {
		return nil, err
	}
	if u := &e.Upstreams[0]; e.Forward {
		u.Key, u.Bearer = key, bearer
	}
	return e, nil
}

// receive returns the client's body, never nil. For a nil body upstream.Call would send a GET, and
// OpenAI answers GET /v1/chat/completions with the stored conversations of the whole account.
// A host undoes the codings of the body that it knows, and hides their header.
func receive(r *http.Request, host bridge.Host, limit int) ([]byte, error) {
	if coding := r.Header.Get("content-encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return nil, &ir.Error{Kind: ir.InvalidRequest, Status: http.StatusUnsupportedMediaType,
			Message: "The request's body is compressed (content-encoding: " + coding[:min(len(coding), 64)] +
				"), and this server can't read that: send it as gzip, or without content-encoding. Codex " +
				"does so with features.enable_request_compression = false."}
	}
	body, failed := host.Body(limit)
	switch {
	case failed == bridge.ErrTooLarge:
		return nil, tooLarge(limit)
	case failed != nil:
		return nil, &ir.Error{Kind: ir.InvalidRequest,
			Message: "The request's body could not be read: it ended early, or does not follow " +
				"its content-encoding. Send it again."}
	case body == nil:
		return []byte{}, nil
	}
	return body, nil
}

func tooLarge(limit int) error {
	return &ir.Error{Kind: ir.TooLarge, Message: "The request's body is over the limit of " +
		strconv.Itoa(limit>>20) +
		" MB. Send less: fewer or smaller images and documents, or a shorter history."}
}

// decode decodes the client's body for an upstream. The exchange views body.
func (h *record) decode(c *endpoint.Choice, body []byte) (x *translator.Exchange, err error) {
	bridge.Reserve(len(body) / 8) // usually enough for the decoded request beside its body
	if x, err = (translator.Pair{Client: h.client, Upstream: c.API}).Decode(h.path, body); err != nil {
		return nil, err
	}
	x.Request.Model = jsonw.Escape(c.Model)
	x.Request.Now = func() int64 { return h.host.Now().Unix() }
	x.Request.Received = x.Request.Now()
	x.Secrets, x.MaxOutput = c.Upstream.Secrets, int64(c.Endpoint.MaxOutput)
	if w := &c.Endpoint.WebSearch; w.Name != "" {
		x.MaxSearches = int64(w.MaxUses)
	}
	x.MaxFetches = int64(c.Endpoint.MaxFetches)
	if h.advisor.choice != nil {
		translator.ForWorker(x).SetAdvisor(int64(c.Endpoint.Advisor.MaxUses))
	}
	if c.Endpoint.Policy.Changes() {
		x.Policy = &c.Endpoint.Policy
	}
	return x, nil
}
