package translator_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"edgelingua/translator"
	"edgelingua/translator/ir"
	"edgelingua/translator/responses"
	"edgelingua/wasmtest/answers"
)

// checkReplay stores the answer to the client of x, which speaks Responses. The stream from the
// store must equal the client's stream, except for the pieces of its texts.
func checkReplay(t *testing.T, x *translator.Exchange, answer []byte, sse bool) {
	x.Request.AnswerCopy = &ir.AnswerCopy{ID: ir.Escaped("resp_" + strings.Repeat("x", 43))}
	var first []byte
	if sse {
		first = pushed(x, answer, len(answer))
	} else {
		_, first = x.StreamOfBody(answer)
	}
	k := x.Request.AnswerCopy
	if !k.Done {
		return
	}
	again := responses.AppendStream(nil, string(k.Head), string(k.Items), string(k.Tail))
	answers.CheckStream(t, x.Request.API.Name, x.Request.StreamUsage, again)
	require.Equal(t, joined(t, first), joined(t, again))
}

// joined returns the events of a stream of Responses with one delta for each text, and without
// their numbers. It also removes members that are known earlier in the store than in the stream:
// action, status and phase at the beginning of an item, and the service tier.
func joined(t *testing.T, stream []byte) (events []map[string]any) {
	for _, f := range answers.Frames(t, answers.HalvesKept(stream)) {
		delete(f.JSON, "sequence_number")
		if f.Name == "response.output_item.added" {
			for _, late := range []string{"action", "phase", "status"} {
				delete(child(f.JSON, "item"), late)
			}
		}
		if response := child(f.JSON, "response"); response["status"] == "in_progress" {
			delete(response, "service_tier")
		}
		delta, isDelta := f.JSON["delta"].(string)
		if last := len(events) - 1; isDelta && events[last]["type"] == f.Name {
			events[last]["delta"] = events[last]["delta"].(string) + delta
			if logprobs, ok := f.JSON["logprobs"].([]any); ok {
				events[last]["logprobs"] = append(events[last]["logprobs"].([]any), logprobs...)
			}
			continue
		}
		events = append(events, f.JSON)
	}
	return events
}
