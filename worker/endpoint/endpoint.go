// Package endpoint holds what one endpoint is configured to do: its upstream, its keys, its model map and its options. It
// does no input or output: Load reads settings through a function.
package endpoint

import (
	"crypto/subtle"
	"strings"
	"time"

	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
	"edgelingua/translator/target"
)

// Endpoint is a checked configuration.
type Endpoint struct {
	Protocol    string        // of the upstream: anthropic, chat or responses
	URL         string        // base URL of the upstream, without a slash at the end
	UpstreamKey string        // "": none is sent
	Forward     bool          // the client's own credential goes to the upstream
	Bearer      bool          // UpstreamKey goes as a bearer token, whatever the protocol
	Models      Models        // how the client's model names become the upstream's
	Headers     []Header      // sent with every upstream request
	HeadWait    time.Duration // how long a stream waits for the upstream's head before its own goes out
	Silence     time.Duration // how long an upstream may say nothing
	Policy      policy.Policy // what is done to requests
	MaxOutput   int           // how many bytes of an answer are gathered
	options     [2]string     // OPTIONS and UPSTREAM_OPTIONS, checked
}

// Header is one header of an upstream request.
type Header struct{ Name, Value string }

// Sets reports whether the endpoint sends a header of its own under name, which is lower-case.
func (e *Endpoint) Sets(name string) bool {
	for _, h := range e.Headers {
		if h.Name == name {
			return true
		}
	}
	return false
}

// Getter returns the value of a setting, and whether it is set.
type Getter func(name string) (value string, ok bool)

// Error is a setting that can't be used: what is wrong, and how to mend it.
type Error struct {
	Setting string // its name, with the path inside it where there is one: OPTIONS.lossy
	Problem string
}

func (e *Error) Error() string { return e.Setting + " " + e.Problem }

// Authorize says whether a client that presented credential may use the deployment. It reads CLIENT_KEY and AUTH only, so
// that nobody without the key learns about the rest.
func Authorize(get Getter, credential string) *ir.Error {
	if mode, ok := get("AUTH"); ok && mode == "forward" {
		if credential == "" {
			return unauthorized("No key. Send the upstream's key as the header `x-api-key`, or as `Authorization: Bearer KEY`.")
		}
		return nil
	} else if ok && mode != "" {
		return setup(&Error{"AUTH", "must be \"forward\" or not set at all."})
	}
	key, ok := get("CLIENT_KEY")
	if !ok || key == "" {
		return unauthorized("This deployment has no CLIENT_KEY, so it refuses every request. " +
			"Its owner sets one with `npx wrangler secret put CLIENT_KEY` (locally: in .dev.vars).")
	}
	if credential == "" {
		return unauthorized("No key. Send this endpoint's key as the header `x-api-key`, or as `Authorization: Bearer KEY`.")
	}
	if subtle.ConstantTimeCompare([]byte(key), []byte(credential)) != 1 {
		return unauthorized("Wrong key. Send this endpoint's CLIENT_KEY as the header `x-api-key`, or as `Authorization: Bearer KEY`.")
	}
	return nil
}

func unauthorized(message string) *ir.Error {
	return &ir.Error{Kind: ir.Authentication, Message: message}
}

func setup(err *Error) *ir.Error {
	return &ir.Error{Kind: ir.Internal, Message: "This deployment is not set up: " + err.Error()}
}

// Load reads and checks all settings. The error is for the client and names the setting.
func Load(get Getter) (*Endpoint, *ir.Error) {
	e, err := load(get)
	if err != nil {
		return nil, setup(err)
	}
	return e, nil
}

func load(get Getter) (*Endpoint, *Error) {
	e := &Endpoint{HeadWait: 30 * time.Second, Silence: 600 * time.Second}
	mode, _ := get("AUTH")
	e.Forward = mode == "forward"
	var err *Error
	if e.Protocol, err = protocol(get); err != nil {
		return nil, err
	}
	if e.URL, err = baseURL(get); err != nil {
		return nil, err
	}
	e.UpstreamKey, _ = get("UPSTREAM_KEY")
	if e.HeadWait, err = seconds(get, "HEAD_WAIT", e.HeadWait); err != nil {
		return nil, err
	}
	if e.Silence, err = seconds(get, "UPSTREAM_TIMEOUT", e.Silence); err != nil {
		return nil, err
	}
	if text, ok := get("MODELS"); ok {
		if e.Models, err = parseModels(text); err != nil {
			return nil, err
		}
	}
	if e.MaxOutput, err = bytes(get, "MAX_OUTPUT_BYTES", 8<<20); err != nil {
		return nil, err
	}
	if err = readOptions(e, get); err != nil {
		return nil, err
	}
	return e, nil
}

func protocol(get Getter) (string, *Error) {
	name, ok := get("UPSTREAM_PROTOCOL")
	switch name {
	case "anthropic", "chat", "responses":
		return name, nil
	}
	if !ok {
		return "", &Error{"UPSTREAM_PROTOCOL", "is not set. Set it to anthropic, chat or responses."}
	}
	return "", &Error{"UPSTREAM_PROTOCOL", "must be anthropic, chat or responses."}
}

func baseURL(get Getter) (string, *Error) {
	url, ok := get("UPSTREAM_URL")
	if !ok {
		return "", &Error{"UPSTREAM_URL", "is not set. Set it to the upstream's base URL, as https://api.openai.com/v1."}
	}
	_, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || host == "" || strings.ContainsAny(url, " \t\r\n?#") {
		return "", &Error{"UPSTREAM_URL", "must be an http or https URL without query, as https://api.openai.com/v1."}
	}
	if strings.Contains(host, "@") {
		return "", &Error{"UPSTREAM_URL", "must hold no user and no password. The key is the secret UPSTREAM_KEY."}
	}
	return strings.TrimRight(url, "/"), nil
}

// Target returns what the upstream accepts when it is asked for model: what is known of it, with the options laid over.
func (e *Endpoint) Target(model string) ir.Target {
	_, rest, _ := strings.Cut(e.URL, "://")
	host, _, _ := strings.Cut(rest, "/")
	t := target.For(e.Protocol, host, model)
	e.Override(&t)
	return t
}

// Passes reports whether the requests of a client that speaks a protocol pass byte for byte: the upstream speaks the same, and no
// policy changes them. What they hold may still speak against it: see translator.HoldsForeign.
func (e *Endpoint) Passes(client string) bool { return client == e.Protocol && !e.Policy.Changes() }

// Path is what stands behind the base URL for requests of the upstream's protocol. A base URL is what that vendor's official
// SDK takes: OpenAI's ends with /v1, Anthropic's does not.
func (e *Endpoint) Path() string {
	switch e.Protocol {
	case "anthropic":
		return "/v1/messages"
	case "chat":
		return "/chat/completions"
	}
	return "/responses"
}

// CountPath is where an upstream of the client's own protocol counts the tokens of a request.
func (e *Endpoint) CountPath() string {
	if e.Protocol == "anthropic" {
		return "/v1/messages/count_tokens"
	}
	return "/responses/input_tokens"
}

// ModelsPath is where the upstream lists its models.
func (e *Endpoint) ModelsPath() string {
	if e.Protocol == "anthropic" {
		return "/v1/models"
	}
	return "/models"
}
