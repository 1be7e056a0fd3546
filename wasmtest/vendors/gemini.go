package vendors

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"edgelingua/wasmtest/vendors/shape"
)

// The rules for generateContent requests. Sources: Google's documentation and answers of Google's
// servers (translator/gemini quotes Google for each rule).

// GeminiMembers has the allowed members of each kind of object in a request. Callers must not
// change the map.
var GeminiMembers = map[string][]string{
	"request": {
		// the path has the model too; Google's proto has the member, and gateways send it
		"model",
		"contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings",
		"serviceTier", "labels", "store",
	},
	"content": {"role", "parts"},
	"part": {
		"text", "thought", "thoughtSignature", "functionCall", "functionResponse", "inlineData", "fileData",
		"toolCall", "toolResponse",
	},
	"tool": {"functionDeclarations", "googleSearch", "urlContext", "codeExecution"},
	"function": {
		"name", "description", "parameters", "parametersJsonSchema", "response", "responseJsonSchema",
		"behavior",
	},
	"config": {
		"maxOutputTokens", "temperature", "topP", "topK", "presencePenalty", "frequencyPenalty", "seed",
		"stopSequences", "candidateCount", "responseMimeType", "responseSchema", "responseJsonSchema",
		"responseModalities", "responseLogprobs", "logprobs", "thinkingConfig", "mediaResolution",
		"speechConfig",
	},
	"call":     {"id", "name", "args"},
	"response": {"id", "name", "response", "parts"},
	"schema": {
		"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties",
		"required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf",
		"propertyOrdering", "default", "items", "minimum", "maximum",
	},
}

var (
	geminiModel = regexp.MustCompile(`models/([^:?]+):`)
	unsigned    = regexp.MustCompile(`gemini-[12]\b|gemma`)
	geminiName  = regexp.MustCompile(`^[a-zA-Z_][\w.:-]{0,63}$`)
)

// geminiImages has the types of images that Google accepts (ai.google.dev/gemini-api/docs,
// image-understanding; "Unsupported MIME type: image/gif", microsoft/vscode#286628).
var geminiImages = []string{"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"}

// Google's error messages that several rules use.
const (
	unknownName = "Invalid JSON payload received. Unknown name \"%s\" at '%s': Cannot find field."
	callTurn    = "Please ensure that function call turn comes immediately after a user turn or after a" +
		" function response turn."
)

func refuseIf(condition bool, format string, args ...any) {
	if condition {
		shape.Refuse("", format, args...)
	}
}

// known rejects an object with a member that GeminiMembers does not allow for the kind.
func known(o object, kind, at string) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		refuseIf(!slices.Contains(GeminiMembers[kind], name), unknownName, name, at)
	}
}

// objectAt returns the object o[name], or nil if the member is absent or null. at is the path in
// the error message.
func objectAt(o object, name, at string) object {
	value, isObject := o[name].(object)
	refuseIf(o[name] != nil && !isObject, "Invalid value at '%s'", at)
	return value
}

// objectsAt returns the list of objects o[name], or nil if the member is absent or null.
func objectsAt(o object, name, at string) []object {
	all := objects(o, name)
	elements, isList := o[name].([]any)
	refuseIf(o[name] != nil && (!isList || len(elements) > len(all)), "Invalid value at '%s'", at)
	return all
}

// geminiCheck checks the contents of one request.
type geminiCheck struct {
	signs  bool // the model requires the signatures of calls back, as all models since Gemini 3 do
	issued *issued
}

// geminiSigns reports whether the model in the path signs calls and the last text of an answer.
func geminiSigns(r *parsed) bool {
	model := geminiModel.FindStringSubmatch(r.Path)
	refuseIf(model == nil, "there is no %s", r.Path)
	return !unsigned.MatchString(model[1])
}

