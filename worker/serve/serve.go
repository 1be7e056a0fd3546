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
	"edgelingua/worker/personal"
	"edgelingua/worker/upstream"
)

// Limits of a client's body, in bytes. A body that only passes through is never taken apart.
const (
	maxTranslatedBody = 16 << 20
	maxSameBody       = 32 << 20
)

// maxPath is how long the path of a request may be, in bytes. Errors repeat it, for whoever asks, and whoever takes nothing of a long
// answer keeps the local host waiting.
const maxPath = 512

// greeting answers clients that ask, without a key, whether the server is there, as Claude Code does at its start. Browsers get a page.
func greeting() string { return `{"message":"This is edgelingua. It serves ` + paths("and") + `."}` }

// paths lists for people the paths at which answers of a model are asked for; last is the word before the last path.
func paths(last string) string {
	return translator.Names((*ir.API).ConversePath, last)
}

// Program is what the worker runs: it implements bridge.Program.
type Program struct{}

// Setup says where prompts go or, wrong, why the deployment can't serve.
func (Program) Setup(host bridge.Host) (line string, wrong bool) {
	line, err := endpoint.Setup(host.Setting, host.SettingNames())
	if err != nil {
		return err.Message, true
	}
	return line, false
}

// Serve answers one request.
func (Program) Serve(host bridge.Host, w bridge.Answerer, r *http.Request) {
	if h, to, e := begin(host, w, r); e != nil {
		to.serve(h, r, e)
	}
}

// begin returns what serves a request, and its endpoint. Where that is nil, the request is answered already. The 2 KB of stack that begin takes
// are free again when the request is served.
//
//go:noinline
func begin(host bridge.Host, w bridge.Answerer, r *http.Request) (h *handler, to route, e *endpoint.Endpoint) {
	r.Header = clientHeader(host)
	h = &handler{response: response{host: host, w: w, socket: host.Socket(), times: times{host: host}}}
	h.times.began = h.times.now()
	if id := r.Header.Get("x-request-id"); bridge.IsID(id) {
		h.id = id
	}
	host.Report(h)
	if h.socket {
		host.Remember(h.turn.Remember)
	}
	if len(r.URL.Path) > maxPath {
		h.client = endpoint.Client(r.URL.Path, r.Header.Get)
		h.fail(&ir.Error{Kind: ir.InvalidRequest, Status: http.StatusRequestURITooLong, Message: "The path of the request is over the limit of " +
			strconv.Itoa(maxPath) + " bytes."})
		return
	}
	if admin.Serves(r.URL.Path) {
		h.manage(r)
		return
	}
	whose, ofPerson := personal.Of(r)
	var served bool
	to, served = routeOf(r)
	h.client, h.hostname = to.client, r.URL.Host
	h.path = upstream.Path(r, to.client)
	faults.Trap(h.host, r, "before")
	if status, out, asked := faults.State(h.host, r, w.Header()); asked {
		h.send(status, "application/octet-stream", bridge.Bytes(out))
		return
	}
	if !served {
		h.fail(&ir.Error{Kind: ir.NotFound, Message: "There is nothing at " + r.URL.Path +
			". Send POST requests to " + paths("or") + "."})
		return
	}
	upgrades := strings.EqualFold(r.Header.Get("upgrade"), "websocket")
	switch {
	case upgrades && to.socket && r.Method == http.MethodGet:
		to.methods, to.serve = http.MethodGet, (*handler).upgrade
		if err := upgradable(r); err != nil {
			w.Header().Set("sec-websocket-version", "13")
			h.fail(err)
			return
		}
	case upgrades: // after 426 Codex 0.169.0 sends POST at once, after 404 or 405 only after seven tries in 15 seconds
		h.fail(&ir.Error{Kind: ir.MethodNotAllowed, Status: http.StatusUpgradeRequired, Message: "WebSockets are not served here. Send POST requests."})
		return
	}
	if !to.takes(r.Method) {
		w.Header().Set("allow", to.methods)
		h.fail(&ir.Error{Kind: ir.MethodNotAllowed, Message: r.URL.Path + " takes " + to.methods + ", not " + r.Method + "."})
		return
	}
	if to.serve == nil {
		h.send(200, typeJSON, bridge.Bytes([]byte(greeting())))
		return
	}
	key, bearer := credential(r, h.client)
	err := h.client.Check(h.path)
	if err != nil {
		h.fail(err)
		return
	}
	if ofPerson {
		e, err = personal.Authorize(host, whose, key, bearer)
	} else {
		e, err = authorize(host, key, bearer)
	}
	if err != nil {
		if err.HTTPStatus() == http.StatusInternalServerError {
			w.Header().Set("x-should-retry", "false") // the SDKs' retries can't mend a configuration
		}
		h.fail(err)
		return
	}
	h.endpoint = e.Name
	if !upgrades && !h.enter(r, e, to.admits) {
		e = nil
	}
	return
}

// authorize returns the deployment's endpoint for a client that presented key, as a bearer token or not. The key is checked first: a
// client without a right to the endpoint gets no error about its settings.
func authorize(host bridge.Host, key string, bearer bool) (*endpoint.Endpoint, *ir.Error) {
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

// receive reads the client's body, which is never nil: upstream.Call would send a GET, and OpenAI answers GET /v1/chat/completions with the
// stored conversations of the whole account.
func receive(host bridge.Host, limit int) ([]byte, *ir.Error) {
	body, failed := host.Body(limit)
	switch {
	case failed == bridge.ErrTooLarge:
		return nil, tooLarge(limit)
	case failed != nil:
		return nil, &ir.Error{Kind: ir.InvalidRequest, Message: "The request's body could not be read: it ended early. Send it again."}
	case body == nil:
		return []byte{}, nil
	}
	return body, nil
}

func tooLarge(limit int) *ir.Error {
	return &ir.Error{Kind: ir.TooLarge, Message: "The request's body is over the limit of " +
		strconv.Itoa(limit>>20) + " MB. Send less: fewer or smaller images and documents, or a shorter history."}
}

// decode decodes the client's body for an upstream. The exchange views body.
func (h *handler) decode(c *endpoint.Choice, body []byte) (x *translator.Exchange, err *ir.Error) {
	bridge.Reserve(len(body) / 8) // what the decoded request takes beside its body, as a rule
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
	if c.Endpoint.Policy.Changes() {
		x.Policy = &c.Endpoint.Policy
	}
	return x, nil
}
