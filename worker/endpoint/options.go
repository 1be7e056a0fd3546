package endpoint

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// option is one key of OPTIONS or UPSTREAM_OPTIONS.
type option struct {
	name   string
	values string // the words it takes, separated by |, the default first; "": read checks by itself
	// read takes the value over; it returns what the value must be if it is not that. nil: only the default works so far.
	read func(e *Endpoint, v gjson.Result) (must string)
}

// options are the keys of OPTIONS: what an endpoint does to requests, whatever its upstream.
func options() []option {
	return []option{
		{"lossy", "report|refuse", func(e *Endpoint, v gjson.Result) string {
			e.Target.RefuseLossy = v.Str == "refuse"
			return ""
		}},
		{"required", "keep|shrink", nil},
		{"strict", "keep|off", nil},
		{"formats", "keep|strip", nil},
		{"tool_ids", "verbatim|prefixed", nil},
		{"tool_map", "", nil},
		{"drop_tools", "", nil},
		{"guidance", "", nil},
		{"loop_guard", "off|report", nil},
		{"cache_control", "auto|off|keep", nil},
		{"legacy_functions", "off|on", nil},
		{"store", "off|on", nil},
		{"store_ttl", "", nil},
		{"required_action", "off|on", nil},
	}
}

// upstreamOptions are the keys of UPSTREAM_OPTIONS: what the upstream accepts.
func upstreamOptions() []option {
	return []option{
		{"max_output_tokens", "", func(e *Endpoint, v gjson.Result) string {
			if v.Type != gjson.Number || v.Num < 1 || v.Num > 1e9 || v.Num != float64(int64(v.Num)) {
				return "a whole number of tokens, 1 or more"
			}
			e.Target.MaxOutputTokens = int64(v.Num)
			return ""
		}},
		{"token_param", "max_tokens|max_completion_tokens", func(e *Endpoint, v gjson.Result) string {
			e.Target.MaxCompletionTokens = v.Str == "max_completion_tokens"
			return ""
		}},
		{"effort", "", readEfforts},
		{"reasoning_echo", "none|reasoning_content|reasoning_details", nil},
		{"think_tags", "off|on", nil},
		{"tool_result_images", "user_turn|native|refuse", nil},
		{"schema", "verbatim|strict-subset", nil},
		{"parallel_flag", "omit|send", func(e *Endpoint, v gjson.Result) string {
			e.Target.ParallelFlag = v.Str == "send"
			return ""
		}},
		{"stream_usage", "ask|omit", func(e *Endpoint, v gjson.Result) string {
			e.Target.OmitStreamUsage = v.Str == "omit"
			return ""
		}},
		{"headers", "", readHeaders},
	}
}

func readEfforts(e *Endpoint, v gjson.Result) string {
	const must = "\"none\" or a list of the efforts that the upstream takes, as [\"low\",\"medium\",\"high\"]"
	if v.Type == gjson.String && v.Str == "none" {
		e.Target.Efforts = nil
		return ""
	}
	if !v.IsArray() {
		return must
	}
	for _, effort := range v.Array() {
		switch {
		case effort.Type != gjson.String:
			return must
		case !oneOf("none|minimal|low|medium|high|xhigh|max", effort.Str):
			return must + "; the efforts are none, minimal, low, medium, high, xhigh and max"
		}
		e.Target.Efforts = append(e.Target.Efforts, effort.Str)
	}
	return ""
}

func readHeaders(e *Endpoint, v gjson.Result) string {
	const must = "an object of header names and their values, as {\"x-title\":\"edgelingua\"}"
	if !v.IsObject() {
		return must
	}
	wrong := ""
	v.ForEach(func(key, value gjson.Result) bool {
		name := strings.ToLower(key.Str)
		if value.Type != gjson.String || !isHeaderName(name) || strings.ContainsAny(value.Str, "\r\n\x00") {
			wrong = must
		}
		if oneOf("accept-encoding|authorization|connection|content-length|content-type|host|transfer-encoding|x-api-key", name) {
			wrong = "free of " + name + ", which edgelingua sets itself (the key is the secret UPSTREAM_KEY)"
		}
		for _, h := range e.Headers {
			if h.Name == name {
				wrong = "free of a second " + name
			}
		}
		e.Headers = append(e.Headers, Header{name, value.Str})
		return wrong == ""
	})
	return wrong
}

// readOptions reads the JSON object in a setting into e. An unknown key is an error with its path.
func readOptions(e *Endpoint, setting, text string, known func() []option) *Error {
	object, err := parseObject(setting, text)
	if err != nil {
		return err
	}
	table := known()
	object.ForEach(func(key, value gjson.Result) bool {
		err = readOption(e, setting+"."+key.Str, key.Str, value, table)
		return err == nil
	})
	return err
}

func readOption(e *Endpoint, path, name string, value gjson.Result, table []option) *Error {
	for _, o := range table {
		if o.name != name {
			continue
		}
		if o.values != "" && (value.Type != gjson.String || !oneOf(o.values, value.Str)) {
			return &Error{path, "must be one of " + quotedList(o.values) + "."}
		}
		if o.read == nil {
			if first, _, _ := strings.Cut(o.values, "|"); o.values != "" && value.Str == first {
				return nil
			}
			return &Error{path, "is not supported by this version. Leave it out."}
		}
		if must := o.read(e, value); must != "" {
			return &Error{path, "must be " + must + "."}
		}
		return nil
	}
	names := make([]string, len(table))
	for i, o := range table {
		names[i] = o.name
	}
	return &Error{path, "is not an option. The options are " + strings.Join(names, ", ") + "."}
}

// oneOf says whether word is one of words, which | separates.
func oneOf(words, word string) bool {
	for words != "" {
		first, rest, _ := strings.Cut(words, "|")
		if first == word {
			return true
		}
		words = rest
	}
	return false
}

func quotedList(words string) string {
	list := strings.Split(words, "|")
	for i, w := range list {
		list[i] = strconv.Quote(w)
	}
	return strings.Join(list, ", ")
}

func isHeaderName(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
			return false
		}
	}
	return name != ""
}
