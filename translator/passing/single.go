package passing

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Single checks that all servers read the same model and the same "stream" from a request. It is
// for endpoints that limit or count their clients' requests. Servers treat repeated members and
// letter case differently: most read the last "model", but Go's encoding/json, and therefore
// Ollama, reads the last one in any case, by Unicode's simple folding. body may be anything; path
// includes its query.
//
// Single also rejects a response in the background, because the upstream answers before counting
// any tokens. With oneModel Single rejects a request with models outside of "model". If the path
// names the model, the body must not name another one.
//
// counted is a JSON object with the members checked by Single, as body spells them. Model and
// Streams return the same for counted as for body, and read much less. counted is a copy. The error
// is the client's fault and names the member.
func Single(client *ir.API, path string, body []byte, oneModel bool) (counted []byte, err error) {
	return SingleBut(client, path, body, oneModel, Own{})
}

// Own says what the caller itself does, and therefore counts.
type Own struct {
	Background bool // it runs responses in the background
	Advisor    bool // it chooses the model of Anthropic's advisor
}

// SingleBut is Single, but does not reject what the caller itself does.
//
//go:noinline
func SingleBut(client *ir.API, path string, body []byte, oneModel bool, own Own) (counted []byte, err error) {
	if err = Check(body); err == nil {
		err = checkQuery(path, oneModel)
	}
	if err != nil {
		return nil, err
	}
	pathModel := client.Client.Model(path, "{}")
	if oneModel && strings.Contains(pathModel, ",") {
		return nil, severalModels()
	}
	counted = append(counted, '{')
	var seen [len(exact)]bool
	r := jsonr.NewReader(view(body))
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		switch m := memberOf(key); m {
		case model, stream, streamOptions:
			if seen[m] || key != exact[m] {
				return nil, repeated("", key, m)
			}
			seen[m] = true
			value := r.Value()
			if err := checkValue(m, value, oneModel); err != nil {
				return nil, err
			}
			if m == model && pathModel != "" && !names(value, pathModel) {
				return nil, invalid("model", "is not the model in the URL's path. Remove it from the body.")
			}
			if len(counted) > 1 {
				counted = append(counted, ',')
			}
			counted = append(jsonw.AppendString(counted, key), ':')
			counted = append(counted, value...)
		case background:
			if jsonr.Asks(r.Value()) && (!own.Background || key != "background") {
				return nil, noBackground(key)
			}
		case extraBody:
			if err := checkExtra(key, &r, oneModel); err != nil {
				return nil, err
			}
		case further:
			if oneModel && jsonr.Asks(r.Value()) {
				return nil, another(key)
			}
		case tools, input, messages:
			if oneModel {
				if found := modelWithin(&r, toTools[m], own.Advisor && m == tools); found != "" {
					return nil, another(key + found)
				}
			}
		}
	}
	return append(counted, '}'), nil
}

// checkQuery rejects a query with a parameter that chooses a model or a stream. LiteLLM's proxy
// prefers ?model= to the body's model. checkQuery decodes names, as servers do.
func checkQuery(path string, oneModel bool) error {
	_, query, _ := strings.Cut(path, "?")
	for query != "" {
		end := strings.IndexAny(query, "&;")
		if end < 0 {
			end = len(query)
		}
		written, _, _ := strings.Cut(query[:end], "=")
		query = query[min(end+1, len(query)):]
		name, ok := decoded(written)
		if !ok {
			return invalid(written,
				"is a parameter name in the URL's query that can't be decoded. Write % as %25.")
		}
		switch m := memberOf(name); m {
		case further:
			if !oneModel {
				continue
			}
		case model, stream, streamOptions, includeUsage, tools:
		default:
			continue
		}
		return invalid(written, "is in the URL's query, but this endpoint accepts parameters that "+
			"choose a model or a stream only in the body.")
	}
	return nil
}

// decoded returns a percent-decoded parameter name. ok is false if a % does not begin an escape.
func decoded(name string) (text string, ok bool) {
	if !strings.Contains(name, "%") {
		return name, true
	}
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '%' {
			n, err := strconv.ParseUint(name[i+1:min(i+3, len(name))], 16, 8)
			if err != nil || i+3 > len(name) {
				return "", false
			}
			c = byte(n)
			i += 2
		}
		out = append(out, c)
	}
	return string(out), true
}

// checkExtra checks the value of the member extra, the next value of r. LiteLLM merges its members
// into the body after checking the body's model (BerriAI/litellm#31118). Google's own member
// "google" is allowed.
func checkExtra(extra string, r *jsonr.Reader, oneModel bool) error {
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		switch m := memberOf(key); m {
		case model, stream, streamOptions:
			return repeated(extra+".", key, m)
		case background:
			if jsonr.Asks(r.Value()) {
				return noBackground(extra + "." + key)
			}
		case further, tools, input, messages, extraBody:
			if oneModel && jsonr.Asks(r.Value()) {
				return another(extra + "." + key)
			}
		}
	}
	return nil
}

// names reports whether value is the model's name, possibly with its kind, as in models/NAME.
func names(value ir.Raw, model string) bool {
	e, _ := jsonr.Text(value)
	text := jsonw.Unescape(e)
	return text == model || strings.HasSuffix(text, "/"+model)
}

// checkValue rejects a value of the member m that servers read differently.
func checkValue(m member, value ir.Raw, oneModel bool) error {
	if m == model {
		text, _ := jsonr.Text(value)
		// LiteLLM's proxy sends "a,b" to both models.
		if jsonr.KindOf(value) == jsonr.Array || oneModel && strings.Contains(jsonw.Unescape(text), ",") {
			return severalModels()
		}
	}
	if m != streamOptions {
		return nil
	}
	seen := false
	r := jsonr.NewReader(string(value))
	for r.OpenObject(); r.Member(); {
		if key := r.Key(); memberOf(key) == includeUsage {
			if seen || key != exact[includeUsage] {
				return repeated("stream_options.", key, includeUsage)
			}
			seen = true
		}
	}
	return nil
}

func severalModels() *ir.Error {
	return invalid("model", "is a list of models. Send one model.")
}

func repeated(before, key string, m member) *ir.Error {
	return invalid(before+key, `must appear only once in a request, spelled "`+exact[m]+
		`": servers differ in which of several they use.`)
}

func another(path string) *ir.Error {
	return invalid(path,
		`may name a different model than "model", and this endpoint limits its models or their cost. `+
			`Send one model.`)
}

// noBackground has the same message as the decoder of Responses, which rejects translated requests
// in the background.
func noBackground(path string) *ir.Error {
	err := invalid(path,
		"Background responses are not supported here: send the request without 'background'.")
	err.Code = "invalid_value"
	return err
}

// invalid returns an error about a path from the client. The message contains the first 64 bytes of
// the path.
func invalid(path, problem string) *ir.Error {
	if len(path) > 64 {
		path = string(Valid([]byte(path[:64])))
	}
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: problem}
}
