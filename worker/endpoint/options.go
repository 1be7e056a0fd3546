package endpoint

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
)

// option is a key of OPTIONS or UPSTREAM_OPTIONS.
type option struct {
	name string
	// allowed words, separated by |, the default first if there is one; "": the function below
	// checks the value
	values string
	// One of these functions applies the option. If v is invalid, must describes a valid value, and
	// at is the path of the mistake inside v. Otherwise must is "".
	target   func(t *ir.Target, v gjson.Result) (must string)
	policy   func(p *policy.Policy, v gjson.Result) (at, must string)
	flag     func(p *policy.Policy) *bool // any of values except the first sets the flag
	state    func(s *State, v gjson.Result) (must string)
	upstream func(u *Upstream, v gjson.Result) (must string)
	endpoint func(e *Endpoint, v gjson.Result) (at, must string)
}

// options returns the keys of OPTIONS: an endpoint's handling of requests, whatever the upstream.
// The comment above each is copied into docs/settings.md (wasmtest/readme).
func options() []option {
	return []option{
		// content, tools and tool choices that the upstream does not support: `refuse` the request,
		// or `report` the loss. By default the loss is reported, but a request that loses all of
		// its tools, or a demanded tool, is refused
		{name: "lossy", values: "report|refuse", target: func(t *ir.Target, v gjson.Result) string {
			t.RefuseLossy, t.ReportLossy = v.Str == "refuse", v.Str == "report"
			return ""
		}},
		// `shrink` the lists `required` in the schemas of tools: a parameter is removed from the
		// list if it has a default, may be null, is a boolean, or is called optional in its
		// description. A changed tool is not strict
		{name: "required", values: "keep|shrink",
			flag: func(p *policy.Policy) *bool { return &p.ShrinkRequired }},
		// `off`: tools and the answer's format are not strict
		{name: "strict", values: "keep|off", flag: func(p *policy.Policy) *bool { return &p.NoStrict }},
		// `strip` the `format` of strings from schemas, except the formats of OpenAI's strict
		// modes: `date-time`, `time`, `date`, `duration`, `email`, `hostname`, `ipv4`, `ipv6`,
		// `uuid`
		{name: "formats", values: "keep|strip",
			flag: func(p *policy.Policy) *bool { return &p.StripFormats }},
		// `always`: a Messages client gets the model's reasoning even without `thinking` in the
		// request
		{name: "thinking", values: "asked|always", target: func(t *ir.Target, v gjson.Result) string {
			t.ShowThoughts = v.Str == "always"
			return ""
		}},
		// `prefixed`: the client sees ids of tool calls in its vendor's form, `toolu_…` or
		// `call_…`. Ids that the client sends back become the upstream's own again
		{name: "tool_ids", values: "verbatim|prefixed",
			flag: func(p *policy.Policy) *bool { return &p.PrefixIDs }},
		// aliases for tools and their top-level parameters at the upstream:
		// `{"Bash":{"name":"shell","params":{"command":"cmd"}}}`. The client sees its own names
		{name: "tool_map", policy: readToolMap},
		// a list of tools to remove from requests. In system prompts and in the descriptions of
		// other tools and of parameters, `[unavailable]` replaces their names. A `tool_choice` of a
		// removed tool becomes `auto`
		{name: "drop_tools", policy: readDropTools},
		// how much of the descriptions of tools, and of the descriptions in their schemas, the
		// model gets: the `first_sentence`, a number of characters at most (`{"max":200}`), or all
		// (`keep`). It can also be set for [single tools](#short-descriptions-of-tools)
		{name: "tool_descriptions", policy: readDescriptions},
		// a text appended to the system prompt of every request
		{name: "guidance", policy: readGuidance},
		// `report` the third identical tool call in a row, with the same arguments: the response
		// header `x-edgelingua-loop` names the tool
		{name: "loop_guard", values: "off|report",
			flag: func(p *policy.Policy) *bool { return &p.LoopGuard }},
		// prompt caching at Anthropic, also through OpenRouter. `auto`: the client's breakpoints;
		// for an OpenAI client without breakpoints, breakpoints on the last tool, the system prompt
		// and the last two turns. `keep`: only the client's breakpoints. `off`: no caching. A
		// cached prompt costs a quarter more the first time, and a tenth after that
		{name: "cache_control", values: "auto|off|keep", policy: readNoCaching, target: func(t *ir.Target,
			v gjson.Result) string {
			if v.Str == "keep" && t.Caching == ir.AutoCaching {
				t.Caching = ir.FullCaching
			}
			return ""
		}},
		// `on`: a Chat upstream gets `functions` and `function_call` instead of `tools`, one call
		// at a time
		{name: "legacy_functions", values: "off|on",
			flag: func(p *policy.Policy) *bool { return &p.LegacyFunctions }},
		// `on`: responses are [stored](state.md#stored-responses)
		{name: "store", values: "off|on", state: func(s *State, v gjson.Result) string {
			s.Responses = v.Str == "on"
			return ""
		}},
		// seconds until a stored response expires, from 60 to 31536000 (default 2592000, 30 days)
		{name: "store_ttl", state: func(s *State, v gjson.Result) string {
			if !within(v, minTTL, maxTTL) {
				return "a whole number of seconds from 60 to 31536000, which is a year"
			}
			s.TTL = int64(v.Num)
			return ""
		}},
		// the most bytes of all stored responses of the endpoint together, from 1 to 10737418240
		// (default 104857600, 100 MB). Each response counts 1,024 bytes more than its size
		{name: "store_bytes", state: func(s *State, v gjson.Result) string {
			if !within(v, 1, maxStored) {
				return "a whole number of bytes from 1 to 10737418240, which is 10 GB"
			}
			s.Bytes = int64(v.Num)
			return ""
		}},
		// `on`: a response with function calls [waits for their
		// outputs](state.md#outputs-of-tools-submitted). Needs `store`
		{name: "required_action", values: "off|on", state: func(s *State, v gjson.Result) string {
			s.RequiredAction = v.Str == "on"
			return ""
		}},
		// the provider of [web searches](websearch.md) for clients whose upstream can't search:
		// `{"provider":"brave"}`, or `tavily`, `exa`, or `searxng` with its `url`. `max_uses` is
		// the most searches for an answer (default 5, at most 20), `price` the US dollars for a
		// thousand. The key is the secret `SEARCH_KEY`; in a personal endpoint it is the member `key`
		{name: "web_search", endpoint: readWebSearch},
		// `{"max_uses":5}`: the worker [fetches webpages](websearch.md#pages) for Messages clients
		// whose upstream can't fetch. `max_uses` is the most webpages for an answer (at most 20)
		{name: "web_fetch", endpoint: readWebFetch},
		// `{"model":"NAME/MODEL"}`: the endpoint's model, as clients name it, for Messages'
		// [advisor](websearch.md#advisor). `max_uses` (default 3, at most 20) is per answer,
		// `max_tokens` (default 4096, at most 32768) per advice
		{name: "advisor", endpoint: readAdvisor},
	}
}

