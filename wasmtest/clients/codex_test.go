package clients

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/wasmtest/vendors"
)

// These tests check the doubles themselves: a double accepts a good stream, and refuses a stream
// with a single mistake.

var goodTurn = vendors.Turn{
	Reasoning: []vendors.Reasoning{{ID: "rs_1", Text: "Hm.", Blob: "gAAA"}},
	Text:      "Let me see.",
	Calls: []vendors.Call{
		{ID: "call_1", Name: "echo", Namespace: "ns", Input: object{"a": 1}},
		{ID: "call_2", Name: "patch", Kind: "custom", Input: "x y"},
		{ID: "call_3", Name: "tool_search", Kind: "search", Input: object{"query": "x"}},
		{ID: "call_4", Name: "local_shell", Kind: "shell", Input: list{"ls"}},
	},
	Usage: vendors.Usage{Input: 1, Cached: 2, Output: 3},
}

// eventsOf returns the stream events of a turn.
func eventsOf(t *testing.T, turn vendors.Turn) (events []object) {
	body := encode(object{"model": "gpt-5.5", "stream": true, "input": list{}, "tools": list{
		object{"type": "namespace", "name": "ns", "tools": list{object{"type": "function", "name": "echo"}}},
		object{
			"type": "custom",
			"name": "patch",
		}, object{"type": "tool_search"}, object{"type": "local_shell"},
	}})
	v := vendors.New("responses", vendors.Options{}, nil)
	a, err := v.Play(&vendors.Request{Path: "/v1/responses", Body: body}, &turn)
	require.NoError(t, err)
	for _, piece := range a.Pieces {
		_, data, _ := strings.Cut(string(piece), "data: ")
		var event object
		require.NoError(t, json.Unmarshal([]byte(data), &event))
		events = append(events, event)
	}
	return events
}

func framed(events []object) (stream []byte) {
	for _, event := range events {
		stream = fmt.Appendf(stream, "event: %s\ndata: %s\n\n", event["type"], encode(event))
	}
	return stream
}

// doneItems returns the items in the response.output_item.done events.
func doneItems(events []object) (items []object) {
	for _, event := range events {
		if event["type"] == "response.output_item.done" {
			items = append(items, event["item"].(object))
		}
	}
	return items
}

func endOf(events []object) object { return events[len(events)-1]["response"].(object) }

func remove(key string, of func(events []object) object) func(*[]object) {
	return func(events *[]object) { delete(of(*events), key) }
}

func set(key string, value any, of func(events []object) object) func(*[]object) {
	return func(events *[]object) { of(*events)[key] = value }
}

func itemAt(i int) func(events []object) object {
	return func(events []object) object { return doneItems(events)[i] }
}

func usageOf(events []object) object { return endOf(events)["usage"].(object) }

func partOf(events []object) object { return doneItems(events)[1]["content"].(list)[0].(object) }

func actionOf(events []object) object { return doneItems(events)[5]["action"].(object) }

func TestReadCodex(t *testing.T) {
	items, err := ReadCodex(framed(eventsOf(t, goodTurn)))
	require.NoError(t, err)
	require.Len(t, items, 6)
	for wrong, change := range map[string]func(events *[]object){
		"no end":                            func(e *[]object) { *e = (*e)[:len(*e)-1] },
		"an end without an id":              remove("id", endOf),
		"an end with another id":            set("id", "resp_2", endOf),
		"an end without usage":              remove("usage", endOf),
		"usage without a total":             remove("total_tokens", usageOf),
		"a wrong total":                     set("total_tokens", 1, usageOf),
		"empty details of the input":        set("input_tokens_details", object{}, usageOf),
		"empty details of the output":       set("output_tokens_details", object{}, usageOf),
		"an end without the output":         set("output", list{}, endOf),
		"an end that says it is incomplete": set("status", "incomplete", endOf),
		"something after the end": func(e *[]object) {
			*e = append(*e, object{"type": "response.output_text.delta", "sequence_number": len(*e)})
		},
		"a number twice":                       func(e *[]object) { (*e)[3]["sequence_number"] = 2 },
		"an item that is not done":             func(e *[]object) { *e = withoutFirstDone(*e) },
		"an item at another place":             shiftItems,
		"a reasoning item without a summary":   remove("summary", itemAt(0)),
		"a message without a role":             remove("role", itemAt(1)),
		"a message without its phase":          remove("phase", itemAt(1)),
		"a final answer before calls":          set("phase", "final_answer", itemAt(1)),
		"a message without annotations":        remove("annotations", partOf),
		"a text other than its deltas":         set("text", "Let me.", partOf),
		"a call without call_id":               remove("call_id", itemAt(2)),
		"a call without a name":                remove("name", itemAt(2)),
		"a call that is in progress":           set("status", "in_progress", itemAt(2)),
		"arguments that are an object":         set("arguments", object{"a": 1}, itemAt(2)),
		"arguments other than their deltas":    set("arguments", `{"a":2}`, itemAt(2)),
		"an undocumented member":               set("kind", "function", itemAt(2)),
		"free text other than its deltas":      set("input", "x", itemAt(3)),
		"free text as arguments":               asArguments,
		"a search with arguments in a string":  set("arguments", "{}", itemAt(4)),
		"a search without execution":           remove("execution", itemAt(4)),
		"a shell without a command":            set("command", list{}, actionOf),
		"a shell with a command in a string":   set("command", "ls", actionOf),
		"a shell without env":                  remove("env", actionOf),
		"an unknown item":                      set("type", "shell", itemAt(5)),
		"an event whose data has another type": func(e *[]object) { (*e)[1]["type"] = "response.queued" },
		"an output of other items":             set("output", list{object{"type": "message"}}, endOf),
		"a response that was never created":    func(e *[]object) { (*e)[0]["type"] = "response.queued" },
		"an item twice in the output":          twice,
	} {
		t.Run(wrong, func(t *testing.T) {
			events := eventsOf(t, goodTurn)
			change(&events)
			stream := framed(events)
			if strings.HasPrefix(wrong, "an event whose") {
				stream = []byte(
					strings.Replace(string(stream), "event: response.queued", "event: response.in_progress",
						1),
				)
			}
			_, err := ReadCodex(stream)
			require.Error(t, err)
		})
	}
}

