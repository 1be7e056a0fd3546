package clients

import (
	"slices"
	"strings"
)

// version is the requests of Claude Code for a kind of model and settings.
type version struct {
	model      string
	maxTokens  int
	thinking   object
	effort     string // "": the request has none
	system     form   // of its messages of the system
	perTurn    bool   // messages of the system have an effort of their own
	search     bool   // tools wait to be found
	safeguards list
	betas      []string
}

// form is how Claude Code says something as the system in the middle of a session.
type form int

const (
	asUser   form = iota // inside a message of the user
	asBlocks             // a message of the system, with a list of blocks
	asString
)

// Versions are the names of the versions of Claude Code's requests, for NewClaudeCode.
var Versions = []string{
	AsItComes, OfAnUnknownModel, OfAModelWithABudget, "without experimental betas", WithoutToolSearch,
	"with little effort", "with all effort",
	"in a terminal", "2.1.197",
}

// Versions that tests name.
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

// without returns betas without those that begin with one of the names.
func without(betas []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(betas), func(beta string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(beta, name) })
	})
}

// versionOf returns the version with a name, nil for none.
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

// Searches reports whether the tools of a version wait to be found.
func Searches(version string) bool { return versionOf(version).search }
