package sessions_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/clients"
	"edgelingua/wasmtest/vendors"
)

// Sessions with Google's Interactions API, which no client speaks.

// asksAll is asking, and Gemini's request members for reasoning.
func asksAll(client string) object {
	if client == "gemini" {
		return object{"generationConfig": object{
			"maxOutputTokens": 4096, "thinkingConfig": object{"includeThoughts": true},
		}}
	}
	return asking[client]
}

// shown has each client's user message with an image, and its result with an image. The doubles of
// Gemini's SDK and Chat Completions have no images in results.
func shown(client string) (turn, result any) {
	if client == "gemini" {
		return list{
			object{"text": "What is this?"},
			object{"inlineData": object{"mimeType": anyPNG, "data": asked}},
			object{"fileData": object{"mimeType": anyPNG, "fileUri": link}},
			object{"inlineData": object{"mimeType": "application/pdf", "data": pdf}},
		}, "It is"
	}
	return media[client].turn, media[client].result
}

// modes runs a test for each client, streamed and plain.
func modes(t *testing.T, run func(t *testing.T, client string, stream bool)) {
	t.Parallel()
	for _, client := range fourAPIs {
		for _, stream := range []bool{true, false} {
			parallel(t, client+", "+modeOf(stream), func(t *testing.T) { run(t, client, stream) })
		}
	}
}

// TestInteractionsLoop calls tools in two turns, with reasoning before each turn and images in the
// question and in a result. Google must get its signatures, in the turn of each.
func TestInteractionsLoop(t *testing.T) {
	modes(t, func(t *testing.T, client string, stream bool) {
		turn := func(n int, text string, calls ...vendors.Call) *vendors.Turn {
			thoughts := interactions.thoughts(n)
			return &vendors.Turn{Reasoning: thoughts, Text: text, Calls: calls, Usage: cachedUsage}
		}
		first := turn(1, "Let me look.", weather("call_a", "look", "Paris 漢😀"), weather("call_b", "time", ""))
		second := turn(2, "", weather("call_c", "time", "Oslo"))
		third := turn(3, "It is noon.")
		up := interactions.serve(t, first, second, third, said("You are welcome."))
		s := clients.NewSDK(client, up.server)
		s.Stream, s.More = stream, asksAll(client)
		s.Tools = []clients.Tool{{Name: "look", Schema: citySchema}, {Name: "time", Schema: citySchema}}
		question, result := shown(client)
		got, err := s.Say(question)
		require.NoError(t, err)
		requireSaid(t, first, "tool", got)
		got, err = s.Answer(clients.Result{ID: "call_b", Output: ""},
			clients.Result{ID: "call_a", Output: result})
		require.NoError(t, err)
		requireSaid(t, second, "tool", got)
		got, err = s.Answer(clients.Result{ID: "call_c", Output: "Noon."})
		require.NoError(t, err)
		requireSaid(t, third, "end", got)
		got, err = s.Say("Thank you.")
		require.NoError(t, err)
		requireSaid(t, said("You are welcome."), "end", got)
		up.done(t)
		holds(t, up.body(0), asked, link, pdf)
		for n := 1; n < 4; n++ {
			holds(t, up.body(n), asked, "It is", interactions.thoughts(1)[0].Blob)
			if client == "anthropic" || client == "responses" {
				holds(t, up.body(n), found)
			}
		}
		holds(t, up.body(2), interactions.thoughts(2)[0].Blob, "Noon.")
		require.Equal(t, []string{"user_input", "thought", "model_output", "function_call", "function_call",
			"function_result", "function_result", "thought", "function_call", "function_result"},
			stepsOf(up.body(2)))
	})
}

// stepsOf returns the types of a request's steps.
func stepsOf(body object) (kinds []string) {
	for _, step := range body["input"].(list) {
		kinds = append(kinds, step.(object)["type"].(string))
	}
	return kinds
}

// recordings is a folder with answers of the real service, one event a line, and bodies. It is not
// part of the repository.
const recordings = "../../../shared/recorded/interactions/"

// recorded returns an answer of the real service, and its signature.
func recorded(t *testing.T, name string, stream bool) (answer *vendors.Answer, signature string) {
	if !stream {
		body, err := os.ReadFile(recordings + name + ".json")
		require.NoError(t, err)
		for _, step := range decoded(body)["steps"].(list) {
			if s, ok := step.(object)["signature"].(string); ok && s != "" {
				signature = s
			}
		}
		return vendors.Plain(200, json.RawMessage(body)), signature
	}
	lines, err := os.ReadFile(recordings + name + ".chunks.txt")
	require.NoError(t, err)
	var events []string
	for line := range bytes.Lines(lines) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		event := decoded(line)
		if delta, ok := event["delta"].(object); ok && delta["signature"] != nil {
			signature = delta["signature"].(string)
		}
		events = append(events, "event: "+event["event_type"].(string)+"\ndata: "+string(line)+"\n\n")
	}
	return vendors.Stream(append(events, "event: done\ndata: [DONE]\n\n")...), signature
}

// TestRecordedInteractions runs sessions in which the real service gave the answers: the requests
// after an answer must return its signature, in a thought before its call.
func TestRecordedInteractions(t *testing.T) {
	if found, _ := filepath.Glob(recordings + "*"); len(found) == 0 {
		t.Skip("no recorded answers at " + recordings)
	}
	modes(t, func(t *testing.T, client string, stream bool) {
		call, signature := recorded(t, "tool-call-step1", stream)
		text, _ := recorded(t, "multi-turn-stateless-turn1", stream)
		last, _ := recorded(t, "multi-turn-stateless-turn2", stream)
		up := interactions.serve(t, answering(call), answering(text), answering(last))
		s := clients.NewSDK(client, up.server)
		s.Stream, s.More = stream, asksAll(client)
		s.Tools = []clients.Tool{{Name: "getWeather", Schema: citySchema}}
		got, err := s.Say("What is the weather like?")
		require.NoError(t, err)
		require.Equal(t, "tool", got.Stop)
		require.Len(t, got.Calls, 1)
		require.Equal(t, "getWeather", got.Calls[0].Name)
		require.Equal(t, object{"location": "San Francisco"}, got.Calls[0].Input)
		got, err = s.Answer(clients.Result{ID: got.Calls[0].ID, Output: "Fog."})
		require.NoError(t, err)
		require.Equal(t, "end", got.Stop)
		require.Contains(t, got.Text, "Madrid")
		got, err = s.Say("And the second largest?")
		require.NoError(t, err)
		require.Contains(t, got.Text, "landmark in **Barcelona**")
		up.done(t)
		for n := 1; n < 3; n++ {
			input := up.body(n)["input"].(list)
			at := slices.IndexFunc(input, func(step any) bool { return step.(object)["type"] == "function_call" })
			require.Positive(t, at)
			require.Equal(t, signature, input[at-1].(object)["signature"], strings.Join(stepsOf(up.body(n)), " "))
		}
	})
}
