package translator

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
)

// Single reads a client's request, whose body may be anything and whose path has its query, for an endpoint that limits or counts what its
// clients ask for. It returns an error unless all servers read the same model, and the same wish for a stream, out of the request. They
// differ where a member is repeated or its name is spelt in another case: most take the last "model", but Go's encoding/json, and so
// Ollama, takes the last one in any case, by Unicode's simple folding. A response in the background is refused too: it is answered
// before it is there, so that nothing of it could be counted. With oneModel Single also returns an error where the request names models
// beside "model".
//
// Where the client's API has the model in its path, a body may name no other one.
//
// said is a JSON object of those members of body that count, as they are written there. Model and Streams return for it what they return
// for body, without reading the rest once more.
//
//go:noinline
func Single(client *ir.API, path string, body []byte, oneModel bool) (said []byte, err *ir.Error) {
	s, err := checked(body)
	if err == nil {
		err = checkQuery(path, oneModel)
	}
	if err != nil {
		return nil, err
	}
	inPath := client.Client.Model(path, "{}")
	if oneModel && strings.Contains(inPath, ",") {
		return nil, severalModels()
	}
	said = append(said, '{')
	var seen [len(exact)]bool
	r := jsonr.NewReader(s)
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
			if m == model && inPath != "" && !names(value, inPath) {
				return nil, invalid("model", "is another one than the path names. Leave it out.")
			}
			if len(said) > 1 {
				said = append(said, ',')
			}
			said = append(jsonw.AppendString(said, key), ':')
			said = append(said, value...)
		case background:
			if jsonr.Asks(r.Value()) {
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
				if at := asksWithin(&r, toTools[m]); at != "" {
					return nil, another(key + at)
				}
			}
		}
	}
	return append(said, '}'), nil
}

// member is what the name of a member stands for.
type member uint8

const (
	other member = iota
	model
	stream
	streamOptions
	includeUsage // in stream_options
	further      // names models beside "model"
	tools        // a list of tools or plugins, some of which ask models
	input        // a list of items, some of which bring tools
	messages     // some of which define tools
	extraBody    // members that LiteLLM puts over those of the body
	background
)

// exact are the names of the members that a request may have once.
var exact = [...]string{model: "model", stream: "stream", streamOptions: "stream_options", includeUsage: "include_usage"}

// memberOf returns what a member is whose name, in any case, is key.
func memberOf(key string) member {
	name := fold(key)
	switch name {
	case "model":
		return model
	case "stream":
		return stream
	case "streamoptions":
		return streamOptions
	case "includeusage":
		return includeUsage
	case "tools", "plugins":
		return tools
	case "input":
		return input
	case "messages":
		return messages
	case "extrabody":
		return extraBody
	case "background":
		return background
	// OpenRouter chooses further models by itself for "route":"fallback", and a preset has models of its own. LiteLLM takes a whole
	// configuration of models as user_config, fallbacks in router_settings_override, and deployment_id in place of "model". OpenAI's
	// client below 1.0, to which proxies give a whole body, puts deployment_id or engine into the path of Azure. Vercel's gateway has a
	// list of models in providerOptions, orq.ai one in orq.
	case "route", "preset", "userconfig", "routersettingsoverride", "deploymentid", "engine", "provideroptions", "orq":
		return further
	}
	// OpenRouter and Vercel have models; Anthropic, LiteLLM and Eden AI fallbacks; LiteLLM also context_window_fallbacks and model_list; LM
	// Studio draft_model. None of these APIs has such a name for anything else.
	if strings.Contains(name, "model") || strings.Contains(name, "fallback") {
		return further
	}
	return other
}

// fold returns key in lower case by Unicode's simple folding, as far as that leads to ASCII, and without "_" and "-", which Go's
// encoding/json/v2 passes over where it takes any case. For a key that is longer than any name that counts it returns "".
func fold(key string) string {
	var name [48]byte
	n := 0
	for _, c := range key {
		switch {
		case c == '_' || c == '-':
			continue
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '\u017f': // long s
			c = 's'
		case c == '\u212a': // Kelvin sign
			c = 'k'
		case c >= utf8.RuneSelf:
			c = '?'
		}
		if n == len(name) {
			return ""
		}
		name[n] = byte(c)
		n++
	}
	return string(name[:n])
}

// checkQuery returns an error where the query of a path has a parameter that counts: LiteLLM's proxy takes ?model= before the body's. A
// name is judged as the server reads it, decoded.
func checkQuery(path string, oneModel bool) *ir.Error {
	_, query, _ := strings.Cut(path, "?")
	for query != "" {
		at := strings.IndexAny(query, "&;")
		if at < 0 {
			at = len(query)
		}
		written, _, _ := strings.Cut(query[:at], "=")
		query = query[min(at+1, len(query)):]
		name, ok := decoded(written)
		if !ok {
			return invalid(written, "is a name in the URL's query that can't be decoded. Write a % as %25.")
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
		return invalid(written, "is in the URL's query, where this endpoint takes nothing that chooses a model or a stream. Put it into the body.")
	}
	return nil
}

// decoded returns the name of a parameter as servers read it, and false where a % does not begin an escape.
func decoded(name string) (string, bool) {
	if !strings.Contains(name, "%") {
		return name, true
	}
	text := make([]byte, 0, len(name))
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
		text = append(text, c)
	}
	return string(text), true
}

