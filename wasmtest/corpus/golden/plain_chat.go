package golden

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
)

// chatAnswer is the state of a client of Chat that combines the chunks of a stream.
type chatAnswer struct {
	reply                         fields // the choice's message, without its calls
	calls                         []fields
	finish, logprobs, usage, tier string
	others                        fields // of the chunks: members without a place of their own
}

// ofChunks has the members of chunks with places of their own in the completion.
var ofChunks = []string{"id", "object", "created", "model", "choices", "service_tier", "usage"}

// completion returns the completion that a client of Chat assembles from a stream.
func completion(events []event) (fields, error) {
	a := chatAnswer{
		reply: fields{
			{"role", `"assistant"`}, {"content", "null"},
			{"refusal", "null"}, {"annotations", "[]"},
		},
		finish: "null", logprobs: "null",
	}
	for _, e := range events {
		if usage := e.fields.get("usage"); isSet(usage) {
			a.usage = usage
		}
		if tier := e.fields.get("service_tier"); isSet(tier) {
			a.tier = tier
		}
		for _, f := range e.fields {
			if !slices.Contains(ofChunks, f.name) {
				a.others.set(f.name, f.value)
			}
		}
		if choices := elements(e.fields.get("choices")); len(choices) > 0 {
			if err := a.addChoice(fieldsOf(choices[0])); err != nil {
				return nil, err
			}
		}
	}
	chunk := events[0].fields
	answer := fields{
		{"id", chunk.get("id")}, {"object", `"chat.completion"`}, {"created", chunk.get("created")},
		{"model", chunk.get("model")}, {"choices", listOf([]fields{a.choice()})},
	}
	if a.tier != "" {
		answer.set("service_tier", a.tier)
	}
	if a.usage != "" {
		answer.set("usage", a.usage)
	}
	return append(answer, a.others...), nil
}

// choice returns the choice of the completion. As in OpenAI's, its content is null only if a call
// or a refusal replaces the text.
func (a *chatAnswer) choice() fields {
	replaced := a.calls != nil || isSet(a.reply.get("function_call")) || isSet(a.reply.get("refusal"))
	if !isSet(a.reply.get("content")) && !replaced {
		a.reply.set("content", `""`)
	}
	if a.calls != nil {
		a.reply.set("tool_calls", listOf(a.calls))
	}
	return fields{
		{"index", "0"}, {"message", a.reply.String()}, {"logprobs", a.logprobs},
		{"finish_reason", a.finish},
	}
}

// addChoice adds the choice of a chunk.
func (a *chatAnswer) addChoice(choice fields) error {
	if finish := choice.get("finish_reason"); isSet(finish) {
		a.finish = finish
	}
	if more := choice.get("logprobs"); isSet(more) {
		all := extended(fieldsOf(a.logprobs).get("content"), fieldsOf(more).get("content"))
		a.logprobs = fields{{"content", all}, {"refusal", "null"}}.String()
	}
	delta := fieldsOf(choice.get("delta"))
	if err := a.reply.addTexts(delta, "content", "refusal", "reasoning_content"); err != nil {
		return err
	}
	for _, name := range []string{"annotations", "reasoning_details"} {
		if more := delta.get(name); isSet(more) {
			a.reply.set(name, extended(a.reply.get(name), more))
		}
	}
	if piece := fieldsOf(delta.get("function_call")); piece != nil {
		call := fieldsOf(a.reply.get("function_call"))
		if err := call.addTexts(piece, "name", "arguments"); err != nil {
			return err
		}
		a.reply.set("function_call", call.String())
	}
	for _, piece := range elements(delta.get("tool_calls")) {
		if err := a.addCall(fieldsOf(piece)); err != nil {
			return err
		}
	}
	return nil
}

// addCall adds a piece of a call. Only the first piece of a call has members besides the arguments.
func (a *chatAnswer) addCall(piece fields) error {
	index, n := gjson.Parse(piece.get("index")).Int(), int64(len(a.calls))
	switch {
	case index == n:
		a.calls = append(a.calls, piece.without("index"))
		return nil
	case index < 0 || index > n:
		return fmt.Errorf("a piece of call %d after %d calls", index, n)
	}
	for member, text := range map[string]string{"function": "arguments", "custom": "input"} {
		if more := fieldsOf(piece.get(member)); more != nil {
			call := fieldsOf(a.calls[index].get(member))
			if err := call.addTexts(more, text); err != nil {
				return err
			}
			a.calls[index].set(member, call.String())
		}
	}
	return nil
}
