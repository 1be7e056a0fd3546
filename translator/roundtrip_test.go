package translator_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/schema"
	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/corpus"
)

var everyEffort = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}

// permissive has, for each protocol, an upstream that accepts everything the protocol can express.
var permissive = map[string]ir.Target{
	"anthropic": {Efforts: everyEffort, Thinking: ir.AdaptiveThinking, SystemTurns: true, ParallelFlag: true,
		WebSearch: true, ToolSearch: true, Strict: true, Caching: ir.FullCaching},
	"chat": {Efforts: everyEffort, OpenAI: true, WebSearch: true, ToolSearch: true, Strict: true,
		ParallelFlag: true, Files: true, SystemTurns: true,
		ReasoningEcho: ir.EchoDetails, ResultImages: ir.NativeImages},
	"responses": {Efforts: everyEffort, OpenAI: true, WebSearch: true, ToolSearch: true, Strict: true,
		ParallelFlag: true},
	"interactions": {Efforts: everyEffort, Thinking: ir.AlwaysThinking, WebSearch: true, FileURLs: true,
		ResultImages: ir.NativeImages},
	"gemini": {Efforts: everyEffort, Thinking: ir.AlwaysThinking, WebSearch: true, FileURLs: true,
		ResultImages: ir.NativeImages},
}

// checkRequestReturns sends a client's body through the hub to an upstream, and reads the
// upstream's body as if a client of the upstream's protocol had sent it. The hub must hold the same
// as before, except for reported losses. Within one protocol a second translation must give the
// same bytes.
func checkRequestReturns(t *testing.T, client, upstream, path string, body []byte) {
	pair, _ := translator.Lookup(client, upstream)
	target := permissive[upstream]
	first, refused := pair.Decode(path, body)
	if refused != nil {
		return
	}
	if first.Request.Budget > 0 {
		target.Thinking = ir.BudgetThinking
	}
	once, refused := first.AppendRequest(nil, &target)
	if refused != nil {
		return
	}
	back, _ := translator.Lookup(upstream, upstream)
	second, refused := back.Decode(corpus.Path(upstream, jsonw.Unescape(first.Request.Model),
		first.Request.Stream), once)
	require.Nil(t, refused, "%s", once)
	if len(first.Request.ToolChoice.Allowed) > 0 && second.Request.ToolChoice.Mode == ir.ToolsNone {
		// only the search is left of the allowed tools; Chat then says "none", which the hub reads
		// as no tool at all
		return
	}
	// the hubs differ in many ways: package google compares them
	if isGoogle(client) || isGoogle(upstream) {
		if isGoogle(upstream) {
			again, refused := second.AppendRequest(nil, &target)
			require.Nil(t, refused)
			want, got := answers.Decoded(t, once), answers.Decoded(t, again)
			// a custom tool is a function the second time
			for _, key := range []string{"tools", "toolConfig", "generation_config"} {
				delete(want, key)
				delete(got, key)
			}
			require.Equal(t, want, got, "the second time: %s", body)
		}
		return
	}
	require.Subset(t, first.Lost.Paths(), second.Lost.Paths(), "%s", once)
	if client == upstream {
		twice, refused := second.AppendRequest(nil, &target)
		require.Nil(t, refused)
		require.Equal(t, string(once), string(twice), "the second time: %s", body)
		require.Subset(t, first.Lost.Paths(), second.Lost.Paths(), "%s", once)
	}
	sameRequest(t, first, second, "%s\n%s", body, once)
}

// mayBeFunction reports whether a custom tool may reach an upstream of the API as a function.
func mayBeFunction(api string) bool { return api == "anthropic" || api == "responses" }

