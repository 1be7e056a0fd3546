package sessions_test

import (
	"errors"
	"fmt"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// Claude Code's requests outside its session, and its reaction to errors and broken answers.

func userText(text string) object {
	return object{"role": "user", "content": list{object{"type": "text", "text": text}}}
}

// blockOf returns the first block of a type in a message, or nil if there is none.
func blockOf(message object, kind string) object {
	for _, block := range message["content"].(list) {
		if block := block.(object); block["type"] == kind {
			return block
		}
	}
	return nil
}

// ways runs a test for each upstream, streamed and plain.
func ways(t *testing.T, run func(t *testing.T, u *upstream, stream bool)) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		for _, stream := range []bool{true, false} {
			t.Run(modeOf(stream), func(t *testing.T) { run(t, u, stream) })
		}
	})
}

func TestClaudeCodeAsksForATitle(t *testing.T) {
	schema := object{
		"type": "object", "properties": object{"title": object{"type": "string"}},
		"required": list{"title"}, "additionalProperties": false,
	}
	ways(t, func(t *testing.T, u *upstream, stream bool) {
		s := u.serve(t, said(`{"title":"Fix"}`))
		message, err := claude(t, s, clients.AsItComes, nil).Side(object{
			"stream": stream, "messages": list{userText("<session>Fix the build")}, "tools": list{},
			"model":    "claude-opus-4-8", // Opus 5.5 rejects disabled thinking
			"thinking": object{"type": "disabled"},
			"output_config": object{
				"effort": "medium",
				"format": object{"type": "json_schema", "schema": schema},
			},
		})
		require.NoError(t, err)
		require.JSONEq(t, `{"title":"Fix"}`, message["content"].(list)[0].(object)["text"].(string))
		require.Contains(t, encode(s.body(0)), `"title":{"type":"string"}`)
	})
}

var search = &vendors.Search{Query: "tides", Title: "Tides", URL: "https://example.com/"}

var webSearch = object{"type": "web_search_20250305", "name": "web_search", "max_uses": 8}

func TestClaudeCodeSearchesTheWeb(t *testing.T) {
	ways(t, func(t *testing.T, u *upstream, stream bool) {
		request := func(messages ...any) object {
			return object{
				"stream":      stream,
				"tools":       list{webSearch},
				"tool_choice": object{"type": "auto"}, "messages": messages,
			}
		}
		// Chat Completions has no search. An error is better than a made-up answer, and the session
		// continues.
		if u.protocol == "chat" {
			s := u.serve(t, said("On."))
			code := claude(t, s, clients.AsItComes, nil)
			_, err := code.Side(request(userText("The tide?")))
			var answer *clients.ErrorAnswer
			require.True(t, errors.As(err, &answer), "%v", err)
			require.Equal(t, "tool_unsupported", answer.Details["error_code"])
			text, err := code.Say("Go on.")
			require.NoError(t, err)
			require.Equal(t, "On.", text)
			require.Len(t, s.Asked(), 1)
			return
		}
		s := u.serve(t, &vendors.Turn{Search: search, Text: "High.", Usage: usage}, said("Low."))
		code := claude(t, s, clients.AsItComes, nil)
		first, err := code.Side(request(userText("The tide?")))
		require.NoError(t, err)
		var kinds []any
		for _, block := range first["content"].(list) {
			kinds = append(kinds, block.(object)["type"])
		}
		wanted := []any{"server_tool_use", "web_search_tool_result", "text"}
		if u == gemini || u == interactions { // Google reports its searches after the text
			wanted = []any{"text", "server_tool_use", "web_search_tool_result"}
		}
		require.Equal(t, wanted, kinds)
		require.Equal(t, object{"query": "tides"}, blockOf(first, "server_tool_use")["input"])
		hits := blockOf(first, "web_search_tool_result")["content"].(list)
		require.Equal(t, search.URL, hits[0].(object)["url"])
		next, err := code.Side(
			request(userText("The tide?"), object{"role": "assistant", "content": first["content"]},
				userText("And now?")),
		)
		require.NoError(t, err)
		require.Equal(t, "Low.", blockOf(next, "text")["text"])
		s.done(t)
	})
}

func TestClaudeCodeRunsTwoAgentsAtOnce(t *testing.T) {
	t.Parallel()
	agent := regexp.MustCompile(`agent [AB]`)
	each(t, all, func(t *testing.T, u *upstream) {
		var s *served
		asked := 0
		s = u.play(t, func() *vendors.Turn {
			asked++
			switch asked {
			case 1:
				return calling("", call(1, "Task", object{"prompt": "agent A"}),
					call(2, "Task", object{"prompt": "agent B"}))
			case 2, 3:
				return said(fmt.Sprintf("Done by %s.", agent.FindString(encode(s.body(-1)))))
			case 4:
				return said("Both.")
			}
			return said("Three.")
		})
		var both sync.WaitGroup // both agents start before either sends a request
		both.Add(2)
		code := claude(t, s, clients.AsItComes, func(_ string, input object) any {
			both.Done()
			both.Wait()
			sub, err := clients.NewClaudeCode(s.server, clients.AsItComes, nil)
			if err != nil {
				return err.Error()
			}
			sub.Prompt = input["prompt"].(string)
			text, err := sub.Say("Go on.")
			if err != nil {
				return err.Error()
			}
			return text
		})
		text, err := code.Say("Go on.")
		require.NoError(t, err)
		require.Equal(t, "Both.", text)
		holds(t, s.body(3), "Done by agent A.", "Done by agent B.")
		text, err = code.Say("<system-reminder>A background agent is done.")
		require.NoError(t, err)
		require.Equal(t, "Three.", text)
	})
}

