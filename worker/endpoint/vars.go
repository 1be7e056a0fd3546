package endpoint

import (
	"crypto/subtle"
	"strconv"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
)

// Variables of the deployment. The comment above each is copied into docs/settings.md
// (wasmtest/readme).
const (
	// `anthropic`, `chat`, `responses`, `gemini` or `interactions`
	varProtocol = "UPSTREAM_PROTOCOL"
	// the upstream's base URL, as for its official SDK: with `/v1` for OpenAI, without for
	// Anthropic. `cloudflare:ai`: [Cloudflare's own models](upstreams.md#cloudflares-own-models).
	// The only query allowed is the `?api-version=` of [Azure](upstreams.md#azure)
	varURL = "UPSTREAM_URL"
	// JSON object from the client's model names, with `*` for any characters, to the upstream's.
	// The first match wins. Without a match the name stays unchanged
	varModels = "MODELS"
	// JSON object with the [options](#options) for all requests
	varOptions = "OPTIONS"
	// JSON object with the [upstream options](upstreams.md#upstream-options): what the upstream
	// accepts, if it differs from the known facts about its host and model
	varUpstreamOptions = "UPSTREAM_OPTIONS"
	// JSON object with the [AI Gateway](upstreams.md#ai-gateway) between the worker and the
	// upstream: `{"account":"…","id":"…"}`
	varGateway = "UPSTREAM_GATEWAY"
	// `forward`: there is no `CLIENT_KEY`. The client's key is sent to the upstream in the header
	// of the upstream's protocol; a bearer token stays a bearer token
	varAuth = "AUTH"
	// how long a stream waits for the upstream before its own response headers are sent and
	// keep-alives begin, in seconds (default 30)
	varHeadWait = "HEAD_WAIT"
	// how long an event of a fast stream may wait for more events, in milliseconds (default 50).
	// Events sent together need [less CPU](contributing/speed.md#streams-that-are-batched). 0: each
	// event is sent at once
	varBatch = "BATCH"
	// how long the upstream may stay silent, in seconds (default 600). For untranslated requests
	// only the wait for its response headers counts
	varTimeout = "UPSTREAM_TIMEOUT"
	// the most bytes of an answer that are buffered, for plain answers and Responses streams
	// (default 4194304, at most 33554432). A stream needs twelve times as much memory. On
	// Cloudflare, all requests of an isolate share 128 MB
	varMaxOutput = "MAX_OUTPUT_BYTES"
	// `true`: the upstreams of [personal endpoints](endpoints.md), and a [SearXNG](websearch.md),
	// need neither https nor a public host name. `false`, or not set: both are required
	varLocalUpstreams = "ALLOW_HTTP_UPSTREAM"
	// `true`: the requests of the deployment's own endpoint are counted, if the deployment stores
	// [state](state.md). A client with `CLIENT_KEY` sees the counts at `/`, under Watch. `false`,
	// or not set: no counts
	varUsage = "USAGE"
	// how long the last 100 requests are listed at `/`, without contents, in seconds: 60 to
	// 2592000. Not set: no list
	varRequestLog = "REQUEST_LOG"
	// the id of a Cloudflare account. It is used for `cloudflare:ai` without the binding `AI`, for
	// example on your machine
	varAccount = "CLOUDFLARE_ACCOUNT_ID"
	// base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Each request for a
	// model becomes a span, sent as JSON by POST to `/v1/traces` below the URL. See
	// [operating.md](operating.md#traces)
	varTraces = "OTLP_URL"
	// the format of the alerts to `ALERT_URL`: `json` (default), `slack`, `discord`, or `ntfy` with the
	// URL of a topic
	varAlertFormat = "ALERT_FORMAT"
	// the reverse proxies before the local host, as `127.0.0.1,10.0.0.0/8`: only from their
	// addresses `X-Forwarded-For` names the client. The right-most address in it that is none of them
	// counts
	varProxies = "TRUSTED_PROXIES"
)