// sameRequest checks that second holds the content of first, except for the losses of first.
func sameRequest(t *testing.T, first, second *translator.Exchange, words string, arguments ...any) {
	api := first.Upstream()
	across := first.Request.API.Name != api
	asked := first.Edited()
	want, got := hubOf(t, asked, api, across), hubOf(t, second.Request, api, across)
	if across || api != "anthropic" {
		withoutBreakpoints(want)
		withoutBreakpoints(got)
	}
	// Only Anthropic's API has a budget, or a model that chooses its own effort: other upstreams
	// get the effort.
	if api != "anthropic" {
		for _, key := range []string{"Adaptive", "Budget"} {
			delete(want, key)
			delete(got, key)
		}
	}
	if across {
		for _, key := range []string{"Adaptive", "Budget", "ReasoningSummary", "Display", "CacheKey",
			"CacheRetention", "Session", "StreamUsage", "Own", "ReasoningContext"} {
			delete(want, key)
			delete(got, key)
		}
		if id := child(want, "Metadata")["user_id"]; api == "anthropic" && id != nil && want["UserID"] == nil {
			want["UserID"] = id // the only metadata that Messages has
			delete(want, "Metadata")
		}
		if want["MaxTokens"] == nil {
			delete(got, "MaxTokens")
		}
		for _, hub := range []map[string]any{want, got} {
			for _, key := range []string{"Name", "Description", "Strict", "Enforced", "Rules", "At", "Bare"} {
				delete(child(hub, "Format"), key)
			}
		}
	}
	if first.AsksInOtherWords() { // of the format
		for _, key := range []string{"Format", "Tools", "ToolChoice", "Turns"} {
			delete(want, key)
			delete(got, key)
		}
	}
	lost := func(path string) bool {
		return path != "" && slices.ContainsFunc(first.Lost.Paths(),
			func(p string) bool { return strings.HasPrefix(p, path) })
	}
	for _, request := range []map[string]any{want, got} { // one mode with three names
		if tier := request["ServiceTier"]; request["Fast"] == true || tier == "fast" || tier == "priority" {
			if !lost(first.Request.FieldPath(ir.FieldSpeed)) {
				request["ServiceTier"] = "fast"
			}
			delete(request, "Fast")
		}
	}
	for member, field := range map[string]ir.Field{
		"MaxTokens": ir.FieldMaxTokens, "Temperature": ir.FieldTemperature, "TopP": ir.FieldTopP,
		"TopK": ir.FieldTopK, "Presence": ir.FieldPresence, "Frequency": ir.FieldFrequency,
		"Seed": ir.FieldSeed, "Stop": ir.FieldStop,
		"Effort": ir.FieldEffort, "Budget": ir.FieldEffort, "Adaptive": ir.FieldEffort,
		"Display": ir.FieldEffort, "ReasoningSummary": ir.FieldReasoningSummary, "UserID": ir.FieldUserID,
		"Metadata": ir.FieldMetadata, "ServiceTier": ir.FieldServiceTier, "Verbosity": ir.FieldVerbosity,
		"Fast": ir.FieldSpeed, "Parallel": ir.FieldParallel,
		"ToolChoice": ir.FieldToolChoice, "Format": ir.FieldFormat,
	} {
		if lost(first.Request.FieldPath(field)) {
			delete(want, member)
			delete(got, member)
		}
	}
	own, _ := want["Own"].([]any)
	own = slices.DeleteFunc(own, func(m any) bool { return lost(m.(map[string]any)["Key"].(string)) })
	if want["Own"] = own; len(own) == 0 {
		delete(want, "Own")
	}
	if lost("reasoning.context") {
		delete(want, "ReasoningContext")
	}
	// thinking that only a summary had asked for has been turned off
	if lost(first.Request.FieldPath(ir.FieldReasoningSummary)) {
		delete(got, "Effort")
		delete(want, "Effort")
	}
	if lost(first.Request.Logprobs) || lost("top_logprobs") {
		for _, key := range []string{"Logprobs", "TopLogprobs"} {
			delete(want, key)
			delete(got, key)
		}
	}
	if lost("tools") || lost("web_search_options") {
		delete(want, "Tools")
		delete(got, "Tools")
	}
	if lost("messages") || lost("input") || lost("system") || lost("instructions") {
		delete(want, "Turns")
		delete(got, "Turns")
		thought := false // reasoning is reported as lost once, by the path of its first block
		isLost := func(c *ir.Content) bool {
			reasoning := c.Kind == ir.ReasoningContent || c.Kind == ir.RedactedContent
			thought = thought || reasoning && lost(c.At.String())
			return lost(c.At.String()) || reasoning && thought
		}
		kept := turnsOf(t, asked, api, across, isLost)
		turns := turnsOf(t, second.Request, api, across, nil)
		if across || api != "anthropic" {
			withoutBreakpoints(kept)
			withoutBreakpoints(turns)
		}
		for _, block := range kept {
			require.True(t, slices.ContainsFunc(turns, func(in any) bool { return says(in, block) }),
				"%v is not in %v", block, turns)
		}
	}
	require.Equal(t, want, got, append([]any{words}, arguments...)...)
}

