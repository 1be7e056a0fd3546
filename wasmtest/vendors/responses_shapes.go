package vendors

import "edgelingua/wasmtest/vendors/shape"

// Shapes of a request to OpenAI's Responses API. responses_tools.go has the shapes of tools.

var (
	responsesCallID = shape.Max(64, shape.Filled)
	itemStatus      = shape.Members{
		"status?": shape.Nullable(shape.OneOf("in_progress", "completed", "incomplete")),
	}

	inputImage = shape.Exact(shape.Members{
		"type": shape.Any, "image_url": openAIImage,
		"detail?": shape.Nullable(shape.OneOf("auto", "low", "high", "original")),
	})
	inputFileFrom = func(source shape.Members) shape.Shape {
		return shape.Exact(source, shape.Members{
			"type": shape.Any, "detail?": shape.OneOf("auto", "low", "high"),
		})
	}
	inputFileURL    = inputFileFrom(shape.Members{"file_url": shape.WebURL})
	inputStoredFile = inputFileFrom(shape.Members{"file_id": shape.Filled})
	inputFileData   = inputFileFrom(shape.Members{
		"filename": shape.Filled, "file_data": shape.DataURL("[a-z]+/[a-z0-9.+-]+"),
	})
	inputParts = shape.Either(shape.Text, shape.ListOf(shape.Tagged("type", shape.Members{
		"input_text":  shape.Exact(shape.Members{"type": shape.Any, "text": shape.Text}),
		"input_image": inputImage,
		"input_file":  inputFile,
	})))
	outputParts = shape.Either(shape.Text, shape.ListOf(shape.Tagged("type", shape.Members{
		"output_text": shape.Exact(shape.Members{
			"type": shape.Any, "text": shape.Text, "annotations?": shape.ListOf(shape.AnyObject),
			"logprobs?": shape.ListOf(shape.AnyObject), "parsed?": shape.Any,
		}),
		"refusal": shape.Exact(shape.Members{"type": shape.Any, "refusal": shape.Text}),
	})))

	messageOf = func(content shape.Shape) shape.Shape {
		return shape.Exact(shape.Members{
			"type?": shape.OneOf("message"), "role": shape.OneOf("user", "system", "developer", "assistant"),
			"content": content, "id?": itemID("msg"),
			"phase?": shape.Nullable(shape.OneOf("commentary", "final_answer")),
		}, itemStatus)
	}
	inputMessage  = messageOf(inputParts)
	outputMessage = messageOf(outputParts)

	itemCall = shape.Members{"call_id": responsesCallID, "name": openAIName, "namespace?": openAIName,
		"caller?": itemCaller}
	itemCaller = shape.Tagged("type", shape.Members{
		"direct":  shape.Exact(shape.Members{"type": shape.Any}),
		"program": shape.Exact(shape.Members{"type": shape.Any, "caller_id": shape.Filled}),
	})
	shellWords = shape.Exact(shape.Members{
		"type": shape.OneOf("exec"), "command": shape.ListOf(shape.Text), "env": shape.AnyObject,
		"timeout_ms?": shape.Any, "user?": shape.Nullable(shape.Text),
		"working_directory?": shape.Nullable(shape.Text),
	})
	execution = shape.Members{"execution?": shape.OneOf("client", "server")}

	// items has the shapes of input items by type.
	items = shape.Tagged("type", shape.Members{
		"message": anyMessage,
		"function_call": item("fc", shape.Members{
			"arguments": shape.Filled, "parsed_arguments?": shape.Any,
		}, itemCall, itemStatus),
		"function_call_output":    outputItem("fco"),
		"custom_tool_call":        item("ctc", shape.Members{"input": shape.Text}, itemCall, itemStatus),
		"custom_tool_call_output": outputItem("ctco"),
		"mcp_call": shape.Exact(shape.Members{
			"type": shape.Any, "id": itemID("mcp"), "server_label": shape.Filled, "name": shape.Filled,
			"arguments": shape.Filled, "output?": shape.Nullable(shape.Text),
			"error?":               shape.Nullable(shape.AnyObject),
			"approval_request_id?": shape.Nullable(shape.Text),
			"status?": shape.OneOf("in_progress", "completed", "incomplete",
				"calling", "failed"),
		}),
		"tool_search_call": item("tsc", shape.Members{
			"call_id": shape.Nullable(responsesCallID), "arguments": shape.Any,
		}, execution, itemStatus),
		"tool_search_output": item("tso", shape.Members{
			"call_id": shape.Nullable(responsesCallID), "tools": shape.ListOf(responsesTool),
		}, execution, itemStatus),
		"additional_tools": item("at", shape.Members{
			"role": shape.OneOf("developer"), "tools": shape.ListOf(responsesTool),
		}),
		"local_shell_call": shape.Exact(shape.Members{
			"type": shape.Any, "call_id": responsesCallID, "id": itemID("lsh"), "action": shellWords,
		}, itemStatus),
		"web_search_call": shape.Exact(shape.Members{
			"type": shape.Any, "id": itemID("ws"), "action": shape.AnyObject,
			"status": shape.OneOf("in_progress", "searching", "completed", "failed"),
		}),
		"program":            program,
		"program_output":     programOutput,
		"compaction":         item("cmp", shape.Members{"encrypted_content": shape.Filled}),
		"compaction_trigger": shape.Exact(shape.Members{"type": shape.Any}),
		"reasoning": shape.Exact(shape.Members{
			// the AI SDK sends no id: vercel/ai#14983
			"type": shape.Any, "id?": itemID("rs"), "encrypted_content": shape.Filled,
			"summary": shape.ListOf(shape.Exact(shape.Members{
				"type": shape.OneOf("summary_text"), "text": shape.Text,
			})),
			"content?": shape.Nullable(shape.Lengths(0, 0, shape.AnyObject)),
		}, itemStatus),
	})

	responsesFormat = shape.Tagged("type", shape.Members{
		"text":        shape.Exact(shape.Members{"type": shape.Any}),
		"json_object": shape.Exact(shape.Members{"type": shape.Any}),
		"json_schema": ifStrict(responsesSchema(strictAnswer), responsesSchema(looseAnswer)),
	})

	unstoredRequest = responsesRequest(shape.OneOf(false))
	storedRequest   = responsesRequest(shape.Nullable(shape.Bool))
)

