package vendors

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// checkResponses applies the rules of OpenAI's Responses API. Without Options.Stores, a request
// must set store to false.
func checkResponses(v *Vendor, r *parsed) {
	if v.options.Stores {
		r.body = maps.Clone(r.body)
		if input := get[[]any](r.body, "input"); input != nil {
			r.body["input"] = resolve(input, &v.issued)
		}
		storedRequest(r.body, "")
	} else if v.options.Host == atXAI {
		unstoredRequest(loosened(r.body), "")
	} else {
		unstoredRequest(r.body, "")
	}
	checkResponsesTools(r.body)
	if v.options.Functions {
		checkFunctions(r.body)
	}
	if v.options.Host == atXAI {
		checkXAIResponses(r.body)
	}
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

// resolve returns a copy of the input with each item_reference replaced by the stored item.
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

// outputs has, for each type of output, the API's name for the call and the types of calls with
// such an output. Codex answers a local_shell_call with a function_call_output.
var outputs = map[string]struct {
	name  string
	calls []string
}{
	"function_call_output":    {"function call", []string{"function_call", "local_shell_call"}},
	"custom_tool_call_output": {"custom tool call", []string{"custom_tool_call"}},
	"tool_search_output":      {"tool search call", []string{"tool_search_call"}},
}

// callNames has the API's name for each type of call.
var callNames = map[string]string{
	"function_call":    "function call",
	"local_shell_call": "function call",
	"custom_tool_call": "custom tool call",
	"tool_search_call": "tool search call",
}

// checkItemCalls requires an output of the matching type for each call, and a call for each output.
func checkItemCalls(input []object) {
	isNew := shape.Unique("call_id")
	open := map[string]string{} // by call_id: the type of the call, "" once it has an output
	var ids []string
	for i, item := range input {
		kind, id := text(item, "type"), text(item, "call_id")
		if text(item, "execution") == "server" {
			continue // both the call and the output are the server's, and neither has a call_id
		}
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
			shape.Refuse(fmt.Sprintf("input[%d]", i),
				"%s for %s output with call_id %s", what, output.name, id)
		}
		open[id] = ""
	}
	for _, id := range ids {
		if open[id] != "" {
			shape.Refuse("input", "No tool output found for %s %s", callNames[open[id]], id)
		}
	}
}

// phasedModel matches the models that give each message a phase and require the phase back (API
// reference, "phase").
var phasedModel = regexp.MustCompile(`^gpt-(?:5\.3-codex|5\.[456]|6)(?:[^0-9]|$)`)

// checkPhases requires a phase on each assistant message, unless the client sends no phases at all.
// A phase anywhere else is rejected. No message before a call of the same turn is a final
// answer.
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

// callFollows reports whether the next item, skipping assistant messages and reasoning, is a call.
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

// checkItemReasoning requires a reasoning item to be as issued, and to precede an assistant message
// or a call. A call needs the reasoning issued with the call among the items before.
func checkItemReasoning(item object, path string, before, after []object, issued *issued) {
	kind, blob := text(item, "type"), text(item, "encrypted_content")
	for _, thought := range issued.before[text(item, "call_id")] {
		isThought := func(item object) bool { return text(item, "encrypted_content") == thought.Blob }
		if !slices.ContainsFunc(before, isThought) {
			shape.Refuse(path,
				"Item of type '%s' was provided without its required 'reasoning' item: '%s'",
				kind, thought.ID)
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
		if !issued.signed(blob, id) && (has(item, "id") || !issued.knows(blob)) {
			shape.Refuse(path, "The encrypted content for item %s could not be verified", id)
		}
		isOther := func(item object) bool { return text(item, "type") != "reasoning" }
		isSame := func(item object) bool { return id != "" && item["id"] == id }
		if slices.ContainsFunc(before, isSame) {
			shape.Refuse("input", "Duplicate item found with id %s. "+
				"Remove duplicate items from your input and try again.", id)
		}
		i := slices.IndexFunc(after, isOther)
		if i < 0 || callNames[text(after[i], "type")] == "" && text(after[i], "role") != "assistant" {
			shape.Refuse(path,
				"Item '%s' of type 'reasoning' was provided without its required following item", id)
		}
	}
}