// asArguments moves the free text of a custom call to arguments, the member of function calls.
func asArguments(events *[]object) {
	item := doneItems(*events)[3]
	item["arguments"] = item["input"]
	delete(item, "input")
}

// twice repeats the first item at the end of the output.
func twice(events *[]object) {
	end := endOf(*events)
	end["output"] = append(end["output"].(list), doneItems(*events)[0])
}

func withoutFirstDone(events []object) (rest []object) {
	removed := false
	for _, event := range events {
		if !removed && event["type"] == "response.output_item.done" {
			removed = true
			continue
		}
		event["sequence_number"] = len(rest)
		rest = append(rest, event)
	}
	return rest
}

func shiftItems(events *[]object) {
	for _, event := range *events {
		if n, ok := event["output_index"].(float64); ok && n > 0 {
			event["output_index"] = n + 1
		}
	}
}

func TestReadCodexOfAnAnswerThatIsCut(t *testing.T) {
	for ending, code := range map[string]string{"failed": "server_error", "incomplete": "incomplete"} {
		turn := goodTurn
		turn.Calls = nil
		events := eventsOf(t, turn)
		events[len(events)-1]["type"] = "response." + ending
		response := endOf(events)
		last := response["output"].(list)[1].(object)
		doneItems(events)[1]["status"], last["status"] = "incomplete", "incomplete"
		response["status"], response["error"] = ending, object{"code": "server_error", "message": "x"}
		response["incomplete_details"] = object{"reason": "x"}
		_, err := ReadCodex(framed(events))
		var failed *Failed
		require.ErrorAs(t, err, &failed)
		require.Equal(t, code, failed.Code)
		last["status"] = "completed"
		_, err = ReadCodex(framed(events))
		var wrong *mistake
		require.ErrorAs(t, err, &wrong, "what was cut is not complete")
	}
}

func TestCodexCalls(t *testing.T) {
	const arguments = `{"text":"x"}`
	echo := object{"type": "function_call", "namespace": "mcp__srv", "name": "echo", "arguments": arguments}
	patch := object{"type": "custom_tool_call", "name": "apply_patch", "input": "x"}
	now := object{"type": "function_call", "namespace": "mcp__weather", "name": "now", "arguments": arguments}
	callOf := func(item object, learn bool) (call Call, err error) {
		c, err := NewCodex(Server{}, "gpt-5.5", nil)
		require.NoError(t, err)
		if learn {
			c.learn(Found, "")
		}
		err = attempt(func() { call = c.callOf(item) })
		return call, err
	}
	for _, item := range []object{echo, patch, now} {
		call, err := callOf(item, true)
		require.NoError(t, err)
		require.Equal(t, item["name"], call.Name)
	}
	for wrong, item := range map[string]object{
		"without its namespace":            {"type": "function_call", "name": "echo", "arguments": arguments},
		"with its namespace in its name":   copied(now, object{"namespace": "", "name": "mcp__srv__echo"}),
		"with both":                        copied(echo, object{"name": "mcp__srv__echo"}),
		"of free text as a function":       copied(now, object{"namespace": "", "name": "apply_patch"}),
		"of a function with free text":     copied(echo, object{"type": "custom_tool_call", "input": "x"}),
		"of a tool that was not found yet": now,
		"of a tool that was not offered":   {"type": "local_shell_call", "action": object{"command": list{}}},
		"with arguments that are no JSON":  copied(echo, object{"arguments": "{"}),
	} {
		t.Run(wrong, func(t *testing.T) {
			_, err := callOf(item, false)
			require.Error(t, err)
		})
	}
}
