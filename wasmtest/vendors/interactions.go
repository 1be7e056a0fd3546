package vendors

import (
	"slices"

	"edgelingua/wasmtest/vendors/shape"
)

// The rules for requests to the Interactions API. The members come from the API's types
// (CreateModelInteraction of @google/genai 3.1.0), all other rules from answers of Google's servers
// (see translator/interactions).

var (
	mediaMembers = shape.Members{
		"type": shape.Any, "data?": shape.Filled, "uri?": shape.Filled, "mime_type?": shape.Filled,
	}
	stepContents = shape.Some(shape.Tagged("type", shape.Members{
		"text": shape.Exact(shape.Members{"type": shape.Any, "text": shape.Filled}),
		"image": shape.Exact(mediaMembers, shape.Members{
			"resolution?": shape.OneOf("low", "medium", "high", "ultra_high"),
		}),
		"audio":    shape.Exact(mediaMembers),
		"video":    shape.Exact(mediaMembers),
		"document": shape.Exact(mediaMembers),
	}))
	stepShape = shape.Tagged("type", shape.Members{
		"user_input":   shape.Exact(shape.Members{"type": shape.Any, "content": stepContents}),
		"model_output": shape.Exact(shape.Members{"type": shape.Any, "content": stepContents}),
		"thought": shape.Exact(shape.Members{
			"type": shape.Any, "signature": shape.Filled, "summary?": stepContents,
		}),
		"function_call": shape.Exact(shape.Members{
			"type": shape.Any, "id": shape.Filled, "name": shape.Filled, "arguments": shape.AnyObject,
		}),
		"function_result": shape.Exact(shape.Members{
			"type": shape.Any, "call_id": shape.Filled, "name": shape.Filled, "is_error?": shape.Bool,
			"result": shape.Either(shape.Text, stepContents),
		}),
	})
	interactionsTool = shape.Tagged("type", shape.Members{
		"function": shape.Exact(shape.Members{
			"type": shape.Any, "name": shape.Pattern(`^[a-zA-Z_][\w-]{0,63}$`), "description?": shape.Text,
			"parameters": shape.AnyObject,
		}),
		"google_search": shape.Exact(shape.Members{"type": shape.Any}),
		"url_context":   shape.Exact(shape.Members{"type": shape.Any}),
	})
	allowedTools = shape.Exact(shape.Members{"allowed_tools": shape.Exact(shape.Members{
		"mode": shape.OneOf("any", "validated"), "tools": shape.Some(shape.Filled),
	})})
	generationConfig = shape.Exact(shape.Members{
		"max_output_tokens?":  shape.From(1),
		"temperature?":        shape.Between(0, 2),
		"top_p?":              shape.Between(0, 1),
		"seed?":               shape.From(-1 << 31),
		"stop_sequences?":     shape.Lengths(1, 5, shape.Pattern(`(?s).`)),
		"thinking_level?":     shape.OneOf("minimal", "low", "medium", "high"),
		"thinking_summaries?": shape.OneOf("auto", "none"),
		"tool_choice?":        shape.Either(shape.OneOf("auto", "any", "none", "validated"), allowedTools),
	})
	interactionsRequest = shape.Exact(shape.Members{
		"model":               shape.Filled,
		"store":               shape.Bool,
		"stream?":             shape.Bool,
		"system_instruction?": shape.Filled,
		"input":               shape.Some(stepShape),
		"tools?":              shape.Some(interactionsTool),
		"generation_config?":  generationConfig,
		"response_format?": shape.Exact(shape.Members{
			"type": shape.OneOf("text"), "mime_type": shape.OneOf("application/json"),
			"schema?": shape.AnyObject,
		}),
		"service_tier?": shape.OneOf("flex", "standard", "priority"),
	})
)

// refuseInteractions returns the body of a 400 answer.
func refuseInteractions(r *shape.Refusal) any {
	return fields("error", fields("message", words(r, ofGoogle), "code", "invalid_request"))
}

func checkInteractions(v *Vendor, r *parsed) {
	refuseIf(r.Path != "/v1beta/interactions", "there is no %s", r.Path)
	refuseIf(r.Header.Get("Api-Revision") != "2026-05-20", "another revision of the API")
	interactionsRequest(r.body, "")
	refuseIf(get[bool](r.body, "store"), "the conversation would be kept")
	functions := ofType(objects(r.body, "tools"), "function")
	names := texts(functions, "name")
	distinct := slices.Compact(slices.Sorted(slices.Values(names)))
	refuseIf(len(distinct) < len(names), "Duplicate function declaration found")
	for _, f := range functions {
		shape.Schemas(f["parameters"], "", func(schema object, _ string) {
			required, isList := schema["required"].([]any)
			refuseIf(isList && len(required) == 0, "required must not be empty")
		})
	}
	choice := get[object](r.body, "generation_config")["tool_choice"]
	refuseIf(choice != nil && len(functions) == 0,
		"Function calling config is set without function_declarations.")
	allowed, _ := choice.(object)
	for _, name := range get[[]any](get[object](allowed, "allowed_tools"), "tools") {
		refuseIf(!slices.Contains(names, name.(string)), "allowed_tools names no function")
	}
	checkSteps(objects(r.body, "input"), &v.issued)
}

// checkSteps requires the results in the order of the calls, and for each call an earlier thought
// with the signature issued for the call.
func checkSteps(steps []object, issued *issued) {
	refuseIf(text(steps[0], "type") != "user_input", "the first step is not the user's")
	last := text(lastOf(steps), "type")
	refuseIf(last == "model_output" || last == "thought",
		"Requests ending with a model turn are not supported.")
	seen := map[string]bool{}
	var open []object   // calls without a result
	var signed []string // signatures of the thoughts in the model's turn
	for _, step := range steps {
		first := object{}
		if len(open) > 0 {
			first = open[0]
		}
		id := text(step, "id")
		switch text(step, "type") {
		case "function_result":
			call := text(step, "call_id")
			refuseIf(len(open) == 0 || text(first, "id") != call || text(first, "name") != text(step, "name"),
				"a result of %s where %s has none", call, text(first, "id"))
			open, signed = open[1:], nil
		case "user_input":
			refuseIf(len(open) > 0, "%s has no result", text(first, "id"))
			signed = nil
		case "thought":
			signed = append(signed, text(step, "signature"))
		case "function_call":
			refuseIf(seen[id], "the id %s is not unique", id)
			// Google's answer to a call without a signed thought before the call.
			refuseIf(len(signed) == 0, "Request contains an invalid argument.")
			if thoughts := issued.before[id]; len(thoughts) > 0 && thoughts[0].Blob != "" {
				refuseIf(!slices.Contains(signed, thoughts[0].Blob), "Thought signature is not valid.")
			}
			seen[id] = true
			open = append(open, step)
		}
	}
	refuseIf(len(open) > 0, "a call has no result")
}