func TestClaudeCodeEnforcesASchemaAfterText(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		s := u.serve(t, said("Here."), calling("", call(1, "StructuredOutput", object{"title": "Fix"})),
			said("Done."))
		var inputs []object
		code := claude(t, s, clients.AsItComes, func(_ string, input object) any {
			inputs = append(inputs, input)
			return "ok"
		})
		for _, turn := range [][2]string{
			{"Go on.", "Here."}, {"[structured-output-enforce] Call StructuredOutput.", "Done."},
		} {
			text, err := code.Say(turn[0])
			require.NoError(t, err)
			require.Equal(t, turn[1], text)
		}
		require.Equal(t, []object{{"title": "Fix"}}, inputs)
	})
}

func TestClaudeCodeAsksAgainAfterABrokenStream(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		s := u.serve(t, broken(u.protocol, "Broke."), said("Whole."), said("Again."))
		code := claude(t, s, clients.AsItComes, nil)
		text, err := code.Say("Go on.")
		require.NoError(t, err)
		require.Equal(t, "Whole.", text)
		asked := s.Asked()
		require.Equal(t, []bool{true, false}, []bool{asked[0].Streamed, asked[1].Streamed})
		require.Len(t, asked, 2)
		text, err = code.Say("Go on.")
		require.NoError(t, err)
		require.Equal(t, "Again.", text)
	})
}

// refused sends a question and returns the error answer. Any other result fails the test.
func refused(t *testing.T, s *served) *clients.ErrorAnswer {
	text, err := claude(t, s, clients.AsItComes, nil).Say("Go on.")
	var answer *clients.ErrorAnswer
	require.True(t, errors.As(err, &answer), "%q, %v", text, err)
	return answer
}

// saying is a vendor's error answer. kind is an error type of Messages.
func saying(u *upstream, status int, kind, message string) *vendors.Turn {
	body := object{"error": object{"message": message, "type": kind, "param": nil, "code": nil}}
	if u.protocol == "anthropic" {
		body = failure("anthropic", status, kind, message)
	}
	return answering(vendors.Plain(status, body))
}

func TestClaudeCodeGetsErrors(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		t.Run("a model that is not found", func(t *testing.T) {
			missing := saying(u, 404, "not_found_error", "No such model.")
			answer := refused(t, u.serve(t, missing, missing))
			require.Equal(t, 404, answer.Status)
			require.Contains(t, answer.Message, "No such model")
		})
		t.Run("a prompt that is too long", func(t *testing.T) {
			words := "This model's maximum context length is 8 tokens."
			if u == anthropic {
				words = "prompt is too long: 9 tokens > 8 maximum"
			}
			answer := refused(t, u.serve(t, saying(u, 400, "invalid_request_error", words)))
			require.Equal(t, 400, answer.Status)
			require.Regexp(t, "prompt is too long|maximum context length", answer.Message)
		})
		for _, e := range []struct {
			status int
			kind   string
			shown  int // the status for Claude Code
		}{
			{401, "authentication_error", 401}, {403, "permission_error", 403},
			{413, "request_too_large", 413}, {429, "rate_limit_error", 429},
			{500, "api_error", 500}, {503, "overloaded_error", 529},
		} {
			t.Run(e.kind, func(t *testing.T) {
				status := e.status
				if u == anthropic {
					status = e.shown
				}
				answer := refused(t,
					u.serve(t, saying(u, status, e.kind, fmt.Sprintf("Said with %d.", e.status))))
				require.Equal(t, []any{e.shown, e.kind}, []any{answer.Status, answer.Type})
				require.Contains(t, answer.Message, "Said with")
			})
		}
	})
}

func TestClaudeCodeReachesTheLimitAndARefusal(t *testing.T) {
	t.Parallel()
	each(t, all, func(t *testing.T, u *upstream) {
		s := u.serve(t, &vendors.Turn{Text: "Half of", Stop: "length", Usage: usage}, said("it."),
			&vendors.Turn{Refusal: "I can't.", Usage: usage})
		code := claude(t, s, clients.AsItComes, nil)
		refusal := "refusal"
		if u == interactions { // Interactions returns a refusal as ordinary text
			refusal = "end_turn"
		}
		for _, turn := range [][3]string{
			{"Go on.", "Half of", "max_tokens"},
			{"Output token limit hit. Resume directly.", "it.", "end_turn"},
			{"And?", "I can't.", refusal},
		} {
			text, err := code.Say(turn[0])
			require.NoError(t, err)
			require.Equal(t, turn[1:], []string{text, code.Stop})
		}
	})
}