// upstreamOptions returns the keys of UPSTREAM_OPTIONS: what the upstream accepts. The comment
// above each is copied into docs/upstreams.md (wasmtest/readme).
func upstreamOptions() []option {
	return []option{
		// the upstream's highest token limit: a client's larger limit is reduced to it
		{name: "max_output_tokens", target: func(t *ir.Target, v gjson.Result) string {
			if !within(v, 1, 1e9) {
				return "a whole number of tokens, 1 or more"
			}
			t.MaxOutputTokens = int64(v.Num)
			return ""
		}},
		// the name of the token limit in Chat Completions: `max_tokens` or `max_completion_tokens`
		{name: "token_param", values: "max_tokens|max_completion_tokens", target: func(t *ir.Target,
			v gjson.Result) string {
			t.MaxCompletionTokens = v.Str == "max_completion_tokens"
			return ""
		}},
		// a list of the reasoning efforts that the upstream accepts, or `"none"`: no effort is ever
		// sent
		{name: "effort", target: readEfforts},
		// how reasoning is switched off in Chat Completions: by the effort `none`, if `effort` has
		// it (`effort`), by `"thinking":{"type":"disabled"}` (`thinking`), by `enable_thinking`, or
		// by `chat_template_kwargs`, as vLLM, SGLang and llama.cpp require
		{name: "thinking_off", values: "effort|thinking|enable_thinking|chat_template_kwargs",
			target: func(t *ir.Target, v gjson.Result) string {
				switch v.Str {
				case "effort":
					t.ThinkingSwitch = ir.EffortSwitch
				case "thinking":
					t.ThinkingSwitch = ir.ObjectSwitch
				case "enable_thinking":
					t.ThinkingSwitch = ir.FlagSwitch
				case "chat_template_kwargs":
					t.ThinkingSwitch = ir.TemplateSwitch
				}
				return ""
			}},
		// the field for the reasoning of earlier turns in Chat Completions: `none`,
		// `reasoning_content`, `reasoning`, `both` of these, `reasoning_details`, `extra_content`
		{name: "reasoning_echo",
			values: "none|reasoning_content|reasoning|both|reasoning_details|extra_content",
			target: func(t *ir.Target, v gjson.Result) string {
				switch v.Str {
				case "none":
					t.ReasoningEcho = ir.NoEcho
				case "reasoning_content":
					t.ReasoningEcho = ir.EchoContent
				case "reasoning":
					t.ReasoningEcho = ir.EchoReasoning
				case "both":
					t.ReasoningEcho = ir.EchoBoth
				case "reasoning_details":
					t.ReasoningEcho = ir.EchoDetails
				case "extra_content":
					t.ReasoningEcho = ir.EchoExtra
				}
				return ""
			}},
		// `on`: the text of an answer begins with reasoning in `<think>` or `<reasoning>` tags
		{name: "think_tags", values: "off|on", target: func(t *ir.Target, v gjson.Result) string {
			t.ThinkTags = v.Str == "on"
			return ""
		}},
		// `on`: tool calls in the text of an answer become calls. Only for servers that leave calls
		// in the text: see [below](#tool-calls-in-the-text)
		{name: "text_calls", values: "off|on", target: func(t *ir.Target, v gjson.Result) string {
			t.TextCalls = v.Str == "on"
			return ""
		}},
		// images in tool results go into a `user_turn` after the results, into the result
		// (`native`), or are refused (`refuse`)
		{name: "tool_result_images", values: "user_turn|native|refuse", target: func(t *ir.Target,
			v gjson.Result) string {
			switch v.Str {
			case "user_turn":
				t.ResultImages = ir.UserTurnImages
			case "native":
				t.ResultImages = ir.NativeImages
			case "refuse":
				t.ResultImages = ir.RefuseImages
			}
			return ""
		}},
		// schemas of tools are sent unchanged (`verbatim`), or reduced to the subset that strict
		// modes accept (`strict-subset`)
		{name: "schema", values: "verbatim|strict-subset", target: func(t *ir.Target, v gjson.Result) string {
			t.StrictSubset = v.Str == "strict-subset"
			t.PlainRoot = t.StrictSubset
			return ""
		}},
		// how a requested output format is produced if the upstream does not support the format,
		// such as `json_object` at Anthropic or a schema at DeepSeek. `tool`: by a forced tool,
		// whose arguments become the text of the answer; if there are other tools or the model
		// reasons, as with `instruct`. `instruct`: by an instruction after the system prompt, and
		// code fences around the answer are removed. `off`: not at all. By default `tool` for
		// Claude, and `instruct` for other models
		{name: "structured", values: "tool|instruct|off", target: func(t *ir.Target, v gjson.Result) string {
			switch v.Str {
			case "tool":
				t.Structured = ir.ByTool
			case "instruct":
				t.Structured = ir.ByInstruction
			case "off":
				t.Structured = ir.Unstructured
			}
			return ""
		}},
		// `send` or `omit` `parallel_tool_calls`
		{name: "parallel_flag", values: "omit|send", target: func(t *ir.Target, v gjson.Result) string {
			t.ParallelFlag = v.Str == "send"
			return ""
		}},
		// `send` or `omit` `top_k`; vLLM, SGLang, llama.cpp and LM Studio accept it
		{name: "top_k", values: "omit|send", target: func(t *ir.Target, v gjson.Result) string {
			t.TopK = v.Str == "send"
			return ""
		}},
		// `ask` for usage in streams, or `omit` the request for it
		{name: "stream_usage", values: "ask|omit", target: func(t *ir.Target, v gjson.Result) string {
			t.OmitStreamUsage = v.Str == "omit"
			return ""
		}},
		// the header for the key: `authorization` with a bearer token (`bearer`), `x-api-key` or
		// `api-key`. By default the header of the protocol, or `api-key` at Azure's
		// `/openai/deployments/`
		{name: "auth", values: "bearer|x-api-key|api-key", upstream: func(u *Upstream,
			v gjson.Result) string {
			u.auth = v.Str
			return ""
		}},
		// an object of headers for every request, in ASCII. If the upstream repeats a header's
		// value of 16 bytes or more in an error, the client sees `[key]` instead, as for the key
		{name: "headers", upstream: readHeaders},
	}
}

