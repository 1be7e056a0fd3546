package passing

import (
	"strings"
	"unicode/utf8"
)

// member is the meaning of a member of a request.
type member uint8

const (
	other member = iota
	model
	stream
	streamOptions
	includeUsage // in stream_options
	further      // names models outside of "model"
	tools        // a list of tools or plugins, some of which call models
	input        // a list of items, some of which contain tools
	messages     // a list of messages, some of which define tools
	extraBody    // LiteLLM merges its members into the body
	background
)

// exact has the names of members that may occur once in a request.
var exact = [...]string{
	model: "model", stream: "stream", streamOptions: "stream_options", includeUsage: "include_usage",
}

// memberOf returns the meaning of a member by its name, in any letter case.
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
	// OpenRouter chooses further models itself for "route":"fallback", and a preset has its own
	// models. LiteLLM reads a whole configuration of models from user_config, fallbacks from
	// router_settings_override, and deployment_id instead of "model". OpenAI's client before 1.0
	// puts deployment_id or engine into Azure's path, and proxies pass a whole body to the client.
	// Vercel's gateway has a list of models in providerOptions, orq.ai has one in orq.
	case "route", "preset", "userconfig", "routersettingsoverride", "deploymentid", "engine",
		"provideroptions", "orq":
		return further
	}
	// OpenRouter and Vercel have models; Anthropic, LiteLLM and Eden AI have fallbacks; LiteLLM
	// also has context_window_fallbacks and model_list; LM Studio has draft_model. These APIs
	// use such names for nothing else.
	if strings.Contains(name, "model") || strings.Contains(name, "fallback") {
		return further
	}
	return other
}

// fold returns key in lower case, without "_" and "-". It uses Unicode's simple folding, but only
// to ASCII: any other character becomes "?". Go's encoding/json/v2 also ignores "_" and "-" when
// matching any letter case. A key longer than every known name becomes "".
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