// checkExtra returns an error where the object that r stands before, the value of the member extra, has a member that counts: LiteLLM
// puts them over those of the body after it has checked its model (BerriAI/litellm#31118). Google's own, "google", passes.
func checkExtra(extra string, r *jsonr.Reader, oneModel bool) *ir.Error {
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

func severalModels() *ir.Error {
	return invalid("model", "is a list of models. Send one model.")
}

// names reports whether a member of a body says a model's name, which may have its kind in front, as in models/NAME.
func names(value ir.Raw, model string) bool {
	e, _ := jsonr.Text(value)
	text := jsonw.Unescape(e)
	return text == model || strings.HasSuffix(text, "/"+model)
}

// checkValue returns an error where servers differ in what they read out of the value of a member that counts.
func checkValue(m member, value ir.Raw, oneModel bool) *ir.Error {
	if m == model {
		text, _ := jsonr.Text(value)
		// LiteLLM's proxy asks both models for "a,b".
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

// toTools are the steps from the value of a member to each tool in it: "[]" is any element of a list, a name the member of that name.
var toTools = [...][]string{
	tools:    {"[]"},
	input:    {"[]", "tools", "[]"},                         // OpenAI's additional_tools, and what a tool_search_output brings
	messages: {"[]", "content", "[]", "tool", "definition"}, // Anthropic's tool_addition
}

// asksWithin takes the value that r stands before, and returns the path below it of a member by which a tool asks a model, "" where none
// does. steps lead to the tools.
func asksWithin(r *jsonr.Reader, steps []string) string {
	if len(steps) == 0 {
		return asks(r, true)
	}
	if steps[0] == "[]" {
		n := 0
		for r.OpenArray(); r.Element(); n++ {
			if at := asksWithin(r, steps[1:]); at != "" {
				return "[" + strconv.Itoa(n) + "]" + at
			}
		}
		return ""
	}
	for r.OpenObject(); r.Member(); {
		if key := r.Key(); fold(key) == steps[0] {
			if at := asksWithin(r, steps[1:]); at != "" {
				return "." + key + at
			}
		}
	}
	return ""
}

// asks does what asksWithin does for one tool. Anthropic's advisor and OpenAI's image_generation have a "model"; OpenRouter's tools and
// plugins have models in themselves or in their parameters, and its fusion, advisor and subagent ask models also where they name none.
// With outer the tool may be OpenAI's namespace, which has tools of its own, but no namespace.
func asks(r *jsonr.Reader, outer bool) string {
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		if outer && memberOf(key) == tools {
			n := 0
			for r.OpenArray(); r.Element(); n++ {
				if at := asks(r, false); at != "" {
					return "." + key + "[" + strconv.Itoa(n) + "]" + at
				}
			}
			continue
		}
		value := r.Value()
		found := namesModel(key, value)
		switch key {
		case "parameters": // those of a function are a schema, which has its properties one level deeper
			p := jsonr.NewReader(string(value))
			for p.OpenObject(); p.Member(); {
				found = namesModel(p.Key(), p.Value()) || found
			}
		case "type", "id":
			text, _ := jsonr.Text(value)
			switch strings.TrimPrefix(jsonw.Unescape(text), "openrouter:") {
			case "fusion", "advisor", "subagent":
				found = true
			}
		}
		if found {
			return "." + key
		}
	}
	return ""
}

// namesModel reports whether a member of a tool, or of its parameters, names a model.
func namesModel(key string, value ir.Raw) bool {
	m := memberOf(key)
	return (m == model || m == further) && jsonr.Asks(value)
}

func repeated(before, key string, m member) *ir.Error {
	return invalid(before+key, `must stand in a request once, and be spelt "`+exact[m]+`": servers differ in which of several they take.`)
}

func another(path string) *ir.Error {
	return invalid(path, `may name another model than "model", and this endpoint limits its models. Send one model.`)
}

// noBackground says what the decoder of OpenAI's Responses says where requests are translated.
func noBackground(path string) *ir.Error {
	err := invalid(path, "Background responses are not supported here: send the request without 'background'.")
	err.Code = "invalid_value"
	return err
}

// invalid returns an error about a path that the client has written, of which it shows 64 bytes.
func invalid(path, problem string) *ir.Error {
	if len(path) > 64 {
		path = string(Valid([]byte(path[:64])))
	}
	return &ir.Error{Kind: ir.InvalidRequest, Path: path, Message: problem}
}
