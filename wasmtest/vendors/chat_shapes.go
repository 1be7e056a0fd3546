package vendors

import (
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// Shapes of a Chat Completions request.

var (
	openAIName = shape.Pattern(`^[a-zA-Z0-9_-]{1,64}$`)
	chatCallID = shape.Max(40, shape.Filled)
	chatName   = shape.Members{"name?": openAIName}

	chatFile = shape.Exact(shape.Members{
		"filename": shape.Filled, "file_data": shape.DataURL("application/pdf"),
	})
	chatStoredFile = shape.Exact(shape.Members{"file_id": shape.Filled})

	// sdkMembers are the members that OpenAI's own SDK adds to returned messages.
	sdkMembers = shape.Members{
		"parsed?": shape.Any, "annotations?": shape.Nullable(shape.ListOf(shape.AnyObject)),
	}

	chatCall = shape.Tagged("type", shape.Members{
		"function": shape.Exact(shape.Members{
			"id": chatCallID, "type": shape.Any,
			"function": shape.Exact(shape.Members{
				"name": openAIName, "arguments": jsonText, "parsed_arguments?": shape.Any,
			}),
		}),
		"custom": shape.Exact(shape.Members{
			"id": chatCallID, "type": shape.Any,
			"custom": shape.Exact(shape.Members{"name": openAIName, "input": shape.Text}),
		}),
	})

	chatFunction = func(parameters shape.Shape) shape.Shape {
		return shape.Exact(shape.Members{
			"name": openAIName, "description?": shape.Text, "parameters?": parameters,
			"strict?": shape.Nullable(shape.Bool),
		})
	}
	looseFunction  = chatFunction(looseChat)
	strictFunction = chatFunction(strictChat)
	chatCustom     = shape.Exact(shape.Members{
		"name": openAIName, "description?": shape.Text,
		"format?": shape.Tagged("type", shape.Members{
			"text": shape.Exact(shape.Members{"type": shape.Any}),
			"grammar": shape.Exact(shape.Members{
				"type": shape.Any,
				"grammar": shape.Exact(shape.Members{
					"syntax": shape.OneOf("lark", "regex"), "definition": shape.Filled,
				}),
			}),
		}),
	})

	chatSchema = func(schema shape.Shape) shape.Shape {
		return shape.Exact(shape.Members{
			"name": openAIName, "description?": shape.Text, "schema": schema,
			"strict?": shape.Nullable(shape.Bool),
		})
	}
	looseSchema  = chatSchema(looseAnswer)
	strictSchema = chatSchema(strictAnswer)
	formatOf     = func(schema shape.Shape) shape.Shape {
		return shape.Tagged("type", shape.Members{
			"text":        shape.Exact(shape.Members{"type": shape.Any}),
			"json_object": shape.Exact(shape.Members{"type": shape.Any}),
			"json_schema": shape.Exact(shape.Members{"type": shape.Any, "json_schema": schema}),
		})
	}
	chatFormat = formatOf(ifStrict(strictSchema, looseSchema))
	anyFormat  = formatOf(chatSchema(shape.AnyObject))

	chosenTool = shape.Exact(shape.Members{"name": openAIName})
	chatChoice = shape.Either(shape.OneOf("none", "auto", "required"), shape.Tagged("type", shape.Members{
		"function": shape.Exact(shape.Members{"type": shape.Any, "function": chosenTool}),
		"custom":   shape.Exact(shape.Members{"type": shape.Any, "custom": chosenTool}),
		"allowed_tools": shape.Exact(shape.Members{"type": shape.Any, "allowed_tools": shape.Exact(
			shape.Members{"mode": shape.OneOf("auto", "required"), "tools": shape.Some(shape.AnyObject)})}),
	}))

	// chatReasoning has the members of assistant messages by Options.Reasoning. DeepSeek ignores
	// OpenRouter's member, and OpenRouter ignores DeepSeek's.
	chatReasoning = map[string]shape.Members{
		"reasoning_content": {
			"reasoning_content?": shape.Text, "reasoning_details?": shape.Some(shape.AnyObject),
			"reasoning?": shape.Text,
		},
		"reasoning_details": {
			"reasoning_content?": shape.Pattern(`.`), "reasoning_details?": shape.Some(shape.AnyObject),
			"reasoning?": shape.Text,
		},
	}

	// chatOwn has the further members of requests to DeepSeek (api-docs.deepseek.com,
	// guides/thinking_mode) and OpenRouter (openrouter.ai/docs, parameters), by Options.Reasoning.
	chatOwn = map[string]shape.Members{
		"reasoning_content": {
			"thinking?": shape.Exact(shape.Members{"type": shape.OneOf("enabled", "disabled")}),
		},
		"reasoning_details": {
			"top_k?": shape.From(0), "cache_control?": cacheControl,
		},
	}

	// OpenRouter accepts a breakpoint of Claude's prompt cache on parts, tools, assistant messages
	// and tool messages.
	openRouterMark = shape.Members{"cache_control?": cacheControl}
)

// ifStrict checks an object with "strict": true with the shape strict, any other value with loose.
func ifStrict(strict, loose shape.Shape) shape.Shape {
	return func(value any, path string) {
		if o, _ := value.(object); get[bool](o, "strict") {
			strict(value, path)
		} else {
			loose(value, path)
		}
	}
}

// looseAnswer is the shape of an answer's schema. The words for a root of another type:
// podly-pure-podcasts/podly_pure_podcasts#89.
func looseAnswer(schema any, path string) {
	shape.AnyObject(schema, path)
	if said := schema.(object)["type"]; said != "object" {
		shape.Refuse(path, "schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%v\"'", said)
	}
	shape.Arrays(schema, path)
}

func strictAnswer(schema any, path string) {
	looseAnswer(schema, path)
	shape.Closed(schema, path, true)
	shape.Permitted(schema, path, shape.NotOpenAI)
}

func looseChat(schema any, path string) {
	shape.ObjectAtRoot(schema, path)
	shape.Arrays(schema, path)
}

func strictChat(schema any, path string) {
	looseChat(schema, path)
	shape.Closed(schema, path, true)
	shape.Permitted(schema, path, shape.NotOpenAI)
}

// jsonText is the shape of a string that contains a JSON object.
func jsonText(value any, path string) {
	shape.Text(value, path)
	decoded, err := shape.Decode([]byte(value.(string)))
	if _, isObject := decoded.(object); err != nil || !isObject {
		shape.Refuse(path, "must be a JSON object, in a string")
	}
}

// chatRequest returns the shape of a request to a server with the options o.
func chatRequest(o Options) shape.Shape {
	var marks shape.Members
	efforts, stops := []any{"none", "minimal", "low", "medium", "high", "xhigh"}, 4
	if o.Reasoning == "reasoning_details" {
		marks = openRouterMark
	}
	if o.Reasoning != "" {
		efforts = append(efforts, "max")
	}
	reasoning, image := chatReasoning[o.Reasoning], shape.Shape(openAIImage)
	if o.Host != "" {
		reasoning = hostMessage[o.Host]
	}
	// Groq documents no types ("Vision"), the others do
	if o.Host == atGroq || o.Host == "" && o.Schemas && marks == nil {
		image = anyImage
	}
	functions, format := ifStrict(strictFunction, looseFunction), chatFormat
	if o.Schemas {
		functions, format, stops = chatFunction(shape.AnyObject), anyFormat, 128
	}
	tool := shape.Tagged("type", shape.Members{
		"function": shape.Exact(shape.Members{"type": shape.Any, "function": functions}, marks),
		"custom":   shape.Exact(shape.Members{"type": shape.Any, "custom": chatCustom}),
	})
	return shape.Exact(chatOwn[o.Reasoning], shape.Members{
		"model":                   shape.Filled,
		"messages":                shape.Some(chatMessage(reasoning, marks, image)),
		"max_tokens?":             shape.From(1),
		"max_completion_tokens?":  shape.From(1),
		"tools?":                  shape.Lengths(1, 128, tool),
		"tool_choice?":            chatChoice,
		"parallel_tool_calls?":    shape.Bool,
		"response_format?":        format,
		"reasoning_effort?":       shape.OneOf(efforts...),
		"stream?":                 shape.Nullable(shape.Bool),
		"stream_options?":         shape.Exact(shape.Members{"include_usage?": shape.Bool}),
		"stop?":                   shape.Either(shape.Text, shape.Lengths(1, stops, shape.Text)),
		"temperature?":            shape.Between(0, 2),
		"top_p?":                  shape.Between(0, 1),
		"presence_penalty?":       shape.Between(-2, 2),
		"frequency_penalty?":      shape.Between(-2, 2),
		"logprobs?":               shape.Bool,
		"top_logprobs?":           shape.Integer(0, 20),
		"n?":                      shape.Integer(1, 128),
		"seed?":                   shape.From(-shape.MaxInteger),
		"store?":                  shape.Bool,
		"user?":                   shape.Text,
		"verbosity?":              shape.OneOf("low", "medium", "high"),
		"prompt_cache_key?":       shape.Max(64, shape.Text),
		"prompt_cache_retention?": shape.OneOf("in_memory", "24h"),
		"safety_identifier?":      shape.Max(64, shape.Text),
		"service_tier?":           serviceTier,
		"metadata?":               openAIMetadata,
		"web_search_options?":     shape.AnyObject,
	}, hostMembers[o.Host])
}

// openAIMetadata is the shape of metadata: up to 16 texts of up to 512 characters, with keys of up
// to 64 (openai 7.55.0, Shared.Metadata).
func openAIMetadata(value any, path string) {
	shape.AnyObject(value, path)
	if n := len(value.(object)); n > 16 {
		shape.Refuse(path, "too many properties. Expected an object with at most 16 properties, but got %d "+
			"properties instead.", n)
	}
	for key, one := range value.(object) {
		shape.Max(64, shape.Text)(key, path)
		shape.Max(512, shape.Text)(one, shape.At(path, key))
	}
}

// openAIImage is the shape of an image's URL at OpenAI, and of most other servers: a web address, or
// a data URL of four types (open-webui/open-webui#30100).
func openAIImage(value any, path string) {
	shape.Text(value, path)
	url := value.(string)
	if !strings.HasPrefix(url, "data:") {
		shape.WebURL(value, path)
		return
	}
	if err := shape.Check(func() { shape.Image(value, path) }); err != nil {
		shape.Refuse(path, "You uploaded an unsupported image. Please make sure your image has of one the "+
			"following formats: ['png', 'jpeg', 'gif', 'webp'].")
	}
}

// anyImage is the shape of an image's URL at servers that read images with Pillow, as vLLM does: many
// types, but no SVG ("cannot identify image file", open-webui/open-webui#30100).
func anyImage(value any, path string) {
	shape.Text(value, path)
	url := value.(string)
	if !strings.HasPrefix(url, "data:") {
		shape.WebURL(value, path)
		return
	}
	shape.DataURL(`image/[a-z0-9.-]+`)(value, path)
}

func chatMessage(reasoning, marks shape.Members, image shape.Shape) shape.Shape {
	textPart := shape.Exact(shape.Members{"type": shape.OneOf("text"), "text": shape.Text}, marks)
	userPart := shape.Tagged("type", shape.Members{
		"text": textPart,
		"image_url": shape.Exact(shape.Members{
			"type": shape.Any,
			"image_url": shape.Exact(shape.Members{
				"url": image, "detail?": shape.OneOf("auto", "low", "high"),
			}),
		}, marks),
		"file": shape.Exact(shape.Members{"type": shape.Any, "file": chatFileOf(marks != nil)}, marks),
		"input_audio": shape.Exact(shape.Members{
			"type": shape.Any,
			"input_audio": shape.Exact(shape.Members{
				"data": shape.Filled, "format": shape.OneOf("wav", "mp3"),
			}),
		}, marks),
	})
	words := shape.Either(shape.Text, shape.Some(textPart))
	said := shape.Either(shape.Text, shape.Some(shape.Tagged("type", shape.Members{
		"text":    textPart,
		"refusal": shape.Exact(shape.Members{"type": shape.Any, "refusal": shape.Text}),
	})))
	return shape.Tagged("role", shape.Members{
		"system":    shape.Exact(shape.Members{"role": shape.Any, "content": words}, chatName),
		"developer": shape.Exact(shape.Members{"role": shape.Any, "content": words}, chatName),
		"user": shape.Exact(shape.Members{
			"role": shape.Any, "content": shape.Either(shape.Text, shape.Some(userPart)),
		}, chatName),
		"assistant": shape.Exact(shape.Members{
			"role": shape.Any, "content?": shape.Nullable(said), "refusal?": shape.Nullable(shape.Text),
			"tool_calls?": shape.Some(chatCall),
		}, marks, chatName, sdkMembers, reasoning),
		"tool": shape.Exact(shape.Members{
			"role": shape.Any, "tool_call_id": chatCallID, "content": words,
		}, marks),
	})
}

// chatFileOf returns the shape of a file. OpenRouter also accepts a URL as its data
// (openrouter.ai/docs, PDF inputs).
func chatFileOf(urls bool) shape.Shape {
	return func(value any, path string) {
		switch o, _ := value.(object); {
		case text(o, "file_id") != "":
			chatStoredFile(value, path)
		case urls && strings.HasPrefix(text(o, "file_data"), "http"):
			shape.Exact(shape.Members{"filename": shape.Filled, "file_data": shape.WebURL})(value, path)
		default:
			chatFile(value, path)
		}
	}
}