// withoutBreakpoints drops the breakpoints of Anthropic's prompt cache, which only Messages
// upstreams get (FAULTS 87).
func withoutBreakpoints(in any) {
	switch v := in.(type) {
	case map[string]any:
		delete(v, "Cache")
		for _, member := range v {
			withoutBreakpoints(member)
		}
	case []any:
		for _, element := range v {
			withoutBreakpoints(element)
		}
	}
}

// says reports whether in, a block of turnsOf, equals block, or contains its text.
func says(in, block any) bool {
	whole, part := in.(map[string]any), block.(map[string]any)
	if part["Kind"] == ir.TextContent {
		return whole["Kind"] == part["Kind"] && whole["Role"] == part["Role"] && strings.Contains(text(whole,
			"Text"), text(part, "Text"))
	}
	return reflect.DeepEqual(in, block)
}

// knownLocation keeps the members of a search's location that all APIs know, in one form. The others
// are reported: see TestLocationMembers.
func knownLocation(tool map[string]any, reduced bool) {
	search := child(tool, "Search")
	location := child(search, "Location")
	for key, value := range location {
		_, words := value.(string)
		if reduced && (!words || !slices.Contains([]string{"city", "country", "region", "timezone"}, key)) {
			delete(location, key)
		}
	}
	if delete(search, "LocationField"); len(search) == 0 {
		delete(tool, "Search")
	}
}

// plainest returns the part of a schema that every upstream accepts.
func plainest(t *testing.T, text ir.Raw, root schema.Rules) any {
	const typed = schema.Typed | schema.Tuples | schema.TupleItems
	out, _ := schema.Append(nil, text, root|typed)
	out, _ = schema.Append(nil, ir.Raw(out),
		root|typed|schema.OpenAIStrict|schema.AnthropicStrict|schema.Forced)
	return answers.Decoded(t, out)
}

