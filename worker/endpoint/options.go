package endpoint

import (
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"edgelingua/translator/ir"
	"edgelingua/translator/policy"
)

// option is one key of OPTIONS or UPSTREAM_OPTIONS.
type option struct {
	name string
	// the words that it takes, separated by |, the default first where there is one; "": the
	// function below checks the value
	values string
	// One of these sets what the option is about. must says in words what a valid value is, where v
	// is none, else it is ""; at is the path of the mistake inside v.
	target   func(t *ir.Target, v gjson.Result) (must string)
	policy   func(p *policy.Policy, v gjson.Result) (at, must string)
	flag     func(p *policy.Policy) *bool // any of values but the first sets the flag
	state    func(s *State, v gjson.Result) (must string)
	upstream func(u *Upstream, v gjson.Result) (must string)
	endpoint func(e *Endpoint, v gjson.Result) (at, must string)
}

// options returns the keys of OPTIONS: what an endpoint does to requests, whatever its upstream.
// The comment above each is copied into docs/settings.md (wasmtest/readme).
func options() []option {
	return []option{
		// what the upstream can't be told of content, tools and tool choices: `refuse` the request,
		// or `report` it. Unset, it is reported, but a request of which no tool is left, or not the
		// one that it demands, is refused
		{name: "lossy", values: "report|refuse", target: func(t *ir.Target, v gjson.Result) string {
			t.RefuseLossy, t.ReportLossy = v.Str == "refuse", v.Str == "report"
			return ""
		}},
		// `shrink` the lists `required` of tools' schemas: a parameter with a default, that may be
		// null, is a boolean, or that its description calls optional goes. A tool that this changes
		// is not strict
		{name: "required", values: "keep|shrink",
			flag: func(p *policy.Policy) *bool { return &p.ShrinkRequired }},
		// `off`: tools and the answer's format are not strict
		{name: "strict", values: "keep|off", flag: func(p *policy.Policy) *bool { return &p.NoStrict }},
		// `strip` the `format` of strings from schemas, but for those of OpenAI's strict modes:
		// `date-time`, `time`, `date`, `duration`, `email`, `hostname`, `ipv4`, `ipv6`, `uuid`
		{name: "formats", values: "keep|strip",
			flag: func(p *policy.Policy) *bool { return &p.StripFormats }},
		// `always`: a client of Messages reads how the model thinks also where it has not asked for
		// that by `thinking`
		{name: "thinking", values: "asked|always", target: func(t *ir.Target, v gjson.Result) string {
			t.ShowThoughts = v.Str == "always"
			return ""
		}},
		// `prefixed`: the client sees ids of calls as its vendor makes them, `toolu_…` or `call_…`;
		// what it sends back is the upstream's own again
		{name: "tool_ids", values: "verbatim|prefixed",
			flag: func(p *policy.Policy) *bool { return &p.PrefixIDs }},
		// other names for tools and their top-level parameters:
		// `{"Bash":{"name":"shell","params":{"command":"cmd"}}}`. The client sees its own
		{name: "tool_map", policy: readToolMap},
		// a list of tools that the model does not get. Where their names stand in system prompts
		// and the descriptions of other tools and of parameters it reads `[unavailable]`; a
		// `tool_choice` of one becomes `auto`
		{name: "drop_tools", policy: readDropTools},
		// what the model reads of the descriptions of tools, and of those in their schemas: the
		// `first_sentence`, at most so many characters (`{"max":200}`), or all (`keep`), also of
		// [single tools](#short-descriptions-of-tools)
		{name: "tool_descriptions", policy: readDescriptions},
		// a text behind the system prompt of every request
		{name: "guidance", policy: readGuidance},
		// `report` the third same call in a row, with the same arguments: the response header
		// `x-edgelingua-loop` names the tool
		{name: "loop_guard", values: "off|report",
			flag: func(p *policy.Policy) *bool { return &p.LoopGuard }},
		// what Anthropic, also behind OpenRouter, may keep of a prompt: breakpoints as the client
		// sets them and, for one of OpenAI's that sets none, on the last tool, the system prompt
		// and the last two turns (`auto`); the client's only (`keep`); none (`off`). What is kept
		// costs a quarter more the first time, and a tenth after that
		{name: "cache_control", values: "auto|off|keep", policy: readNoCaching, target: func(t *ir.Target,
			v gjson.Result) string {
			if v.Str == "keep" && t.Caching == ir.AutoCaching {
				t.Caching = ir.FullCaching
			}
			return ""
		}},
		// `on`: a Chat upstream gets `functions` and `function_call` in place of `tools`, one call
		// at a time
		{name: "legacy_functions", values: "off|on",
			flag: func(p *policy.Policy) *bool { return &p.LegacyFunctions }},
		// `on`: responses are [stored](state.md#stored-responses)
		{name: "store", values: "off|on", state: func(s *State, v gjson.Result) string {
			s.Responses = v.Str == "on"
			return ""
		}},
		// for how many seconds, from 60 to 31536000; 2592000, which is 30 days
		{name: "store_ttl", state: func(s *State, v gjson.Result) string {
			if !within(v, minTTL, maxTTL) {
				return "a whole number of seconds from 60 to 31536000, which is a year"
			}
			s.TTL = int64(v.Num)
			return ""
		}},
		// how many bytes the endpoint's stored responses may count together, from 1 to 10737418240;
		// 104857600, which is 100 MB. Each counts 1,024 more than it has
		{name: "store_bytes", state: func(s *State, v gjson.Result) string {
			if !within(v, 1, maxStored) {
				return "a whole number of bytes from 1 to 10737418240, which is 10 GB"
			}
			s.Bytes = int64(v.Num)
			return ""
		}},
		// `on`: a response that calls functions [waits for their
		// outputs](state.md#outputs-of-tools-submitted). It needs `store`
		{name: "required_action", values: "off|on", state: func(s *State, v gjson.Result) string {
			s.RequiredAction = v.Str == "on"
			return ""
		}},
		// where searches go that a client asks for and the upstream can't run,
		// [here](websearch.md): `{"provider":"brave"}`, or `tavily`, `exa`, or `searxng` with its
		// `url`; `max_uses` searches for one answer, 5 unless it says another number up to 20. The
		// key is the secret `SEARCH_KEY`; in a personal endpoint it is `key`
		{name: "web_search", endpoint: readWebSearch},
		// pages that a client of Messages asks for and the upstream can't fetch are [fetched
		// here](websearch.md#pages): `{"max_uses":5}` pages for one answer, at most 20
		{name: "web_fetch", endpoint: readWebFetch},
	}
}