// itemID returns the shape of an item id with a prefix.
func itemID(prefix string) shape.Shape {
	return shape.Max(64, shape.Pattern(`^`+prefix+`_[a-zA-Z0-9_-]+$`))
}

// item returns the shape of an item with an optional id.
func item(prefix string, groups ...shape.Members) shape.Shape {
	return shape.Exact(append(groups, shape.Members{"type": shape.Any, "id?": itemID(prefix)})...)
}

func outputItem(prefix string) shape.Shape {
	return item(prefix, shape.Members{
		"call_id": responsesCallID, "output": inputParts, "caller?": itemCaller,
	}, itemStatus)
}

func inputFile(value any, path string) {
	switch o := value.(object); {
	case text(o, "file_url") != "":
		inputFileURL(value, path)
	case text(o, "file_id") != "":
		inputStoredFile(value, path)
	default:
		inputFileData(value, path)
	}
}

func anyMessage(value any, path string) {
	if o, _ := value.(object); text(o, "role") == "assistant" {
		outputMessage(value, path)
		return
	}
	inputMessage(value, path)
}

// inputItem is the shape of any input item. Codex 0.169.0 adds a member of its own to each item for
// OpenAI, except to a compaction_trigger.
func inputItem(value any, path string) {
	known := object{}
	o, _ := value.(object)
	for name, member := range o {
		if name == "internal_chat_message_metadata_passthrough" {
			shape.AnyObject(member, path)
			continue
		}
		known[name] = member
	}
	if has(known, "type") {
		items(known, path)
		return
	}
	anyMessage(known, path)
}

func responsesSchema(schema shape.Shape) shape.Shape {
	return shape.Exact(shape.Members{
		"type": shape.Any, "name": openAIName, "description?": shape.Text, "schema": schema,
		"strict?": shape.Nullable(shape.Bool),
	})
}

func responsesRequest(store shape.Shape) shape.Shape {
	return shape.Exact(shape.Members{
		"model":              shape.Filled,
		"input":              shape.Either(shape.Filled, shape.Some(inputItem)),
		"instructions?":      shape.Nullable(shape.Text),
		"max_output_tokens?": shape.From(16),
		"tools?":             shape.ListOf(responsesTool),
		"tool_choice?": shape.Either(
			shape.OneOf("none", "auto", "required"),
			shape.Tagged("type", shape.Members{
				"function":   shape.Exact(shape.Members{"type": shape.Any, "name": openAIName}),
				"custom":     shape.Exact(shape.Members{"type": shape.Any, "name": openAIName}),
				"web_search": shape.Exact(shape.Members{"type": shape.Any}),
				"mcp":        shape.Exact(shape.Members{"type": shape.Any, "server_label": shape.Filled}),
				"allowed_tools": shape.Exact(shape.Members{
					"type": shape.Any, "mode": shape.OneOf("auto", "required"),
					"tools": shape.Some(shape.AnyObject),
				}),
			}),
		),
		"parallel_tool_calls?": shape.Bool,
		"reasoning?": shape.Nullable(shape.Exact(shape.Members{
			"effort?":  shape.OneOf("none", "minimal", "low", "medium", "high", "xhigh"),
			"summary?": shape.OneOf("auto", "concise", "detailed"),
			"context?": shape.OneOf("auto", "current_turn", "all_turns"),
		})),
		"include?": shape.ListOf(shape.OneOf(
			"reasoning.encrypted_content", "message.output_text.logprobs", "web_search_call.action.sources",
		)),
		"top_logprobs?": shape.Integer(0, 20),
		"metadata?":     openAIMetadata,
		"store?":        store,
		"stream?":       shape.Bool,
		"temperature?":  shape.Between(0, 2),
		"top_p?":        shape.Between(0, 1),
		"text?": shape.Exact(shape.Members{
			"verbosity?": shape.OneOf("low", "medium", "high"), "format?": responsesFormat,
		}),
		"truncation?":             shape.OneOf("auto", "disabled"),
		"user?":                   shape.Text,
		"prompt_cache_key?":       shape.Max(64, shape.Text),
		"prompt_cache_retention?": shape.OneOf("in_memory", "24h"),
		"safety_identifier?":      shape.Max(64, shape.Text),
		"client_metadata?":        shape.AnyObject,
		"service_tier?":           serviceTier,
	})
}
