package sessions_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// Other content in sessions of Codex: images, developer messages in the middle of the session, a
// schema, searches, summaries.

// images has the image of the user's message and the images returned by two tools.
var images = []string{"iVBORw0KGgoAAAAAAA==", "iVBORw0KGgoBBBBBBB==", "iVBORw0KGgoCCCCCCC=="}

func inputImage(data string) object {
	return object{"type": "input_image", "image_url": "data:image/png;base64," + data, "detail": "high"}
}

func inputText(text string) object { return object{"type": "input_text", "text": text} }

func message(role string, content ...any) object {
	return object{"type": "message", "role": role, "content": content}
}

func exec(n int) vendors.Call { return call(n, "exec_command", object{"cmd": "x"}) }

func applyPatch(n int) vendors.Call { return of(call(n, "apply_patch", "x"), "custom", "") }

// thinking is a turn with calls after reasoning.
func thinking(u *upstream, n int, calls ...vendors.Call) *vendors.Turn {
	return &vendors.Turn{Reasoning: u.thoughts(n), Calls: calls, Usage: usage}
}

func TestCodexShowsImages(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		s := u.serve(t, thinking(u, 1, exec(1), applyPatch(2), exec(3)), thinking(u, 2, exec(4)),
			said("Cats."))
		c := codex(t, s, "gpt-5.5", func(call clients.Call) any {
			if call.Name == "apply_patch" {
				return list{inputImage(images[2])}
			}
			return list{inputText("It is"), inputImage(images[1])}
		})
		text, err := c.Say(message("user", inputText("What is this?"), inputImage(images[0])))
		require.NoError(t, err)
		require.Equal(t, "Cats.", text)
		holds(t, s.body(1), images...)
	})
}

func TestCodexIsSteeredAfterResults(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		s := u.serve(t, thinking(u, 1, exec(1), applyPatch(2)), thinking(u, 3, exec(3), applyPatch(4)),
			thinking(u, 5, exec(5), applyPatch(6)), said("Done."))
		c := codex(t, s, "gpt-5.5", func(call clients.Call) any {
			if call.Name == "exec_command" {
				return list{inputText("It is"), inputImage(images[1])}
			}
			return "ok"
		})
		c.Steer = [][]any{
			{message("developer", inputText("Mind the budget."))},
			{message("user", inputText("Hurry up.")), message("developer", inputText("Be brief."))},
			{message("user", inputText("Well?"))},
		}
		text, err := c.Say(message("developer", inputText("<skills>")), "Go on.",
			message("developer", inputText("Begin.")))
		require.NoError(t, err)
		require.Equal(t, "Done.", text)
		holds(t, s.body(-1), "<skills>", "Go on.", "Begin.", "Mind the budget.", "Hurry up.", "Be brief.",
			"Well?")
	})
}

func TestCodexWantsASchema(t *testing.T) {
	t.Parallel()
	schema := object{
		"type": "object", "properties": object{"city": object{"type": "string"}},
		"required": list{"city"}, "additionalProperties": false,
	}
	format := object{"type": "json_schema", "strict": true, "name": "codex_output_schema", "schema": schema}
	each(t, all, func(t *testing.T, u *upstream) {
		s := u.serve(t, thinking(u, 1, exec(1)), said(`{"city":"Oslo"}`))
		text, err := codex(t, s, "gpt-5.5", okay).SayWith(object{"text": object{"format": format}}, "Where?")
		require.NoError(t, err)
		require.JSONEq(t, `{"city":"Oslo"}`, text)
		require.Len(t, s.Asked(), 2)
		for n := range s.Asked() {
			require.Contains(t, encode(s.body(n)), `"city":{"type":"string"}`)
		}
	})
}

func TestCodexSearchesTheWeb(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		run, searches := search, 2
		if u.protocol == "chat" {
			run, searches = nil, 0
		}
		s := u.serve(t,
			&vendors.Turn{Search: run, Text: "High.", Calls: []vendors.Call{exec(1)}, Usage: usage},
			&vendors.Turn{Search: run, Text: "Low.", Usage: usage}, said("Bye."))
		c := codex(t, s, "gpt-5.5", okay)
		text, err := c.Say("The tide?")
		require.NoError(t, err)
		require.Equal(t, "Low.", text)
		seen := 0
		for _, item := range c.Input {
			if item.(object)["type"] == "web_search_call" {
				seen++
			}
		}
		require.Equal(t, searches, seen)
		if run == nil {
			require.Contains(t, c.Lost, "tools[4]")
		}
		text, err = c.Say("Thank you.")
		require.NoError(t, err)
		require.Equal(t, "Bye.", text)
	})
}

func TestCodexGoesOnFromASummary(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		s := u.serve(t, thinking(u, 1, exec(1), applyPatch(2)), said("Done."), said("We did."), said("Yes."))
		c := codex(t, s, "gpt-5.5", okay)
		_, err := c.Say("Go on.")
		require.NoError(t, err)
		text, err := c.SayWith(object{"tools": list{}}, "CONTEXT CHECKPOINT COMPACTION: summarize.")
		require.NoError(t, err)
		require.Equal(t, "We did.", text)
		holds(t, s.body(-1), "COMPACTION")
		text, err = codex(t, s, "gpt-5.5", okay).Say("Go on.", "A summary: We did.", "And?")
		require.NoError(t, err)
		require.Equal(t, "Yes.", text)
	})
}

func TestCodexHasTheServerCompact(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		compacted := said("We did.")
		if u == responses {
			compacted = &vendors.Turn{Compaction: "gAAAcmp", Usage: usage}
		}
		s := u.serve(t, thinking(u, 1, exec(1)), said("Done."), compacted, said("Yes."))
		c := codex(t, s, "gpt-5.5", okay)
		_, err := c.Say("Go on.")
		require.NoError(t, err)
		c.Input = append(c.Input, object{"type": "compaction_trigger"})
		items, err := c.Ask()
		require.NoError(t, err)
		require.Len(t, items, 1)
		require.Equal(t, "compaction", items[0]["type"])
		c.Input = list{message("developer", inputText("You are Codex.")), items[0]}
		text, err := c.Say("And?")
		require.NoError(t, err)
		require.Equal(t, "Yes.", text)
		s.done(t)
	})
}