// Secrets of the deployment. The comment above each is copied into docs/settings.md (wasmtest/readme).
const (
	// the key that clients send as `x-api-key` or `Authorization: Bearer`
	secretClientKey = "CLIENT_KEY"
	// your key at the upstream, for [Vertex AI](upstreams.md#vertex-ai) a service account's. Leave
	// it out if the upstream needs no key
	secretUpstreamKey = "UPSTREAM_KEY"
	// the token of the gateway in `UPSTREAM_GATEWAY`, from AI Gateway's page Settings
	secretGatewayToken = "UPSTREAM_GATEWAY_TOKEN"
	// the key of the Admin API, for [personal endpoints](endpoints.md): 16 characters or more
	secretAdminKey = "ADMIN_KEY"
	// the master key that seals the keys of personal endpoints' upstreams: 32 bytes in base64, as
	// made by `openssl rand -base64 32`
	secretSealKey = "SEAL_KEY"
	// the previous master key. It can still open stored keys
	secretSealKeyPrevious = "SEAL_KEY_PREVIOUS"
	// a token of Cloudflare for the account in `CLOUDFLARE_ACCOUNT_ID`, with the permission Workers
	// AI: Read
	secretAPIToken = "CLOUDFLARE_API_TOKEN"
	// headers for the collector at `OTLP_URL`, in the form of `OTEL_EXPORTER_OTLP_HEADERS`:
	// `name=value,name=value`, `%2C` for a comma in a value
	secretTracesHeaders = "OTLP_HEADERS"
	// your key at the provider of [web searches](websearch.md) in the option `web_search`
	secretSearchKey = "SEARCH_KEY"
	// the webhook for [alerts](operating.md#alerts) about all endpoints: an https URL with a public
	// host name. Alerts tell, without contents and keys: 80 and 100 % of a budget are spent, once a day
	// or a month; an upstream is down, and answers again, at most once an hour; half of ten or more
	// requests within five minutes failed, once an hour; a key expires within seven days. Redirects
	// are not followed. An answer other than 2xx within ten seconds has four more tries, after 30
	// seconds, 2 minutes, 10 minutes and an hour
	secretAlertURL = "ALERT_URL"
	// signs these alerts, 16 characters or more: the header `x-edgelingua-signature: t=TIME,v1=MAC` has
	// the hexadecimal HMAC-SHA256 of `TIME.BODY`. TIME is in Unix seconds: refuse old ones
	secretAlertSecret = "ALERT_SECRET"
)

// Getter returns the value of a variable or secret of the deployment. If it is not set, ok is
// false.
type Getter func(name string) (value string, ok bool)

// Authorize returns an error unless a client with credential may use the deployment. It reads only
// CLIENT_KEY and AUTH, so a client without the key learns nothing about the other settings.
func Authorize(get Getter, credential string) error {
	if mode, ok := get(varAuth); ok && mode == "forward" {
		if credential == "" {
			return unauthorized("No key. Send the upstream's key as the header `x-api-key`, or as " +
				"`Authorization: Bearer KEY`.")
		}
		return nil
	} else if ok && mode != "" {
		return setup(&Error{varAuth, "must be \"forward\" or not set at all."})
	}
	key, err := clientKey(get)
	if err != nil {
		return setup(err)
	}
	if key == "" {
		return unauthorized("This deployment has no CLIENT_KEY, so it refuses every request. " +
			"Its owner sets one: " + setSecret(secretClientKey) + ".")
	}
	if credential == "" {
		return NoKey()
	}
	if subtle.ConstantTimeCompare([]byte(key), []byte(credential)) != 1 {
		return unauthorized("Wrong key. Send this endpoint's CLIENT_KEY as the header `x-api-key`, or as " +
			"`Authorization: Bearer KEY`.")
	}
	return nil
}

// NoKey returns the error for an endpoint's client that presents no key.
func NoKey() *ir.Error {
	return unauthorized("No key. Send this endpoint's key as the header `x-api-key`, or as " +
		"`Authorization: Bearer KEY`.")
}

// WrongKey returns the error for a client of a personal endpoint with a wrong key. An unknown
// endpoint has the same error.
func WrongKey() *ir.Error {
	return unauthorized("Wrong key, or no such endpoint. Send the endpoint's own key as the header " +
		"`x-api-key`, or as `Authorization: Bearer KEY`.")
}

func unauthorized(message string) *ir.Error {
	return &ir.Error{Kind: ir.Authentication, Message: message}
}

// NotSetUp returns the error for an invalid configuration of a deployment or an endpoint. problem
// has the reason and the remedy.
func NotSetUp(problem string) *ir.Error {
	return &ir.Error{Kind: ir.Internal, Message: "This deployment is not set up: " + problem}
}

// Unopened completes the message for a sealed key that does not open: the ways out.
const Unopened = " can't be opened. If SEAL_KEY has changed, start with the former one, or with both " +
	"(SEAL_KEY_PREVIOUS). If it is lost, set this key again."

func setup(err *Error) *ir.Error { return NotSetUp(err.Error()) }

// Load reads and checks all settings. The error is for the client and names the setting.
func Load(get Getter) (*Endpoint, error) {
	e, err := load(get)
	if err != nil {
		return nil, setup(err)
	}
	return e, nil
}

