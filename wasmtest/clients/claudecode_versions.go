package clients

import (
	"slices"
	"strings"
)

// version describes Claude Code's requests for one kind of model and settings.
type version struct {
	model      string
	maxTokens  int
	thinking   object
	effort     string // "": not sent
	system     form   // of system messages
	perTurn    bool   // system messages have their own effort
	search     bool   // tools are deferred until ToolSearch finds them
	safeguards list
	betas      []string
}

// form is how Claude Code sends a system text in the middle of a session.
type form int

const (
	asUser   form = iota // inside a user message
	asBlocks             // a system message with a list of blocks
	asString
)

// Versions lists the versions of Claude Code's requests that NewClaudeCode accepts.
var Versions = []string{
	AsItComes, OfAnUnknownModel, OfAModelWithABudget, "without experimental betas", WithoutToolSearch,
	"with little effort", "with all effort",
	"in a terminal", "2.1.197",
}

// Versions used by name in tests.
const (
	AsItComes           = "as it comes"
	OfAnUnknownModel    = "of an unknown model"
	OfAModelWithABudget = "of a model with a budget"
	WithoutToolSearch   = "without a search for tools"
)

var (
	always = []string{"claude-code-20250219", "interleaved-thinking-2025-05-14"}
	betas  = append(slices.Clone(always), "context-management-2025-06-27",
		"mid-conversation-tool-changes-2026-07-01", "thinking-token-count-2026-05-13",
		"advanced-tool-use-2025-11-20", "effort-2025-11-24", "thinking-display-updates-2026-08-18")
)

// without returns a copy of betas without the entries that start with one of the names.
func without(betas []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(betas), func(beta string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(beta, name) })
	})
}

// versionOf returns the version with a name, or nil if there is none.
func versionOf(name string) *version {
	v := &version{
		model: "claude-opus-5-5", maxTokens: 128000,
		thinking: object{"type": "adaptive", "display": "updates"}, effort: "medium", system: asBlocks,
		perTurn: true, search: true, betas: append(slices.Clone(betas), "per-turn-control-2026-07-01"),
	}
	switch name {
	case AsItComes:
	case OfAnUnknownModel:
		v.model, v.maxTokens, v.effort, v.perTurn, v.betas = "gpt-5.1", 32000, "high", false, betas
	case OfAModelWithABudget:
		v.model, v.maxTokens, v.effort, v.system = "claude-sonnet-4-5", 32000, "", asUser
		v.thinking = object{"type": "enabled", "budget_tokens": 31999, "display": "updates"}
		v.betas = without(betas, "effort", "mid-conversation")
	case "without experimental betas":
		v.thinking, v.system, v.perTurn, v.search = object{"type": "adaptive"}, asString, false, false
		v.betas = append(slices.Clone(always), "effort-2025-11-24")
	case WithoutToolSearch:
		v.search, v.betas = false, without(v.betas, "advanced")
	case "with little effort":
		v.effort = "low"
	case "with all effort":
		v.effort = "max"
	case "in a terminal":
		v.safeguards = list{
			object{"type": "dangerous_tool_use", "classifier_context": object{"mode": "auto"}},
		}
		v.betas = append(v.betas, "dangerous-tool-use-2026-09-03", "afk-mode-2026-01-31")
	case "2.1.197":
		v.maxTokens, v.effort, v.system, v.perTurn, v.search = 64000, "high", asString, false, false
		v.betas = append(without(betas, "advanced"), "mid-conversation-system-2026-04-07",
			"prompt-caching-scope-2026-01-05")
	default:
		return nil
	}
	return v
}

// Searches reports whether a version defers tools until ToolSearch finds them. An unknown version
// panics.
func Searches(version string) bool { return versionOf(version).search }
