package sessions_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

const (
	png = "iVBORw0KGgoAAAAAAA=="
	pdf = "JVBERi0xLjQKAAAA"
)

// ran has the results of Claude Code's tools, by command or file.
var ran = map[string]any{
	"ls": "hi \u2028 é 漢 😀",
	"rm": "failed: no such file",
	"a.png": list{
		object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": png}},
	},
	"a.pdf": list{
		object{"type": "text", "text": "PDF file read"},
		object{
			"type":   "document",
			"source": object{"type": "base64", "media_type": "application/pdf", "data": pdf},
		},
	},
}

func runClaude(name string, input object) any {
	for _, key := range []string{"command", "file_path"} {
		if text, ok := input[key].(string); ok {
			return ran[text]
		}
	}
	if name == "ToolSearch" {
		return []string{input["query"].(string)}
	}
	return "page " + input["url"].(string)
}

func claude(
	t *testing.T,
	s *served,
	version string,
	run func(name string, input object) any,
) *clients.ClaudeCode {
	code, err := clients.NewClaudeCode(s.server, version, run)
	require.NoError(t, err)
	return code
}

// TestClaudeCode runs whole sessions of Claude Code for each kind of model and settings.
func TestClaudeCode(t *testing.T) {
	t.Parallel()
	for _, version := range clients.Versions {
		parallel(t, version, func(t *testing.T) {
			each(t, all, func(t *testing.T, u *upstream) { claudeSession(t, u, version) })
		})
	}
}

func claudeSession(t *testing.T, u *upstream, version string) {
	searches := clients.Searches(version)
	step := func(n int, calls ...vendors.Call) *vendors.Turn {
		return &vendors.Turn{
			Reasoning: u.thoughts(n), Text: fmt.Sprintf("Step %d.", n), Calls: calls, Usage: cachedUsage,
		}
	}
	second := []vendors.Call{call(5, "Read", object{"file_path": "a.pdf"})}
	if searches {
		second = append([]vendors.Call{call(4, "ToolSearch", object{"query": "WebFetch"})}, second...)
	}
	s := u.serve(
		t,
		step(1, call(1, "Bash", object{"command": "ls"}), call(2, "Read", object{"file_path": "a.png"}),
			call(3, "Bash", object{"command": "rm"})),
		step(2, second...),
		step(3, call(6, "WebFetch", object{"url": "x"}), call(7, "Bash", object{"command": "ls"})),
		said("Done."),
		said("Bye."),
	)
	code := claude(t, s, version, runClaude)
	code.Steer = []string{"", "An MCP server came.", "Mind the time."}
	text, err := code.Say("Go on.")
	require.NoError(t, err)
	require.Equal(t, "Done.", text)
	text, err = code.Say("Thank you.")
	require.NoError(t, err)
	require.Equal(t, "Bye.", text)
	s.done(t)
	last := s.body(-1)
	holds(t, last, "# Environment", "An MCP server came.", "Mind the time.", ran["ls"].(string),
		ran["rm"].(string), png, "page x")
	if u.protocol != "chat" || u == openAI {
		holds(t, last, pdf)
	}
	if u != anthropic {
		require.NotRegexp(t, "billing-header|DeferredToolPlaceholder|cache_control", encode(last))
	}
	require.Equal(t, !searches, offers(s.body(1), "WebFetch"), "before the search")
	require.True(t, offers(s.body(2), "WebFetch"), "after the search")
}

// offers reports whether a request offers a tool.
func offers(body object, name string) bool {
	found := false
	var look func(value any)
	look = func(value any) {
		switch value := value.(type) {
		case list:
			for _, element := range value {
				look(element)
			}
		case object:
			found = found || value["name"] == name
			for _, member := range value {
				look(member)
			}
		}
	}
	look(body["tools"])
	return found
}
