package ir

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestCallerOf: only code is a caller to report; a model's own call may say so, or nothing.
func TestCallerOf(t *testing.T) {
	for given, want := range map[Raw]Raw{
		"null": "", `{"type":"direct"}`: "",
		`{"type":"code_execution_20250825","tool_id":"x"}`: `{"type":"code_execution_20250825","tool_id":"x"}`,
	} {
		assert.Equal(t, want, CallerOf(given), given)
	}
}

// TestOpenProgram: an envelope has a program's id and state. A changed envelope has no vendor.
func TestOpenProgram(t *testing.T) {
	h := &Hosted{Origin: "anthropic", ID: "srvtoolu_1", State: "container_1"}
	envelope := AppendProgram(nil, h)
	assert.True(t, IsEnvelope(Escaped(envelope)))
	var opened Hosted
	opened.OpenProgram(Escaped(envelope))
	assert.Equal(t, h, &opened)
	for _, changed := range []Escaped{
		"", "el1", "el2:anthropic:p:a:b", "el1:anthropic:t:a:b", "el1:anthropic:p::b",
		"el1:anthropic:p:a b:c", `el1:anthropic:p:a:b\"c`, "el1:anthropic:p:a:b:c",
	} {
		var opened Hosted
		opened.OpenProgram(changed)
		assert.Equal(t, Hosted{}, opened, changed)
	}
}

// TestSettlePrograms: a ProgramTool needs a tool for the code to call, and no client's tool of the same
// name.
func TestSettlePrograms(t *testing.T) {
	code := Tool{Kind: ProgramTool, Name: codeTool}
	callable := Tool{Name: "f", Callers: `["x"]`}
	for _, c := range []struct {
		tools []Tool
		runs  bool
	}{
		{[]Tool{code, callable}, true},
		{[]Tool{code, {Name: "f", Callers: `["direct"]`}}, false},
		{[]Tool{code, {Kind: WebSearchTool, Name: "f", Callers: `["x"]`}}, false},
		{[]Tool{code, {Name: "f"}}, false},
		{[]Tool{callable}, false},
		{[]Tool{{Kind: ProgramTool, Name: "p"}, callable, {Name: codeTool}}, false},
	} {
		r := &Request{Tools: append([]Tool(nil), c.tools...)}
		r.SettlePrograms()
		assert.Equal(t, c.runs, r.RunsPrograms(&Target{Programs: true}), "%v", c.tools)
		assert.False(t, r.RunsPrograms(&Target{}))
	}
}