func load(get Getter) (*Endpoint, *Error) {
	e, u := newEndpoint(), newUpstream()
	mode, _ := get(varAuth)
	e.Forward = mode == "forward"
	u.Key, _ = get(secretUpstreamKey)
	for _, s := range [...]struct {
		name, missing string
		read          func(path, text string) *Error
	}{
		{varProtocol, "is not set. Set it to " + protocols() + ".", u.readProtocol},
		{varURL, "is not set. Set it to the upstream's base URL, as https://api.openai.com/v1.", u.readBase},
		{varHeadWait, "", func(path, text string) *Error {
			return readSeconds(&e.HeadWait, path,
				number(text))
		}},
		{varBatch, "", func(path, text string) *Error { return readBatch(&e.Batch, path, number(text)) }},
		{varTimeout, "", func(path, text string) *Error {
			return readSeconds(&u.Silence, path,
				number(text))
		}},
		{varModels, "", func(path, text string) *Error {
			return inObject(path, text,
				`{"claude-*":"gpt-5.5"}`, u.readModels)
		}},
		{varGateway, "", func(path, text string) *Error {
			return inObject(path, text, `{"account":"0123456789abcdef0123456789abcdef","id":"my-gateway"}`,
				u.readGateway)
		}},
		{varMaxOutput, "", func(path, text string) *Error {
			return readBytes(&e.MaxOutput, path,
				number(text))
		}},
		{varLocalUpstreams, "", func(string, string) *Error { _, err := LocalUpstreams(get); return err }},
		{varUsage, "", func(path, text string) *Error { return readSwitch(&e.Usage, path, text) }},
		{varRequestLog, "", func(path, text string) *Error { return e.readLogTime(path, number(text)) }},
		{varOptions, "", func(path, text string) *Error {
			return inObject(path, text,
				`{"tool_ids":"prefixed"}`, e.readOptions)
		}},
		{varUpstreamOptions, "", func(path, text string) *Error {
			return inObject(path, text,
				`{"effort":"none"}`, u.readOptions)
		}},
	} {
		text, ok := get(s.name)
		var err *Error
		switch {
		case ok:
			err = s.read(s.name, text)
		case s.missing != "":
			err = &Error{s.name, s.missing}
		}
		if err != nil {
			return nil, err
		}
	}
	if e.Forward && e.Counts() {
		return nil, &Error{varUsage,
			"and REQUEST_LOG need a CLIENT_KEY: with AUTH=forward nobody could be shown what they keep. " +
				"Leave them out."}
	}
	if err := e.checkCloudflare(varURL, u); err != nil {
		return nil, err
	}
	if _, _, err := cloudflareAccount(get); err != nil && u.IsCloudflareAI() {
		return nil, err
	}
	if err := u.readGatewayToken(get); err != nil {
		return nil, err
	}
	u.Endpoint = e
	if err := u.checkOwnKey(); err != nil {
		return nil, err
	}
	if err := u.checkVertex(varURL); err != nil {
		return nil, err
	}
	if err := u.route(varGateway, varURL); err != nil {
		return nil, err
	}
	e.add(u)
	if local, _ := LocalUpstreams(get); !local {
		if err := e.publicSearch(varOptions); err != nil {
			return nil, err
		}
	}
	if err := e.searchKey(get); err != nil {
		return nil, err
	}
	if e.Advisor.Model != "" {
		if err := e.servesAdvisor(varOptions); err != nil {
			return nil, err
		}
	}
	return e, e.OwnSearches(varOptions)
}

// readGatewayToken reads the token of the gateway in UPSTREAM_GATEWAY from its secret. The variable
// must not have it, because variables are shown and logged.
func (u *Upstream) readGatewayToken(get Getter) *Error {
	token, _ := get(secretGatewayToken)
	switch {
	case u.Gateway == nil && token != "":
		return &Error{secretGatewayToken,
			"is set, but UPSTREAM_GATEWAY is not. Set that too, or leave both out."}
	case u.Gateway == nil:
		return nil
	case u.Gateway.Token != "":
		return &Error{varGateway + ".token", "is a secret. Set UPSTREAM_GATEWAY_TOKEN in its place."}
	}
	u.Gateway.Token = token
	return checkUpstreamKey(secretGatewayToken, token)
}

// LocalUpstreams reports whether ALLOW_HTTP_UPSTREAM permits personal endpoints upstreams that are
// not on the public internet. With an error, local is false.
func LocalUpstreams(get Getter) (local bool, err *Error) {
	if text, ok := get(varLocalUpstreams); ok {
		err = readSwitch(&local, varLocalUpstreams, text)
	}
	return local, err
}

func readSwitch(to *bool, name, text string) *Error {
	if text != "true" && text != "false" {
		return &Error{name, "must be true or false, or not set at all."}
	}
	*to = text == "true"
	return nil
}

// number parses the text of a variable as a number. Otherwise the result has another type.
func number(text string) gjson.Result {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return gjson.Result{}
	}
	return gjson.Result{Type: gjson.Number, Num: n}
}

// inObject calls read with a variable's text parsed as a JSON object. For any other text the error
// shows example.
func inObject(name, text, example string, read func(path string, object gjson.Result) *Error) *Error {
	object, err := parseObject(name, text, example)
	if err != nil {
		return err
	}
	return read(name, object)
}
