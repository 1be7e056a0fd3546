package vendors

import (
	"regexp"
	"slices"
	"strings"
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

// place matches the beginning of a source that a reader can open: an address, a repository, or an SDK
// with its version.
var place = regexp.MustCompile(`^(@?[\w-]+(\.[\w-]+)*\.?/[\w.-]+|[\w-]+(\.[\w-]+)+|openai \d+\.\d+\.\d+)\b`)

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
			if !place.MatchString(rule.Source.At) && !strings.HasSuffix(rule.Source.Date, "not found again") {
				t.Errorf("%s %s: nobody finds the source %q", protocol, rule.ID, rule.Source.At)
			}
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