// ownNames are the members whose values have names of the caller's own.
var ownNames = map[string]bool{"args": true, "response": true, "parameters": true, "responseSchema": true,
	"parametersJsonSchema": true, "responseJsonSchema": true, "labels": true}

// camel renames the members of a request from snake case, in which Google's JSON parser also accepts
// them (protobuf.dev/programming-guides/json).
func camel(value any) {
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			camel(element)
		}
	case object:
		for name, member := range maps.Clone(value) {
			words := strings.Split(name, "_")
			for i := 1; i < len(words); i++ {
				first := min(1, len(words[i]))
				words[i] = strings.ToUpper(words[i][:first]) + words[i][first:]
			}
			delete(value, name)
			name = strings.Join(words, "")
			value[name] = member
			if !ownNames[name] {
				camel(member)
			}
		}
	}
}

func checkGemini(v *Vendor, r *parsed) {
	c := geminiCheck{geminiSigns(r), &v.issued}
	camel(r.body)
	known(r.body, "request", "")
	for _, name := range []string{"store", "serviceTier"} { // Vertex AI has the tier in headers
		refuseIf(v.options.Vertex && has(r.body, name), unknownName, name, "")
	}
	contents := objectsAt(r.body, "contents", "contents")
	refuseIf(len(contents) == 0, "contents is not specified")
	known(objectAt(r.body, "generationConfig", "generation_config"), "config", "generation_config")
	for i, tool := range objectsAt(r.body, "tools", "tools") {
		checkGeminiTool(tool, i)
	}
	c.contents(joined(contents))
}

func checkGeminiTool(tool object, i int) {
	known(tool, "tool", fmt.Sprintf("tools[%d]", i))
	names := map[string]bool{}
	functions := objectsAt(tool, "functionDeclarations", fmt.Sprintf("tools[%d].function_declarations", i))
	for n, f := range functions {
		at := fmt.Sprintf("tools[%d].function_declarations[%d]", i, n)
		known(f, "function", at)
		name := text(f, "name")
		refuseIf(!geminiName.MatchString(name),
			"[%d].name: Invalid function name. Must start with a letter or an underscore.", n)
		refuseIf(f["parameters"] != nil && f["parametersJsonSchema"] != nil,
			"parameters and parameters_json_schema are mutually exclusive")
		checkGeminiSchema(objectAt(f, "parameters", at+".parameters"), at+".parameters")
		names[name] = true
	}
	refuseIf(len(names) < len(functions), "Duplicate function declaration found")
}

func checkGeminiSchema(schema object, at string) {
	if schema == nil {
		return
	}
	known(schema, "schema", at)
	properties := objectAt(schema, "properties", at+".properties")
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		inner := fmt.Sprintf("%s.properties[%s]", at, name)
		checkGeminiSchema(objectAt(properties, name, inner), inner)
	}
	checkGeminiSchema(objectAt(schema, "items", at+".items"), at+".items")
	for i, inner := range objectsAt(schema, "anyOf", at+".any_of") {
		checkGeminiSchema(inner, fmt.Sprintf("%s.any_of[%d]", at, i))
	}
}

// joined returns the contents with consecutive contents of the model merged. A chat of
// @google/genai sends each chunk of a stream as a separate content, and Google accepts such
// requests.
func joined(contents []object) (all []object) {
	for i, content := range contents {
		objectsAt(content, "parts", fmt.Sprintf("contents[%d].parts", i))
		if last := lastOf(all); text(content, "role") == "model" && text(last, "role") == "model" {
			last["parts"] = slices.Concat(get[[]any](last, "parts"), get[[]any](content, "parts"))
			continue
		}
		all = append(all, maps.Clone(content))
	}
	return all
}

// with returns the parts in which part[name] is set.
func with(parts []object, name string) (all []object) {
	for _, part := range parts {
		if part[name] != nil {
			all = append(all, part)
		}
	}
	return all
}