// within reports whether v is a whole number from least to most.
func within(v gjson.Result, least, most float64) bool {
	return v.Type == gjson.Number && v.Num >= least && v.Num <= most && v.Num == float64(int64(v.Num))
}

func readEfforts(t *ir.Target, v gjson.Result) string {
	const must = "\"none\" or a list of the efforts that the upstream takes, as [\"low\",\"medium\",\"high\"]"
	t.Efforts, t.NoToolEffort = nil, false
	if v.Type == gjson.String && v.Str == "none" {
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
		t.Efforts = append(t.Efforts, effort.Str)
	}
	return ""
}

func readHeaders(u *Upstream, v gjson.Result) string {
	const must = "an object of header names and their values in ASCII, as {\"x-title\":\"edgelingua\"}"
	if !v.IsObject() {
		return must
	}
	wrong := ""
	v.ForEach(func(key, value gjson.Result) bool {
		name := strings.ToLower(key.Str)
		if value.Type != gjson.String || !isHeaderName(name) || !isHeaderValue(value.Str) {
			wrong = must
		}
		if oneOf("accept-encoding|authorization|connection|content-length|content-type|host|"+
			"transfer-encoding|x-api-key", name) {
			wrong = "free of " + name + ", which edgelingua sets itself (the key has a setting of its own)"
		}
		for _, h := range u.Headers {
			if h.Name == name {
				wrong = "free of a second " + name
			}
		}
		u.Headers = append(u.Headers, Header{name, value.Str})
		return wrong == ""
	})
	return wrong
}

