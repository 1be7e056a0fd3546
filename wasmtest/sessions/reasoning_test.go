package sessions_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// asking has each client's request members for reasoning.
var asking = map[string]object{
	"anthropic": {
		"max_tokens": 4096,
		"thinking":   object{"type": "enabled", "budget_tokens": 2048, "display": "summarized"},
	},
	"chat": {"max_completion_tokens": 4096, "reasoning_effort": "medium"},
	"responses": {
		"max_output_tokens": 4096, "reasoning": object{"effort": "medium", "summary": "auto"},
		"include": list{"reasoning.encrypted_content"},
	},
}

// adaptive returns a client's request members for a model with adaptive thinking.
func adaptive(client string) object {
	more := asking[client]
	if client == "anthropic" {
		more = object{
			"max_tokens": 4096, "thinking": object{"type": "adaptive", "display": "summarized"},
			"output_config": object{"effort": "medium"},
		}
	}
	return with(more, "model", "adaptive")
}

// sdkThoughts returns the reasoning of an upstream before the n-th call.
func (u *upstream) sdkThoughts(n int) []vendors.Reasoning {
	switch u {
	case sonnet, openRouter:
		return []vendors.Reasoning{
			{Text: fmt.Sprintf(`Thinking "hard" \ %d 漢😀.`, n), Blob: fmt.Sprintf("sig+/%d==", n)},
			{Blob: fmt.Sprintf("redacted+/%d=", n), Redacted: true},
		}
	case deepSeek:
		return []vendors.Reasoning{{Text: fmt.Sprintf("Thinking %d.\nMore.", n)}}
	case gpt:
		return []vendors.Reasoning{
			{
				Text: fmt.Sprintf("Thinking %d.", n),
				Blob: fmt.Sprintf("gAAAA+/%d==", n),
				ID:   fmt.Sprintf("rs_%d", n),
			},
		}
	}
	return nil
}

// unkept returns why a session is impossible, or "" for a possible session. OpenAI's stream helper
// keeps only the last piece of an unknown member, and in a passthrough stream the pieces are the
// upstream's. Passthrough requests are not corrected for a second upstream of the same protocol.
func unkept(client string, one, other *upstream, stream bool) string {
	foreign := func(a, b *upstream) bool { return one == a && other == b || one == b && other == a }
	switch {
	case client == "anthropic" && foreign(sonnet, anyChat):
		return "passthrough, in the middle of a turn without thinking"
	case client != "chat":
		return ""
	case stream && (one == openRouter || one == deepSeek || other == openRouter || other == deepSeek):
		return "the SDK loses an upstream's own reasoning"
	case foreign(deepSeek, openRouter), foreign(deepSeek, anyChat), foreign(openRouter, anyChat):
		return "passthrough, and only the client can know the rules of each upstream"
	}
	return ""
}

// TestReasoningGoesBack changes the model at any turn of a session. Reasoning must return unchanged
// to the upstream that wrote it, and must not reach another upstream.
func TestReasoningGoesBack(t *testing.T) {
	t.Parallel()
	upstreams := []*upstream{sonnet, openRouter, deepSeek, anyChat, gpt}
	for _, client := range []string{"anthropic", "chat", "responses"} {
		for _, one := range upstreams {
			for _, other := range upstreams {
				for _, stream := range []bool{true, false} {
					if unkept(client, one, other, stream) != "" {
						continue
					}
					name := fmt.Sprintf("%s, %s to %s and back, %s", client, one.name, other.name,
						modeOf(stream))
					parallel(t, name, func(t *testing.T) {
						reasoningGoesBack(t, client, one, other, stream, asking[client])
					})
					if one == sonnet || other == sonnet {
						parallel(t, name+", adaptive", func(t *testing.T) {
							reasoningGoesBack(t, client, one, other, stream, adaptive(client))
						})
					}
				}
			}
		}
	}
}

// reasoningGoesBack makes two calls with one upstream and two with the other, and then returns to
// the first upstream.
func reasoningGoesBack(t *testing.T, client string, one, other *upstream, stream bool, more object) {
	called := func(u *upstream, n int) *vendors.Turn {
		turn := calling(fmt.Sprintf("Step %d.", n), call(n, "get_weather", object{"city": fmt.Sprint(n)}))
		turn.Reasoning = u.sdkThoughts(n)
		return turn
	}
	turns := map[*upstream][]*vendors.Turn{}
	turns[one] = append(turns[one], called(one, 1), called(one, 2))
	turns[other] = append(turns[other], called(other, 3), called(other, 4))
	turns[one] = append(turns[one], said("Done."))
	served := map[*upstream]*served{}
	for u, list := range turns {
		served[u] = u.serve(t, list...)
	}
	s := clients.NewSDK(client, served[one].server)
	s.Stream, s.More, s.Tools = stream, more, []clients.Tool{{Name: "get_weather", Schema: citySchema}}
	_, err := s.Say("Go on.")
	require.NoError(t, err)
	var last *clients.Said
	for n, at := range []*upstream{one, other, other, one} {
		s.Server = served[at].server
		last, err = s.Answer(
			clients.Result{
				ID:     fmt.Sprintf("call_%d", n+1),
				Output: []string{"one", "two", "three", "four"}[n],
			},
		)
		require.NoError(t, err)
	}
	requireSaid(t, said("Done."), "end", last)
	for _, s := range served {
		s.done(t)
	}
	if one == sonnet {
		require.Regexp(t, "^(enabled|adaptive)$", served[one].body(0)["thinking"].(object)["type"])
	}
}

// citySchema is the schema of a tool about a city.
var citySchema = object{
	"type":       "object",
	"properties": object{"city": object{"type": "string"}},
	"required":   list{"city"},
}

// requireSaid checks that a client received a turn as played.
func requireSaid(t *testing.T, wanted *vendors.Turn, stop string, got *clients.Said) {
	t.Helper()
	require.Equal(t, []any{wanted.Text, wanted.Calls, wanted.Usage, stop},
		[]any{got.Text, got.Calls, got.Usage, got.Stop})
}
