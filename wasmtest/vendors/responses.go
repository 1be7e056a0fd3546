package vendors

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// checkResponses refuses what OpenAI's Responses API refuses: with store false or, with Options.Stores,
// also requests that are stored.
func checkResponses(v *Vendor, r *parsed) {
	if v.options.Stores {
		r.body = maps.Clone(r.body)
		if input := get[[]any](r.body, "input"); input != nil {
			r.body["input"] = resolve(input, &v.issued)
		}
		storedRequest(r.body, "")
	} else {
		unstoredRequest(r.body, "")
	}
	checkResponsesTools(r.body)
	input := objects(r.body, "input")
	checkItemCalls(input)
	isNew := shape.Unique("item ids")
	for i, item := range input {
		if has(item, "id") {
			isNew(text(item, "id"), fmt.Sprintf("input[%d].id", i))
		}
	}
	checkPhases(text(r.body, "model"), input)
	for i, item := range input {
		checkItemReasoning(item, fmt.Sprintf("input[%d]", i), input[:i], input[i+1:], &v.issued)
	}
}

// resolve returns the input with the stored items to which item_references refer.
func resolve(input []any, issued *issued) []any {
	input = slices.Clone(input)
	for i, element := range input {
		item, _ := element.(object)
		if text(item, "type") != "item_reference" {
			continue
		}
		id := text(item, "id")
		stored, ok := issued.items[id]
		if !ok {
			shape.Refuse(fmt.Sprintf("input[%d]", i), "Item with id '%s' not found.", id)
		}
		input[i] = stored
	}
	return input
}

// outputs has for each type of output how the API names its call, and the types of calls that it
// answers. Codex answers a local_shell_call with a function_call_output.
var outputs = map[string]struct {
	name  string
	calls []string
}{
	"function_call_output":    {"function call", []string{"function_call", "local_shell_call"}},
	"custom_tool_call_output": {"custom tool call", []string{"custom_tool_call"}},
	"tool_search_output":      {"tool search call", []string{"tool_search_call"}},
}

// callNames has how the API names a call, by its type.
var callNames = map[string]string{
	"function_call":    "function call",
	"local_shell_call": "function call",
	"custom_tool_call": "custom tool call",
	"tool_search_call": "tool search call",
}

// checkItemCalls demands that each call has an output of its kind, and that each output has a call.
func checkItemCalls(input []object) {
	isNew := shape.Unique("call_id")
	open := map[string]string{} // the type of a call without an output by its call_id; "" after its output
	var ids []string
	for i, item := range input {
		kind, id := text(item, "type"), text(item, "call_id")
		if callNames[kind] != "" {
			isNew(id, fmt.Sprintf("input[%d].call_id", i))
			open[id] = kind
			ids = append(ids, id)
			continue
		}
		output, isOutput := outputs[kind]
		if !isOutput {
			continue
		}
		if called, made := open[id]; !slices.Contains(output.calls, called) {
			what := "no tool call found"
			if made {
				what = "a second output"
			}
			shape.Refuse(fmt.Sprintf("input[%d]", i), "%s for %s output with call_id %s", what, output.name, id)
		}
		open[id] = ""
	}
	for _, id := range ids {
		if open[id] != "" {
			shape.Refuse("input", "No tool output found for %s %s", callNames[open[id]], id)
		}
	}
}

// phasedModel matches the models that give each of their messages a phase (API reference, "phase"),
// and that demand it back.
var phasedModel = regexp.MustCompile(`^gpt-(?:5\.3-codex|5\.[456]|6)(?:[^0-9]|$)`)

// checkPhases demands the phase of each message of the assistant's, unless the client sends none, and no
// phase anywhere else. What is before a call in its turn is no final answer.
func checkPhases(model string, input []object) {
	some := slices.ContainsFunc(input, func(item object) bool {
		return text(item, "role") == "assistant" && text(item, "phase") != ""
	})
	for i, item := range input {
		path := fmt.Sprintf("input[%d].phase", i)
		said, phase := text(item, "role") == "assistant", text(item, "phase")
		if phase != "" && (!said || !phasedModel.MatchString(model)) {
			shape.Refuse(path, "Unknown parameter")
		}
		if said && some && phase == "" {
			shape.Refuse(path, "dropped")
		}
		if phase == "final_answer" && callFollows(input[i+1:]) {
			shape.Refuse(path, "a final answer in front of a call")
		}
	}
}

// callFollows reports whether the next item that is not the assistant's message or reasoning is a call.
func callFollows(input []object) bool {
	for _, item := range input {
		kind, role := text(item, "type"), text(item, "role")
		if callNames[kind] != "" {
			return true
		}
		if _, isOutput := outputs[kind]; isOutput || role != "" && role != "assistant" {
			return false
		}
	}
	return false
}

// checkItemReasoning demands that a reasoning item is what was issued, and that the message or the call
// that came with it follows. A call must have its reasoning before it.
func checkItemReasoning(item object, path string, before, after []object, issued *issued) {
	kind, blob := text(item, "type"), text(item, "encrypted_content")
	for _, thought := range issued.before[text(item, "call_id")] {
		isThought := func(item object) bool { return text(item, "encrypted_content") == thought.Blob }
		if !slices.ContainsFunc(before, isThought) {
			shape.Refuse(path,
				"Item of type '%s' was provided without its required 'reasoning' item: '%s'", kind, thought.ID)
		}
	}
	switch kind {
	case "compaction":
		if !issued.knows(blob) {
			shape.Refuse(path, "The encrypted content of the compaction could not be verified")
		}
	case "compaction_trigger":
		if len(after) > 0 {
			shape.Refuse(path, "a compaction_trigger must be the last item")
		}
	case "reasoning":
		id := text(item, "id")
		if !issued.signed(blob, id) {
			shape.Refuse(path, "The encrypted content for item %s could not be verified", id)
		}
		isOther := func(item object) bool { return text(item, "type") != "reasoning" }
		i := slices.IndexFunc(after, isOther)
		if i < 0 || callNames[text(after[i], "type")] == "" && text(after[i], "role") != "assistant" {
			shape.Refuse(path, "Item '%s' of type 'reasoning' was provided without its required following item", id)
		}
	}
}
