package sessions_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

const patch = "*** Begin Patch\n+\"quotes\" \\ é 漢 😀\n"

// TestOtherToolsOfOpenAIsSDK calls tools other than functions through OpenAI's own SDK.
func TestOtherToolsOfOpenAIsSDK(t *testing.T) {
	t.Parallel()
	made := vendors.Call{Name: "apply_patch", Kind: "custom", Input: patch}
	city := object{"city": "Oslo"}
	calls := map[string][]vendors.Call{
		"responses": {
			made,
			{Namespace: "crm", Name: "look", Input: city},
			{Name: "local_shell", Kind: "shell", Input: list{"ls"}},
		},
		"chat": {made, {Name: "look", Input: city}},
	}
	each(t, all, func(t *testing.T, u *upstream) {
		for _, client := range []string{"responses", "chat"} {
			if client == "chat" && u == chat { // passthrough, and the strict Chat server has no custom tools
				continue
			}
			for _, stream := range []bool{true, false} {
				t.Run(client+", "+modeOf(stream), func(t *testing.T) {
					first := &vendors.Turn{Text: "Let me see.", Usage: usage}
					if client != "chat" {
						first.Reasoning = u.thoughts(1)
					}
					for i, call := range calls[client] {
						call.ID = fmt.Sprintf("call_%d", i)
						first.Calls = append(first.Calls, call)
					}
					up := u.serve(t, first, said("Done."))
					s := clients.NewSDK(client, up.server)
					s.Stream = stream
					if client == "chat" {
						chatTools(t, s)
					} else {
						responsesTools(t, s)
					}
					up.done(t)
				})
			}
		}
	})
}

func lark(definition string) object {
	return object{"syntax": "lark", "definition": definition}
}

func responsesTools(t *testing.T, s *clients.SDK) {
	format := with(lark("start: /.+/"), "type", "grammar")
	s.More = object{
		"model": "gpt-4.1", "include": list{"reasoning.encrypted_content"},
		"tools": list{
			object{"type": "custom", "name": "apply_patch", "format": format},
			object{"type": "namespace", "name": "crm", "description": "", "tools": list{
				object{"type": "function", "name": "look", "strict": true, "parameters": closedSchema},
			}},
			object{"type": "local_shell"},
		},
	}
	got, err := s.Say("Go on.")
	require.NoError(t, err)
	output := got.Body["output"].(list)
	require.GreaterOrEqual(t, len(output), 3)
	last := output[len(output)-3:]
	custom, function, shell := last[0].(object), last[1].(object), last[2].(object)
	require.Equal(t, []any{"custom_tool_call", "apply_patch", patch},
		[]any{custom["type"], custom["name"], custom["input"]})
	require.Equal(t, []any{"function_call", "crm", "look"},
		[]any{function["type"], function["namespace"], function["name"]})
	require.JSONEq(t, `{"city":"Oslo"}`, function["arguments"].(string))
	require.Equal(t, []any{"local_shell_call", list{"ls"}},
		[]any{shell["type"], shell["action"].(object)["command"]})
	s.History = append(s.History,
		object{"type": "custom_tool_call_output", "call_id": custom["call_id"], "output": "ok"},
		object{"type": "function_call_output", "call_id": function["call_id"], "output": "ok"},
		object{"type": "function_call_output", "call_id": shell["call_id"], "output": "ok"})
	got, err = s.Answer()
	require.NoError(t, err)
	require.Equal(t, "Done.", got.Text)
}

func chatTools(t *testing.T, s *clients.SDK) {
	format := object{"type": "grammar", "grammar": lark("start: /.+/")}
	s.More = object{
		"model": "gpt-4.1",
		"tools": list{
			object{"type": "custom", "custom": object{"name": "apply_patch", "format": format}},
			object{
				"type":     "function",
				"function": object{"name": "look", "strict": true, "parameters": closedSchema},
			},
		},
	}
	for name, value := range withoutUsage(s.Stream) {
		s.More[name] = value
	}
	got, err := s.Say("Go on.")
	require.NoError(t, err)
	calls := choiceOf(got)["message"].(object)["tool_calls"].(list)
	require.Len(t, calls, 2)
	custom, function := calls[0].(object), calls[1].(object)
	require.Equal(t, []any{"custom", object{"name": "apply_patch", "input": patch}},
		[]any{custom["type"], custom["custom"]})
	called := function["function"].(object)
	require.Equal(t, []any{"function", "look"}, []any{function["type"], called["name"]})
	require.JSONEq(t, `{"city":"Oslo"}`, called["arguments"].(string))
	got, err = s.Answer(clients.Result{ID: custom["id"].(string), Output: "ok"},
		clients.Result{ID: function["id"].(string), Output: "ok"})
	require.NoError(t, err)
	require.Equal(t, "Done.", got.Text)
}
