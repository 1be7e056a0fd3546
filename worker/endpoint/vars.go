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
	// what the upstream's official SDK takes as base URL: with `/v1` for OpenAI, without for
	// Anthropic. `cloudflare:ai`: [Cloudflare's own models](upstreams.md#cloudflares-own-models).
	// It has no query, but for the `?api-version=` of [Azure](upstreams.md#azure)
	varURL = "UPSTREAM_URL"
	// JSON object: the client's model name, `*` for any characters, to the upstream's. First match
	// wins; no match: unchanged
	varModels = "MODELS"
	// JSON object, what is done to requests: the [options](#options)
	varOptions = "OPTIONS"
	// JSON object, what the upstream accepts, where it is not what is known of its host and model: the
	// [upstream options](upstreams.md#upstream-options)
	varUpstreamOptions = "UPSTREAM_OPTIONS"
	// JSON object, the [AI Gateway](upstreams.md#ai-gateway) through which the upstream is reached:
	// `{"account":"…","id":"…"}`
	varGateway = "UPSTREAM_GATEWAY"
	// `forward`: no `CLIENT_KEY`; the key that a client presents goes to the upstream, as the
	// header that its protocol uses; a bearer token stays one
	varAuth = "AUTH"
	// seconds that a stream waits for the upstream before its own head goes out and keep-alives
	// begin; 30
	varHeadWait = "HEAD_WAIT"
	// milliseconds for which an event of a fast stream may wait for others, so that they cost [less
	// CPU](speed.md#streams-that-are-batched) together; 50. 0: each goes at once
	varBatch = "BATCH"
	// seconds that an upstream may say nothing; 600. Where bytes pass it counts up to the
	// upstream's head
	varTimeout = "UPSTREAM_TIMEOUT"
	// bytes of an answer that are gathered, for plain answers and Responses streams; 4194304, at
	// most 33554432. A stream takes twelve times that in memory, and what one isolate on Cloudflare
	// serves has 128 MB together
	varMaxOutput = "MAX_OUTPUT_BYTES"
	// `true`: the upstreams of [personal endpoints](endpoints.md), and a [SearXNG](websearch.md),
	// need no https and no public host name; `false`, or not set: they do
	varLocalUpstreams = "ALLOW_HTTP_UPSTREAM"
	// `true`: the requests of the deployment's own endpoint are counted where it keeps
	// [state](state.md), and who has `CLIENT_KEY` sees the counts at `/`, under Watch; `false`, or
	// not set: they are not
	varUsage = "USAGE"
	// seconds for which the last 100 requests are listed there too, without contents: 60 to
	// 2592000. Not set: there is no list
	varRequestLog = "REQUEST_LOG"
	// the id of a Cloudflare account, by which `cloudflare:ai` is reached where there is no binding
	// `AI`, as on your machine
	varAccount = "CLOUDFLARE_ACCOUNT_ID"
	// base URL of an OpenTelemetry collector, as `http://127.0.0.1:4318`: each request for a model
	// becomes a span, which is POSTed to `/v1/traces` behind it as JSON. See
	// [operating.md](operating.md#traces)
	varTraces = "OTLP_URL"
)

// Secrets of the deployment. The comment above each is copied into docs/settings.md (wasmtest/readme).
const (
	// what clients present as `x-api-key` or `Authorization: Bearer`
	secretClientKey = "CLIENT_KEY"
	// your key at the upstream, for [Vertex AI](upstreams.md#vertex-ai) a service account's; leave
	// it out where none is needed
	secretUpstreamKey = "UPSTREAM_KEY"
	// of the gateway in `UPSTREAM_GATEWAY`, as AI Gateway makes it under Settings
	secretGatewayToken = "UPSTREAM_GATEWAY_TOKEN"
	// of the Admin API, for [personal endpoints](endpoints.md): 16 characters or more
	secretAdminKey = "ADMIN_KEY"
	// with which the keys of personal endpoints' upstreams are sealed: 32 bytes in base64, as
	// `openssl rand -base64 32` makes them
	secretSealKey = "SEAL_KEY"
	// the one before it, with which what is stored can still be opened
	secretSealKeyPrevious = "SEAL_KEY_PREVIOUS"
	// for the account of `CLOUDFLARE_ACCOUNT_ID`: a token of Cloudflare's with the permission
	// Workers AI: Read
	secretAPIToken = "CLOUDFLARE_API_TOKEN"
	// headers for the collector at `OTLP_URL`, in the form of `OTEL_EXPORTER_OTLP_HEADERS`:
	// `name=value,name=value`, `%2C` for a comma in a value
	secretTracesHeaders = "OTLP_HEADERS"
	// your key at the provider of [web searches](websearch.md) that the option `web_search` names
	secretSearchKey = "SEARCH_KEY"
)

// Getter returns the value of a variable or secret of the deployment, and whether it is set.
type Getter func(name string) (value string, ok bool)

// Authorize says whether a client that presented credential may use the deployment. It reads
// CLIENT_KEY and AUTH only, so that nobody without the key learns about the rest.
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
			"Its owner sets one with `./build.sh secret put CLIENT_KEY` (locally: in .dev.vars).")
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

// NoKey is the error for a client of an endpoint that presents no key.
func NoKey() *ir.Error {
	return unauthorized("No key. Send this endpoint's key as the header `x-api-key`, or as " +
		"`Authorization: Bearer KEY`.")
}

// WrongKey is the error for a client of a personal endpoint that presents another key, or asks for
// an endpoint that is not there.
func WrongKey() *ir.Error {
	return unauthorized("Wrong key, or no such endpoint. Send the endpoint's own key as the header " +
		"`x-api-key`, or as `Authorization: Bearer KEY`.")
}

func unauthorized(message string) *ir.Error {
	return &ir.Error{Kind: ir.Authentication, Message: message}
}

// NotSetUp returns the error for a deployment or an endpoint that can't serve as it is set up.
// problem says why, and how to mend it.
func NotSetUp(problem string) *ir.Error {
	return &ir.Error{Kind: ir.Internal, Message: "This deployment is not set up: " + problem}
}

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
	return e, e.OwnSearches(varOptions)
}

// readGatewayToken reads the token of the gateway that a variable has named. No variable holds it:
// they are shown and logged.
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

// LocalUpstreams reports whether ALLOW_HTTP_UPSTREAM lets personal endpoints have upstreams that
// are not on the public internet. Where it returns an error it returns false.
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

// number returns the number that the text of a variable is, or a result that is no number.
func number(text string) gjson.Result {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return gjson.Result{}
	}
	return gjson.Result{Type: gjson.Number, Num: n}
}

// inObject calls read with the JSON object that the text of a variable is. The error for another
// text shows example.
func inObject(name, text, example string, read func(path string, object gjson.Result) *Error) *Error {
	object, err := parseObject(name, text, example)
	if err != nil {
		return err
	}
	return read(name, object)
}