// upstreamOptions returns the keys of UPSTREAM_OPTIONS: what the upstream accepts. The comment
// above each is copied into docs/upstreams.md (wasmtest/readme).
func upstreamOptions() []option {
	return []option{
		// the most tokens that may be asked for: a client's larger limit is cut down to it
		{name: "max_output_tokens", target: func(t *ir.Target, v gjson.Result) string {
			if !within(v, 1, 1e9) {
				return "a whole number of tokens, 1 or more"
			}
			t.MaxOutputTokens = int64(v.Num)
			return ""
		}},
		// what the limit is called in Chat Completions: `max_tokens` or `max_completion_tokens`
		{name: "token_param", values: "max_tokens|max_completion_tokens", target: func(t *ir.Target,
			v gjson.Result) string {
			t.MaxCompletionTokens = v.Str == "max_completion_tokens"
			return ""
		}},
		// the reasoning efforts that it takes, a list, or `"none"`: it is never told one
		{name: "effort", target: readEfforts},
		// how it is told not to think in Chat Completions: by an effort of `none`, where `effort`
		// has that (`effort`), by `"thinking":{"type":"disabled"}` (`thinking`), by
		// `enable_thinking`, or by `chat_template_kwargs`, as vLLM, SGLang and llama.cpp want it
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
		// where it wants the reasoning of earlier turns in Chat Completions: `none`,
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
		// `on`: its text begins with reasoning in `<think>` or `<reasoning>` tags
		{name: "think_tags", values: "off|on", target: func(t *ir.Target, v gjson.Result) string {
			t.ThinkTags = v.Str == "on"
			return ""
		}},
		// `on`: tool calls that stand in its text become calls. Only for a server that leaves them
		// there: see [below](#tool-calls-in-the-text)
		{name: "text_calls", values: "off|on", target: func(t *ir.Target, v gjson.Result) string {
			t.TextCalls = v.Str == "on"
			return ""
		}},
		// images in tool results go into a `user_turn` behind them, into the result (`native`), or
		// are refused (`refuse`)
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
		// tools' schemas go as they are (`verbatim`), or cut down to what strict modes take
		// (`strict-subset`)
		{name: "schema", values: "verbatim|strict-subset", target: func(t *ir.Target, v gjson.Result) string {
			t.StrictSubset = v.Str == "strict-subset"
			t.PlainRoot = t.StrictSubset
			return ""
		}},
		// how it answers in a format that it can't be asked for, as `json_object` at Anthropic or a
		// schema at DeepSeek: a forced `tool` whose arguments become the text of the answer, and
		// where there are other tools or the model reasons, as with `instruct`; an instruction
		// behind the system prompt, and code fences around the answer are taken away (`instruct`);
		// not at all (`off`). Without this option Claude is asked by tool, others by instruction
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
		// `send` or `omit` `top_k`, which vLLM, SGLang, llama.cpp and LM Studio take
		{name: "top_k", values: "omit|send", target: func(t *ir.Target, v gjson.Result) string {
			t.TopK = v.Str == "send"
			return ""
		}},
		// `ask` for usage in streams, or `omit` that
		{name: "stream_usage", values: "ask|omit", target: func(t *ir.Target, v gjson.Result) string {
			t.OmitStreamUsage = v.Str == "omit"
			return ""
		}},
		// the header that its key goes into: `authorization` as a bearer token (`bearer`),
		// `x-api-key` or `api-key`. Without this option it is what its protocol says, and `api-key`
		// at Azure's `/openai/deployments/`
		{name: "auth", values: "bearer|x-api-key|api-key", upstream: func(u *Upstream,
			v gjson.Result) string {
			u.auth = v.Str
			return ""
		}},
		// an object of headers for every request, in ASCII. Where the upstream repeats a value of
		// 16 bytes or more in an error, as it may the key, the client reads `[key]`
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
		if oneOf("accept-encoding|authorization|connection|content-length|content-type|host|transfer-encoding|x-api-key", name) {
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

// readOptions reads an object of options. A key that is no option is an error with its path.
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

// readOptions reads an object of upstreamOptions. A key that is no option is an error with its path.
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

// readEach reads each member of v, which has to be an option of table, by the function: must says
// in words what a valid value is, where the value is none, else it is ""; at is the path of the
// mistake inside the value.
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
		return &Error{path, "is not an option. The options are " + strings.Join(names, ", ") + "."}
	}
	if o.values != "" && (value.Type != gjson.String || !oneOf(o.values, value.Str)) {
		return &Error{path, "must be one of " + quotedList(o.values) + "."}
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

// Override changes what is known of the upstream, t, to what the options of the endpoint and of the
// upstream say.
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

// oneOf reports whether word is one of words, which are separated by |.
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

// isHeaderValue reports whether a value has only characters that both hosts send as they are. What
// is not ASCII, workerd and Go's net/http encode in different ways.
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
