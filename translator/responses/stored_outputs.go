package responses

import (
	"strconv"
	"strings"

	"edgelingua/translator/ir"
	"edgelingua/translator/jsonr"
	"edgelingua/translator/jsonw"
	"edgelingua/translator/openai"
)

// Call is the call of a function in an answer.
type Call struct{ id, name, arguments ir.Escaped }

// FunctionCalls returns the calls in an answer's output items, which are separated by commas. The
// calls are views of items. The result is nil if there are no calls, or if a called tool is not a
// function: its output is not text, and tool_outputs has no form for such output.
func FunctionCalls(items string) (calls []Call) {
	for r := jsonr.NewElements(items); r.Element(); {
		var kind ir.Escaped
		var c Call
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "type":
				kind, _ = jsonr.Text(r.Value())
			case "call_id":
				c.id, _ = jsonr.Text(r.Value())
			case "name":
				c.name, _ = jsonr.Text(r.Value())
			case "arguments":
				c.arguments, _ = jsonr.Text(r.Value())
			}
		}
		switch kind {
		case "function_call":
			calls = append(calls, c)
		case "custom_tool_call", "tool_search_call", "local_shell_call", "shell_call", "apply_patch_call",
			"computer_call":
			return nil
		}
	}
	return calls
}

// appendAction appends required_action: the calls whose outputs the client has to submit, in the
// form of OpenAI's Assistants API, whose runs end with required_action.
//
// Two gateways have carried this form over to Responses. Tokligence Gateway sends the event
// response.required_action before a response.completed whose response is incomplete, and serves
// POST /v1/responses/{id}/submit_tool_outputs; RouteCodex has the same path and event. OpenAI does
// not have the event, and responses.stream() of OpenAI's SDK for Node throws at the event; create
// with stream returns it. A tool choice that forces a call is left out: otherwise every answer to
// an output would be a forced call.
func appendAction(dst []byte, calls []Call) []byte {
	dst = raw(dst, `{"type":"submit_tool_outputs","submit_tool_outputs":{"tool_calls":[`)
	for i, c := range calls {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = jsonw.AppendTextMember(dst, `{"id":`, c.id)
		dst = jsonw.AppendTextMember(dst, `,"type":"function","function":{"name":`, c.name)
		dst = jsonw.AppendTextMember(dst, `,"arguments":`, c.arguments)
		dst = raw(dst, `}}`)
	}
	return raw(dst, `]}}`)
}

// AppendParameters appends the members of a request's body to repeat in AppendSubmission's request,
// separated by commas. It leaves out the input, members that name or store the first answer, and a
// tool_choice that forces a call, because it would force calls forever. body must have passed
// jsonr.Check.
func AppendParameters(dst []byte, body []byte) []byte {
	begun := false
	r := jsonr.NewReader(string(jsonw.View(body)))
	for r.OpenObject(); r.Member(); {
		key := r.Key()
		v := r.Value()
		switch key {
		case "input", "previous_response_id", "store", "stream", "background", "conversation":
			continue
		case "tool_choice":
			if v == `"required"` || jsonr.KindOf(v) == jsonr.Object && !strings.Contains(string(v),
				`"allowed_tools"`) {
				continue
			}
		}
		if begun {
			dst = append(dst, ',')
		}
		begun = true
		dst = appendMember(dst, key, v)
	}
	return dst
}

// AppendSubmission appends the body of a request that continues a stored response with the outputs
// of its calls. body is the client's submission,
// {"tool_outputs":[{"tool_call_id","output"}],"stream"}, and must have passed jsonr.Check.
// parameters are from AppendParameters, for the response's request. Each call needs exactly one
// output. An error names the field.
func AppendSubmission(dst, body []byte, response, parameters string, calls []Call) ([]byte, error) {
	r := jsonr.NewReader(string(jsonw.View(body)))
	if r.Kind() != jsonr.Object {
		return dst, openai.WrongType("", "an object", r.Kind())
	}
	dst = raw(append(dst, '{'), parameters)
	if parameters != "" {
		dst = append(dst, ',')
	}
	dst = jsonw.AppendTextMember(dst, `"previous_response_id":`, ir.Escaped(response))
	dst = raw(dst, `,"input":[`)
	stream, given := false, false
	submitted := make([]bool, len(calls))
	for r.OpenObject(); r.Member(); {
		var err *ir.Error
		switch key := r.Key(); key {
		case "tool_outputs":
			if given = !given; !given || r.Kind() != jsonr.Array {
				return dst, openai.WrongType(key, "an array of objects", r.Kind())
			}
			dst, err = appendOutputs(dst, &r, calls, submitted)
		case "stream":
			if r.Kind() != jsonr.Null {
				stream, err = openai.ReadFlag(&r, key)
			}
		default:
			err = openai.Invalid(key,
				"Only 'tool_outputs' and 'stream' are allowed here: all other parameters are those of the "+
					"response's own request.")
		}
		if err != nil {
			return dst, err
		}
	}
	missing := ""
	for i, ok := range submitted {
		if !ok {
			missing += ", '" + jsonw.Unescape(calls[i].id) + "'"
		}
	}
	if missing != "" {
		return dst, openai.Invalid("tool_outputs",
			"Outputs of these tool calls are missing: "+missing[len(", "):]+
				". Submit the outputs of all tool calls in one request.")
	}
	dst = raw(dst, `],"stream":`)
	dst = strconv.AppendBool(dst, stream)
	return append(dst, '}'), nil
}

// appendOutputs appends the elements of tool_outputs, at r, as items of an input. It sets submitted
// for the calls of these outputs.
func appendOutputs(dst []byte, r *jsonr.Reader, calls []Call, submitted []bool) ([]byte, *ir.Error) {
	i := 0
	for r.OpenArray(); r.Element(); i++ {
		path := ir.Pos{Form: "tool_outputs[]", Index: ir.Index{i}}.String()
		var id, output ir.Raw
		for r.OpenObject(); r.Member(); {
			switch r.Key() {
			case "tool_call_id":
				id = r.Value()
			case "output":
				output = r.Value()
			default:
				return dst, openai.Invalid(path+"."+ir.Shortened(r.Key()),
					"Only 'tool_call_id' and 'output' are allowed here.")
			}
		}
		call := -1
		text, _ := jsonr.Text(id)
		for c := range calls {
			if jsonw.Unescape(calls[c].id) == jsonw.Unescape(text) {
				call = c
			}
		}
		switch {
		case text == "":
			return dst, openai.Missing(path + ".tool_call_id")
		case call < 0:
			return dst, openai.Invalid(path+".tool_call_id",
				"The response has no tool call '"+jsonw.Unescape(text)+"'.")
		case submitted[call]:
			return dst, openai.Invalid(path+".tool_call_id",
				"The tool call '"+jsonw.Unescape(text)+"' already has an output.")
		case output == "":
			return dst, openai.Missing(path + ".output")
		case jsonr.KindOf(output) != jsonr.String && jsonr.KindOf(output) != jsonr.Array:
			return dst, openai.WrongType(path+".output", "a string", jsonr.KindOf(output))
		}
		submitted[call] = true
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = raw(raw(dst, `{"type":"function_call_output","call_id":`), string(id))
		dst = raw(raw(dst, `,"output":`), string(output))
		dst = append(dst, '}')
	}
	return dst, nil
}
