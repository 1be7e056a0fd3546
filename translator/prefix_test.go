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

// historyOf is the body's member with the conversation, by protocol.
var historyOf = map[string]string{"anthropic": "messages", "chat": "messages", "responses": "input",
	"gemini": "contents", "interactions": "input"}

// stable are the members of a body that a model reads before the conversation, by protocol. If one
// of them changes, no vendor finds the previous turn's prompt in its cache.
var stable = map[string][]string{"anthropic": {"tools", "system"}, "chat": {"tools"}, "responses": {"tools",
	"instructions"}, "gemini": {"tools", "systemInstruction"},
	"interactions": {"tools", "system_instruction"}}

// changed has the scenarios in which a turn's prompt does not begin with the previous turn's
// prompt, by reason.
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

// TestPrefixes cuts the conversation of each scenario at the beginning of each assistant turn: the
// part before the cut was the previous turn's request. The body of the whole conversation must
// begin with the body of the previous request, byte for byte, in tools, system prompt and messages,
// with the same losses. Otherwise the vendor's prompt cache is useless.
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

// prefixes cuts a scenario's conversation. It returns the number of compared cuts, and the fault of
// the first cut whose body is not a prefix.
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
					continue // no body can carry these messages: there was no such turn
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

// turnBorders returns the number of messages or items before each assistant turn, except for a turn
// at the very beginning.
func turnBorders(client string, history []json.RawMessage) (ends []int) {
	asked := false
	for i, element := range history {
		var e struct{ Type, Role string }
		if json.Unmarshal(element, &e) != nil {
			return nil
		}
		assistant := e.Role == "assistant"
		if client == "responses" && e.Role == "" {
			assistant = e.Type == "reasoning" || strings.HasSuffix(e.Type, "_call") ||
				strings.HasPrefix(e.Type, "program")
		}
		if assistant && asked {
			ends = append(ends, i)
		}
		asked = !assistant
	}
	return ends
}

// targetNames name the results of targetsOf: a scenario's own upstream, an upstream that accepts
// the safe set, and an upstream that accepts everything.
var targetNames = [...]string{"own target", "zero target", "permissive target"}

func targetsOf(t *testing.T, s *corpus.Scenario, upstream string) []ir.Target {
	u, err := corpus.Upstream(s.Settings(upstream))
	require.NoError(t, err)
	own, err := s.Target(u, "m")
	require.NoError(t, err)
	return []ir.Target{*own, {}, permissive[upstream]}
}

// prompt is the part of an upstream's request that matters for its prompt cache.
type prompt struct {
	upstream string
	parts    []string // the members in stable
	history  string   // the conversation as in the body
	offered  bool     // the client offers tools
	finds    bool     // a search may add tools at the end
	lost     []string // the paths noted as lost
}

// prompted returns an upstream's prompt for a conversation.
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
	x.FindTools = true
	sent, refused := x.AppendRequest(nil, &target)
	if refused != nil {
		return nil, ir.AsError(refused)
	}
	p := readPrompt(t, upstream, sent, x.Lost.Paths())
	p.offered, p.finds = len(x.Request.Tools) > 0, x.Rounds()
	return p, nil
}

// readPrompt reads the prompt in an upstream's body. It leaves out the translator's own
// breakpoints, which move from turn to turn.
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

// startsOf compares p with the beginning of a later turn's prompt. It returns the difference, or
// "".
func (p *prompt) startsOf(later *prompt) string {
	for i, name := range stable[p.upstream] {
		if name == "tools" && p.finds &&
			strings.HasPrefix(later.parts[i], strings.TrimRight(p.parts[i], "}]")) {
			continue // tools that a search has found come after all others
		}
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
