package vendors

import (
	"slices"
	"testing"

	table "edgelingua/wasmtest/rules"
)

// allRules returns the rules of all doubles.
func allRules() []rules {
	return slices.Concat(messagesRules(), newestMessagesRules(), programRules(), betaRules(), mcpRules(),
		versionRules(), speedRules(), chatRules(),
		chatReasoningRules(), openAIChatRules(), chatTemplateRules(), chatHostRules(),
		responsesRules(), codexToolRules(), phaseRules(), xAIResponsesRules(),
		geminiRules(), interactionsRules())
}

func TestRules(t *testing.T) {
	for _, r := range allRules() {
		r.run(t)
	}
}

// TestTable compares the rules of the doubles with the list in package rules, and names each rule
// that only one side has.
func TestTable(t *testing.T) {
	for protocol, listed := range table.ByProtocol {
		judged := map[string]bool{}
		for _, r := range allRules() {
			for _, row := range r.rows {
				if r.protocol == protocol {
					judged[row.rule] = true
				}
			}
		}
		for _, rule := range listed {
			if !judged[rule.ID] {
				t.Errorf("%s: no double enforces the rule %q: %s", protocol, rule.ID, rule.Rejects)
			}
			delete(judged, rule.ID)
			if rule.Rejects == "" || rule.Answer == 0 || rule.Source.At == "" || rule.Source.Date == "" {
				t.Errorf("%s: the rule %q is incomplete", protocol, rule.ID)
			}
		}
		for id := range judged {
			t.Errorf("%s: the rule %q of the double is not in the list", protocol, id)
		}
	}
	if len(table.ByProtocol) != len(protocols) {
		t.Errorf("lists for %d protocols of %d", len(table.ByProtocol), len(protocols))
	}
}