// readOptions reads an object of options. An unknown key is an error with its path.
func (e *Endpoint) readOptions(path string, v gjson.Result) *Error {
	e.options = v.Raw
	err := readEach(path, v, options(), func(o *option, value gjson.Result) (at, must string) {
		switch {
		case o.state != nil:
			return "", o.state(&e.State, value)
		case o.endpoint != nil:
			return o.endpoint(e, value)
		case o.flag != nil:
			first, _, _ := strings.Cut(o.values, "|")
			*o.flag(&e.Policy) = value.Str != first
			return "", ""
		case o.policy != nil:
			return o.policy(&e.Policy, value)
		}
		return "", o.target(&ir.Target{}, value)
	})
	if err == nil && e.State.RequiredAction && !e.State.Responses {
		return &Error{path + ".required_action",
			"needs \"store\":\"on\": what the model was asked has to be kept until the outputs come."}
	}
	return err
}

// readOptions reads an object of upstreamOptions. An unknown key is an error with its path.
func (u *Upstream) readOptions(path string, v gjson.Result) *Error {
	u.options = v.Raw
	var t ir.Target
	err := readEach(path, v, upstreamOptions(), func(o *option, value gjson.Result) (at, must string) {
		if o.upstream != nil {
			return "", o.upstream(u, value)
		}
		return "", o.target(&t, value)
	})
	u.textCalls = t.TextCalls
	return err
}

// readEach calls read for each member of v, which has to be an option of table. If a value is
// invalid, must describes a valid value, and at is the path of the mistake inside the value.
// Otherwise must is "".
func readEach(path string, v gjson.Result, table []option, read func(o *option,
	value gjson.Result) (at, must string)) (err *Error) {
	v.ForEach(func(key, value gjson.Result) bool {
		err = readOption(path+"."+key.Str, find(table, key.Str), value, table, read)
		return err == nil
	})
	return err
}

func readOption(path string, o *option, value gjson.Result, table []option, read func(o *option,
	value gjson.Result) (at, must string)) *Error {
	if o == nil {
		names := make([]string, len(table))
		for i := range table {
			names[i] = table[i].name
		}
		known := strings.Join(names, ", ")
		return &Error{path, "is not an option. The options are " + known + "." +
			ir.DidYouMean(path[strings.LastIndexByte(path, '.')+1:], known)}
	}
	if o.values != "" && (value.Type != gjson.String || !oneOf(o.values, value.Str)) {
		return notOneOf(path, value, o.values)
	}
	if at, must := read(o, value); must != "" {
		return &Error{path + at, "must be " + must + "."}
	}
	return nil
}

func find(table []option, name string) *option {
	for i := range table {
		if table[i].name == name {
			return &table[i]
		}
	}
	return nil
}

// Override changes t, the known facts about the upstream, by the options of the endpoint and of the
// upstream.
func (u *Upstream) Override(t *ir.Target) {
	override(t, u.Endpoint.options, options)
	override(t, u.options, upstreamOptions)
	t.LegacyFunctions = u.Endpoint.Policy.LegacyFunctions
	if u.Endpoint.Policy.NoCaching {
		t.Caching = ir.NoCaching
	}
}

func override(t *ir.Target, set string, known func() []option) {
	if set == "" {
		return
	}
	table := known()
	gjson.Parse(set).ForEach(func(key, value gjson.Result) bool {
		if o := find(table, key.Str); o.target != nil {
			o.target(t, value)
		}
		return true
	})
}

// oneOf reports whether words, separated by |, include word.
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

// isHeaderValue reports whether a value has only characters that both hosts send unchanged. workerd
// and Go's net/http encode non-ASCII characters differently.
func isHeaderValue(value string) bool {
	for i := 0; i < len(value); i++ {
		if c := value[i]; (c < ' ' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}

func isHeaderName(name string) bool {
	for i := 0; i < len(name); i++ {
		if c := name[i]; !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			c == '-' || c == '_') {
			return false
		}
	}
	return name != ""
}
