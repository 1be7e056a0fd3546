package ledger

import (
	"cmp"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write ledger.tsv")

// clients has the APIs whose clients' requests are in the ledger.
var clients = protocols

// protocols has all APIs.
var protocols = []string{"anthropic", "chat", "responses", "gemini", "interactions"}

// tried is the outcome of one value of a member at one server.
type tried struct {
	value, model string
	outcome      outcome
}

// usual has the members' values that ask for nothing, each with the ends of the members' paths: an API
// without the member does the same.
var usual = []struct{ value, members string }{
	{"false", "is_error stream strict store thought willContinue async background blocked enable_zoom " +
		"citations.enabled clear_tool_inputs pause_after_compaction disable_parallel_tool_use " +
		"defer_loading logprobs include_usage eager_input_streaming prewarm automaticContinuation " +
		"audioTimestamp enableAffectiveDialog enableEnhancedCivicAnswers responseLogprobs " +
		"parameters.nullable includeThoughts streamFunctionCallArguments includeServerSideToolInvocations"},
	{"true", "use_cache"},
	{"auto", "tool_choice.mode tool_choice.type allowed_tools.mode service_tier function_call tool_choice detail " +
		"reasoning.context reasoning.summary " +
		"reasoning.generate_summary truncation"},
	{"default", "service_tier"},
	{"standard", "speed serviceTier"},
	{"direct", "caller caller.type allowed_callers"},
	{"disabled", "thinking truncation"},
	{"medium", "verbosity search_context_size"},
	{"implicit", "prompt_cache_options.mode"},
	{"text", "modalities response_format response_format.type format.type text.format custom.format " +
		"tools[custom].format input " +
		"steps[user_input].content search_content_types"},
	{"TEXT", "responseModalities modality"},
	{"AUTO", "functionCallingConfig.mode"},
	{"BLOCKING", "behavior"},
	{"STOP", "finishReason"},
	{"stop", "finish_reason"},
	{"end_turn", "stop_reason"},
	{"completed", "status"},
	{"approximate", "user_location.type"},
	{"message", "input[message].type"},
	{"custom", "tools[custom].type"},
}

// isUsual reports whether a member's value asks for nothing.
func isUsual(path, value string) bool {
	value, _, _ = strings.Cut(value, " in messages")
	for _, u := range usual {
		if u.value == value && slices.ContainsFunc(strings.Fields(u.members), func(end string) bool {
			return path == end || strings.HasSuffix(path, "."+end)
		}) {
			return true
		}
	}
	return strings.HasSuffix(value, "UNSPECIFIED") || strings.HasSuffix(value, "unspecified")
}

// TestLedger sends every member of the SDKs' types through every pair, and compares the report of
// losses with the translated bodies. Every member is carried, lost or refused: a member without a
// trace is a fault.
func TestLedger(t *testing.T) {
	t.Parallel()
	read, bodies := readSchemas(t), readBodies(t)
	text := &strings.Builder{}
	used := map[string]bool{}
	for _, client := range clients {
		s := &sampler{&read, bodies.sides[client+".request"]}
		try := func(m *member, one *trial, upstream string) (all []tried) {
			for i := range Servers {
				if Servers[i].Protocol == upstream {
					all = append(all, tried{one.label, Servers[i].Model, judge(client, s.reported(m.path),
						s.reported(one.object), one.with, one.without, &Servers[i])})
				}
			}
			return all
		}
		write(t, text, client+".request", protocols, s, used, try)
	}
	for _, upstream := range protocols {
		s := &sampler{&read, bodies.sides[upstream+".answer"]}
		to, how := &Server{Protocol: upstream, Host: "upstream.example", Model: "m"}, once(answer)
		write(t, text, upstream+".answer", protocols, s, used, func(m *member, one *trial, client string) []tried {
			return []tried{{one.label, "",
				judgeAnswer(client, bodies.asks[client], m.path, one.object, one.with, one.without, to, how)}}
		})
	}
	for _, e := range effects {
		for pattern := range strings.FieldsSeq(e.paths) {
			if !used[e.why+pattern] {
				t.Errorf("effects.go: no member needs %q: %s", pattern, e.why)
			}
		}
	}
	if *update {
		require.NoError(t, os.WriteFile("ledger.tsv", []byte(text.String()), 0o644))
	}
	if text.String() != table {
		t.Error("ledger.tsv is out of date: go test ./wasmtest/ledger -update writes it")
	}
}

// TestStates holds each row to the three states. A client may read every member of an answer: none has
// the same effect without it.
func TestStates(t *testing.T) {
	for row := range Rows() {
		for _, s := range row.States {
			for clause := range strings.SplitSeq(s.Text, "; ") {
				word, _, _ := strings.Cut(clause, " ")
				require.Contains(t, []string{"carried", "lost", "refused"}, word, row)
				require.False(t, row.Answer && strings.Contains(clause, SameEffect), row)
			}
		}
	}
}

// write appends the rows of an API's requests or answers.
func write(t *testing.T, text *strings.Builder, root string, others []string, s *sampler,
	used map[string]bool, try func(m *member, one *trial, other string) []tried) {
	text.WriteString("# " + root + "\t" + strings.Join(others, "\t") + "\n")
	rows := map[string]map[string][]tried{} // by path and other side
	for _, m := range s.members(s.Roots[root], s.Whole, s.Also) {
		for _, one := range s.trials(&m) {
			if m.role != "" {
				one.label = strings.TrimPrefix(one.label+" in messages of role "+m.role, " in ")
			}
			for _, other := range others {
				if rows[m.path] == nil {
					rows[m.path] = map[string][]tried{}
				}
				rows[m.path][other] = append(rows[m.path][other], try(&m, &one, other)...)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(rows)) {
		text.WriteString(path)
		for _, other := range others {
			text.WriteString("\t" + cell(t, root, path, other, rows[path][other], used))
		}
		text.WriteString("\n")
	}
}

// cell returns the state of a member at the other side, with its conditions.
func cell(t *testing.T, root, path, other string, all []tried, used map[string]bool) string {
	by := map[string][]tried{}
	as := map[string]bool{}
	for _, one := range all {
		state := one.outcome.state
		switch {
		case one.outcome.fault != "":
			t.Errorf("%s %s=%s to %s %s: %s", root, path, one.value, other, one.model, one.outcome.fault)
		case state == "" && !isUsual(path, one.value):
			e, pattern := effectOf(root, path, other)
			if e == nil {
				t.Errorf("%s %s=%s to %s %s: nobody hears of it", root, path, one.value, other, one.model)
				continue
			}
			used[e.why+pattern] = true
			state := "same"
			if e.here {
				state = "here"
			}
			by[state] = append(by[state], one)
		case state == "":
			by["usual"] = append(by["usual"], one)
		default:
			by[state] = append(by[state], one)
			for _, at := range one.outcome.as {
				as[at] = true
			}
		}
	}
	var said []string
	words := map[string]string{"here": "carried (here)", "same": "carried " + SameEffect,
		"usual": "carried (usual value)"}
	for _, state := range []string{"carried", "here", "same", "usual", "lost", "refused"} {
		if len(by[state]) == 0 {
			continue
		}
		word := cmp.Or(words[state], state)
		if paths := slices.Sorted(maps.Keys(as)); state == "carried" && len(paths) > 0 && len(paths) < 4 {
			word += " as " + strings.Join(paths, ", ")
		}
		if len(by[state]) < len(all) && state != "carried" {
			word += " " + condition(by[state], all)
		}
		said = append(said, word)
	}
	return strings.Join(said, "; ")
}

// condition describes some of all trials by their values and models.
func condition(some, all []tried) string {
	of := func(list []tried, key func(tried) string) []string {
		set := map[string]bool{}
		for _, one := range list {
			set[key(one)] = true
		}
		return slices.Sorted(maps.Keys(set))
	}
	value, model := func(t tried) string { return t.value }, func(t tried) string { return t.model }
	count := func(list []tried, key func(tried) string, of string) (n int) {
		for _, one := range list {
			if key(one) == of {
				n++
			}
		}
		return n
	}
	var values, models, both []string
	for _, v := range of(some, value) {
		if count(some, value, v) == count(all, value, v) && v != "" {
			values = append(values, v)
		}
	}
	for _, m := range of(some, model) {
		if count(some, model, m) == count(all, model, m) && m != "" {
			models = append(models, m)
		}
	}
	for _, one := range some {
		if !slices.Contains(values, one.value) && !slices.Contains(models, one.model) {
			both = append(both, strings.TrimPrefix(one.value+" with "+one.model, " "))
		}
	}
	var said []string
	if len(values) > 0 {
		said = append(said, "for "+strings.Join(values, ", "))
	}
	if len(models) > 0 {
		said = append(said, "with "+strings.Join(models, ", "))
	}
	slices.Sort(both)
	return strings.Join(append(said, slices.Compact(both)...), ", ")
}

// TestKinds finds losses and refusals without a reason, and patterns that no member needs.
func TestKinds(t *testing.T) {
	used := map[string]bool{}
	for row := range Rows() {
		for _, s := range row.States {
			if s.Loss() == "" {
				continue
			}
			text, pattern := kindOf(row.root(), s.API, row.Path)
			used[row.root()+text+pattern] = true
			if row.Why(s) == "" {
				t.Errorf("kinds.go: no reason for %s %s at %s: %s", row.root(), row.Path, s.API, s.Text)
			}
		}
	}
	for _, k := range kinds {
		for pattern := range strings.FieldsSeq(k.paths) {
			if !used[k.root+k.why+pattern] {
				t.Errorf("kinds.go: %s: no member needs %q: %s", k.root, pattern, k.why)
			}
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, form string
		want          bool
	}{
		{"a[]", "a[]", true}, {"a", "a[]", false}, {"a[*].d", "a[x].d", true}, {"a[*].d", "a[x].e", false},
		{"*b", "b", true}, {"a*", "b", false}, {"*b*c", "abxc", true},
	} {
		require.Equal(t, c.want, matches(c.pattern, c.form), c)
	}
}

// TestJudge gives the judge a member of each state, and a member without a trace.
func TestJudge(t *testing.T) {
	const lead = `{"model":"m","max_tokens":4000,"messages":[{"role":"user","content":"hi"}]`
	const tool = `,"tools":[{"name":"f","input_schema":{"type":"object"}`
	at := func(protocol, model string) *Server {
		i := slices.IndexFunc(Servers, func(s Server) bool {
			return s.Protocol == protocol && s.Model == model
		})
		return &Servers[i]
	}
	for _, c := range []struct {
		path, with, without, protocol, model string
		want                                 outcome
	}{
		{"temperature", lead + `,"temperature":0.3}`, lead + `}`, "chat", "gpt-4.1",
			outcome{state: "carried", as: []string{"temperature"}}},
		{"temperature", lead + `,"temperature":0.3}`, lead + `}`, "chat", "gpt-5.5", outcome{state: "lost"}},
		{"inference_geo", lead + `,"inference_geo":"us"}`, lead + `}`, "gemini", "gemini-3.6-pro",
			outcome{state: "lost"}},
		{"tools[code_execution_20250825].cache_control",
			lead + tool + `},{"type":"code_execution_20250825","name":"code_execution","cache_control":{"type":"ephemeral"}}]}`,
			lead + tool + `},{"type":"code_execution_20250825","name":"code_execution"}]}`,
			"chat", "gpt-5.5", outcome{state: "lost"}}, // with the tool
		{"thread", lead + `,"thread":{}}`, lead + `}`, "chat", "gpt-5.5", outcome{state: "refused"}},
		{"tools[].eager_input_streaming", lead + tool + `,"eager_input_streaming":true}]}`, lead + tool + `}]}`,
			"chat", "gpt-5.5", outcome{}}, // no trace
	} {
		got := judge("anthropic", c.path, c.path, c.with, c.without, at(c.protocol, c.model))
		require.Equal(t, c.want, got, c.path)
	}
	wrong := judge("anthropic", "metadata", "metadata", lead+`,"stream":3}`, lead+`}`, at("chat", "gpt-5.5"))
	require.Contains(t, wrong.fault, `refused at "stream"`)
}

// TestMembers finds the members of types inside types, each type once.
func TestMembers(t *testing.T) {
	s := &schemas{Types: map[string]map[string]string{
		"Root":  {"list": "[Text|Image]", "only?": "Text|null", "brand_new?": "string"},
		"Text":  {"type": "=text", "text": "string"},
		"Image": {"type": "=image", "again?": "Root"},
	}}
	var paths []string
	for _, m := range s.members("Root", nil, nil) {
		paths = append(paths, m.path)
	}
	require.Equal(t, []string{"brand_new", "list", "only", "list[text].text", "list[text].type", "list[image].again",
		"list[image].type"}, paths)
	require.Len(t, s.members("Root", []string{"list"}, nil), 5, "the members of Text are below only")
	require.Len(t, s.members("Root", nil, map[string]string{"Root.only": "Text"}), 9, "Text is at both places")
}