// hubOf returns the content of a request as maps and lists, without positions and without
// meaningless members. If content takes another form in api by design, hubOf returns one common
// form:
//
//   - Names and ids have the form of the API; in the answer they have the client's form again. Ids
//     are unique if the API requires unique ids (FAULTS 15, 61, 62). A tool in a group has its flat
//     name (FAULTS 65), and calls of the older form are in the newer form.
//   - A call that an upstream has run by itself is one block with its result, and names only offered
//     tools. In Responses a tool is named only once, with its definition.
//   - A schema is reduced to the rules of strict modes, since each upstream gets only the rules that
//     it accepts (FAULTS 67). A grammar has one form in the hub's text and another in Chat's.
//   - A default may be left out: strict false, a temperature or top_p of 1, parallel calls (also if
//     there is no tool).
//   - A Chat model with web_search_options searches before each answer: a demand for a search is not
//     written.
//   - If the history has calls but no tool is offered, Messages gets the called tools, and may not
//     call them.
//   - Relations between the assistant's texts are not compared: neither phases nor whether one text
//     continues another.
//   - Compaction is a separate request, and its summary is a text like any other.
//   - The translator itself watches for blank stop sequences (FAULTS 86).
//   - Edits of the history are already made, except for Anthropic's own service, and no target here
//     is Anthropic's. Package worker compacts.
func hubOf(t *testing.T, r *ir.Request, api string, across bool) map[string]any {
	hub := plain(t, reflect.ValueOf(*r)).(map[string]any)
	for _, key := range []string{"API", "Echo", "LimitPath", "EffortPath", "ReasoningSummaryPath", "UserIDPath", "Received",
		"Legacy", "Messages", "Servers", "Programs", "Edits", "Compaction", "HideThoughts", "PrivateUserID"} {
		delete(hub, key)
	}
	for _, key := range []string{"Temperature", "TopP"} {
		if hub[key] == 1.0 {
			delete(hub, key)
		}
	}
	if stops, _ := hub["Stop"].([]any); api == "responses" || len(stops) > 4 {
		delete(hub, "Stop")
	} else if api == "anthropic" {
		hub["Stop"] = slices.DeleteFunc(stops,
			func(s any) bool { return strings.TrimSpace(s.(string)) == "" })
	}
	if hub["UserID"] != nil && api != "anthropic" {
		hub["UserID"] = identifier(hub["UserID"], 64)
	}
	if hub["Logprobs"] != nil {
		hub["Logprobs"] = true // each API has its own member for them
	}
	tools, _ := hub["Tools"].([]any)
	if len(tools) == 0 || r.Parallel == ir.True {
		delete(hub, "Parallel")
	}
	offered := []any{}
	for i, element := range tools {
		tool := element.(map[string]any)
		if (api == "anthropic" || !r.Tools[i].Kind.RunByClient()) && !r.Allows(r.Tools[i].Name) {
			continue
		}
		offered = append(offered, tool)
		if across {
			delete(tool, "Callers")
		}
		if mayBeFunction(api) && r.Tools[i].Kind == ir.CustomTool {
			tool["Description"] = jsonw.Unescape(ir.Escaped(schema.AppendCustomDescription(nil,
				r.Tools[i].Description, r.Tools[i].Grammar)))
			if tool["Description"] == "" {
				delete(tool, "Description")
			}
			tool["Schema"] = answers.Decoded(t, []byte(schema.CustomInput))
			delete(tool, "Kind")
			delete(tool, "Grammar")
		}
		if r.Tools[i].Kind == ir.WebSearchTool {
			tool["Name"] = "web_search"
			knownLocation(tool, across || api == "chat")
		}
		if r.Tools[i].Kind == ir.ToolSearchTool {
			tool["Name"] = "tool_search"
			delete(tool, "ByPattern") // only Messages has two searches
		}
		if r.Tools[i].Examples != "" && api != "anthropic" {
			delete(tool, "Examples")
			tool["Description"] = jsonw.Unescape(schema.Description(&r.Tools[i]))
			if tool["Description"] == "" {
				delete(tool, "Description")
			}
		}
		delete(tool, "Type")
		delete(tool, "Raw")
		if r.Tools[i].Kind == ir.FunctionTool {
			tool["Schema"] = plainest(t, r.Tools[i].Schema, schema.Arguments)
		}
		if nested := child(child(tool, "Grammar"), "grammar"); nested != nil {
			nested["type"] = "grammar"
			tool["Grammar"] = nested
		}
		if tool["Strict"] == ir.False {
			delete(tool, "Strict")
		}
		delete(tool, "Namespace")
		delete(tool, "Local")
		tool["Name"] = identifier(tool["Name"], maxNames[api])
		if m := r.Tools[i].MCP; m != nil && api == "responses" {
			labelled := *m
			labelled.Label = label(m.Label)
			tool["MCP"], tool["Name"] = &labelled, string(labelled.Label)
		}
	}
	// Chat has a separate member for the web search, so its position in the list is lost
	slices.SortStableFunc(offered, func(a, b any) int {
		searches := func(tool any) int {
			if tool.(map[string]any)["Kind"] == ir.WebSearchTool {
				return 1
			}
			return 0
		}
		return searches(a) - searches(b)
	})
	hub["Tools"] = offered
	if t := r.Tool(r.ToolChoice.Name); api == "chat" && t != nil && t.Kind == ir.WebSearchTool {
		delete(hub, "ToolChoice")
	}
	if f := child(hub, "Format"); f != nil && r.Format.Schema != "" {
		f["Schema"] = plainest(t, r.Format.Schema, 0)
	}
	if choice := child(hub, "ToolChoice"); choice != nil {
		if choice["Name"] != nil {
			choice["Name"] = identifier(choice["Name"], maxNames[api])
		}
		if choice["Mode"] == ir.ToolsAuto {
			delete(choice, "Mode")
		}
		if api == "anthropic" {
			delete(choice, "Allowed")
		}
		if len(choice) == 0 {
			delete(hub, "ToolChoice")
		}
	}
	if len(offered) == 0 || r.ToolChoice.Mode == ir.ToolsNone {
		delete(hub, "Tools")
		delete(hub, "ToolChoice")
	}
	hub["Turns"] = turnsOf(t, r, api, across, nil)
	return hub
}

// maxNames is the maximum length of a tool's name in each protocol, in characters.
var maxNames = map[string]int{"anthropic": 128, "chat": 64, "responses": 64}

// identifier returns a name or an id in an API's form.
func identifier(name any, most int) string {
	s, _ := name.(string)
	return string(ir.Identifier(jsonw.Escape(s), most))
}

