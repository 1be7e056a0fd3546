package golden

import (
	"bytes"
	"fmt"
	"strings"
)

// response lists the members of every Response to a client, in order, with their usual values. A
// file has only the members with other values and those without a usual value. Therefore a new
// member with the same value in every answer is one line here, and changes no scenario.
var response = fields{
	{"id", ""},
	{"object", `"response"`},
	{"created_at", ""},
	{"model", ""},
	{"output", ""},
	{"status", ""},
	{"completed_at", "null"},
	{"error", "null"},
	{"incomplete_details", "null"},
	{"usage", "null"},
	{"service_tier", `"auto"`},
	{"access_programs", "null"},
	{"background", "false"},
	{"previous_response_id", "null"},
	{"store", "false"},
	{"frequency_penalty", "0"},
	{"instructions", "null"},
	{"max_output_tokens", "null"},
	{"max_tool_calls", "null"},
	{"metadata", "{}"},
	{"parallel_tool_calls", "true"},
	{"presence_penalty", "0"},
	{"prompt_cache_key", "null"},
	{"reasoning", `{"effort":null,"summary":null}`},
	{"safety_identifier", "null"},
	{"temperature", "1"},
	{"text", `{"format":{"type":"text"}}`},
	{"tool_choice", `"auto"`},
	{"tools", "[]"},
	{"top_logprobs", "0"},
	{"top_p", "1"},
	{"truncation", `"disabled"`},
	{"user", absent},
}

// absent is the usual value of a member that most answers lack.
const absent = "absent"

// listed is the file of response, for messages.
const listed = "wasmtest/corpus/golden/response.go"

// shortened returns a Response without the members that have their usual values, and any other JSON
// unchanged. Its inverse is completed, which recognizes a shortened Response by a created_at
// without an object.
func shortened(value []byte) ([]byte, error) {
	whole := fieldsOf(string(value))
	if whole.get("object") != `"response"` {
		return value, nil
	}
	var short fields
	rest := whole
	for _, m := range response {
		switch {
		case len(rest) > 0 && rest[0].name == m.name:
			if rest[0].value != m.value {
				short = append(short, rest[0])
			}
			rest = rest[1:]
		case m.value == absent:
		case len(rest) == 0:
			return nil, fmt.Errorf("a Response has no %s, which %s lists", m.name, listed)
		default:
			return nil, unlisted(rest[0].name)
		}
	}
	if len(rest) > 0 {
		return nil, unlisted(rest[0].name)
	}
	return []byte(short.String()), nil
}

func unlisted(member string) error {
	return fmt.Errorf("the member %s of a Response is not where %s lists it", member, listed)
}

func completed(value []byte) ([]byte, error) {
	short := fieldsOf(string(value))
	if short.get("created_at") == "" || short.get("object") != "" {
		return value, nil
	}
	var whole fields
	for _, m := range response {
		if written := short.get(m.name); written != "" {
			m.value = written
		} else if m.value == absent {
			continue
		} else if m.value == "" {
			return nil, fmt.Errorf("a Response has no %s", m.name)
		}
		whole, short = append(whole, m), short.without(m.name)
	}
	if len(short) > 0 {
		return nil, fmt.Errorf("%s lists no member %s of a Response", listed, short[0].name)
	}
	return []byte(whole.String()), nil
}

// eachResponse returns a stream in which change has replaced the Response of each event.
func eachResponse(stream []byte, change func(response []byte) ([]byte, error)) ([]byte, error) {
	var out bytes.Buffer
	for line := range strings.Lines(string(stream)) {
		event := fieldsOf(strings.TrimPrefix(line, "data: "))
		if r := event.get("response"); r != "" {
			changed, err := change([]byte(r))
			if err != nil {
				return nil, err
			}
			event.set("response", string(changed))
			line = "data: " + event.String() + "\n"
		}
		out.WriteString(line)
	}
	return out.Bytes(), nil
}
