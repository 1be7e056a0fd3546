package translator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/jsonw"
	"edgelingua/wasmtest/corpus"
)

// historyOf is the member of a body that holds the conversation, by protocol.
var historyOf = map[string]string{"anthropic": "messages", "chat": "messages", "responses": "input",
	"gemini": "contents"}

// stable are the members of a body that stand in front of the conversation in what a model reads,
// by protocol. Where one of them changes, no vendor finds the prompt of the turn before.
var stable = map[string][]string{"anthropic": {"tools", "system"}, "chat": {"tools"}, "responses": {"tools",
	"instructions"}, "gemini": {"tools", "systemInstruction"}}

// changed are the scenarios in which the prompt of a turn does not begin with the prompt of the
// turn before, by the reason.
var changed = map[string][]string{
	"the client's tools change in the conversation, and no other API has a form for that": {
		"request/anthropic/tool-changes", "request/claude-code/tool-search",
		"request/responses/69-tool-search", "request/responses/69-tool-search-found-nothing",
		"stream/anthropic/codex-0.169", "stream/chat/codex-0.169",
		"policy/tool_descriptions/request-of-responses",
	},
	"clear_tool_uses: the client wants results gone, and the answer says how many": {
		"request/anthropic/clear-tool-uses", "request/anthropic/clear-at-least",
		"request/claude-code/clear-tool-results", "stream/chat/clear-tool-uses",
		"stream/responses/clear-tool-uses", "stream/anthropic/edits",
		"request/anthropic/clear-tool-uses-at-anthropic",
	},
	"a compaction block: nothing in front of it is part of the prompt": {
		"request/anthropic/compaction-dropped", "request/anthropic/compaction-paused",
		"request/anthropic/compaction-readable",
	},
	"clear_at: the client wants the message gone from the " +
		"next turn on": {"request/anthropic/82-system-for-one-turn"},
	"a result that comes after the model has gone on without it takes the place of the note \"(no " +
		"result)\" behind its call": {
		"request/anthropic/same-ids-in-one-turn",
	},
	"a compaction takes the place of what " +
		"stands before it": {"request/responses/compaction"},
	"the endpoint drops all tools, and the history calls one of them in " +
		"its second turn": {"policy/drop_tools/55-all-dropped"},
}

// TestPrefixes cuts the conversation of each scenario where the assistant begins a turn: what
// stands in front of that was the request of the turn before. The body of the whole conversation
// must begin with the body of that request, byte for byte, in tools, system prompt and messages,
// and must lose the same of it. Else the vendor's cache of prompts is of no use.
func TestPrefixes(t *testing.T) {
	scenarios, err := corpus.Load("testdata")
	require.NoError(t, err)
	reasons := map[string]string{}
	for reason, names := range changed {
		for _, name := range names {
			reasons[name] = reason
		}
	}
	cuts := 0
	for _, s := range scenarios {
		n, fault := prefixes(t, s)
		cuts += n
		reason := reasons[s.Name]
		delete(reasons, s.Name)
		switch {
		case fault != "" && reason == "":
			t.Errorf("%s: %s", s.Name, fault)
		case fault == "" && reason != "":
			t.Errorf("%s: holds, though %q is said of it", s.Name, reason)
		}
	}
	require.Empty(t, reasons, "no such scenarios")
	require.Greater(t, cuts, 1000)
}

// prefixes cuts a scenario's conversation, and returns how many cuts were compared and what is
// wrong with the first one that is no prefix.
func prefixes(t *testing.T, s *corpus.Scenario) (cuts int, fault string) {
	var body map[string]json.RawMessage
	var history []json.RawMessage
	if json.Unmarshal(s.Request, &body) != nil || json.Unmarshal(body[historyOf[s.Client]], &history) != nil {
		return 0, ""
	}
	for _, end := range turnBorders(s.Client, history) {
		for _, upstream := range protocols {
			for i, target := range targetsOf(t, s, upstream) {
				name := targetNames[i]
				whole, refused := prompted(t, s, upstream, body, history, target)
				if refused != nil {
					continue
				}
				before, refused := prompted(t, s, upstream, body, history[:end], target)
				if refused != nil && strings.Contains(refused.Message, "all messages are empty") {
					continue // the upstream can't be told anything of them: there was no such turn
				}
				cuts++
				if refused != nil {
					return cuts, fmt.Sprintf("to %s (%s): the first %d are refused, all are not: %s",
						upstream, name, end, refused.Message)
				}
				if difference := before.startsOf(whole); difference != "" {
					return cuts, fmt.Sprintf("to %s (%s), the first %d: %s", upstream, name, end, difference)
				}
			}
		}
	}
	return cuts, ""
}

