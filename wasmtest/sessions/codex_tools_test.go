package sessions_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

func codex(t *testing.T, s *served, model string, run func(call clients.Call) any) *clients.Codex {
	c, err := clients.NewCodex(s.server, model, run)
	require.NoError(t, err)
	return c
}

func okay(clients.Call) any { return "ok" }

// odd is a text with characters escaped in JSON and with multi-byte characters.
const odd = "*** Begin Patch\n+quotes \" \\ / \t\u0001 \u2028 é 漢 😀\n*** End Patch\n"

// of returns a call with the given kind of tool and namespace.
func of(c vendors.Call, kind, namespace string) vendors.Call {
	c.Kind, c.Namespace = kind, namespace
	return c
}

// codexTurns has the model's calls in each turn, for each of CodexModels.
var codexTurns = map[string][][]vendors.Call{
	"gpt-5.5": {
		{call(1, "exec_command", object{"cmd": odd}), of(call(2, "apply_patch", odd), "custom", "")},
		{
			of(call(3, "echo", object{"text": "a"}), "", "mcp__srv"),
			of(call(4, "get__all", object{"text": ""}), "", "mcp__srv"),
			of(call(5, "tool_search", object{"query": "rain"}), "search", ""),
		},
		{
			of(call(6, "now", object{"city": "Oslo"}), "", "mcp__weather"),
			of(call(7, "apply_patch", ""), "custom", ""),
		},
	},
	"gpt-6": {
		{of(call(1, "exec", "text('hi')\n"), "custom", "functions")},
		{
			of(call(2, "wait", object{"id": "1"}), "", "functions"),
			of(call(3, "echo", object{"text": odd}), "", "mcp__srv"),
		},
	},
	"codex-mini-latest": {
		{of(call(1, "local_shell", list{"bash", "-lc", "ls"}), "shell", "")},
		{call(2, "update_plan", object{"plan": "x"})},
	},
	"claude-sonnet-4-5": {
		{
			of(call(1, "apply_patch", odd), "custom", ""),
			of(call(2, "echo", object{"text": "a"}), "", "mcp__srv"),
		},
		{call(3, "exec_command", object{"cmd": "ls"})},
	},
}

// asRun returns a vendor's call in Codex's form.
func asRun(c vendors.Call) clients.Call {
	run := clients.Call{Kind: c.Kind, Namespace: c.Namespace, Name: c.Name, Input: c.Input}
	switch c.Kind {
	case "":
		run.Kind = "function"
	case "search", "shell":
		run.Name = ""
	}
	return run
}

// TestCodexCallsAllTools runs sessions of Codex with tools of all kinds. Each tool must be called
// by its own kind of item, in its namespace.
func TestCodexCallsAllTools(t *testing.T) {
	t.Parallel()
	require.Len(t, codexTurns, len(clients.CodexModels))
	for _, model := range clients.CodexModels {
		parallel(t, model, func(t *testing.T) {
			each(t, all, func(t *testing.T, u *upstream) { codexCalls(t, u, model) })
		})
	}
}

func codexCalls(t *testing.T, u *upstream, model string) {
	var turns []*vendors.Turn
	var wanted []clients.Call
	for n, calls := range codexTurns[model] {
		turns = append(turns, &vendors.Turn{
			Reasoning: u.thoughts(n), Text: fmt.Sprintf("Step %d.", n), Calls: calls, Usage: cachedUsage,
		})
		for _, c := range calls {
			wanted = append(wanted, asRun(c))
		}
	}
	s := u.serve(t, append(turns, said("Done."), said("Bye."))...)
	var seen []clients.Call
	c := codex(t, s, model, func(call clients.Call) any {
		seen = append(seen, call)
		if call.Kind == "search" {
			return clients.Found
		}
		return fmt.Sprintf("result %d.", len(seen))
	})
	text, err := c.Say("<environment_context>", "Go on.")
	require.NoError(t, err)
	require.Equal(t, "Done.", text)
	require.Equal(t, wanted, seen)
	text, err = c.Say("Thank you.")
	require.NoError(t, err)
	require.Equal(t, "Bye.", text)
	s.done(t)
	for i, call := range seen {
		if call.Kind != "search" {
			holds(t, s.body(-1), fmt.Sprintf("result %d.", i+1))
		}
	}
}
