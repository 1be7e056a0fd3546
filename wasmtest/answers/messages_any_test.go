package answers_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/answers"
	"edgelingua/wasmtest/vendors"
)

type object = map[string]any

// reads is a T that records the last failure of a check. Its FailNow panics, to leave the check.
type reads struct{ refused string }

func (r *reads) Errorf(format string, args ...any) { r.refused = fmt.Sprintf(format, args...) }
func (r *reads) FailNow()                          { panic(r) }

// read returns the results of ReadMessages for a stream, or the reason why ReadMessages refuses the
// stream.
func read(stream string) (message, failure object, begun int, refused string) {
	r := &reads{}
	defer func() {
		if reason := recover(); reason != nil && reason != any(r) {
			panic(reason)
		}
		refused = r.refused
	}()
	message, failure, begun = answers.ReadMessages(r, []byte(stream))
	return message, failure, begun, ""
}

// goodEvents returns the events of a valid answer: thinking, a search, a text and two calls.
func goodEvents(t *testing.T) (events []object) {
	body := `{"model":"claude-opus-5-5","max_tokens":9,"stream":true,
		"messages":[{"role":"user","content":"x"}],"tools":[
			{"type":"web_search_20250305","name":"web_search"},{"name":"look",
				"input_schema":{"type":"object"}}
		]}`
	turn := &vendors.Turn{
		Reasoning: []vendors.Reasoning{{Text: "Hm.", Blob: "sig"}},
		Search:    &vendors.Search{Query: "tides", Title: "Tides", URL: "https://example.com/"},
		Text:      "High.",
		Calls: []vendors.Call{
			{ID: "toolu_1", Name: "look", Input: object{"a": "b"}},
			{ID: "toolu_2", Name: "look", Input: object{}},
		},
		Usage: vendors.Usage{Input: 1, Cached: 2, Output: 3},
	}
	request := &vendors.Request{Path: "/v1/messages", Body: []byte(body)}
	answer, err := vendors.New("anthropic", vendors.Options{}, nil).Play(request, turn)
	require.NoError(t, err)
	for _, piece := range answer.Pieces {
		_, data, _ := strings.Cut(string(piece), "data: ")
		var event object
		require.NoError(t, json.Unmarshal([]byte(data), &event))
		events = append(events, event)
	}
	return events
}

func framed(events []object) (stream string) {
	for _, event := range events {
		data, _ := json.Marshal(event)
		stream += fmt.Sprintf("event: %s\ndata: %s\n\n", event["type"], data)
	}
	return stream
}

// first returns the index of the first event that contains text.
func first(events []object, text string) int {
	for i, event := range events {
		data, _ := json.Marshal(event)
		if strings.Contains(string(data), text) {
			return i
		}
	}
	panic("no event with " + text)
}

func TestReadMessages(t *testing.T) {
	message, failure, begun, refused := read(framed(goodEvents(t)))
	require.Empty(t, refused)
	require.Nil(t, failure)
	require.Equal(t, 6, begun)
	content := message["content"].([]any)
	require.Len(t, content, 6)
	require.Equal(t, object{"type": "thinking", "thinking": "Hm.", "signature": "sig"}, content[0])
	require.Equal(t, object{"a": "b"}, content[4].(object)["input"])
	require.Equal(t, "tool_use", message["stop_reason"])

	events := goodEvents(t)
	broken := append(events[:first(events, "text_delta")], object{
		"type": "error", "error": object{"type": "overloaded_error", "message": "Broke."},
	})
	message, failure, begun, refused = read(framed(broken))
	require.Empty(t, refused)
	require.Nil(t, message)
	require.Equal(t, "Broke.", failure["message"])
	require.Equal(t, 4, begun)
}

func TestReadMessagesRefuses(t *testing.T) {
	member := func(text, inside, key string, value any) func([]object) []object {
		return func(events []object) []object {
			of := events[first(events, text)]
			if inside != "" {
				of = of[inside].(object)
			}
			if of[key] = value; value == nil {
				delete(of, key)
			}
			return events
		}
	}
	without := func(text string) func([]object) []object {
		return func(events []object) []object {
			i := first(events, text)
			return append(events[:i], events[i+1:]...)
		}
	}
	for wrong, change := range map[string]func([]object) []object{
		"no beginning":                     without("message_start"),
		"no end":                           without("message_stop"),
		"no stop_reason":                   without("message_delta"),
		"a block that does not begin":      without("content_block_start"),
		"a block that does not end":        without("content_block_stop"),
		"a message without an id":          member("message_start", "message", "id", nil),
		"a message of the user":            member("message_start", "message", "role", "user"),
		"a member that is not in the API":  member("message_start", "message", "object", "message"),
		"content at the beginning":         member("message_start", "message", "content", []any{"x"}),
		"no usage":                         member("message_start", "message", "usage", nil),
		"a negative count":                 member("message_delta", "usage", "output_tokens", -1),
		"no output_tokens":                 member("message_delta", "usage", "output_tokens", nil),
		"a gap in the indexes":             member("toolu_1", "", "index", 5),
		"a delta of another block":         member("thinking_delta", "", "index", 1),
		"an unknown block":                 member("text_delta", "delta", "type", "json_delta"),
		"a block with text at its start":   member(`"text":""`, "content_block", "text", "x"),
		"a call with input at its start":   member("toolu_1", "content_block", "input", object{"a": 1}),
		"a call whose id has a space":      member("toolu_1", "content_block", "id", "toolu 1"),
		"a search with input at its start": member("srvtoolu", "content_block", "input", object{"a": 1}),
		"two calls with one id":            member("toolu_2", "content_block", "id", "toolu_1"),
		"an end_turn after calls":          member("message_delta", "delta", "stop_reason", "end_turn"),
		"an unknown stop_reason":           member("message_delta", "delta", "stop_reason", "done"),
		"arguments that are no JSON":       member("partial_json", "delta", "partial_json", "{"),
		"something after the end": func(e []object) []object {
			return append(e, object{"type": "ping"})
		},
		"an unknown event": member("message_stop", "", "type", "message_end"),
		"an unknown error": func(e []object) []object {
			return append(e[:1], object{"type": "error", "error": object{"type": "oops", "message": "x"}})
		},
	} {
		t.Run(wrong, func(t *testing.T) {
			_, _, _, refused := read(framed(change(goodEvents(t))))
			require.NotEmpty(t, refused)
		})
	}
	stream := framed(goodEvents(t))
	for wrong, stream := range map[string]string{
		"an event that is cut":         strings.TrimSuffix(stream, "\n"),
		"data in two lines":            strings.Replace(stream, "data: ", "data:\ndata: ", 1),
		"an event without its name":    strings.Replace(stream, "event: message_start\n", "", 1),
		"an event with another's name": strings.Replace(stream, "event: message_stop", "event: ping", 1),
	} {
		t.Run(wrong, func(t *testing.T) {
			_, _, _, refused := read(stream)
			require.NotEmpty(t, refused)
		})
	}
}