// label returns the label of an MCP server at Responses, which begins with a letter.
func label(name ir.Escaped) ir.Escaped {
	if c := name[0] | 0x20; 'a' <= c && c <= 'z' {
		return ir.Identifier(name, 64)
	}
	return "s" + ir.Identifier(name+" ", 63)
}

// turnsOf returns the content of the messages in order, each with its role: texts (neighbours
// joined), calls with their results, and other content. It leaves out messages that only fill in
// for a role, and words that only fill an empty result. In Chat a refusal in the history is text,
// and the text of a turn precedes its calls. Content for which lost is true is left out, and the
// texts around it are not joined.
func turnsOf(t *testing.T, r *ir.Request, api string, across bool, lost func(*ir.Content) bool) (list []any) {
	results, refused := ir.MatchResults(r, &ir.Target{}, &ir.Lost{})
	require.Nil(t, refused)
	most := map[string]int{"chat": 40, "responses": 64}[api]
	used, again, defined := map[string]bool{}, 0, map[ir.Escaped]bool{}
	var last map[string]any
	whole := "" // the text of last, with the white space around the text
	for _, m := range r.Messages {
		content := written(m.Content, api, across)
		for i := range content {
			c := &content[i]
			block := plain(t, reflect.ValueOf(*c)).(map[string]any)
			block["Role"] = m.Role
			if h := c.Hosted; h != nil && h.Done && across {
				if !c.Returned {
					continue
				}
				ran := *h
				ran.ID, ran.Input = "", ""
				if api == "responses" && h.Kind == ir.MCPTool {
					ran.Server = label(h.Server)
				}
				ran.FoundTools = slices.DeleteFunc(slices.Clone(h.FoundTools), func(name ir.Escaped) bool {
					again := defined[name] && api == "responses"
					defined[name] = true
					return again || r.Tool(name) == nil || api == "anthropic" && !r.Allows(name)
				})
				block = map[string]any{"Kind": c.Kind, "Role": m.Role, "Hosted": ran,
					"Input": answers.Decoded(t, []byte(h.Input))}
			}
			delete(block, "Phase")
			delete(block, "ByTool") // a text expresses it in words
			if delete(block, "Summary"); c.Summary {
				delete(block, "Signature") // that the summary is not sealed
			}
			if across || c.Kind == ir.TextContent {
				delete(block, "Raw") // the client's API only: citations, a call in a form of its own
			}
			// elsewhere each text is a block or a part
			continues := c.Continues && (api == "chat" || api == "responses" && m.Role == ir.Assistant)
			delete(block, "Continues")
			without := lost != nil && lost(c)
			switch c.Kind {
			case ir.ToolResultContent:
				continue
			case ir.ToolCallContent, ir.CustomCallContent:
				own := identifier(block["ID"], most)
				id := own
				for api != "gemini" && used[id] {
					again++
					id = own + "_" + strconv.Itoa(again)
				}
				used[id] = true
				if mayBeFunction(api) && c.Kind == ir.CustomCallContent {
					block["Kind"], block["Input"] = ir.ToolCallContent, map[string]any{"input": text(block,
						"Text")}
					delete(block, "Text")
				}
				if across || c.Program != nil {
					delete(block, "Caller")
				}
				delete(block, "Program")
				block["Name"], block["ID"] = identifier(block["Name"], maxNames[api]), id
				block["Result"] = resultOf(t, results[0], api)
				without = without || lost != nil && results[0] != nil && lost(results[0])
				results = results[1:]
			case ir.TextContent, ir.RefusalContent:
				all := text(block, "Text")
				said := strings.TrimSpace(all)
				if said == "" || said == "." && !continues {
					continue
				}
				if inside, ok := strings.CutPrefix(said, "<system-reminder>\n"); ok {
					said, block["Role"] = strings.TrimSuffix(inside, "\n</system-reminder>"), ir.System
				}
				block["Text"] = said
				if api != "responses" {
					block["Kind"] = ir.TextContent
				}
				if lost == nil && last != nil && last["Role"] == block["Role"] &&
					last["Kind"] == block["Kind"] {
					if !continues {
						whole = text(last, "Text") + "\n\n"
					}
					whole += all
					last["Text"] = strings.TrimSpace(whole)
					continue
				}
			}
			if !without {
				last, whole = block, text(plain(t, reflect.ValueOf(*c)).(map[string]any), "Text")
				list = append(list, block)
			}
		}
	}
	if api == "chat" {
		for i := 1; i < len(list); i++ {
			before, block := list[i-1].(map[string]any), list[i].(map[string]any)
			if block["Role"] == before["Role"] && block["Kind"] == ir.TextContent && before["ID"] != nil {
				list[i-1], list[i] = block, before
				i = 0
			}
		}
	}
	return list
}