// turnBorders returns how many messages or items stand in front of each turn of the assistant, but
// for one at the very beginning.
func turnBorders(client string, history []json.RawMessage) (ends []int) {
	asked := false
	for i, element := range history {
		var e struct{ Type, Role string }
		if json.Unmarshal(element, &e) != nil {
			return nil
		}
		assistant := e.Role == "assistant"
		if client == "responses" && e.Role == "" {
			assistant = e.Type == "reasoning" || strings.HasSuffix(e.Type, "_call")
		}
		if assistant && asked {
			ends = append(ends, i)
		}
		asked = !assistant
	}
	return ends
}

// targetNames are what targetsOf returns: a scenario's own upstream, one that takes the safe set,
// and one that takes everything.
var targetNames = [...]string{"own target", "zero target", "permissive target"}

func targetsOf(t *testing.T, s *corpus.Scenario, upstream string) []ir.Target {
	u, err := corpus.Upstream(s.Settings(upstream))
	require.NoError(t, err)
	own, err := s.Target(u, "m")
	require.NoError(t, err)
	return []ir.Target{*own, {}, permissive[upstream]}
}

// prompt is what an upstream gets that its cache of prompts depends on.
type prompt struct {
	upstream string
	parts    []string // the members that stable names
	history  string   // the conversation as it stands in the body
	offered  bool     // the client offers tools
	lost     []string // the paths that are noted as lost
}

// prompted returns what an upstream gets for a conversation.
func prompted(t *testing.T, s *corpus.Scenario, upstream string, body map[string]json.RawMessage,
	history []json.RawMessage, target ir.Target) (*prompt, *ir.Error) {
	list, err := json.Marshal(history)
	require.NoError(t, err)
	body[historyOf[s.Client]] = list
	request, err := json.Marshal(body)
	require.NoError(t, err)
	pair, _ := translator.Lookup(s.Client, upstream)
	x, refused := pair.Decode(s.Path, request)
	if refused != nil {
		return nil, ir.AsError(refused)
	}
	u, err := corpus.Upstream(s.Settings(upstream))
	require.NoError(t, err)
	x.Request.Model = jsonw.Escape(u.Models.Map(jsonw.Unescape(x.Request.Model)))
	corpus.Obey(x, u)
	sent, refused := x.AppendRequest(nil, &target)
	if refused != nil {
		return nil, ir.AsError(refused)
	}
	p := readPrompt(t, upstream, sent, x.Lost.Paths())
	p.offered = len(x.Request.Tools) > 0
	return p, nil
}

// readPrompt reads the prompt of an upstream's body. Breakpoints that the translator sets move on
// from turn to turn: they are left out.
func readPrompt(t *testing.T, upstream string, body []byte, lost []string) *prompt {
	body = bytes.ReplaceAll(body, []byte(`,"cache_control":{"type":"ephemeral"}`), nil)
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(body, &members))
	p := &prompt{upstream: upstream, history: string(members[historyOf[upstream]]), lost: lost}
	for _, name := range stable[upstream] {
		p.parts = append(p.parts, string(members[name]))
	}
	return p
}

// startsOf returns how p is not the beginning of the prompt of a later turn, "" where it is.
func (p *prompt) startsOf(later *prompt) string {
	for i, name := range stable[p.upstream] {
		if p.parts[i] != later.parts[i] && (name != "tools" || p.offered) {
			return fmt.Sprintf("%s changes from\n%s\nto\n%s", name, p.parts[i], later.parts[i])
		}
	}
	if start := strings.TrimRight(p.history, `"}]`); !strings.HasPrefix(later.history, start) {
		n := 0
		for n < len(start) && n < len(later.history) && start[n] == later.history[n] {
			n++
		}
		return fmt.Sprintf("the history changes from\n%s\nto\n%s\nat\n%s", p.history, later.history,
			later.history[max(n-20, 0):])
	}
	for _, path := range p.lost {
		if strings.Contains(path, "[") && !strings.HasSuffix(path, ".effort") && !slices.Contains(later.lost,
			path) {
			return fmt.Sprintf("%s is lost at first, and later is not", path)
		}
	}
	return ""
}