func (c *geminiCheck) contents(contents []object) {
	last := -1 // the user's last text: only calls after it must be signed
	for i, content := range contents {
		isWords := func(part object) bool { return text(part, "text") != "" }
		if text(content, "role") == "user" && slices.ContainsFunc(objects(content, "parts"), isWords) {
			last = i
		}
	}
	called := 0
	for i, content := range contents {
		at, role := fmt.Sprintf("contents[%d]", i), text(content, "role")
		parts := objectsAt(content, "parts", at+".parts")
		known(content, "content", at)
		refuseIf(role != "user" && role != "model", "Please use a valid role: user, model.")
		refuseIf(len(parts) == 0, "%s.parts must not be empty.", at)
		refuseIf(i == 0 && role == "model", callTurn)
		results, calls := with(parts, "functionResponse"), with(parts, "functionCall")
		refuseIf(len(results) != called,
			"Please ensure that the number of function response parts is equal to the"+
				" number of function call parts of the function call turn.")
		refuseIf(len(results) > 0 && len(results) < len(parts),
			"Please ensure that function response turn comes immediately after a function call turn.")
		refuseIf(len(calls) > 0 && role != "model", "function calls are the model's")
		refuseIf(c.signs && i > last && len(calls) > 0 && text(calls[0], "thoughtSignature") == "",
			"Function call is missing a thought_signature in functionCall parts.")
		for n, part := range parts {
			c.part(part, fmt.Sprintf("%s.parts[%d]", at, n), role == "user" || len(parts) == 1)
		}
		if len(calls) > 0 {
			c.signature(calls[0])
		}
		called = len(calls)
	}
	refuseIf(called > 0, callTurn)
}

// signature requires the issued signature on part, the first call of a content.
func (c *geminiCheck) signature(part object) {
	thoughts := c.issued.before[text(get[object](part, "functionCall"), "id")]
	refuseIf(c.signs && len(thoughts) > 0 && text(part, "thoughtSignature") != thoughts[0].Blob,
		"Thought signature is not valid.")
}

// part checks a part. If alone is true, the part must not be an empty text without a signature.
func (c *geminiCheck) part(part object, at string, alone bool) {
	known(part, "part", at)
	signature, isText := part["thoughtSignature"].(string)
	refuseIf(part["thoughtSignature"] != nil && !isText, "Invalid value at '%s.thought_signature'", at)
	refuseIf(part["text"] == "" && signature == "" && alone,
		"Unable to submit request because it has an empty text parameter.")
	isData := func(name string) bool { return !strings.HasPrefix(name, "thought") && has(part, name) }
	refuseIf(!slices.ContainsFunc(GeminiMembers["part"], isData),
		"%s.data: required oneof field 'data' must have one initialized field", at)
	if kind := text(objectAt(part, "inlineData", at+".inline_data"), "mimeType"); strings.HasPrefix(
		kind, "image/") {
		refuseIf(!slices.Contains(geminiImages, kind), "Unsupported MIME type: %s", kind)
	}
	call := objectAt(part, "functionCall", at+".function_call")
	response := objectAt(part, "functionResponse", at+".function_response")
	known(call, "call", at+".function_call")
	known(response, "response", at+".function_response")
	refuseIf(!c.signs && text(call, "id")+text(response, "id") != "", unknownName, "id", at+".function_call")
	// The base64 prefix of an envelope: another vendor's reasoning, packed by the translator.
	refuseIf(strings.HasPrefix(signature, "ZWwxO"),
		"Base64 decoding failed for a thought signature of another vendor")
	_, isObject := response["response"].(object)
	isNull := has(response, "response") && response["response"] == nil
	refuseIf(response != nil && !isObject && !isNull, "Invalid value at '%s.function_response.response'", at)
}

// refuseGemini returns the body of a 400 answer.
func refuseGemini(r *shape.Refusal) any {
	return fields("error", fields("code", 400, "message", words(r, ofGoogle), "status", "INVALID_ARGUMENT"))
}