// written returns content in the form of api. Except in Messages a text document becomes a text,
// the client's notes on another document become a text before it, and a file gets a name. A block
// that only the client's protocol has becomes its text for other protocols.
func written(content []ir.Content, api string, across bool) (list []ir.Content) {
	for _, c := range content {
		s := &c.Source
		if across && (c.Kind == ir.ReasoningContent || c.Kind == ir.RedactedContent) {
			continue // TestSecondTurn covers reasoning
		}
		if api != "anthropic" && c.Kind == ir.OpaqueContent && c.Text != "" {
			c.Kind, c.Raw = ir.TextContent, ""
		}
		if api == "anthropic" || c.Kind != ir.DocumentContent {
			list = append(list, c)
			continue
		}
		about := []string{string(s.Context)}
		if s.Data == "" && s.URL == "" {
			about = []string{string(s.Title), string(s.Context), string(s.Text)}
			for _, part := range c.Parts {
				about = append(about, string(part.Text))
			}
		}
		about = slices.DeleteFunc(about, func(s string) bool { return s == "" })
		if len(about) > 0 {
			list = append(list, ir.Content{Kind: ir.TextContent, At: c.At,
				Text: ir.Escaped(strings.Join(about, `\n\n`))})
		}
		if s.Data != "" || s.URL != "" {
			s.Context = ""
			s.Title = ir.Escaped(strings.TrimSuffix(string(s.Title), ".pdf"))
			if s.Title == "document" {
				s.Title = ""
			}
			list = append(list, c)
		}
	}
	return list
}

// resultOf returns the text of a result and its other parts. If an API has no member for a failure,
// the text begins with "Error:" (FAULTS 59).
func resultOf(t *testing.T, result *ir.Content, api string) map[string]any {
	said, more := []string{}, []any{}
	if result != nil {
		parts := written(result.Parts, api, false)
		for i := range parts {
			part := plain(t, reflect.ValueOf(parts[i])).(map[string]any)
			if parts[i].Kind == ir.TextContent {
				said = append(said, text(part, "Text"))
			} else {
				more = append(more, part)
			}
		}
	}
	words, failed := strings.CutPrefix(strings.Join(said, "\n\n"), "Error:")
	words = strings.TrimSpace(words)
	if words == "(no result)" {
		words = ""
	}
	return map[string]any{"Text": words, "IsError": failed || result == nil || result.IsError, "Parts": more}
}

// plain returns a value of the hub as maps, lists and strings: texts unescaped, JSON decoded, zero
// values left out.
func plain(t *testing.T, v reflect.Value) any {
	switch value := v.Interface().(type) {
	case ir.Escaped:
		return jsonw.Unescape(value)
	case ir.Raw:
		var read any
		require.NoError(t, json.Unmarshal([]byte(value), &read), value)
		return read
	case ir.Pos, ir.Client:
		return nil
	}
	switch v.Kind() {
	case reflect.Struct:
		members := map[string]any{}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && !v.Field(i).IsZero() && f.Name != "At" &&
				f.Name != "API" && !strings.HasSuffix(f.Name, "Field") {
				members[f.Name] = plain(t, v.Field(i))
			}
		}
		if members["Detail"] == "auto" {
			delete(members, "Detail")
		}
		// text/plain is the only type of a text document; image/jpg is not a registered name
		switch members["MediaType"] {
		case "text/plain":
			delete(members, "MediaType")
		case "image/jpg":
			members["MediaType"] = "image/jpeg"
		}
		// an image's type at Anthropic is the type of its bytes
		if source, ok := v.Interface().(ir.Source); ok && source.ImageType() != "" {
			members["MediaType"] = string(source.ImageType())
		}
		return members
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, plain(t, v.Index(i)))
		}
		return list
	}
	return v.Interface()
}
