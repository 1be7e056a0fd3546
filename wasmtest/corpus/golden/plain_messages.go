package golden

import (
	"errors"

	"github.com/tidwall/gjson"
)

// message returns the message that a client of Messages assembles from a stream.
func message(events []event) (fields, error) {
	answer := fieldsOf(events[0].fields.get("message"))
	if answer == nil {
		return nil, errors.New("the stream does not start with a message")
	}
	var content []fields
	input := `""`
	for _, e := range events[1:] {
		if e.name == "content_block_start" {
			content = append(content, fieldsOf(e.fields.get("content_block")))
			input = `""`
		}
		if e.name == "message_delta" {
			addEnd(&answer, e.fields)
		}
		if len(content) == 0 {
			continue
		}
		block := &content[len(content)-1]
		switch e.name {
		case "content_block_delta":
			delta := fieldsOf(e.fields.get("delta"))
			if piece := delta.get("partial_json"); isString(piece) {
				input = joined(input, piece)
			}
			if err := addDelta(block, delta); err != nil {
				return nil, err
			}
		case "content_block_stop":
			if input != `""` {
				block.set("input", object(input))
			}
		}
	}
	answer.set("content", listOf(content))
	return answer, nil
}

// addDelta adds a delta to its block.
func addDelta(block *fields, delta fields) error {
	for _, name := range []string{"text", "thinking", "signature"} {
		if delta.get(name) == `""` { // an empty text adds no member
			continue
		}
		if err := block.addTexts(delta, name); err != nil {
			return err
		}
	}
	if delta.get("type") == `"compaction_delta"` {
		block.set("content", delta.get("content"))
		block.set("encrypted_content", delta.get("encrypted_content"))
	}
	if citation := delta.get("citation"); isSet(citation) {
		block.set("citations", extended(block.get("citations"), "["+citation+"]"))
	}
	return nil
}

// addEnd adds the members of message_delta to the message.
func addEnd(answer *fields, end fields) {
	for _, m := range fieldsOf(end.get("delta")) {
		answer.set(m.name, m.value)
	}
	usage := fieldsOf(answer.get("usage"))
	for _, m := range fieldsOf(end.get("usage")) {
		usage.set(m.name, m.value)
	}
	answer.set("usage", usage.String())
	if edits := end.get("context_management"); isSet(edits) {
		answer.set("context_management", edits)
	}
}

// object returns the JSON object inside a JSON string. Arguments that are not an object become the
// only member of one: a stream has the arguments as the model wrote them, but a plain body of
// Messages can only hold an object.
func object(text string) string {
	inside := gjson.Parse(text).Str
	if value := gjson.Parse(inside); gjson.Valid(inside) && value.IsObject() {
		return value.Raw
	}
	return fields{{"invalid_arguments", text}}.String()
}
